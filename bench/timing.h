/* timing.h: times contenders in rounds, each round in another order, so that drift of the machine affects all of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TIMING_H
#define TIMING_H

#include "contender.h"

/* Seconds from some point in the past. */
double timing_now(void);

/* Checks every contender's result; one that is wrong has a refusal from then on. */
void timing_check(race *r);

/* Runs each contender that has no refusal once per round; in place, over zeros. A run shorter than a millisecond is
 * repeated until it lasts that long. Sets `seconds` of every contender that ends without a refusal. Times handoffs
 * between threads too. False if memory does not suffice. */
bool timing_race(race *r, int rounds);

#endif
