/* runtime.c: gives tiles and scans to threads. All ways to do so do the same additions, and so does a single thread.
 * The first that suits is taken:
 *
 *   scans.h    each thread takes whole scans         if there are many
 *   lone.h     one thread does all                   if memory limits a single scan, on one die, where it was faster
 *   shares.h   each thread has an equal share        if shares stay in caches that other threads do not use
 *   chain.h    threads take the next tile in turn    if most work on a tile can be done before its carry is known
 *   leader.h   one thread leads, the others follow   otherwise; layout.h says which tiles are whose
 */
#include "runtime.h"

#include "apart.h"
#include "cancel.h"
#include "chain.h"
#include "clock.h"
#include "contention.h"
#include "kernel/stream.h"
#include "leader.h"
#include "lone.h"
#include "quota.h"
#include "recruit.h"
#include "rounding.h"
#include "scans.h"
#include "shares.h"
#include "base/child.h"
#include "wake.h"
#include "workspace.h"
#include <omp.h>

/* Scans for each thread: from so many on, each scan is done by one thread, as one scan too many is a fourth more work
 * at most. */
enum { MANY = 4 };

/* ---- Threads -------------------------------------------------------------------------------------------------- */

int mms_runtime_most_threads(int limit) {
  if (!mms_recruit_has_stack()) return 1;
  int most = limit > 0 ? limit : omp_get_max_threads(), allowed = omp_get_thread_limit();
  int quota = limit > 0 ? MMS_MOST_THREADS : mms_quota_cpus();
  if (quota > 0 && quota < most) most = quota;
  return allowed < most ? allowed : most;
}

int mms_runtime_threads(int limit) {
  if (mms_child_lost_threads() || omp_get_level() > 0 || omp_get_max_active_levels() < 1) return 1;
  return mms_runtime_most_threads(limit);
}

int mms_runtime_startable(int threads) { return threads > 1 && mms_recruit(threads) ? threads : 1; }

/* What the threads of a run share. */
typedef struct team {
  const mms_run *run;
  void (*take_part)(void *shared, void *work); /* a thread's part */
  void *shared;
  atomic_bool served; /* whether some thread found memory for its workspace */
} team;

/* Does one thread's part. A thread that finds no memory leaves its part to the others. */
static void serve(team *t) {
  const mms_engine *engine = t->run->engine;
  const mms_job *job = t->run->job;
  void *work = engine->work_size ? mms_workspace_acquire(engine->work_size(job)) : NULL;
  if (engine->work_size && !work) return;
  if (engine->begin) engine->begin(job, work);
  atomic_store_explicit(&t->served, true, memory_order_relaxed);
  t->take_part(t->shared, work);
  if (job->streams) mms_stream_fence();
  mms_workspace_release(work);
}

static mmscan_status status_of(team *t) {
  return atomic_load_explicit(&t->served, memory_order_relaxed) ? MMSCAN_OK : MMSCAN_ENOMEM;
}

/* What a run by several threads took the calling thread, in nanoseconds, and how much of that it waited: until its part
 * began, and from the end of its part until all threads had finished, and met (apart.h). */
typedef struct times {
  double took, waited;
} times;

static times come_together(team *t, int threads) {
  double call = mms_clock(), start = call, idle = call;
  mms_meeting meeting = {0};
  const bool meets = mms_apart_is_due(call);
  int before = mms_cancel_disable();
  const mms_rounding callers = mms_rounding_get();
  mms_rounding_set_default();
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    start = mms_clock();
    const mms_rounding own = mms_rounding_get();
    mms_rounding_set(callers);
    serve(t);
    mms_rounding_set(own);
#pragma omp master
    idle = mms_clock();
    if (meets) { /* once all are awake */
#pragma omp barrier
      mms_apart_meet(&meeting);
    }
  }
  mms_rounding_set(callers);
  mms_cancel_restore(before);
  const double end = mms_clock();
  return (times){.took = end - call, .waited = (start - call) + (end - idle)};
}

static mmscan_status serve_together(team *t, int threads) {
  const times its = come_together(t, threads);
  mms_contention_record(its.took, its.waited);
  mms_wake_record(its.took, its.waited);
  return status_of(t);
}

/* ---- How threads share scans ---------------------------------------------------------------------------------- */

/* With little overhead, as a scan may be tiny. A unit is other people's code, which may reach a cancellation point. */
static mmscan_status share_nothing(mms_tiles *tiles) {
  team t = {tiles->run, mms_scans_take_all, tiles, false};
  const bool may_sleep = tiles->run->engine->has_unit;
  const int before = may_sleep ? mms_cancel_disable() : 0;
  serve(&t);
  if (may_sleep) mms_cancel_restore(before);
  return status_of(&t);
}

static mmscan_status share_tiles(mms_tiles *tiles, int threads) {
  tiles->sharing = (size_t)threads;
  if (mms_shares_suit(tiles)) {
    mms_shares shares = MMS_SHARES_READY(tiles);
    team t = {tiles->run, mms_shares_take_part, &shares, false};
    return serve_together(&t, threads);
  }
  if (mms_chain_suits(tiles)) {
    mms_chain chain = MMS_CHAIN_READY(tiles);
    team t = {tiles->run, mms_chain_take_part, &chain, false};
    return serve_together(&t, threads);
  }
  const mms_layout layout = mms_layout_of(tiles);
  mms_leader leader = MMS_LEADER_READY(tiles, layout);
  team t = {tiles->run, mms_leader_take_part, &leader, false};
  return serve_together(&t, threads);
}

static mmscan_status share_scans(const mms_tiles *tiles, int threads) {
  mms_scans scans = MMS_SCANS_READY(tiles, threads);
  team t = {tiles->run, mms_scans_take_part, &scans, false};
  return serve_together(&t, threads);
}

/* ---- One thread instead ----------------------------------------------------------------------------------------- */

enum { HEAD = 2 << 20 }; /* bytes of x that show how fast one thread is */

/* A part without work: threads only come together, and find out whether they are apart if that is due. Their waits are
 * not recorded, as they say nothing of runs that have work. */
static void take_nothing(void *shared, void *work) { (void)shared, (void)work; }

/* The run over `count` elements of a single scan, after the first `from` of them in its direction. */
static mms_run part_of(const mms_tiles *tiles, size_t from, size_t count, void *carry) {
  mms_run part = *tiles->run;
  const size_t at = (part.job->reverse ? part.scans.n - from - count : from) * tiles->element;
  part.scans.x = (const char *)part.scans.x + at;
  part.scans.y = (char *)part.scans.y + at;
  part.scans.n = count;
  part.carry = carry;
  return part;
}

/* By one thread or by several, whichever was faster of late. */
static mmscan_status share_rest(mms_tiles *tiles, int threads) {
  const bool alone = mms_lone_pays();
  const double start = mms_clock();
  const mmscan_status status = alone ? share_nothing(tiles) : share_tiles(tiles, threads);
  mms_lone_record(alone, tiles->run->scans.n * tiles->element, mms_clock() - start);
  return status;
}

/* A scan that one thread may do as fast as several that share it, unless they are apart. Its engine has no workspace,
 * so share_nothing() cannot lack memory. */
static mmscan_status share_tiles_or_not(mms_tiles *tiles, int threads) {
  const mms_run *run = tiles->run;
  const size_t head = HEAD / (tiles->most * tiles->element) * tiles->most;
  team nothing = {run, take_nothing, NULL, false};
  if (!mms_apart_is_known(mms_clock())) come_together(&nothing, threads);
  if (mms_apart() || head == 0 || run->scans.n <= 2 * head) return share_tiles(tiles, threads);
  mms_value carry = run->scans.first;
  void *const kept = run->carry ? run->carry : &carry;
  const mms_run first = part_of(tiles, 0, head, kept), rest = part_of(tiles, head, run->scans.n - head, kept);
  mms_tiles of_first = mms_tiles_of(&first), of_rest = mms_tiles_of(&rest);
  const double start = mms_clock();
  share_nothing(&of_first);
  const bool is_slow = mms_lone_is_slow(head * tiles->element, mms_clock() - start);
  return is_slow ? share_tiles(&of_rest, threads) : share_rest(&of_rest, threads);
}

/* ---- A run ------------------------------------------------------------------------------------------------------ */

static int threads_now(const mms_run *run) {
  if (run->threads == 1 || mms_contended()) return 1;
  const int most = mms_runtime_threads(run->limit), threads = run->threads < most ? run->threads : most;
  return threads > 1 && mms_wake_pays(run->saves) ? threads : 1;
}

static mmscan_status share(mms_tiles *tiles, int threads) {
  const mms_run *run = tiles->run;
  const bool are_few = tiles->per_scan > 1 && run->scans.count < MANY * (size_t)threads;
  const size_t parts = are_few ? tiles->count : mms_scans_parts(run);
  threads = mms_runtime_startable(parts < (size_t)threads ? (int)parts : threads);
  if (threads == 1) return share_nothing(tiles);
  if (!are_few) return share_scans(tiles, threads);
  return run->lone ? share_tiles_or_not(tiles, threads) : share_tiles(tiles, threads);
}

mmscan_status mms_runtime_scan(const mms_run *run) {
  mms_tiles tiles = mms_tiles_of(run);
  const int threads = threads_now(run);
  return threads > 1 ? share(&tiles, threads) : share_nothing(&tiles);
}
