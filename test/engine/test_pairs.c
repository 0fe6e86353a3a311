/* test_pairs.c: MMSCAN_ACCURATE into F64 and C64, whose sums and products are kept in pairs of doubles: against
 * quadruple precision, by every engine and instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/float_mode.h"
#include "support/kernels.h"
#include "support/oracle.h"
#include "support/reference.h"

#include <omp.h>

/* Of both signs; of one; 1 / i; of very different sizes; the second half takes away the first, in another order, but
 * for a trillionth; powers of two that cancel again and again, up to 2^40; factors near 1. */
enum input { SIGNS, ONE_SIGN, HARMONIC, SIZES, CANCELS, STEEP, FACTORS, INPUTS };

static double drawn(enum input input, struct rng *rng, size_t i) {
  switch (input) {
  case ONE_SIGN:
    return fabs(draw_unit(rng));
  case HARMONIC:
    return 1 / (double)(i + 1);
  case SIZES:
    return ldexp(draw_unit(rng), (int)draw_below(rng, 80) - 40);
  case STEEP:
    return ldexp(i % 2 ? -1 : 1, 40 - (int)(i / 2 % 60)) + draw_unit(rng) * (double)(i % 3 == 0);
  case FACTORS:
    return 1 + draw_unit(rng) / 64;
  default:
    return draw_unit(rng);
  }
}

static double *elements(enum input input, size_t n) {
  struct rng rng = rng_of((uint64_t)input);
  double *x = test_memory(n * sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = drawn(input, &rng, i);
  for (size_t i = 0, half = n / 2; input == CANCELS && i < half; i++) x[n - 1 - i] = -x[(i * 7919 + 13) % half];
  for (size_t i = 0, half = n / 2; input == CANCELS && i < half; i++) x[i] *= 1 + 0x1p-40 * draw_unit(&rng);
  return x;
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

typedef struct checked {
  mmscan_op op;
  mmscan_kind kind;
  bool reverse;
  double units; /* by how many u of it a result may be off, where rounding is not to nearest */
} checked;

/* Whether each of n results is within mmscan.h's bound. Returns how many are not the double that is nearest. */
static size_t check_bound(const checked *c, size_t n, const double *x, const double *y, const char *what) {
  const double u = 0x1p-53;
  quad exact = c->op == MMSCAN_MUL;
  double size = 0;
  size_t off = 0;
  for (size_t k = 0; k < n; k++) {
    const size_t i = c->reverse ? n - 1 - k : k;
    const quad next = c->op == MMSCAN_MUL ? exact * (quad)x[i] : exact + (quad)x[i];
    const quad result = c->kind == MMSCAN_EXCLUSIVE ? exact : next;
    size = c->op == MMSCAN_MUL ? fabs((double)next) : size + fabs(x[i]);
    const double count = c->op == MMSCAN_MUL ? 8 * (double)(k + 1) : 2 * (double)(n + 32);
    const double most = c->units * u * fabs((double)result) + c->units * c->units * count * u * u * size;
    if (!(fabs((double)((quad)y[i] - result)) <= most * (1 + 1e-9)))
      fail_seeded("%s, op %d kind %d reverse %d, n %zu: y[%zu] is %.17g instead of %.17g", what, c->op, c->kind,
                  c->reverse, n, i, y[i], (double)result);
    off += y[i] != (double)result;
    exact = next;
  }
  return off;
}

static mmscan_desc accurate_desc(const checked *c, size_t n) {
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, c->op, c->kind, n);
  d.reverse = c->reverse;
  d.flags = MMSCAN_ACCURATE;
  return d;
}

/* ---- Right to the last place ------------------------------------------------------------------------------------- */

static void check_input(enum input input, size_t n, const mmscan_choice *asked) {
  double *x = elements(input, n), *y = test_memory(n * sizeof *y);
  for (unsigned way = 0; way < 4; way++) {
    const checked c = {input == FACTORS ? MMSCAN_MUL : MMSCAN_PLUS, way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE,
                       way & 2, 1};
    const mmscan_desc d = accurate_desc(&c, n);
    scan_with(&d, asked, x, y);
    const size_t off = check_bound(&c, n, x, y, part_of(asked));
    if (off > n / 1000) fail_seeded("%s, input %d: %zu of %zu are off by a unit", part_of(asked), input, off, n);
  }
  free(y);
  free(x);
}

/* The longest are of what cancels; and by some choices of another input. */
TEST(test_inputs) {
  const struct forced *all = forced_all();
  const size_t lengths[] = {1, 2, 7, 24, 25, 33, 100, 2047, 2048, 2049, 5000, sized(300000, 10000)};
  for (size_t c = 0; c < all->count; c++)
    for (int input = 0; input < INPUTS && !is_gemm(&all->choice[c]); input++)
      for (size_t i = 0; i < COUNT(lengths); i++)
        if (lengths[i] < 100000 || input == CANCELS || (size_t)input == c % INPUTS)
          check_input((enum input)input, lengths[i], &all->choice[c]);
}

/* The plain sum is far off: the other tests could fail. */
TEST(test_plain_sums) {
  const size_t n = 100000;
  double *x = elements(CANCELS, n), *y = test_memory(n * sizeof *y);
  assert_mmscan_ok(mmscan_inclusive_f64(n, x, y));
  quad exact = 0;
  for (size_t i = 0; i < n; i++) exact += (quad)x[i];
  assert_true(ref_abs((quad)y[n - 1] - exact) > 100 * 0x1p-53 * ref_abs(exact));
  free(y);
  free(x);
}

/* ---- All ways ---------------------------------------------------------------------------------------------------- */

static void assert_same(const void *a, const void *b, size_t bytes, const char *what, size_t n) {
  if (memcmp(a, b, bytes) != 0) fail_seeded("%s: n %zu: other bits", what, n);
}

/* By 1 to 8 threads (in a quick run by 1 and by 8) in every way, in place, streamed, from and to strides; by vectors
 * of one length the bits are the same. */
static void check_ways(const mms_isa *isa, enum input input, size_t n, size_t tile) {
  static const char *const ways[] = {NULL, "scans", "shares", "chain", "leader"};
  const checked c = {input == FACTORS ? MMSCAN_MUL : MMSCAN_PLUS, MMSCAN_INCLUSIVE, n % 2, 1};
  mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .isa = isa->name, .tile = tile, .threads = 1};
  mmscan_desc d = accurate_desc(&c, n);
  double *x = elements(input, n), *want = test_memory(n * sizeof *want), *y = test_memory(3 * n * sizeof *y);
  scan_with(&d, &choice, x, want);
  check_bound(&c, n, x, want, isa->name);
  for (choice.threads = 1; choice.threads <= 8; choice.threads += quick() ? 7 : 1)
    for (size_t way = 0; way < COUNT(ways); way++) {
      mmscan_plan *plan = NULL;
      choice.way = ways[way];
      if (mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) continue;
      assert_mmscan_ok(mmscan_execute(plan, x, y));
      assert_same(want, y, n * sizeof *y, text_or(ways[way], "any way"), n);
      memcpy(y, x, n * sizeof *y);
      assert_mmscan_ok(mmscan_execute(plan, y, y));
      assert_same(want, y, n * sizeof *y, "in place", n);
      mmscan_plan_destroy(plan);
    }
  choice = (mmscan_choice){.struct_size = sizeof choice, .engine = "simd", .isa = isa->name, .tile = tile};
  d.y_stride = 3;
  scan_with(&d, &choice, x, y);
  for (size_t i = 0; tile && i < n; i++) assert_same(&want[i], &y[3 * i], sizeof *y, "strides", n);
  free(y);
  free(want);
  free(x);
}

static void check_isa(const mms_isa *isa) {
  const size_t lengths[] = {200, 4096, 20000, sized(60000, 20000)}, tiles[] = {0, 16, 100, 2048, 16384};
  for (size_t i = 0; i < COUNT(lengths) * COUNT(tiles); i++) {
    check_ways(isa, CANCELS, lengths[i % COUNT(lengths)], tiles[i / COUNT(lengths)]);
    check_ways(isa, FACTORS, lengths[i % COUNT(lengths)] + 1, tiles[i / COUNT(lengths)]);
  }
}

static void for_each_isa(void (*check)(const mms_isa *)) {
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    if (mms_isa_at(i) != NULL) check(mms_isa_at(i));
}

TEST(test_ways) { for_each_isa(check_isa); }

/* ---- The kernel's contract --------------------------------------------------------------------------------------- */

/* The carry out of a scan has the bits of advance() by total(), and the last inclusive result is its element. */
static void check_carry(const mms_isa *isa, mmscan_op op, size_t n, bool reverse) {
  const mms_kernel *k = mms_kernel_of(isa, mms_algebra_accurate(op, MMSCAN_F64));
  double *x = elements(op == MMSCAN_MUL ? FACTORS : SIZES, n), *y = test_memory(n * sizeof *y);
  const mms_value before = {.pair_f64 = {op == MMSCAN_MUL ? 1.25 : 1e6, 0x1p-60}};
  mms_value advanced = before, scanned = before, folded = before;
  mms_found found, own;
  k->total(k, n, x, reverse, &found);
  assert_true(found.is_ordinary && found.is_finite);
  assert_true(k->advance(k, &advanced, &found.total));
  k->scan[MMSCAN_INCLUSIVE][reverse](k, n, x, NULL, &folded, NULL);
  k->scan[MMSCAN_INCLUSIVE][reverse](k, n, x, y, &scanned, &(mms_aside){.found = &own});
  assert_same(&found.total, &own.total, 16, "total", n);
  assert_same(&advanced, &scanned, 16, "carry", n);
  assert_same(&advanced, &folded, 16, "carry alone", n);
  assert_same(&advanced, &y[reverse ? 0 : n - 1], sizeof *y, "last result", n);
  if (k->stream[MMSCAN_INCLUSIVE][reverse]) {
    double *streamed = test_memory((n + 1) * sizeof *y);
    for (size_t skew = 0; skew < 2; skew++) {
      mms_value carry = before;
      k->stream[MMSCAN_INCLUSIVE][reverse](k, n, x, streamed + skew, &carry, &(mms_aside){.found = NULL});
      assert_same(y, streamed + skew, n * sizeof *y, "streamed", n);
    }
    free(streamed);
  }
  free(y);
  free(x);
}

static void check_carries(const mms_isa *isa) {
  const size_t lengths[] = {1, 8, 24, 25, 64, 128, 1000, 2048, 2049, 2048 + 128, 2048 + 20, 4096, 10007};
  for (size_t i = 0; i < COUNT(lengths); i++)
    for (int reverse = 0; reverse < 2; reverse++) {
      check_carry(isa, MMSCAN_PLUS, lengths[i], reverse);
      check_carry(isa, MMSCAN_MUL, lengths[i], reverse);
    }
}

TEST(test_carries) { for_each_isa(check_carries); }

/* ---- What is not finite ------------------------------------------------------------------------------------------ */

static int sort_of(double x) { return isnan(x) ? 3 : isinf(x) ? (x > 0 ? 1 : 2) : 0; }

/* Results are finite, infinite or NaN where those of a plain loop of doubles are; and zero, by products. */
static void check_sorts(const mmscan_choice *asked, mmscan_op op, size_t n, const double *x, bool reverse) {
  const checked c = {op, MMSCAN_INCLUSIVE, reverse, 1};
  const mmscan_desc d = accurate_desc(&c, n);
  double *y = test_memory(n * sizeof *y);
  volatile double sum = op == MMSCAN_MUL ? 1 : -0.0;
  scan_with(&d, asked, x, y);
  for (size_t k = 0; k < n; k++) {
    const size_t i = reverse ? n - 1 - k : k;
    sum = op == MMSCAN_MUL ? sum * x[i] : sum + x[i];
    if (sort_of(sum) != sort_of(y[i]) || (op == MMSCAN_MUL && (sum == 0) != (y[i] == 0)))
      fail_seeded("%s, op %d reverse %d, n %zu: y[%zu] is %g instead of %g", part_of(asked), op, reverse, n, i, y[i],
                  sum);
    if (sum == 0 && y[i] == 0 && !signbit(sum) != !signbit(y[i])) fail_seeded("y[%zu]: the sign of a zero", i);
  }
  free(y);
}

static void check_nonfinite(const mmscan_choice *asked) {
  static const double odd[] = {INFINITY, -INFINITY, NAN, DBL_MAX, -DBL_MAX, 1e300, -1e300, 0.0, -0.0, 0x1p-1070};
  const size_t n = 5000;
  struct rng rng = rng_of(77);
  double *x = elements(SIGNS, n);
  for (size_t trial = 0; trial < sized(60, 15); trial++) {
    for (size_t i = 0; i < n; i++) x[i] = drawn(trial % 2 ? FACTORS : SIGNS, &rng, i);
    for (size_t i = 0; i < 1 + trial % 7; i++) x[draw_below(&rng, n)] = odd[draw_below(&rng, COUNT(odd))];
    check_sorts(asked, trial % 2 ? MMSCAN_MUL : MMSCAN_PLUS, 1 + draw_below(&rng, n), x, trial % 4 / 2);
  }
  for (int level = 0, up = -1, i = 0; i < (int)n; i++) { /* sums stay in range, but not those of some stretches */
    const bool is_large = draw_below(&rng, 20) == 0;
    x[i] = is_large ? up * 0x1p1021 : draw_unit(&rng);
    level += is_large ? up : 0;
    if (level == -6 || level == 6) up = level < 0 ? 1 : -1;
  }
  check_sorts(asked, MMSCAN_PLUS, n, x, false);
  for (size_t i = 0; i < n; i++) x[i] = i == 0 ? 0x1p900 : i / 90 % 2 ? 0x1.8p20 : 0x1p-20 / 1.5;
  check_sorts(asked, MMSCAN_MUL, n, x, false); /* so do products */
  for (size_t i = 0; i < n; i++) x[i] = -0.0;
  check_sorts(asked, MMSCAN_PLUS, n, x, false);
  const double few[] = {INFINITY, 10, 10, -INFINITY, 1};
  check_sorts(asked, MMSCAN_PLUS, COUNT(few), few, false);
  free(x);
}

TEST(test_nonfinite) {
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    if (!is_gemm(&all->choice[c])) check_nonfinite(&all->choice[c]);
}

/* ---- Modes ------------------------------------------------------------------------------------------------------- */

/* Where rounding is not to nearest, pairs lose some digits, and no more. */
TEST(test_modes) {
  const size_t n = sized(50000, 5000);
  const mmscan_choice one = {.struct_size = sizeof one, .threads = 1};
  double *x = elements(CANCELS, n), *factors = elements(FACTORS, n), *y = test_memory(n * sizeof *y);
  for (size_t mode = 0; mode < FLOAT_MODES; mode++)
    for (int mul = 0; mul < 2; mul++) {
      const checked c = {mul ? MMSCAN_MUL : MMSCAN_PLUS, MMSCAN_INCLUSIVE, false, 4};
      const mmscan_desc d = accurate_desc(&c, n);
      const struct float_mode before = float_mode_set(mode);
      scan_with(&d, &one, mul ? factors : x, y);
      float_mode_restore(before);
      check_bound(&c, n, mul ? factors : x, y, float_mode_name(mode));
    }
  free(y);
  free(factors);
  free(x);
}

/* ---- Other types, and blocks ------------------------------------------------------------------------------------- */

/* Of both parts, and from F32 and integers; as results of doubles that are the same numbers. */
TEST(test_types) {
  const size_t n = 30001;
  double *x = elements(CANCELS, n), *want = test_memory(n * sizeof *x), *y = test_memory(2 * n * sizeof *x);
  double *parts = test_memory(2 * n * sizeof *x);
  float *narrow = test_memory(n * sizeof *narrow);
  int64_t *whole = test_memory(n * sizeof *whole);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000};
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
  d.flags = MMSCAN_ACCURATE;
  scan_with(&d, &choice, x, want);
  for (size_t i = 0; i < n; i++) parts[2 * i] = x[i], parts[2 * i + 1] = x[i];
  d.x_type = d.y_type = MMSCAN_C64;
  scan_with(&d, &choice, parts, y);
  for (size_t i = 0; i < 2 * n; i++) assert_same(&want[i / 2], &y[i], sizeof *y, "c64", i);
  for (size_t i = 0; i < n; i++) x[i] = narrow[i] = (float)x[i];
  d.x_type = d.y_type = MMSCAN_F64;
  scan_with(&d, &choice, x, want);
  d.x_type = MMSCAN_F32;
  scan_with(&d, &choice, narrow, y);
  assert_same(want, y, n * sizeof *y, "f32 to f64", n);
  for (size_t i = 0; i < n; i++) x[i] = (double)(whole[i] = (int64_t)ldexp(x[i], 50));
  d.x_type = MMSCAN_F64;
  scan_with(&d, &choice, x, want);
  d.x_type = MMSCAN_I64;
  scan_with(&d, &choice, whole, y);
  assert_same(want, y, n * sizeof *y, "i64 to f64", n);
  free(whole);
  free(narrow);
  free(parts);
  free(y);
  free(want);
  free(x);
}

/* C32 in C64: each part is one of the two floats next to what that is, by another order of additions. */
TEST(test_complex_floats) {
  const size_t n = 20000;
  struct rng rng = rng_of(5);
  float *x = test_memory(2 * n * sizeof *x), *y = test_memory(2 * n * sizeof *y);
  for (mmscan_op op = MMSCAN_PLUS; op <= MMSCAN_MUL; op += MMSCAN_MUL - MMSCAN_PLUS) {
    long double re = op == MMSCAN_MUL, im = 0;
    for (size_t i = 0; i < n; i++) {
      x[2 * i] = (float)(op == MMSCAN_MUL ? cos(draw_unit(&rng)) : draw_unit(&rng));
      x[2 * i + 1] = (float)(op == MMSCAN_MUL ? sqrt(1 - (double)x[2 * i] * x[2 * i]) : draw_unit(&rng));
    }
    mmscan_desc d = MMSCAN_DESC(MMSCAN_C32, op, MMSCAN_INCLUSIVE, n);
    d.flags = MMSCAN_ACCURATE;
    assert_mmscan_ok(mmscan_scan(&d, x, y));
    for (size_t i = 0; i < n; i++) {
      const long double a = x[2 * i], b = x[2 * i + 1], next = op == MMSCAN_MUL ? re * a - im * b : re + a;
      im = op == MMSCAN_MUL ? re * b + im * a : im + b;
      re = next;
      const double slack = op == MMSCAN_MUL ? 1e-11 : 0, last = 0x1p-24;
      assert_true(fabs((double)(y[2 * i] - re)) <= last * fabs((double)re) * 1.0001 + slack + 1e-12);
      assert_true(fabs((double)(y[2 * i + 1] - im)) <= last * fabs((double)im) * 1.0001 + slack + 1e-12);
    }
  }
  free(y);
  free(x);
}

/* Factors of magnitudes near 1. */
static double *complex_factors(size_t n) {
  struct rng rng = rng_of(11);
  double *x = test_memory(2 * n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    const double angle = 3 * draw_unit(&rng), size = 1 + draw_unit(&rng) / 64;
    x[2 * i] = size * cos(angle);
    x[2 * i + 1] = size * sin(angle);
  }
  return x;
}

/* Whether all products are within mmscan.h's bound. Returns how many parts are not the nearest double. */
static size_t check_products(size_t n, const double *x, const double *y, bool reverse, const char *what) {
  const double u = 0x1p-53;
  quad re = 1, im = 0;
  size_t off = 0;
  for (size_t k = 0; k < n; k++) {
    const size_t i = reverse ? n - 1 - k : k;
    const quad a = x[2 * i], b = x[2 * i + 1], next = re * a - im * b;
    im = re * b + im * a;
    re = next;
    const double size = hypot((double)re, (double)im), most = (u + 9 * (double)(k + 1) * u * u) * size;
    const double far = hypot((double)((quad)y[2 * i] - re), (double)((quad)y[2 * i + 1] - im));
    if (!(far <= most * (1 + 5e-10))) fail_seeded("%s, reverse %d, n %zu: product %zu", what, reverse, n, i);
    off += (size_t)(y[2 * i] != (double)re) + (size_t)(y[2 * i + 1] != (double)im);
  }
  return off;
}

/* Of all choices, and in blocks, one loop. */
TEST(test_complex_products) {
  const size_t n = sized(200000, 20000), bytes = 2 * n * sizeof(double);
  const struct forced *all = forced_all();
  double *x = complex_factors(n), *y = test_memory(bytes), *want = test_memory(bytes), carry[2] = {1, 0};
  mmscan_desc d = MMSCAN_DESC(MMSCAN_C64, MMSCAN_MUL, MMSCAN_INCLUSIVE, n);
  d.flags = MMSCAN_ACCURATE;
  for (d.reverse = 0; d.reverse < 2; d.reverse++)
    for (size_t c = 0; c < all->count; c++) {
      if (is_gemm(&all->choice[c])) continue;
      scan_with(&d, &all->choice[c], x, y);
      assert_true(check_products(n, x, y, d.reverse, part_of(&all->choice[c])) < n / 1000);
    }
  d.reverse = 0;
  scan_with(&d, NULL, x, want);
  void *kept = test_memory(mmscan_state_size(&d));
  memset(kept, 0, mmscan_state_size(&d));
  d.state = kept;
  for (size_t done = 0; done < n; done += d.n) {
    d.n = n - done < 7001 ? n - done : 7001;
    assert_mmscan_ok(mmscan_scan_block(&d, x + 2 * done, y + 2 * done, carry));
  }
  assert_same(want, y, bytes, "blocks", n);
  free(kept);
  free(want);
  free(y);
  free(x);
}

/* A block leaves the element of its carry, which is its last result. */
TEST(test_blocks) {
  const size_t n = 50000;
  const checked c = {MMSCAN_PLUS, MMSCAN_INCLUSIVE, false, 1};
  mmscan_desc d = accurate_desc(&c, n);
  double *x = elements(SIZES, n), *y = test_memory(n * sizeof *y), carry = -0.0;
  assert_mmscan_ok(mmscan_scan_block(&d, x, y, &carry));
  check_bound(&c, n, x, y, "a block");
  assert_same(&carry, &y[n - 1], sizeof carry, "carry", n);
  free(y);
  free(x);
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
