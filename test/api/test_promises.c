/* test_promises.c: random scans of elements that are meant to hurt, each beside what mmscan.h promises of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MMSCAN_TEST_SECONDS=N is how long it takes (2), if there is no MMSCAN_TEST_COUNT.
 */
#include <math.h>
#include <time.h>

#include "support/float_mode.h"
#include "support/promises.h"
#include "support/repeat.h"
#include "support/tallies.h"

enum { MOST_ELEMENTS = 300000 };
static char x[MOST_ELEMENTS * 8], y[MOST_ELEMENTS * 8 + 8], again[MOST_ELEMENTS * 8 + 8], init[8];
static char total[16], total_again[16];

__attribute__((noreturn)) static void fail_scan(const mmscan_desc *d, const execution *e, const char *what, size_t at) {
  print_error("%.*s: %s to %s, op %d, kind %d%s, n %zu, flags %u, %s: %s: result %zu %s\n",
              (int)strcspn(repeat_line, ":"), repeat_line, ref_type_of(d->x_type)->name, ref_type_of(d->y_type)->name,
              (int)d->op, (int)d->kind, d->reverse ? " reverse" : "", d->n, d->flags, d->init ? "init" : "no init",
              execution_text(e), at, what);
  fail();
  abort(); /* fail() does not return, which compilers do not know */
}

static void run(const execution *e, const mmscan_desc *d, void *results, void *with_total) {
  const mmscan_status status = execution_scan(e, d, x, results, with_total);
  if (status != MMSCAN_OK) fail_scan(d, e, execution_error(status), 0);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Near an end of a vector, a block, a group, a tile, or of what a thread or a call may be given. */
static size_t draw_length(struct rng *rng) {
  static const size_t ends[] = {8, 16, 32, 64, 128, 256, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
  const size_t many = draw_below(rng, 8) == 0 ? COUNT(ends) : 9;
  const size_t end = ends[draw_below(rng, many)] * (1 + draw_below(rng, 3)), off = draw_below(rng, 40);
  const size_t n = draw_below(rng, 4) == 0 ? 1 + draw_below(rng, 20000) : end + off < 21 ? 1 : end + off - 20;
  return smaller(n, MOST_ELEMENTS - 1);
}

enum input { EQUAL, LEVELS, WIDE_RANGE, CANCELS, SIGNS, AT_ENDS, GROWTH, DECAY, TINY, INPUTS };

/* Numbers in a row that have something in common. */
typedef struct elements {
  enum input input;
  bool are_positive;
  size_t period, end; /* of levels, and of what is zero but near ends */
  double scale;
} elements;

static elements draw_elements(struct rng *rng, bool are_positive) {
  static const size_t ends[] = {32, 128, 4096, 8192, 32768};
  return (elements){.input = (enum input)draw_below(rng, INPUTS),
                    .are_positive = are_positive,
                    .period = 1 + draw_below(rng, 9000),
                    .end = ends[draw_below(rng, COUNT(ends))],
                    .scale = draw_below(rng, 2) ? 0.1 : fabs(draw_unit(rng))};
}

static double element_of(const elements *e, struct rng *rng, size_t i) {
  const double u = draw_unit(rng), any = e->are_positive ? fabs(u) : u;
  switch (e->input) {
  case EQUAL:
    return e->scale;
  case LEVELS:
    return e->scale * (double)(i / e->period % 7);
  case WIDE_RANGE:
    return draw_below(rng, 3) == 0 ? 0 : ldexp(any, (int)draw_below(rng, 60) - 40);
  case CANCELS:
    return e->are_positive ? 1 + any : i % 2 ? -0.7 + e->scale * 1e-6 : 0.7;
  case AT_ENDS:
    return (i + 2) % e->end < 4 || i == e->period ? any : i % 3 ? 0 : -0.0;
  case GROWTH:
    return ldexp(any, (int)(i / e->period % 50));
  case DECAY:
    return ldexp(any, -(int)(i % 60));
  case TINY:
    return i == 0 ? 1 + fabs(u) : ldexp(any, -(int)(e->period % 70));
  default:
    return any;
  }
}

/* Factors, whose products stay in the range of f32. */
static double factor_of(const elements *e, struct rng *rng, size_t i, size_t n) {
  const double u = draw_unit(rng), most = 30 / (double)(n + 30);
  return i % 3 == 0 && e->input % 2 ? 1 : 1 + (e->are_positive ? fabs(u) : u) * most * (e->input % 3 ? 1 : e->scale);
}

static void fill(const mmscan_desc *d, struct rng *rng, bool are_positive) {
  const ref_type *t = ref_type_of(d->x_type);
  const elements e = draw_elements(rng, are_positive);
  for (size_t i = 0; i < d->n; i++) {
    char *at = x + (d->reverse ? d->n - 1 - i : i) * t->size;
    const double value = d->op == MMSCAN_MUL ? factor_of(&e, rng, i, d->n) : element_of(&e, rng, i);
    if (ref_is_whole(t))
      ref_put_whole(t, at, d->op == MMSCAN_MUL ? 1 : (wide)(fabs(value) < 2 ? value * 50 : 100));
    else
      ref_put_real(t, at, 0, value);
  }
}

static const mmscan_type pairs[][2] = {{MMSCAN_F32, MMSCAN_F32},   {MMSCAN_F64, MMSCAN_F64}, {MMSCAN_F16, MMSCAN_F16},
                                       {MMSCAN_BF16, MMSCAN_BF16}, {MMSCAN_U8, MMSCAN_F32},  {MMSCAN_I16, MMSCAN_F64},
                                       {MMSCAN_F32, MMSCAN_F64},   {MMSCAN_BF16, MMSCAN_F32}};

static mmscan_desc draw_desc(struct rng *rng, unsigned flags, bool are_positive) {
  const mmscan_type *types = pairs[draw_below(rng, draw_below(rng, 2) ? 2 : COUNT(pairs))];
  mmscan_desc d =
      plain_desc(types[0], (mmscan_kind)(1 + draw_below(rng, 3)), (int)draw_below(rng, 2), draw_length(rng));
  d.y_type = types[1];
  d.op = draw_below(rng, 4) ? MMSCAN_PLUS : MMSCAN_MUL;
  d.flags = flags;
  if (flags & MMSCAN_ACCURATE) d.x_type = d.y_type = MMSCAN_F32;
  if (draw_below(rng, 2)) d.init = init;
  ref_put_real(ref_type_of(d.y_type), init, 0, d.op == MMSCAN_MUL ? 1.25 : are_positive ? 0.3 : draw_unit(rng) * 100);
  fill(&d, rng, are_positive);
  return d;
}

/* With unit 1 blocks are cut anywhere. */
static execution draw_execution(struct rng *rng, const mmscan_desc *d, size_t unit) {
  execution e = execution_draw(rng, d, d->kind == MMSCAN_OFFSETS ? 0 : unit);
  if (e.in_blocks && unit == 1) e.unit = 1 + draw_below(rng, d->n / 2 + 1), e.has_state = draw_below(rng, 2);
  if (d->flags & MMSCAN_REPRODUCIBLE && d->flags & MMSCAN_MONOTONE) e.lacks_memory = false;
  return e;
}

/* ---- Promises ---------------------------------------------------------------------------------------------------- */

static verdict is_near(const promise *p, const execution *e) {
  return p->d->op == MMSCAN_MUL ? promise_is_near_product(p) : promise_is_near(p, promise_roundings(e, p->d));
}

/* The total is the last result, or that of an inclusive scan, from the same start. */
static void check_total(const promise *p, const execution *e) {
  const size_t size = ref_type_of(p->d->y_type)->size, last = execution_results(p->d) - 1;
  if (p->d->kind != MMSCAN_EXCLUSIVE && memcmp(promise_at(p, last), total, size) != 0)
    fail_scan(p->d, e, "is not the total", last);
  if (p->d->kind != MMSCAN_EXCLUSIVE || !p->d->init || e->in_blocks) return;
  mmscan_desc d = *p->d;
  d.kind = MMSCAN_INCLUSIVE;
  run(e, &d, again, NULL);
  if (memcmp(again + (d.reverse ? 0 : last) * size, total, size) != 0)
    fail_scan(p->d, e, "of an inclusive scan is not the total", last);
  count_if(true, "total of_an_exclusive_scan");
}

static void check_accurate_bound(struct rng *rng) {
  const mmscan_desc d = draw_desc(rng, draw_below(rng, 3) ? 0 : MMSCAN_REPRODUCIBLE, false);
  const execution e = draw_execution(rng, &d, d.flags ? MMSCAN_BLOCK : 1);
  const promise p = {&d, x, y, total};
  run(&e, &d, y, total);
  const verdict v = is_near(&p, &e);
  if (v.wrong) fail_scan(&d, &e, v.wrong, v.at);
  check_total(&p, &e);
  count_if(promise_roundings(&e, &d) > 0, "within 32_roundings");
  count_if(promise_roundings(&e, &d) == 0, "within a_rounding_an_element");
}

/* One of the two floats next to the exact result. */
static verdict is_next_to_exact(const promise *p) {
  promise_sum sum = {0, 0, 0};
  quad product = 1;
  size_t taken = 0;
  const bool times = p->d->op == MMSCAN_MUL;
  if (times) product = (quad)promise_init(p);
  if (!times) promise_add(&sum, promise_init(p));
  for (size_t k = 0; k < execution_results(p->d); k++) {
    for (; taken < promise_elements(p, k); taken++) {
      if (times) product *= (quad)promise_element(p, taken);
      if (!times) promise_add(&sum, promise_element(p, taken));
    }
    const quad exact = times ? product : (quad)sum.high + (quad)sum.low;
    const float got = (float)promise_result(p, k);
    if (!times && sum.size > 0x1p20 * fabs((double)exact)) continue;
    const double below = (double)nextafterf(got, -INFINITY), above = (double)nextafterf(got, INFINITY);
    if (!((quad)below < exact && exact < (quad)above) && (quad)got != exact)
      return (verdict){"is not next to the exact one", k};
  }
  return (verdict){NULL, 0};
}

static void check_accurate(struct rng *rng) {
  mmscan_desc d = draw_desc(rng, MMSCAN_ACCURATE | (draw_below(rng, 2) ? MMSCAN_REPRODUCIBLE : 0), draw_below(rng, 2));
  execution e = draw_execution(rng, &d, d.flags & MMSCAN_REPRODUCIBLE ? MMSCAN_BLOCK : 1);
  const promise p = {&d, x, y, total};
  if (e.in_blocks) e.has_state = true; /* else carries are floats */
  run(&e, &d, y, total);
  const bool is_to_nearest = fegetround() == FE_TONEAREST; /* else the float beyond may come out */
  const verdict v = is_to_nearest ? is_next_to_exact(&p) : (verdict){NULL, 0};
  if (v.wrong) fail_scan(&d, &e, v.wrong, v.at);
  check_total(&p, &e);
  count_if(is_to_nearest, "next to_the_exact_one");
}

/* Any numbers, some of them large or none at all. */
static void spoil(struct rng *rng, const mmscan_desc *d) {
  const ref_type *t = ref_type_of(d->x_type);
  const double odd[] = {INFINITY, -INFINITY, NAN, t->most, -t->most / 3, t->most / 1000, ldexp(1, t->least)};
  for (size_t k = draw_below(rng, 4); !ref_is_whole(t) && k > 0; k--)
    ref_put_real(t, x + draw_below(rng, d->n) * t->size, 0, odd[draw_below(rng, COUNT(odd))]);
}

static void check_reproducible(struct rng *rng) {
  const unsigned flags = MMSCAN_REPRODUCIBLE | (draw_below(rng, 3) ? 0 : MMSCAN_MONOTONE);
  const mmscan_desc d = draw_desc(rng, flags, draw_below(rng, 2));
  const size_t bytes = execution_results(&d) * ref_type_of(d.y_type)->size;
  const bool has_total = draw_below(rng, 2);
  if (draw_below(rng, 3) == 0) spoil(rng, &d);
  const execution first = draw_execution(rng, &d, MMSCAN_BLOCK), second = draw_execution(rng, &d, MMSCAN_BLOCK);
  run(&first, &d, y, has_total ? total : NULL);
  run(&second, &d, again, draw_below(rng, 2) || has_total ? total_again : NULL);
  size_t at = 0;
  while (at < bytes && y[at] == again[at]) at++;
  if (at < bytes) print_error("other bits than %s\n", execution_text(&first));
  if (at < bytes) fail_scan(&d, &second, "has other bits", at / ref_type_of(d.y_type)->size);
  if (has_total && memcmp(total, total_again, ref_type_of(d.y_type)->size) != 0)
    fail_scan(&d, &second, "differs in its total", d.n);
  count_if(true, "the same_bits");
  count_if(first.in_blocks || second.in_blocks, "the same_bits_in_blocks");
}

static void check_monotone(struct rng *rng) {
  const unsigned flags = MMSCAN_MONOTONE | (draw_below(rng, 3) ? 0 : MMSCAN_REPRODUCIBLE);
  const mmscan_desc d = draw_desc(rng, flags, true);
  execution e = draw_execution(rng, &d, flags & MMSCAN_REPRODUCIBLE ? MMSCAN_BLOCK : 1);
  const promise p = {&d, x, y, total};
  if (flags == MMSCAN_MONOTONE && e.plans && d.op == MMSCAN_PLUS && draw_below(rng, 8) == 0)
    e.choice.engine = "gemm", e.choice.way = NULL, e.lacks_memory = false;
  mmscan_plan *plan = NULL;
  const bool can = !is_gemm(&e.choice) || mmscan_plan_create_with(&plan, &d, 0, &e.choice) == MMSCAN_OK;
  mmscan_plan_destroy(plan);
  if (!can) return;
  run(&e, &d, y, total);
  verdict v = promise_never_falls(&p);
  if (!v.wrong) v = is_near(&p, &e);
  if (v.wrong) fail_scan(&d, &e, v.wrong, v.at);
  count_if(!is_gemm(&e.choice), "never falls");
  count_if(is_gemm(&e.choice), "never falls_by_gemm");
}

/* ---- Many -------------------------------------------------------------------------------------------------------- */

static void (*const checks[])(struct rng *) = {check_accurate_bound, check_accurate, check_reproducible,
                                               check_monotone};

static void check_case(uint64_t case_seed) {
  struct rng rng = repeat_begin(case_seed);
  const size_t mode = draw_below(&rng, 8) == 0 ? draw_below(&rng, ROUNDINGS) : 0;
  void (*const check)(struct rng *) = checks[draw_below(&rng, COUNT(checks))];
  const struct float_mode before = float_mode_set(mode);
  execution_ignores_signs = mode == 1; /* downward, 0.0 + -0.0 is -0.0 */
  check(&rng);
  float_mode_restore(before);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(test_any_scans) {
  const char *asked = getenv("MMSCAN_TEST_SECONDS");
  const size_t most = repeat_count(SIZE_MAX);
  const double end = seconds() + (asked ? strtod(asked, NULL) : quick() ? 1 : 2);
  size_t k = 0;
  while (k < most && (most < SIZE_MAX || seconds() < end)) check_case(seed() + k++);
  print_message("%zu scans\n", k);
  print_tallies();
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
