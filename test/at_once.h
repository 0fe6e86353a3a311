/* at_once.h: whether two threads of a team run at the same time here, and undisturbed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AT_ONCE_H
#define AT_ONCE_H

#include <omp.h>

#include "sanitized.h"

static inline bool are_two_at_once(void) {
  int team = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  team = omp_get_num_threads();
  return team == 2 && omp_get_num_procs() > 1 && !is_instrumented();
}

#endif
