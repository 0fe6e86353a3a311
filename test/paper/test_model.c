/* test_model.c: runs in the TCU model, checked by hand, by closed forms, and against what no schedule can beat.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "support/matmul.h"
#include "support/powers.h"
#include "support/recording.h"

static mmscan_model_desc model_desc(size_t n, size_t s, double latency, size_t units, size_t lanes) {
  return (mmscan_model_desc){
      .struct_size = sizeof(mmscan_model_desc), .n = n, .s = s, .latency = latency, .units = units, .lanes = lanes};
}

static mmscan_model_result model(size_t n, size_t s, double latency, size_t units, size_t lanes) {
  mmscan_model_desc desc = model_desc(n, s, latency, units, lanes);
  mmscan_model_result r = {.struct_size = sizeof r};
  assert_mmscan_ok(mmscan_model(&desc, &r));
  assert_int_equal(r.struct_size, sizeof r);
  return r;
}

static void assert_number(const char *what, size_t n, size_t s, double got, double want) {
  if (got != want) fail_seeded("n %zu, s %zu: %s %.17g, not %.17g", n, s, what, got, want);
}

static void assert_at_most(const char *what, size_t n, size_t s, double got, double most) {
  if (!(got <= most * (1 + 1e-12))) fail_seeded("n %zu, s %zu: %s %.17g, over %.17g", n, s, what, got, most);
}

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

/* n = 8, s = 2: phase one has levels of 2, 1 and 1 multiplications, phase two of 1 and 2. */
TEST(test_eight_elements) {
  static const double times[] = {7, 5, 5};
  for (size_t p = 1; p <= 3; p++) {
    mmscan_model_result r = model(8, 2, 6, p, 0);
    assert_true(r.depth.counted == 5 && r.depth.bound == 5 && r.segments == 1);
    assert_true(r.multiplications.counted == 7 && r.multiplications.bound == 8 + 4);
    assert_true(r.additions.counted == 7 * 2 && r.additions_unpadded == 2 * 8 - 3 - 2);
    assert_true(r.p_units.counted == 10 * times[p - 1] && r.critical_path == 50 && r.work == 70 && r.vector_work == 0);
    /* Columns: 4, 2 and 1 (priced as 2), then 2 and 4. */
    assert_true(r.one_unit.counted == 2 * (4 + 2 + 2 + 2 + 4) + 5 * 6);
    assert_true(r.utilisation_l.counted == 7. / 16 && r.utilisation_b.counted == 4. / 12);
  }
}

/* n = 7, s = 2: segments of 4, 2 and 1. Four levels: 4 and 2; 4; the first pairs of w; step 4, where the last segment
 * needs only the first two entries of w. */
TEST(test_seven_elements) {
  mmscan_model_result r = model(7, 2, 0, 100, 0);
  assert_true(r.segments == 3 && r.critical_path == 4 * 4 && r.p_units.counted == 4 * 4);
  assert_true(r.depth.counted == 6 && r.depth.bound == 4); /* by levels */
  assert_true(r.multiplications.counted == (1 + 1 + 1) + 1 + (1 + 1 + 1) + (1 + 1));
}

/* n = 4, s = 2: additions in 2 columns of one row, then one by the vector unit of one lane. */
TEST(test_vector_unit) {
  mmscan_model_result r = model(4, 2, 10, 1, 1);
  assert_true(r.one_unit.counted == 14 + 14 + 1 && isnan(r.one_unit.bound) && isnan(r.p_units.bound));
  assert_true(r.work == 28 && r.vector_work == 1 && r.critical_path == 29 && r.p_units.counted == 29);
  assert_true(r.multiplications.counted == 3);
}

TEST(test_short_lengths) {
  for (size_t s = 2; s <= 5; s++) {
    mmscan_model_result none = model(0, s, 1, 1, 0), one = model(1, s, 1, 1, 0);
    assert_true(none.multiplications.counted == 0 && none.p_units.counted == 0 && none.segments == 0);
    assert_true(none.depth.counted == 0 && none.depth.bound == 0 && none.one_unit.bound == 0);
    assert_true(one.multiplications.counted == 0 && one.p_units.counted == 0 && one.segments == 1);
    assert_true(one.depth.counted == 0 && one.depth.bound == 0 && one.multiplications.bound == 0);
  }
}

/* ---- n = s^k ----------------------------------------------------------------------------------------------------- */

/* Phase one multiplies n/s^2 + n/s^3 + ... + 1 + 1 squares, phase two all of these but the last. On one unit a level of
 * m elements has m/s columns. */
static void check_power(size_t s, size_t k, double latency) {
  const size_t n = power_of(s, k);
  const double m = (double)n, w = (double)s, columns = (double)(2 * k - 1);
  const double squares = 2 * (m / w - 1) / (w - 1) + 1;
  const double additions = m * (1 + w / 2) + w * w * w / 2 - w * w - w;
  const double one = columns * latency + w * (m - 1) / (w - 1) + w * (m - w) / (w - 1) + w * w - w;
  mmscan_model_result r = model(n, s, latency, 3, 0);
  assert_number("depth", n, s, r.depth.counted, columns);
  assert_number("bound on the depth", n, s, r.depth.bound, columns);
  assert_number("multiplications", n, s, r.multiplications.counted, squares);
  assert_number("their bound", n, s, r.multiplications.bound, ceil(2 * m / (w * (w - 1))) + 2 * (double)k - 2);
  assert_number("additions", n, s, r.additions.counted, additions);
  assert_number("time on one unit", n, s, r.one_unit.counted, one);
  assert_number("work", n, s, r.work, squares * (w * w + latency));
  assert_at_most("multiplications", n, s, r.multiplications.counted, r.multiplications.bound);
  assert_at_most("additions", n, s, r.additions.counted, r.additions.bound);
  assert_at_most("time on one unit", n, s, r.one_unit.counted, r.one_unit.bound);
  assert_at_most("time on three units", n, s, r.p_units.counted, r.p_units.bound);
}

/* Section 3.3: at most 1/2 and 1/s of the unit is used; any shortfall is padding. Level t of phase one has n/s^(t+1)
 * columns, of phase two n/s^t - 1 columns that are added to. */
static void check_utilisation(size_t s, size_t k) {
  const size_t n = power_of(s, k);
  const double m = (double)n, w = (double)s, squares = (m / w - 1) / (w - 1), dense = w * w * (w - 1);
  mmscan_model_result r = model(n, s, 0, 1, 0);
  assert_number("utilisation of L", n, s, r.utilisation_l.counted, (m - 1) * w / 2 / ((squares + 1) * dense));
  assert_at_most("utilisation of L", n, s, r.utilisation_l.counted, r.utilisation_l.bound);
  if (k == 1) return;
  const double columns = (m - w) / (w - 1) - (double)(k - 1);
  assert_number("utilisation of B", n, s, r.utilisation_b.counted, columns * (w - 1) / (squares * dense));
  assert_at_most("utilisation of B", n, s, r.utilisation_b.counted, r.utilisation_b.bound);
  assert_true(r.utilisation_l.bound == 0.5 && r.utilisation_b.bound == 1 / w);
}

TEST(test_powers) {
  const size_t most = sized((size_t)1 << 18, (size_t)1 << 10);
  for (size_t s = 2; s <= 32; s++)
    for (size_t k = 1; power_of(s, k) <= most; k++) {
      check_power(s, k, (double)(k % 3 * 17));
      check_utilisation(s, k);
    }
}

/* ---- Any n ------------------------------------------------------------------------------------------------------- */

/* Never better than the critical path and the work allow, never worse than Brent's bound. */
static void check_time(size_t n, size_t s, const mmscan_model_result *r, size_t p, size_t lanes) {
  const double units = (double)p;
  assert_at_most("critical path", n, s, r->critical_path, r->p_units.counted);
  assert_at_most("work", n, s, r->work, units * r->p_units.counted);
  assert_at_most("work of vector units", n, s, r->vector_work, units * r->p_units.counted);
  assert_at_most("time", n, s, r->p_units.counted, r->brent);
  if (lanes == 0) assert_number("work of no vector units", n, s, r->vector_work, 0);
  if (lanes == 0 && p == 1) assert_number("time on one unit", n, s, r->p_units.counted, r->work);
  if (units >= r->multiplications.counted)
    assert_number("time on enough units", n, s, r->p_units.counted, r->critical_path);
}

static void check_any(size_t n, size_t s, double latency, size_t lanes) {
  static const size_t units[] = {1, 2, 3, 8, 1000000};
  const double square = (double)(s * s) + latency;
  double least = INFINITY;
  for (size_t i = 0; i < COUNT(units); i++) {
    mmscan_model_result r = model(n, s, latency, units[i], lanes);
    check_time(n, s, &r, units[i], lanes);
    if (lanes == 0) assert_number("work", n, s, r.work, r.multiplications.counted * square);
    assert_at_most("utilisation of L", n, s, r.utilisation_l.counted, 0.5);
    assert_at_most("utilisation of B", n, s, r.utilisation_b.counted, 1 / (double)s);
    if (lanes == 0) {
      assert_at_most("multiplications", n, s, r.multiplications.counted, r.multiplications.bound);
      assert_at_most("additions", n, s, r.additions.counted, r.additions.bound);
      assert_at_most("time on one unit", n, s, r.one_unit.counted, r.one_unit.bound);
    }
    if (i > 0) assert_at_most("time on more units", n, s, r.p_units.counted, least);
    least = r.p_units.counted;
  }
}

TEST(test_any_length) {
  static const size_t sizes[] = {2, 3, 4, 5, 7, 8, 16};
  const size_t most = sized(400, 40);
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (size_t n = 0; n <= most; n++) check_any(n, sizes[i], n % 2 ? 11 : 0, n % 3 ? 0 : 1 + n % 5);
}

TEST(test_long_lengths) {
  struct rng rng = rng_of(1);
  for (size_t i = 0; i < sized(40, 4); i++)
    check_any(draw_below(&rng, sized(100000, 2000)), 2 + draw_below(&rng, 40), (double)draw_below(&rng, 300),
              i % 2 ? 0 : 1 + draw_below(&rng, 64));
}

/* All multiplications take equally long, so the latency changes nothing but the unit of time. */
TEST(test_latency_scales) {
  struct rng rng = rng_of(2);
  for (size_t i = 0; i < sized(100, 10); i++) {
    const size_t n = draw_below(&rng, 3000), s = 2 + draw_below(&rng, 9), p = 1 + draw_below(&rng, 9);
    const double square = (double)(s * s), latency = square * (double)draw_below(&rng, 9);
    mmscan_model_result none = model(n, s, 0, p, 0), some = model(n, s, latency, p, 0);
    assert_number("time", n, s, some.p_units.counted, none.p_units.counted / square * (square + latency));
    assert_number("depth", n, s, some.depth.counted, none.depth.counted);
  }
}

/* With a vector unit that takes no time, only phase one remains: the chain is k multiplications, for n = s^k. */
TEST(test_fast_vector_unit) {
  for (size_t s = 2; s <= 9; s++)
    for (size_t k = 1; power_of(s, k) <= 10000; k++) {
      const size_t n = power_of(s, k);
      mmscan_model_result r = model(n, s, 5, 1000000, SIZE_MAX);
      assert_number("chain", n, s, r.critical_path - (double)(k - 1), (double)(k * (s * s + 5)));
    }
}

/* ---- Against the trace ------------------------------------------------------------------------------------------- */

/* The longest chain of batched products, which are squares, each after the last product that wrote what it reads. */
static size_t longest_chain(const struct recording *r) {
  size_t longest = 0, positions = r->count ? r->events[0].positions : 0;
  size_t *chain = recording_memory(NULL, positions * sizeof *chain);
  memset(chain, 0, positions * sizeof *chain);
  for (size_t i = 0; i < r->count; i++) {
    const mmscan_event *e = &r->events[i];
    size_t found = 0, entries = e->s * e->columns;
    for (size_t at = 0; at < entries; at++)
      if (e->in[at] != MMSCAN_NO_ELEMENT && chain[e->in[at]] > found) found = chain[e->in[at]];
    for (size_t at = 0; at < entries; at++)
      if (e->out[at] != MMSCAN_NO_ELEMENT) chain[e->out[at]] = e->is_product ? found + 1 : chain[e->in[at]];
    if (e->is_product && found + 1 > longest) longest = found + 1;
  }
  free(chain);
  return longest;
}

static struct recording batched_run(size_t n, size_t s) {
  struct recording r = {0};
  float *x = recording_memory(NULL, n * sizeof *x);
  mmscan_matmul_desc d = matmul_desc(MMSCAN_F32, n, s, "model", 0);
  d.form = MMSCAN_BATCHED;
  d.broadcast = MMSCAN_BROADCAST_MATRIX;
  d.trace = record;
  d.trace_context = &r;
  memset(x, 0, n * sizeof *x);
  assert_mmscan_ok(mmscan_matmulscan(&d, x, x, NULL));
  free(x);
  return r;
}

TEST(test_chain_of_the_trace) {
  for (size_t s = 2; s <= 6; s++)
    for (size_t n = 1; n <= sized(300, 30); n++) {
      struct recording r = batched_run(n, s);
      struct totals t = add_up(&r);
      mmscan_model_result m = model(n, s, 1, SIZE_MAX, 0);
      assert_number("critical path", n, s, m.critical_path, (double)(longest_chain(&r) * (s * s + 1)));
      assert_number("multiplications", n, s, m.multiplications.counted, (double)t.squares);
      assert_number("additions on data", n, s, m.additions_unpadded, (double)t.additions_unpadded);
      assert_at_most("chain", n, s, m.critical_path, m.depth.counted * (double)(s * s + 1));
      recording_free(&r);
    }
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

TEST(test_illegal_values) {
  const mmscan_model_desc good = model_desc(100, 4, 1, 2, 0);
  mmscan_model_desc wrong[] = {good, good, good, good, good, good, good, good};
  wrong[0].struct_size--;
  wrong[1].s = 0;
  wrong[2].s = 1;
  wrong[3].s = MMSCAN_MAX_S + 1;
  wrong[4].latency = -1;
  wrong[5].latency = INFINITY;
  wrong[6].latency = NAN;
  wrong[7].units = 0;
  mmscan_model_result r = {.struct_size = sizeof r, .work = -7};
  for (size_t i = 0; i < COUNT(wrong); i++) {
    mmscan_status status = mmscan_model(&wrong[i], &r);
    if (status != MMSCAN_EINVAL) fail_msg("case %zu: %s", i, mmscan_strerror(status));
  }
  assert_status(MMSCAN_EINVAL, mmscan_model(NULL, &r));
  assert_status(MMSCAN_EINVAL, mmscan_model(&good, NULL));
  assert_true(r.work == -7);
  r.struct_size--;
  assert_status(MMSCAN_EINVAL, mmscan_model(&good, &r));
}

TEST(test_impossible_lengths) {
  static const size_t lengths[] = {SIZE_MAX, SIZE_MAX / 4, (size_t)PTRDIFF_MAX / sizeof(float) + 1};
  for (size_t i = 0; i < COUNT(lengths); i++) {
    mmscan_model_desc desc = model_desc(lengths[i], 2, 0, 1, 0);
    mmscan_model_result r = {.struct_size = sizeof r, .work = -7};
    assert_status(MMSCAN_ENOMEM, mmscan_model(&desc, &r));
    assert_true(r.work == -7);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
