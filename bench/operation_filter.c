/* operation_filter.c: filters of two orders, each contender with both. */
#include "numpy.h"
#include "operation.h"
#include "peer_loops.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ORDER = 8 };

/* Low passes of Butterworth, with half the power at an eighth of the sampling rate: scipy.signal.butter(order, 0.25).
 */
typedef struct design {
  size_t order;
  double b[MOST_ORDER + 1], a[MOST_ORDER + 1];
} design;

static const design designs[] = {
    {2, {0.09763107293781749, 0.19526214587563498, 0.09763107293781749}, {1, -0.9428090415820632, 0.3333333333333332}},
    {8,
     {0.00010791128473110382, 0.0008632902778488306, 0.003021515972470907, 0.006043031944941814, 0.007553789931177268,
      0.006043031944941814, 0.003021515972470907, 0.0008632902778488306, 0.00010791128473110382},
     {1, -3.983784273174194, 7.536234110120898, -8.5998150648014, 6.400154060347637, -3.156025260730565,
      1.0016965795512833, -0.18634247767748524, 0.015507615254986878}}};
enum { DESIGNS = sizeof designs / sizeof *designs };

static const design *design_of(const contender *c) {
  const design *d = designs;
  while (d->order != (size_t)c->form) d++;
  return d;
}

static size_t signals_of(const race *r) { return r->shape->sizes[0]; }
static size_t length_of(const race *r) { return r->shape->sizes[1]; }

static const char *refusal(const number_pair *pair, const race_shape *shape) {
  if (shape->rank != 2) return "signals, and the length of each: --shape SIGNALS,N";
  if (pair->x != pair->y) return "x and y have one type";
  return pair->x->kind == 'f' && peer_loops_of(pair->x->name) != NULL ? NULL : "filters are of f32 and f64";
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static mmscan_status call(const contender *c) {
  const race *r = c->race;
  const design *of = design_of(c);
  const ptrdiff_t length = (ptrdiff_t)length_of(r);
  const mmscan_filter_desc d = {.struct_size = sizeof d,
                                .type = r->number->type,
                                .n = length_of(r),
                                .b_count = of->order + 1,
                                .a_count = of->order + 1,
                                .b = of->b,
                                .a = of->a,
                                .x_stride = 1,
                                .y_stride = 1,
                                .batch = signals_of(r),
                                .x_dist = length,
                                .y_dist = length};
  return mmscan_filter(&d, r->x, r->y);
}

static double run_call(const contender *c, long runs) { return operation_time(c, runs, call); }

static double run_loop(const contender *c, long runs) {
  const race *r = c->race;
  const design *d = design_of(c);
  const peer_loops *loops = peer_loops_of(r->number->name);
  const size_t bytes = length_of(r) * r->number->size, all = race_x_bytes(r);
  const double start = timing_now();
  for (long i = 0; i < runs; i++)
    for (size_t at = 0; at < all; at += bytes)
      loops->filter(length_of(r), d->order, d->b, d->a, (const char *)r->x + at, (char *)r->y + at);
  return timing_now() - start;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* One sample, in direct form II, not transposed: v[k] is that of k samples ago. */
static double filtered(const design *d, double x, double v[MOST_ORDER + 1]) {
  double y = 0;
  v[0] = x;
  for (size_t k = 1; k <= d->order; k++) v[0] -= d->a[k] * v[k];
  for (size_t k = 0; k <= d->order; k++) y += d->b[k] * v[k];
  memmove(v + 1, v, d->order * sizeof *v);
  return y;
}

/* Samples are 4 at most, and so are, nearly, results. */
static double allowed(const race *r) { return r->number->size == sizeof(float) ? 0x1p-20 : 0x1p-36; }

/* The first result that is not right; n, if there is none, or r->y is not looked at. *sum is that of all that are
 * wanted. */
static size_t walk(const contender *c, bool looks, double *sum) {
  const race *r = c->race;
  const design *d = design_of(c);
  const size_t length = length_of(r), size = r->number->size;
  double v[MOST_ORDER + 1], x, y;
  *sum = 0;
  for (size_t i = 0; i < r->n; i++) {
    if (i % length == 0) memset(v, 0, sizeof v);
    r->number->reals(1, (const char *)r->data + i * size, &x);
    r->number->reals(1, (const char *)r->y + i * size, &y);
    const double want = filtered(d, x, v);
    if (looks && !(fabs(y - want) <= allowed(r))) return i;
    *sum += want;
  }
  return r->n;
}

static size_t verify(contender *c) {
  const race *r = c->race;
  double sum;
  memset(r->y, 0xff, race_y_bytes(r)); /* NaN */
  c->run(c, 1);
  return walk(c, true, &sum);
}

/* SciPy filters samples of f32 as such. */
static size_t verify_scipy(contender *c) {
  const race *r = c->race;
  const design *d = design_of(c);
  const double most = r->number->size == sizeof(float) ? 0x1p-10 : 0x1p-36;
  double sum, got;
  walk(c, false, &sum);
  if (!scipy_load(c, d->order, d->b, d->a, &got)) return r->n; /* the process has ended: the timing will fail */
  return fabs(got - sum) <= most * (double)r->n ? r->n : 0;
}

/* ---- The row ----------------------------------------------------------------------------------------------------- */

static void name_of(const design *d, const char *what, size_t size, char *name) {
  snprintf(name, size, "%s, order %zu", what, d->order);
}

static void add_alone(race *r, lineup_filter *filter) {
  char name[48];
  for (const design *d = designs; d < designs + DESIGNS; d++) {
    name_of(d, "plain loop", sizeof name, name);
    contender *loop = operation_add_loop(r, filter, name, run_loop, verify);
    if (loop != NULL) loop->form = (int)d->order;
    name_of(d, "SciPy lfilter", sizeof name, name);
    contender *scipy = lineup_add_run(r, filter, ROLE_PEER, name, 1, numpy_run, verify_scipy);
    if (scipy == NULL) continue;
    scipy->form = (int)d->order;
    lineup_refuse(scipy, scipy_refusal(race_x_bytes(r) + 2 * race_y_bytes(r)));
  }
}

static void add(race *r, lineup_filter *filter, int threads) {
  char name[48];
  for (const design *d = designs; d < designs + DESIGNS; d++) {
    name_of(d, "mmscan_filter", sizeof name, name);
    contender *c = operation_add_call(r, filter, name, threads, run_call, verify);
    if (c != NULL) c->form = (int)d->order;
  }
}

const operation operation_filter = {.name = "filter",
                                    .what = "Butterworth's low passes of the orders 2 and 8",
                                    .type = "f64",
                                    .sizes = {1, 1000000},
                                    .rank = 2,
                                    .refusal = refusal,
                                    .add_alone = add_alone,
                                    .add = add};
