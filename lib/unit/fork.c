/* fork.c: what a fork() must not break. A child has the calling thread alone: what lock another thread held is taken
 * for ever in it, and the threads of OpenMP, the library's or the program's own, are gone.
 *
 * One pair of handlers serves every fork() and settles the order of locks. Of all that there are, those that were set
 * up last come first, and ours have to: OpenMP's, and an OpenBLAS's, take locks for which a product that has begun may
 * wait. So ours are set up when the library is loaded, and again after such. */
#include "unit/fork.h"

#include "unit/gate.h"
#include "unit/loaded.h"
#include "unit/selftest.h"
#include <pthread.h>
#include <stdatomic.h>
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
#include <sys/single_threaded.h>
#define HAS_THREADS (!__libc_single_threaded)
#else
#define HAS_THREADS true /* nobody says */
#endif

static bool is_seen;
static atomic_bool had_threads, lost_threads;

bool mms_fork_allows_threads(void) { return is_seen && !atomic_load_explicit(&lost_threads, memory_order_relaxed); }

/* Of the calls of before_fork() for the fork() that this thread is in. */
static _Thread_local unsigned depth;

/* In the order in which calls take them. */
static void before_fork(void) {
  if (depth++) return;
  atomic_store(&had_threads, HAS_THREADS);
  mms_loaded_lock();
  mms_selftest_lock();
  mms_gate_close();
}

static void unlock(void) {
  mms_selftest_unlock();
  mms_loaded_unlock();
}

static void in_parent(void) {
  if (--depth) return;
  mms_gate_open();
  unlock();
}

static void in_child(void) {
  if (--depth) return;
  mms_gate_open_in_child();
  unlock();
  if (atomic_load(&had_threads)) atomic_store(&lost_threads, true);
}

void mms_fork_watch(void) { pthread_atfork(before_fork, in_parent, in_child); }

__attribute__((constructor)) static void watch_first(void) {
  is_seen = pthread_atfork(before_fork, in_parent, in_child) == 0;
}
