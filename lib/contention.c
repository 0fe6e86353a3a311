/* contention.c: one number that all threads share. */
#include "contention.h"

#include "clock.h"
#include <stdatomic.h>
#include <stdint.h>

/* After a wait, one thread does all runs for so many times as long as the wait: so whatever holds runs up does so for a
 * small part of the time. */
static const double TIMES = 10;

/* Nanoseconds: no wait for the time slices of others is longer, so no more is counted. A process that was stopped for
 * an hour was not held up for an hour. */
static const double LONGEST = 100e6;

static _Atomic uint64_t until; /* 0: never seen */

bool mms_contended(void) {
  uint64_t end = atomic_load_explicit(&until, memory_order_relaxed);
  return end != 0 && mms_clock() < (double)end;
}

void mms_contention_record(double took, double waited) {
  if (waited <= MMS_CONTENTION_WAIT || waited <= took / 2) return;
  const double held_up = waited < LONGEST ? waited : LONGEST;
  atomic_store_explicit(&until, (uint64_t)(mms_clock() + TIMES * held_up), memory_order_relaxed);
}
