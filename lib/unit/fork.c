/* fork.c: what a fork() must not break. A child has only the calling thread: a lock that another thread held stays
 * taken for ever, and the threads of OpenMP, of the library and of the program are gone.
 *
 * One set of handlers serves every fork() and settles the order of locks. Before a fork() the handlers registered last
 * run first, and ours must be the first: those of OpenMP and of OpenBLAS take locks that a running product may wait
 * for. So ours are registered when the library is loaded, and again after such handlers were added. */
#include "unit/fork.h"

#include "base/child.h"
#include "unit/gate.h"
#include "unit/loading.h"
#include <pthread.h>
#include <stdatomic.h>
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
#include <sys/single_threaded.h>
#define HAS_THREADS (!__libc_single_threaded)
#else
#define HAS_THREADS true /* unknown, so assumed */
#endif

static atomic_bool had_threads;

/* Calls of before_fork() in this thread's current fork(): one for each time the handlers were registered. */
static _Thread_local unsigned depth;

/* Takes the locks in the same order as calls do. */
static void before_fork(void) {
  if (depth++) return;
  atomic_store(&had_threads, HAS_THREADS);
  mms_loading_lock();
  mms_gate_close();
}

static void in_parent(void) {
  if (--depth) return;
  mms_gate_open();
  mms_loading_unlock();
}

static void in_child(void) {
  if (--depth) return;
  if (atomic_load(&had_threads)) mms_child_lose_threads();
  mms_gate_open_in_child();
  mms_loading_unlock();
}

bool mms_fork_watch(void) { return pthread_atfork(before_fork, in_parent, in_child) == 0; }

__attribute__((constructor)) static void watch_first(void) {
  if (!mms_fork_watch()) mms_child_lose_threads();
}
