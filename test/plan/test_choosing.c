/* test_choosing.c: what is measured is fast, and what is estimated uses threads where there is work for them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>

#include "base/tuning.h"
#include "plan/estimate.h"
#include "support/child.h"
#include "support/clock.h"
#include "support/matmul.h"
#include "support/oracle.h"
#include "support/sanitized.h"
#include "support/stand_in.h"
#include "team/cluster.h"

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static mmscan_plan *measured(const mmscan_desc *desc, const mmscan_choice *asked, mmscan_choice *used) {
  mmscan_plan *plan = NULL;
  assert_mmscan_ok(mmscan_plan_create_with(&plan, desc, MMSCAN_MEASURE, asked));
  *used = (mmscan_choice){.struct_size = sizeof *used};
  assert_mmscan_ok(mmscan_plan_get_choice(plan, used));
  return plan;
}

enum { LONG = 1 << 20, RUNS = 9 };

/* The time of the fastest of some runs, in seconds. Destroys the plan. */
static double time_of(mmscan_plan *plan, const float *x, float *y) {
  double least = DBL_MAX;
  for (int i = 0; i < RUNS; i++) {
    const double start = seconds();
    assert_mmscan_ok(mmscan_execute(plan, x, y));
    const double took = seconds() - start;
    if (took < least) least = took;
  }
  mmscan_plan_destroy(plan);
  return least;
}

/* A measured plan does not use the model, which takes several times as long as any. The plain loop may be the fastest,
 * in a library built with -O0; the next test compares times. */
TEST(test_what_is_measured_is_not_the_slowest) {
  skip_if(is_instrumented(), "an instrument changes what is fast");
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, LONG);
  mmscan_choice used;
  mmscan_plan *plan = measured(&desc, NULL, &used);
  print_message("measured: %s x %s, s %zu, tile %zu, %d threads\n", used.engine, part_of(&used), used.s, used.tile,
                used.threads);
  assert_false(is_model(&used));
  mmscan_plan_destroy(plan);
}

/* The time of one thread, which other processes hardly change. */
static double time_of_engine(const char *engine, const mmscan_desc *desc, const float *x, float *y) {
  mmscan_choice used, asked = {.struct_size = sizeof asked, .engine = engine, .threads = 1};
  return time_of(plan_new(desc, &asked, &used), x, y);
}

static double fastest_engine(const mmscan_desc *desc, const float *x, float *y) {
  mmscan_part engine = {.struct_size = sizeof engine};
  double least = DBL_MAX;
  for (size_t i = 0; mmscan_get_engine(i, &engine) == MMSCAN_OK; i++) {
    double took = time_of_engine(engine.name, desc, x, y);
    if (took < least) least = took;
  }
  return least;
}

/* A measured plan is about as fast as the fastest engine with its default sizes, in one of three tries, since other
 * processes may take the CPU. */
TEST(test_what_is_measured_is_fast) {
  const mmscan_choice one = {.struct_size = sizeof one, .threads = 1};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, LONG);
  bool fast = false;
  if (is_instrumented()) skip();
  float *x = calloc(LONG, sizeof *x), *y = calloc(LONG, sizeof *y);
  assert_true(x != NULL && y != NULL);
  for (int i = 0; i < 3 && !fast; i++) {
    mmscan_choice used;
    double own = time_of(measured(&desc, &one, &used), x, y), best = fastest_engine(&desc, x, y);
    print_message("measured: %s x %s: %.0f us; the fastest engine %.0f us\n", used.engine, part_of(&used), own / 1e3,
                  best / 1e3);
    fast = own < 2 * best;
  }
  free(x);
  free(y);
  assert_true(fast);
}

/* ---- Estimating -------------------------------------------------------------------------------------------------- */

static mmscan_choice choice_for(mmscan_type type, size_t n, size_t batch, const char *engine) {
  mmscan_desc desc = plain_desc(type, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .engine = engine};
  desc.batch = batch;
  desc.x_dist = desc.y_dist = batch > 1 ? (ptrdiff_t)n : 0;
  mmscan_plan_destroy(plan_new(&desc, &asked, &used));
  return used;
}

static int threads_of(mmscan_type type, size_t n, size_t batch, const char *engine) {
  return choice_for(type, n, batch, engine).threads;
}

static const char *engine_for(size_t n, size_t batch) { return choice_for(MMSCAN_F32, n, batch, NULL).engine; }

/* One scan of a few elements is a plain loop; of many scans, several are done at a time. */
TEST(test_engine_for_few) {
  for (size_t n = 1; n < 8; n++) {
    assert_string_equal(engine_for(n, 1), "serial");
    assert_string_equal(engine_for(n, 2), "simd");
    assert_string_equal(engine_for(n, 100000), "simd");
  }
}

/* The threads for 2048 floats in eight tiles; with s = 4 that is little work for any core. */
static int threads_by_gemm(size_t s) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 2048);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .engine = "gemm", .s = s, .tile = 256};
  mmscan_plan_destroy(plan_new(&desc, &asked, &used));
  return used.threads;
}

/* Long scans get a team of threads, for each type and each engine that has tiles; short scans do not. No plan has more
 * threads than there are. */
static void check_estimates(void) {
  static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_I32, MMSCAN_I64, MMSCAN_U32, MMSCAN_U64};
  static const char *const engines[] = {NULL, "simd", "gemm"};
  const int most = mmscan_threads();
  const size_t n = (size_t)1 << 22;
  for (size_t t = 0; t < COUNT(types); t++)
    for (size_t e = 0; e < COUNT(engines); e++) {
      int of_long = threads_of(types[t], n, 1, engines[e]), of_short = threads_of(types[t], 1024, 1, engines[e]);
      if (of_long < (most > 1 ? 2 : 1) || of_long > most || of_short != 1)
        fail_msg("type %d, engine %s: %d threads where n is 2^22, %d where it is 2^10, of %d", (int)types[t],
                 text_or(engines[e], "any"), of_long, of_short, most);
    }
  assert_int_equal(threads_of(MMSCAN_F32, n, 1, "serial"), 1); /* one scan, no tiles */
  if (most > 1) assert_true(threads_by_gemm(4) < threads_by_gemm(256));
  assert_in_range(threads_of(MMSCAN_F32, n / 64, 64, "serial"), most > 1 ? 2 : 1, most);
}

/* Bits do not depend on the number of threads, so only the number of threads in a choice may depend on it. */
TEST(test_engine_for_any_number) {
  static const size_t batches[] = {1, 2, 8, 100, 1000, 4000};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t b = 0; b < COUNT(batches); b++)
      for (size_t n = 1; n < 100; n += quick() ? 3 : 1) {
        mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
        mmscan_choice one = {.struct_size = sizeof one, .threads = 1},
                      many = {.struct_size = sizeof many, .threads = 8};
        desc.batch = batches[b];
        desc.x_dist = desc.y_dist = (ptrdiff_t)n;
        mmscan_plan_destroy(plan_new(&desc, &one, &one));
        mmscan_plan_destroy(plan_new(&desc, &many, &many));
        if (!same_text(one.engine, many.engine) || one.tile != many.tile)
          fail_msg("%s, n %zu, batch %zu: %s, tile %zu by one thread, %s, tile %zu by eight", type_at(t)->name, n,
                   batches[b], one.engine, one.tile, many.engine, many.tile);
      }
}

TEST(test_estimates_here) {
  print_message("here:    %d threads\n", mmscan_threads());
  check_estimates();
}

/* The number of CPUs makes no difference. */
static int child_estimates(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimates_here)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST(test_estimates_for_any_number) {
  static const char *const counts[] = {"1", "2", "3", "4", "64"};
  for (size_t i = 0; i < COUNT(counts); i++) {
    struct outcome o = ask_self("estimates", &(struct setting){"MMSCAN_NUM_THREADS", counts[i]}, 1);
    if (o.exit != 0) fail_msg("MMSCAN_NUM_THREADS=%s: %s", counts[i], o.print);
  }
}

/* ---- What is estimated ------------------------------------------------------------------------------------------- */

/* The job of a plan: with s for the engine gemm, with a tile for engines that have tiles. */
static mms_job job_of(const mms_engine *engine, const mms_isa *isa, mmscan_type type, size_t s, size_t tile) {
  const mms_algebra *algebra = mms_algebra_of(MMSCAN_PLUS, type);
  return (mms_job){.algebra = algebra,
                   .kernel = mms_kernel_of(isa, algebra),
                   .unit = engine->has_unit ? mms_unit_find("cblas") : NULL,
                   .s = engine->has_unit ? s : 0,
                   .tile = engine->tile_of ? tile : 0,
                   .isa = isa};
}

enum { TILE = 65536 };

static double cost_of(const mms_engine *engine, const mms_isa *isa, mmscan_type type, size_t n, size_t batch) {
  const mms_job job = job_of(engine, isa, type, 4, TILE);
  return mms_estimate(engine, &job, (mms_shape){mms_algebra_of(MMSCAN_PLUS, type), n, batch}, 1).least;
}

/* 64-bit elements take longer than 32-bit ones with the engine simd, and no less time with any other. Many scans take
 * at most as long as the same number of single scans, but longer than one scan of all their elements. */
static void check_costs(const mms_engine *engine, const mms_isa *isa) {
  static const mmscan_type types[][2] = {{MMSCAN_F32, MMSCAN_F64}, {MMSCAN_I32, MMSCAN_I64}, {MMSCAN_U32, MMSCAN_U64}};
  for (size_t t = 0; t < COUNT(types); t++) {
    const double half = cost_of(engine, isa, types[t][0], LONG, 1), whole = cost_of(engine, isa, types[t][1], LONG, 1);
    if (engine == &mms_engine_simd ? half >= whole : half > whole)
      fail_msg("%s, type %d: %g ns, twice as wide: %g ns", engine->name, types[t][0], half, whole);
    const double one = cost_of(engine, isa, types[t][0], 100, 1), many = cost_of(engine, isa, types[t][0], 100, 1000),
                 all = cost_of(engine, isa, types[t][0], 100000, 1);
    if (!(many > all && many < 1001 * one))
      fail_msg("%s: a scan %g ns, 1000 %g ns, all in one %g ns", engine->name, one, many, all);
  }
}

TEST(test_costs) {
  const mms_engine *engine;
  for (size_t e = 0; (engine = mms_engine_at(e)) != NULL; e++)
    for (size_t i = 0; mms_isa_name(i) != NULL; i++)
      if (mms_isa_at(i) != NULL) check_costs(engine, mms_isa_at(i));
}

static double cost_by_size(size_t s) {
  const mms_job job = job_of(&mms_engine_gemm, mms_isa_best(), MMSCAN_F32, s, TILE);
  return mms_estimate(&mms_engine_gemm, &job, (mms_shape){mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), LONG, 1}, 1).least;
}

/* Kernels are made for s = 2, 4, 8 and 16 only; every other s costs more. */
TEST(test_costs_of_sizes) {
  assert_true(cost_by_size(2) < cost_by_size(4) && cost_by_size(4) < cost_by_size(8) &&
              cost_by_size(8) < cost_by_size(16));
  for (size_t s = 3; s <= MMSCAN_MAX_S; s++)
    if (s != 4 && s != 8 && s != 16) assert_true(cost_by_size(s) > cost_by_size(16));
}

/* However the work divides, k threads are at most k times as fast, apart from the time to start each scan. No more
 * threads are used where half of them would take as long. */
static void check_costs_of_threads(const mms_engine *engine, size_t n, size_t batch, int most) {
  const mms_job job = job_of(engine, mms_isa_best(), MMSCAN_F64, 4, TILE);
  const mms_shape shape = {mms_algebra_of(MMSCAN_PLUS, MMSCAN_F64), n, batch};
  const mms_cost one = mms_estimate(engine, &job, shape, 1), many = mms_estimate(engine, &job, shape, most);
  const double starts = (double)batch * cost_of(engine, mms_isa_best(), MMSCAN_F64, 1, 1);
  assert_int_equal(one.threads, 1);
  assert_in_range(many.threads, 1, most);
  assert_true(one.least == one.alone && many.alone == one.alone);
  if (many.least > one.alone || many.least * many.threads + starts < 0.999 * one.alone)
    fail_msg("%s, n %zu, batch %zu: %g ns alone, %g ns by %d threads", engine->name, n, batch, one.alone, many.least,
             many.threads);
  if (many.threads > 1) assert_true(mms_estimate(engine, &job, shape, many.threads / 2).least > many.least);
}

TEST(test_costs_of_threads) {
  static const size_t batches[] = {1, 3, 8, 9};
  const mms_engine *engine;
  for (size_t e = 0; (engine = mms_engine_at(e)) != NULL; e++)
    for (size_t halves = 1; halves < 100; halves++)
      for (size_t b = 0; b < COUNT(batches); b++)
        for (int most = 1; most <= 64; most *= 2) check_costs_of_threads(engine, TILE / 2 * halves, batches[b], most);
}

/* The shortest scan that two threads share, in units of 1024 floats: threads that are apart wait longer for each
 * other. */
static size_t least_for_two(double handoff) {
  const mms_job job = job_of(&mms_engine_simd, mms_isa_best(), MMSCAN_F32, 0, 1024);
  mms_cluster_record(handoff);
  for (size_t n = 1; n < 1024; n++) {
    const mms_shape shape = {mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), n << 10, 1};
    if (mms_estimate(&mms_engine_simd, &job, shape, 2).threads == 2) return n;
  }
  return SIZE_MAX;
}

TEST(test_costs_of_threads_that_are_apart) {
  const bool before = mms_tuning_here.has_dies;
  mms_tuning_here.has_dies = true;
  const size_t near = least_for_two(1), apart = least_for_two(1e9);
  mms_tuning_here.has_dies = false;
  const size_t no_dies = least_for_two(1);
  assert_int_equal(least_for_two(1e9), no_dies);
  mms_tuning_here.has_dies = before;
  print_message("two threads share %zu Ki floats, %zu Ki where they are apart, %zu Ki without dies\n", near, apart,
                no_dies);
  assert_true(near > 1 && near < apart && apart < 1024);
}

/* From one thread on, each count is twice the last, and the final one is all threads. */
TEST(test_counts_that_are_tried) {
  for (int most = 2; most < 70; most++)
    for (int threads = 1, next; threads < most; threads = next) {
      next = mms_estimate_next_count(threads, most);
      assert_int_equal(next, 2 * threads < most ? 2 * threads : most);
    }
}

/* ---- A BLAS that does not multiply ------------------------------------------------------------------------------- */

/* It is not used, and everything that needs no BLAS still works. */
static int child_with_wrong_blas(void) {
  if (!has_stand_in()) return NO_STAND_IN;
  float x[100], y[100];
  for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  const mmscan_choice gemm = {.struct_size = sizeof gemm, .engine = "gemm"};
  const mmscan_matmul_desc letter = matmul_desc(MMSCAN_F32, COUNT(x), 4, NULL, 0);
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &gemm) == MMSCAN_EBLAS && plan == NULL &&
               mmscan_matmulscan(&letter, x, y, NULL) == MMSCAN_EBLAS && mmscan_scan(&desc, x, y) == MMSCAN_OK;
  for (size_t i = 0; i < COUNT(y); i++) right = right && y[i] == (float)(i + 1);
  return right ? 0 : 1;
}

TEST(test_blas_that_is_wrong) {
  const struct outcome o = ask_with_stand_in("wrong-blas", toy("drops"), NULL, 0);
  if (o.exit == NO_STAND_IN) skip();
  if (o.exit != 0) fail_msg("ended with %d: %s", o.exit, o.print);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"estimates", child_estimates}, {"wrong-blas", child_with_wrong_blas}};
  return run_or_be(children, COUNT(children), argc, argv, make_scratch, remove_scratch);
}
