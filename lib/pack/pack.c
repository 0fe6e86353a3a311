/* pack.c: loops over strides, for each size of elements, and conversions of what they gather. */
#include "pack/pack.h"

#include "base/stream.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum { GROUP = 4, LINE = 64 };

/* A complex number of two doubles. */
typedef struct pair {
  uint64_t re, im;
} pair;

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

#define ELEMENT pair
#define NAME(f) f##_16
#include "pack/pack_body.inc"

/* Copies n elements of `size` bytes, 1, 2, 4, 8 or 16. */
static void copy(size_t size, size_t n, const void *from, ptrdiff_t from_stride, void *to, ptrdiff_t to_stride,
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
  case 8:
    pack_8(n, from, from_stride, to, to_stride, ahead);
    break;
  default:
    pack_16(n, from, from_stride, to, to_stride, ahead);
  }
}

/* ---- Conversions ---------------------------------------------------------------------------------------------- */

/* Elements are gathered, and converted from there, so many bytes at a time. Contiguous ones are converted in pieces of
 * so many bytes, between which lines are prefetched: those of x so many bytes ahead. */
enum { CHUNK = 1024, PIECE = 512, AHEAD = 4096 };

static const char *at(const void *base, size_t i, ptrdiff_t stride, size_t size) {
  return (const char *)base + (ptrdiff_t)i * stride * (ptrdiff_t)size;
}

static void prefetch_lines(uintptr_t from, size_t bytes, const bool writes) {
  for (size_t i = 0; i < bytes; i += LINE)
    if (writes)
      __builtin_prefetch((const void *)(from + i), 1);
    else
      __builtin_prefetch((const void *)(from + i));
}

static void convert_ahead(const mms_storage *s, size_t n, const void *x, char *to, mms_ahead ahead) {
  const size_t most = PIECE / (s->x_size > s->y_size ? s->x_size : s->y_size);
  for (size_t done = 0, m; done < n; done += m) {
    m = n - done < most ? n - done : most;
    prefetch_lines((uintptr_t)x + done * s->x_size + AHEAD, m * s->x_size, false);
    prefetch_lines((uintptr_t)ahead.at + done * s->y_size, m * s->y_size, true);
    s->in(m, at(x, done, 1, s->x_size), to + done * s->size, n);
  }
}

void mms_pack(const mms_storage *s, size_t n, const void *x, ptrdiff_t stride, void *to, mms_ahead ahead) {
  alignas(LINE) char chunk[CHUNK];
  const size_t size = s->x_size, most = CHUNK / size;
  if (!s->in) {
    copy(size, n, x, stride, to, 1, ahead);
    return;
  }
  if (stride == 1 && ahead.at && ahead.stride == 1) {
    convert_ahead(s, n, x, to, ahead);
    return;
  }
  if (stride == 1) {
    s->in(n, x, to, n);
    return;
  }
  for (size_t done = 0, m; done < n; done += m) {
    m = n - done < most ? n - done : most;
    copy(size, m, at(x, done, stride, size), stride, chunk, 1, (mms_ahead){NULL, 0});
    s->in(m, chunk, (char *)to + done * s->size, n);
  }
}

void mms_unpack(const mms_storage *s, size_t n, const void *from, void *y, ptrdiff_t stride, mms_ahead ahead) {
  alignas(LINE) char chunk[CHUNK];
  const size_t size = s->y_size, most = CHUNK / size;
  if (!s->out) {
    copy(size, n, from, 1, y, stride, ahead);
    return;
  }
  if (stride == 1) {
    s->out(n, from, y, n);
    return;
  }
  for (size_t done = 0, m; done < n; done += m) {
    m = n - done < most ? n - done : most;
    s->out(m, (const char *)from + done * s->size, chunk, n);
    copy(size, m, chunk, 1, (char *)y + (ptrdiff_t)done * stride * (ptrdiff_t)size, stride, (mms_ahead){NULL, 0});
  }
}

void mms_unpack_past(const mms_storage *s, size_t n, const void *from, void *y) {
  alignas(LINE) char chunk[CHUNK];
  const size_t size = s->y_size, most = CHUNK / size;
  if (!s->out) mms_stream_copy(y, from, n * size);
  for (size_t done = 0, m; s->out && done < n; done += m) {
    m = n - done < most ? n - done : most;
    s->out(m, (const char *)from + done * s->size, chunk, n);
    mms_stream_copy((char *)y + done * size, chunk, m * size);
  }
}

/* ---- NaN ------------------------------------------------------------------------------------------------------- */

#define PART    float
#define NAME(f) f##_f32
#include "pack/nan_body.inc"

#define PART    double
#define NAME(f) f##_f64
#include "pack/nan_body.inc"

void mms_pack_without_nan(const mms_storage *s, size_t n, void *packed, const void *instead) {
  const bool is_complex = s->arithmetic == MMSCAN_C32 || s->arithmetic == MMSCAN_C64,
             is_pair = is_complex || s->planes == 2;
  const size_t parts = is_pair ? 2 : 1, step = is_complex ? 2 : 1, apart = is_complex ? 1 : n;
  if (s->arithmetic == MMSCAN_F32 || s->arithmetic == MMSCAN_C32)
    without_nan_f32(n, packed, parts, apart, step, instead);
  else
    without_nan_f64(n, packed, parts, apart, step, instead);
}
