/* stream.h: stores that go past the caches, which are non-temporal on x86-64 and plain elsewhere, and the fence after
 * them. */
#ifndef MMS_STREAM_H
#define MMS_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Orders streamed stores before every later store of this thread. */
static inline void mms_stream_fence(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/* Copies bytes; whole lines of `to` go past the caches. The two share no memory. */
static inline void mms_stream_copy(void *to, const void *from, size_t bytes) {
#if defined(__SSE2__)
  enum { LINE = 64, PART = sizeof(__m128i) };
  const size_t head = -(uintptr_t)to % LINE, before = head < bytes ? head : bytes;
  char *y = (char *)to + before;
  const char *x = (const char *)from + before;
  memcpy(to, from, before);
  for (bytes -= before; bytes >= LINE; bytes -= LINE, x += LINE, y += LINE)
    for (int k = 0; k < LINE; k += PART)
      _mm_stream_si128((__m128i *)(void *)(y + k), _mm_loadu_si128((const __m128i *)(const void *)(x + k)));
  memcpy(y, x, bytes);
#else
  memcpy(to, from, bytes);
#endif
}

#endif
