/* timing.h: contenders timed in turn, round after round, so that a machine that drifts drifts for all of them. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stddef.h>

typedef struct contender {
  char name[48];
  void (*run)(void *context); /* one scan, or one copy */
  void *context;
  double seconds; /* of one run: the median of the rounds */
} contender;

/* Runs every contender once per round; a run shorter than a millisecond is repeated until it lasts that long. Returns
 * 0, or -1 where there is no memory. */
int time_contenders(contender *contenders, size_t count, int rounds);

#endif
