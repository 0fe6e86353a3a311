/* narrow.h: halves, in a few instructions that compilers make vectors of. Numbers are finite. */
#ifndef NARROW_H
#define NARROW_H

#include <stdint.h>
#include <string.h>

static inline float narrow_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint32_t narrow_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The exponent of an f16 is 112 less than that of an f32, which holds for its subnormal numbers too. Without a branch,
 * which would often be mispredicted. */
static inline float narrow_from_f16(uint16_t half) {
  const float size = narrow_float((uint32_t)(half & 0x7fff) << 13) * 0x1p112f;
  return narrow_float(narrow_bits(size) | (uint32_t)(half & 0x8000) << 16);
}

static inline float narrow_from_bf16(uint16_t half) { return narrow_float((uint32_t)half << 16); }

/* To nearest, of two the even one. Units of the smallest f16 are those of the last place of a half. */
static inline uint16_t narrow_to_f16(float x) {
  const uint32_t bits = narrow_bits(x), size = bits & 0x7fffffffu;
  const uint32_t normal = (size + 0xfffu + (size >> 13 & 1u) - (112u << 23)) >> 13;
  const uint32_t tiny = narrow_bits(narrow_float(size) + 0.5f) - narrow_bits(0.5f);
  const uint32_t half = size < 113u << 23 ? tiny : normal < 0x7c00u ? normal : 0x7c00u;
  return (uint16_t)(bits >> 16 & 0x8000u) | (uint16_t)half;
}

static inline uint16_t narrow_to_bf16(float x) {
  const uint32_t bits = narrow_bits(x);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

#endif
