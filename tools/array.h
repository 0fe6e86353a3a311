/* array.h: type, shape and byte order of the numbers in a file. */
#ifndef ARRAY_H
#define ARRAY_H

#include "element.h"

#include <stdbool.h>
#include <stdint.h>

#define ARRAY_MAX_DIMS 64 /* as in NumPy 2 */

typedef struct array {
  const element *type;
  bool swapped; /* the byte order is not this machine's */
  bool fortran; /* in Fortran order: contiguous along the first axis */
  int dims;
  uint64_t shape[ARRAY_MAX_DIMS];
  bool count_known; /* false only for raw data from a pipe */
  uint64_t count;   /* of elements */
} array;

/* Makes the array one row of a->count elements. */
static inline void array_flatten(array *a) {
  a->fortran = false;
  a->dims = 1;
  a->shape[0] = a->count;
}

#endif
