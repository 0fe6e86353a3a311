/* bound.c: memory traffic of a scan, without the scan. */
#include "bound.h"

#include <omp.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
static void copy_line(uint64_t *to, const uint64_t *from) {
  for (int i = 0; i < 8; i += 2)
    _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
}
#else
static void copy_line(uint64_t *to, const uint64_t *from) { memcpy(to, from, 64); }
#endif

/* Arrays are aligned to 64 bytes; what is left over after whole lines is not worth copying for a bound. */
void bound_copy(size_t n, size_t size, const void *x, void *y, int threads) {
  size_t lines = n * size / 64;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t i = 0; i < lines; i++) copy_line((uint64_t *)y + 8 * i, (const uint64_t *)x + 8 * i);
}

void bound_update(size_t n, size_t size, void *y, int threads) {
  static volatile uint64_t nothing; /* zero, which the compiler cannot know: y stays as it is */
  uint64_t *words = y, add = nothing;
  size_t count = n * size / 8;
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (size_t i = 0; i < count; i++) words[i] += add;
}
