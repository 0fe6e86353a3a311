/* matrix.c: the constant matrices, of any type that is multiplied. */
#include "unit/matrix.h"

#include <string.h>

double mms_matrix_entry(mmscan_type type, const void *a, size_t index) {
  return type == MMSCAN_F32 ? (double)((const float *)a)[index] : ((const double *)a)[index];
}

static mms_one one_of(size_t size, const void *value, size_t value_size) {
  mms_one one = {.size = size};
  memcpy(one.bytes, value, value_size);
  return one;
}

mms_one mms_matrix_one(mmscan_type type) {
  static const float f32 = 1;
  static const double f64 = 1;
  switch (type) {
  case MMSCAN_F32:
    return one_of(sizeof f32, &f32, sizeof f32);
  case MMSCAN_F64:
    return one_of(sizeof f64, &f64, sizeof f64);
  case MMSCAN_C32:
    return one_of(2 * sizeof f32, &f32, sizeof f32);
  case MMSCAN_C64:
    return one_of(2 * sizeof f64, &f64, sizeof f64);
  default:
    return (mms_one){0};
  }
}

mms_one mms_matrix_one_bf16(void) {
  static const uint16_t one = 0x3f80;
  return one_of(sizeof one, &one, sizeof one);
}

int mmscan_matrix_entry(mmscan_matrix matrix, size_t row, size_t column) {
  switch (matrix) {
  case MMSCAN_MATRIX_L:
    return row >= column;
  case MMSCAN_MATRIX_B:
    return column == 0 || row == column;
  case MMSCAN_MATRIX_L_STRICT:
    return row > column;
  case MMSCAN_MATRIX_ONES:
    return 1;
  }
  return 0;
}

void mms_matrix_make(mmscan_matrix matrix, mms_one one, size_t s, void *a) {
  memset(a, 0, s * s * one.size);
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++)
      if (mmscan_matrix_entry(matrix, row, column))
        memcpy((char *)a + (column * s + row) * one.size, one.bytes, one.size);
}

void mms_matrix_of(mmscan_type type, mmscan_matrix matrix, size_t s, void *a) {
  mms_matrix_make(matrix, mms_matrix_one(type), s, a);
}
