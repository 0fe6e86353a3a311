/* matrix.h: the constant matrices that units multiply by. */
#ifndef MMS_MATRIX_H
#define MMS_MATRIX_H

#include "mmscan.h"

/* The constant matrices of the paper, s-by-s, written to a. */
void mms_matrix_l(mmscan_type type, size_t s, void *a); /* lower triangular ones */
void mms_matrix_b(mmscan_type type, size_t s, void *a); /* identity with its first column all ones */

/* Entry `index` of an array of the unit's type. */
double mms_matrix_entry(mmscan_type type, const void *a, size_t index);

#endif
