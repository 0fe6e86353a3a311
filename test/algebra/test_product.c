/* test_product.c: MMSCAN_MUL of floats where products may not be regrouped: small and large factors, whose product
 * leaves the range of the type in one grouping and not in another; zeros, infinities and NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/kernels.h"
#include "support/shot.h"

enum { LONG = 9001, BLOCKS = 700 };

/* ---- Factors ----------------------------------------------------------------------------------------------------- */

enum sort { NEAR_ONE, IN_TURN, SMALL_RUN, WANDERING, ANY_EXPONENT, SIGNS, DRIFT, CLIMB, SORTS };
static const char *const sorts[SORTS] = {
    "near one",     "large and small in turn", "a subnormal window", "wandering", "any exponent", "signs",
    "slowly lower", "up, far, and down again"};

static double power_of(mmscan_type type, double share) {
  return ldexp(1, (int)(share * (type == MMSCAN_F32 ? 126 : 1022)));
}

/* Products of a wandering sort leave the range of what may be regrouped, and come back. */
static double factor_at(mmscan_type type, enum sort sort, size_t i, struct rng *rng) {
  const double unit = draw_unit(rng);
  switch (sort) {
  case NEAR_ONE:
    return 1 + unit / 100;
  case IN_TURN:
    return (i % 2 ? power_of(type, -0.79) : power_of(type, 0.79)) * (1 + unit / 100);
  case SMALL_RUN:
    return i % 2000 == 1200 ? power_of(type, -0.97) : i % 2000 == 1201 ? power_of(type, 0.96) : 1 + unit / 1e4;
  case WANDERING:
    return ldexp(1 + unit / 4, (int)draw_below(rng, 3) - 1);
  case ANY_EXPONENT:
    return power_of(type, unit) * (1 + unit / 9);
  case SIGNS:
    return draw_below(rng, 2) ? -1 - unit / 500 : 1 + unit / 500;
  case DRIFT:
    return 1 - 2.0 / 100 + unit / 100;
  default:
    return (i / 64 % 2 ? power_of(type, -0.97 / 64) : power_of(type, 0.97 / 64)) * (1 + unit / 1e6);
  }
}

static void fill_sort(const struct type *type, enum sort sort, size_t n, void *x) {
  struct rng rng = rng_of((uint64_t)sort * 4 + (uint64_t)type->type);
  for (size_t i = 0; i < n; i++) put_float(type->type, x, i, factor_at(type->type, sort, i, &rng));
}

/* ---- Every way to scan ------------------------------------------------------------------------------------------- */

static void check_product(const struct oracle *o, const mmscan_choice *choice, mmscan_kind kind, bool reverse,
                          const char *what) {
  const struct type *type = o->type;
  const struct window w = {0, o->n, kind, reverse, NULL, MMSCAN_MUL};
  mmscan_desc desc = plain_desc(type->type, kind, reverse, o->n);
  void *y = test_memory(o->n * type->size);
  desc.op = MMSCAN_MUL;
  scan_with(&desc, choice, o->x, y);
  assert_scan(o, &w, 0, y, what);
  free(y);
}

/* By each engine and instruction set. The bits do not depend on the number of threads. */
static void check_all_ways(const struct oracle *o, const char *what) {
  const size_t bytes = o->n * o->type->size;
  const struct forced *all = forced_all();
  void *y = test_memory(bytes), *alone = test_memory(bytes);
  for (size_t c = 0; c < all->count; c++)
    for (int way = 0; way < 4 && !is_gemm(&all->choice[c]); way++) {
      mmscan_choice choice = all->choice[c];
      mmscan_desc desc = plain_desc(o->type->type, way < 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE, way % 2, o->n);
      desc.op = MMSCAN_MUL;
      choice.threads = 1;
      if (cuts_tiles(&choice)) choice.tile = 2000;
      check_product(o, &choice, desc.kind, way % 2, what);
      scan_with(&desc, &choice, o->x, alone);
      for (choice.threads = 2; choice.threads <= (quick() ? 2 : 4); choice.threads++) {
        scan_with(&desc, &choice, o->x, y);
        if (memcmp(y, alone, bytes) != 0)
          fail_seeded("%s, %s, way %d: other bits with %d threads", what, part_of(&choice), way, choice.threads);
      }
    }
  free(y);
  free(alone);
}

TEST(test_sorts) {
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (enum sort sort = NEAR_ONE; sort < SORTS; sort++) {
      void *x = test_memory(LONG * type_at(t)->size);
      const struct oracle o = {.type = type_at(t), .n = LONG, .x = x};
      fill_sort(type_at(t), sort, LONG, x);
      check_all_ways(&o, sorts[sort]);
      free(x);
    }
}

/* A zero, an infinity or a NaN early, late or at the end, among factors near one; then a zero times infinity. */
TEST(test_no_ordinary_number) {
  static const double values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-149, 0x1p-1074, 0x1p-1000, FLT_MAX};
  static const size_t places[] = {0, 70, 2047, 5000, LONG - 1};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t v = 0; v < COUNT(values); v++)
      for (size_t p = quick() ? v % 3 : 0; p < COUNT(places); p += quick() ? 3 : 1) {
        void *x = test_memory(LONG * type_at(t)->size);
        const struct oracle o = {.type = type_at(t), .n = LONG, .x = x};
        fill_sort(type_at(t), NEAR_ONE, LONG, x);
        put_float(type_at(t)->type, x, places[p], values[v]);
        if (places[p] + 100 < LONG) put_float(type_at(t)->type, x, places[p] + 100, v % 2 ? INFINITY : 0.0);
        check_all_ways(&o, "no ordinary number");
        free(x);
      }
}

/* ---- From any carry ---------------------------------------------------------------------------------------------- */

/* In blocks, from carries from which products overflow or vanish: each block is the plain loop's on the carry into it.
 */
static void check_blocks(const struct type *type, enum sort sort, double init, bool reverse, mmscan_kind kind) {
  _Alignas(8) unsigned char carry[sizeof(double)], into[sizeof(double)];
  void *x = test_memory(LONG * type->size), *y = test_memory(LONG * type->size);
  fill_sort(type, sort, LONG, x);
  put_float(type->type, carry, 0, init);
  for (size_t done = 0, n; done < LONG; done += n) {
    n = smaller(LONG - done, BLOCKS);
    const size_t at = reverse ? LONG - done - n : done;
    const struct oracle o = {.type = type, .n = n, .x = (char *)x + at * type->size};
    const struct window w = {0, n, kind, reverse, into, MMSCAN_MUL};
    mmscan_desc desc = plain_desc(type->type, kind, reverse, n);
    desc.op = MMSCAN_MUL;
    memcpy(into, carry, sizeof into);
    assert_mmscan_ok(mmscan_scan_block(&desc, o.x, (char *)y + at * type->size, carry));
    assert_scan(&o, &w, 0, (char *)y + at * type->size, sorts[sort]);
  }
  free(x);
  free(y);
}

TEST(test_blocks) {
  static const double shares[] = {0, 0.4, 0.6, 0.95, -0.4, -0.6, -0.95};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (enum sort sort = NEAR_ONE; sort < SORTS; sort++)
      for (size_t i = 0; i < COUNT(shares); i++)
        for (int way = 0; way < 4; way++)
          check_blocks(type_at(t), sort, power_of(type_at(t)->type, shares[i]), way % 2,
                       way < 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE);
}

/* ---- What is found besides --------------------------------------------------------------------------------------- */

/* A scan finds of its own elements what total() does, whatever the carry into it, which may be of the wrong size for
 * regrouping where its elements are not; and the total, where it may be used, takes the carry to the last result. */
static void check_found(const mms_isa *isa, const struct type *type, enum sort sort, double share, unsigned way) {
  const mms_kernel *kernel = kernel_of(isa, MMSCAN_MUL, type->type);
  const mmscan_kind kind = way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  const bool reverse = way & 2, streams = way & 4;
  mms_kernel_scan *scan = (streams ? kernel->stream : kernel->scan)[kind][reverse];
  if (scan == NULL) return;
  void *x = test_memory(LONG * type->size), *y = test_memory(LONG * type->size);
  mms_found alone, own = {.is_ordinary = false};
  mms_value carry = {0};
  put_float(type->type, &carry, 0, power_of(type->type, share));
  fill_sort(type, sort, LONG, x);
  kernel->total(kernel, LONG, x, reverse, &alone);
  mms_value past = carry, running = carry;
  scan(kernel, LONG, x, y, &running, &(mms_aside){.found = &own});
  if (alone.is_ordinary != own.is_ordinary || memcmp(&alone.total, &own.total, type->size) != 0)
    fail_seeded("%s, %s of %s, 2^%g, way %u: another total on the way", isa->name, sorts[sort], type->name, share, way);
  if (alone.is_ordinary && kernel->advance(kernel, &past, &alone.total)) {
    const double got = float_of(type->type, &past), want = float_of(type->type, &running);
    assert_true(fabs(got - want) <= fabs(want) * LONG * 2 * type->eps);
  }
  free(x);
  free(y);
}

TEST(test_found) {
  static const double shares[] = {0, 0.4, 0.8, -0.4, -0.8};
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    for (size_t t = 0; mms_isa_at(i) != NULL && t < FLOAT_TYPES; t++)
      for (enum sort sort = NEAR_ONE; sort < SORTS; sort++)
        for (size_t s = 0; s < COUNT(shares); s++)
          for (unsigned way = 0; way < 8; way++) check_found(mms_isa_at(i), type_at(t), sort, shares[s], way);
}

/* Threads help, and kernels are used, where factors are near one. */
TEST(test_near_one_is_regrouped) {
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    for (size_t t = 0; mms_isa_at(i) != NULL && t < FLOAT_TYPES; t++) {
      const mms_kernel *kernel = kernel_of(mms_isa_at(i), MMSCAN_MUL, type_at(t)->type);
      double x[LONG] = {0};
      mms_found found;
      fill_sort(type_at(t), NEAR_ONE, LONG, x);
      kernel->total(kernel, LONG, x, false, &found);
      assert_true(found.is_ordinary || kernel->vector == 0);
    }
}

/* ---- Public reports of other libraries --------------------------------------------------------------------------- */

TEST(test_reports) {
  const double x[] = {2, 3, 4}, zeros[] = {-0.0, -0.0, 1};
  double y[3];
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 3);
  desc.op = MMSCAN_MUL;
  assert_mmscan_ok(mmscan_scan(&desc, x, y));
  assert_true(y[0] == 2 && y[1] == 6 && y[2] == 24);
  assert_mmscan_ok(mmscan_scan(&desc, zeros, y));
  assert_true(y[0] == 0 && signbit(y[0]) && !signbit(y[1]) && !signbit(y[2]));
  desc.kind = MMSCAN_EXCLUSIVE;
  assert_mmscan_ok(mmscan_scan(&desc, x, y));
  assert_true(y[0] == 1 && y[1] == 2 && y[2] == 6);
}

int main(void) { return run_all_tests(NULL, NULL); }
