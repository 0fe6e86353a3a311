/* complex.h: products of complex numbers, by the four products of their parts, as NumPy has them: without what C adds
 * for infinities. */
#ifndef MMS_COMPLEX_H
#define MMS_COMPLEX_H

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

#endif
