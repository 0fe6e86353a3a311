/* operation.h: what the bench times beside scans: an operation of the library on arrays of some shape, beside loops and
 * other libraries that do the same, and copying.
 *
 * To add an operation, write a file that defines a row, and add a line to the table in operations.c. */
#ifndef OPERATION_H
#define OPERATION_H

#include "lineup.h"

typedef struct operation {
  const char *name, *what;
  const char *type, *to; /* what it is timed with, unless --type, --to and --shape say otherwise; to NULL: as x */
  size_t sizes[MOST_RANK], rank;
  size_t (*room)(const race_shape *shape); /* elements that x and y have room for; NULL: as many as the shape has */
  const char *(*refusal)(const number_pair *pair, const race_shape *shape); /* NULL: it can be timed */

  /* Makes x of whole numbers from -4 to 4, which are there; NULL: they are x. */
  void (*fill)(size_t n, void *x);

  /* Makes what is read beside x, by array_make(); NULL: nothing is. For want of memory it returns NULL. */
  void *(*beside)(const race *r, size_t *bytes);

  /* Adds those that have one thread; and those that have so many. */
  void (*add_alone)(race *r, lineup_filter *filter);
  void (*add)(race *r, lineup_filter *filter, int threads);
} operation;

extern const operation operation_integral, operation_segments, operation_starts, operation_decay, operation_recurrence,
    operation_filter, operation_custom;

/* Row `index` of the table; NULL past its end. */
const operation *operation_at(size_t index);

/* ---- For all of them --------------------------------------------------------------------------------------------- */

/* Seconds that so many calls take, where OpenMP has the contender's threads; NaN if one fails. */
double operation_time(const contender *c, long runs, mmscan_status (*call)(const contender *c));

/* Adds a call of the library; it gets a refusal if it cannot have so many threads. NULL: the filter rejects it. */
contender *operation_add_call(race *r, lineup_filter *filter, const char *name, int threads,
                              double (*run)(const contender *, long), size_t (*verify)(contender *));

/* Adds a loop of peer_loops.h; it gets a refusal if it was compiled for another CPU. */
contender *operation_add_loop(race *r, lineup_filter *filter, const char *name, double (*run)(const contender *, long),
                              size_t (*verify)(contender *));

/* Adds the sums of all elements of x, as one scan, to compare with. */
void operation_add_sums(race *r, lineup_filter *filter, int threads);

#endif
