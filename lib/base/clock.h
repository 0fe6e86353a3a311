/* clock.h: a monotonic clock. */
#ifndef MMS_CLOCK_H
#define MMS_CLOCK_H

#include <time.h>

/* Nanoseconds from some point in time. */
static inline double mms_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#endif
