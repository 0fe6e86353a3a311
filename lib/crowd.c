/* crowd.c: the clock, and one number that all threads share. */
#include "crowd.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds: a wait that is none for the last tile of another, and for how long the cores are left alone. */
static const double LONG_WAIT = 1e6, WINDOW = 1e8;

static _Atomic uint64_t until; /* on the coarse clock; 0: never seen */

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#if defined(CLOCK_MONOTONIC_COARSE)
static double coarse(void) { return now(CLOCK_MONOTONIC_COARSE); }
#else
static double coarse(void) { return now(CLOCK_MONOTONIC); }
#endif

bool mms_crowd_is_here(void) {
  uint64_t end = atomic_load_explicit(&until, memory_order_relaxed);
  return end != 0 && coarse() < (double)end;
}

double mms_crowd_clock(void) { return now(CLOCK_MONOTONIC); }

void mms_crowd_saw(double start, double idle, double end) {
  if (end - idle > LONG_WAIT && end - idle > (end - start) / 2)
    atomic_store_explicit(&until, (uint64_t)(coarse() + WINDOW), memory_order_relaxed);
}
