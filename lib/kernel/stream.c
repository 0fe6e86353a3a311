/* stream.c: non-temporal stores where the machine has them in its base instruction set (x86-64), memcpy elsewhere. */
#include "kernel/stream.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64 };

/* Whole cache lines only: a line that is streamed in part costs a read of the rest. */
static void stream_lines(char *to, const char *from, size_t lines) {
  for (size_t i = 0; i < lines; i++, to += LINE, from += LINE)
    for (int part = 0; part < LINE; part += 16)
      _mm_stream_si128((__m128i *)(void *)(to + part), _mm_loadu_si128((const __m128i *)(const void *)(from + part)));
}

void mms_stream_copy(void *to, const void *from, size_t bytes) {
  size_t head = -(uintptr_t)to % LINE;
  if (head > bytes) head = bytes;
  size_t lines = (bytes - head) / LINE, done = head + lines * LINE;
  memcpy(to, from, head);
  stream_lines((char *)to + head, (const char *)from + head, lines);
  memcpy((char *)to + done, (const char *)from + done, bytes - done);
}

void mms_stream_fence(void) { _mm_sfence(); }

#else

void mms_stream_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
void mms_stream_fence(void) {}

#endif
