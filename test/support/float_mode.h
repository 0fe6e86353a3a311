/* float_mode.h: the modes in which a thread computes with floats: four ways of rounding, and on x86 each of them also
 * with tiny numbers taken for zeros, as operands (DAZ) and as results (FTZ).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FLOAT_MODE_H
#define FLOAT_MODE_H

#include <fenv.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "test.h"

enum {
  ROUNDINGS = 4,
#ifdef __SSE__
  FLOAT_MODES = 2 * ROUNDINGS,
#else
  FLOAT_MODES = ROUNDINGS,
#endif
  FTZ_AND_DAZ = 0x8040 /* in MXCSR */
};

struct float_mode {
  int rounding;
  unsigned flushes;
};

static inline unsigned flushes_set(unsigned flushes) {
#ifdef __SSE__
  const unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~(unsigned)FTZ_AND_DAZ) | flushes);
  return before & FTZ_AND_DAZ;
#else
  return flushes;
#endif
}

/* Sets a mode by its number, and returns the one before, for float_mode_restore(). */
static inline struct float_mode float_mode_set(size_t index) {
  static const int roundings[ROUNDINGS] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  const struct float_mode before = {fegetround(), flushes_set(index >= ROUNDINGS ? FTZ_AND_DAZ : 0)};
  fesetround(roundings[index % ROUNDINGS]);
  return before;
}

static inline void float_mode_restore(struct float_mode mode) {
  fesetround(mode.rounding);
  flushes_set(mode.flushes);
}

static inline const char *float_mode_name(size_t index) {
  static const char *const names[2 * ROUNDINGS] = {
      "to nearest",           "downward",           "upward",           "toward zero",
      "to nearest, flushing", "downward, flushing", "upward, flushing", "toward zero, flushing"};
  return names[index];
}

#endif /* FLOAT_MODE_H */
