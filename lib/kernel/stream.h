/* stream.h: stores that go past the caches, for memory that is passed over once. They are non-temporal where the
 * machine's base instruction set has such stores (x86-64), and plain elsewhere. */
#ifndef MMS_STREAM_H
#define MMS_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { MMS_STREAM_WIDTH = 16 }; /* bytes of a vector */

/* Stores one vector, to an address aligned to its width. In the header because it stands in loops. */
static inline void mms_stream_vector(void *to, const void *from) {
#if defined(__SSE2__)
  _mm_stream_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)from));
#else
  memcpy(to, from, MMS_STREAM_WIDTH);
#endif
}

/* Orders streamed stores before every later store of this thread. */
void mms_stream_fence(void);

#endif
