/* exact.c: sums without rounding errors. */
#include "base/exact.h"

#include <math.h>
#include <string.h>

enum { BITS = 64, LOWEST = -1074 };

/* ---- Adding --------------------------------------------------------------------------------------------------- */

/* Adds a number of two limbs from limb `at` on. Carries seldom go further. */
static void add(mms_exact *sum, size_t at, uint64_t low, uint64_t high) {
  uint64_t *to = sum->limbs + at, *const end = sum->limbs + MMS_EXACT_LIMBS;
  bool carry = __builtin_add_overflow(*to, low, to);
  for (to++; to < end && (carry || high); to++, high = 0) {
    const bool first = __builtin_add_overflow(*to, high, to);
    carry = __builtin_add_overflow(*to, (uint64_t)carry, to) || first;
  }
}

static void subtract(mms_exact *sum, size_t at, uint64_t low, uint64_t high) {
  uint64_t *to = sum->limbs + at, *const end = sum->limbs + MMS_EXACT_LIMBS;
  bool borrow = __builtin_sub_overflow(*to, low, to);
  for (to++; to < end && (borrow || high); to++, high = 0) {
    const bool first = __builtin_sub_overflow(*to, high, to);
    borrow = __builtin_sub_overflow(*to, (uint64_t)borrow, to) || first;
  }
}

/* By its bits: a mantissa of 53, whose last one stands for 2^-1074 times 2 to the exponent. */
void mms_exact_add(mms_exact *sum, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const unsigned raw = bits >> 52 & 0x7FF, exponent = raw > 0 ? raw - 1 : 0, shift = exponent % BITS;
  const uint64_t mantissa = (bits & (UINT64_MAX >> 12)) | (uint64_t)(raw > 0) << 52;
  const uint64_t high = shift > 0 ? mantissa >> (BITS - shift) : 0;
  (bits >> 63 ? subtract : add)(sum, exponent / BITS, mantissa << shift, high);
}

void mms_exact_combine(mms_exact *sum, const mms_exact *other) {
  for (size_t i = 0, carry = 0; i < MMS_EXACT_LIMBS; i++) {
    const bool first = __builtin_add_overflow(sum->limbs[i], other->limbs[i], &sum->limbs[i]);
    carry = __builtin_add_overflow(sum->limbs[i], (uint64_t)carry, &sum->limbs[i]) || first;
  }
}

/* ---- Rounding ------------------------------------------------------------------------------------------------- */

/* The sum is `top` times 2^exponent, but for what `top` is short of: less than one, for which its last bit is set. */
typedef struct leading {
  int64_t top;
  int exponent;
} leading;

static bool is_any(const uint64_t *limbs, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (limbs[i]) return true;
  return false;
}

/* 62 bits, of which the last stands for all after it: more than any type has, so that one rounding is left. */
static leading leading_of(const mms_exact *sum) {
  const bool is_negative = sum->limbs[MMS_EXACT_LIMBS - 1] >> (BITS - 1);
  mms_exact magnitude = *sum;
  for (size_t i = 0, carry = is_negative; is_negative && i < MMS_EXACT_LIMBS; i++)
    carry = __builtin_add_overflow(~sum->limbs[i], (uint64_t)carry, &magnitude.limbs[i]);
  size_t i = MMS_EXACT_LIMBS;
  while (i > 0 && magnitude.limbs[i - 1] == 0) i--;
  if (i == 0) return (leading){0, 0};
  const uint64_t limb = magnitude.limbs[i - 1], next = i > 1 ? magnitude.limbs[i - 2] : 0;
  const int zeros = __builtin_clzll(limb);
  const uint64_t all = zeros > 0 ? limb << zeros | next >> (BITS - zeros) : limb,
                 rest = zeros > 0 ? next << zeros : next;
  const bool is_short = (all & 3) || rest || (i > 2 && is_any(magnitude.limbs, i - 2));
  const int64_t top = (int64_t)(all >> 2 | is_short);
  return (leading){is_negative ? -top : top, LOWEST + (int)(i - 1) * BITS - zeros + 2};
}

double mms_exact_f64(const mms_exact *sum) {
  const leading of = leading_of(sum);
  return ldexp((double)of.top, of.exponent);
}

/* A sum of floats is a multiple of the least of them, so nothing is rounded again below the range of normal ones. */
float mms_exact_f32(const mms_exact *sum) {
  const leading of = leading_of(sum);
  return ldexpf((float)of.top, of.exponent);
}
