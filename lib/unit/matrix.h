/* matrix.h: the constant matrices that units multiply by. */
#ifndef MMS_MATRIX_H
#define MMS_MATRIX_H

#include "mmscan_paper.h"
#include <stdbool.h>

/* The number one in some type. In all these types zero is all bits zero. */
typedef struct mms_one {
  size_t size; /* in bytes; 0: the type is not multiplied */
  union {
    float f32[2];
    double f64[2];
    uint16_t bf16;
    unsigned char bytes[16];
  };
} mms_one;

/* The one of a type; and that of bfloat16, the type of A and X in MMSCAN_PRODUCT_BF16. */
const mms_one *mms_matrix_one(mmscan_type type);
extern const mms_one mms_matrix_one_bf16;

/* Whether A(row, column) is one; false if there is no such matrix. */
bool mms_matrix_entry(mmscan_matrix matrix, size_t row, size_t column);

/* Write a constant s-by-s matrix of the paper to a: with the given one; the same transposed; with the one of a type. */
void mms_matrix_make(mmscan_matrix matrix, const mms_one *one, size_t s, void *a);
void mms_matrix_make_transposed(mmscan_matrix matrix, const mms_one *one, size_t s, void *a);
void mms_matrix_of(mmscan_type type, mmscan_matrix matrix, size_t s, void *a);

#endif
