/* pack.c: loops over strides, for each size of elements. */
#include "pack/pack.h"

#include <stdint.h>
#include <string.h>

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

void mms_pack(size_t size, size_t n, const void *from, ptrdiff_t from_stride, void *to, ptrdiff_t to_stride) {
  switch (size) {
  case 1:
    pack_1(n, from, from_stride, to, to_stride);
    break;
  case 2:
    pack_2(n, from, from_stride, to, to_stride);
    break;
  case 4:
    pack_4(n, from, from_stride, to, to_stride);
    break;
  default:
    pack_8(n, from, from_stride, to, to_stride);
  }
}
