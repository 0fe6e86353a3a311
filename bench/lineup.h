/* lineup.h: who takes part in a race.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef LINEUP_H
#define LINEUP_H

#include "contender.h"
#include "units.h"

enum { MOST_NAMES = 16 };

/* The parts of names that were asked for; none: all contenders. */
typedef struct lineup_filter {
  const char *names[MOST_NAMES];
  bool met[MOST_NAMES]; /* a contender has that in its name: set by lineup_fill() */
  size_t count;
} lineup_filter;

/* Adds the bound, the serial loop, and every contender that passes the filter, on each of the thread counts. Those that
 * cannot run have a refusal. race->count is zero before. */
void lineup_fill(race *r, lineup_filter *filter, const int *threads, size_t thread_counts);

/* For races of other kinds: the bounds and the serial loop alone; */
void lineup_add_measures(race *r, const int *threads, size_t thread_counts);

/* and the engine gemm with a unit and matrices of s: it has a refusal where the library does not take them. */
void lineup_add_gemm(race *r, const bench_unit *unit, size_t s, int threads);

/* A unit that is slow by nature is not timed in a long race, which says nothing more about it. */
void lineup_refuse_slow(contender *c, const char *unit);

/* Gives back what the contenders own. */
void lineup_free(race *r);

/* The bound for so many threads, or that which there is where that count took no part. */
const contender *lineup_bound(const race *r, int threads);

/* The serial loop. */
const contender *lineup_loop(const race *r);

#endif
