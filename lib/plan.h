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
  int threads;         /* the number to use, if so many may run */
  double saves;        /* nanoseconds saved by so many threads instead of one; infinite if the caller asked for them */
  bool engine_is_free; /* the engine was not asked for: without memory the plain loop may stand in for it */
};

/* Chooses for a problem; mms_plan_drop() releases what is chosen. A name or number in *choice (may be NULL) outranks
 * the environment, which outranks what was measured, which outranks the estimate. */
mmscan_status mms_plan_choose(mmscan_plan *plan, const mms_problem *problem, const mmscan_choice *choice);

/* Releases what a chosen plan holds: its unit's library. */
void mms_plan_drop(const mmscan_plan *plan);

/* The value of plan->saves. A number of threads that was asked for is used as it is. */
double mms_plan_saves(const mmscan_plan *plan, const mmscan_choice *asked);

/* The shape of a plan's problem. */
mms_shape mms_plan_shape(const mmscan_plan *plan);

/* Runs the plan. carry: as in mmscan_scan_block(), or NULL. */
mmscan_status mms_plan_run(const mmscan_plan *plan, const void *x, void *y, void *carry);

enum { MMS_PLAN_SHORT_BYTES = MMS_ENGINE_TILE }; /* up to so many, one thread and one tile are best, without a plan */

/* Two comparisons, no division. */
static inline bool mms_plan_is_short(size_t n, size_t size) {
  return n - 1 < MMS_PLAN_SHORT_BYTES && n * size <= MMS_PLAN_SHORT_BYTES;
}

/* What a simple call on a type does without a plan. In the header because a short scan has no time for a call. */
typedef struct mms_short {
  atomic_size_t most;                 /* elements; 0 before the environment is read, or if it asks for something else */
  _Atomic(const mms_kernel *) kernel; /* valid if `most` is not 0; for + */
} mms_short;

extern mms_short mms_plan_short[MMS_TYPES];

static inline size_t mms_plan_short_most(mmscan_type type) {
  return atomic_load_explicit(&mms_plan_short[type].most, memory_order_acquire);
}

static inline const mms_kernel *mms_plan_short_kernel(mmscan_type type) {
  return atomic_load_explicit(&mms_plan_short[type].kernel, memory_order_relaxed);
}

/* Reads the environment and fills in the table. False: the environment asks for something else, or is illegal. */
bool mms_plan_ask_short(void);

#endif
