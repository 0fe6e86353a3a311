/* test_monotone.c: with MMSCAN_MONOTONE no result is less than the one before it, and neutral elements change nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Without the flag the same elements do fall, so the tests can fail.
 */
#include "support/float_mode.h"
#include "support/promises.h"

enum { MOST_ELEMENTS = 150000, TILE = 4096, LONG_TILE = 32768 };

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* TIES: what a carry is short of is half a unit of it, but for what no float holds. */
enum input {
  WEIGHTS,
  ZERO_RUNS,
  MINUS_ZEROS,
  ALL_ZEROS,
  ALL_MINUS_ZEROS,
  AT_BORDERS,
  TINY,
  GROWTH,
  EQUAL,
  WIDE_RANGE,
  TIES,
  INPUTS
};

static double tie(size_t i, int digits) {
  const size_t place = i % LONG_TILE;
  if (place == 0 || i == 3 * LONG_TILE + 5) return i == 0 ? ldexp(1, digits) : i == LONG_TILE ? ldexp(1, -28) : 0;
  return i == 300 ? 1 : 0;
}

static double element(enum input input, struct rng *rng, size_t i, int digits) {
  const double x = fabs(draw_unit(rng));
  const size_t in_tile = i % TILE;
  switch (input) {
  case WEIGHTS:
    return draw(rng) % 2 ? 0 : x;
  case ZERO_RUNS:
    return in_tile < 150 || in_tile > TILE - 70 || i / 333 % 3 == 0 ? 0 : x;
  case MINUS_ZEROS:
    return i < 3 * TILE || i % 7 != 0 ? -0.0 : x;
  case ALL_ZEROS:
    return 0;
  case ALL_MINUS_ZEROS:
    return -0.0;
  case AT_BORDERS:
    return in_tile == 0 || in_tile == TILE - 1 || i % LONG_TILE == LONG_TILE - 1 ? x : 0;
  case TINY:
    return i < 100 ? 1 + x : ldexp(x, -30 - (int)(i % 30));
  case GROWTH:
    return ldexp(1 + x, (int)(i / 2000) - 20);
  case EQUAL:
    return 0.1;
  case WIDE_RANGE:
    return i % 3 == 0 ? 0 : ldexp(x, (int)draw_below(rng, 60) - 40);
  default:
    return tie(i, digits);
  }
}

/* Factors of at least 1, few of them much larger. */
static double factor(struct rng *rng, size_t i) {
  const double x = fabs(draw_unit(rng));
  return i % 3 == 0 || i % TILE < 40 ? 1 : i % 5000 == 77 ? 1 + x : 1 + ldexp(x, -20 - (int)(i % 8));
}

static void fill(const mmscan_desc *d, enum input input, char *x) {
  const ref_type *t = ref_type_of(d->x_type);
  struct rng rng = rng_of((uint64_t)input);
  for (size_t i = 0; i < d->n; i++) {
    const size_t at = d->reverse ? d->n - 1 - i : i;
    const double value = d->op == MMSCAN_MUL ? factor(&rng, i) : element(input, &rng, i, ref_sums_of(d)->digits);
    if (ref_is_whole(t))
      ref_put_whole(t, x + at * t->size, d->op == MMSCAN_MUL ? 1 : (wide)(value * 99));
    else
      ref_put_real(t, x + at * t->size, 0, value);
  }
}

/* ---- One scan ---------------------------------------------------------------------------------------------------- */

static char x[MOST_ELEMENTS * 8], y[MOST_ELEMENTS * 8 + 8], total[16];

static void check(const execution *e, const mmscan_desc *d, int input) {
  const mmscan_status status = execution_scan(e, d, x, y, total);
  const promise p = {d, x, y, total};
  if (status != MMSCAN_OK) fail_seeded("%s: %s", execution_text(e), execution_error(status));
  verdict v = promise_never_falls(&p);
  const bool keeps_all = !(d->flags & MMSCAN_ACCURATE) || !e->in_blocks || e->has_state; /* else carries are floats */
  if (!v.wrong && keeps_all)
    v = d->op == MMSCAN_MUL ? promise_is_near_product(&p) : promise_is_near(&p, promise_roundings(e, d));
  if (!v.wrong) return;
  const size_t last = execution_results(d) - 1;
  fail_seeded(
      "input %d, %s to %s, op %d, kind %d%s, n %zu, flags %u, init %a: result %zu, %a after %a, total %a, %s: %s",
      input, ref_type_of(d->x_type)->name, ref_type_of(d->y_type)->name, (int)d->op, (int)d->kind,
      d->reverse ? " reverse" : "", d->n, d->flags, promise_init(&p), v.at,
      promise_result(&p, v.at > last ? last : v.at), v.at > 0 ? promise_result(&p, v.at - 1) : NAN,
      ref_get_real(ref_type_of(d->y_type), total, 0), v.wrong, execution_text(e));
}

static mmscan_desc desc_of(mmscan_type type, mmscan_op op, mmscan_kind kind, int reverse, size_t n) {
  mmscan_desc d = plain_desc(type, kind, reverse, n);
  d.op = op;
  d.flags = MMSCAN_MONOTONE;
  return d;
}

static void check_kinds(const execution *e, mmscan_desc d, int input) {
  static const double inits[] = {0, -0.0, 0.7, 1e6};
  for (int kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_OFFSETS; kind++)
    for (d.reverse = 0; d.reverse < 2; d.reverse++) {
      static size_t turn;
      char init[8];
      d.kind = (mmscan_kind)kind;
      d.init = turn % 5 < COUNT(inits) ? init : NULL;
      if (d.init) ref_put_real(ref_type_of(d.y_type), init, 0, inits[turn % 5]);
      turn++;
      if (!execution_fits(e, &d)) continue;
      fill(&d, (enum input)input, x);
      check(e, &d, input);
    }
}

/* ---- Engines ----------------------------------------------------------------------------------------------------- */

static execution by(const mmscan_choice *choice, int threads) {
  execution e = execution_plain_one();
  e.plans = true;
  e.choice = *choice;
  e.choice.threads = threads;
  return e;
}

static size_t length_for(const mmscan_choice *choice) { return is_slow(choice) ? 9000 : sized(90000, 25000) + 7; }

TEST(test_engines) {
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    for (int type = MMSCAN_F32; type <= MMSCAN_F64; type++)
      for (int input = 0; input < INPUTS; input++) {
        const size_t n = length_for(&all->choice[c]);
        const execution e = by(&all->choice[c], 1 + input % 2);
        if ((input + (int)c) % (emulator() ? 9 : 3) != 0 && input != TIES) continue;
        check_kinds(&e, desc_of((mmscan_type)type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0, n), input);
      }
}

TEST(test_products) {
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    for (int type = MMSCAN_F32; type <= MMSCAN_F64 && !is_gemm(&all->choice[c]); type++)
      for (int threads = 1; threads < 4; threads += quick() ? 2 : 1) {
        const execution e = by(&all->choice[c], threads);
        check_kinds(&e, desc_of((mmscan_type)type, MMSCAN_MUL, MMSCAN_INCLUSIVE, 0, sized(40000, 10000)), -1);
      }
}

/* ---- Types, arrays, blocks --------------------------------------------------------------------------------------- */

static const mmscan_type pairs[][2] = {
    {MMSCAN_F32, MMSCAN_F32},   {MMSCAN_F64, MMSCAN_F64}, {MMSCAN_F16, MMSCAN_F16},
    {MMSCAN_BF16, MMSCAN_BF16}, {MMSCAN_U8, MMSCAN_F32},  {MMSCAN_F32, MMSCAN_F64},
};

static execution draw_execution(struct rng *rng, const mmscan_desc *d) {
  execution e = execution_draw(rng, d,
                               d->kind == MMSCAN_OFFSETS        ? 0
                               : d->flags & MMSCAN_REPRODUCIBLE ? MMSCAN_BLOCK
                                                                : 1);
  if (e.in_blocks && e.unit == 1) e.unit = 1 + draw_below(rng, d->n / 3 + 1);
  e.has_state = e.in_blocks && draw_below(rng, 2);
  if (d->flags & MMSCAN_REPRODUCIBLE) e.lacks_memory = false;
  return e;
}

TEST(test_executions) {
  struct rng rng = rng_of(1);
  for (size_t k = sized(100, 25); k > 0; k--) {
    const mmscan_type *types = pairs[draw_below(&rng, COUNT(pairs))];
    const size_t n = 1 + draw_below(&rng, draw_below(&rng, 3) ? sized(70000, 20000) : 300);
    mmscan_desc d = desc_of(types[0], draw_below(&rng, 4) ? MMSCAN_PLUS : MMSCAN_MUL, MMSCAN_INCLUSIVE, 0, n);
    d.y_type = types[1];
    if (draw_below(&rng, 3) == 0) d.flags |= MMSCAN_REPRODUCIBLE;
    if (d.y_type == MMSCAN_F32 && draw_below(&rng, 4) == 0) d.flags |= MMSCAN_ACCURATE;
    d.kind = (mmscan_kind)(1 + draw_below(&rng, 3));
    const execution e = draw_execution(&rng, &d);
    check_kinds(&e, d, (int)draw_below(&rng, INPUTS));
  }
}

/* Downward the plain loop's sum of 0.0 and -0.0 is -0.0. */
TEST(test_rounding_modes) {
  enum { DOWNWARD = 1 }; /* of float_mode_set() */
  struct rng rng = rng_of(2);
  const struct forced *all = forced_all();
  for (size_t mode = 0; mode < ROUNDINGS; mode++)
    for (int input = 0; input < INPUTS; input++)
      for (size_t k = sized(6, 1); k > 0; k--) {
        const execution e = by(&all->choice[draw_below(&rng, all->count)], 1 + (int)draw_below(&rng, 3));
        mmscan_desc d = desc_of(input % 2 ? MMSCAN_F32 : MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0, 9000);
        if (!is_gemm(&e.choice) && draw_below(&rng, 2)) d.flags |= MMSCAN_REPRODUCIBLE;
        const bool is_loop = strcmp(e.choice.engine, "serial") == 0 && !(d.flags & MMSCAN_REPRODUCIBLE);
        if (is_loop && mode == DOWNWARD && (input == MINUS_ZEROS || input == ALL_MINUS_ZEROS)) continue;
        const struct float_mode before = float_mode_set(mode);
        check_kinds(&e, d, input);
        float_mode_restore(before);
      }
}

/* ---- What does not hold everywhere ------------------------------------------------------------------------------- */

/* Where an element is negative or NaN results of its tile are what they are without the flag. Those before are right
 * all the same, and the bound on errors holds. */
TEST(test_other_elements) {
  static const double odd[] = {-0.5, -1e9, NAN};
  const execution plain = execution_plain_one();
  for (size_t o = 0; o < COUNT(odd); o++)
    for (int type = MMSCAN_F32; type <= MMSCAN_F64; type++)
      for (int reverse = 0; reverse < 2; reverse++) {
        const size_t at = 40000;
        mmscan_desc d = desc_of((mmscan_type)type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, reverse, 70000);
        fill(&d, WEIGHTS, x);
        put_float(d.x_type, x, reverse ? d.n - 1 - at : at, odd[o]);
        assert_mmscan_ok(execution_scan(&plain, &d, x, y, NULL));
        const promise p = {&d, x, y, NULL};
        const verdict v = promise_is_near(&p, 32);
        if (v.wrong) fail_seeded("%g at %zu: result %zu %s", odd[o], at, v.at, v.wrong);
        for (size_t k = 1; k < LONG_TILE / 4; k++) assert_true(promise_result(&p, k) >= promise_result(&p, k - 1));
        for (size_t k = at; k < d.n; k++)
          if (isnan(promise_result(&p, k)) != isnan(odd[o]))
            fail_seeded("%g at %zu: result %zu is %a", odd[o], at, k, promise_result(&p, k));
      }
}

/* Without the flag some results fall, or are changed by a 0. */
TEST(test_without_the_flag) {
  const execution plain = execution_plain_one();
  for (int type = MMSCAN_F32; type <= MMSCAN_F64; type++) {
    size_t wrong = 0;
    for (int input = 0; input < INPUTS; input++) {
      mmscan_desc d = desc_of((mmscan_type)type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0, 70000);
      d.flags = 0;
      fill(&d, (enum input)input, x);
      assert_mmscan_ok(execution_scan(&plain, &d, x, y, NULL));
      const promise p = {&d, x, y, NULL};
      const verdict v = promise_never_falls(&p);
      if (v.wrong) print_message("%s, input %d: result %zu %s\n", ref_type_of(d.x_type)->name, input, v.at, v.wrong);
      wrong += v.wrong != NULL;
    }
    assert_true(wrong > 3);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
