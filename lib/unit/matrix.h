/* matrix.h: the constant matrices that units multiply by. */
#ifndef MMS_MATRIX_H
#define MMS_MATRIX_H

#include "mmscan.h"

/* A one; in all of these zero is all bits zero. */
typedef struct mms_one {
  size_t size; /* in bytes; 0: of no type that is multiplied */
  union {
    float f32[2];
    double f64[2];
    uint16_t bf16;
    unsigned char bytes[16];
  };
} mms_one;

/* Of a type; and of bfloat16, in which A and X of MMSCAN_PRODUCT_BF16 are. */
const mms_one *mms_matrix_one(mmscan_type type);
extern const mms_one mms_matrix_one_bf16;

/* A constant matrix of the paper, s-by-s, written to a: of such ones, or of the ones of a type; or its transpose. */
void mms_matrix_make(mmscan_matrix matrix, const mms_one *one, size_t s, void *a);
void mms_matrix_make_transposed(mmscan_matrix matrix, const mms_one *one, size_t s, void *a);
void mms_matrix_of(mmscan_type type, mmscan_matrix matrix, size_t s, void *a);

/* Entry `index` of an array of MMSCAN_F32 or MMSCAN_F64. */
double mms_matrix_entry(mmscan_type type, const void *a, size_t index);

#endif
