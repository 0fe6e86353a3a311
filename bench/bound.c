/* bound.c: memory traffic of a scan, without the scan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
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

/* Inlined into a function for each width, whose instructions the compiler then takes. */
static inline __attribute__((always_inline)) void update_lines(size_t lines, char *y, uint64_t add) {
  typedef uint64_t line __attribute__((vector_size(LINE), may_alias));
  line *at = (line *)(void *)y;
  for (size_t i = 0; i < lines; i++) at[i] += add;
}

/* The sum of all, that no line be left unread. */
static inline __attribute__((always_inline)) uint64_t read_lines(size_t lines, const char *x) {
  enum { AT_ONCE = 4, NUMBERS_IN_LINE = LINE / sizeof(uint64_t) };
  typedef uint64_t line __attribute__((vector_size(LINE), may_alias));
  const line *at = (const line *)(const void *)x;
  line sums[AT_ONCE] = {{0}};
  for (size_t i = 0; i < lines / AT_ONCE * AT_ONCE; i += AT_ONCE)
    for (size_t k = 0; k < AT_ONCE; k++) sums[k] += at[i + k];
  for (size_t i = lines / AT_ONCE * AT_ONCE; i < lines; i++) sums[0] += at[i];
  sums[0] += sums[1] + sums[2] + sums[3];
  uint64_t sum = 0;
  for (size_t i = 0; i < NUMBERS_IN_LINE; i++) sum += sums[0][i];
  return sum;
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
  size_t begin, lines; /* begin in bytes */
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

static uint64_t nothing_to_add(void) {
  static volatile uint64_t nothing; /* zero, which the compiler cannot know: y stays as it is */
  return nothing;
}

void bound_update(size_t size, void *y, int threads) {
  update_function *update = best_update();
  const uint64_t add = nothing_to_add();
  const size_t lines = size / LINE;
  char *bytes = y;
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

/* Pieces go to whoever comes for them; thread 0 is the one that leads. */
uint64_t bound_read_ahead(size_t size, const void *x, void *y, int threads) {
  enum { PIECE = 262144 }; /* bytes, which stay in a core's own cache from the first reading to the second */
  const size_t pieces = (size + PIECE - 1) / PIECE;
  copy_function *copy = best_stream();
  update_function *update = best_update();
  read_function *read = best_read();
  uint64_t read_of_all = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : read_of_all)
  for (size_t i = 0; i < pieces; i++) {
    const size_t begin = i * PIECE, left = size - begin, lines = (left < PIECE ? left : PIECE) / LINE;
    const char *from = (const char *)x + begin;
    char *to = (char *)y + begin;
    if (omp_get_thread_num() > 0) read_of_all += read(lines, from);
    if (x == y)
      update(lines, to, nothing_to_add());
    else
      copy(lines, from, to);
  }
  const size_t whole = size / LINE * LINE;
  if (x != y) memcpy((char *)y + whole, (const char *)x + whole, size - whole);
  return read_of_all;
}
