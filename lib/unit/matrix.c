/* matrix.c: the constant matrices, of any type that is multiplied. */
#include "unit/matrix.h"

#include <string.h>

const mms_one mms_matrix_one_bf16 = {.size = sizeof(uint16_t), .bf16 = 0x3f80};

const mms_one *mms_matrix_one(mmscan_type type) {
  static const mms_one none, ones[] = {[MMSCAN_F32] = {.size = sizeof(float), .f32 = {1}},
                                       [MMSCAN_F64] = {.size = sizeof(double), .f64 = {1}},
                                       [MMSCAN_C32] = {.size = 2 * sizeof(float), .f32 = {1}},
                                       [MMSCAN_C64] = {.size = 2 * sizeof(double), .f64 = {1}}};
  return (size_t)type < sizeof ones / sizeof *ones ? &ones[type] : &none;
}

bool mms_matrix_entry(mmscan_matrix matrix, size_t row, size_t column) {
  switch (matrix) {
  case MMSCAN_MATRIX_L:
    return row >= column;
  case MMSCAN_MATRIX_B:
    return column == 0 || row == column;
  case MMSCAN_MATRIX_L_STRICT:
    return row > column;
  case MMSCAN_MATRIX_ONES:
    return true;
  }
  return false;
}

static void make(mmscan_matrix matrix, const mms_one *one, size_t s, char *a, size_t to_row, size_t to_column) {
  memset(a, 0, s * s * one->size);
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++)
      if (mms_matrix_entry(matrix, row, column))
        memcpy(a + (column * to_column + row * to_row) * one->size, one->bytes, one->size);
}

void mms_matrix_make(mmscan_matrix matrix, const mms_one *one, size_t s, void *a) { make(matrix, one, s, a, 1, s); }

void mms_matrix_make_transposed(mmscan_matrix matrix, const mms_one *one, size_t s, void *a) {
  make(matrix, one, s, a, s, 1);
}

void mms_matrix_of(mmscan_type type, mmscan_matrix matrix, size_t s, void *a) {
  mms_matrix_make(matrix, mms_matrix_one(type), s, a);
}
