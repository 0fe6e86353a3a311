/* notifier.c: waits by spinning, then by sleeping. */
#include "team/notifier.h"

enum { SPINS = 4000 }; /* looks before a thread sleeps: about the time of a tile */

static inline void pause_core(void) {
#ifdef __x86_64__
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* A long wait means that the thread waited for is not running. Sleeping gives it a core, and the waiter has one soon
 * after it is woken; spinning on, or yielding to whatever else wants the core, was measured to stall both for whole
 * time slices. */
static void sleep_until(mms_notifier *notifier, const atomic_size_t *what, size_t value) {
  pthread_mutex_lock(&notifier->lock);
  atomic_fetch_add(&notifier->sleepers, 1);
  while (atomic_load(what) != value) pthread_cond_wait(&notifier->changed, &notifier->lock);
  atomic_fetch_sub(&notifier->sleepers, 1);
  pthread_mutex_unlock(&notifier->lock);
}

void mms_notifier_wait(mms_notifier *notifier, const atomic_size_t *what, size_t value) {
  for (int spins = 0; spins < SPINS; spins++) {
    if (atomic_load(what) == value) return;
    pause_core();
  }
  sleep_until(notifier, what, value);
}

/* Sequentially consistent, like sleep_until(): either this thread sees the sleeper, or the sleeper sees the value. The
 * value is put there by an exchange, which costs no more on x86: QEMU 7.2 lets the load that follows overtake a store
 * (stlr, ldar of AArch64), so that a waiter slept for ever. */
void mms_notifier_set(mms_notifier *notifier, atomic_size_t *what, size_t value) {
  (void)atomic_exchange(what, value);
  if (atomic_load(&notifier->sleepers) == 0) return;
  pthread_mutex_lock(&notifier->lock);
  pthread_cond_broadcast(&notifier->changed);
  pthread_mutex_unlock(&notifier->lock);
}
