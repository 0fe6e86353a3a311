/* wake.c: what waking threads has cost, and what they would have saved since. */
#include "wake.h"

#include "contention.h"
#include <stdatomic.h>
#include <stdint.h>

/* Nanoseconds: longer than any wait for threads that are awake. */
static const double AWAKE = 10e3;

/* Threads are woken again when they would have saved so many times what it costs to wake them. */
enum { TIMES = 4 };

static _Atomic uint64_t last, costs; /* nanoseconds to wake threads: last time; lesser of last two times */
static _Atomic int64_t left;         /* nanoseconds that may still be forgone before threads are woken again */

bool mms_wake_pays(double saves) {
  const uint64_t now = atomic_load_explicit(&costs, memory_order_relaxed);
  if (now == 0 || saves > (double)now) return true;
  return atomic_fetch_sub_explicit(&left, (int64_t)saves, memory_order_relaxed) <= 0;
}

void mms_wake_record(double took, double waited) {
  const bool slept = waited > AWAKE && waited < MMS_CONTENTION_WAIT && waited > took / 2;
  const uint64_t now = slept ? (uint64_t)waited : 0, before = atomic_load_explicit(&last, memory_order_relaxed);
  if (now == 0 && before == 0) return;
  atomic_store_explicit(&last, now, memory_order_relaxed);
  atomic_store_explicit(&left, TIMES * (int64_t)now, memory_order_relaxed);
  atomic_store_explicit(&costs, now < before ? now : before, memory_order_relaxed);
}
