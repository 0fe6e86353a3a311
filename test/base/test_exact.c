/* test_exact.c: sums without rounding errors, beside sums of whole numbers of another base, rounded bit by bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "base/exact.h"
#include "support/float_mode.h"

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* A whole number in units of 2^UNIT, by digits of 16 bits, the lowest first. Each is what came to it, not yet carried.
 */
enum { UNIT = -1152, DIGIT = 16, DIGITS = 160 };

typedef struct slow {
  int64_t digits[DIGITS];
} slow;

static void slow_add(slow *sum, double x) {
  int exponent;
  const int64_t mantissa = (int64_t)ldexp(frexp(fabs(x), &exponent), DBL_MANT_DIG);
  const unsigned at = x == 0 ? 0 : (unsigned)(exponent - DBL_MANT_DIG - UNIT);
  unsigned __int128 left = (unsigned __int128)mantissa << at % DIGIT;
  for (size_t i = at / DIGIT; left > 0; i++, left >>= DIGIT) {
    const int64_t digit = (int64_t)(left & UINT16_MAX);
    sum->digits[i] += x < 0 ? -digit : digit;
  }
}

/* Carries; afterwards all digits but the last are from 0 to 2^16 - 1. Returns the sign. */
static int carried(slow *sum) {
  int64_t carry = 0;
  for (size_t i = 0; i < DIGITS; i++) {
    const int64_t all = sum->digits[i] + carry;
    carry = i < DIGITS - 1 ? all >> DIGIT : 0;
    sum->digits[i] = i < DIGITS - 1 ? all & UINT16_MAX : all;
  }
  return sum->digits[DIGITS - 1] < 0 ? -1 : 1;
}

static unsigned bit_at(const slow *sum, int at) { return at < 0 ? 0 : sum->digits[at / DIGIT] >> at % DIGIT & 1; }

static bool any_below(const slow *sum, int at) {
  for (int i = 0; i < at; i++)
    if (bit_at(sum, i)) return true;
  return false;
}

/* Whether a magnitude, of which `last` is the last bit that is kept, is rounded away from 0. */
static bool goes_up(int mode, int sign, unsigned last, unsigned half, bool more) {
  if (mode == FE_TONEAREST) return half && (more || last);
  return (half || more) && mode == (sign < 0 ? FE_DOWNWARD : FE_UPWARD);
}

/* What is too large for the type becomes infinite, or the largest number. */
static double in_range(double magnitude, double most, int mode, int sign) {
  if (magnitude <= most) return sign * magnitude;
  const bool is_infinite = mode == FE_TONEAREST || mode == (sign < 0 ? FE_DOWNWARD : FE_UPWARD);
  return sign * (is_infinite ? (double)INFINITY : most);
}

/* To a type of so many bits, whose least number is 2^least. */
static double rounded(const slow *of, int bits, int least, double most, int mode) {
  slow sum = *of;
  const int sign = carried(&sum);
  for (size_t i = 0; sign < 0 && i < DIGITS; i++) sum.digits[i] = -sum.digits[i];
  carried(&sum);
  int top = DIGITS * DIGIT - 1;
  while (top >= 0 && !bit_at(&sum, top)) top--;
  if (top < 0) return 0;
  const int last = top - bits + 1 > least - UNIT ? top - bits + 1 : least - UNIT;
  int64_t kept = 0;
  for (int i = top; i >= last; i--) kept = 2 * kept + bit_at(&sum, i);
  kept += goes_up(mode, sign, kept & 1, bit_at(&sum, last - 1), any_below(&sum, last - 1));
  return in_range(ldexp((double)kept, last + UNIT), most, mode, sign);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

static struct both {
  mms_exact fast;
  slow slow;
  size_t count;
} both;

static void start(void) { memset(&both, 0, sizeof both); }

static void add(double x) {
  mms_exact_add(&both.fast, x);
  slow_add(&both.slow, x);
  both.count++;
}

static void check_one(double want, double got, const char *type, size_t mode) {
  if (memcmp(&want, &got, sizeof want) == 0) return;
  fail_seeded("a sum of %zu numbers, as %s, rounded %s: %a, not %a", both.count, type, float_mode_name(mode), got,
              want);
}

/* are_floats: all numbers are floats, and sums may be rounded to one. */
static void check(bool are_floats) {
  for (size_t mode = 0; mode < ROUNDINGS; mode++) {
    const struct float_mode before = float_mode_set(mode);
    const int rounding = fegetround();
    const double f64 = mms_exact_f64(&both.fast);
    const double f32 = are_floats ? (double)mms_exact_f32(&both.fast) : 0;
    float_mode_restore(before);
    check_one(rounded(&both.slow, DBL_MANT_DIG, -1074, DBL_MAX, rounding), f64, "f64", mode);
    if (are_floats) check_one(rounded(&both.slow, FLT_MANT_DIG, -149, (double)FLT_MAX, rounding), f32, "f32", mode);
  }
}

/* The oracle itself, where a sum is known; a zero has no sign. */
static void check_is(double want) {
  check_one(want + 0.0, rounded(&both.slow, DBL_MANT_DIG, -1074, DBL_MAX, FE_TONEAREST), "what is known", 0);
}

/* ---- What is added ----------------------------------------------------------------------------------------------- */

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Any finite number; of few digits, so that ties come up; `spread`: from how many exponents, from `lowest` on. */
static double draw_double(struct rng *rng, unsigned lowest, unsigned spread) {
  const uint64_t exponent = lowest + draw_below(rng, spread), keep = UINT64_MAX << draw_below(rng, 53);
  return from_bits(draw(rng) >> 63 << 63 | exponent << 52 | (draw(rng) >> 12 & keep));
}

static double draw_float(struct rng *rng, unsigned lowest, unsigned spread) {
  const uint32_t exponent = lowest + (uint32_t)draw_below(rng, spread), keep = UINT32_MAX << draw_below(rng, 24);
  const uint32_t bits = (uint32_t)(draw(rng) >> 63 << 31) | exponent << 23 | ((uint32_t)draw(rng) >> 9 & keep);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static double draw_any(struct rng *rng, bool are_floats, unsigned lowest, unsigned spread) {
  return are_floats ? draw_float(rng, lowest, spread) : draw_double(rng, lowest, spread);
}

/* Sums of up to 60 numbers, looked at after each; some take away what came before. */
static void check_sums(struct rng *rng, bool are_floats, unsigned lowest, unsigned spread) {
  double all[60];
  start();
  const size_t count = 1 + draw_below(rng, COUNT(all));
  for (size_t i = 0; i < count; i++) {
    all[i] = i > 0 && draw_below(rng, 4) == 0 ? -all[draw_below(rng, i)] : draw_any(rng, are_floats, lowest, spread);
    add(all[i]);
    check(are_floats);
  }
  for (size_t i = count; i-- > 1;) add(-all[i]);
  check(are_floats);
  check_is(all[0]);
  add(-all[0]);
  check(are_floats);
  check_is(0);
}

TEST(test_whole_range) {
  struct rng rng = rng_of(1);
  for (size_t k = sized(400, 30); k > 0; k--) {
    check_sums(&rng, false, 0, 2047);
    check_sums(&rng, true, 0, 255);
  }
}

/* Exponents close to each other: the least numbers, the largest, and those around 1. */
TEST(test_near_exponents) {
  struct rng rng = rng_of(2);
  for (size_t k = sized(150, 10); k > 0; k--) {
    const unsigned spread = 1 + (unsigned)draw_below(&rng, 70);
    check_sums(&rng, false, 0, spread);
    check_sums(&rng, false, 2047 - spread, spread);
    check_sums(&rng, false, 1000, spread);
    check_sums(&rng, true, 0, spread);
    check_sums(&rng, true, 255 - spread, spread);
    check_sums(&rng, true, 100, spread);
  }
}

/* ---- Numbers by hand --------------------------------------------------------------------------------------------- */

/* What a tiny number takes from a large one goes through all limbs between them, and comes back. */
TEST(test_long_carries) {
  const int step = (int)sized(19, 61);
  for (int high = -1000; high <= 1023; high += step)
    for (int low = -1074; low < high; low += 61) {
      start();
      add(ldexp(1, high));
      for (int turn = 0; turn < 2; turn++) {
        add(-ldexp(1, low));
        check(false);
        add(ldexp(1, low));
        check(false);
        check_is(ldexp(1, high));
        add(-ldexp(1, high));
        check_is(0);
        add(-ldexp(1, low));
        check(false);
        check_is(-ldexp(1, low));
        add(ldexp(1, low));
        add(ldexp(1, high));
      }
    }
}

/* 1 + 2^-53 is between two doubles, and 1 + 2^-24 between two floats; a tiny number decides, of either sign. */
static void check_ties(double one, double unit, bool are_floats, double tiny) {
  static const double sides[] = {-1, 0, 1};
  for (int sign = -1; sign < 2; sign += 2)
    for (int k = 0; k < 8; k++)
      for (size_t side = 0; side < COUNT(sides); side++) {
        start();
        add(sign * one);
        add(sign * (double)k * unit / 2);
        add(sides[side] * tiny);
        check(are_floats);
      }
}

TEST(test_ties) {
  for (int e = -1000; e < 1024; e += 13) check_ties(ldexp(1, e), ldexp(1, e - 52), false, ldexp(1, -1074));
  for (int e = -100; e < 128; e += 5) check_ties(ldexp(1, e), ldexp(1, e - 23), true, ldexp(1, -149));
  check_ties(1, 0x1p-52, false, 0x1p-60);
  check_ties(DBL_MAX, 0x1p970, false, 1);
  check_ties(-DBL_MAX, 0x1p970, false, 1);
  check_ties((double)FLT_MAX, 0x1p104, true, 1);
  check_ties(-(double)FLT_MAX, 0x1p104, true, 1);
}

/* Sums of the largest numbers are far beyond them, and come back. */
TEST(test_beyond_the_largest) {
  const size_t many = sized(100000, 2000);
  for (int sign = -1; sign < 2; sign += 2) {
    start();
    for (size_t i = 0; i < many; i++) add(sign * DBL_MAX);
    check(false);
    check_is(sign * (double)INFINITY);
    add(ldexp(-sign, -1074));
    check(false);
    for (size_t i = 1; i < many; i++) add(-sign * DBL_MAX);
    check(false);
    add(ldexp(sign, -1074));
    check_is(sign * DBL_MAX);
    check(false);
  }
}

TEST(test_zeros) {
  start();
  check(true);
  add(0.0);
  add(-0.0);
  check(true);
  check_is(0);
}

int main(void) { return run_all_tests(NULL, NULL); }
