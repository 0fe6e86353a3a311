/* test_ends.c: totals, offsets, indices and checks where random descriptions (test_random.c) do not come.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>
#include <math.h>

#include "support/area.h"

/* Measuring writes nothing of the caller's: indices that go down in memory end at the edge of a page. */
TEST(test_measuring_leaves_indices) {
  enum { N = 512 };
  float x[N], y[N];
  area indices = area_new(ENDS_PAGE, N * sizeof(int64_t), 0);
  int64_t *last = (int64_t *)(void *)indices.data + N - 1;
  mmscan_plan *plan = NULL;
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_F32, MMSCAN_MAX, MMSCAN_INCLUSIVE, N);
  for (int i = 0; i < N; i++) x[i] = (float)(i % 50);
  desc.x_stride = desc.y_stride = -1;
  desc.indices = last;
  memset(indices.data, 0x77, indices.size);
  area_keep(&indices, false);
  assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE));
  assert_true(area_is_kept(&indices));
  assert_mmscan_ok(mmscan_execute(plan, x + N - 1, y + N - 1));
  assert_int_equal(last[0], 0);
  assert_int_equal(last[-(N - 1)], 12); /* the first 49 on the way down */
  mmscan_plan_destroy(plan);
  area_free(&indices);
}

/* What was measured of a scan that packs is kept with the tile that was measured. */
TEST(test_measuring_conversions) {
  const size_t n = sized(1 << 20, 1 << 18);
  const mmscan_desc plain = MMSCAN_DESC(MMSCAN_F32, MMSCAN_MIN, MMSCAN_INCLUSIVE, n);
  mmscan_desc desc = plain;
  mmscan_choice used;
  mmscan_plan *plan = NULL;
  desc.x_type = MMSCAN_U8;
  assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE));
  mmscan_plan_destroy(plan);
  plan = plan_new(&plain, NULL, &used);
  mmscan_plan_destroy(plan);
  assert_true(used.tile == 0 || used.tile > 4096);
}

/* The total of blocks so far stays what it is where one has no elements. */
TEST(test_empty_block) {
  const float x[] = {1, 2};
  float y[2], total = 7, carry = -0.0f;
  uint16_t half_total = 0;
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 2);
  desc.totals = &total;
  assert_mmscan_ok(mmscan_scan_block(&desc, x, y, &carry));
  assert_true(total == 3);
  desc.n = 0;
  total = 7;
  assert_mmscan_ok(mmscan_scan_block(&desc, x, y, &carry));
  assert_true(total == 3 && carry == 3);
  desc.x_type = desc.y_type = MMSCAN_F16;
  desc.totals = &half_total;
  assert_mmscan_ok(mmscan_scan_block(&desc, x, y, &carry));
  assert_int_equal(half_total, 0x4200);
}

/* An overflow at the border of two exclusive blocks is told by the total of the first one. */
TEST(test_checked_blocks) {
  const int32_t x[] = {INT_MAX, 1, 0};
  int32_t y[3], carry = 0, total;
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_I32, MMSCAN_PLUS, MMSCAN_EXCLUSIVE, 3);
  desc.flags = MMSCAN_CHECKED;
  assert_status(MMSCAN_EOVERFLOW, mmscan_scan(&desc, x, y));
  desc.n = 2;
  assert_mmscan_ok(mmscan_scan(&desc, x, y));
  assert_mmscan_ok(mmscan_scan_block(&desc, x, y, &carry));
  carry = 0;
  desc.totals = &total;
  assert_status(MMSCAN_EOVERFLOW, mmscan_scan_block(&desc, x, y, &carry));
}

/* Totals change no result, though 1 times a complex number is not that number to the bit. */
TEST(test_complex_products) {
  const float x[] = {INFINITY, 0, 1, 0, 2, -0.0f};
  float y[6], with_totals[6], total[2], offsets[8];
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_C32, MMSCAN_MUL, MMSCAN_EXCLUSIVE, 3);
  assert_mmscan_ok(mmscan_scan(&desc, x, y));
  desc.totals = total;
  assert_mmscan_ok(mmscan_scan(&desc, x, with_totals));
  assert_memory_equal(y, with_totals, sizeof y);
  assert_true(y[0] == 1 && y[1] == 0 && y[2] == INFINITY && y[3] == 0);
  desc.kind = MMSCAN_OFFSETS;
  assert_mmscan_ok(mmscan_scan(&desc, x, offsets));
  assert_memory_equal(y, offsets, sizeof y);
}

/* What is written where there are no elements has to be somewhere. */
TEST(test_empty_shapes) {
  float y[8], totals[8];
  char why[200];
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0);
  desc.totals = totals;
  desc.batch = (size_t)1 << 62;
  assert_status(MMSCAN_EINVAL, mmscan_desc_check(&desc, why, sizeof why));
  assert_status(MMSCAN_EINVAL, mmscan_scan(&desc, y, y));
  desc.totals = NULL;
  desc.kind = MMSCAN_OFFSETS;
  desc.batch = 3;
  assert_status(MMSCAN_EOVERLAP, mmscan_scan(&desc, y, y));
  desc.y_dist = 2;
  assert_mmscan_ok(mmscan_scan(&desc, NULL, y));
  assert_true(y[0] == 0 && y[2] == 0 && y[4] == 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
