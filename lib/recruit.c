/* recruit.c: starts threads that do nothing, to see whether the system lets it, and then OpenMP's; and sees whether
 * there is memory for what OpenMP allocates, and stack enough for a scan. */
#include "recruit.h"

#include "cancel.h"
#include "clock.h"
#include "rounding.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds: how long a thread that has ended may be counted on; and from one try that failed to the next. */
static const double LONG_END = 1e8, REST = 1e9;

/* ---- As OpenMP does it ---------------------------------------------------------------------------------------- */

/* What a team takes in libgomp, and more. */
enum { TEAM = 4096, MEMBER = 1024 };

static bool has_memory(int threads) {
  void *volatile piece = malloc(TEAM + (size_t)threads * MEMBER); /* volatile: not to be left out */
  bool has = piece != NULL;
  free(piece);
  return has;
}

/* OMP_STACKSIZE, in bytes: a number, of kilobytes unless B, K, M or G follows. 0: none, or none that is legal. */
static size_t stack_size(void) {
  static const char units[] = "bkmg";
  const char *text = getenv("OMP_STACKSIZE");
  if (!text) text = getenv("GOMP_STACKSIZE");
  if (!text) return 0;
  char *end;
  size_t size = strtoul(text, &end, 10);
  end += strspn(end, " ");
  const char *unit = *end ? strchr(units, *end | 0x20) : units + 1;
  if (!unit || size > SIZE_MAX >> 30) return 0;
  return size << 10 * (unit - units);
}

/* One that the system refuses OpenMP leaves out, too. */
static void set_stack(pthread_attr_t *as) {
  size_t size = stack_size();
  if (size) pthread_attr_setstacksize(as, size);
}

/* Bytes: what a scan takes on a thread is 24 KiB, and what an OpenBLAS has for each, on the same stack, 64. */
enum { LEAST_STACK = 128 << 10 };

static bool stack_is_enough;

static void look_at_stack(void) {
  pthread_attr_t as;
  size_t size;
  if (pthread_attr_init(&as) != 0) return;
  set_stack(&as);
  stack_is_enough = pthread_attr_getstacksize(&as, &size) == 0 && size >= LEAST_STACK;
  pthread_attr_destroy(&as);
}

bool mms_recruit_has_stack(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look_at_stack);
  return stack_is_enough;
}

/* ---- Threads that do nothing ---------------------------------------------------------------------------------- */

/* Each starts the next, and ends after it: all are there at one time, and nothing is allocated. */
typedef struct recruit {
  const pthread_attr_t *as;
  size_t others; /* to come after it */
  bool came;     /* those */
  pid_t id;
} recruit;

static bool can_start(const pthread_attr_t *as, size_t count);

static void *come_and_go(void *given) {
  recruit *r = given;
  r->id = (pid_t)syscall(SYS_gettid);
  r->came = can_start(r->as, r->others);
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

static bool can_start(const pthread_attr_t *as, size_t count) {
  if (count == 0) return true;
  recruit first = {.as = as, .others = count - 1};
  pthread_t thread;
  if (pthread_create(&thread, as, come_and_go, &first) != 0) return false;
  pthread_join(thread, NULL);
  return wait_until_gone(first.id) && first.came;
}

static bool can_start_like_openmp(size_t count) {
  pthread_attr_t as;
  if (pthread_attr_init(&as) != 0) return false;
  set_stack(&as);
  bool can = can_start(&as, count);
  pthread_attr_destroy(&as);
  return can;
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
  const mms_rounding callers = mms_rounding_get();
  mms_rounding_set_default();
  pthread_mutex_lock(&turn);
  bool started = can_start_like_openmp((size_t)more) && has_memory(threads) && start_region(threads) > 0;
  pthread_mutex_unlock(&turn);
  mms_rounding_set(callers);
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

/* libgomp lets those go that a smaller region does not need, and makes a team of each size anew. */
bool mms_recruit(int threads) {
  static _Thread_local int last = 1;
  if (threads == last) return true;
  bool can = threads < last ? has_memory(threads) : try_team(threads, threads - last);
  if (can) last = threads;
  return can;
}
