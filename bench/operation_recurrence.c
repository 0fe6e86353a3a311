/* operation_recurrence.c: recurrences, with a constant a and with one for each element. */
#include "operation.h"
#include "peer_loops.h"
#include "timing.h"

#include <math.h>
#include <string.h>

static const char *refusal(const number_pair *pair, const race_shape *shape) {
  if (shape->rank != 1) return "one recurrence: --shape N";
  if (pair->x != pair->y) return "x and y have one type";
  return pair->x->kind == 'f' && peer_loops_of(pair->x->name) != NULL ? NULL : "the loops are of f32 and f64";
}

/* ---- The factors ------------------------------------------------------------------------------------------------- */

/* Of one element all are constant. */
static bool is_constant(const race *r) { return r->beside_bytes == r->number->size; }

static void put(const number *type, double value, size_t i, void *to) {
  if (type->size == sizeof(float))
    ((float *)to)[i] = (float)value;
  else
    ((double *)to)[i] = value;
}

/* As of smoothing. */
static void *beside_constant(const race *r, size_t *bytes) {
  void *a = array_make(*bytes = r->number->size);
  if (a != NULL) put(r->number, 0.9, 0, a);
  return a;
}

/* From 0.5 to 1, made of x in reverse. */
static void *beside_varying(const race *r, size_t *bytes) {
  const size_t size = r->number->size;
  *bytes = r->n * size;
  void *a = array_make(*bytes);
  for (size_t i = 0; a != NULL && i < r->n; i++) {
    double x;
    r->number->reals(1, (const char *)r->data + (r->n - 1 - i) * size, &x);
    put(r->number, 0.75 + x / 16, i, a);
  }
  return a;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static mmscan_status call(const contender *c) {
  const race *r = c->race;
  const mmscan_recurrence_desc d = {.struct_size = sizeof d,
                                    .type = r->number->type,
                                    .n = r->n,
                                    .a_stride = !is_constant(r),
                                    .x_stride = 1,
                                    .y_stride = 1,
                                    .batch = 1};
  return mmscan_recurrence(&d, r->beside, r->x, r->y);
}

static double run_call(const contender *c, long runs) { return operation_time(c, runs, call); }

static double run_loop(const contender *c, long runs) {
  const race *r = c->race;
  const peer_loops *loops = peer_loops_of(r->number->name);
  void (*const loop)(size_t, const void *, const void *, void *) = is_constant(r) ? loops->decay : loops->recurrence;
  const double start = timing_now();
  for (long i = 0; i < runs; i++) loop(r->n, r->beside, r->x, r->y);
  return timing_now() - start;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* What is followed: the result, the sum of the magnitudes that it is made of, and how far off it may be: each step may
 * be rounded four times. */
typedef struct walk {
  double result, magnitude, error;
} walk;

static bool step(walk *w, double a, double x, double y, double u) {
  w->result = a * w->result + x;
  w->magnitude = fabs(a) * w->magnitude + fabs(x);
  w->error = fabs(a) * w->error + 4 * u * w->magnitude;
  return fabs(y - w->result) <= w->error + 32 * u * w->magnitude;
}

static size_t check(const race *r) {
  enum { PIECE = 256 };
  const number *type = r->number;
  const double u = type->size == sizeof(float) ? 0x1p-24 : 0x1p-53;
  const bool constant = is_constant(r);
  double a[PIECE], x[PIECE], y[PIECE];
  walk w = {0};
  for (size_t at = 0, count; at < r->n; at += count) {
    const size_t from = at * type->size;
    count = r->n - at < PIECE ? r->n - at : PIECE;
    type->reals(constant ? 1 : count, (const char *)r->beside + (constant ? 0 : from), a);
    type->reals(count, (const char *)r->data + from, x);
    type->reals(count, (const char *)r->y + from, y);
    for (size_t i = 0; i < count; i++)
      if (!step(&w, a[constant ? 0 : i], x[i], y[i], u)) return at + i;
  }
  return r->n;
}

static size_t verify(contender *c) {
  const race *r = c->race;
  memset(r->y, 0xff, race_y_bytes(r)); /* NaN */
  c->run(c, 1);
  return check(r);
}

/* ---- The rows ---------------------------------------------------------------------------------------------------- */

static void add_alone(race *r, lineup_filter *filter) { operation_add_loop(r, filter, "plain loop", run_loop, verify); }

static void add(race *r, lineup_filter *filter, int threads) {
  operation_add_call(r, filter, "mmscan_recurrence", threads, run_call, verify);
  operation_add_sums(r, filter, threads);
}

const operation operation_decay = {.name = "decay",
                                   .what = "y[i] = 0.9 y[i-1] + x[i]",
                                   .type = "f32",
                                   .sizes = {1 << 24},
                                   .rank = 1,
                                   .refusal = refusal,
                                   .beside = beside_constant,
                                   .add_alone = add_alone,
                                   .add = add};

const operation operation_recurrence = {.name = "recurrence",
                                        .what = "y[i] = a[i] y[i-1] + x[i], with a from 0.5 to 1",
                                        .type = "f32",
                                        .sizes = {1 << 24},
                                        .rank = 1,
                                        .refusal = refusal,
                                        .beside = beside_varying,
                                        .add_alone = add_alone,
                                        .add = add};
