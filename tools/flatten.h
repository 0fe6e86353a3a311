/* flatten.h: an array in Fortran order, put into C order. */
#ifndef FLATTEN_H
#define FLATTEN_H

#include "array.h"
#include "input.h"

/* Replaces the input, which must be seekable, by a temporary file in C order, and makes *a one row. */
int flatten(input *in, array *a);

#endif
