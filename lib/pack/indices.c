/* indices.c: for both sizes of results, by the best instruction set. */
#include "pack/storages.h"

#include <stdalign.h>
#include <string.h>

#define HIGHEST(m) (31 - __builtin_clz(2 * (m) + 1))
#define LOWEST(m)  __builtin_ffs(m)
#define UP(m)                                                                                                          \
  {                                                                                                                    \
    HIGHEST((m)&1), HIGHEST((m)&3), HIGHEST((m)&7), HIGHEST((m)&15), HIGHEST((m)&31), HIGHEST((m)&63),                 \
        HIGHEST((m)&127), HIGHEST(m)                                                                                   \
  }
#define DOWN(m)                                                                                                        \
  {                                                                                                                    \
    LOWEST(m), LOWEST((m)&254), LOWEST((m)&252), LOWEST((m)&248), LOWEST((m)&240), LOWEST((m)&224), LOWEST((m)&192),   \
        LOWEST((m)&128)                                                                                                \
  }
#define FOUR(row, m)    row(m), row((m) + 1), row((m) + 2), row((m) + 3)
#define SIXTEEN(row, m) FOUR(row, m), FOUR(row, (m) + 4), FOUR(row, (m) + 8), FOUR(row, (m) + 12)
#define SOME(row, m)    SIXTEEN(row, m), SIXTEEN(row, (m) + 16), SIXTEEN(row, (m) + 32), SIXTEEN(row, (m) + 48)
#define ALL(row)        SOME(row, 0), SOME(row, 64), SOME(row, 128), SOME(row, 192)

alignas(64) const int8_t mms_indices_last[2][1 << MMS_INDICES_ROW][MMS_INDICES_ROW] = {{ALL(UP)}, {ALL(DOWN)}};

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
