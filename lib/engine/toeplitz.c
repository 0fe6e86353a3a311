/* toeplitz.c: triangular Toeplitz matrices. By columns, a row of the signal is a column of X. */
#include "engine/toeplitz.h"

#include "unit/gate.h"
#include <string.h>

enum { SIGN = 0x80 }; /* in the last byte of a float */

/* Real numbers of an element, and their size. */
static size_t parts_of(mmscan_type type) { return mms_type_of(type)->kind == 'c' ? 2 : 1; }
static size_t part_size(mmscan_type type) { return mms_type_of(type)->size / parts_of(type); }

mmscan_type mms_toeplitz_unit(mmscan_type type) {
  return part_size(type) == sizeof(float) ? MMSCAN_F32 : MMSCAN_F64;
}

size_t mms_toeplitz_size(mmscan_type type, size_t s) { return s * s * mms_type_of(type)->size * parts_of(type); }

/* Entry (row, column), of real numbers: a complex h is ((re, -im), (im, re)). */
static void put(mmscan_type type, const char *h, size_t row, size_t column, size_t rows, char *matrix) {
  const size_t parts = parts_of(type), size = part_size(type);
  for (size_t p = 0; p < parts; p++)
    for (size_t q = 0; q < parts; q++) {
      char *entry = matrix + ((column * parts + q) * rows + row * parts + p) * size;
      memcpy(entry, h + (p ^ q) * size, size);
      if (p < q) entry[size - 1] = (char)(entry[size - 1] ^ SIGN);
    }
}

void mms_toeplitz_make(mmscan_type type, size_t s, const void *h, bool reverse, void *matrix) {
  const size_t size = mms_type_of(type)->size, rows = s * parts_of(type);
  memset(matrix, 0, mms_toeplitz_size(type, s));
  for (size_t late = 0; late < s; late++)
    for (size_t early = 0; early <= late; early++)
      put(type, (const char *)h + (late - early) * size, reverse ? early : late, reverse ? late : early, rows, matrix);
}

void mms_toeplitz_rows(const mms_unit *unit, mmscan_type type, size_t s, const void *matrix, size_t rows, const void *x,
                       void *y) {
  const size_t parts = parts_of(type);
  const mms_product product = {.type = mms_toeplitz_unit(type),
                               .form = MMSCAN_PRODUCT_CHUNKED,
                               .s = s * parts,
                               .columns = rows,
                               .a = matrix,
                               .x = x,
                               .w = y,
                               .elements = rows * s * parts};
  mms_gate_place *place = mms_gate_enter();
  mms_unit_multiply(unit, &product);
  mms_gate_leave(place);
}
