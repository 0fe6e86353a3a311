/* spread.c: tests how soon threads meet at barriers, and moves those that share a core.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "spread.h"
#include "timing.h"

#include <sched.h>
#include <stdbool.h>

enum { MEETINGS = 64 };
static const double SOON = 20e-6, PATIENCE = 20e-3; /* seconds for one meeting, and for all attempts */

static bool meet_soon(int threads) {
  const double start = timing_now();
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < MEETINGS; i++) {
#pragma omp barrier
  }
  return timing_now() - start < MEETINGS * SOON;
}

/* Moves the calling thread to a core that is not taken, if it is allowed on one. */
static void move(const cpu_set_t *taken) {
  cpu_set_t allowed, both, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_AND(&both, &allowed, taken);
  CPU_XOR(&others, &allowed, &both);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
    sched_setaffinity(0, sizeof allowed, &allowed);
}

/* The threads move in the order of their numbers, so that the calling thread, the first, stays where it is. */
static void move_apart(int threads) {
  cpu_set_t taken;
  CPU_ZERO(&taken);
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
  for (int i = 0; i < threads; i++) {
#pragma omp ordered
    {
      const int cpu = sched_getcpu();
      if (cpu >= 0 && CPU_ISSET((size_t)cpu, &taken)) move(&taken);
      CPU_SET((size_t)sched_getcpu(), &taken);
    }
  }
}

void spread_out(int threads) {
  const double end = timing_now() + PATIENCE;
  while (!meet_soon(threads) && timing_now() < end) move_apart(threads);
}
