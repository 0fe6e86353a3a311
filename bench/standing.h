/* standing.h: where each unit stands in a contest. */
#ifndef STANDING_H
#define STANDING_H

#include "contest.h"

/* From this s on every unit multiplies; with s = 2 the engine gemm has most units only add a row to the next. */
enum { LEAST_MULTIPLIED = 4 };

/* A unit's long scans with the s that is fastest on the most threads. */
typedef struct placing {
  size_t s;                    /* 0: none was timed */
  size_t rank;                 /* 1 is the fastest; 0: none was timed */
  const contender *most, *one; /* on the most and on the fewest threads; NULL if it was not timed */
  const contender *product;    /* the fastest in tiles, by columns or by rows, with any of these s; or NULL */
} placing;

typedef struct standing {
  const bench_unit *unit;
  placing all, multiplied; /* with any s; with s >= LEAST_MULTIPLIED */
  const contender *peak;   /* the product with the most operations a second, on any number of threads; or NULL */
} standing;

/* Puts all units into rows, the fastest with any s first and those that failed last. Units share a rank where the
 * middle halves of their rounds overlap, or are joined by those of others: so all of a rank are clearly faster than all
 * of the next, which is one more than the number of units before it. */
void standing_rank(const contest *c, standing rows[MOST_UNITS]);

#endif
