/* portable.c: the vector vocabulary in what gcc and clang offer on every machine, in vectors of 16 bytes, and the
 * kernels made of it. */
#include "kernel/isa.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { VECTOR = 16 };
typedef uint32_t bits __attribute__((vector_size(VECTOR)));
typedef uint64_t bits64 __attribute__((vector_size(VECTOR)));
typedef float floats __attribute__((vector_size(VECTOR)));
typedef double doubles __attribute__((vector_size(VECTOR)));

/* Argument i is the number, in a followed by b, of the lane that becomes lane i. */
#if defined(__clang__)
#define PICK_32(a, b, ...) ((bits)__builtin_shufflevector((bits)(a), (bits)(b), __VA_ARGS__))
#define PICK_64(a, b, ...) ((bits)__builtin_shufflevector((bits64)(a), (bits64)(b), __VA_ARGS__))
#else
#define PICK_32(a, b, ...) ((bits)__builtin_shuffle((bits)(a), (bits)(b), (bits){__VA_ARGS__}))
#define PICK_64(a, b, ...) ((bits)__builtin_shuffle((bits64)(a), (bits64)(b), (bits64){__VA_ARGS__}))
#endif

static inline bits load(const void *p) {
  bits v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline void store(void *p, bits v) { memcpy(p, &v, sizeof v); }

/* Non-temporal where the machine's base instruction set has such stores (x86-64). */
static inline void stream(void *p, bits v) {
#if defined(__SSE2__)
  _mm_stream_si128(p, (__m128i)v);
#else
  store(p, v);
#endif
}

static inline bits slide_index(size_t m) { return (bits){(uint32_t)m}; }

static inline bits slid(bits a, bits b, bits index) {
  const bits two[] = {a, b};
  return load((const char *)two + 4 * index[0]);
}

/* Whether a comparison holds in any lane. */
static inline bool any(bits holds) {
  bits64 halves = (bits64)holds;
  return (halves[0] | halves[1]) != 0;
}

static inline bits select_where(bits holds, bits yes, bits no) { return (yes & holds) | (no & ~holds); }

#include "kernel/part16.inc"

/* ---- Elements of 32 bits -------------------------------------------------------------------------------------- */

/* Two picks, each of two lanes of either vector: machines have an instruction for these. GCC takes others apart. */
static inline bits up_32(bits v, bits in, int step) {
  return step == 0 ? PICK_32(PICK_32(in, v, 3, 3, 4, 4), v, 0, 2, 5, 6) : PICK_32(in, v, 2, 3, 4, 5);
}

static inline bits down_32(bits v, bits in, int step) {
  return step == 0 ? PICK_32(v, PICK_32(v, in, 3, 3, 4, 4), 1, 2, 4, 6) : PICK_32(v, in, 2, 3, 4, 5);
}

static inline bits rotate_32(bits v, bits lanes, bits in) { return (up_32(v, v, 0) & lanes) | in; }
static inline bits reverse_32(bits v) { return PICK_32(v, v, 3, 2, 1, 0); }

static inline bits evens_32(bits a, bits b) { return PICK_32(a, b, 0, 2, 4, 6); }
static inline bits odds_32(bits a, bits b) { return PICK_32(a, b, 1, 3, 5, 7); }
static inline bits lows_32(bits a, bits b) { return PICK_32(a, b, 0, 4, 1, 5); }
static inline bits highs_32(bits a, bits b) { return PICK_32(a, b, 2, 6, 3, 7); }

static inline bits magnitude_32(bits v) { return v & INT32_MAX; }

static inline bits sum_f32(bits a, bits b) { return (bits)((floats)a + (floats)b); }

static inline bits sum_u32(bits a, bits b) { return a + b; }

static inline bits larger_32(bits a, bits b) { return select_where((bits)((floats)a > (floats)b), a, b); }

static inline bits larger_or_nan_32(bits a, bits b) { return larger_32(a, b); }

static inline bool any_over_32(bits v, float limit) { return any(~(bits)((floats)v <= limit)); }

/* ---- Elements of 64 bits -------------------------------------------------------------------------------------- */

static inline bits up_64(bits v, bits in, int step) { return (void)step, PICK_64(in, v, 1, 2); }
static inline bits down_64(bits v, bits in, int step) { return (void)step, PICK_64(v, in, 1, 2); }
static inline bits rotate_64(bits v, bits lanes, bits in) { return (up_64(v, v, 0) & lanes) | in; }
static inline bits reverse_64(bits v) { return PICK_64(v, v, 1, 0); }

static inline bits evens_64(bits a, bits b) { return PICK_64(a, b, 0, 2); }
static inline bits odds_64(bits a, bits b) { return PICK_64(a, b, 1, 3); }
static inline bits lows_64(bits a, bits b) { return evens_64(a, b); }
static inline bits highs_64(bits a, bits b) { return odds_64(a, b); }

static inline bits magnitude_64(bits v) { return (bits)((bits64)v & INT64_MAX); }

static inline bits sum_f64(bits a, bits b) { return (bits)((doubles)a + (doubles)b); }

static inline bits sum_u64(bits a, bits b) { return (bits)((bits64)a + (bits64)b); }

static inline bits larger_64(bits a, bits b) { return select_where((bits)((doubles)a > (doubles)b), a, b); }

static inline bits larger_or_nan_64(bits a, bits b) { return larger_64(a, b); }

static inline bool any_over_64(bits v, double limit) { return any(~(bits)((doubles)v <= limit)); }

/* Elements up to which a simple call is best left to the plain loop. */
enum { few_floats_32 = 51, few_floats_64 = 51, few_integers_32 = 51, few_integers_64 = 51 };

#define ISA        portable
#define PREFETCHES false
#define REREADS    1
#define PACES      false
#define TURN       0
#define HALVES     0
#include "kernel/table.inc"
