/* runtime.c: gives tiles and scans to threads.
 *
 * Where there are many scans a thread takes whole ones. Where there are few, threads share their tiles: one of them
 * leads, if the engine can do a tile in one reading (led.h), or they take turns (turns.h). All do the same additions,
 * and so does a single thread.
 */
#include "runtime.h"

#include "clock.h"
#include "crowd.h"
#include "kernel/stream.h"
#include "led.h"
#include "quota.h"
#include "turns.h"
#include "workspace.h"
#include <omp.h>
#include <stdalign.h>

enum {
  GRAIN = 32768,    /* elements of short scans that a thread takes at a time */
  WORK_ALIGN = 64,  /* bytes from a work to the next: a multiple of these */
  STACK_WORK = 512, /* bytes of works that are taken from the stack */
};

/* ---- Whole scans ---------------------------------------------------------------------------------------------- */

typedef struct rows {
  const mms_tiles *tiles;
  size_t per_grab;    /* scans that a thread takes at a time */
  atomic_size_t next; /* the scan to take */
} rows;

static void scan_tile(const mms_tiles *tiles, const mms_place *at, void *work, mms_value *carry) {
  const mms_engine *engine = tiles->run->engine;
  mms_tiles_begin(tiles, at, carry);
  if (engine->at_once) {
    mms_tiles_at_once(tiles, at, carry);
    return;
  }
  mms_value before = *carry;
  mms_tiles_look(tiles, at, work);
  mms_tiles_advance(tiles, at, work, carry);
  mms_tiles_finish(tiles, at, work, &before);
}

static void scan_all(const mms_tiles *tiles, size_t scan, void *work) {
  mms_value carry = tiles->run->first;
  for (size_t i = 0; i < tiles->per_scan; i++) {
    mms_place at = mms_tiles_of_scan(tiles, scan, i);
    scan_tile(tiles, &at, work, &carry);
  }
}

static void rows_take_part(void *given, void *work) {
  rows *r = given;
  const size_t batch = r->tiles->run->batch;
  size_t from;
  while ((from = atomic_fetch_add_explicit(&r->next, r->per_grab, memory_order_relaxed)) < batch) {
    size_t to = batch - from < r->per_grab ? batch : from + r->per_grab;
    for (size_t scan = from; scan < to; scan++) scan_all(r->tiles, scan, work);
  }
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

/* A child of fork() has none of its parent's OpenMP threads, but the runtime believes it has. */
static atomic_bool forked;
static bool fork_is_seen;
static void after_fork(void) { atomic_store(&forked, true); }
static void watch_fork(void) { fork_is_seen = pthread_atfork(NULL, NULL, after_fork) == 0; }

int mms_runtime_most_threads(int limit) {
  if (limit > 0) return limit;
  int most = omp_get_max_threads(), quota = mms_quota_cpus();
  return quota > 0 && quota < most ? quota : most;
}

int mms_runtime_threads(int limit) {
  if (atomic_load_explicit(&forked, memory_order_relaxed) || omp_in_parallel()) return 1;
  return mms_runtime_most_threads(limit);
}

/* What the threads of a run share. */
typedef struct team {
  const mms_run *run;
  void (*take_part)(void *shared, void *works); /* a thread's part */
  void *shared;
  size_t works, work_bytes; /* of each thread */
  atomic_bool served;       /* some thread had memory for them */
} team;

static size_t work_bytes(const mms_run *run) {
  size_t bytes = run->engine->work_size ? run->engine->work_size(run->job) : 0;
  return (bytes + WORK_ALIGN - 1) / WORK_ALIGN * WORK_ALIGN;
}

/* One thread's part. A thread that finds no memory leaves its part to the others. */
static void serve(team *t) {
  alignas(WORK_ALIGN) char small[STACK_WORK];
  size_t bytes = t->works * t->work_bytes;
  char *works = bytes <= STACK_WORK ? small : mms_workspace_acquire(bytes);
  if (!works) return;
  if (t->run->engine->begin)
    for (size_t i = 0; i < t->works; i++) t->run->engine->begin(t->run->job, works + i * t->work_bytes);
  atomic_store_explicit(&t->served, true, memory_order_relaxed);
  t->take_part(t->shared, works);
  if (t->run->job->streams) mms_stream_fence();
  if (works != small) mms_workspace_release(works);
}

static void serve_together(team *t, int threads) {
  double start = mms_clock(), idle = start;
#pragma omp parallel num_threads(threads)
  {
    serve(t);
#pragma omp master
    idle = mms_clock();
  }
  mms_crowd_saw(start, idle, mms_clock());
}

static mmscan_status run_team(team *t, int threads) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (threads > 1) pthread_once(&once, watch_fork);
  if (threads > 1 && fork_is_seen)
    serve_together(t, threads);
  else
    serve(t);
  return atomic_load(&t->served) ? MMSCAN_OK : MMSCAN_ENOMEM;
}

/* ---- Who shares what ------------------------------------------------------------------------------------------ */

static mmscan_status share_tiles(mms_tiles *tiles, int threads) {
  const size_t bytes = work_bytes(tiles->run);
  if (tiles->count < (size_t)threads) threads = (int)tiles->count;
  tiles->sharing = (size_t)threads;
  if (tiles->run->engine->at_once) {
    mms_led led = MMS_LED_READY(tiles, bytes);
    team t = {tiles->run, mms_led_take_part, &led, MMS_LED_WORKS, bytes, false};
    return run_team(&t, threads);
  }
  mms_turns turns = MMS_TURNS_READY(tiles);
  team t = {tiles->run, mms_turns_take_part, &turns, 1, bytes, false};
  return run_team(&t, threads);
}

static mmscan_status share_scans(const mms_tiles *tiles, int threads) {
  const mms_run *run = tiles->run;
  rows r = {.tiles = tiles, .per_grab = run->n > GRAIN ? 1 : GRAIN / run->n};
  team t = {run, rows_take_part, &r, 1, work_bytes(run), false};
  size_t grabs = (run->batch - 1) / r.per_grab + 1;
  return run_team(&t, grabs < (size_t)threads ? (int)grabs : threads);
}

static int threads_now(const mms_run *run) {
  return run->threads > 1 && !mms_crowd_is_here() ? mms_runtime_threads(run->threads) : 1;
}

mmscan_status mms_runtime_scan(const mms_run *run) {
  mms_tiles tiles = mms_tiles_of(run);
  int threads = threads_now(run);
  bool are_few = run->batch < 4 * (size_t)threads;
  return threads > 1 && tiles.per_scan > 1 && are_few ? share_tiles(&tiles, threads) : share_scans(&tiles, threads);
}
