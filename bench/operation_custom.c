/* operation_custom.c: an operator of one's own: elements are affine maps t -> a t + b of doubles, in the place of the
 * parts of a complex number, and are composed. */
#include "operation.h"
#include "peer_loops.h"
#include "timing.h"

#include <math.h>
#include <string.h>

typedef struct map {
  double a, b;
} map;

static size_t length_of(const race *r) { return r->shape->sizes[1]; }

static const char *refusal(const number_pair *pair, const race_shape *shape) {
  if (shape->rank != 2) return "scans, and the length of each: --shape SCANS,N";
  return pair->x == pair->y && pair->x->type == MMSCAN_C64 ? NULL : "an element is two doubles, c64";
}

/* a is 1 or -1: results are whole numbers, and exact in any grouping. */
static void fill(size_t n, void *x) {
  map *maps = x;
  for (size_t i = 0; i < n; i++) maps[i].a = maps[i].a < 0 ? -1 : 1;
}

static void compose(void *context, const void *first, const void *then, void *result) {
  const map f = *(const map *)first, g = *(const map *)then;
  (void)context;
  *(map *)result = (map){g.a * f.a, g.a * f.b + g.b};
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static mmscan_status call(const contender *c) {
  static const mmscan_operator composition = {
      .struct_size = sizeof composition, .size = sizeof(map), .combine = compose};
  const race *r = c->race;
  const mmscan_desc d = {.struct_size = sizeof d,
                         .kind = MMSCAN_INCLUSIVE,
                         .n = length_of(r),
                         .x_stride = 1,
                         .y_stride = 1,
                         .batch = r->shape->sizes[0],
                         .x_dist = (ptrdiff_t)length_of(r),
                         .y_dist = (ptrdiff_t)length_of(r)};
  return mmscan_scan_with(&composition, &d, r->x, r->y);
}

static double run_call(const contender *c, long runs) { return operation_time(c, runs, call); }

/* It calls the same function. */
static double run_loop(const contender *c, long runs) {
  const race *r = c->race;
  const map *x = r->x;
  map *y = r->y;
  const double start = timing_now();
  for (long i = 0; i < runs; i++)
    for (size_t at = 0; at < r->n; at += length_of(r))
      peer_loops_combine(length_of(r), sizeof(map), compose, NULL, x + at, y + at);
  return timing_now() - start;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static size_t verify(contender *c) {
  const race *r = c->race;
  const map *x = r->data, *y = r->y;
  int64_t a = 1, b = 0;
  memset(r->y, 0xff, race_y_bytes(r)); /* NaN */
  c->run(c, 1);
  for (size_t i = 0; i < r->n; i++) {
    if (i % length_of(r) == 0) a = 1, b = 0;
    a *= (int64_t)x[i].a;
    b = (int64_t)x[i].a * b + (int64_t)x[i].b;
    if (!(y[i].a == (double)a && y[i].b == (double)b)) return i;
  }
  return r->n;
}

/* ---- The row ----------------------------------------------------------------------------------------------------- */

static void add_alone(race *r, lineup_filter *filter) { operation_add_loop(r, filter, "plain loop", run_loop, verify); }

static void add(race *r, lineup_filter *filter, int threads) {
  operation_add_call(r, filter, "mmscan_scan_with", threads, run_call, verify);
}

const operation operation_custom = {.name = "custom",
                                    .what = "affine maps of doubles, composed by a function in C",
                                    .type = "c64",
                                    .sizes = {1, 1 << 24},
                                    .rank = 2,
                                    .refusal = refusal,
                                    .fill = fill,
                                    .add_alone = add_alone,
                                    .add = add};
