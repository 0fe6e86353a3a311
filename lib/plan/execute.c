/* execute.c: settles what depends on the arrays, and has a plan run, or its engine alone. */
#include "plan/execute.h"

#include "base/tuning.h"
#include "plan/check.h"
#include "plan/front.h"
#include "run/ends.h"
#include "team/cluster.h"
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes of one scan from which it may be streamed. STREAM_ROW: if its ends share cache lines with other scans, as those
 * lines are stored through the caches. STREAM_LINES: if they do not; a block of the widest kernels. STREAM_FEW: of a
 * row of a few columns, if all rows are neighbours. */
enum { STREAM_ROW = 2048, STREAM_LINES = 256, LINE = 64, STREAM_FEW = 16 };

/* Bytes of one scan from which its stores are paced: in shorter scans that costs more time than it gains. */
enum { PACE_ROW = 64 << 10 };

/* Bytes of y. Rows of y share no memory, so the product does not overflow. */
static size_t bytes_of(const mms_problem *p) { return p->n * p->count * p->storage->y_size; }

/* Bytes of x, or half of those of x and y if y has elements of another size. */
static size_t mean_bytes_of(const mms_problem *p) {
  return p->n * p->count * (p->storage->x_size + p->storage->y_size) / 2;
}

/* Whether the scans are rows of one tile each, in the caches of one thread: the engine does them alone. A
 * single tile always belongs to one thread. */
static bool is_plain(const mmscan_plan *plan) {
  const mms_problem *p = &plan->problem;
  const size_t longest = plan->job.tile ? plan->job.tile : p->n;
  const bool is_alone = plan->threads == 1 || p->count == 1;
  const bool does_batches = plan->engine->batch && !plan->engine->work_size;
  return does_batches && is_alone && p->rank == 0 && !mms_problem_has_ends(p) && p->n <= longest &&
         bytes_of(p) <= 2 * mms_tuning_here.half_cache && mms_problem_is_direct(p) && !p->heads;
}

/* Whether the scans may be streamed: rows of y that are long; or columns, whose rows are, or are neighbours. */
static bool are_long(const mmscan_plan *plan, const void *y) {
  const mms_problem *p = &plan->problem;
  const size_t size = p->storage->y_size;
  if (mms_plan_takes_columns(plan)) return p->batch * size >= STREAM_ROW || (size_t)p->y_stride == p->batch;
  const bool on_lines = ((uintptr_t)y | (size_t)p->y_dist * size) % LINE == 0;
  return p->y_stride == 1 && p->n * size >= (on_lines ? STREAM_LINES : STREAM_ROW);
}

/* Several threads gain from the caches up to a larger size, as each waits for only a part of what comes from there. */
static size_t stream_from(const mmscan_plan *plan, int threads) {
  return plan->job.unit || threads == 1 ? mms_tuning_here.cluster : mms_tuning_here.stream_from;
}

/* Rows of units are streamed forward only; the plain loop streams columns alone. */
static bool can_stream(const mmscan_plan *plan, const mms_job *job) {
  if (job->algebra->own) return job->algebra->own->streams;
  if (!plan->engine->has_isa) return mms_problem_is_columns(&plan->problem);
  return job->unit ? !job->reverse : job->kernel->stream[job->kind][job->reverse] != NULL;
}

/* Bytes of the lines that hold the elements of x, or of y if these are more. */
static size_t footprint(const mms_problem *p) {
  if (mms_problem_is_direct(p) || mms_problem_is_columns(p)) return bytes_of(p);
  const size_t x = mms_magnitude(p->x_stride), y = mms_magnitude(p->y_stride), most = LINE / p->storage->y_size;
  const size_t wider = x > y ? x : y;
  return mean_bytes_of(p) * (wider < most ? wider : most);
}

/* As so many threads will share the run. */
static void adapt_to_arrays(mms_job *job, mms_run *run, const mmscan_plan *plan, int threads) {
  const mms_problem *p = &plan->problem;
  const void *x = run->scans.x, *y = run->scans.y;
  const size_t bytes = bytes_of(p);
  const mms_where where = run->where = mms_run_where(footprint(p), x == y, threads);
  job->prefetches = where > MMS_IN_CORES;
  job->streams = bytes > stream_from(plan, threads) && x != y && are_long(plan, y) && can_stream(plan, job);
  job->uncached = job->streams || where == MMS_IN_MEMORY;
  job->paces = job->streams && where == MMS_IN_MEMORY && bytes / p->count >= PACE_ROW && mms_tuning_here.paces;
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

/* Whether the page in the middle of y was written before. The system clears a new page when it is first written, and
 * several threads get through more of these. */
static bool is_touched(const void *y, size_t bytes) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), middle = ((uintptr_t)y + bytes / 2) & -page;
  unsigned char resident = 0;
  return mincore((void *)middle, page, &resident) == 0 && (resident & 1);
}

/* Whether memory limits a single scan, and one thread is as fast as several that share it, as these reduce some of x
 * before they scan it. Only by the kernels that are fastest here, if no number of threads was asked for, and where
 * cores share a cache. */
static bool one_does(const mmscan_plan *plan, const mms_job *job, const void *y) {
  const size_t bytes = bytes_of(&plan->problem);
  if (!job->streams || bytes <= mms_tuning_here.alone_from || !plan->threads_are_free) return false;
  const mms_own *own = plan->problem.algebra->own;
  const bool is_simd = own ? own->streams : plan->engine->has_isa && !plan->engine->has_unit;
  const bool is_fast = is_simd && job->isa == mms_isa_best() && plan->problem.count == 1;
  return is_fast && mms_cluster_near_of_late() && is_touched(y, bytes);
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

static mms_batch scans_of(const mms_problem *p, const void *x, void *y) {
  const mms_storage *s = p->storage;
  return (mms_batch){.n = p->n,
                     .count = p->count,
                     .x_stride = p->x_stride,
                     .y_stride = p->y_stride,
                     .x_dist = p->x_dist,
                     .y_dist = p->y_dist,
                     .x = x ? (const char *)x + p->x_at * (ptrdiff_t)s->x_size : NULL,
                     .y = y ? (char *)y + p->y_at * (ptrdiff_t)s->y_size : NULL,
                     .first = p->first};
}

static void run_plain(const mmscan_plan *plan, const void *x, void *y) {
  const mms_batch scans = scans_of(&plan->problem, x, y);
  plan->engine->batch(&plan->job, NULL, &scans);
}

/* How many threads share the run, and what follows from that. */
static void settle(mms_run *run, mms_job *job, const mmscan_plan *plan) {
  adapt_to_arrays(job, run, plan, plan->threads);
  run->threads = plan->threads;
  if (plan->threads == 1) return;
  if (one_does(plan, job, run->scans.y))
    run->threads = 1;
  else
    mms_run_settle(run);
  if (run->threads != plan->threads) adapt_to_arrays(job, run, plan, run->threads);
}

/* What is written beside results. */
static mms_ends ends_of(const mms_problem *p) {
  const ptrdiff_t size = (ptrdiff_t)p->of_y->y_size;
  mms_ends ends = {.of_y = p->of_y,
                   .totals = p->totals ? (char *)p->totals + p->total_at * size : NULL,
                   .are_elsewhere = mms_problem_is_elsewhere(p),
                   .are_offsets = p->is_offsets,
                   .extra_at = p->extra_at};
  mms_ends_start(&ends, &p->first, &p->start);
  return ends;
}

/* The last tiles of exclusive scans are read again. */
static void take_ends(mms_run *run, mms_ends *ends, const mms_problem *p) {
  *ends = ends_of(p);
  ends->inclusive = *run->job;
  ends->inclusive.kind = MMSCAN_INCLUSIVE;
  ends->inclusive.streams = false;
  run->ends = ends;
}

static mms_extras extras_of(const mms_problem *p, const void *y, atomic_bool *overflowed) {
  return (mms_extras){.instead = p->skips_nan ? &p->nothing : NULL,
                      .neutral = p->is_monotone ? p->algebra->start : NULL,
                      .overflows = p->overflows,
                      .overflowed = overflowed,
                      .indices = p->indices,
                      .y = y,
                      .first = p->index_at,
                      .step = p->index_step,
                      .has_init = p->has_init};
}

static mms_run run_of(const mms_problem *p, const mms_job *job, const void *x, void *y, void *carry) {
  return (mms_run){.job = job,
                   .scans = scans_of(p, x, y),
                   .batch = p->batch,
                   .rank = p->rank,
                   .outer = p->outer,
                   .has_parts = p->has_parts,
                   .total_dist = p->total_dist,
                   .carry = carry,
                   .carries = p->carries,
                   .state = p->state};
}

/* As it would run with memory for a workspace, which the stack has. */
__attribute__((noinline)) static mmscan_status run_on_stack(const mms_run *given) {
  alignas(MMS_KERNEL_LINE) char memory[MMS_KERNEL_RUN + MMS_KERNEL_LINE];
  mms_run run = *given;
  run.threads = 1;
  run.memory = memory;
  return run.engine->work_size(run.job) <= sizeof memory ? mms_run_scan(&run) : MMSCAN_ENOMEM;
}

/* Without memory the plain loop does it, or, where the order of additions is given, a single thread. */
static mmscan_status run_without_memory(const mms_problem *p, mms_run *run, mms_job *job, mms_front *front,
                                        mms_ends *ends) {
  run->weighs = false;
  if (p->algebra->own) run->engine = p->algebra->own->alone;
  if (p->is_reproducible || p->algebra->own) return run_on_stack(run);
  run->engine = mms_front_take(front, &mms_engine_serial, p, job);
  job->streams = job->streams && mms_problem_is_columns(p);
  if (mms_problem_has_ends(p)) take_ends(run, ends, p);
  return mms_run_scan(run);
}

/* Results that go nowhere have places all the same, by which tiles are told apart; not neighbouring ones, so that what
 * is packed does not go there. */
static void take_no_results(mms_run *run) {
  run->only_carries = true;
  run->scans.y = (void *)run->scans.x;
  run->scans.y_stride = 2;
  run->scans.y_dist = (ptrdiff_t)(2 * run->scans.n);
}

/* Without memory for the slots that threads keep carries in there is one thread. */
static mmscan_status run_own(mms_run *run, const mms_own *own) {
  const mms_tiles tiles = mms_tiles_of(run);
  const bool has_slots = own->take_slots && run->threads > 1 && tiles.per_scan > 1;
  const bool is_taken = has_slots && own->take_slots(own->call, tiles.count);
  if (has_slots && !is_taken) run->threads = 1;
  if (run->threads == 1) run->engine = own->alone;
  const mmscan_status status = mms_run_scan(run);
  if (is_taken) own->drop_slots(own->call);
  return status;
}

static mmscan_status run_shared(const mmscan_plan *plan, const void *x, void *y, void *carry) {
  const mms_problem *p = &plan->problem;
  atomic_bool overflowed = false;
  const mms_extras extras = extras_of(p, y, &overflowed);
  mms_front front;
  mms_ends ends;
  mms_job job = plan->job;
  mms_run run = run_of(p, &job, x, y, carry);
  run.limit = plan->limit;
  run.saves = plan->saves;
  run.way = plan->way;
  if (mms_problem_has_extras(p)) job.extras = &extras;
  run.engine = mms_front_take(&front, plan->engine, p, &job);
  if (!y) take_no_results(&run);
  settle(&run, &job, plan);
  if (mms_problem_has_ends(p)) take_ends(&run, &ends, p);
  const mms_own *own = p->algebra->own;
  mmscan_status status = own ? run_own(&run, own) : mms_run_scan(&run);
  if (status == MMSCAN_OK && overflowed) return MMSCAN_EOVERFLOW;
  if (status != MMSCAN_ENOMEM || !plan->engine_is_free) return status;
  status = run_without_memory(p, &run, &job, &front, &ends);
  return status == MMSCAN_OK && overflowed ? MMSCAN_EOVERFLOW : status;
}

mmscan_status mms_execute_empty(const mms_problem *p, void *y, void *carry) {
  const mmscan_status status = mms_check_arrays(p, NULL, y);
  if (status || !(p->totals || p->is_offsets) || p->count == 0) return status;
  const mms_ends ends = ends_of(p);
  atomic_bool overflowed = false;
  const mms_extras extras = extras_of(p, y, &overflowed);
  const mms_job job = {.algebra = p->algebra,
                       .storage = p->storage,
                       .kind = MMSCAN_INCLUSIVE,
                       .adds_exactly = mms_problem_adds_exactly(p),
                       .extras = &extras};
  mms_run run = run_of(p, &job, NULL, y, carry);
  run.engine = &mms_engine_serial;
  run.ends = &ends;
  mms_ends_write_empty(&run);
  return MMSCAN_OK;
}

/* ---- For the carries alone ------------------------------------------------------------------------------------ */

/* Whether more is asked for than carries, or they are found by way of results. */
static bool needs_results(const mms_problem *p) {
  return mms_problem_has_ends(p) || p->overflows || p->indices || mms_problem_is_columns(p);
}

static size_t below(size_t n, ptrdiff_t stride) { return stride < 0 ? (n - 1) * mms_magnitude(stride) : 0; }

/* Scans to memory of the library's own, laid out as y. */
static mmscan_status run_for_carries(const mmscan_plan *plan, const void *x, void *carry) {
  const mms_problem *p = &plan->problem;
  const size_t size = p->storage->y_size, along = (p->n - 1) * mms_magnitude(p->y_stride);
  const size_t across = (p->batch - 1) * mms_magnitude(p->y_dist);
  const size_t first = below(p->n, p->y_stride) + below(p->batch, p->y_dist);
  char *memory = malloc((along + across + 1) * size);
  if (!memory) return MMSCAN_ENOMEM;
  const mmscan_status status = run_shared(plan, x, memory + ((ptrdiff_t)first - p->y_at) * (ptrdiff_t)size, carry);
  free(memory);
  return status;
}

mmscan_status mms_execute(const mmscan_plan *plan, const void *x, void *y, void *carry) {
  if (mms_problem_is_empty(&plan->problem)) return mms_execute_empty(&plan->problem, y, carry);
  const mmscan_status status = mms_check_arrays(&plan->problem, x, y);
  if (status) return status;
  if (!y && needs_results(&plan->problem)) return run_for_carries(plan, x, carry);
  if (carry || !is_plain(plan)) return run_shared(plan, x, y, carry);
  run_plain(plan, x, y);
  return MMSCAN_OK;
}

/* Where every order has its own bits, only exact sums keep a promise of some. */
static bool can_combine(const mms_problem *p, const mms_run *run, const mms_run *next) {
  bool can = !p->is_reproducible || mms_problem_adds_exactly(p);
  for (size_t scan = 0; scan < p->count && can; scan++) can = mms_carry_combines(run, next, scan);
  return can;
}

mmscan_status mms_execute_combine(const mmscan_plan *plan, void *carry, const void *next_carry,
                                  const void *next_state) {
  const mms_problem *p = &plan->problem;
  const mms_extras extras = extras_of(p, NULL, NULL);
  mms_job job = plan->job;
  job.extras = &extras;
  const mms_run run = run_of(p, &job, NULL, NULL, carry);
  mms_run next = run_of(p, &job, NULL, NULL, (void *)next_carry);
  next.state = (void *)next_state;
  if (!can_combine(p, &run, &next)) return MMSCAN_ENOTSUP;
  for (size_t scan = 0; scan < p->count; scan++) mms_carry_combine(&run, &next, scan);
  return MMSCAN_OK;
}
