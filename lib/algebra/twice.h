/* twice.h: sums and products of doubles in twice their digits, as pairs of doubles, for the plain loop and for what
 * kernels do one by one.
 *
 * Joldes, Muller and Popescu, "Tight and Rigorous Error Bounds for Basic Building Blocks of Double-Word Arithmetic",
 * ACM TOMS 44 (2017): a double is added as by their Algorithm 4, which is off by at most 2 u^2 of the result, and
 * multiplied as by Algorithm 8, by 3 u^2; u is 2^-53. Pairs are added as by Algorithm 5, off by at most 3 u^2 of the
 * sum of both magnitudes, and multiplied as by Algorithm 10, 7 u^2.
 *
 * A pair is high - over, where they have low = -over. So zeros keep their signs: high - 0 is high, but -0 + 0 is 0.
 * What is over where high is not finite, or could not be found, is dropped: then high is what a double would be. */
#ifndef MMS_TWICE_H
#define MMS_TWICE_H

#include "algebra/loop.h"
#include <string.h>

/* Compilers may not fuse a product and a sum: bits would depend on the instruction set. GCC does not with -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct mms_twice {
  double high, over;
} mms_twice;

/* In a carry it is the other way round: an element, and what it is short of. */
static inline mms_twice mms_twice_of(const mms_value *carry) {
  return (mms_twice){carry->pair_f64[0], 0 - carry->pair_f64[1]};
}

static inline double mms_twice_finite(double x) { return x - x == 0 ? x : 0; }

static inline void mms_twice_to(mms_value *carry, mms_twice value) {
  const double pair[2] = {value.high, 0 - mms_twice_finite(value.over)};
  memcpy(carry, pair, sizeof pair);
}

/* Dekker's Fast2Sum: high becomes the double that is nearest to the pair. */
static inline mms_twice mms_twice_settled(double high, double over) {
  const double off = mms_twice_finite(over), settled = high - off;
  return (mms_twice){settled, (settled - high) + off};
}

/* How much a sum of doubles is over a + b, by Dekker. Unlike Knuth's 2Sum it does not overflow where the sum does not.
 */
static inline double mms_twice_sum_over(double a, double b, double sum) {
  const bool a_is_larger = (a < 0 ? -a : a) >= (b < 0 ? -b : b);
  const double larger = a_is_larger ? a : b, other = a_is_larger ? b : a;
  return (sum - larger) - other;
}

/* a + x. */
static inline mms_twice mms_twice_plus(mms_twice a, double x) {
  const double sum = a.high + x;
  return mms_twice_settled(sum, a.over + mms_twice_sum_over(a.high, x, sum));
}

/* a + b. */
static inline mms_twice mms_twice_sum(mms_twice a, mms_twice b) {
  const double sum = a.high + b.high;
  return mms_twice_settled(sum, (a.over + b.over) + mms_twice_sum_over(a.high, b.high, sum));
}

/* The upper half of the digits of x. */
static inline double mms_twice_upper(double x) {
  const double scale = (x < 0 ? -x : x) > 0x1p990 ? 0x1p-30 : 1, scaled = x * scale, product = scaled * 0x1.000002p27;
  return (product - (product - scaled)) / scale;
}

/* How much a product of doubles is over a b, by Dekker: exactly, if it is 2^-968 or more. */
static inline double mms_twice_product_over(double a, double b, double product) {
  const double a_upper = mms_twice_upper(a), a_lower = a - a_upper, b_upper = mms_twice_upper(b), b_lower = b - b_upper;
  return (((product - a_upper * b_upper) - a_upper * b_lower) - a_lower * b_upper) - a_lower * b_lower;
}

/* a x. A product of -0 has to be over by 0, not by -0. */
static inline mms_twice mms_twice_times(mms_twice a, double x) {
  const double product = a.high * x, more = a.over * x, over = mms_twice_product_over(a.high, x, product);
  return mms_twice_settled(product, (over + more) + 0);
}

/* a b. */
static inline mms_twice mms_twice_product(mms_twice a, mms_twice b) {
  const double product = a.high * b.high, more = a.high * b.over, most = a.over * b.high;
  const double over = mms_twice_product_over(a.high, b.high, product);
  return mms_twice_settled(product, (over + (more + most)) + 0);
}

#endif
