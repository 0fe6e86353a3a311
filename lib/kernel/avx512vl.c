/* avx512vl.c: the vector vocabulary of AVX-512 in vectors of 32 bytes, and the kernels made of it. It is for cores that
 * do 64 bytes in two turns, as a vector of half the length takes one step less. */
#include "kernel/isa.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>

typedef __m256i bits;
enum { VECTOR = 32 };

static inline bits load(const void *p) { return _mm256_loadu_si256(p); }
static inline void store(void *p, bits v) { _mm256_storeu_si256(p, v); }
static inline void stream(void *p, bits v) { _mm256_stream_si256(p, v); }

#include "kernel/avx512.inc"

static inline bits slide_index(size_t m) {
  return _mm256_add_epi32(_mm256_set1_epi32((int)m), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline bits slid(bits a, bits b, bits index) { return _mm256_permutex2var_epi32(a, index, b); }

/* ---- Elements of 32 bits -------------------------------------------------------------------------------------- */

static inline bits load_part_32(const void *p, size_t m, bits in) {
  return _mm256_mask_loadu_epi32(in, (__mmask8)((1u << m) - 1), p);
}

static inline void store_part_32(void *p, bits v, size_t m) {
  _mm256_mask_storeu_epi32(p, (__mmask8)((1u << m) - 1), v);
}

static inline bits up_32(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm256_alignr_epi32(v, in, 7);
  case 1:
    return _mm256_alignr_epi64(v, in, 3);
  default:
    return _mm256_alignr_epi64(v, in, 2);
  }
}

static inline bits down_32(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm256_alignr_epi32(in, v, 1);
  case 1:
    return _mm256_alignr_epi64(in, v, 1);
  default:
    return _mm256_alignr_epi64(in, v, 2);
  }
}

static inline bits rotate_32(bits v, bits lanes, bits in) {
  return _mm256_mask_alignr_epi32(in, _mm256_movepi32_mask(lanes), v, v, 7);
}

static inline bits reverse_32(bits v) {
  return _mm256_permutexvar_epi32(fixed(_mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)), v);
}

/* a * 1 + b is a + b. Multipliers have less to do here than adders, which also look for large magnitudes. */
static inline __m256 ones_32(void) { return _mm256_castsi256_ps(fixed(_mm256_castps_si256(_mm256_set1_ps(1)))); }

static inline bits sum_f32(bits a, bits b) {
  return _mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(a), ones_32(), _mm256_castsi256_ps(b)));
}

static inline bits sum_u32(bits a, bits b) { return _mm256_add_epi32(a, b); }

static inline bits magnitude_32(bits v) { return v; } /* larger() compares magnitudes itself */

/* A signalling NaN comes out as a quiet one, and a quiet one gives way to the other operand. */
static inline bits larger_32(bits a, bits b) {
  return _mm256_castps_si256(_mm256_range_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), LARGER_MAGNITUDE));
}

static inline bits larger_or_nan_32(bits a, bits b) { return _mm256_max_epu32(a, b); }

static inline bool any_over_32(bits v, float limit) {
  return _mm256_cmp_ps_mask(_mm256_castsi256_ps(v), _mm256_set1_ps(limit), _CMP_NLE_UQ) != 0;
}

static inline bits evens_32(bits a, bits b) {
  return _mm256_permutex2var_epi32(a, fixed(_mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14)), b);
}

static inline bits odds_32(bits a, bits b) {
  return _mm256_permutex2var_epi32(a, fixed(_mm256_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15)), b);
}

static inline bits lows_32(bits a, bits b) {
  return _mm256_permutex2var_epi32(a, fixed(_mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11)), b);
}

static inline bits highs_32(bits a, bits b) {
  return _mm256_permutex2var_epi32(a, fixed(_mm256_setr_epi32(4, 12, 5, 13, 6, 14, 7, 15)), b);
}

/* ---- Elements of 64 bits -------------------------------------------------------------------------------------- */

static inline bits load_part_64(const void *p, size_t m, bits in) {
  return _mm256_mask_loadu_epi64(in, (__mmask8)((1u << m) - 1), p);
}

static inline void store_part_64(void *p, bits v, size_t m) {
  _mm256_mask_storeu_epi64(p, (__mmask8)((1u << m) - 1), v);
}

static inline bits up_64(bits v, bits in, int step) {
  return step == 0 ? _mm256_alignr_epi64(v, in, 3) : _mm256_alignr_epi64(v, in, 2);
}

static inline bits down_64(bits v, bits in, int step) {
  return step == 0 ? _mm256_alignr_epi64(in, v, 1) : _mm256_alignr_epi64(in, v, 2);
}

static inline bits rotate_64(bits v, bits lanes, bits in) {
  return _mm256_mask_alignr_epi64(in, _mm256_movepi64_mask(lanes), v, v, 3);
}

static inline bits reverse_64(bits v) { return _mm256_permutex_epi64(v, 0x1B); }

static inline __m256d ones_64(void) { return _mm256_castsi256_pd(fixed(_mm256_castpd_si256(_mm256_set1_pd(1)))); }

static inline bits sum_f64(bits a, bits b) {
  return _mm256_castpd_si256(_mm256_fmadd_pd(_mm256_castsi256_pd(a), ones_64(), _mm256_castsi256_pd(b)));
}

static inline bits sum_u64(bits a, bits b) { return _mm256_add_epi64(a, b); }

static inline bits magnitude_64(bits v) { return v; } /* larger() compares magnitudes itself */

static inline bits larger_64(bits a, bits b) {
  return _mm256_castpd_si256(_mm256_range_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), LARGER_MAGNITUDE));
}

static inline bits larger_or_nan_64(bits a, bits b) { return _mm256_max_epu64(a, b); }

static inline bool any_over_64(bits v, double limit) {
  return _mm256_cmp_pd_mask(_mm256_castsi256_pd(v), _mm256_set1_pd(limit), _CMP_NLE_UQ) != 0;
}

static inline bits evens_64(bits a, bits b) {
  return _mm256_permutex2var_epi64(a, fixed(_mm256_setr_epi64x(0, 2, 4, 6)), b);
}

static inline bits odds_64(bits a, bits b) {
  return _mm256_permutex2var_epi64(a, fixed(_mm256_setr_epi64x(1, 3, 5, 7)), b);
}

static inline bits lows_64(bits a, bits b) {
  return _mm256_permutex2var_epi64(a, fixed(_mm256_setr_epi64x(0, 4, 1, 5)), b);
}

static inline bits highs_64(bits a, bits b) {
  return _mm256_permutex2var_epi64(a, fixed(_mm256_setr_epi64x(2, 6, 3, 7)), b);
}

/* Elements up to which a simple call is best left to the plain loop. */
enum { few_floats_32 = 51, few_floats_64 = 51, few_integers_32 = 51, few_integers_64 = 51 };

#define ISA        avx512vl
#define PREFETCHES false
#define REREADS    1
#define PACES      false
#define TURN       2048
#define HALVES     0
#include "kernel/table.inc"
#else
const mms_isa *const mms_isa_avx512vl = NULL;
#endif
