/* team.c: OpenMP: how many threads it may start, and teams of them.
 *
 * A team is called together, does its parts, and waits for its last thread; how long that took, and whether its threads
 * share a cache, is kept for the next one (pays.h, cluster.h). */
#include "team/team.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/rounding.h"
#include "base/workspace.h"
#include "team/cluster.h"
#include "team/crew.h"
#include "team/pays.h"
#include "team/quota.h"
#include "team/recruit.h"
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- The stacks of OpenMP's threads --------------------------------------------------------------------------- */

/* Their size; 0: as other threads have. */
#ifdef KMP_VERSION_MAJOR
static size_t stack_size(void) { return kmp_get_stacksize_s(); }
#else
/* As libgomp reads a variable: a number of kilobytes, unless B, K, M or G follows. False: it is not set, or not legal.
 */
static bool read_size(const char *variable, size_t *size) {
  static const char units[] = "bkmg", space[] = " \t\n\v\f\r";
  const char *text = getenv(variable);
  char *end;
  if (!text) return false;
  errno = 0;
  const unsigned long number = strtoul(text, &end, 10);
  if (errno || end == text) return false;
  end += strspn(end, space);
  const char *unit = *end ? strchr(units, *end++ | 0x20) : units + 1;
  if (!unit || end[strspn(end, space)]) return false;
  const int shift = 10 * (int)(unit - units);
  *size = number << shift;
  return *size >> shift == number;
}

static size_t stack_size(void) {
  size_t size = 0;
  return read_size("OMP_STACKSIZE", &size) || read_size("GOMP_STACKSIZE", &size) ? size : 0;
}
#endif

static struct {
  pthread_once_t once;
  size_t size;
  bool is_enough;
} stack = {.once = PTHREAD_ONCE_INIT};

static void look_at_stack(void) {
  stack.size = stack_size();
  stack.is_enough = mms_recruit_has_stack(stack.size);
}

/* libgomp reads the variables when it is loaded, and a program may change them before its first call. LLVM's OpenMP
 * tells what it has read. */
#ifndef KMP_VERSION_MAJOR
__attribute__((constructor)) static void look_when_loaded(void) { pthread_once(&stack.once, look_at_stack); }
#endif

/* ---- How many threads ----------------------------------------------------------------------------------------- */

int mms_team_cpus(void) { return omp_get_num_procs(); }

/* More threads than these gain nothing, and it takes long to start them. */
enum { MANY = 256, MANY_A_CPU = 16 };

/* The CPUs are asked for only where it matters, as that takes a system call. */
static int useful(int threads) {
  if (threads <= MANY) return threads;
  const int most = MANY_A_CPU * mms_team_cpus();
  return threads < most ? threads : most > MANY ? most : MANY;
}

static int lesser(int a, int b) { return a < b ? a : b; }

int mms_team_most(int limit) {
  pthread_once(&stack.once, look_at_stack);
  if (!stack.is_enough) return 1;
  const int wanted = limit > 0 ? limit : omp_get_max_threads(), quota = limit > 0 ? 0 : mms_quota_cpus();
  const int most = lesser(useful(wanted), omp_get_thread_limit());
  return quota > 0 ? lesser(most, quota) : most;
}

int mms_team_available(int limit) {
  if (mms_child_lost_threads() || omp_get_level() > 0 || omp_get_max_active_levels() < 1) return 1;
  return mms_team_most(limit);
}

static int start_team(mms_crew *crew, int threads) {
  const mms_rounding callers = mms_rounding_get();
  int here = 0;
  mms_rounding_set_default();
#pragma omp parallel num_threads(threads) reduction(+ : here)
  {
    mms_crew_join(crew, omp_get_thread_num());
    here++;
  }
  mms_rounding_set(callers);
  return here;
}

int mms_team_startable(int threads, double saves) {
  if (threads == 1) return 1;
  mms_crew *crew = mms_crew_here();
  const bool pays = threads <= crew->size || mms_crew_start_pays(crew, threads - crew->size, saves);
  return mms_recruit(crew, pays ? threads : crew->size, stack.size, start_team);
}

/* ---- A team --------------------------------------------------------------------------------------------------- */

typedef struct team {
  mms_team_part *part;
  void *shared;
  size_t work_size;
  atomic_bool served; /* whether some thread found memory for its workspace */
} team;

static void serve(team *t, size_t index) {
  mms_member self = {.index = index, .work = t->work_size ? mms_workspace_acquire(t->work_size) : NULL};
  if (t->work_size && !self.work) return;
  atomic_store_explicit(&t->served, true, memory_order_relaxed);
  t->part(t->shared, &self);
  mms_workspace_release(self.work);
}

/* Nanoseconds without work after which OpenMP's threads may sleep: libgomp's, if there are as many as CPUs, look for
 * work for some milliseconds before. */
static const double DROWSY = 1e6;

/* The waits of the calling thread, which are recorded: until its part began, and from its end until all have finished,
 * and met (cluster.h). */
static void serve_together(team *t, int threads) {
  mms_crew *crew = mms_crew_here();
  mms_crew_cpus cpus;
  double call = mms_clock(), start = call, idle = call;
  int came = threads;
  const bool may_sleep = call - crew->idle_since > DROWSY;
  mms_meeting meeting = {0};
  const bool meets = mms_cluster_is_due(call);
  const int before = mms_cancel_disable();
  const mms_rounding callers = mms_rounding_get();
  mms_rounding_set_default();
  if (may_sleep) mms_crew_keep_away(crew, &cpus);
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    {
      start = mms_clock();
      came = omp_get_num_threads();
    }
    const mms_rounding own = mms_rounding_get();
    mms_rounding_set(callers);
    serve(t, (size_t)omp_get_thread_num());
    mms_rounding_set(own);
#pragma omp master
    idle = mms_clock();
    if (meets) { /* once all are awake */
#pragma omp barrier
      mms_cluster_meet(&meeting, omp_get_thread_num(), omp_get_num_threads());
    }
  }
  if (may_sleep) mms_crew_let_back(crew, &cpus);
  if (came < threads) mms_crew_shrink(crew, came);
  mms_rounding_set(callers);
  mms_cancel_restore(before);
  const double end = crew->idle_since = mms_clock();
  mms_pays_record(end - call, (start - call) + (end - idle));
}

mmscan_status mms_team_run(int threads, size_t work_size, mms_team_part *part, void *shared) {
  team t = {.part = part, .shared = shared, .work_size = work_size};
  if (threads > 1)
    serve_together(&t, threads);
  else
    serve(&t, 0);
  return atomic_load_explicit(&t.served, memory_order_relaxed) ? MMSCAN_OK : MMSCAN_ENOMEM;
}

/* ---- No teams ------------------------------------------------------------------------------------------------- */

enum { NOT_OFF = -1, SETTINGS = 4096 /* bytes, more than libgomp takes for the settings of a thread */ };

/* libgomp ends the process if it has no memory for the setting; then there is none for a team either. */
int mms_team_off(void) {
  if (!mms_child_lost_threads() || !mms_arena_fits(SETTINGS)) return NOT_OFF;
  const int before = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  return before;
}

void mms_team_back(int before) {
  if (before != NOT_OFF) omp_set_max_active_levels(before);
}
