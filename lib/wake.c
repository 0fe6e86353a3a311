/* wake.c: what it took to wake threads, and what has been saved since. */
#include "wake.h"

#include "crowd.h"
#include <stdatomic.h>
#include <stdint.h>

/* Nanoseconds: longer than any wait for threads that are awake. */
static const double AWAKE = 10e3;

/* So many times what it takes to wake threads is what they would have saved until they are woken again. */
enum { TIMES = 4 };

static _Atomic uint64_t last, costs; /* nanoseconds: what it took the last time; and the less of the last two times */
static _Atomic int64_t left;         /* to save, before threads are woken again */

bool mms_wake_pays(double saves) {
  const uint64_t now = atomic_load_explicit(&costs, memory_order_relaxed);
  if (now == 0 || saves > (double)now) return true;
  return atomic_fetch_sub_explicit(&left, (int64_t)saves, memory_order_relaxed) <= 0;
}

void mms_wake_saw(double took, double waited) {
  const bool slept = waited > AWAKE && waited < MMS_CROWD_WAIT && waited > took / 2;
  const uint64_t now = slept ? (uint64_t)waited : 0, before = atomic_load_explicit(&last, memory_order_relaxed);
  if (now == 0 && before == 0) return;
  atomic_store_explicit(&last, now, memory_order_relaxed);
  atomic_store_explicit(&left, TIMES * (int64_t)now, memory_order_relaxed);
  atomic_store_explicit(&costs, now < before ? now : before, memory_order_relaxed);
}
