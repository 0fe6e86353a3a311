/* indices.c: for both sizes of results, by the best instruction set. */
#include "pack/storages.h"

#include <string.h>

int64_t mms_indices_write(const mms_indices *a, const void *before, int64_t index, const void *after) {
  const mms_storages *best = mms_storages_best();
  return (a->size == 4 ? best->write_4 : best->write_8)(a, before, index, after);
}

static uint64_t bits_of(const void *element, size_t size) {
  uint32_t word;
  uint64_t two_words;
  if (size == 4) return memcpy(&word, element, sizeof word), word;
  return memcpy(&two_words, element, sizeof two_words), two_words;
}

size_t mms_indices_find(size_t size, size_t n, const void *x, bool reverse, const void *value) {
  const uint64_t bits = bits_of(value, size);
  size_t k = 0;
  while (k < n && bits_of((const char *)x + (reverse ? n - 1 - k : k) * size, size) != bits) k++;
  return k == n ? n : reverse ? n - 1 - k : k;
}
