/* handoff.c: a number that two threads send back and forth.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "handoff.h"
#include "timing.h"

#include <math.h>
#include <omp.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { TRIPS = 16, BLOCKS = 64, LOOKS = 4096, OVER = -1 };
static const double PATIENCE = 10e-3; /* seconds: threads that share a core are a thousand times slower */

static alignas(128) atomic_long ball;

/* The other thread: sends each odd number back, one larger, unless OVER has replaced it by then. */
static void answer(void) {
  long seen;
  while ((seen = ball) != OVER)
    if (seen % 2 == 1) atomic_compare_exchange_strong(&ball, &seen, seen + 1);
}

/* Sends an odd number, and waits until it is back or time is up. */
static void send_once(long odd, double end) {
  ball = odd;
  for (unsigned looks = 1; ball != odd + 1; looks++)
    if (looks % LOOKS == 0 && timing_now() > end) return;
}

/* Seconds of the fastest block that there is time for. Where time runs out in the first block, the result is too short
 * for a whole block, but long enough to show that the threads share a core. */
static double send(void) {
  const double start = timing_now(), end = start + PATIENCE;
  double fastest = INFINITY, before = start;
  for (int block = 0; block < BLOCKS && before < end; block++) {
    for (long trip = 0; trip < TRIPS; trip++) send_once(2 * trip + 1, end);
    const double now = timing_now();
    fastest = fmin(fastest, now - before);
    before = now;
  }
  ball = OVER;
  return fastest;
}

double handoff_seconds(void) {
  double block = 0;
  ball = 0;
#pragma omp parallel num_threads(2)
  {
    const bool both = omp_get_num_threads() == 2;
    if (both && omp_get_thread_num() == 1) answer();
    if (both && omp_get_thread_num() == 0) block = send();
  }
  return block / (2 * TRIPS);
}
