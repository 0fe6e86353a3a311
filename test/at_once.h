/* at_once.h: how many threads run here, and whether two of them do at the same time, undisturbed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AT_ONCE_H
#define AT_ONCE_H

#include <omp.h>

#include "sanitized.h"

/* How many threads come where so many are asked for: fewer by OMP_THREAD_LIMIT, or by OMP_DYNAMIC on few CPUs. */
static inline int team_of(int threads) {
  int team = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  team = omp_get_num_threads();
  return team;
}

static inline bool are_two_at_once(void) { return team_of(2) == 2 && omp_get_num_procs() > 1 && !is_instrumented(); }

#endif
