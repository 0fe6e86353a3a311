/* plan.h: the choices for a problem: engine, unit, s, tile and threads. */
#ifndef MMS_PLAN_H
#define MMS_PLAN_H

#include "engine/engine.h"
#include "plan/env.h"
#include "plan/estimate.h"
#include "plan/problem.h"
#include "run/way.h"

struct mmscan_plan {
  mms_problem problem;
  const mms_engine *engine;
  mms_job job;
  int threads;         /* the number to use, if so many may run */
  int limit;           /* the number that was asked for; 0: none, so as many as OpenMP's rules allow when it runs */
  double saves;        /* nanoseconds saved by so many threads instead of one; infinite if there is nothing to weigh */
  const mms_way *way;  /* how threads are to share a run (run/way.h); NULL: as suits it */
  bool engine_is_free; /* the engine was not asked for: without memory the plain loop may stand in for it */
  bool threads_are_free; /* nor was the number of threads: one may do as well */
};

/* Chooses for plan->problem, which the caller has filled in, and nothing else: to copy it takes a tiny scan some time.
 * mms_plan_drop() releases what is chosen. A name or number in *choice (may be NULL) outranks the environment, which
 * outranks what was measured, which outranks the estimate. */
mmscan_status mms_plan_choose(mmscan_plan *plan, const mmscan_choice *choice);

/* Chooses for a problem whose row is of one call, and which takes one thread so many nanoseconds. There is nothing to
 * drop. */
mmscan_status mms_plan_choose_own(mmscan_plan *plan, const mmscan_choice *choice, double alone);

/* The engine that is asked for, by name or by what it has, such as a unit; NULL: any, or there is none of the name. A
 * choice outranks the environment. And the instruction set. */
const mms_engine *mms_plan_asked_engine(const mms_env *env, const mmscan_choice *choice);
mmscan_status mms_plan_asked_isa(const mms_env *env, const mmscan_choice *choice, const mms_isa **isa);

/* Releases what a chosen plan holds: its unit's library. */
void mms_plan_drop(const mmscan_plan *plan);

/* The value of plan->saves. A number of threads that was asked for is used as it is. */
double mms_plan_saves(const mmscan_plan *plan, const mmscan_choice *asked);

/* Whether its scans are columns that are done row by row, which no engine is chosen for. */
static inline bool mms_plan_takes_columns(const mmscan_plan *plan) {
  return plan->engine == &mms_engine_serial && mms_problem_is_columns(&plan->problem);
}

/* The elements of a tile of a problem for which an engine, or wisdom, has tiles of so many: fewer where they are
 * packed. 0 stays. */
size_t mms_plan_tile(const mms_problem *problem, size_t tile);

/* The shape of a plan's problem. */
mms_shape mms_plan_shape(const mmscan_plan *plan);

#endif
