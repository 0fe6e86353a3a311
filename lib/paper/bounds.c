/* bounds.c: the sums in the proofs of Lemma 1, Theorem 1 and Section 3.2. */
#include "paper/bounds.h"

#include <math.h>

/* All of these are whole numbers well below 2^53: a double holds them exactly. */
static double ceil_div(double a, double b) { return ceil(a / b); }

static double larger(double a, double b) { return a > b ? a : b; }

static void add(mms_bounds *sum, double times, mms_bounds one) {
  sum->multiplications += times * one.multiplications;
  sum->additions += times * one.additions;
  sum->one_unit += times * one.one_unit;
}

/* The proof of Theorem 1: in phase one the columns of level j are n / s^(j+1), so the sum over k levels is
 * s ceil((n-1) / (s-1)) + s k - s, and in phase two s ceil((n-s) / (s-1)) + s (k-1) - s over k - 1 levels. The last
 * level of phase one is a single column, priced as s. */
static double theorem_1(double n, double s, double k, double latency) {
  double up = s * ceil_div(n - 1, s - 1) + s * k - s, down = s * ceil_div(n - s, s - 1) + s * (k - 1) - s;
  return (2 * k - 1) * latency + up + s * s - s + (k > 1 ? down : 0);
}

/* n = s^k. The paper's formulas are for k >= 1; nothing is done for k = 0. */
static mms_bounds of_power(double n, double s, double k, double latency) {
  if (k == 0) return (mms_bounds){0};
  double phase = ceil_div(n, s * (s - 1));
  double up = phase + k - 1, down = larger(0, phase + k - 2);
  return (mms_bounds){.depth = 2 * k - 1,
                      .multiplications = ceil_div(2 * n, s * (s - 1)) + 2 * k - 2,
                      .additions = up * s * s * (s - 1) / 2 + down * s * (s - 1),
                      .one_unit = theorem_1(n, s, k, latency)};
}

/* Step 4 on one segment: ceil(n / (s-1)) columns. */
static mms_bounds of_broadcast(double n, double s, double latency) {
  double squares = ceil_div(n, (s - 1) * (s - 1)), columns = larger(s, ceil_div(n, s - 1));
  return (mms_bounds){
      .multiplications = squares, .additions = squares * s * (s - 1), .one_unit = columns * s + latency};
}

/* In step 1 the paper allows one multiplication per segment more than Lemma 1 does (its ceiling inequality). */
static void add_segments(mms_bounds *sum, double digit, double power, double s, double k, double latency) {
  add(sum, digit, of_power(power, s, k, latency));
  add(sum, digit, of_broadcast(power, s, latency));
  if (k > 0) sum->multiplications += digit;
}

static mms_bounds of_entries(size_t entries, double s, double latency) {
  double q = 0, power = 1;
  for (; power < (double)entries; power *= s) q++;
  return of_power(power, s, q, latency);
}

mms_bounds mms_bounds_of(size_t n, size_t s, double latency) {
  mms_bounds sum = {0};
  size_t entries = 0;
  double power = 1, k = 0;
  for (size_t left = n; left; left /= s, power *= (double)s, k++) {
    if (left == 1 && entries == 0) return of_power(power, (double)s, k, latency);
    add_segments(&sum, (double)(left % s), power, (double)s, k, latency);
    entries += left % s;
  }
  add(&sum, 1, of_entries(entries, (double)s, latency));
  sum.depth = n ? 2 * (k - 1) : 0;
  return sum;
}
