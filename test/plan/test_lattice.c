/* test_lattice.c: elements of strided arrays, against a list of them all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "plan/lattice.h"
#include "support/test.h"

enum { MOST = 5 * 5 * 5 * 5 };

static mms_lattice draw_lattice(struct rng *rng, size_t size, size_t longest) {
  mms_lattice a = {.at = (1 << 20) + draw_below(rng, 40), .size = size};
  for (size_t rank = draw_below(rng, 5); rank > 0; rank--)
    mms_lattice_add(&a, 1 + draw_below(rng, 5), (ptrdiff_t)draw_below(rng, 2 * longest + 1) - (ptrdiff_t)longest);
  return a;
}

/* The addresses of all elements. Returns their number. */
static size_t list(const mms_lattice *a, uintptr_t at[MOST]) {
  size_t count = 1;
  at[0] = a->at;
  for (int axis = 0; axis < a->rank; axis++) {
    for (size_t i = count; i < count * a->count[axis]; i++) at[i] = at[i - count] + a->step[axis];
    count *= a->count[axis];
  }
  return count;
}

static bool any_same(const mms_lattice *a) {
  uintptr_t at[MOST];
  const size_t count = list(a, at);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (at[i] == at[j]) return true;
  return false;
}

static bool any_meet(const mms_lattice *x, const mms_lattice *y) {
  uintptr_t of_x[MOST], of_y[MOST];
  const size_t xs = list(x, of_x), ys = list(y, of_y);
  for (size_t i = 0; i < xs; i++)
    for (size_t j = 0; j < ys; j++)
      if (of_x[i] < of_y[j] + y->size && of_y[j] < of_x[i] + x->size) return true;
  return false;
}

TEST(test_all_elements) {
  static const size_t sizes[] = {1, 2, 4, 8, 16};
  struct rng rng = rng_of(1);
  size_t met = 0, same = 0;
  const size_t trials = sized(60000, 3000);
  for (size_t k = 0; k < trials; k++) {
    const size_t longest = 1 + draw_below(&rng, k % 3 == 0 ? 200 : 12);
    const mms_lattice x = draw_lattice(&rng, sizes[draw_below(&rng, COUNT(sizes))], longest),
                      y = draw_lattice(&rng, sizes[draw_below(&rng, COUNT(sizes))], longest);
    const bool meet = any_meet(&x, &y), repeats = any_same(&y);
    if (mms_lattice_meet(&x, &y) != meet) fail_seeded("pair %zu: they %s", k, meet ? "meet" : "do not meet");
    if (mms_lattice_is_distinct(&y) == repeats)
      fail_seeded("lattice %zu: it %s", k, repeats ? "repeats" : "is distinct");
    met += meet, same += repeats;
  }
  print_message("of %zu pairs %zu meet; %zu lattices have an element twice\n", trials, met, same);
  assert_true(met > trials / 10 && met < trials - trials / 10 && same > trials / 10 && same < trials - trials / 10);
}

/* Axes whose arithmetic takes more than 64 bits, and too many to look through: none of that takes long. */
TEST(test_extremes) {
  mms_lattice x = {.at = 64, .size = 8}, y = {.at = 72, .size = 8};
  mms_lattice_add(&x, (size_t)1 << 30, 2);
  mms_lattice_add(&x, (size_t)1 << 20, (ptrdiff_t)1 << 31);
  mms_lattice_add(&y, (size_t)1 << 30, 2);
  mms_lattice_add(&y, (size_t)1 << 20, (ptrdiff_t)1 << 31);
  assert_true(mms_lattice_is_distinct(&x));
  assert_false(mms_lattice_meet(&x, &y));
  y.at -= 4;
  assert_true(mms_lattice_meet(&x, &y));
  mms_lattice many = {.at = 64, .size = 1};
  for (ptrdiff_t i = 0; i < 9; i++) mms_lattice_add(&many, 1000003, 1000003 + 2 * i);
  assert_false(mms_lattice_is_distinct(&many));
}

int main(void) { return run_all_tests(NULL, NULL); }
