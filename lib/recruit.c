/* recruit.c: starts threads that do nothing, to see whether the system allows it, and then OpenMP's own; and checks
 * that there is memory for what OpenMP allocates, and enough stack for a scan. */
#include "recruit.h"

#include "arena.h"
#include "cancel.h"
#include "clock.h"
#include "rounding.h"
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds. LONG_END: how long the system may still count a thread that has ended. REST: from a failed try to the
 * next. */
static const double LONG_END = 1e8, REST = 1e9;

/* ---- As OpenMP does it ---------------------------------------------------------------------------------------- */

/* Bytes, rather more than libgomp takes for a team and for each member. */
enum { TEAM = 4096, MEMBER = 1024 };

static bool has_memory(int threads) { return mms_arena_fits(TEAM + (size_t)threads * MEMBER); }

/* The size of the stacks that OpenMP gives its threads; 0: as other threads have. */
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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t asked_size;
static bool stack_is_enough;

/* A size that the system refuses is ignored, as OpenMP does. */
static void set_stack(pthread_attr_t *as) {
  if (asked_size) pthread_attr_setstacksize(as, asked_size);
}

/* Bytes: a scan takes 24 KiB of a thread's stack, what an OpenBLAS keeps for each thread takes another 64 KiB of it,
 * and LIBXSMM takes 132 KiB to make a kernel. */
enum { LEAST_STACK = 320 << 10 };

static void look_at_stack(void) {
  pthread_attr_t as;
  size_t size;
  asked_size = stack_size();
  if (pthread_attr_init(&as) != 0) return;
  set_stack(&as);
  stack_is_enough = pthread_attr_getstacksize(&as, &size) == 0 && size >= LEAST_STACK;
  pthread_attr_destroy(&as);
}

bool mms_recruit_has_stack(void) {
  pthread_once(&once, look_at_stack);
  return stack_is_enough;
}

/* libgomp reads the variables when it is loaded, and a program may change them before its first call. LLVM's OpenMP
 * tells what it has read. */
#ifndef KMP_VERSION_MAJOR
__attribute__((constructor)) static void look_when_loaded(void) { pthread_once(&once, look_at_stack); }
#endif

/* ---- Threads that do nothing ---------------------------------------------------------------------------------- */

/* Each thread starts the next one and ends after it: so all exist at one time, and nothing is allocated. */
typedef struct recruit {
  const pthread_attr_t *as;
  size_t others; /* threads to start after it */
  bool came;     /* whether all of those started */
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

/* The system still counts a thread for some microseconds after it was joined. */
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

/* ---- OpenMP's team -------------------------------------------------------------------------------------------- */

/* Returns the number of threads: a compiler may leave out a region that does nothing. */
static int start_region(int threads) {
  int here = 0;
#pragma omp parallel num_threads(threads) reduction(+ : here)
  here++;
  return here;
}

/* One thread at a time, so that no other takes the place of the threads that were tried. */
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

/* libgomp releases threads that a smaller region does not need, and makes a new team for each size. */
bool mms_recruit(int threads) {
  static _Thread_local int last = 1;
  if (threads == last) return true;
  bool can = threads < last ? has_memory(threads) : try_team(threads, threads - last);
  if (can) last = threads;
  return can;
}
