/* matrix.c: the constant matrices, of floats or of doubles. */
#include "unit/matrix.h"

double mms_matrix_entry(mmscan_type type, const void *a, size_t index) {
  return type == MMSCAN_F32 ? (double)((const float *)a)[index] : ((const double *)a)[index];
}

static void set_entry(mmscan_type type, void *a, size_t index, double value) {
  if (type == MMSCAN_F32)
    ((float *)a)[index] = (float)value;
  else
    ((double *)a)[index] = value;
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

void mms_matrix_make(mmscan_type type, mmscan_matrix matrix, size_t s, void *a) {
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++) set_entry(type, a, column * s + row, mmscan_matrix_entry(matrix, row, column));
}
