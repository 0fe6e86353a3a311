/* execute.c: settles what depends on the arrays, and hands a plan to the runtime, or to its engine. */
#include "execute.h"

#include "base/tuning.h"
#include "runtime.h"

/* Bytes of y, of all scans, beyond which each of these holds. Measured, as mms_tuning.stream_from is: the cache sizes
 * that a system reports are not to be relied on alone (a virtual machine may report its host's), and the gain is flat
 * around these values. */
enum {
  FETCH_FROM = 2 << 20,  /* x is prefetched */
  STREAM_FROM = 8 << 20, /* y is stored past the caches (non-temporal), by one thread or with a unit */
  FAR_FROM = 32 << 20,   /* x and y are taken to be in no cache */
  LONE_FROM = 96 << 20   /* one thread that streams may be as fast as several */
};

/* Bytes of one scan from which it may be streamed. STREAM_ROW: if its ends share cache lines with other scans, as those
 * lines are stored through the caches. STREAM_LINES: if they do not; a block of the widest kernels. */
enum { STREAM_ROW = 2048, STREAM_LINES = 256, LINE = 64 };

/* Bytes of one scan from which its stores are paced: in shorter scans that costs more time than it gains. */
enum { PACE_ROW = 64 << 10 };

/* Bytes of y. Rows of y share no memory, so the product does not overflow. */
static size_t bytes_of(const mms_problem *p) { return p->n * p->batch * p->algebra->size; }

/* Whether the scans are rows of one tile each, in the caches of one thread: the engine does them without the runtime. A
 * single tile always belongs to one thread. */
static bool is_plain(const mmscan_plan *plan) {
  const mms_problem *p = &plan->problem;
  const size_t longest = plan->job.tile ? plan->job.tile : p->n;
  const bool is_alone = plan->threads == 1 || p->batch == 1;
  return plan->engine->batch && is_alone && p->n <= longest && bytes_of(p) <= FETCH_FROM;
}

static bool are_long(const mms_problem *p, const void *y) {
  const size_t size = p->algebra->size;
  const bool on_lines = ((uintptr_t)y | (size_t)p->y_dist * size) % LINE == 0;
  return p->n * size >= (on_lines ? STREAM_LINES : STREAM_ROW);
}

/* Several threads gain from the caches up to a larger size, as each waits for only a part of what comes from there. */
static size_t stream_from(const mmscan_plan *plan) {
  return plan->job.unit || plan->threads == 1 ? STREAM_FROM : mms_tuning_here.stream_from;
}

/* The matrices of a block, and what is read next, fit in a core's own cache. */
static size_t block_of(const mms_unit *unit) {
  const size_t block = mms_unit_block(unit), most = mms_tuning_here.half_cache / 2;
  return block < most ? block : most;
}

/* Rows of units are streamed forward only. */
static bool can_stream(const mms_job *job) {
  return job->unit ? !job->reverse : job->kernel->stream[job->kind][job->reverse] != NULL;
}

static void adapt_to_arrays(mms_job *job, const mmscan_plan *plan, const void *x, const void *y) {
  const mms_problem *p = &plan->problem;
  const size_t bytes = bytes_of(p);
  if (job->unit) {
    job->block = block_of(job->unit);
    job->adds = job->s == 2 && mms_unit_adds(job->unit);
  }
  job->prefetches = bytes > FETCH_FROM;
  job->streams = bytes > stream_from(plan) && x != y && are_long(p, y) && can_stream(job);
  job->uncached = job->streams || bytes > FAR_FROM;
  job->paces = job->streams && bytes > FAR_FROM && bytes / p->batch >= PACE_ROW && mms_tuning_here.paces;
}

/* Whether one thread may do the scan as fast as several: a single scan limited by memory, by the kernels that are
 * fastest here, if no number of threads was asked for. */
static bool may_be_lone(const mmscan_plan *plan, const mms_job *job) {
  const bool is_simd = plan->engine->has_isa && !plan->engine->has_unit;
  const bool is_fast = is_simd && job->isa == mms_isa_best() && plan->problem.batch == 1;
  const bool is_bound = job->streams && mms_tuning_here.one_core_suffices && bytes_of(&plan->problem) > LONE_FROM;
  return is_fast && is_bound && plan->threads > 1 && plan->threads_are_free;
}

static mms_batch scans_of(const mms_problem *p, const void *x, void *y) {
  return (mms_batch){
      .n = p->n, .count = p->batch, .x_dist = p->x_dist, .y_dist = p->y_dist, .x = x, .y = y, .first = p->first};
}

static void run_plain(const mmscan_plan *plan, const void *x, void *y) {
  const mms_batch scans = scans_of(&plan->problem, x, y);
  plan->engine->batch(&plan->job, &scans);
}

static mmscan_status run_shared(const mmscan_plan *plan, const void *x, void *y, void *carry) {
  mms_job job = plan->job;
  adapt_to_arrays(&job, plan, x, y);
  mms_run run = {.engine = plan->engine,
                 .job = &job,
                 .scans = scans_of(&plan->problem, x, y),
                 .carry = carry,
                 .threads = plan->threads,
                 .limit = plan->limit,
                 .saves = plan->saves,
                 .lone = may_be_lone(plan, &job)};
  const mmscan_status status = mms_runtime_scan(&run);
  if (status != MMSCAN_ENOMEM || !plan->engine_is_free) return status;
  run.engine = &mms_engine_serial;
  return mms_runtime_scan(&run);
}

mmscan_status mms_execute(const mmscan_plan *plan, const void *x, void *y, void *carry) {
  const mmscan_status status = mms_check_arrays(&plan->problem, x, y);
  if (status || plan->problem.batch == 0) return status;
  if (carry || !is_plain(plan)) return run_shared(plan, x, y, carry);
  run_plain(plan, x, y);
  return MMSCAN_OK;
}
