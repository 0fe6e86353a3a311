/* stream.c: the fence of non-temporal stores, where the machine has them. */
#include "kernel/stream.h"

void mms_stream_fence(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
