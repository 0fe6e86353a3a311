/* avx512.c: the vector vocabulary of AVX-512 (F, BW, DQ, VL) in vectors of 64 bytes, and the kernels made of it. */
#include "kernel/isa.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>

typedef __m512i bits;
enum { VECTOR = 64 };

static inline bits load(const void *p) { return _mm512_loadu_si512(p); }
static inline void store(void *p, bits v) { _mm512_storeu_si512(p, v); }
static inline void stream(void *p, bits v) { _mm512_stream_si512(p, v); }

#include "kernel/avx512.inc"

static inline bits slide_index(size_t m) {
  const bits lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_add_epi32(_mm512_set1_epi32((int)m), lanes);
}

static inline bits slid(bits a, bits b, bits index) { return _mm512_permutex2var_epi32(a, index, b); }

/* ---- Elements of 32 bits -------------------------------------------------------------------------------------- */

static inline bits load_part_32(const void *p, size_t m, bits in) {
  return _mm512_mask_loadu_epi32(in, (__mmask16)((1u << m) - 1), p);
}

static inline void store_part_32(void *p, bits v, size_t m) {
  _mm512_mask_storeu_epi32(p, (__mmask16)((1u << m) - 1), v);
}

static inline bits up_32(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm512_alignr_epi32(v, in, 15);
  case 1:
    return _mm512_alignr_epi32(v, in, 14);
  case 2:
    return _mm512_alignr_epi32(v, in, 12);
  default:
    return _mm512_alignr_epi32(v, in, 8);
  }
}

static inline bits down_32(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm512_alignr_epi32(in, v, 1);
  case 1:
    return _mm512_alignr_epi32(in, v, 2);
  case 2:
    return _mm512_alignr_epi32(in, v, 4);
  default:
    return _mm512_alignr_epi32(in, v, 8);
  }
}

static inline bits rotate_32(bits v, bits lanes, bits in) {
  return _mm512_mask_alignr_epi32(in, _mm512_movepi32_mask(lanes), v, v, 15);
}

static inline bits reverse_32(bits v) {
  return _mm512_permutexvar_epi32(fixed(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)), v);
}

static inline bits sum_f32(bits a, bits b) {
  return _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
}

static inline bits sum_u32(bits a, bits b) { return _mm512_add_epi32(a, b); }

static inline bits magnitude_32(bits v) { return v; } /* larger() compares magnitudes itself */

/* A signalling NaN comes out as a quiet one, and a quiet one gives way to the other operand. */
static inline bits larger_32(bits a, bits b) {
  return _mm512_castps_si512(_mm512_range_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), LARGER_MAGNITUDE));
}

static inline bits larger_or_nan_32(bits a, bits b) { return _mm512_max_epu32(a, b); }

static inline bool any_over_32(bits v, float limit) {
  return _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_set1_ps(limit), _CMP_NLE_UQ) != 0;
}

static inline bits evens_32(bits a, bits b) {
  const bits index = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_epi32(a, fixed(index), b);
}

static inline bits odds_32(bits a, bits b) {
  const bits index = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return _mm512_permutex2var_epi32(a, fixed(index), b);
}

static inline bits lows_32(bits a, bits b) {
  const bits index = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  return _mm512_permutex2var_epi32(a, fixed(index), b);
}

static inline bits highs_32(bits a, bits b) {
  const bits index = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  return _mm512_permutex2var_epi32(a, fixed(index), b);
}

/* ---- Elements of 64 bits -------------------------------------------------------------------------------------- */

static inline bits load_part_64(const void *p, size_t m, bits in) {
  return _mm512_mask_loadu_epi64(in, (__mmask8)((1u << m) - 1), p);
}

static inline void store_part_64(void *p, bits v, size_t m) {
  _mm512_mask_storeu_epi64(p, (__mmask8)((1u << m) - 1), v);
}

static inline bits up_64(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm512_alignr_epi64(v, in, 7);
  case 1:
    return _mm512_alignr_epi64(v, in, 6);
  default:
    return _mm512_alignr_epi64(v, in, 4);
  }
}

static inline bits down_64(bits v, bits in, int step) {
  switch (step) {
  case 0:
    return _mm512_alignr_epi64(in, v, 1);
  case 1:
    return _mm512_alignr_epi64(in, v, 2);
  default:
    return _mm512_alignr_epi64(in, v, 4);
  }
}

static inline bits rotate_64(bits v, bits lanes, bits in) {
  return _mm512_mask_alignr_epi64(in, _mm512_movepi64_mask(lanes), v, v, 7);
}

static inline bits reverse_64(bits v) {
  return _mm512_permutexvar_epi64(fixed(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0)), v);
}

static inline bits sum_f64(bits a, bits b) {
  return _mm512_castpd_si512(_mm512_add_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
}

static inline bits sum_u64(bits a, bits b) { return _mm512_add_epi64(a, b); }

static inline bits magnitude_64(bits v) { return v; } /* larger() compares magnitudes itself */

static inline bits larger_64(bits a, bits b) {
  return _mm512_castpd_si512(_mm512_range_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), LARGER_MAGNITUDE));
}

static inline bits larger_or_nan_64(bits a, bits b) { return _mm512_max_epu64(a, b); }

static inline bool any_over_64(bits v, double limit) {
  return _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_set1_pd(limit), _CMP_NLE_UQ) != 0;
}

static inline bits evens_64(bits a, bits b) {
  return _mm512_permutex2var_epi64(a, fixed(_mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14)), b);
}

static inline bits odds_64(bits a, bits b) {
  return _mm512_permutex2var_epi64(a, fixed(_mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15)), b);
}

static inline bits lows_64(bits a, bits b) {
  return _mm512_permutex2var_epi64(a, fixed(_mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11)), b);
}

static inline bits highs_64(bits a, bits b) {
  return _mm512_permutex2var_epi64(a, fixed(_mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15)), b);
}

/* Elements up to which a simple call is best left to the plain loop. */
enum { few_floats_32 = 31, few_floats_64 = 51, few_integers_32 = 35, few_integers_64 = 51 };

#define ISA        avx512
#define PREFETCHES true
#define REREADS    1
#define PACES      true
#define TURN       0
#define HALVES     0
#include "kernel/table.inc"
#else
const mms_isa *const mms_isa_avx512 = NULL;
#endif
