/* plan.h: the choices for a problem: engine, unit, s, tile and threads. */
#ifndef MMS_PLAN_H
#define MMS_PLAN_H

#include "engine/engine.h"
#include "problem.h"
#include <stdatomic.h>

struct mmscan_plan {
  mms_problem problem;
  const mms_engine *engine;
  mms_job job;
  int threads;     /* the most to use; 0: OpenMP's own rules */
  bool may_retire; /* nobody asked for the engine: the plain loop may stand in for it where there is no memory */
};

/* Chooses for a problem. A name or number in *choice (may be NULL) outranks the environment. */
mmscan_status mms_plan_choose(mmscan_plan *plan, const mms_problem *problem, const mmscan_choice *choice);

/* Runs the plan. carry: as in mmscan_scan_block(), or NULL. */
mmscan_status mms_plan_run(const mmscan_plan *plan, const void *x, void *y, void *carry);

/* Scans shorter than this are plain loops; 0 where the environment wants otherwise or is illegal, and before the first
 * plan. In the header because a short scan has no time for a call. */
extern atomic_size_t mms_plan_short_n;

static inline size_t mms_plan_short(void) { return atomic_load_explicit(&mms_plan_short_n, memory_order_relaxed); }

#endif
