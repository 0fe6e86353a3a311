/* runtime.c: gives tiles and rows to threads.
 *
 * Long scans are chained: a thread takes the next tile, looks at it in its cache, waits for the carry of the tile
 * before, hands on its own, and writes. Tiles are taken in order, so the tile that is waited for is always in some
 * thread's hands. Where there are many scans a thread takes whole ones. Both do the same additions, and so does a
 * single thread.
 */
#include "runtime.h"

#include "clock.h"
#include "crowd.h"
#include "quota.h"
#include "workspace.h"
#include <omp.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

enum {
  GRAIN = 32768,   /* elements of short scans that a thread takes at a time */
  SPINS = 4000,    /* looks at the carry, about the time of a tile, before the thread sleeps */
  CACHE_LINE = 64, /* apart from each other: what all threads write */
  SMALL_WORK = 64, /* bytes of work that are taken from the stack */
};

/* What the threads of a run share. */
typedef struct shared {
  const mms_run *run;
  size_t element, tile, tiles;            /* bytes; elements in a tile; tiles in a scan */
  size_t items, per_grab;                 /* tiles or scans in all, and how many a thread takes at a time */
  size_t sharing;                         /* threads that take turns at the tiles of a scan */
  alignas(CACHE_LINE) atomic_size_t next; /* the next item to take */
  alignas(CACHE_LINE) atomic_size_t done; /* chain: tiles whose carry is known */
  mms_value carry;                        /* chain: out of tile done - 1 */
  atomic_int sleepers;                    /* chain: threads that wait for `advanced` */
  pthread_mutex_t lock;
  pthread_cond_t advanced;
  alignas(CACHE_LINE) atomic_bool served; /* some thread had a work space */
} shared;

/* ---- Where things are ----------------------------------------------------------------------------------------- */

typedef struct tile {
  mms_tile at;
  size_t row;
  bool first, last; /* in its scan */
} tile;

static const char *row_x(const shared *s, size_t row) {
  return (const char *)s->run->x + (ptrdiff_t)row * s->run->x_dist * (ptrdiff_t)s->element;
}

static char *row_y(const shared *s, size_t row) {
  return (char *)s->run->y + (ptrdiff_t)row * s->run->y_dist * (ptrdiff_t)s->element;
}

/* Tile `index` of a scan, counted from where the scan starts: the last tile is the short one. Threads that share a scan
 * take turns. */
static tile tile_at(const shared *s, size_t row, size_t index) {
  size_t from = index * s->tile, left = s->run->n - from, m = left < s->tile ? left : s->tile;
  size_t at = (s->run->job->reverse ? left - m : from) * s->element, turn = s->sharing * s->tile * s->element;
  const char *x = row_x(s, row) + at;
  return (tile){.at = {.m = m,
                       .x = x,
                       .y = row_y(s, row) + at,
                       .then = (const void *)(s->run->job->reverse ? (uintptr_t)x - turn : (uintptr_t)x + turn)},
                .row = row,
                .first = index == 0,
                .last = index == s->tiles - 1};
}

static mms_value carry_into(const shared *s, size_t row) {
  mms_value v = s->run->first;
  if (s->run->carry) memcpy(&v, (char *)s->run->carry + row * s->element, s->element);
  return v;
}

static void keep_carry(const shared *s, size_t row, const mms_value *carry) {
  if (s->run->carry) memcpy((char *)s->run->carry + row * s->element, carry, s->element);
}

/* ---- One tile ------------------------------------------------------------------------------------------------- */

/* A thread's two works: of the tile at hand, and of the one that comes next. They are one where the engine has no use
 * for two. */
typedef struct works {
  void *now, *next;
} works;

static void swap(works *w) { *w = (works){.now = w->next, .next = w->now}; }

/* Nobody asks for the carry out of the tile, and it can be written without being looked at. */
static bool ends_here(const shared *s, const tile *t) {
  return t->last && !s->run->carry && s->run->engine->finishes_alone;
}

static void look_at(const shared *s, const tile *t, void *work) {
  if (!ends_here(s, t)) s->run->engine->local(s->run->job, &t->at, work);
}

static void advance(const shared *s, const tile *t, void *work, mms_value *carry) {
  if (!ends_here(s, t)) s->run->engine->advance(s->run->job, &t->at, work, carry);
}

/* Writes tile t and looks at tile u. */
static void write_and_look(const shared *s, const tile *t, const mms_value *carry, const tile *u, const works *w) {
  const mms_engine *engine = s->run->engine;
  if (engine->finish_local && s->run->job->looks_ahead && !ends_here(s, u)) {
    engine->finish_local(s->run->job, &t->at, w->now, carry, &u->at, w->next);
  } else {
    engine->finish(s->run->job, &t->at, w->now, carry);
    look_at(s, u, w->next);
  }
}

/* ---- Whole scans ---------------------------------------------------------------------------------------------- */

static void scan_tiles(const shared *s, size_t row, works w, mms_value *carry) {
  tile t = tile_at(s, row, 0);
  look_at(s, &t, w.now);
  for (size_t index = 1; index <= s->tiles; index++) {
    mms_value before = *carry;
    advance(s, &t, w.now, carry);
    if (t.last) {
      s->run->engine->finish(s->run->job, &t.at, w.now, &before);
      return;
    }
    tile u = tile_at(s, row, index);
    write_and_look(s, &t, &before, &u, &w);
    swap(&w);
    t = u;
  }
}

static void scan_tiles_at_once(const shared *s, size_t row, mms_value *carry) {
  for (size_t index = 0; index < s->tiles; index++) {
    tile t = tile_at(s, row, index);
    if (ends_here(s, &t))
      s->run->engine->finish(s->run->job, &t.at, NULL, carry);
    else
      s->run->engine->at_once(s->run->job, &t.at, carry);
  }
}

static void scan_row(const shared *s, size_t row, works w) {
  const mms_run *run = s->run;
  mms_value carry = carry_into(s, row);
  if (run->engine->scan)
    run->engine->scan(run->job, run->n, row_x(s, row), row_y(s, row), &carry);
  else if (run->engine->at_once)
    scan_tiles_at_once(s, row, &carry);
  else
    scan_tiles(s, row, w, &carry);
  keep_carry(s, row, &carry);
}

static void scan_rows(shared *s, works w) {
  size_t from;
  while ((from = atomic_fetch_add_explicit(&s->next, s->per_grab, memory_order_relaxed)) < s->items) {
    size_t to = s->items - from < s->per_grab ? s->items : from + s->per_grab;
    for (size_t row = from; row < to; row++) scan_row(s, row, w);
  }
}

/* ---- Chained tiles -------------------------------------------------------------------------------------------- */

static inline void pause_core(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static bool is_turn(const shared *s, size_t item) { return atomic_load(&s->done) == item; }

/* A long wait means that the thread before us is not running. To sleep, and be woken, gives it a core and us one soon
 * after; to spin on, or to yield to whoever else wants the core, was measured to stall both for whole time slices. */
static void sleep_until(shared *s, size_t item) {
  pthread_mutex_lock(&s->lock);
  atomic_fetch_add(&s->sleepers, 1);
  while (!is_turn(s, item)) pthread_cond_wait(&s->advanced, &s->lock);
  atomic_fetch_sub(&s->sleepers, 1);
  pthread_mutex_unlock(&s->lock);
}

static void wait_for(shared *s, size_t item) {
  for (int spins = 0; spins < SPINS; spins++) {
    if (is_turn(s, item)) return;
    pause_core();
  }
  sleep_until(s, item);
}

/* Sequentially consistent, like sleep_until(): either we see its sleeper, or it sees our tile. */
static void tell_done(shared *s, size_t item) {
  atomic_store(&s->done, item + 1);
  if (atomic_load(&s->sleepers) == 0) return;
  pthread_mutex_lock(&s->lock);
  pthread_cond_broadcast(&s->advanced);
  pthread_mutex_unlock(&s->lock);
}

/* The carry into a tile, once every tile before it has handed on its own. Returns it; hands on the carry out. */
static mms_value pass_carry(shared *s, size_t item, const tile *t, void *work) {
  wait_for(s, item);
  mms_value carry = t->first ? carry_into(s, t->row) : s->carry, before = carry;
  advance(s, t, work, &carry);
  s->carry = carry;
  if (t->last) keep_carry(s, t->row, &carry);
  tell_done(s, item);
  return before;
}

static bool take_tile(shared *s, size_t *item, tile *t) {
  *item = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
  if (*item >= s->items) return false;
  *t = tile_at(s, *item / s->tiles, *item % s->tiles);
  return true;
}

/* The next tile is taken before the one at hand is written. It is this thread's to pass on, and it will, as nothing
 * holds it up on the way. */
static void scan_chain(shared *s, works w) {
  size_t item, next;
  tile t, u;
  if (!take_tile(s, &item, &t)) return;
  look_at(s, &t, w.now);
  mms_value carry = pass_carry(s, item, &t, w.now);
  while (take_tile(s, &next, &u)) {
    write_and_look(s, &t, &carry, &u, &w);
    swap(&w);
    t = u;
    carry = pass_carry(s, next, &t, w.now);
  }
  s->run->engine->finish(s->run->job, &t.at, w.now, &carry);
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

/* One thread's part. A thread that finds no memory leaves its part to the others. */
static void serve(shared *s, void (*part)(shared *, works)) {
  const mms_engine *engine = s->run->engine;
  alignas(CACHE_LINE) char small[2 * SMALL_WORK];
  size_t bytes = engine->work_size ? engine->work_size(s->run->job) : 0;
  char *work = bytes <= SMALL_WORK ? small : mms_workspace_acquire(bytes);
  if (!work) return;
  if (engine->begin) engine->begin(s->run->job, work);
  atomic_store_explicit(&s->served, true, memory_order_relaxed);
  part(s, (works){.now = work, .next = engine->finish_local ? small + SMALL_WORK : work});
  if (work != small) mms_workspace_release(work);
}

static void serve_with_team(int threads, shared *s, void (*part)(shared *, works)) {
  double start = mms_clock(), idle = start;
#pragma omp parallel num_threads(threads)
  {
    serve(s, part);
#pragma omp master
    idle = mms_clock();
  }
  mms_crowd_saw(start, idle, mms_clock());
}

static void serve_with(int threads, shared *s, void (*part)(shared *, works)) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (threads > 1) pthread_once(&once, watch_fork);
  if (threads > 1 && fork_is_seen)
    serve_with_team(threads, s, part);
  else
    serve(s, part);
}

/* Tiles of the scans, where the engine cuts any. */
static void cut(shared *s) {
  const mms_run *run = s->run;
  s->tile = run->engine->local ? run->job->tile : run->n;
  s->tiles = (run->n - 1) / s->tile + 1;
}

/* What threads take, and how many of them are of use: they share the tiles of a scan where there are too few scans to
 * share. Returns whether they do. */
static bool share_out(shared *s, int *threads) {
  const mms_run *run = s->run;
  bool chained = s->tiles > 1 && *threads > 1 && run->batch < 4 * (size_t)*threads;
  s->items = chained ? run->batch * s->tiles : run->batch;
  s->per_grab = chained || run->n > GRAIN ? 1 : GRAIN / run->n;
  size_t grabs = (s->items - 1) / s->per_grab + 1;
  if (grabs < (size_t)*threads) *threads = (int)grabs;
  s->sharing = chained ? (size_t)*threads : 1;
  return chained;
}

static int threads_now(const mms_run *run) {
  return run->threads > 1 && !mms_crowd_is_here() ? mms_runtime_threads(run->threads) : 1;
}

mmscan_status mms_runtime_scan(const mms_run *run) {
  shared s = {.run = run,
              .element = mms_type_size(run->job->type),
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .advanced = PTHREAD_COND_INITIALIZER};
  int threads = threads_now(run);
  cut(&s);
  bool chained = share_out(&s, &threads);
  serve_with(threads, &s, chained ? scan_chain : scan_rows);
  return atomic_load(&s.served) ? MMSCAN_OK : MMSCAN_ENOMEM;
}
