/* operation_integral.c: integral images, with a border of zeros as OpenCV's have. */
#include "numpy.h"
#include "operation.h"
#include "peer_pairs.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t rows_of(const race *r) { return r->shape->sizes[0]; }
static size_t columns_of(const race *r) { return r->shape->sizes[1]; }

static const peer_pair *pair_of(const race *r) { return peer_pair_of(r->number->name, r->to->name); }

static size_t room(const race_shape *shape) { return (shape->sizes[0] + 1) * (shape->sizes[1] + 1); }

static const char *refusal(const number_pair *pair, const race_shape *shape) {
  if (shape->rank != 2) return "an image has two axes: --shape ROWS,COLUMNS";
  if (pair->y->kind == 'c') return "there are no peers for complex numbers";
  return peer_pair_of(pair->x->name, pair->y->name) != NULL ? NULL : "there is no loop to compare it with";
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static mmscan_status call(const contender *c) {
  const race *r = c->race;
  const ptrdiff_t columns = (ptrdiff_t)columns_of(r);
  const mmscan_integral_desc d = {.struct_size = sizeof d,
                                  .x_type = r->number->type,
                                  .y_type = r->to->type,
                                  .border = 1,
                                  .rows = rows_of(r),
                                  .columns = columns_of(r),
                                  .x_ld = columns,
                                  .y_ld = columns + 1,
                                  .batch = 1};
  return mmscan_integral(&d, r->x, r->y);
}

static double run_call(const contender *c, long runs) { return operation_time(c, runs, call); }

static double run_loop(const contender *c, long runs) {
  const race *r = c->race;
  const peer_pair *pair = pair_of(r);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) pair->image(rows_of(r), columns_of(r), r->x, r->y);
  return timing_now() - start;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* Integers wrap around. Of floats each sum of so many elements of magnitude 8 at most may be rounded as often as a loop
 * rounds it. */
static bool is_row_right(const race *r, size_t row, const int64_t *want, const char *y) {
  const size_t columns = columns_of(r);
  const double u = r->to->size == sizeof(float) ? 0x1p-24 : 0x1p-53;
  double sums[256];
  char wrapped[256 * sizeof(int64_t)];
  for (size_t from = 0, m; from < columns; from += m) {
    const char *at = y + from * r->to->size;
    m = columns - from < 256 ? columns - from : 256;
    r->to->write(m, want + from, wrapped);
    if (r->to->kind != 'f' && memcmp(wrapped, at, m * r->to->size) != 0) return false;
    if (r->to->kind == 'f') r->to->reals(m, at, sums);
    for (size_t i = 0; r->to->kind == 'f' && i < m; i++) {
      const double all = 8.0 * (double)(row + 1) * (double)(from + i + 1);
      if (!(fabs(sums[i] - (double)want[from + i]) <= all * u * (double)(row + from + i + 2))) return false;
    }
  }
  return true;
}

/* The first element of the first row that is not right; all, if there is none. */
static size_t check(const race *r) {
  const size_t columns = columns_of(r), size = r->to->size;
  int64_t *row = calloc(2 * columns, sizeof *row), *above = row + columns;
  size_t at = 0;
  for (; row != NULL && at < r->n; at += columns) {
    int64_t sum = 0;
    const char *y = (const char *)r->y + ((at / columns + 1) * (columns + 1) + 1) * size;
    r->number->read(columns, (const char *)r->data + at * r->number->size, row);
    for (size_t i = 0; i < columns; i++) above[i] += sum += row[i];
    if (!is_row_right(r, at / columns, above, y)) break;
  }
  free(row);
  return at;
}

static size_t verify(contender *c) {
  const race *r = c->race;
  memset(r->y, 0x80, room(r->shape) * r->to->size);
  c->run(c, 1);
  return check(r);
}

/* ---- The row ----------------------------------------------------------------------------------------------------- */

/* Its own threads are set to one. */
static void add_opencv(race *r, lineup_filter *filter) {
  contender *c = lineup_add_run(r, filter, ROLE_PEER, "OpenCV integral", 1, numpy_run, opencv_verify);
  if (c != NULL) lineup_refuse(c, opencv_refusal(race_x_bytes(r) + race_y_bytes(r)));
}

static void add_alone(race *r, lineup_filter *filter) {
  lineup_add_run(r, filter, ROLE_LOOP, "plain loop", 1, run_loop, verify);
  add_opencv(r, filter);
}

static void add(race *r, lineup_filter *filter, int threads) {
  operation_add_call(r, filter, "mmscan_integral", threads, run_call, verify);
}

const operation operation_integral = {.name = "integral",
                                      .what = "an integral image, with a border of zeros",
                                      .type = "u8",
                                      .to = "u32",
                                      .sizes = {4096, 4096},
                                      .rank = 2,
                                      .room = room,
                                      .refusal = refusal,
                                      .add_alone = add_alone,
                                      .add = add};
