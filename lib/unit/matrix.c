/* matrix.c: the constant matrices, of any type that is multiplied. */
#include "unit/matrix.h"

#include <stdint.h>
#include <string.h>

const mms_one mms_matrix_one_bf16 = {.size = sizeof(uint16_t), .bf16 = 0x3f80};

const mms_one *mms_matrix_one(mmscan_type type) {
  static const mms_one none, ones[] = {[MMSCAN_F32] = {.size = sizeof(float), .f32 = {1}},
                                       [MMSCAN_F64] = {.size = sizeof(double), .f64 = {1}},
                                       [MMSCAN_C32] = {.size = 2 * sizeof(float), .f32 = {1}},
                                       [MMSCAN_C64] = {.size = 2 * sizeof(double), .f64 = {1}}};
  return (size_t)type < sizeof ones / sizeof *ones ? &ones[type] : &none;
}

/* The rows of a column in which A is one; in the others it is zero. */
typedef struct rows {
  size_t from, to;
} rows;

static rows ones_of(mmscan_matrix matrix, size_t s, size_t column) {
  switch (matrix) {
  case MMSCAN_MATRIX_L:
    return (rows){column, s};
  case MMSCAN_MATRIX_B:
    return column == 0 ? (rows){0, s} : (rows){column, column + 1};
  case MMSCAN_MATRIX_L_STRICT:
    return (rows){column + 1, s};
  case MMSCAN_MATRIX_ONES:
    return (rows){0, s};
  }
  return (rows){0, 0};
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

/* By copying what is there, twice as much each time. */
static void fill(char *to, size_t count, const mms_one *one) {
  const size_t bytes = count * one->size;
  if (count > 0) memcpy(to, one->bytes, one->size);
  for (size_t done = one->size, more; done < bytes; done += more) {
    more = done < bytes - done ? done : bytes - done;
    memcpy(to + done, to, more);
  }
}

void mms_matrix_make(mmscan_matrix matrix, const mms_one *one, size_t s, void *a) {
  const size_t line = s * one->size;
  memset(a, 0, s * line);
  for (size_t column = 0; column < s; column++) {
    const rows ones = ones_of(matrix, s, column);
    fill((char *)a + column * line + ones.from * one->size, ones.to - ones.from, one);
  }
}

void mms_matrix_make_transposed(mmscan_matrix matrix, const mms_one *one, size_t s, void *a) {
  memset(a, 0, s * s * one->size);
  for (size_t column = 0; column < s; column++) {
    const rows ones = ones_of(matrix, s, column);
    for (size_t row = ones.from; row < ones.to; row++)
      memcpy((char *)a + (row * s + column) * one->size, one->bytes, one->size);
  }
}

void mms_matrix_of(mmscan_type type, mmscan_matrix matrix, size_t s, void *a) {
  mms_matrix_make(matrix, mms_matrix_one(type), s, a);
}
