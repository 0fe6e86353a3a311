/* matrix.h: the constant matrices that units multiply by. */
#ifndef MMS_MATRIX_H
#define MMS_MATRIX_H

#include "mmscan.h"

/* A constant matrix of the paper, s-by-s, written to a; MMSCAN_F32 or MMSCAN_F64. */
void mms_matrix_make(mmscan_type type, mmscan_matrix matrix, size_t s, void *a);

/* Entry `index` of an array of the unit's type. */
double mms_matrix_entry(mmscan_type type, const void *a, size_t index);

#endif
