/* at_once.h: how many threads a region gets here, and whether two of them run at the same time, undisturbed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AT_ONCE_H
#define AT_ONCE_H

#include <omp.h>

#include "sanitized.h"

/* How many threads a region gets that asks for `threads`: OMP_THREAD_LIMIT may allow fewer, or OMP_DYNAMIC on few
 * CPUs. */
static inline int team_of(int threads) {
  int team = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  team = omp_get_num_threads();
  return team;
}

static inline bool are_two_at_once(void) { return team_of(2) == 2 && omp_get_num_procs() > 1 && !is_instrumented(); }

#endif
