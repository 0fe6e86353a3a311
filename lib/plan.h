/* plan.h: the choices for a problem: engine, unit, s, tile and threads. */
#ifndef MMS_PLAN_H
#define MMS_PLAN_H

#include "engine/engine.h"
#include "estimate.h"
#include "problem.h"
#include <stdatomic.h>

struct mmscan_plan {
  mms_problem problem;
  const mms_engine *engine;
  mms_job job;
  int threads;         /* how many to use, where so many may run */
  double saves;        /* nanoseconds, by so many instead of one; infinite where they were asked for */
  bool engine_is_free; /* nobody asked for the engine: the plain loop may stand in for it where there is no memory */
};

/* Chooses for a problem; mms_plan_drop() is for what is chosen. A name or number in *choice (may be NULL) outranks the
 * environment, which outranks what was measured, which outranks the estimate. */
mmscan_status mms_plan_choose(mmscan_plan *plan, const mms_problem *problem, const mmscan_choice *choice);

/* Gives back what a chosen plan holds: its unit's library. */
void mms_plan_drop(const mmscan_plan *plan);

/* What plan->saves is: a number of threads that was asked for is taken as it is. */
double mms_plan_saves(const mmscan_plan *plan, const mmscan_choice *asked);

/* The shape of a plan's problem. */
mms_shape mms_plan_shape(const mmscan_plan *plan);

/* Runs the plan. carry: as in mmscan_scan_block(), or NULL. */
mmscan_status mms_plan_run(const mmscan_plan *plan, const void *x, void *y, void *carry);

enum { MMS_PLAN_SHORT_BYTES = MMS_ENGINE_TILE }; /* up to here one thread and one tile are best, without a plan */

/* In two comparisons, not by a division. */
static inline bool mms_plan_is_short(size_t n, size_t size) {
  return n - 1 < MMS_PLAN_SHORT_BYTES && n * size <= MMS_PLAN_SHORT_BYTES;
}

/* What a simple call of a type does without a plan. In the header because a short scan has no time for a call. */
typedef struct mms_short {
  atomic_size_t most;                 /* elements; 0 where the environment wants otherwise, and before it was asked */
  _Atomic(const mms_kernel *) kernel; /* there where `most` is not 0: of + */
} mms_short;

extern mms_short mms_plan_short[MMS_TYPES];

static inline size_t mms_plan_short_most(mmscan_type type) {
  return atomic_load_explicit(&mms_plan_short[type].most, memory_order_acquire);
}

static inline const mms_kernel *mms_plan_short_kernel(mmscan_type type) {
  return atomic_load_explicit(&mms_plan_short[type].kernel, memory_order_relaxed);
}

/* Asks the environment. False: it wants otherwise, or is illegal. */
bool mms_plan_ask_short(void);

#endif
