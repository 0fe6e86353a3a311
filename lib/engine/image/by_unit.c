/* by_unit.c: two products, and what is added to them. */
#include "engine/image/by_unit.h"

#include "unit/gate.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { S = MMS_BY_UNIT_S };

/* Takes the carries of rows past them; false if any may not be regrouped, or vertical sums of carries may overflow. */
static bool advance(const mms_by_unit *u, size_t rows, size_t columns, mms_value *carries) {
  const size_t stride = mms_by_unit_stride(columns);
  double size = 0;
  for (size_t i = 0; i < rows; i++) {
    mms_found found;
    size += fabs(carries[i].f64);
    u->kernel->total(u->kernel, columns, u->x + i * stride, false, &found);
    if (!found.is_ordinary || !found.is_finite) return false;
    if (!u->kernel->advance(u->kernel, &carries[i], &found.total)) return false;
  }
  return size <= DBL_MAX / 4;
}

static void pad(const mms_by_unit *u, size_t rows, size_t columns) {
  const size_t stride = mms_by_unit_stride(columns);
  for (size_t i = 0; i < rows; i++) memset(u->x + i * stride + columns, 0, (stride - columns) * sizeof *u->x);
  memset(u->x + rows * stride, 0, (S - rows) * stride * sizeof *u->x);
}

static void multiply(const mms_by_unit *u, size_t stride) {
  mms_product product = {.type = MMSCAN_F64,
                         .form = MMSCAN_PRODUCT_CHUNKED,
                         .s = S,
                         .columns = stride,
                         .row_stride = stride,
                         .a = u->l,
                         .x = u->x,
                         .w = u->sums,
                         .elements = S * stride};
  mms_gate_place *place = mms_gate_enter();
  mms_unit_multiply(u->unit, &product);
  product.row_stride = 0;
  product.x = u->sums, product.w = u->y;
  mms_unit_multiply(u->unit, &product);
  mms_gate_leave(place);
}

/* Adds to a row what precedes its chunks, and the row above. */
static void complete(size_t columns, double before, const double *above, double *y) {
  for (size_t from = 0; from < columns; from += S) {
    const size_t left = columns - from, n = left < S ? left : S;
    const double total = y[from + S - 1];
    for (size_t i = from; i < from + n; i++) y[i] = above[i] + (before + y[i]);
    before += total;
  }
}

bool mms_by_unit_sum(const mms_by_unit *u, size_t rows, size_t columns, char *carries, size_t carry_size,
                     double *above) {
  const size_t stride = mms_by_unit_stride(columns);
  mms_value next[S];
  double before = 0;
  for (size_t i = 0; i < rows; i++) memcpy(&next[i], carries + i * carry_size, sizeof *next);
  if (!advance(u, rows, columns, next)) return false;
  pad(u, rows, columns);
  multiply(u, stride);
  for (size_t i = 0; i < rows; i++) {
    mms_value carry;
    memcpy(&carry, carries + i * carry_size, sizeof carry);
    before += carry.f64;
    complete(columns, before, above, u->y + i * stride);
    memcpy(carries + i * carry_size, &next[i], sizeof *next);
  }
  memcpy(above, u->y + (rows - 1) * stride, columns * sizeof *above);
  return true;
}
