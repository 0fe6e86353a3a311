/* series.c: requests for recurrences. They are described as sums that are scanned, and checked as these are; then they
 * get a row of their own. */
#include "plan/series.h"

#include "engine/recurrence.h"
#include "plan/check.h"
#include "plan/env.h"
#include "plan/execute.h"
#include "plan/lattice.h"
#include "plan/plan.h"

/* ---- Descriptions --------------------------------------------------------------------------------------------- */

/* An init, of whatever type. */
static const double zero[2];

/* The scans; or, with its strides, those of an x that is as a. */
static mmscan_desc sums_of(const mmscan_recurrence_desc *d, ptrdiff_t x_stride, ptrdiff_t x_dist) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = d->type,
                       .y_type = d->type,
                       .op = MMSCAN_PLUS,
                       .kind = MMSCAN_INCLUSIVE,
                       .reverse = d->reverse,
                       .n = d->n,
                       .x_stride = x_stride,
                       .y_stride = d->y_stride,
                       .batch = d->batch,
                       .x_dist = x_dist,
                       .y_dist = d->y_dist,
                       .init = zero};
}

static mmscan_status describe(mms_problem *p, const mmscan_recurrence_desc *d) {
  const mms_type *type;
  mmscan_status status = mms_check_struct(d, sizeof *d);
  if (status) return status;
  const mmscan_desc of_a = sums_of(d, d->a_stride, d->a_dist), of_x = sums_of(d, d->x_stride, d->x_dist);
  if ((status = mms_problem_from(p, &of_a))) return status;
  if ((status = mms_problem_from(p, &of_x))) return status;
  type = mms_type_of(d->type);
  return (type->kind == 'f' && type->size >= sizeof(float)) || type->kind == 'c' ? MMSCAN_OK : MMSCAN_ENOTSUP;
}

/* ---- Arrays --------------------------------------------------------------------------------------------------- */

/* Also of those that are not looked at where there is nothing to scan. */
static mmscan_status check_ends(const mmscan_recurrence_desc *d, size_t size) {
  const bool are_good = (!d->init || mms_is_array(d->init, size)) && (!d->last || mms_is_array(d->last, size));
  return are_good ? MMSCAN_OK : MMSCAN_EINVAL;
}

/* a shares no memory with y, which is written before the end of a is read. */
static mmscan_status check_factors(const mmscan_recurrence_desc *d, size_t size, const void *a, const void *y) {
  if (!mms_is_array(a, size) || !mms_is_array(y, size)) return MMSCAN_EINVAL;
  const mms_lattice of_a = mms_lattice_of(a, size, d->n, d->a_stride, d->batch, d->a_dist);
  const mms_lattice of_y = mms_lattice_of(y, size, d->n, d->y_stride, d->batch, d->y_dist);
  return mms_lattice_meet(&of_a, &of_y) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

/* ---- At work -------------------------------------------------------------------------------------------------- */

/* Nanoseconds for a byte of x: with a constant a, and one that varies; of complex numbers so many times as long; and by
 * the plain loop, or products. */
static const double CONSTANT = 0.045, VARYING = 0.07, COMPLEX = 2, SLOW = 0.4;

static double time_of(const mmscan_recurrence_desc *d, const mms_engine *engine, size_t size) {
  const bool is_fast = engine == &mms_recurrence_simd || engine == &mms_recurrence_columns;
  const double each = !is_fast ? SLOW : d->a_stride == 0 ? CONSTANT : VARYING;
  const bool is_complex = mms_type_of(d->type)->kind == 'c';
  return each * (is_complex ? COMPLEX : 1) * (double)size * (double)d->n * (double)d->batch;
}

/* NULL: none is asked for. */
static const mms_engine *engine_of(const mms_env *env, const mmscan_choice *c) {
  const mms_engine *asked = mms_plan_asked_engine(env, c);
  if (asked == &mms_engine_gemm) return &mms_recurrence_gemm;
  if (!asked && !c->way) return NULL;
  return asked == &mms_engine_serial ? &mms_recurrence_serial : &mms_recurrence_simd;
}

/* Bytes of a row, of as many scans, from which the scans are best done side by side. */
enum { SIDE_BY_SIDE = 32 };

static bool are_columns(const mms_problem *p, const mms_recurrence *r) {
  const bool are_neighbours = p->x_dist == 1 && p->y_dist == 1 && (r->a_dist == 0 || r->a_dist == 1);
  return are_neighbours && p->batch * p->storage->y_size >= SIDE_BY_SIDE;
}

/* Where a problem's scans were turned round, so is a. */
static void take_factors(mms_recurrence *r, const mms_problem *p, const mmscan_recurrence_desc *d, const void *a) {
  const bool is_turned = p->reverse != (d->reverse != 0);
  const ptrdiff_t stride = d->n > 1 ? d->a_stride : 1, size = (ptrdiff_t)p->storage->y_size;
  r->n = p->n;
  r->a = (const char *)a + (is_turned ? (ptrdiff_t)(d->n - 1) * stride * size : 0);
  r->a_stride = is_turned ? -stride : stride;
  if (d->a_stride == 0) r->a_stride = 0;
  r->a_dist = d->batch > 1 ? d->a_dist : 0;
  r->init = d->init;
}

static mmscan_status choose(mmscan_plan *plan, mms_recurrence *r, const mmscan_recurrence_desc *d,
                            const mmscan_choice *c) {
  const mms_env *env = mms_env_get();
  const mms_isa *isa;
  if (env->status) return env->status;
  mmscan_status status = mms_plan_asked_isa(env, c, &isa);
  if (status) return status;
  const mms_engine *engine = engine_of(env, c);
  if (!engine) engine = are_columns(&plan->problem, r) ? &mms_recurrence_columns : &mms_recurrence_simd;
  if (engine->has_unit && r->a_stride != 0) return MMSCAN_ENOTSUP;
  r->kernel = mms_recurrences_of(isa, d->type);
  mms_recurrence_begin(r, engine, d->type, plan->problem.reverse);
  plan->problem.algebra = &r->algebra;
  plan->problem.storage = plan->problem.of_y = &r->storage;
  status = mms_plan_choose_own(plan, c, time_of(d, engine, r->algebra.size));
  if (status || !engine->has_unit) return status;
  plan->job.unit = c->unit ? mms_unit_find(c->unit) : mms_env_unit(env);
  return plan->job.unit ? mms_unit_hold_sound(plan->job.unit, r->algebra.unit) : MMSCAN_EINVAL;
}

static mmscan_status recur(mmscan_plan *plan, const mmscan_recurrence_desc *d, const mmscan_choice *choice,
                           const void *a, const void *x, void *y) {
  mms_recurrence r;
  take_factors(&r, &plan->problem, d, a);
  mmscan_status status = choose(plan, &r, d, choice);
  if (status) return status;
  status = mms_execute(plan, x, y, NULL);
  mms_plan_drop(plan);
  return status;
}

/* Of no elements it is what they start from. */
static void put_last(const mmscan_recurrence_desc *d, size_t size, const char *y) {
  const ptrdiff_t end = d->n > 1 && !d->reverse ? (ptrdiff_t)(d->n - 1) * d->y_stride : 0;
  for (size_t k = 0; d->last && k < d->batch; k++) {
    const char *from = (const char *)zero;
    if (d->n > 0)
      from = y + ((d->batch > 1 ? (ptrdiff_t)k * d->y_dist : 0) + end) * (ptrdiff_t)size;
    else if (d->init)
      from = (const char *)d->init + k * size;
    memmove((char *)d->last + k * size, from, size);
  }
}

mmscan_status mms_series_recur(const mmscan_recurrence_desc *d, const mmscan_choice *choice, const void *a,
                               const void *x, void *y) {
  static const mmscan_choice nothing;
  mmscan_plan plan;
  mmscan_status status = describe(&plan.problem, d);
  if (status || d->batch == 0) return status;
  const size_t size = mms_type_of(d->type)->size;
  if ((status = check_ends(d, size))) return status;
  if (d->n > 0) {
    if ((status = check_factors(d, size, a, y))) return status;
    if ((status = mms_check_arrays(&plan.problem, x, y))) return status;
    if ((status = recur(&plan, d, choice ? choice : &nothing, a, x, y))) return status;
  }
  put_last(d, size, y);
  return MMSCAN_OK;
}
