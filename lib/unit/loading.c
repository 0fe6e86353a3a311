/* loading.c: a lock that its holder may take again. */
#include "unit/loading.h"

#include "base/cancel.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local unsigned depth; /* of locking, by this thread */
static int cancel_before;            /* the cancellation state of the thread that holds the lock */

void mms_loading_lock(void) {
  if (depth++) return;
  int before = mms_cancel_disable();
  pthread_mutex_lock(&lock);
  cancel_before = before;
}

void mms_loading_unlock(void) {
  if (--depth) return;
  int before = cancel_before;
  pthread_mutex_unlock(&lock);
  mms_cancel_restore(before);
}

void mms_loading_once(atomic_bool *is_done, void (*call)(void *library), void *library) {
  if (atomic_load_explicit(is_done, memory_order_acquire)) return;
  mms_loading_lock();
  if (!atomic_load_explicit(is_done, memory_order_relaxed)) {
    call(library);
    atomic_store_explicit(is_done, true, memory_order_release);
  }
  mms_loading_unlock();
}
