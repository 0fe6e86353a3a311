/* storage_cell.c: the table of pairs of types, with the conversions of one instruction set. The Makefile compiles it
 * once for each line of storage.def, with ISA as that line has it. */
#include "pack/storages.h"

#include "base/stream.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define PASTE(a, b)  a##_##b
#define PASTED(a, b) PASTE(a, b)

/* Whether the compiler has the instructions of a cell. */
#if defined(__AVX512VL__) && defined(__F16C__)
#define BUILT_avx512 true
#else
#define BUILT_avx512 false
#endif
#if defined(__AVX2__) && defined(__F16C__)
#define BUILT_avx2 true
#else
#define BUILT_avx2 false
#endif
#define BUILT_portable true

enum {
#define MMS_TYPE(name, type, kind, size) TYPE_##name = type, SIZE_##name = size,
#include "pack/types.def"
#undef MMS_TYPE
};

#include "pack/convert.inc"

/* ---- Indices -------------------------------------------------------------------------------------------------- */

/* Results that are looked at together, in rows; and indices that are held back where they do not go to neighbouring
 * places. */
enum { GROUP = 256, HELD = 512, LINE = 64 };

/* The result, in the order of the scan, whose element is forced; less than 0: none. That of an exclusive scan is of the
 * element before. */
static inline ptrdiff_t forced_result(const mms_indices *a) {
  return a->forced < a->n ? (ptrdiff_t)a->forced + a->exclusive : -1;
}

/* A bit for each place of a row that is 1. */
static inline unsigned bits_of_row(const uint8_t *places) {
  uint64_t ones;
  memcpy(&ones, places, sizeof ones);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  ones = __builtin_bswap64(ones);
#endif
  return (unsigned)(ones * 0x0102040810204080u >> 56);
}

typedef int64_t row __attribute__((vector_size(8 * MMS_INDICES_ROW), aligned(8), may_alias));
typedef int32_t row_32 __attribute__((vector_size(4 * MMS_INDICES_ROW)));
typedef int16_t row_16 __attribute__((vector_size(2 * MMS_INDICES_ROW)));
typedef int8_t row_8 __attribute__((vector_size(MMS_INDICES_ROW)));
#define WIDEN(from, to) __builtin_convertvector(from, to)

/* The indices of a group in which some places are new. index: of the result before it; first: of the result of lowest
 * address if that is new; step: from there to the next. Returns the index of the last. No branch, as a row may or may
 * not change. */
static __attribute__((noinline)) int64_t write_group(const uint8_t *places, int64_t index, int64_t first, int step,
                                                     bool reverse, int64_t *to) {
  for (int k = 0; k < GROUP; k += MMS_INDICES_ROW) {
    const int low = reverse ? GROUP - MMS_INDICES_ROW - k : k;
    const int8_t *last = mms_indices_last[reverse][bits_of_row(places + low)];
    const int64_t before_first = first + (low - 1) * step, end = last[reverse ? 0 : MMS_INDICES_ROW - 1] * step;
    const row_32 of_last = WIDEN(WIDEN(*(const row_8 *)(const void *)last, row_16), row_32);
    const row far = WIDEN(of_last * step, row), is_new = far != 0;
    *(row *)(void *)(to + low) = ((before_first + far) & is_new) | (index & ~is_new);
    const int64_t is_end_new = -(int64_t)(end != 0);
    index = ((before_first + end) & is_end_new) | (index & ~is_end_new);
  }
  return index;
}

static void put_indices(const mms_indices *a, ptrdiff_t low, ptrdiff_t m, const int64_t *held) {
  int64_t *to = a->to + low * a->to_stride;
  if (a->streams)
    mms_stream_copy(to, held, (size_t)m * sizeof *held);
  else
    for (ptrdiff_t i = 0; i < m; i++) to[i * a->to_stride] = held[i];
}

#define T       uint32_t
#define NAME(f) f##_4
#include "pack/indices_body.inc"

#define T       uint64_t
#define NAME(f) f##_8
#include "pack/indices_body.inc"

/* ---- Bounds --------------------------------------------------------------------------------------------------- */

typedef uint32_t mask_f32;
typedef uint64_t mask_f64;

#define T       float
#define NAME(f) f##_f32
#include "pack/bounds_body.inc"

#define T       double
#define NAME(f) f##_f64
#include "pack/bounds_body.inc"

/* ---- Sums of rows --------------------------------------------------------------------------------------------- */

/* An element of y is the element of x at its place, or shares no memory with x. Clang looks at the addresses itself,
 * and warns of what it is told and cannot use. */
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define T       uint32_t
#define NAME(f) f##_i32
#include "pack/sums_body.inc"

#define T       uint64_t
#define NAME(f) f##_i64
#include "pack/sums_body.inc"

#define T       float
#define NAME(f) f##_f32
#include "pack/sums_body.inc"

#define T       double
#define NAME(f) f##_f64
#include "pack/sums_body.inc"

/* ---- Heads of segments ---------------------------------------------------------------------------------------- */

#define NAME(f)      f##_1
#define T            u8
#define UNLIKE(k, i) ((k)[i] != (k)[(i)-1])
#include "pack/heads_body.inc"

#define NAME(f)      f##_2
#define T            u16
#define UNLIKE(k, i) ((k)[i] != (k)[(i)-1])
#include "pack/heads_body.inc"

#define NAME(f)      f##_4
#define T            u32
#define UNLIKE(k, i) ((k)[i] != (k)[(i)-1])
#include "pack/heads_body.inc"

#define NAME(f)      f##_8
#define T            u64
#define UNLIKE(k, i) ((k)[i] != (k)[(i)-1])
#include "pack/heads_body.inc"

#define NAME(f)      f##_f32
#define T            f32
#define UNLIKE(k, i) ((k)[i] != (k)[(i)-1])
#include "pack/heads_body.inc"

#define NAME(f)      f##_f64
#define T            f64
#define UNLIKE(k, i) ((k)[i] != (k)[(i)-1])
#include "pack/heads_body.inc"

/* Zeros of both signs are equal; a NaN, of which the exponent is all ones, is unlike anything. */
#define MAGNITUDE(h) ((h)&0x7FFF)
#define HALVES(a, b, infinity)                                                                                         \
  (((a) != (b) && MAGNITUDE((a) | (b)) != 0) | (MAGNITUDE(a) > (infinity)) | (MAGNITUDE(b) > (infinity)))

#define NAME(f)      f##_f16
#define T            u16
#define UNLIKE(k, i) HALVES((k)[i], (k)[(i)-1], 0x7C00)
#include "pack/heads_body.inc"

#define NAME(f)      f##_bf16
#define T            u16
#define UNLIKE(k, i) HALVES((k)[i], (k)[(i)-1], 0x7F80)
#include "pack/heads_body.inc"

#define NAME(f)      f##_c32
#define T            f32
#define UNLIKE(k, i) (((k)[2 * (i)] != (k)[2 * (i)-2]) | ((k)[2 * (i) + 1] != (k)[2 * (i)-1]))
#include "pack/heads_body.inc"

#define NAME(f)      f##_c64
#define T            f64
#define UNLIKE(k, i) (((k)[2 * (i)] != (k)[2 * (i)-2]) | ((k)[2 * (i) + 1] != (k)[2 * (i)-1]))
#include "pack/heads_body.inc"

/* Up to a word of bits. */
static inline uint64_t some_to_bits(size_t m, const uint8_t *bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < m; i++) bits |= (uint64_t)(bytes[i] != 0) << i;
  return bits;
}

#if defined(__AVX512BW__)
static inline uint64_t word_to_bits(const uint8_t *bytes) {
  const __m512i v = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(v, v);
}
#elif defined(__AVX2__)
static inline uint64_t half_to_bits(const uint8_t *bytes) {
  const __m256i v = _mm256_loadu_si256((const void *)bytes);
  return (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
}

static inline uint64_t word_to_bits(const uint8_t *bytes) {
  return half_to_bits(bytes) | half_to_bits(bytes + 32) << 32;
}
#else
/* In each byte the highest bit, if any is set; and these moved together. */
static inline uint64_t word_to_bits(const uint8_t *bytes) {
  const uint64_t most = 0x7F7F7F7F7F7F7F7Fu;
  uint64_t bits = 0;
  for (int k = 0; k < 8; k++) {
    uint8_t ones[8];
    uint64_t eight;
    memcpy(&eight, bytes + 8 * k, sizeof eight);
    eight = (((eight & most) + most) | eight) >> 7 & 0x0101010101010101u;
    memcpy(ones, &eight, sizeof ones);
    bits |= (uint64_t)bits_of_row(ones) << 8 * k;
  }
  return bits;
}
#endif

static void to_bits(size_t m, const uint8_t *bytes, uint64_t *bits) {
  for (; m >= 64; m -= 64, bytes += 64) *bits++ = word_to_bits(bytes);
  if (m > 0) *bits = some_to_bits(m, bytes);
}

/* ---- The table ------------------------------------------------------------------------------------------------ */

/* SAME(type): x and y are what is combined. PAIR(x, y, arithmetic, in, out): they are converted. PLANES(x, y, part, in,
 * out): so are two parts. */
#define OF(x, y, a, p, i, o)                                                                                           \
  {                                                                                                                    \
    .arithmetic = (mmscan_type)TYPE_##a, .x_size = SIZE_##x, .y_size = SIZE_##y, .size = SIZE_##a, .planes = (p),      \
    .in = (i), .out = (o)                                                                                              \
  }
#define ROW(x, y, a, p, i, o) [TYPE_##x][TYPE_##y] = OF(x, y, a, p, i, o)
#define SAME(t)               ROW(t, t, t, 1, NULL, NULL)
#define PAIR(x, y, a, i, o)   ROW(x, y, a, 1, i, o)
#define PLANES(x, y, a, i, o) ROW(x, y, a, 2, i, o)

const mms_storages PASTED(mms_storages,
                          ISA) = {.is_built = PASTED(BUILT, ISA),
                                  .write_4 = write_4,
                                  .write_8 = write_8,
                                  .bind_f32 = bind_f32,
                                  .bind_f64 = bind_f64,
                                  .add_rows = {[MMS_LANES_F32] = add_rows_f32,
                                               [MMS_LANES_F64] = add_rows_f64,
                                               [MMS_LANES_I32] = add_rows_i32,
                                               [MMS_LANES_I64] = add_rows_i64},
                                  .mark = {[TYPE_f32] = mark_f32,
                                           [TYPE_f64] = mark_f64,
                                           [TYPE_i32] = mark_4,
                                           [TYPE_u32] = mark_4,
                                           [TYPE_i64] = mark_8,
                                           [TYPE_u64] = mark_8,
                                           [TYPE_c32] = mark_c32,
                                           [TYPE_c64] = mark_c64,
                                           [TYPE_i8] = mark_1,
                                           [TYPE_u8] = mark_1,
                                           [TYPE_i16] = mark_2,
                                           [TYPE_u16] = mark_2,
                                           [TYPE_f16] = mark_f16,
                                           [TYPE_bf16] = mark_bf16},
                                  .to_bits = to_bits,
                                  .pairs =
                                      {
                                          SAME(f32),
                                          SAME(f64),
                                          SAME(i32),
                                          SAME(i64),
                                          SAME(u32),
                                          SAME(u64),
                                          SAME(c32),
                                          SAME(c64),
                                          /* Results are narrower than what is combined. */
                                          PAIR(i8, i8, i32, i8_to_32, narrow_to_8),
                                          PAIR(u8, u8, u32, u8_to_32, narrow_to_8),
                                          PAIR(i16, i16, i32, i16_to_32, narrow_to_16),
                                          PAIR(u16, u16, u32, u16_to_32, narrow_to_16),
                                          PAIR(i8, i16, i32, i8_to_32, narrow_to_16),
                                          PAIR(u8, i16, i32, u8_to_32, narrow_to_16),
                                          PAIR(u8, u16, u32, u8_to_32, narrow_to_16),
                                          PAIR(f16, f16, f32, f16_to_f32, f32_to_f16),
                                          PAIR(bf16, bf16, f32, bf16_to_f32, f32_to_bf16),
                                          /* To wider integers: a signed one never to an unsigned one. */
                                          PAIR(i8, i32, i32, i8_to_32, NULL),
                                          PAIR(u8, i32, i32, u8_to_32, NULL),
                                          PAIR(u8, u32, u32, u8_to_32, NULL),
                                          PAIR(i16, i32, i32, i16_to_32, NULL),
                                          PAIR(u16, i32, i32, u16_to_32, NULL),
                                          PAIR(u16, u32, u32, u16_to_32, NULL),
                                          PAIR(i8, i64, i64, i8_to_64, NULL),
                                          PAIR(u8, i64, i64, u8_to_64, NULL),
                                          PAIR(u8, u64, u64, u8_to_64, NULL),
                                          PAIR(i16, i64, i64, i16_to_64, NULL),
                                          PAIR(u16, i64, i64, u16_to_64, NULL),
                                          PAIR(u16, u64, u64, u16_to_64, NULL),
                                          PAIR(i32, i64, i64, i32_to_64, NULL),
                                          PAIR(u32, i64, i64, u32_to_64, NULL),
                                          PAIR(u32, u64, u64, u32_to_64, NULL),
                                          /* To floats. */
                                          PAIR(i8, f32, f32, i8_to_f32, NULL),
                                          PAIR(u8, f32, f32, u8_to_f32, NULL),
                                          PAIR(i16, f32, f32, i16_to_f32, NULL),
                                          PAIR(u16, f32, f32, u16_to_f32, NULL),
                                          PAIR(i32, f32, f32, i32_to_f32, NULL),
                                          PAIR(u32, f32, f32, u32_to_f32, NULL),
                                          PAIR(i64, f32, f32, i64_to_f32, NULL),
                                          PAIR(u64, f32, f32, u64_to_f32, NULL),
                                          PAIR(f16, f32, f32, f16_to_f32, NULL),
                                          PAIR(bf16, f32, f32, bf16_to_f32, NULL),
                                          PAIR(i8, f64, f64, i8_to_f64, NULL),
                                          PAIR(u8, f64, f64, u8_to_f64, NULL),
                                          PAIR(i16, f64, f64, i16_to_f64, NULL),
                                          PAIR(u16, f64, f64, u16_to_f64, NULL),
                                          PAIR(i32, f64, f64, i32_to_f64, NULL),
                                          PAIR(u32, f64, f64, u32_to_f64, NULL),
                                          PAIR(i64, f64, f64, i64_to_f64, NULL),
                                          PAIR(u64, f64, f64, u64_to_f64, NULL),
                                          PAIR(f16, f64, f64, f16_to_f64, NULL),
                                          PAIR(bf16, f64, f64, bf16_to_f64, NULL),
                                          PAIR(f32, f64, f64, f32_to_f64, NULL),
                                          /* To complex numbers. */
                                          PAIR(f32, c32, c32, real_to_complex_f32, NULL),
                                          PAIR(f64, c64, c64, real_to_complex_f64, NULL),
                                      },
                                  .planes =
                                      {
                                          PLANES(c32, c32, f32, complex_to_planes_f32, planes_to_complex_f32),
                                          PLANES(c64, c64, f64, complex_to_planes_f64, planes_to_complex_f64),
                                          PLANES(f32, c32, f32, real_to_planes_f32, planes_to_complex_f32),
                                          PLANES(f64, c64, f64, real_to_planes_f64, planes_to_complex_f64),
                                      },
                                  .wide =
                                      {
                                          PAIR(i8, f32, f64, i8_to_f64, f64_to_f32),
                                          PAIR(u8, f32, f64, u8_to_f64, f64_to_f32),
                                          PAIR(i16, f32, f64, i16_to_f64, f64_to_f32),
                                          PAIR(u16, f32, f64, u16_to_f64, f64_to_f32),
                                          PAIR(i32, f32, f64, i32_to_f64, f64_to_f32),
                                          PAIR(u32, f32, f64, u32_to_f64, f64_to_f32),
                                          PAIR(i64, f32, f64, i64_to_f64, f64_to_f32),
                                          PAIR(u64, f32, f64, u64_to_f64, f64_to_f32),
                                          PAIR(f16, f32, f64, f16_to_f64, f64_to_f32),
                                          PAIR(bf16, f32, f64, bf16_to_f64, f64_to_f32),
                                          PAIR(f32, f32, f64, f32_to_f64, f64_to_f32),
                                          PAIR(c32, c32, c64, complex_to_wide, wide_to_complex),
                                          PAIR(f32, c32, c64, real_to_complex_wide, wide_to_complex),
                                      },
                                  .wide_planes = {
                                      [TYPE_c32] = OF(c32, c32, f64, 2, complex_to_planes_wide, planes_to_complex_wide),
                                      [TYPE_f32] = OF(f32, c32, f64, 2, real_to_planes_wide, planes_to_complex_wide),
                                  }};
