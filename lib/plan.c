/* plan.c: chooses, by the environment, by request, and by a table where neither says. */
#include "plan.h"

#include "env.h"
#include "runtime.h"
#include <string.h>

/* The shortest scan for which gemm beats the plain loop on one core; measured, see doc/PERFORMANCE.md. */
enum { GEMM_FROM = 4096 };

/* Bytes of y from which it is written past the caches. */
enum { STREAM_FROM = 16 << 20 };

atomic_size_t mms_plan_short_n;

/* ---- Engine and unit ------------------------------------------------------------------------------------------ */

static const mms_engine *estimate(const mms_problem *p) {
  return p->n < GEMM_FROM ? &mms_engine_serial : &mms_engine_gemm;
}

/* What only gemm has asks for gemm. */
static bool asks_for_gemm(const mmscan_choice *c) { return c->unit || c->s || c->tile; }

static mmscan_status choose_engine(mmscan_plan *plan, const mms_env *env, const mmscan_choice *c) {
  if (c->engine)
    plan->engine = mms_engine_find(c->engine);
  else if (asks_for_gemm(c))
    plan->engine = &mms_engine_gemm;
  else
    plan->engine = env->engine ? env->engine : estimate(&plan->problem);
  if (!plan->engine) return MMSCAN_EINVAL;
  plan->may_retire = !c->engine && !asks_for_gemm(c) && !env->engine;
  return plan->engine->defaults || !asks_for_gemm(c) ? MMSCAN_OK : MMSCAN_EINVAL;
}

static mmscan_status choose_unit(mmscan_plan *plan, const mms_env *env, const mmscan_choice *c) {
  plan->job.unit = c->unit ? mms_unit_find(c->unit) : env->unit ? env->unit : mms_unit_at(0);
  return plan->job.unit ? MMSCAN_OK : MMSCAN_EINVAL;
}

static mmscan_status choose_sizes(mmscan_plan *plan, const mmscan_choice *c) {
  size_t s, tile;
  plan->engine->defaults(plan->job.type, &s, &tile);
  plan->job.s = c->s ? c->s : s;
  plan->job.tile = c->tile ? c->tile : tile;
  if (plan->job.s < 2 || plan->job.s > MMSCAN_MAX_S) return MMSCAN_EINVAL;
  return plan->job.tile < plan->job.s || plan->job.tile > MMSCAN_MAX_TILE ? MMSCAN_EINVAL : MMSCAN_OK;
}

mmscan_status mms_plan_choose(mmscan_plan *plan, const mms_problem *problem, const mmscan_choice *choice) {
  static const mmscan_choice nothing;
  const mms_env *env = mms_env_get();
  const mmscan_choice *c = choice ? choice : &nothing;
  mmscan_status status;
  if (env->status) return env->status;
  if (!env->engine) atomic_store_explicit(&mms_plan_short_n, GEMM_FROM, memory_order_relaxed);
  if (choice && (choice->struct_size != sizeof *choice || choice->threads < 0)) return MMSCAN_EINVAL;
  *plan = (mmscan_plan){.problem = *problem, .threads = c->threads ? c->threads : env->threads};
  plan->job = (mms_job){.type = problem->type, .kind = problem->kind, .reverse = problem->reverse};
  if ((status = choose_engine(plan, env, c))) return status;
  if (!plan->engine->defaults) return MMSCAN_OK;
  if ((status = choose_unit(plan, env, c))) return status;
  return choose_sizes(plan, c);
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* Writing past the caches pays once x and y together no longer fit in the last one. What systems say of its size is not
 * to be relied on (a virtual machine may name its host's), and the gain is flat around this. */
static bool streams(const mms_problem *p, const void *x, const void *y) {
  return x != y && p->n > STREAM_FROM / mms_type_size(p->type) / p->batch;
}

mmscan_status mms_plan_run(const mmscan_plan *plan, const void *x, void *y, void *carry) {
  const mms_problem *p = &plan->problem;
  mmscan_status status = mms_problem_arrays(p, x, y);
  if (status || p->batch == 0) return status;
  mms_job job = plan->job;
  job.streams = streams(p, x, y);
  mms_run run = {.engine = plan->engine,
                 .job = &job,
                 .n = p->n,
                 .batch = p->batch,
                 .x_dist = p->x_dist,
                 .y_dist = p->y_dist,
                 .x = x,
                 .y = y,
                 .first = p->first,
                 .carry = carry,
                 .threads = plan->threads};
  status = mms_runtime_scan(&run);
  if (status != MMSCAN_ENOMEM || !plan->may_retire) return status;
  run.engine = &mms_engine_serial;
  return mms_runtime_scan(&run);
}
