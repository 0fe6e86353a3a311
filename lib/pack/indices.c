/* indices.c: loops over results, for both sizes. Results seldom change, so most groups of them are alike. */
#include "pack/indices.h"

#include <string.h>

enum { GROUP = 16 };

#define T       uint32_t
#define NAME(f) f##_4
#include "pack/indices_body.inc"

#define T       uint64_t
#define NAME(f) f##_8
#include "pack/indices_body.inc"

int64_t mms_indices_write(const mms_indices *a, const void *before, int64_t index, const void *after) {
  return a->size == 4 ? write_4(a, before, index, after) : write_8(a, before, index, after);
}

size_t mms_indices_find(size_t size, size_t n, const void *x, bool reverse, const void *value) {
  return size == 4 ? find_4(n, x, reverse, value) : find_8(n, x, reverse, value);
}
