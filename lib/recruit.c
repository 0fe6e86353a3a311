/* recruit.c: starts threads that do nothing, to see whether the system lets it, and then OpenMP's. */
#include "recruit.h"

#include "cancel.h"
#include "clock.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds: how long a thread that has ended may be counted on; and from one try that failed to the next. */
static const double LONG_END = 1e8, REST = 1e9;

/* ---- Threads that do nothing ---------------------------------------------------------------------------------- */

/* Each starts the next, and ends after it: all are there at one time, and nothing is allocated. */
typedef struct recruit {
  size_t others; /* to come after it */
  bool came;     /* those */
  pid_t id;
} recruit;

static bool can_start(size_t count);

static void *come_and_go(void *given) {
  recruit *r = given;
  r->id = (pid_t)syscall(SYS_gettid);
  r->came = can_start(r->others);
  return NULL;
}

static bool is_gone(pid_t id) { return syscall(SYS_tgkill, getpid(), id, 0) != 0 && errno == ESRCH; }

/* The system counts a thread for some microseconds after it was joined. */
static bool wait_until_gone(pid_t id) {
  double end = mms_clock() + LONG_END;
  while (!is_gone(id)) {
    if (mms_clock() > end) return false;
    sched_yield();
  }
  return true;
}

static bool can_start(size_t count) {
  if (count == 0) return true;
  recruit first = {.others = count - 1};
  pthread_t thread;
  if (pthread_create(&thread, NULL, come_and_go, &first) != 0) return false;
  pthread_join(thread, NULL);
  return wait_until_gone(first.id) && first.came;
}

/* ---- Those of OpenMP ------------------------------------------------------------------------------------------ */

/* Returns how many there are: a region that does nothing may be left out by a compiler. */
static int start_region(int threads) {
  int here = 0;
#pragma omp parallel num_threads(threads) reduction(+ : here)
  here++;
  return here;
}

/* Nobody else tries in between, and takes the place of what was tried. */
static bool start_team(int threads, int more) {
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  int before = mms_cancel_disable();
  pthread_mutex_lock(&turn);
  bool started = can_start((size_t)more) && start_region(threads) > 0;
  pthread_mutex_unlock(&turn);
  mms_cancel_restore(before);
  return started;
}

static bool try_team(int threads, int more) {
  static _Atomic uint64_t until; /* 0: never failed */
  uint64_t end = atomic_load_explicit(&until, memory_order_relaxed);
  if (end != 0 && mms_clock() < (double)end) return false;
  if (start_team(threads, more)) return true;
  atomic_store_explicit(&until, (uint64_t)(mms_clock() + REST), memory_order_relaxed);
  return false;
}

/* libgomp lets those go that a smaller region does not need. */
bool mms_recruit(int threads) {
  static _Thread_local int last = 1;
  bool are_there = threads <= last || try_team(threads, threads - last);
  if (are_there) last = threads;
  return are_there;
}
