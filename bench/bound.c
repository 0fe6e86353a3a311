/* bound.c: the memory traffic of a scan, without the additions. */
#include "bound.h"

#include <omp.h>
#include <stdint.h>
#include <string.h>

enum { LINE = 64 };

/* ---- Whole lines, with the widest vectors of the CPU ------------------------------------------------------------- */

typedef void copy_function(size_t lines, const char *x, char *y);
typedef void update_function(size_t lines, char *y, uint64_t add);
typedef uint64_t read_function(size_t lines, const char *x);

static void copy_plain(size_t lines, const char *x, char *y) { memcpy(y, x, lines * LINE); }

/* Inlined into one function for each vector width, so that the compiler uses vectors of that width. */
static inline __attribute__((always_inline)) void update_lines(size_t lines, char *y, uint64_t add) {
  typedef uint64_t line __attribute__((vector_size(LINE), may_alias));
  line *at = (line *)(void *)y;
  for (size_t i = 0; i < lines; i++) at[i] += add;
}

static inline __attribute__((always_inline)) uint64_t read_lines(size_t lines, const char *x) {
  typedef uint64_t line __attribute__((vector_size(LINE), may_alias));
  const line *at = (const line *)(const void *)x;
  line sum = {0};
  for (size_t i = 0; i < lines; i++) sum ^= at[i];
  return sum[0];
}

static void update_plain(size_t lines, char *y, uint64_t add) { update_lines(lines, y, add); }

static uint64_t read_plain(size_t lines, const char *x) { return read_lines(lines, x); }

#ifdef __x86_64__
#include <immintrin.h>

static void stream_sse2(size_t lines, const char *x, char *y) {
  const __m128i *from = (const __m128i *)(const void *)x;
  __m128i *to = (__m128i *)(void *)y;
  for (size_t i = 0; i < 4 * lines; i++) _mm_stream_si128(to + i, _mm_load_si128(from + i));
  _mm_sfence();
}

__attribute__((target("avx2"))) static void stream_avx2(size_t lines, const char *x, char *y) {
  const __m256i *from = (const __m256i *)(const void *)x;
  __m256i *to = (__m256i *)(void *)y;
  for (size_t i = 0; i < 2 * lines; i++) _mm256_stream_si256(to + i, _mm256_load_si256(from + i));
  _mm_sfence();
}

__attribute__((target("avx512f"))) static void stream_avx512(size_t lines, const char *x, char *y) {
  for (size_t i = 0; i < lines; i++)
    _mm512_stream_si512((__m512i *)(void *)(y + LINE * i), _mm512_load_si512(x + LINE * i));
  _mm_sfence();
}

__attribute__((target("avx2"))) static void update_avx2(size_t lines, char *y, uint64_t add) {
  update_lines(lines, y, add);
}

__attribute__((target("avx512f"))) static void update_avx512(size_t lines, char *y, uint64_t add) {
  update_lines(lines, y, add);
}

__attribute__((target("avx2"))) static uint64_t read_avx2(size_t lines, const char *x) { return read_lines(lines, x); }

__attribute__((target("avx512f"))) static uint64_t read_avx512(size_t lines, const char *x) {
  return read_lines(lines, x);
}

static copy_function *best_stream(void) {
  if (__builtin_cpu_supports("avx512f")) return stream_avx512;
  return __builtin_cpu_supports("avx2") ? stream_avx2 : stream_sse2;
}

static update_function *best_update(void) {
  if (__builtin_cpu_supports("avx512f")) return update_avx512;
  return __builtin_cpu_supports("avx2") ? update_avx2 : update_plain;
}

static read_function *best_read(void) {
  if (__builtin_cpu_supports("avx512f")) return read_avx512;
  return __builtin_cpu_supports("avx2") ? read_avx2 : read_plain;
}
#else
static copy_function *best_stream(void) { return copy_plain; }
static update_function *best_update(void) { return update_plain; }
static read_function *best_read(void) { return read_plain; }
#endif

/* ---- Any size, by threads ---------------------------------------------------------------------------------------- */

typedef struct part {
  size_t begin, lines; /* begin is in bytes */
} part;

/* The lines of the calling thread. */
static part own_part(size_t lines) {
  const size_t index = (size_t)omp_get_thread_num(), parts = (size_t)omp_get_num_threads();
  const size_t begin = lines * index / parts, end = lines * (index + 1) / parts;
  return (part){LINE * begin, end - begin};
}

static void copy_by(copy_function *copy, size_t size, const char *x, char *y, int threads) {
  const size_t lines = size / LINE, whole = lines * LINE;
  if (threads == 1)
    copy(lines, x, y);
  else
#pragma omp parallel num_threads(threads)
  {
    const part own = own_part(lines);
    copy(own.lines, x + own.begin, y + own.begin);
  }
  memcpy(y + whole, x + whole, size - whole);
}

void bound_stream(size_t size, const void *x, void *y, int threads) { copy_by(best_stream(), size, x, y, threads); }

void bound_copy(size_t size, const void *x, void *y, int threads) {
  if (threads == 1)
    memcpy(y, x, size);
  else
    copy_by(copy_plain, size, x, y, threads);
}

void bound_update(size_t size, const void *x, void *y, int threads) {
  static volatile uint64_t nothing; /* zero, which the compiler cannot know: y does not change */
  update_function *update = best_update();
  const uint64_t add = nothing;
  const size_t lines = size / LINE;
  char *bytes = y;
  (void)x;
  if (threads == 1)
    update(lines, bytes, add);
  else
#pragma omp parallel num_threads(threads)
  {
    const part own = own_part(lines);
    update(own.lines, bytes + own.begin, add);
  }
  for (size_t i = lines * LINE; i < size; i++) bytes[i] = (char)(bytes[i] + (char)add);
}

void bound_read(size_t size, const void *x, int threads) {
  static volatile uint64_t kept; /* so that the reading is not left out */
  read_function *read = best_read();
  const size_t lines = size / LINE, whole = lines * LINE;
  const char *bytes = x;
  uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(^ : sum) if (threads > 1)
  {
    const part own = own_part(lines);
    sum ^= read(own.lines, bytes + own.begin);
  }
  for (size_t i = whole; i < size; i++) sum ^= (uint64_t)bytes[i];
  kept = kept ^ sum;
}

/* ---- Elements apart from each other ------------------------------------------------------------------------------ */

/* A number that the compiler cannot know to be zero, so that y does not change. */
static uint64_t nothing(void) {
  static volatile uint64_t zero;
  return zero;
}

/* Inlined for each size. Without x, y is updated. */
static inline __attribute__((always_inline)) void move_strided(size_t n, const size_t size, size_t stride,
                                                               const char *x, char *y, int threads) {
  const size_t step = size * stride;
  const uint64_t add = nothing();
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < n; i++) {
    uint64_t words[2] = {0, 0};
    memcpy(words, (x != NULL ? x : y) + i * step, size);
    if (x == NULL) words[0] += add, words[1] += add;
    memcpy(y + i * step, words, size);
  }
}

/* The loops that a compiler is given, of elements of 1, 2, 4, 8 or 16 bytes. */
static void move(size_t n, size_t size, size_t stride, const void *x, void *y, int threads) {
  switch (size) {
  case 1:
    move_strided(n, 1, stride, x, y, threads);
    break;
  case 2:
    move_strided(n, 2, stride, x, y, threads);
    break;
  case 4:
    move_strided(n, 4, stride, x, y, threads);
    break;
  case 8:
    move_strided(n, 8, stride, x, y, threads);
    break;
  default:
    move_strided(n, 16, stride, x, y, threads);
  }
}

void bound_copy_strided(size_t n, size_t size, size_t stride, const void *x, void *y, int threads) {
  move(n, size, stride, x, y, threads);
}

void bound_update_strided(size_t n, size_t size, size_t stride, void *y, int threads) {
  move(n, size, stride, NULL, y, threads);
}
