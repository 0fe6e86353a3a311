/* clock.h: a monotonic clock, and sleep. */
#ifndef MMS_CLOCK_H
#define MMS_CLOCK_H

#include "base/cancel.h"
#include <time.h>

/* Nanoseconds from some point in time. */
static inline double mms_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Sleeps for less than a second, or until a signal. */
static inline void mms_clock_sleep(long nanoseconds) {
  const int before = mms_cancel_disable();
  nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
  mms_cancel_restore(before);
}

#endif
