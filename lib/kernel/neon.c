/* neon.c: the vector vocabulary of NEON (AArch64), and the kernels made of it. */
#include "kernel/isa.h"

#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#include <string.h>

typedef uint32x4_t bits;
enum { VECTOR = 16 };

static inline bits load(const void *p) { return vreinterpretq_u32_u8(vld1q_u8(p)); }
static inline void store(void *p, bits v) { vst1q_u8(p, vreinterpretq_u8_u32(v)); }

/* C has no intrinsic for a store past the caches here. */
static inline void stream(void *p, bits v) { store(p, v); }

static inline bits slide_index(size_t m) {
  static const uint8_t bytes[VECTOR] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return vreinterpretq_u32_u8(vaddq_u8(vld1q_u8(bytes), vdupq_n_u8((uint8_t)(4 * m))));
}

static inline bits slid(bits a, bits b, bits index) {
  const uint8x16x2_t two = {{vreinterpretq_u8_u32(a), vreinterpretq_u8_u32(b)}};
  return vreinterpretq_u32_u8(vqtbl2q_u8(two, vreinterpretq_u8_u32(index)));
}

static inline uint64x2_t wide(bits v) { return vreinterpretq_u64_u32(v); }
static inline bits narrow(uint64x2_t v) { return vreinterpretq_u32_u64(v); }

#include "kernel/part16.inc"

/* ---- Elements of 32 bits -------------------------------------------------------------------------------------- */

static inline bits up_32(bits v, bits in, int step) { return step == 0 ? vextq_u32(in, v, 3) : vextq_u32(in, v, 2); }
static inline bits down_32(bits v, bits in, int step) { return step == 0 ? vextq_u32(v, in, 1) : vextq_u32(v, in, 2); }
static inline bits rotate_32(bits v, bits lanes, bits in) { return (up_32(v, v, 0) & lanes) | in; }

static inline bits reverse_32(bits v) {
  bits pairs = vrev64q_u32(v);
  return vextq_u32(pairs, pairs, 2);
}

static inline bits sum_f32(bits a, bits b) {
  return vreinterpretq_u32_f32(vaddq_f32(vreinterpretq_f32_u32(a), vreinterpretq_f32_u32(b)));
}

static inline bits sum_u32(bits a, bits b) { return vaddq_u32(a, b); }

static inline bits magnitude_32(bits v) { return vreinterpretq_u32_f32(vabsq_f32(vreinterpretq_f32_u32(v))); }

/* Makes a quiet NaN of a number and a signalling NaN. */
static inline bits larger_32(bits a, bits b) {
  return vreinterpretq_u32_f32(vmaxnmq_f32(vreinterpretq_f32_u32(a), vreinterpretq_f32_u32(b)));
}

static inline bits larger_or_nan_32(bits a, bits b) {
  return vreinterpretq_u32_f32(vmaxq_f32(vreinterpretq_f32_u32(a), vreinterpretq_f32_u32(b)));
}

static inline bool any_over_32(bits v, float limit) {
  return vminvq_u32(vcleq_f32(vreinterpretq_f32_u32(v), vdupq_n_f32(limit))) == 0;
}

static inline bits evens_32(bits a, bits b) { return vuzp1q_u32(a, b); }
static inline bits odds_32(bits a, bits b) { return vuzp2q_u32(a, b); }
static inline bits lows_32(bits a, bits b) { return vzip1q_u32(a, b); }
static inline bits highs_32(bits a, bits b) { return vzip2q_u32(a, b); }

/* ---- Elements of 64 bits -------------------------------------------------------------------------------------- */

static inline bits up_64(bits v, bits in, int step) {
  (void)step;
  return vextq_u32(in, v, 2);
}

static inline bits down_64(bits v, bits in, int step) {
  (void)step;
  return vextq_u32(v, in, 2);
}

static inline bits rotate_64(bits v, bits lanes, bits in) { return (up_64(v, v, 0) & lanes) | in; }
static inline bits reverse_64(bits v) { return vextq_u32(v, v, 2); }

static inline bits sum_f64(bits a, bits b) {
  return vreinterpretq_u32_f64(vaddq_f64(vreinterpretq_f64_u32(a), vreinterpretq_f64_u32(b)));
}

static inline bits sum_u64(bits a, bits b) { return narrow(vaddq_u64(wide(a), wide(b))); }

static inline bits magnitude_64(bits v) { return vreinterpretq_u32_f64(vabsq_f64(vreinterpretq_f64_u32(v))); }

static inline bits larger_64(bits a, bits b) {
  return vreinterpretq_u32_f64(vmaxnmq_f64(vreinterpretq_f64_u32(a), vreinterpretq_f64_u32(b)));
}

static inline bits larger_or_nan_64(bits a, bits b) {
  return vreinterpretq_u32_f64(vmaxq_f64(vreinterpretq_f64_u32(a), vreinterpretq_f64_u32(b)));
}

static inline bool any_over_64(bits v, double limit) {
  uint64x2_t within = vcleq_f64(vreinterpretq_f64_u32(v), vdupq_n_f64(limit));
  return vminvq_u32(narrow(within)) == 0;
}

static inline bits evens_64(bits a, bits b) { return narrow(vzip1q_u64(wide(a), wide(b))); }
static inline bits odds_64(bits a, bits b) { return narrow(vzip2q_u64(wide(a), wide(b))); }
static inline bits lows_64(bits a, bits b) { return evens_64(a, b); }
static inline bits highs_64(bits a, bits b) { return odds_64(a, b); }

/* Elements up to which a simple call is best left to the plain loop. */
enum { few_floats_32 = 51, few_floats_64 = 51, few_integers_32 = 51, few_integers_64 = 51 };

#define ISA        neon
#define PREFETCHES false
#define REREADS    0
#define PACES      false
#define TURN       0
#define HALVES     0
#include "kernel/table.inc"
#else
const mms_isa *const mms_isa_neon = NULL;
#endif
