/* timing.h: times contenders in rounds, each round in another order, so that drift of the machine affects all of them.
 */
#ifndef TIMING_H
#define TIMING_H

#include "contender.h"

/* Seconds from some point in the past. */
double timing_now(void);

/* From now on everything is timed for a twentieth as long, which shows everything but how fast it is. */
void timing_be_brief(void);

/* So many seconds, or a twentieth. */
double timing_shortened(double seconds);

/* Checks every contender's result; one that is wrong has a refusal from then on. */
void timing_check(race *r);

/* Runs each contender that has no refusal once per round; in place, over zeros. A run shorter than a millisecond, or
 * what timing_shortened() makes of it, is repeated until it lasts that long. Sets `seconds`, `fastest` and `quartile`
 * of every contender that ends without a refusal. Times handoffs between threads too. False if memory does not suffice.
 */
bool timing_race(race *r, int rounds);

/* Two contenders beside each other. */
typedef struct duel {
  double seconds[2]; /* of one run: the median of the rounds */
  double fastest[2]; /* the fastest round */
  double ratio;      /* seconds of the second over those of the first: the median of the rounds */
  int rounds;
  long runs; /* of each in a round */
} duel;

/* Times the two in turns: first, second in one round, second, first in the next, so that neither gains by its place.
 * `rounds`, an odd number of which is one more, may be 0: as many as fit in 0.75 s, but at least ten. A run shorter
 * than a tenth of a millisecond is repeated until it lasts that long, equally often for both. False if memory does not
 * suffice. */
bool timing_duel(const contender *first, const contender *second, int rounds, duel *d);

#endif
