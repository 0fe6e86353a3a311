/* matrix.h: the constant matrices that units multiply by. */
#ifndef MMS_MATRIX_H
#define MMS_MATRIX_H

#include "mmscan.h"

/* The bytes of a one; in all of these zero is all bits zero. */
typedef struct mms_one {
  size_t size; /* 0: of no type that is multiplied */
  unsigned char bytes[16];
} mms_one;

/* Of a type; and of bfloat16, in which A and X of MMSCAN_PRODUCT_BF16 are. */
mms_one mms_matrix_one(mmscan_type type);
mms_one mms_matrix_one_bf16(void);

/* A constant matrix of the paper, s-by-s, written to a: of such ones, or of the ones of a type. */
void mms_matrix_make(mmscan_matrix matrix, mms_one one, size_t s, void *a);
void mms_matrix_of(mmscan_type type, mmscan_matrix matrix, size_t s, void *a);

/* Entry `index` of an array of MMSCAN_F32 or MMSCAN_F64. */
double mms_matrix_entry(mmscan_type type, const void *a, size_t index);

#endif
