/* toeplitz.h: products of rows of a signal with the triangular Toeplitz matrix of a response, by a unit.
 *
 * Each row is s neighbouring elements, and becomes what it is from zero: y[i] = sum of h[i - j] x[j] over j <= i; in
 * reverse of h[j - i] x[j] over j >= i. So the response h of a recurrence to an element is all there is to it. Complex
 * numbers are multiplied as real matrices of two by two.
 *
 * Where an element is not finite, its whole row may come out as NaN, as zeros of the matrix are multiplied, too. */
#ifndef MMS_TOEPLITZ_H
#define MMS_TOEPLITZ_H

#include "pack/storage.h"
#include "unit/unit.h"

/* The float type of products for F32, F64, C32 and C64. */
mmscan_type mms_toeplitz_unit(mmscan_type type);

/* Bytes of a matrix; and makes it of h[0] to h[s - 1], elements of the type. */
size_t mms_toeplitz_size(mmscan_type type, size_t s);
void mms_toeplitz_make(mmscan_type type, size_t s, const void *h, bool reverse, void *matrix);

/* Multiplies neighbouring rows. y shares no memory with x. The unit is held. */
void mms_toeplitz_rows(const mms_unit *unit, mmscan_type type, size_t s, const void *matrix, size_t rows, const void *x,
                       void *y);

#endif
