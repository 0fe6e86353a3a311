/* stream.h: the fence after stores that go past the caches, which are non-temporal on x86-64 and plain elsewhere. */
#ifndef MMS_STREAM_H
#define MMS_STREAM_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Orders streamed stores before every later store of this thread. */
static inline void mms_stream_fence(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

#endif
