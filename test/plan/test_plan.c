/* test_plan.c: plans: what a choice may name, what a plan then uses, and what is measured.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdatomic.h>

#include "support/clock.h"
#include "support/oracle.h"
#include "team/pays.h"

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

TEST(test_flags) {
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 3);
  mmscan_plan *plan = NULL;
  assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE));
  assert_non_null(plan);
  mmscan_plan_destroy(plan);
  for (unsigned bit = 2; bit != 0; bit <<= 1)
    for (unsigned flag = MMSCAN_ESTIMATE; flag <= MMSCAN_MEASURE; flag++) {
      plan = (mmscan_plan *)&desc;
      assert_status(MMSCAN_EINVAL, mmscan_plan_create(&plan, &desc, bit | flag));
      assert_null(plan);
    }
}

TEST(test_choices_that_do_not_fit) {
  enum { SIZE = sizeof(mmscan_choice) };
  const mmscan_choice bad[] = {
      {.struct_size = 0},
      {.struct_size = SIZE - 1},
      {SIZE, .engine = "nonsense"},
      {SIZE, .engine = ""},
      {SIZE, .engine = "gem"},
      {SIZE, .engine = "gemmm"},
      {SIZE, .engine = "gemm", .unit = "nonsense"},
      {SIZE, .engine = "gemm", .unit = ""},
      {SIZE, .engine = "serial", .unit = "cblas"},
      {SIZE, .engine = "serial", .unit = "nonsense"},
      {SIZE, .engine = "serial", .s = 8},
      {SIZE, .engine = "gemm", .s = 1},
      {SIZE, .engine = "gemm", .s = MMSCAN_MAX_S + 1},
      {SIZE, .engine = "gemm", .s = SIZE_MAX},
      {SIZE, .engine = "gemm", .s = 8, .tile = 7},
      {SIZE, .engine = "gemm", .tile = 1},
      {SIZE, .engine = "gemm", .tile = MMSCAN_MAX_TILE + 1},
      {SIZE, .engine = "gemm", .tile = SIZE_MAX},
      {SIZE, .engine = "gemm", .threads = -1},
      {SIZE, .engine = "gemm", .isa = "nonsense"},
      {SIZE, .engine = "serial", .isa = "portable"},
      {SIZE, .engine = "serial", .tile = 1024},
      {SIZE, .engine = "simd", .isa = "nonsense"},
      {SIZE, .engine = "simd", .isa = ""},
      {SIZE, .engine = "simd", .unit = "cblas"},
      {SIZE, .engine = "simd", .s = 8},
      {SIZE, .engine = "simd", .tile = MMSCAN_MAX_TILE + 1},
      {SIZE, .isa = "nonsense"},
      {SIZE, .threads = INT_MIN},
  };
  for (size_t i = 0; i < COUNT(bad); i++)
    for (size_t n = 1; n <= 100000; n *= 100) {
      mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, n);
      for (unsigned flag = MMSCAN_ESTIMATE; flag <= MMSCAN_MEASURE; flag++) {
        mmscan_plan *plan = (mmscan_plan *)&desc;
        mmscan_status status = mmscan_plan_create_with(&plan, &desc, flag, &bad[i]);
        if (status != MMSCAN_EINVAL || plan != NULL) fail_seeded("choice %zu: %s", i, mmscan_strerror(status));
      }
    }
}

/* x86-64 has no NEON, and ARM no AVX: one of the two is not available here, and is refused. */
TEST(test_choice_of_another_machine) {
  int refused = 0;
  for (int i = 0; i < 2; i++) {
    mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .isa = i ? "neon" : "avx2"};
    mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 10);
    mmscan_plan *plan = (mmscan_plan *)&desc;
    mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
    assert_true(status == MMSCAN_OK ? plan != NULL : status == MMSCAN_ENOTSUP && plan == NULL);
    refused += status == MMSCAN_ENOTSUP;
    mmscan_plan_destroy(plan);
  }
  assert_true(refused >= 1);
}

/* A tile may be asked for with engines that cut tiles: those whose plans report one. */
static void check_tile(const mmscan_choice *asked, const mmscan_choice *used, const mmscan_desc *desc) {
  mmscan_choice with_tile = *asked;
  mmscan_plan *plan = NULL;
  with_tile.tile = 1024;
  assert_status(used->tile ? MMSCAN_OK : MMSCAN_EINVAL,
                mmscan_plan_create_with(&plan, desc, MMSCAN_ESTIMATE, &with_tile));
  mmscan_plan_destroy(plan);
}

static void check_fields_that_apply(const mmscan_choice *used) {
  assert_true(used->threads >= 1);
  if (is_gemm(used)) {
    assert_in_range(used->s, 2, MMSCAN_MAX_S);
    assert_in_range(used->tile, used->s, MMSCAN_MAX_TILE);
    assert_non_null(used->unit);
  } else {
    assert_int_equal(used->s, 0);
    assert_null(used->unit);
  }
  if (cuts_tiles(used))
    assert_non_null(used->isa);
  else
    assert_null(used->isa);
}

TEST(test_choices) {
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < TYPES; t++)
    for (size_t n = 1; n <= 10000000; n *= 10)
      for (size_t c = 0; c < forced->count; c++) {
        mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
        mmscan_choice used;
        mmscan_plan_destroy(plan_new(&desc, &forced->choice[c], &used));
        check_fields_that_apply(&used);
        check_tile(&forced->choice[c], &used, &desc);
        mmscan_plan_destroy(plan_new(&desc, NULL, &used));
        check_fields_that_apply(&used);
      }
}

/* Tiles of 128 KiB, or halves or quarters of that where two threads could not share a few of them evenly. */
TEST(test_tile_by_length) {
  for (size_t t = 0; t < TYPES; t++) {
    const size_t whole = 131072 / type_at(t)->size;
    const struct {
      size_t n, parts;
    } lengths[] = {{100, 1},           {whole, 1},     {whole + 1, 2}, {whole + whole / 2, 4}, {2 * whole, 1},
                   {2 * whole + 1, 1}, {3 * whole, 2}, {6 * whole, 1}, {7 * whole, 2},         {100 * whole + 1, 1}};
    for (size_t i = 0; i < COUNT(lengths); i++) {
      const mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, lengths[i].n);
      const mmscan_choice simd = {.struct_size = sizeof simd, .engine = "simd"};
      mmscan_choice used;
      mmscan_plan_destroy(plan_new(&desc, &simd, &used));
      assert_int_equal(used.tile, whole / lengths[i].parts);
    }
  }
}

TEST(test_limits_of_choices) {
  const mmscan_choice good[] = {
      {sizeof good[0], .engine = "gemm", .s = 2},
      {sizeof good[0], .engine = "gemm", .s = MMSCAN_MAX_S},
      {sizeof good[0], .engine = "gemm", .s = 8, .tile = 8},
      {sizeof good[0], .engine = "gemm", .s = MMSCAN_MAX_S, .tile = MMSCAN_MAX_S},
      {sizeof good[0], .engine = "gemm", .s = 7, .tile = MMSCAN_MAX_TILE},
      {sizeof good[0], .engine = "gemm", .unit = "cblas", .threads = 1},
      {sizeof good[0], .engine = "serial", .threads = 64},
      {sizeof good[0], .engine = "simd", .isa = "portable", .tile = 1},
      {sizeof good[0], .engine = "simd", .tile = MMSCAN_MAX_TILE, .threads = 2},
      {sizeof good[0], .isa = "portable"},
      {sizeof good[0], .engine = "gemm", .isa = "portable"},
      {sizeof good[0], .isa = "portable", .unit = "cblas"},
      {sizeof good[0], .tile = 4096},
  };
  for (size_t i = 0; i < COUNT(good); i++) {
    struct sample sample = sample_new(type_at(0), EXACT, 5000);
    struct window w = {0, 5000, MMSCAN_INCLUSIVE, false, NULL, MMSCAN_PLUS};
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 5000);
    scan_with(&desc, &good[i], sample.x, sample.x);
    assert_scan(&sample.oracle, &w, 0, sample.x, "at the limits of choices");
    sample_free(&sample);
  }
}

TEST(test_get_choice_refuses) {
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 10);
  mmscan_choice used;
  mmscan_plan *plan = plan_new(&desc, NULL, &used);
  assert_status(MMSCAN_EINVAL, mmscan_plan_get_choice(NULL, &used));
  assert_status(MMSCAN_EINVAL, mmscan_plan_get_choice(plan, NULL));
  used.struct_size = 0;
  assert_status(MMSCAN_EINVAL, mmscan_plan_get_choice(plan, &used));
  used.struct_size = sizeof used - 1;
  assert_status(MMSCAN_EINVAL, mmscan_plan_get_choice(plan, &used));
  mmscan_plan_destroy(plan);
}

TEST(test_plan_copies_what_it_needs) {
  for (size_t c = 0; c < forced_all()->count; c++) {
    double init = 100, x[3] = {1, 2, 3}, y[3];
    char engine[16], unit[16];
    mmscan_choice choice = forced_all()->choice[c], used;
    strcpy(engine, choice.engine);
    strcpy(unit, text_or(choice.unit, ""));
    choice.engine = engine;
    choice.unit = choice.unit ? unit : NULL;
    mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_EXCLUSIVE, 0, 3);
    desc.init = &init;
    mmscan_plan *plan = plan_new(&desc, &choice, &used);
    init = -1;
    memset(&desc, 0x5a, sizeof desc);
    memset(engine, 0x5a, sizeof engine);
    memset(unit, 0x5a, sizeof unit);
    assert_mmscan_ok(mmscan_plan_get_choice(plan, &used));
    assert_string_equal(used.engine, forced_all()->choice[c].engine);
    assert_mmscan_ok(mmscan_execute(plan, x, y));
    assert_true(y[0] == 100 && y[1] == 101 && y[2] == 103);
    mmscan_plan_destroy(plan);
  }
}

/* Any value but zero is true. */
TEST(test_any_reverse) {
  static const int values[] = {1, 2, -1, INT_MIN, 256};
  for (size_t i = 0; i < COUNT(values); i++) {
    int64_t x[3] = {1, 2, 3};
    mmscan_desc desc = plain_desc(MMSCAN_I64, MMSCAN_INCLUSIVE, values[i], 3);
    assert_mmscan_ok(mmscan_scan(&desc, x, x));
    assert_true(x[0] == 6 && x[1] == 5 && x[2] == 3);
  }
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* Makes a measured plan, reports what it uses, and checks its results. */
static mmscan_plan *measured(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *asked,
                             mmscan_choice *used) {
  mmscan_plan *plan = NULL;
  unsigned char *y = test_memory(desc->n * desc->batch * sample->oracle.type->size);
  assert_mmscan_ok(mmscan_plan_create_with(&plan, desc, MMSCAN_MEASURE, asked));
  *used = (mmscan_choice){.struct_size = sizeof *used};
  assert_mmscan_ok(mmscan_plan_get_choice(plan, used));
  check_fields_that_apply(used);
  if (asked != NULL && !honoured(asked, used)) fail_seeded("measured: %s x %s", used->engine, part_of(used));
  assert_mmscan_ok(mmscan_execute(plan, sample->x, y));
  for (size_t r = 0; r < desc->batch; r++) {
    struct window w = {r * desc->n, desc->n, desc->kind, desc->reverse, NULL, desc->op};
    assert_scan(&sample->oracle, &w, 0, y + w.first * sample->oracle.type->size, "measured");
  }
  free(y);
  return plan;
}

static bool same_choice(const mmscan_choice *a, const mmscan_choice *b) {
  return same_text(a->engine, b->engine) && same_text(a->unit, b->unit) && same_text(a->isa, b->isa) && a->s == b->s &&
         a->tile == b->tile && a->threads == b->threads;
}

/* A shape is measured once and known from then on, also for other kinds and directions and other lengths of the same
 * log2. */
static void check_measured(const struct sample *sample, size_t n, size_t batch) {
  mmscan_desc desc = plain_desc(sample->oracle.type->type, MMSCAN_INCLUSIVE, 0, n);
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  mmscan_choice first, again, estimated;
  size_t before = mmscan_wisdom_count(), known = before + (n > 0 && batch > 0);
  mmscan_plan_destroy(measured(sample, &desc, NULL, &first));
  assert_int_equal(mmscan_wisdom_count(), known);
  desc.kind = MMSCAN_EXCLUSIVE;
  desc.reverse = 1;
  desc.n += n > 1;
  desc.x_dist = desc.y_dist = (ptrdiff_t)desc.n;
  mmscan_plan_destroy(measured(sample, &desc, NULL, &again));
  mmscan_plan_destroy(plan_new(&desc, NULL, &estimated));
  assert_int_equal(mmscan_wisdom_count(), known);
  if (known > before) assert_true(same_choice(&first, &again) && same_choice(&first, &estimated));
}

/* Measuring takes time: the first type has every case, and the others share them; in a quick run two types have every
 * third. */
static bool is_measured(size_t index, size_t type) {
  return quick() ? index % 3 == type : type == 0 || index % (TYPES - 1) + 1 == type;
}

TEST(test_measured_shapes) {
  static const size_t shapes[][2] = {{0, 1}, {0, 5}, {5, 0}, {1, 1}, {1000, 1}, {40, 500}, {20000, 4}, {300000, 1}};
  for (size_t t = 0; t < sized(TYPES, 2); t++) {
    struct sample sample = sample_new(type_at(t), EXACT, 300002);
    for (size_t i = 0; i < COUNT(shapes); i++)
      if (is_measured(i, t)) check_measured(&sample, shapes[i][0], shapes[i][1]);
    sample_free(&sample);
  }
}

/* Rows that are far apart are measured next to each other. */
TEST(test_measured_rows_far_apart) {
  static const ptrdiff_t dists[] = {(ptrdiff_t)1 << 40, -((ptrdiff_t)1 << 40)};
  for (size_t i = 0; i < COUNT(dists); i++) {
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100);
    const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .threads = 1};
    mmscan_plan *plan;
    desc.batch = 3;
    desc.x_dist = desc.y_dist = dists[i];
    assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, MMSCAN_MEASURE, &choice));
    mmscan_plan_destroy(plan);
  }
}

/* A measured plan uses what was asked for, and this does not become wisdom. */
TEST(test_measured_choices) {
  enum { SIZE = sizeof(mmscan_choice) };
  const mmscan_choice choices[] = {
      {SIZE, .engine = "serial"},
      {SIZE, .engine = "serial", .threads = 1},
      {SIZE, .engine = "simd"},
      {SIZE, .isa = "portable"},
      {SIZE, .tile = 4096},
      {SIZE, .engine = "simd", .isa = "portable", .tile = 100, .threads = 3},
      {SIZE, .engine = "gemm"},
      {SIZE, .unit = "model", .s = 4},
      {SIZE, .s = 3},
      {SIZE, .engine = "gemm", .tile = 8},
      {SIZE, .engine = "gemm", .unit = "cblas", .s = MMSCAN_MAX_S, .tile = MMSCAN_MAX_S, .threads = 2},
      {SIZE, .threads = 1},
  };
  for (size_t t = 0; t < sized(TYPES, 1); t++) {
    struct sample sample = sample_new(type_at(t), EXACT, 8001);
    for (size_t i = 0; i < COUNT(choices); i++) {
      if (!is_measured(i, t)) continue;
      mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, 8000);
      mmscan_choice used;
      size_t before = mmscan_wisdom_count();
      mmscan_plan_destroy(measured(&sample, &desc, &choices[i], &used));
      assert_int_equal(mmscan_wisdom_count(), before);
    }
    sample_free(&sample);
  }
}

/* Where threads are denied, the fastest choice found is not the best in general, and does not become wisdom. */
TEST(test_measured_in_a_region) {
  mmscan_desc desc = plain_desc(MMSCAN_U64, MMSCAN_INCLUSIVE, 0, 3333);
  const size_t before = mmscan_wisdom_count();
  if (omp_get_max_threads() == 1) skip();
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    mmscan_plan *plan;
    assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE));
    mmscan_plan_destroy(plan);
  }
  assert_int_equal(mmscan_wisdom_count(), before);
}

/* A request for more threads than there can be gives those there are. */
TEST(test_any_number_of_threads) {
  static const struct {
    int threads;
    unsigned flag;
  } plans[] = {
      {1000, MMSCAN_ESTIMATE}, {1500000000, MMSCAN_ESTIMATE}, {INT_MAX, MMSCAN_ESTIMATE}, {INT_MAX, MMSCAN_MEASURE}};
  float x[1000], y[1000];
  for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
  for (size_t i = 0; i < COUNT(plans); i++) {
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
    const mmscan_choice choice = {.struct_size = sizeof choice, .threads = plans[i].threads};
    mmscan_plan *plan;
    assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, plans[i].flag, &choice));
    assert_mmscan_ok(mmscan_execute(plan, x, y));
    assert_true(y[COUNT(x) - 1] == (float)COUNT(x));
    mmscan_plan_destroy(plan);
  }
}

/* Seconds that it takes to measure a plan for two threads, just after a team was held up so long that none pays for
 * `stay` seconds. */
static double measured_among_others(double stay) {
  enum { N = 100000 };
  const mmscan_choice two = {.struct_size = sizeof two, .engine = "simd", .tile = 8192, .threads = 2};
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  mmscan_plan *plan;
  const double start = seconds();
  mms_pays_record(stay * 1e8, stay * 1e8);
  assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, MMSCAN_MEASURE, &two));
  const double took = seconds() - start;
  mmscan_plan_destroy(plan);
  return took;
}

/* Several threads are timed once the other processes have left. */
TEST(test_measured_among_others) { assert_true(measured_among_others(0.15) > 0.15); }

/* Ones of a type: what products start from. */
static void fill_with_ones(mmscan_type type, char *x, size_t n) {
  mmscan_algebra row = {.struct_size = sizeof row};
  for (size_t r = 0; mmscan_get_algebra(r, &row) == MMSCAN_OK; r++)
    for (size_t i = 0; row.op == MMSCAN_MUL && row.type == type && i < n; i++)
      memcpy(x + i * row.size, row.start, row.size);
}

/* The table of engines in mmscan.h: what each of them serves, and refuses. */
TEST(test_what_engines_serve) {
  enum { N = 3000 };
  static _Alignas(16) char x[16 * N], y[16 * N], by_loop[16 * N];
  mmscan_algebra row = {.struct_size = sizeof row};
  mmscan_part engine = {.struct_size = sizeof engine};
  for (size_t e = 0; mmscan_get_engine(e, &engine) == MMSCAN_OK; e++)
    for (size_t r = 0; mmscan_get_algebra(r, &row) == MMSCAN_OK; r++) {
      const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine.name},
                          serial = {.struct_size = sizeof serial, .engine = "serial"};
      const bool serves = !same_text(engine.name, "gemm") || row.op == MMSCAN_PLUS;
      const mmscan_desc desc = MMSCAN_DESC(row.type, row.op, MMSCAN_INCLUSIVE, N);
      mmscan_plan *plan = NULL;
      assert_status(serves ? MMSCAN_OK : MMSCAN_ENOTSUP, mmscan_plan_create_with(&plan, &desc, 0, &choice));
      if (!serves) continue;
      fill_with_ones(row.type, x, N); /* which all engines add up without rounding */
      assert_mmscan_ok(mmscan_execute(plan, x, y));
      mmscan_plan_destroy(plan);
      scan_with(&desc, &serial, x, by_loop);
      if (row.op != MMSCAN_LOGADDEXP) assert_memory_equal(y, by_loop, N * row.size);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
