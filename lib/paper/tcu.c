/* tcu.c: splits a run into its multiplications, and schedules them.
 *
 * The run is MatMulScan itself, with a unit that does not multiply; its trace says which elements each product reads
 * and writes. Two schedules are made of it: one of whole products, which is Theorem 1's form, and one of s-by-s
 * multiplications, each s columns of a product.
 */
#include "paper/tcu.h"

#include "paper/bounds.h"
#include "paper/schedule.h"
#include "paper/segments.h"
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

/* Row r of L_s takes r additions, each row of B_s but the first takes one. */
static uint64_t additions(const mmscan_event *e, size_t from, size_t to) {
  uint64_t sum = 0;
  for (size_t column = from; column < to; column++) {
    uint64_t rows = rows_of_data(e, column);
    if (rows) sum += e->matrix == MMSCAN_MATRIX_L ? rows * (rows - 1) / 2 : rows - 1;
  }
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

/* ---- The result ----------------------------------------------------------------------------------------------- */

static mmscan_figure utilisation(usage u, double bound) {
  return (mmscan_figure){u.dense ? (double)u.needed / (double)u.dense : 0, bound};
}

static void add_counts(mmscan_model_result *r, const mmscan_counts *c, const mms_bounds *b) {
  r->depth = (mmscan_figure){(double)c->depth, b->depth};
  r->multiplications = (mmscan_figure){(double)c->multiplications, b->multiplications};
  r->additions = (mmscan_figure){(double)c->additions, b->additions};
  r->additions_unpadded = (double)c->additions_unpadded;
  r->segments = (double)c->segments;
}

static void add_times(mmscan_model_result *r, const mmscan_model_desc *d, const mms_timing *one, const mms_timing *many,
                      const mms_bounds *b) {
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
  mms_bounds bounds = mms_bounds_of(p->desc->n, p->desc->s, p->desc->latency);
  mmscan_model_result r = {.struct_size = sizeof r,
                           .utilisation_l = utilisation(p->l, 0.5),
                           .utilisation_b = utilisation(p->b, 1 / (double)p->desc->s)};
  add_counts(&r, counts, &bounds);
  add_times(&r, p->desc, one, many, &bounds);
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

mmscan_status mms_tcu_price(const mmscan_model_desc *desc, mmscan_model_result *result) {
  pricing p = {.desc = desc};
  mmscan_status status = price(&p, result);
  close_pricing(&p);
  return status;
}
