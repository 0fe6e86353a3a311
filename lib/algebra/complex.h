/* complex.h: products of complex numbers, by the four products of their parts, as NumPy has them: without what C adds
 * for infinities; and of pairs of them (twice.h). */
#ifndef MMS_COMPLEX_H
#define MMS_COMPLEX_H

#include "algebra/twice.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 1 is no identity to the bit: 1 times an infinity is NaN in one part. A NaN that no arithmetic makes is one. */
#define MMS_NONE_F32 __builtin_nanf("0x2d6d6d")
#define MMS_NONE_F64 __builtin_nan("0x6d6d736e6f6e65")

#define PART    float
#define BITS    uint32_t
#define NONE    MMS_NONE_F32
#define NAME(f) f##_c32
#include "algebra/product_body.inc"

#define PART    double
#define BITS    uint64_t
#define NONE    MMS_NONE_F64
#define NAME(f) f##_c64
#include "algebra/product_body.inc"

/* ---- In pairs ------------------------------------------------------------------------------------------------- */

/* Both parts of high, and what each is over by. */
typedef struct mms_twice_c64 {
  double _Complex high, over;
} mms_twice_c64;

static inline mms_twice_c64 mms_twice_c64_of(const mms_value *carry) {
  double pair[4];
  memcpy(pair, carry, sizeof pair);
  return (mms_twice_c64){__builtin_complex(pair[0], pair[1]), __builtin_complex(0 - pair[2], 0 - pair[3])};
}

static inline void mms_twice_c64_to(mms_value *carry, mms_twice_c64 a) {
  const double pair[4] = {__real__ a.high, __imag__ a.high, 0 - mms_twice_finite(__real__ a.over),
                          0 - mms_twice_finite(__imag__ a.over)};
  memcpy(carry, pair, sizeof pair);
}

/* a x, by the four products of their parts, as mms_product_c64(): off by at most 9 u^2 |a| |x|, as each part is by 6
 * u^2 of the magnitudes of both products that it is of. */
static inline mms_twice_c64 mms_twice_c64_times(mms_twice_c64 a, double _Complex x) {
  const mms_twice real = {__real__ a.high, __real__ a.over}, imaginary = {__imag__ a.high, __imag__ a.over};
  if (mms_is_none_c64(a.high)) return (mms_twice_c64){x, 0};
  if (mms_is_none_c64(x)) return a;
  const mms_twice taken = mms_twice_times(imaginary, __imag__ x);
  const mms_twice re = mms_twice_sum(mms_twice_times(real, __real__ x), (mms_twice){-taken.high, 0 - taken.over});
  const mms_twice im = mms_twice_sum(mms_twice_times(real, __imag__ x), mms_twice_times(imaginary, __real__ x));
  return (mms_twice_c64){__builtin_complex(re.high, im.high), __builtin_complex(re.over, im.over)};
}

#endif
