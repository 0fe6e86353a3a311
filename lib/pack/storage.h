/* storage.h: what x and y are stored as: a row for each pair of types, with the conversions between these and the
 * arithmetic type, in which elements are combined.
 *
 * Integers of 8 and 16 bits are combined in 32, halves in f32. Sums of complex numbers are two sums of floats: their
 * parts are taken apart into planes. How to add a type: doc/ADDING_A_TYPE.md. */
#ifndef MMS_STORAGE_H
#define MMS_STORAGE_H

#include "algebra/algebra.h"
#include <stdbool.h>

/* A type as it is stored. */
typedef struct mms_type {
  const char *name;
  char kind; /* as NumPy's dtype.kind: 'f', 'i', 'u' or 'c' */
  size_t size;
} mms_type;

const mms_type *mms_type_of(mmscan_type type);

/* Converts n contiguous elements, which share no memory with the results. `apart`: elements from one plane of what is
 * arithmetic to the next, where there are two. Results do not depend on how elements are cut into runs. */
typedef void mms_convert(size_t n, const void *from, void *to, size_t apart);

typedef struct mms_storage {
  mmscan_type arithmetic; /* 0: there is no such pair */
  size_t x_size, y_size;  /* bytes of an element */
  size_t size, planes;    /* bytes of an arithmetic element, and how many make an element of x: 1 or 2 */
  mms_convert *in, *out;  /* NULL: x, or y, is stored as it is combined */
} mms_storage;

/* A plane's number in a carry of all planes, and what it is short of, which follows the numbers (mms_value). */
mms_value mms_storage_plane(const mms_storage *storage, const mms_value *carry, size_t plane);
void mms_storage_put_plane(const mms_storage *storage, mms_value *carry, size_t plane, const mms_value *value);

/* A float, or double, as it is combined, at any address. */
double mms_storage_number(const mms_storage *storage, const void *element);

/* Adds up rows of n contiguous numbers, and a row above them, which becomes the last sum. Each row of y becomes a sum:
 * it is that row of x, or shares no memory with any. Strides, in elements, go from row to row. */
typedef void mms_add_rows(size_t rows, size_t n, const void *x, ptrdiff_t x_stride, void *y, ptrdiff_t y_stride,
                          void *above);

/* By the best instruction set. */
mms_add_rows *mms_storage_adder(mms_lanes lanes);

/* The row of two types; NULL: x_type is not scanned into y_type. In planes: NULL too if an element is not two. */
const mms_storage *mms_storage_of(mmscan_type x_type, mmscan_type y_type);
const mms_storage *mms_storage_in_planes(mmscan_type x_type, mmscan_type y_type);

/* The same, combined in twice the digits of y_type, of which results keep half; NULL: there is no such type. */
const mms_storage *mms_storage_wide(mmscan_type x_type, mmscan_type y_type);
const mms_storage *mms_storage_wide_in_planes(mmscan_type x_type, mmscan_type y_type);

#endif
