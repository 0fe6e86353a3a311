/* tcu.c: mmscan_model(), what a run takes in the (s^2, l)-TCU model of the paper: splits the run into its
 * multiplications, and schedules them.
 *
 * The run is MatMulScan itself, with a unit that does not multiply; its trace says which elements each product reads
 * and writes. Two schedules are made of it: one of whole products, which is Theorem 1's form, and one of s-by-s
 * multiplications, each s columns of a product.
 */
#include "paper/schedule.h"
#include "paper/segments.h"
#include "paper/sweep.h"
#include "plan/check.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Additions with one of the matrices: those that are needed, and those of a dense multiplication. */
typedef struct usage {
  uint64_t needed, dense;
} usage;

typedef struct pricing {
  const mmscan_model_desc *desc;
  mms_schedule products, squares;
  usage l, b;
} pricing;

/* ---- Products into tasks -------------------------------------------------------------------------------------- */

static size_t rows_of_data(const mmscan_event *e, size_t column) {
  size_t rows = 0;
  for (size_t row = 0; row < e->s; row++) rows += e->in[column * e->s + row] != MMSCAN_NO_ELEMENT;
  return rows;
}

static uint64_t additions(const mmscan_event *e, size_t from, size_t to) {
  uint64_t sum = 0;
  for (size_t column = from; column < to; column++) sum += mms_sweep_additions(e->matrix, rows_of_data(e, column));
  return sum;
}

/* Columns [from, to) of a product, as one task. */
static void add_task(mms_schedule *s, const mmscan_model_desc *d, const mmscan_event *e, size_t from, size_t to) {
  size_t columns = to - from < e->s ? e->s : to - from;
  if (d->lanes && e->matrix == MMSCAN_MATRIX_B)
    mms_schedule_add(s, MMS_VECTOR, ceil((double)additions(e, from, to) / (double)d->lanes));
  else
    mms_schedule_add(s, MMS_TENSOR, (double)(columns * e->s) + d->latency);
  for (size_t i = from * e->s; i < to * e->s; i++)
    if (e->in[i] != MMSCAN_NO_ELEMENT) mms_schedule_read(s, e->in[i]);
  for (size_t i = from * e->s; i < to * e->s; i++)
    if (e->out[i] != MMSCAN_NO_ELEMENT) mms_schedule_write(s, e->out[i]);
}

static void add_product(pricing *p, const mmscan_event *e) {
  usage *u = e->matrix == MMSCAN_MATRIX_L ? &p->l : &p->b;
  add_task(&p->products, p->desc, e, 0, e->columns);
  for (size_t from = 0; from < e->columns; from += e->s) {
    size_t to = e->columns - from < e->s ? e->columns : from + e->s;
    add_task(&p->squares, p->desc, e, from, to);
    u->dense += e->s * e->s * (e->s - 1);
  }
  u->needed += additions(e, 0, e->columns);
}

static void add_copies(pricing *p, const mmscan_event *e) {
  for (size_t i = 0; i < e->columns; i++) {
    mms_schedule_copy(&p->products, e->in[i], e->out[i]);
    mms_schedule_copy(&p->squares, e->in[i], e->out[i]);
  }
}

static void hear(void *context, const mmscan_event *event) {
  pricing *p = context;
  if (event->is_product)
    add_product(p, event);
  else
    add_copies(p, event);
}

/* ---- The run -------------------------------------------------------------------------------------------------- */

static void do_nothing(const mms_unit *self, const mms_product *product) { (void)self, (void)product; }

static mmscan_status run(pricing *p, mmscan_form form, mmscan_trace *trace, mmscan_counts *counts) {
  static const mms_unit nothing = {.name = "nothing", .multiply = do_nothing};
  size_t n = p->desc->n;
  float *x = calloc(n + (n == 0), sizeof *x);
  mmscan_matmul_desc d = {.struct_size = sizeof d,
                          .type = MMSCAN_F32,
                          .n = n,
                          .s = p->desc->s,
                          .form = form,
                          .length_rule = MMSCAN_DIGITS,
                          .traversal = MMSCAN_ITERATIVE,
                          .broadcast = MMSCAN_BROADCAST_MATRIX,
                          .trace = trace,
                          .trace_context = p};
  mmscan_status status = x ? mms_matmulscan(&d, &nothing, NULL, 1, x, x, counts) : MMSCAN_ENOMEM;
  free(x);
  return status;
}

/* Every element and every entry of w has a place. */
static mmscan_status open_pricing(pricing *p) {
  const mmscan_matmul_desc d = {.n = p->desc->n, .s = p->desc->s, .length_rule = MMSCAN_DIGITS};
  if (d.n > PTRDIFF_MAX / sizeof(float)) return MMSCAN_ENOMEM;
  const size_t places = mms_matmulscan_positions(&d);
  mmscan_status status = mms_schedule_open(&p->products, places);
  return status ? status : mms_schedule_open(&p->squares, places);
}

static void close_pricing(pricing *p) {
  mms_schedule_close(&p->products);
  mms_schedule_close(&p->squares);
}

/* ---- Bounds: the sums in the proofs of Lemma 1, Theorem 1 and Section 3.2, before any term goes into an O() ---- */

typedef struct bounds {
  double depth;           /* 2 k - 1 for n = s^k (Lemma 1), 2 floor(log_s n) else (Corollary 1) */
  double multiplications; /* of s-by-s matrices: Lemma 1; Section 3.2, "Matrix Multiplications" */
  double additions;       /* Lemma 1; for any n the same sum over the products of Section 3.2 */
  double one_unit;        /* time on one unit, one product per level: Theorem 1; Section 3.2, "Time Analysis" */
} bounds;

/* All of these are whole numbers well below 2^53: a double holds them exactly. */
static double ceil_div(double a, double b) { return ceil(a / b); }

static double larger(double a, double b) { return a > b ? a : b; }

static void add(bounds *sum, double times, bounds one) {
  sum->multiplications += times * one.multiplications;
  sum->additions += times * one.additions;
  sum->one_unit += times * one.one_unit;
}

/* The proof of Theorem 1: in phase one the columns of level j are n / s^(j+1), so the sum over k levels is
 * s ceil((n-1) / (s-1)) + s k - s, and in phase two s ceil((n-s) / (s-1)) + s (k-1) - s over k - 1 levels. The last
 * level of phase one is a single column, priced as s. */
static double theorem_1(double n, double s, double k, double latency) {
  double up = s * ceil_div(n - 1, s - 1) + s * k - s, down = s * ceil_div(n - s, s - 1) + s * (k - 1) - s;
  return (2 * k - 1) * latency + up + s * s - s + (k > 1 ? down : 0);
}

/* n = s^k. The paper's formulas are for k >= 1; nothing is done for k = 0. */
static bounds of_power(double n, double s, double k, double latency) {
  if (k == 0) return (bounds){0};
  double phase = ceil_div(n, s * (s - 1));
  double up = phase + k - 1, down = larger(0, phase + k - 2);
  return (bounds){.depth = 2 * k - 1,
                  .multiplications = ceil_div(2 * n, s * (s - 1)) + 2 * k - 2,
                  .additions = up * s * s * (s - 1) / 2 + down * s * (s - 1),
                  .one_unit = theorem_1(n, s, k, latency)};
}

/* Step 4 on one segment: ceil(n / (s-1)) columns. */
static bounds of_broadcast(double n, double s, double latency) {
  double squares = ceil_div(n, (s - 1) * (s - 1)), columns = larger(s, ceil_div(n, s - 1));
  return (bounds){.multiplications = squares, .additions = squares * s * (s - 1), .one_unit = columns * s + latency};
}

/* In step 1 the paper allows one multiplication per segment more than Lemma 1 does (its ceiling inequality). */
static void add_segments(bounds *sum, double digit, double power, double s, double k, double latency) {
  add(sum, digit, of_power(power, s, k, latency));
  add(sum, digit, of_broadcast(power, s, latency));
  if (k > 0) sum->multiplications += digit;
}

static bounds of_entries(size_t entries, double s, double latency) {
  double q = 0, power = 1;
  for (; power < (double)entries; power *= s) q++;
  return of_power(power, s, q, latency);
}

/* For n elements, matrices of size s and the latency l. The paper prices a product of fewer than s columns by the
 * columns it has, although its model has no such products; here it is priced as s columns. */
static bounds bounds_of(size_t n, size_t s, double latency) {
  bounds sum = {0};
  size_t entries = 0;
  double power = 1, k = 0;
  for (size_t left = n; left; left /= s, power *= (double)s, k++) {
    if (left == 1 && entries == 0) return of_power(power, (double)s, k, latency);
    add_segments(&sum, (double)(left % s), power, (double)s, k, latency);
    entries += left % s;
  }
  add(&sum, 1, of_entries(entries, (double)s, latency));
  sum.depth = n ? 2 * (k - 1) : 0;
  return sum;
}

/* ---- The result ----------------------------------------------------------------------------------------------- */

static mmscan_figure utilisation(usage u, double bound) {
  return (mmscan_figure){u.dense ? (double)u.needed / (double)u.dense : 0, bound};
}

static void add_counts(mmscan_model_result *r, const mmscan_counts *c, const bounds *b) {
  r->depth = (mmscan_figure){(double)c->depth, b->depth};
  r->multiplications = (mmscan_figure){(double)c->multiplications, b->multiplications};
  r->additions = (mmscan_figure){(double)c->additions, b->additions};
  r->additions_unpadded = (double)c->additions_unpadded;
  r->segments = (double)c->segments;
}

static void add_times(mmscan_model_result *r, const mmscan_model_desc *d, const mms_timing *one, const mms_timing *many,
                      const bounds *b) {
  double p = (double)d->units, square = (double)(d->s * d->s) + d->latency;
  r->one_unit = (mmscan_figure){one->time, d->lanes ? NAN : b->one_unit};
  r->p_units = (mmscan_figure){many->time, d->lanes ? NAN : square * (b->multiplications / p + b->depth)};
  r->work = many->work[MMS_TENSOR];
  r->vector_work = many->work[MMS_VECTOR];
  r->critical_path = many->critical;
  r->brent = (r->work + r->vector_work) / p + (d->lanes ? 1 : 1 - 1 / p) * many->critical;
}

static mmscan_model_result result_of(const pricing *p, const mmscan_counts *counts, const mms_timing *one,
                                     const mms_timing *many) {
  bounds found = bounds_of(p->desc->n, p->desc->s, p->desc->latency);
  mmscan_model_result r = {.struct_size = sizeof r,
                           .utilisation_l = utilisation(p->l, 0.5),
                           .utilisation_b = utilisation(p->b, 1 / (double)p->desc->s)};
  add_counts(&r, counts, &found);
  add_times(&r, p->desc, one, many, &found);
  return r;
}

static mmscan_status price(pricing *p, mmscan_model_result *result) {
  mmscan_counts counts = {0};
  mms_timing one, many;
  mmscan_status status;
  size_t units = p->desc->units;
  if ((status = open_pricing(p))) return status;
  if ((status = run(p, MMSCAN_STACKED, hear, &(mmscan_counts){0}))) return status;
  if ((status = run(p, MMSCAN_BATCHED, NULL, &counts))) return status;
  if ((status = mms_schedule_run(&p->products, (const size_t[MMS_PROCESSORS]){1, 1}, &one))) return status;
  if ((status = mms_schedule_run(&p->squares, (const size_t[MMS_PROCESSORS]){units, units}, &many))) return status;
  *result = result_of(p, &counts, &one, &many);
  return MMSCAN_OK;
}

static mmscan_status check_model(const mmscan_model_desc *d, const mmscan_model_result *result) {
  mmscan_status status;
  if (!result || result->struct_size != sizeof *result) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if (d->s < 2 || d->s > MMSCAN_MAX_S || d->units == 0) return MMSCAN_EINVAL;
  return d->latency >= 0 && d->latency <= DBL_MAX ? MMSCAN_OK : MMSCAN_EINVAL;
}

mmscan_status mmscan_model(const mmscan_model_desc *desc, mmscan_model_result *result) {
  mmscan_status status = check_model(desc, result);
  pricing p = {.desc = desc};
  if (status) return status;
  status = price(&p, result);
  close_pricing(&p);
  return status;
}
