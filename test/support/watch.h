/* watch.h: runs whose threads are watched: which of them had a tile, and which do not come.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef WATCH_H
#define WATCH_H

#include <omp.h>
#include <stdatomic.h>

#include "plan/execute.h"
#include "test.h"

/* An engine in front of another one. Its threads leave a bit each in watch_took_part when they have a tile. The first
 * of several to have one waits for the second for a while: left alone, it would often be done before the others are
 * awake. */
static atomic_uint watch_took_part;
static const mms_engine *watch_engine;

static inline void watch_take_part(void) {
  const unsigned self = 1u << omp_get_thread_num();
  const bool is_first = atomic_fetch_or(&watch_took_part, self) == 0 && omp_get_num_threads() > 1;
  for (int turn = 0; is_first && turn < 50 && atomic_load(&watch_took_part) == self; turn++) usleep(20);
}

static inline void watch_at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  watch_take_part();
  watch_engine->at_once(job, work, t, carry);
}

static inline void watch_batch(const mms_job *job, void *work, const mms_batch *r) {
  watch_take_part();
  watch_engine->batch(job, work, r);
}

static inline void watch_reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  watch_take_part();
  watch_engine->reduce(job, work, t, found);
}

static inline void watch_finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry,
                                const void *prefetch) {
  watch_take_part();
  watch_engine->finish(job, work, t, carry, prefetch);
}

static inline void watch_prepare(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  watch_take_part();
  watch_engine->prepare(job, work, t, found);
}

/* Puts the watch in front of a plan's engine. One at a time. */
static inline void watch_plan(mmscan_plan *plan) {
  static mms_engine watched;
  watch_engine = plan->engine;
  watched = *plan->engine;
  watched.at_once = watch_at_once;
  if (watched.batch) watched.batch = watch_batch;
  if (watched.reduce) watched.reduce = watch_reduce;
  if (watched.finish) watched.finish = watch_finish;
  if (watched.prepare) watched.prepare = watch_prepare;
  plan->engine = &watched;
}

/* Whether more than one thread had a tile since this was set to 0. */
static inline bool watch_saw_several(void) {
  const unsigned bits = atomic_load(&watch_took_part);
  return (bits & (bits - 1)) != 0;
}

/* The way in front of which a watch stands: threads whose bits are set in watch_absent do not come. */
static unsigned watch_absent;
static const mms_way *watch_way;
static atomic_size_t watch_parts; /* of threads but the first, that came to a way */

static inline void watch_part(void *shared, const mms_member *self) {
  if (self->index > 0) atomic_fetch_add(&watch_parts, 1);
  if (!(watch_absent & 1u << self->index)) watch_way->take_part(shared, self);
}

static inline void watch_absence(mmscan_plan *plan) {
  static mms_way watched;
  watch_way = plan->way;
  watched = *plan->way;
  watched.take_part = watch_part;
  plan->way = &watched;
}

/* Whether threads can share so what a choice asks for. */
static inline bool has_way(const mmscan_desc *desc, mmscan_choice choice, const char *way) {
  mmscan_plan *plan = NULL;
  choice.way = way;
  const bool has = mmscan_plan_create_with(&plan, desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK;
  mmscan_plan_destroy(plan);
  return has;
}

/* mmscan_scan_block() by a choice. */
static inline mmscan_status block_with(const mmscan_desc *desc, const mmscan_choice *choice, const void *x, void *y,
                                       void *carry) {
  mmscan_plan plan;
  mmscan_status status = mms_problem_block(&plan.problem, desc, carry);
  if (status || plan.problem.batch == 0) return status;
  if ((status = mms_plan_choose(&plan, choice))) return status;
  if (plan.way) watch_absence(&plan);
  status = mms_execute(&plan, x, y, carry);
  mms_plan_drop(&plan);
  return status;
}

#endif /* WATCH_H */
