/* timing.c: rounds and medians. */
#include "timing.h"

#include <stdlib.h>
#include <time.h>

static const double SHORTEST = 1e-3; /* seconds that a clock's grain is small against */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_runs(const contender *c, long runs) {
  double start = now();
  for (long i = 0; i < runs; i++) c->run(c->context);
  return now() - start;
}

/* Also the warm-up. */
static long runs_for(const contender *c) {
  long runs = 1;
  time_runs(c, runs);
  while (time_runs(c, runs) < SHORTEST) runs *= 2;
  return runs;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int time_contenders(contender *contenders, size_t count, int rounds) {
  double *seconds = malloc(count * (size_t)rounds * sizeof *seconds);
  long *runs = malloc(count * sizeof *runs);
  if (seconds && runs) {
    for (size_t c = 0; c < count; c++) runs[c] = runs_for(&contenders[c]);
    for (int round = 0; round < rounds; round++)
      for (size_t c = 0; c < count; c++)
        seconds[c * (size_t)rounds + (size_t)round] = time_runs(&contenders[c], runs[c]) / (double)runs[c];
    for (size_t c = 0; c < count; c++) contenders[c].seconds = median(seconds + c * (size_t)rounds, rounds);
  }
  int status = seconds && runs ? 0 : -1;
  free(seconds);
  free(runs);
  return status;
}
