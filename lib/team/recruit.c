/* recruit.c: starts threads that do nothing, to see whether the system allows it; and checks that there is memory for
 * what OpenMP allocates, and enough stack for a scan. */
#include "team/recruit.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/clock.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds. LONG_END: how long the system may still count a thread that has ended. REST: from a failed try to the
 * next. */
static const double LONG_END = 1e8, REST = 1e9;

/* ---- Memory and stacks ---------------------------------------------------------------------------------------- */

/* Bytes, rather more than libgomp takes for a team and for each member. */
enum { TEAM = 4096, MEMBER = 1024 };

static bool has_memory(int threads) { return mms_arena_fits(TEAM + (size_t)threads * MEMBER); }

/* A size that the system refuses is ignored, as OpenMP does. */
static void set_stack(pthread_attr_t *as, size_t stack) {
  if (stack) pthread_attr_setstacksize(as, stack);
}

/* Bytes: a scan takes up to 48 KiB of a thread's stack, what an OpenBLAS keeps for each thread takes another 64 KiB of
 * it, and LIBXSMM takes 132 KiB to make a kernel. */
enum { LEAST_STACK = 320 << 10 };

bool mms_recruit_has_stack(size_t stack) {
  pthread_attr_t as;
  size_t size;
  if (pthread_attr_init(&as) != 0) return false;
  set_stack(&as, stack);
  const bool is_enough = pthread_attr_getstacksize(&as, &size) == 0 && size >= LEAST_STACK;
  pthread_attr_destroy(&as);
  return is_enough;
}

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

static bool can_start_with(size_t stack, size_t count) {
  pthread_attr_t as;
  if (pthread_attr_init(&as) != 0) return false;
  set_stack(&as, stack);
  bool can = can_start(&as, count);
  pthread_attr_destroy(&as);
  return can;
}

/* ---- A team --------------------------------------------------------------------------------------------------- */

/* Starts a team, once the threads that it lacks could be started; if the system allows no such team, 0. One thread at a
 * time, so that no other takes the place of the threads that were tried. */
static int start_now(int threads, int more, size_t stack, int (*start_team)(mms_crew *crew, int threads),
                     mms_crew *crew) {
  const bool can = mms_recruit_has_stack(stack) && can_start_with(stack, (size_t)more) && has_memory(threads);
  return can ? start_team(crew, threads) : 0;
}

/* When teams may be started again, after one was not, or was smaller than asked for; 0: at once. */
static _Atomic uint64_t rests_until;

static bool rests(void) {
  const uint64_t end = atomic_load_explicit(&rests_until, memory_order_relaxed);
  return end != 0 && mms_clock() < (double)end;
}

/* A thread that would have to wait while another one starts a team does without, or with the smaller one that it has:
 * where many threads make their first calls at once, that takes less time. */
static void start(mms_crew *crew, int threads, size_t stack, int (*start_team)(mms_crew *crew, int threads)) {
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  if (rests() || pthread_mutex_trylock(&turn) != 0) return;
  const int before = mms_cancel_disable();
  const int started = start_now(threads, threads - crew->size, stack, start_team, crew);
  pthread_mutex_unlock(&turn);
  mms_cancel_restore(before);
  if (started > 0) crew->size = started;
  if (started < threads) atomic_store_explicit(&rests_until, (uint64_t)(mms_clock() + REST), memory_order_relaxed);
}

/* libgomp releases threads that a smaller team does not need, and makes a new team for each size. */
int mms_recruit(mms_crew *crew, int threads, size_t stack, int (*start_team)(mms_crew *crew, int threads)) {
  if (threads > crew->size) start(crew, threads, stack, start_team);
  if (threads >= crew->size) return crew->size;
  if (!has_memory(threads)) return 1;
  mms_crew_shrink(crew, threads);
  return threads;
}
