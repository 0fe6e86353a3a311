/* repeat.h: many cases, each drawn from a seed of its own, so that one line repeats one that fails, or crashes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Case k of a run has the seed MMSCAN_TEST_SEED + k; MMSCAN_TEST_COUNT says how many there are.
 */
#ifndef REPEAT_H
#define REPEAT_H

#include <signal.h>

#include "test.h"

static char repeat_line[100];

static inline void repeat_tell(int signal_number) {
  const ssize_t written = write(STDERR_FILENO, repeat_line, strlen(repeat_line));
  (void)written;
  signal(signal_number, SIG_DFL);
}

/* Which case it is from now on. */
static inline struct rng repeat_begin(uint64_t case_seed) {
  snprintf(repeat_line, sizeof repeat_line, "MMSCAN_TEST_SEED=%llu MMSCAN_TEST_COUNT=1: it crashes\n",
           (unsigned long long)case_seed);
  return (struct rng){case_seed * UINT64_C(0x9e3779b97f4a7c15)};
}

static inline size_t repeat_count(size_t usual) {
  const char *asked = getenv("MMSCAN_TEST_COUNT");
  signal(SIGSEGV, repeat_tell);
  signal(SIGBUS, repeat_tell);
  signal(SIGFPE, repeat_tell);
  return asked ? (size_t)strtoull(asked, NULL, 0) : usual;
}

#endif /* REPEAT_H */
