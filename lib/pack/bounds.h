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

/* Results below `low` become that, those above `high` become that, and those of neutral elements become `low`. Returns
 * whether all elements, of `size` bytes each, are at least the neutral one; a NaN is not. */
bool mms_bounds_bind(size_t size, const mms_bounds *bounds);

#endif
