/* npy.h: the header of NumPy's file format. */
#ifndef NPY_H
#define NPY_H

#include "array.h"
#include "input.h"
#include "output.h"

#define NPY_MAGIC      "\x93NUMPY"
#define NPY_MAGIC_SIZE 6

/* Reads a header of version 1.0, 2.0 or 3.0, and makes the data after it the input. */
int npy_read_header(input *in, array *a);

/* Writes a header of version 1.0 for data in this machine's byte order. */
int npy_write_header(output *out, const array *a);

#endif
