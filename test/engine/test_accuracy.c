/* test_accuracy.c: float sums are as accurate as mmscan.h says, where rounding errors add up as badly as they can.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where all elements are equal, the plain loop rounds each sum in the same direction for long stretches. Its error is
 * far beyond the bound of the other engines: an engine that adds one element after the other would fail here.
 */
#include "support/sanitized.h"
#include "support/shot.h"

#include <math.h>
#include <sys/sysinfo.h>

/* EQUAL ones; of one sign; of both; levels, on which roundings have one sign; 1 / i and e^-i, whose sums grow ever more
 * slowly; pairs that cancel to a millionth. */
enum input { EQUAL, ONE_SIGN, SIGNS, LEVELS, HARMONIC, DECAY, CANCELS, INPUTS };

static double element(enum input input, struct rng *rng, size_t i) {
  switch (input) {
  case ONE_SIGN:
    return fabs(draw_unit(rng));
  case SIGNS:
    return draw_unit(rng);
  case LEVELS:
    return 0.1 * (double)(1 + i / 5000 % 7);
  case HARMONIC:
    return 1 / (double)(i + 1);
  case DECAY:
    return exp(-(double)i);
  case CANCELS:
    return i % 2 ? -0.7 + 0.7e-6 : 0.7;
  default:
    return 0.1;
  }
}

static struct sample elements(const struct type *type, enum input input, size_t n) {
  struct sample sample = {.x = test_memory(n * type->size)};
  struct rng rng = rng_of((size_t)input);
  for (size_t i = 0; i < n; i++) put_float(type->type, sample.x, i, element(input, &rng, i));
  sample.oracle = oracle_new(type, RANDOM, sample.x, n);
  return sample;
}

static struct sample equal_elements(const struct type *type, size_t n) { return elements(type, EQUAL, n); }

/* The first element of a scan by `asked` that is off by more than c additions allow, or n if none is. c = 0: as many as
 * the choice may do. */
static size_t first_inaccurate(const struct sample *sample, const mmscan_choice *asked, size_t n, bool reverse,
                               double c) {
  const struct type *type = sample->oracle.type;
  const mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, reverse, n);
  const struct window w = {0, n, MMSCAN_INCLUSIVE, reverse, NULL, MMSCAN_PLUS};
  void *y = test_memory(n * type->size);
  const mmscan_choice used = scan_with(&desc, asked, sample->x, y);
  if (c == 0) c = most_additions(&used, n);
  const double u = type->eps / 2;
  const size_t wrong = type->first_wrong(&sample->oracle, &w, c / (1 - c * u) / 2, y);
  free(y);
  return wrong;
}

static void check_accuracy(const struct sample *sample, const mmscan_choice *asked, unsigned directions) {
  const size_t n = is_slow(asked) ? 40000 : sample->oracle.n;
  for (unsigned reverse = 0; reverse < directions; reverse++) {
    const size_t wrong = first_inaccurate(sample, asked, n, reverse, 0);
    if (wrong < n)
      fail_seeded("%s, n %zu, %s x %s, s %zu, tile %zu, %s: y[%zu] is off by more than mmscan.h allows",
                  sample->oracle.type->name, n, asked->engine, part_of(asked), asked->s, asked->tile,
                  reverse ? "reverse" : "forward", wrong);
  }
}

/* Tiles of several sizes, some shorter than a block of the kernels; and matrices of several sizes. */
static void check_sizes(const struct sample *sample, mmscan_choice asked) {
  const size_t tiles[] = {64, 1000, 16384, MMSCAN_MAX_TILE}, sizes[] = {2, 17, MMSCAN_MAX_S};
  check_accuracy(sample, &asked, 2);
  for (size_t i = 0; cuts_tiles(&asked) && i < COUNT(tiles); i++) {
    asked.tile = tiles[i];
    check_accuracy(sample, &asked, 2);
  }
  asked.tile = 0;
  for (size_t i = 0; is_gemm(&asked) && i < COUNT(sizes); i++) {
    asked.s = sizes[i];
    check_accuracy(sample, &asked, 2);
  }
}

/* More than four of the longest tiles; in a quick run, than one. */
static size_t length(void) { return sized(1 << 19, 1 << 17) + 17; }

TEST(test_engines) {
  const struct forced *all = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct sample sample = equal_elements(type_at(t), length());
    for (size_t c = 0; c < all->count; c++) check_sizes(&sample, all->choice[c]);
    sample_free(&sample);
  }
}

/* By vectors of every length, on one thread and on several. The oracle's sums from the end are differences, in which
 * what decays is lost. */
static void check_input(const struct type *type, enum input input, size_t n) {
  struct sample sample = elements(type, input, n);
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++) {
    mmscan_choice asked = all->choice[c];
    if (is_gemm(&asked) || !cuts_tiles(&asked)) continue;
    for (asked.threads = 1; asked.threads < 4; asked.threads += 2)
      check_accuracy(&sample, &asked, input == DECAY ? 1 : 2);
  }
  sample_free(&sample);
}

TEST(test_inputs) {
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (int input = 0; input < INPUTS; input++) check_input(type_at(t), (enum input)input, length());
}

/* Bands of columns, which threads share, are of the same groups of rows. */
static void check_threads(const mmscan_desc *desc, const void *x, size_t bytes) {
  void *one = test_memory(bytes), *two = test_memory(bytes);
  mmscan_choice choice = {.struct_size = sizeof choice, .threads = 1};
  scan_with(desc, &choice, x, one);
  choice.threads = 2;
  scan_with(desc, &choice, x, two);
  if (memcmp(one, two, bytes) != 0) fail_msg("%zu columns: other bits by two threads", desc->batch);
  free(one);
  free(two);
}

/* Columns, some of which stand alone in a vector; in place, where elements are kept, and not. */
static void check_columns(const struct type *type, enum input input, size_t columns, bool in_place) {
  const size_t n = sized(1 << 17, 1 << 14), most = n * columns;
  const struct sample sample = elements(type, input, n);
  char *x = test_memory(most * type->size), *y = in_place ? x : test_memory(most * type->size);
  char *column = test_memory(n * type->size);
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, n);
  desc.x_stride = desc.y_stride = (ptrdiff_t)(desc.batch = columns);
  desc.x_dist = desc.y_dist = 1;
  for (size_t i = 0; i < most; i++)
    memcpy(x + i * type->size, (const char *)sample.x + i / columns * type->size, type->size);
  if (!in_place) check_threads(&desc, x, n * columns * type->size);
  assert_mmscan_ok(mmscan_scan(&desc, x, y));
  for (size_t c = 0; c < columns; c++) {
    const struct window w = {0, n, MMSCAN_INCLUSIVE, 0, NULL, MMSCAN_PLUS};
    for (size_t i = 0; i < n; i++) memcpy(column + i * type->size, y + (i * columns + c) * type->size, type->size);
    const size_t wrong = type->first_wrong(&sample.oracle, &w, 17, column);
    if (wrong < n)
      fail_msg("%s, input %d, column %zu of %zu: y[%zu] is off by more than mmscan.h allows", type->name, (int)input, c,
               columns, wrong);
  }
  if (!in_place) free(y);
  free(x);
  free(column);
  sample_free((struct sample *)&sample);
}

TEST(test_columns) {
  static const size_t columns[] = {1, 19, 3, 4, 23, 2};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (int input = 0; input < INPUTS; input++)
      check_columns(type_at(t), (enum input)input, columns[(size_t)input % COUNT(columns)], input % 2);
}

/* MMSCAN_ACCURATE: each result is one of the two floats next to the exact one. */
static void check_accurate(const float *x, const float *y, size_t n, mmscan_op op) {
  long double exact = op == MMSCAN_MUL;
  for (size_t i = 0; i < n; i++) {
    exact = op == MMSCAN_MUL ? exact * x[i] : exact + x[i];
    const float near = (float)exact;
    if (y[i] != near && y[i] != nextafterf(near, -INFINITY) && y[i] != nextafterf(near, INFINITY))
      fail_msg("op %d: y[%zu] is %a instead of %a", op, i, (double)y[i], (double)near);
  }
}

TEST(test_accurate) {
  const size_t n = length();
  float *y = test_memory(n * sizeof *y);
  for (int input = 0; input < INPUTS; input++) {
    struct sample sample = elements(type_at(0), (enum input)input, n);
    mmscan_desc desc = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
    desc.flags = MMSCAN_ACCURATE;
    assert_mmscan_ok(mmscan_scan(&desc, sample.x, y));
    check_accurate(sample.x, y, n, desc.op);
    for (size_t i = 0; i < n; i++) ((float *)sample.x)[i] = 1 + ((float *)sample.x)[i] / 1000000;
    desc.op = MMSCAN_MUL;
    assert_mmscan_ok(mmscan_scan(&desc, sample.x, y));
    check_accurate(sample.x, y, n, desc.op);
    sample_free(&sample);
  }
  free(y);
}

/* 10^7 equal elements are off by less than half a millionth: the carry is rounded four times. */
TEST(test_long_sum) {
  const size_t n = sized(10000000, 1000000);
  float *x = test_memory(n * sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = 0.0005f;
  assert_mmscan_ok(mmscan_inclusive_f32(n, x, x));
  const double exact = (double)n * (double)0.0005f;
  assert_true(fabs((double)x[n - 1] - exact) < 5e-7 * exact);
  free(x);
}

/* ---- As long as memory allows ------------------------------------------------------------------------------------ */

/* Whether results of a scan in place are off by 32 roundings at most; sums are kept as two doubles. */
static size_t first_far_off(const struct type *type, enum input input, const void *y, size_t n) {
  struct rng rng = rng_of((size_t)input);
  double high = 0, low = 0, size = 0;
  const double cu = 32 * type->eps / 2;
  for (size_t i = 0; i < n; i++) {
    const double any = element(input, &rng, i), x = type->type == MMSCAN_F32 ? (double)(float)any : any;
    const double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
    size += fabs(x);
    const double got = type->type == MMSCAN_F32 ? (double)((const float *)y)[i] : ((const double *)y)[i];
    if (!(fabs((got - high) - low) <= cu / (1 - cu) * size)) return i;
  }
  return n;
}

/* Skips the test where there is not much more memory than that. */
static void *much_memory(size_t bytes) {
  struct sysinfo here;
  skip_if(quick() || is_instrumented(), "takes long");
  skip_if(sysinfo(&here) != 0 || here.freeram * here.mem_unit < 2 * bytes, "not enough memory");
  return test_memory(bytes);
}

/* Roundings of equal floats add up the longest. */
static size_t length_of_very_long(const struct type *type, enum input input) {
  return ((size_t)1 << (type->type == MMSCAN_F64 ? 23 : input == EQUAL ? 27 : 24)) + 5;
}

TEST(test_very_long_sums) {
  static const enum input inputs[] = {EQUAL, SIGNS, LEVELS, CANCELS};
  const mmscan_choice two = {.struct_size = sizeof two, .engine = "simd", .threads = 2};
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    const struct type *type = type_at(t);
    void *y = much_memory(length_of_very_long(type, EQUAL) * type->size);
    for (size_t k = 0; k < COUNT(inputs); k++) {
      const size_t n = length_of_very_long(type, inputs[k]);
      const mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, n);
      struct rng rng = rng_of((size_t)inputs[k]);
      for (size_t i = 0; i < n; i++) put_float(type->type, y, i, element(inputs[k], &rng, i));
      scan_with(&desc, &two, y, y);
      const size_t wrong = first_far_off(type, inputs[k], y, n);
      if (wrong < n) fail_seeded("%s, input %d: y[%zu] is off by more than 32 roundings", type->name, inputs[k], wrong);
    }
    free(y);
  }
}

/* The plain loop exceeds the bound; otherwise the other test could not fail. */
TEST(test_plain_loop) {
  const mmscan_choice simd = {.struct_size = sizeof simd, .engine = "simd"};
  const mmscan_choice serial = {.struct_size = sizeof serial, .engine = "serial"};
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    const size_t n = length();
    struct sample sample = equal_elements(type_at(t), n);
    const mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
    mmscan_choice used;
    mmscan_plan_destroy(plan_new(&desc, &simd, &used));
    assert_true(first_inaccurate(&sample, &serial, n, false, most_additions(&used, n)) < n);
    assert_true(first_inaccurate(&sample, &serial, n, false, 0) == n);
    sample_free(&sample);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
