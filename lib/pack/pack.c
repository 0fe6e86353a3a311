/* pack.c: loops over strides, for each size of elements. */
#include "pack/pack.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { GROUP = 4, LINE = 64 };

/* The lines of GROUP elements: one, or one for each element. */
static inline __attribute__((always_inline)) void prefetch(uintptr_t at, ptrdiff_t step, const bool writes) {
  const bool is_one = step * GROUP <= LINE && -step * GROUP <= LINE;
  for (int i = 0; i < (is_one ? 1 : GROUP); i++)
    if (writes)
      __builtin_prefetch((const void *)(at + (uintptr_t)(i * step)), 1);
    else
      __builtin_prefetch((const void *)(at + (uintptr_t)(i * step)));
}

#define ELEMENT uint8_t
#define NAME(f) f##_1
#include "pack/pack_body.inc"

#define ELEMENT uint16_t
#define NAME(f) f##_2
#include "pack/pack_body.inc"

#define ELEMENT uint32_t
#define NAME(f) f##_4
#include "pack/pack_body.inc"

#define ELEMENT uint64_t
#define NAME(f) f##_8
#include "pack/pack_body.inc"

void mms_pack(size_t size, size_t n, const void *from, ptrdiff_t from_stride, void *to, ptrdiff_t to_stride,
              mms_ahead ahead) {
  switch (size) {
  case 1:
    pack_1(n, from, from_stride, to, to_stride, ahead);
    break;
  case 2:
    pack_2(n, from, from_stride, to, to_stride, ahead);
    break;
  case 4:
    pack_4(n, from, from_stride, to, to_stride, ahead);
    break;
  default:
    pack_8(n, from, from_stride, to, to_stride, ahead);
  }
}
