/* timing.h: contenders timed in turn, round after round, so that a machine that drifts drifts for all of them; each
 * round in another order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TIMING_H
#define TIMING_H

#include "contender.h"

/* Seconds from some point in the past. */
double timing_now(void);

/* Checks every contender's result: who is wrong has a refusal from then on. */
void timing_check(race *r);

/* Runs each contender that has no refusal once a round. A run shorter than a millisecond is repeated until it lasts
 * that long. A contender that gets `seconds` from this has no refusal. Handoffs between threads are timed too. False
 * where there is no memory. */
bool timing_race(race *r, int rounds);

#endif
