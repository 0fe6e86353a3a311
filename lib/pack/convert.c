/* convert.c: loops that compilers make vectors of. */
#include "pack/convert.h"

#include <stdint.h>
#include <string.h>

/* Elements may be at any address that mms_is_array() allows, and are of the caller's type. */
#define STORED(name, type) typedef type name __attribute__((aligned(1), may_alias))
STORED(i8, int8_t);
STORED(u8, uint8_t);
STORED(i16, int16_t);
STORED(u16, uint16_t);
STORED(i32, int32_t);
STORED(u32, uint32_t);
STORED(i64, int64_t);
STORED(u64, uint64_t);
STORED(f32, float);
STORED(f64, double);

#define AS_IT_IS(x) (x)
#define CONVERSION(name, from_type, to_type, convert)                                                                  \
  void name(size_t n, const void *from, void *to, size_t apart) {                                                      \
    const from_type *restrict x = from;                                                                                \
    to_type *restrict y = to;                                                                                          \
    (void)apart;                                                                                                       \
    for (size_t i = 0; i < n; i++) y[i] = (to_type)convert(x[i]);                                                      \
  }

/* ---- Integers ------------------------------------------------------------------------------------------------- */

CONVERSION(mms_i8_to_32, i8, i32, AS_IT_IS)
CONVERSION(mms_u8_to_32, u8, u32, AS_IT_IS)
CONVERSION(mms_i16_to_32, i16, i32, AS_IT_IS)
CONVERSION(mms_u16_to_32, u16, u32, AS_IT_IS)
CONVERSION(mms_i8_to_64, i8, i64, AS_IT_IS)
CONVERSION(mms_u8_to_64, u8, u64, AS_IT_IS)
CONVERSION(mms_i16_to_64, i16, i64, AS_IT_IS)
CONVERSION(mms_u16_to_64, u16, u64, AS_IT_IS)
CONVERSION(mms_i32_to_64, i32, i64, AS_IT_IS)
CONVERSION(mms_u32_to_64, u32, u64, AS_IT_IS)
CONVERSION(mms_32_to_8, u32, u8, AS_IT_IS)
CONVERSION(mms_32_to_16, u32, u16, AS_IT_IS)

CONVERSION(mms_i8_to_f32, i8, f32, AS_IT_IS)
CONVERSION(mms_u8_to_f32, u8, f32, AS_IT_IS)
CONVERSION(mms_i16_to_f32, i16, f32, AS_IT_IS)
CONVERSION(mms_u16_to_f32, u16, f32, AS_IT_IS)
CONVERSION(mms_i32_to_f32, i32, f32, AS_IT_IS)
CONVERSION(mms_u32_to_f32, u32, f32, AS_IT_IS)
CONVERSION(mms_i64_to_f32, i64, f32, AS_IT_IS)
CONVERSION(mms_u64_to_f32, u64, f32, AS_IT_IS)
CONVERSION(mms_i8_to_f64, i8, f64, AS_IT_IS)
CONVERSION(mms_u8_to_f64, u8, f64, AS_IT_IS)
CONVERSION(mms_i16_to_f64, i16, f64, AS_IT_IS)
CONVERSION(mms_u16_to_f64, u16, f64, AS_IT_IS)
CONVERSION(mms_i32_to_f64, i32, f64, AS_IT_IS)
CONVERSION(mms_u32_to_f64, u32, f64, AS_IT_IS)
CONVERSION(mms_i64_to_f64, i64, f64, AS_IT_IS)
CONVERSION(mms_u64_to_f64, u64, f64, AS_IT_IS)

/* ---- Halves --------------------------------------------------------------------------------------------------- */

static inline float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The exponent of a half is 112 less than that of a float. A subnormal half is a number of units of 2^-24: one less
 * 2^-14 makes it of a normal float, so that it does not count as zero where subnormal floats do. */
static inline float f16_value(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu, sign = (uint32_t)(half & 0x8000u) << 16,
                 quiet = magnitude > 0x7c00 ? 1u << 22 : 0;
  const uint32_t normal = (magnitude << 13) + (magnitude >= 0x7c00 ? (127u + 97u) << 23 : 112u << 23);
  const uint32_t tiny = bits_of(float_of((113u << 23) + (magnitude << 13)) - 0x1p-14f);
  return float_of(sign | quiet | (magnitude < 0x400 ? tiny : normal));
}

static inline float bf16_value(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  return float_of((bits & 0x7fffffffu) > 0x7f800000u ? bits | 1u << 22 : bits);
}

/* In integers, as sums of floats would be rounded as the program has it. What is below 2^-25, or that itself, is 0. */
static inline uint16_t to_f16(float x) {
  const uint32_t bits = bits_of(x), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  const uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
  const uint32_t shift = magnitude < 102u << 23 ? 31 : 126 - (magnitude >> 23),
                 units = (magnitude & 0x7fffffu) | 1u << 23;
  const uint32_t low = shift > 24 ? 24 : shift; /* of normal numbers it is not used */
  const uint32_t tiny = (units + (1u << (low - 1)) - 1 + (units >> low & 1u)) >> low;
  const uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  const uint32_t finite = magnitude < 113u << 23 ? (magnitude <= 102u << 23 ? 0 : tiny) : normal;
  return (uint16_t)(sign | (magnitude > 0x7f800000u ? nan : magnitude >= 0x477ff000u ? 0x7c00u : finite));
}

static inline uint16_t to_bf16(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded);
}

CONVERSION(mms_f16_to_f32, u16, f32, f16_value)
CONVERSION(mms_bf16_to_f32, u16, f32, bf16_value)
CONVERSION(mms_f16_to_f64, u16, f64, f16_value)
CONVERSION(mms_bf16_to_f64, u16, f64, bf16_value)
CONVERSION(mms_f32_to_f64, f32, f64, AS_IT_IS)
CONVERSION(mms_f32_to_f16, f32, u16, to_f16)
CONVERSION(mms_f32_to_bf16, f32, u16, to_bf16)

/* ---- Complex numbers ------------------------------------------------------------------------------------------ */

#define PARTS(type, from_real, from_complex, real_to_planes, to_complex)                                               \
  void from_real(size_t n, const void *from, void *to, size_t apart) {                                                 \
    const type *restrict x = from;                                                                                     \
    type *restrict y = to;                                                                                             \
    (void)apart;                                                                                                       \
    for (size_t i = 0; i < n; i++) y[2 * i] = x[i], y[2 * i + 1] = 0;                                                  \
  }                                                                                                                    \
  void from_complex(size_t n, const void *from, void *to, size_t apart) {                                              \
    const type *restrict x = from;                                                                                     \
    type *restrict re = to, *restrict im = re + apart;                                                                 \
    for (size_t i = 0; i < n; i++) re[i] = x[2 * i], im[i] = x[2 * i + 1];                                             \
  }                                                                                                                    \
  void real_to_planes(size_t n, const void *from, void *to, size_t apart) {                                            \
    memcpy(to, from, n * sizeof(type));                                                                                \
    memset((type *)to + apart, 0, n * sizeof(type));                                                                   \
  }                                                                                                                    \
  void to_complex(size_t n, const void *from, void *to, size_t apart) {                                                \
    const type *restrict re = from, *restrict im = re + apart;                                                         \
    type *restrict y = to;                                                                                             \
    for (size_t i = 0; i < n; i++) y[2 * i] = re[i], y[2 * i + 1] = im[i];                                             \
  }

PARTS(f32, mms_f32_to_c32, mms_c32_to_planes, mms_f32_to_planes, mms_planes_to_c32)
PARTS(f64, mms_f64_to_c64, mms_c64_to_planes, mms_f64_to_planes, mms_planes_to_c64)
