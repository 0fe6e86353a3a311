/* test_accuracy.c: float sums are as accurate as mmscan.h says, where rounding errors add up as badly as they can.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All elements are equal, so for long stretches the plain loop rounds each sum in the same direction. Its error is far
 * beyond the bound of the other engines: an engine that adds one element after the other would fail here.
 */
#include "support/shot.h"

static struct sample equal_elements(const struct type *type, size_t n) {
  struct sample sample = {.x = test_memory(n * type->size)};
  for (size_t i = 0; i < n; i++) put_float(type->type, sample.x, i, 0.1);
  sample.oracle = oracle_new(type, RANDOM, sample.x, n);
  return sample;
}

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

static void check_accuracy(const struct sample *sample, const mmscan_choice *asked) {
  const size_t n = is_slow(asked) ? 40000 : sample->oracle.n;
  for (unsigned reverse = 0; reverse < 2; reverse++) {
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
  check_accuracy(sample, &asked);
  for (size_t i = 0; cuts_tiles(&asked) && i < COUNT(tiles); i++) {
    asked.tile = tiles[i];
    check_accuracy(sample, &asked);
  }
  asked.tile = 0;
  for (size_t i = 0; is_gemm(&asked) && i < COUNT(sizes); i++) {
    asked.s = sizes[i];
    check_accuracy(sample, &asked);
  }
}

static size_t length(void) { return sized(1 << 20, 1 << 17) + 17; }

TEST(test_engines) {
  const struct forced *all = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct sample sample = equal_elements(type_at(t), length());
    for (size_t c = 0; c < all->count; c++) check_sizes(&sample, all->choice[c]);
    sample_free(&sample);
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
