/* bounds.h: results that are to stay between two others, by the best instruction set. */
#ifndef MMS_BOUNDS_H
#define MMS_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mms_bounds {
  size_t n;
  const void *x; /* elements, */
  void *y;       /*   and results, which they share no memory with; contiguous floats, or doubles, all of them */
  const void *neutral, *low, *high; /* one each */
} mms_bounds;

/* Whether all elements, of `size` bytes each, are at least `least`; a NaN is not. */
bool mms_bounds_are_least(size_t size, size_t n, const void *x, const void *least);

/* Results below `low` become that, those above `high` become that, and those of neutral elements become `low`. */
void mms_bounds_bind(size_t size, const mms_bounds *bounds);

#endif
