/* complex.h: products of complex numbers, by the four products of their parts, as NumPy has them: without what C adds
 * for infinities. */
#ifndef MMS_COMPLEX_H
#define MMS_COMPLEX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 1 is no identity to the bit: 1 times an infinity is NaN in one part. What is one is a NaN that no arithmetic makes.
 */
#define MMS_NONE_F32 __builtin_nanf("0x2d6d6d")
#define MMS_NONE_F64 __builtin_nan("0x6d6d736e6f6e65")

/* For parts of one type, whose bits are as wide as `bits`. */
#define MMS_PRODUCT(name, part, bits, none_value)                                                                      \
  static inline bool name##_is_none(part _Complex a) {                                                                 \
    const part none = none_value;                                                                                      \
    bits of_a[2], of_none;                                                                                             \
    memcpy(of_a, &a, sizeof of_a);                                                                                     \
    memcpy(&of_none, &none, sizeof of_none);                                                                           \
    return of_a[0] == of_none && of_a[1] == of_none;                                                                   \
  }                                                                                                                    \
  static inline part _Complex name(part _Complex a, part _Complex b) {                                                 \
    const part ar = __real__ a, ai = __imag__ a, br = __real__ b, bi = __imag__ b;                                     \
    if (name##_is_none(a)) return b;                                                                                   \
    if (name##_is_none(b)) return a;                                                                                   \
    return __builtin_complex(ar * br - ai * bi, ar * bi + ai * br);                                                    \
  }

MMS_PRODUCT(mms_product_c32, float, uint32_t, MMS_NONE_F32)
MMS_PRODUCT(mms_product_c64, double, uint64_t, MMS_NONE_F64)

#endif
