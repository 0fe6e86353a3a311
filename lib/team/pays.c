/* pays.c: a few numbers that all threads share: what waits were like of late. */
#include "team/pays.h"

#include "base/clock.h"
#include <stdatomic.h>
#include <stdint.h>

/* Nanoseconds. AWAKE: longer than any wait for threads that are awake. SLICE: longer than any wait for threads to be
 * woken, and for their last tiles. LONGEST: no wait for the time slices of others is longer, so no more is counted; a
 * process that was stopped for an hour was not held up for an hour. */
static const double AWAKE = 10e3, SLICE = 1e6, LONGEST = 100e6;

/* HOLDS: after such a wait, one thread does all runs for so many times as long, so that whatever holds runs up does so
 * for a small part of the time. SAVES: threads are woken again when they would have saved so many times what it costs
 * to wake them. */
enum { HOLDS = 10, SAVES = 4 };

static _Atomic uint64_t held_until;  /* 0: never held up */
static _Atomic uint64_t debt, since; /* nanoseconds that teams were held up, less what was forgotten until then */
static _Atomic uint64_t last, costs; /* nanoseconds to wake threads: last time; lesser of last two times */
static _Atomic int64_t left;         /* nanoseconds that may still be forgone before threads are woken again */

bool mms_pays_contended(void) {
  const uint64_t end = atomic_load_explicit(&held_until, memory_order_relaxed);
  return end != 0 && mms_clock() < (double)end;
}

/* Half of it is forgotten each second. */
static uint64_t debt_at(uint64_t now) {
  const uint64_t all = atomic_load_explicit(&debt, memory_order_relaxed);
  const uint64_t seconds = all ? (now - atomic_load_explicit(&since, memory_order_relaxed)) / 1000000000 : 0;
  return seconds < 64 ? all >> seconds : 0;
}

double mms_pays_debt(void) {
  return atomic_load_explicit(&debt, memory_order_relaxed) ? (double)debt_at((uint64_t)mms_clock()) : 0;
}

bool mms_pays(double saves) {
  if (mms_pays_contended() || saves < mms_pays_debt()) return false;
  const uint64_t now = atomic_load_explicit(&costs, memory_order_relaxed);
  if (now == 0 || saves > (double)now) return true;
  return atomic_fetch_sub_explicit(&left, (int64_t)saves, memory_order_relaxed) <= 0;
}

static void record_wake(double waited) {
  const uint64_t now = (uint64_t)waited, before = atomic_load_explicit(&last, memory_order_relaxed);
  if (now == 0 && before == 0) return;
  atomic_store_explicit(&last, now, memory_order_relaxed);
  atomic_store_explicit(&left, SAVES * (int64_t)now, memory_order_relaxed);
  atomic_store_explicit(&costs, now < before ? now : before, memory_order_relaxed);
}

/* A wait that is no longer than the work besides is neither. */
void mms_pays_record(double took, double waited) {
  const bool is_long = waited > took / 2, is_slice = is_long && waited > SLICE;
  record_wake(is_long && waited > AWAKE && waited < SLICE ? waited : 0);
  if (!is_slice) return;
  const double held_up = waited < LONGEST ? waited : LONGEST, now = mms_clock();
  const uint64_t owed = debt_at((uint64_t)now) + (uint64_t)held_up;
  atomic_store_explicit(&held_until, (uint64_t)(now + HOLDS * held_up), memory_order_relaxed);
  atomic_store_explicit(&since, (uint64_t)now, memory_order_relaxed);
  atomic_store_explicit(&debt, owed, memory_order_relaxed);
}
