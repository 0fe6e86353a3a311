/* indices.c: for both sizes of results, by the best instruction set. */
#include "pack/storages.h"

#include <string.h>

int64_t mms_indices_write(const mms_indices *a, const void *before, int64_t index, const void *after) {
  const mms_storages *best = mms_storages_best();
  return (a->size == 4 ? best->write_4 : best->write_8)(a, before, index, after);
}

size_t mms_indices_find(size_t size, size_t n, const void *x, bool reverse, const void *value) {
  size_t k = 0;
  while (k < n && memcmp((const char *)x + (reverse ? n - 1 - k : k) * size, value, size) != 0) k++;
  return k == n ? n : reverse ? n - 1 - k : k;
}
