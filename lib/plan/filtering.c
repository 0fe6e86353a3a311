/* filtering.c: requests for filters. They are described as scans with +, and checked as these are; their row brings the
 * engines of filters. */
#include "plan/filtering.h"

#include "engine/filter.h"
#include "plan/check.h"
#include "plan/env.h"
#include "plan/execute.h"
#include "plan/lattice.h"
#include <math.h>

/* ---- Descriptions --------------------------------------------------------------------------------------------- */

static mmscan_desc scans_of(const mmscan_filter_desc *d) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = d->type,
                       .y_type = d->type,
                       .op = MMSCAN_PLUS,
                       .kind = MMSCAN_INCLUSIVE,
                       .n = d->n,
                       .x_stride = d->x_stride,
                       .y_stride = d->y_stride,
                       .batch = d->batch,
                       .x_dist = d->x_dist,
                       .y_dist = d->y_dist};
}

/* Divides by a[0]; false: a coefficient is not finite then. */
static bool normalise(size_t count, const double *given, double a0, double *taps) {
  bool are_finite = true;
  for (size_t k = 0; k < count; k++) {
    taps[k] = given[k] / a0;
    are_finite = are_finite && isfinite(given[k]) && isfinite(taps[k]);
  }
  return are_finite;
}

static bool is_count(size_t count) { return count >= 1 && count <= MMS_FILTER_MOST; }

static mmscan_status take_taps(const mmscan_filter_desc *d, mms_filter_taps *taps) {
  if (!is_count(d->b_count) || !is_count(d->a_count) || !d->b || !d->a || d->a[0] == 0) return MMSCAN_EINVAL;
  const size_t states = (d->b_count > d->a_count ? d->b_count : d->a_count) - 1;
  *taps = (mms_filter_taps){.b_order = (int)d->b_count - 1, .order = (int)d->a_count - 1, .states = (int)states};
  const bool are_finite =
      normalise(d->b_count, d->b, d->a[0], taps->b) && normalise(d->a_count, d->a, d->a[0], taps->a);
  return are_finite ? MMSCAN_OK : MMSCAN_EINVAL;
}

/* Fills in plan->problem and *f. */
static mmscan_status describe(const mmscan_filter_desc *d, mms_filter *f, mms_problem *p) {
  mmscan_status status = mms_check_struct(d, sizeof *d);
  if (status) return status;
  const mmscan_desc desc = scans_of(d);
  if ((status = take_taps(d, &f->taps))) return status;
  if ((status = mms_problem_from(p, &desc))) return status;
  if (d->type != MMSCAN_F32 && d->type != MMSCAN_F64) return MMSCAN_ENOTSUP;
  f->storage = d->type == MMSCAN_F32 ? mms_storage_wide(d->type, d->type) : p->storage;
  f->state = d->state;
  f->n = p->n;
  f->count = p->count;
  f->are_columns = d->x_dist == 1 && d->y_dist == 1;
  return MMSCAN_OK;
}

/* ---- Arrays --------------------------------------------------------------------------------------------------- */

/* States share no memory with x and y. */
static mmscan_status check_state(const mmscan_filter_desc *d, const mms_filter *f, const mms_problem *p, const void *x,
                                 const void *y) {
  const size_t states = (size_t)f->taps.states, size = p->storage->x_size;
  size_t bytes;
  if (!d->state || states == 0) return MMSCAN_OK;
  if (!mms_is_array(d->state, size)) return MMSCAN_EINVAL;
  if (__builtin_mul_overflow(p->count, states * size, &bytes) || bytes > PTRDIFF_MAX) return MMSCAN_EINVAL;
  const mms_lattice all = mms_lattice_of(d->state, size, p->count * states, 1, 1, 0),
                    xs = mms_lattice_of(x, size, p->n, d->x_stride, p->batch, d->x_dist),
                    ys = mms_lattice_of(y, size, p->n, d->y_stride, p->batch, d->y_dist);
  return mms_lattice_meet(&xs, &all) || mms_lattice_meet(&ys, &all) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

/* ---- At work -------------------------------------------------------------------------------------------------- */

/* Nanoseconds that a sample takes. */
static double time_of_one(const mms_filter *f) { return 1.5 + 0.2 * f->taps.states; }

/* Whole scans are shared by threads. */
static mmscan_status run(mmscan_plan *plan, mms_filter *f, const mmscan_choice *c, const mms_unit *unit, size_t s,
                         const void *x, void *y) {
  mms_problem *p = &plan->problem;
  const double alone = p->count > 1 ? time_of_one(f) * (double)p->n * (double)p->count : 0;
  f->algebra = *p->algebra;
  f->algebra.own = &f->own;
  p->algebra = &f->algebra;
  p->storage = f->storage;
  mmscan_status status = mms_plan_choose_own(plan, c, alone);
  if (status) return status;
  plan->engine_is_free = false; /* without memory for what a unit needs there is no other one */
  plan->job.unit = unit;
  plan->job.s = s;
  return mms_execute(plan, x, y, NULL);
}

static mmscan_status run_by_unit(mmscan_plan *plan, mms_filter *f, const mmscan_choice *c, const mms_unit *unit,
                                 size_t s, const void *x, void *y) {
  mmscan_status status = mms_unit_hold_sound(unit, MMSCAN_F64);
  if (status) return status;
  status = run(plan, f, c, unit, s, x, y);
  mms_unit_drop(unit);
  return status;
}

/* What is asked for outranks the environment. */
static mmscan_status choose_and_run(mmscan_plan *plan, mms_filter *f, const mmscan_choice *c, const void *x, void *y) {
  const mms_env *env = mms_env_get();
  if (env->status) return env->status;
  const mms_engine *engine = mms_plan_asked_engine(env, c);
  const mms_unit *unit = c->unit ? mms_unit_find(c->unit) : mms_env_unit(env);
  const mms_isa *isa;
  if ((c->engine && !engine) || (c->unit && !unit)) return MMSCAN_EINVAL;
  const mmscan_status status = mms_plan_asked_isa(env, c, &isa);
  if (status) return status;
  const size_t s = mms_filter_choose(f, engine ? engine : &mms_engine_simd, isa);
  return s > 0 ? run_by_unit(plan, f, c, unit, s, x, y) : run(plan, f, c, NULL, 0, x, y);
}

mmscan_status mms_filter_scan(const mmscan_filter_desc *d, const mmscan_choice *choice, const void *x, void *y) {
  static const mmscan_choice nothing;
  mms_filter filter;
  mmscan_plan plan;
  mmscan_status status = describe(d, &filter, &plan.problem);
  if (status || mms_problem_is_empty(&plan.problem)) return status;
  if ((status = mms_check_arrays(&plan.problem, x, y))) return status;
  if ((status = check_state(d, &filter, &plan.problem, x, y))) return status;
  return choose_and_run(&plan, &filter, choice ? choice : &nothing, x, y);
}
