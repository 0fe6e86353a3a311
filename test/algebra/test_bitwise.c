/* test_bitwise.c: MMSCAN_AND, MMSCAN_OR and MMSCAN_XOR, and MMSCAN_MUL of integers: results that the operators of C
 * give, bit for bit, however a scan is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/kernels.h"
#include "support/shot.h"

enum { LONG = 9001 };

static const mmscan_op ops[] = {MMSCAN_MUL, MMSCAN_AND, MMSCAN_OR, MMSCAN_XOR};

/* Bits that change at a few places, so that results do not end soon in all ones or zeros; products of odd numbers,
 * which do not vanish. */
static void fill_bits(const struct type *type, mmscan_op op, size_t n, void *x) {
  struct rng rng = rng_of((uint64_t)op * 8 + (uint64_t)type->type);
  for (size_t i = 0; i < n; i++) {
    const uint64_t bit = draw_below(&rng, 200) ? 0 : UINT64_C(1) << draw_below(&rng, 64);
    const uint64_t value = op == MMSCAN_MUL   ? draw(&rng) | 1
                           : op == MMSCAN_AND ? ~bit
                           : op == MMSCAN_OR  ? bit
                                              : draw(&rng);
    memcpy((char *)x + i * type->size, &value, type->size);
  }
}

/* By each engine, instruction set and number of threads; from the caller's init, too. */
static void check_op(const struct type *type, mmscan_op op) {
  void *x = test_memory(LONG * type->size), *y = test_memory(LONG * type->size);
  const uint64_t init = UINT64_C(0xfedcba9876543211);
  const struct oracle o = {.type = type, .n = LONG, .x = x};
  const struct forced *all = forced_all();
  fill_bits(type, op, LONG, x);
  for (size_t c = 0; c < all->count; c++)
    for (int way = 0; way < 12 && !is_gemm(&all->choice[c]); way++) {
      const struct window w = {0, LONG, way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, way & 2, way & 1 ? &init : NULL,
                               op};
      mmscan_desc desc = plain_desc(type->type, w.kind, w.reverse, LONG);
      mmscan_choice choice = all->choice[c];
      desc.op = op;
      desc.init = w.init;
      choice.threads = 1 + way / 4;
      if (cuts_tiles(&choice)) choice.tile = 1500;
      scan_with(&desc, &choice, x, y);
      assert_scan(&o, &w, 0, y, part_of(&choice));
    }
  free(x);
  free(y);
}

TEST(test_every_way) {
  for (size_t t = FLOAT_TYPES; t < TYPES; t++)
    for (size_t k = 0; k < COUNT(ops); k++) check_op(type_at(t), ops[k]);
}

/* Identities, and floats, which have no bits to combine. */
TEST(test_rows) {
  static const struct {
    mmscan_op op;
    int64_t identity;
  } cases[] = {{MMSCAN_MUL, 1}, {MMSCAN_AND, -1}, {MMSCAN_OR, 0}, {MMSCAN_XOR, 0}};
  for (size_t k = 0; k < COUNT(cases); k++)
    for (size_t t = 0; t < TYPES; t++) {
      const mms_algebra *a = mms_algebra_of(cases[k].op, type_at(t)->type);
      assert_int_equal(a != NULL, cases[k].op == MMSCAN_MUL || !is_float(type_at(t)));
      if (a == NULL || is_float(type_at(t))) continue;
      assert_true(a->is_exact);
      assert_memory_equal(a->identity, &cases[k].identity, a->size);
      assert_memory_equal(a->start, &cases[k].identity, a->size);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
