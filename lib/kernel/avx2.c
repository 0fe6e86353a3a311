/* avx2.c: the vector vocabulary of AVX2, and the kernels made of it. */
#include "kernel/isa.h"

#if defined(__AVX2__)
#include <immintrin.h>

typedef __m256i bits;
enum { VECTOR = 32 };

#include "kernel/fixed.inc"

static inline bits load(const void *p) { return _mm256_loadu_si256(p); }
static inline void store(void *p, bits v) { _mm256_storeu_si256(p, v); }
static inline void stream(void *p, bits v) { _mm256_stream_si256(p, v); }

static inline bits slide_index(size_t m) {
  return _mm256_add_epi32(_mm256_set1_epi32((int)m), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline bits slid(bits a, bits b, bits index) {
  const __m256 from_b = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
  const __m256 as = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(a, index));
  const __m256 bs = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(b, index));
  return _mm256_castps_si256(_mm256_blendv_ps(as, bs, from_b));
}

/* The upper half of a below the lower half of b; the lower halves of both; the upper halves of both. */
static inline bits between(bits a, bits b) { return _mm256_permute2x128_si256(a, b, 0x21); }
static inline bits low_halves(bits a, bits b) { return fixed(_mm256_permute2x128_si256(a, b, 0x20)); }
static inline bits high_halves(bits a, bits b) { return fixed(_mm256_permute2x128_si256(a, b, 0x31)); }

/* ---- Elements of 32 bits -------------------------------------------------------------------------------------- */

/* All ones in the first m lanes. */
static inline bits first_32(size_t m) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)m), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Blends whole lanes, not bytes: GCC 12 blends bytes wrong with -funsigned-char. */
static inline bits load_part_32(const void *p, size_t m, bits in) {
  const __m256 part = _mm256_castsi256_ps(_mm256_maskload_epi32(p, first_32(m)));
  return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(in), part, _mm256_castsi256_ps(first_32(m))));
}

static inline void store_part_32(void *p, bits v, size_t m) { _mm256_maskstore_epi32(p, first_32(m), v); }

static inline bits up_32(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm256_alignr_epi8(v, between(in, v), 12);
  case 1:
    return _mm256_alignr_epi8(v, between(in, v), 8);
  default:
    return between(in, v);
  }
}

static inline bits down_32(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm256_alignr_epi8(between(v, in), v, 4);
  case 1:
    return _mm256_alignr_epi8(between(v, in), v, 8);
  default:
    return between(v, in);
  }
}

static inline bits rotate_32(bits v, bits lanes, bits in) { return (up_32(v, v, 0) & lanes) | in; }

static inline bits reverse_32(bits v) {
  return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

static inline bits sum_f32(bits a, bits b) {
  return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
}

static inline bits sum_u32(bits a, bits b) { return _mm256_add_epi32(a, b); }

static inline bits magnitude_32(bits v) { return _mm256_and_si256(v, _mm256_set1_epi32(INT32_MAX)); }

static inline bits larger_32(bits a, bits b) {
  return _mm256_castps_si256(_mm256_max_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
}

static inline bits larger_or_nan_32(bits a, bits b) { return larger_32(a, b); }

static inline bool any_over_32(bits v, float limit) {
  return _mm256_movemask_ps(_mm256_cmp_ps(_mm256_castsi256_ps(v), _mm256_set1_ps(limit), _CMP_NLE_UQ)) != 0;
}

/* Puts in order the 64-bit pairs that a shuffle of two vectors within halves leaves out of order. */
static inline bits in_order(__m256 v) { return _mm256_permute4x64_epi64(fixed(_mm256_castps_si256(v)), 0xD8); }

static inline bits evens_32(bits a, bits b) {
  return in_order(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

static inline bits odds_32(bits a, bits b) {
  return in_order(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xDD));
}

static inline bits halves_evens_32(bits a, bits b) {
  return fixed(_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88)));
}

static inline bits halves_odds_32(bits a, bits b) {
  return fixed(_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xDD)));
}

static inline bits halves_lows_32(bits a, bits b) { return fixed(_mm256_unpacklo_epi32(a, b)); }
static inline bits halves_highs_32(bits a, bits b) { return fixed(_mm256_unpackhi_epi32(a, b)); }

/* ---- Elements of 64 bits -------------------------------------------------------------------------------------- */

static inline bits first_64(size_t m) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)m), _mm256_setr_epi64x(0, 1, 2, 3));
}

static inline bits load_part_64(const void *p, size_t m, bits in) {
  const __m256d part = _mm256_castsi256_pd(_mm256_maskload_epi64(p, first_64(m)));
  return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(in), part, _mm256_castsi256_pd(first_64(m))));
}

static inline void store_part_64(void *p, bits v, size_t m) { _mm256_maskstore_epi64(p, first_64(m), v); }

static inline bits up_64(bits v, bits in, int step) {
  return step == 0 ? _mm256_alignr_epi8(v, between(in, v), 8) : between(in, v);
}

static inline bits down_64(bits v, bits in, int step) {
  return step == 0 ? _mm256_alignr_epi8(between(v, in), v, 8) : between(v, in);
}

static inline bits rotate_64(bits v, bits lanes, bits in) { return (up_64(v, v, 0) & lanes) | in; }
static inline bits reverse_64(bits v) { return _mm256_permute4x64_epi64(v, 0x1B); }

static inline bits sum_f64(bits a, bits b) {
  return _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}

static inline bits sum_u64(bits a, bits b) { return _mm256_add_epi64(a, b); }

static inline bits magnitude_64(bits v) { return _mm256_and_si256(v, _mm256_set1_epi64x(INT64_MAX)); }

static inline bits larger_64(bits a, bits b) {
  return _mm256_castpd_si256(_mm256_max_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}

static inline bits larger_or_nan_64(bits a, bits b) { return larger_64(a, b); }

static inline bool any_over_64(bits v, double limit) {
  return _mm256_movemask_pd(_mm256_cmp_pd(_mm256_castsi256_pd(v), _mm256_set1_pd(limit), _CMP_NLE_UQ)) != 0;
}

static inline bits evens_64(bits a, bits b) { return _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xD8); }
static inline bits odds_64(bits a, bits b) { return _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a, b), 0xD8); }

static inline bits halves_evens_64(bits a, bits b) { return _mm256_unpacklo_epi64(a, b); }
static inline bits halves_odds_64(bits a, bits b) { return _mm256_unpackhi_epi64(a, b); }
static inline bits halves_lows_64(bits a, bits b) { return _mm256_unpacklo_epi64(a, b); }
static inline bits halves_highs_64(bits a, bits b) { return _mm256_unpackhi_epi64(a, b); }

/* Elements up to which a simple call is best left to the plain loop. */
enum { few_floats_32 = 51, few_floats_64 = 51, few_integers_32 = 51, few_integers_64 = 51 };

#define ISA        avx2
#define PREFETCHES false
#define REREADS    1
#define PACES      false
#define TURN       2048
#define HALVES     1
#include "kernel/table.inc"
#else
const mms_isa *const mms_isa_avx2 = NULL;
#endif
