/* array.c: type, shape and byte order of the numbers in a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "array.h"

/* Like NumPy, refuses a shape that would be too large without its zeros, although the array is empty. */
bool array_count(array *a) {
  uint64_t left = (uint64_t)INT64_MAX / a->type->size;
  bool empty = false;
  a->count = 1;
  a->count_known = true;
  for (int i = 0; i < a->dims; i++) {
    empty |= a->shape[i] == 0;
    if (a->shape[i] == 0) continue;
    if (a->shape[i] > left) return false;
    left /= a->shape[i];
    a->count *= a->shape[i];
  }
  if (empty) a->count = 0;
  return true;
}

void array_flatten(array *a) {
  a->fortran = false;
  a->dims = 1;
  a->shape[0] = a->count;
}
