/* stream.c: non-temporal stores where the machine has them in its base instruction set (x86-64), memcpy elsewhere. */
#include "kernel/stream.h"

enum { LINE = 64 };

/* Whole cache lines only: a line that is streamed in part costs a read of the rest. */
static void stream_lines(char *to, const char *from, size_t lines) {
  for (size_t i = 0; i < lines * LINE; i += MMS_STREAM_WIDTH) mms_stream_vector(to + i, from + i);
}

void mms_stream_copy(void *to, const void *from, size_t bytes) {
  size_t head = -(uintptr_t)to % LINE;
  if (head > bytes) head = bytes;
  size_t lines = (bytes - head) / LINE, done = head + lines * LINE;
  memcpy(to, from, head);
  stream_lines((char *)to + head, (const char *)from + head, lines);
  memcpy((char *)to + done, (const char *)from + done, bytes - done);
}

void mms_stream_fence(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
