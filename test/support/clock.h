/* clock.h: wall time, or the CPU time of a thread or the process, in seconds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline double clock_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double seconds(void) { return clock_of(CLOCK_MONOTONIC); }

#endif
