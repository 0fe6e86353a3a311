/* operation.h: what the bench times beside scans: an operation of the library on arrays of some shape, beside loops and
 * other libraries that do the same, and copying.
 *
 * To add an operation, write a file that defines a row, and add a line to the table in operations.c. */
#ifndef OPERATION_H
#define OPERATION_H

#include "lineup.h"

typedef struct operation {
  const char *name, *what;
  const char *type, *to; /* what it is timed with, unless --type, --to and --shape say otherwise */
  size_t sizes[MOST_RANK], rank;
  size_t (*room)(const race_shape *shape);                                  /* elements that x and y have room for */
  const char *(*refusal)(const number_pair *pair, const race_shape *shape); /* NULL: it can be timed */

  /* Adds those that have one thread; and those that have so many. */
  void (*add_alone)(race *r, lineup_filter *filter);
  void (*add)(race *r, lineup_filter *filter, int threads);
} operation;

extern const operation operation_integral;

/* Row `index` of the table; NULL past its end. */
const operation *operation_at(size_t index);

#endif
