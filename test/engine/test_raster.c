/* test_raster.c: integral images by each instruction set and unit; what is not finite, or nearly so; widths around
 * vectors, blocks and pieces.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/isa.h"
#include "plan/image.h"
#include "support/child.h"
#include "support/integrals.h"

/* ---- Ways -------------------------------------------------------------------------------------------------------- */

/* What scans: an instruction set, and a unit that multiplies where it may, or NULL. */
typedef struct way {
  const mms_isa *isa;
  const mms_unit *unit;
  bool streams;
  int threads;
} way;

static void scan_to(const mmscan_integral_desc *d, const void *x, void *y, const way *w) {
  mms_integral image;
  assert_mmscan_ok(mms_image_from(&image, d, x, y));
  mms_integral_choose(&image, w->isa);
  if (w->unit && mms_integral_may_multiply(&image)) image.unit = w->unit;
  image.streams = w->streams && !image.unit && !image.storage->out;
  assert_mmscan_ok(mms_images_scan(&image, x, y, w->threads));
}

typedef void test_way(struct rng *rng, const way *w);

/* Each instruction set by itself, and each unit with the best one. */
static void in_each_way(unsigned seed, test_way *test) {
  struct rng rng = rng_of(seed);
  for (size_t i = 0; mms_isa_name(i); i++) {
    const way w = {.isa = mms_isa_at(i), .threads = 1};
    print_message("%s: %s\n", mms_isa_name(i), w.isa ? "runs" : "skipped, as this machine or build does not have it");
    if (w.isa) test(&rng, &w);
  }
  for (size_t i = 0; mms_unit_builtin(i); i++) {
    const way w = {.isa = mms_isa_best(), .unit = mms_unit_builtin(i), .threads = 1};
    const bool is_held = mms_unit_hold_sound(w.unit, MMSCAN_F64) == MMSCAN_OK;
    print_message("%s: %s\n", w.unit->name, is_held ? "runs" : "skipped, as its library is not here");
    if (!is_held) continue;
    test(&rng, &w);
    mms_unit_drop(w.unit);
  }
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static const mmscan_type pairs[][2] = {{MMSCAN_U8, MMSCAN_U32},  {MMSCAN_U16, MMSCAN_I32}, {MMSCAN_U32, MMSCAN_U32},
                                       {MMSCAN_I8, MMSCAN_I64},  {MMSCAN_I64, MMSCAN_I64}, {MMSCAN_F32, MMSCAN_F64},
                                       {MMSCAN_F64, MMSCAN_F64}, {MMSCAN_F32, MMSCAN_F32}, {MMSCAN_U8, MMSCAN_F64},
                                       {MMSCAN_F16, MMSCAN_F16}, {MMSCAN_U16, MMSCAN_U16}, {MMSCAN_BF16, MMSCAN_F32}};

static void check_by(struct rng *rng, const mmscan_integral_desc *d, const way *w) {
  scene s = scene_new(rng, d, (enum place)draw_below(rng, PLACES));
  scan_to(d, s.x_at, s.y_at, w);
  check_scene(&s);
  scene_free(&s);
}

/* Rows begin anywhere in a line, and end beside a page that cannot be touched. Each pair of types is streamed at every
 * other width, and is not at the others; in a quick run each has every other width, of which it is streamed at one and
 * not at the next. */
static void check_widths(struct rng *rng, const way *w) {
  static const size_t columns[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 256, 257, 511, 513};
  for (size_t p = 0; p < COUNT(pairs); p++)
    for (size_t i = quick() ? p % 2 : 0; i < COUNT(columns); i += quick() ? 2 : 1)
      for (int streams = 0; streams < 2; streams++) {
        if ((p + (quick() ? i / 2 : i)) % 2 != (size_t)streams) continue;
        mmscan_integral_desc d;
        way as = *w;
        memset(&d, 0, sizeof d);
        d.struct_size = sizeof d;
        d.x_type = pairs[p][0], d.y_type = pairs[p][1];
        d.rows = 1 + draw_below(rng, 36), d.columns = columns[i], d.channels = 1;
        d.batch = 1 + draw_below(rng, 2);
        d.border = (int)draw_below(rng, 2), d.squares = draw_below(rng, 4) == 0;
        d.x_ld = (ptrdiff_t)(d.columns + draw_below(rng, 2));
        d.y_ld = (ptrdiff_t)(d.columns + 1 + draw_below(rng, 3));
        if (draw_below(rng, 3) == 0) d.y_ld = -d.y_ld;
        d.x_dist = d.x_ld * (ptrdiff_t)d.rows;
        d.y_dist = (ptrdiff_t)(magnitude(d.y_ld) * (d.rows + 1));
        as.streams = streams, as.threads = 1 + (int)draw_below(rng, 3);
        check_by(rng, &d, &as);
      }
}

TEST(test_widths) { in_each_way(1, check_widths); }

/* Many pieces; bits do not depend on the number of threads, nor on whether results are streamed. */
static void check_strips(struct rng *rng, const way *w) {
  for (size_t p = 0; p < COUNT(pairs); p++) {
    const size_t rows = 33, columns = 1500 + draw_below(rng, 900);
    const mmscan_integral_desc d = {.struct_size = sizeof d,
                                    .x_type = pairs[p][0],
                                    .y_type = pairs[p][1],
                                    .rows = rows,
                                    .columns = columns,
                                    .channels = 1,
                                    .x_ld = (ptrdiff_t)columns,
                                    .y_ld = (ptrdiff_t)columns,
                                    .batch = 1};
    scene s = scene_new(rng, &d, ENDS_PAGE);
    unsigned char *alone = malloc(s.y.size);
    scan_to(&d, s.x_at, s.y_at, w);
    memcpy(alone, s.y.data, s.y.size);
    for (int threads = 1; threads <= 4; threads += quick() ? 3 : 1) {
      way as = *w;
      as.threads = threads, as.streams = threads % 2 == 1;
      memset(s.y.data, GUARD_BYTE, s.y.size);
      scan_to(&d, s.x_at, s.y_at, &as);
      assert_memory_equal(s.y.data, alone, s.y.size);
    }
    check_scene(&s);
    free(alone);
    scene_free(&s);
  }
}

TEST(test_strips) { in_each_way(2, check_strips); }

/* ---- Not finite, or nearly so ------------------------------------------------------------------------------------ */

enum { ROWS = 40, COLUMNS = 620, PIXELS = ROWS * COLUMNS };
static double x[PIXELS], y[PIXELS], want[PIXELS];

static const mmscan_integral_desc f64_image = {.struct_size = sizeof f64_image,
                                               .x_type = MMSCAN_F64,
                                               .y_type = MMSCAN_F64,
                                               .rows = ROWS,
                                               .columns = COLUMNS,
                                               .x_ld = COLUMNS,
                                               .y_ld = COLUMNS,
                                               .batch = 1};

/* The plain loop, in `want`: each row is scanned, and added to the row above. */
static void scan_plainly(bool squares) {
  for (size_t r = 0; r < ROWS; r++) {
    double row = 0;
    for (size_t c = 0; c < COLUMNS; c++) {
      const double e = x[r * COLUMNS + c];
      row += squares ? e * e : e;
      want[r * COLUMNS + c] = r > 0 ? want[(r - 1) * COLUMNS + c] + row : row;
    }
  }
}

static bool is_alike(double got, double expected, double size) {
  if (isnan(expected)) return isnan(got);
  if (isinf(expected)) return got == expected;
  return isfinite(got) && fabs(got - expected) <= 1e-12 * size;
}

static void check_alike(const way *w, double size) {
  for (size_t i = 0; i < PIXELS; i++)
    if (!is_alike(y[i], want[i], size))
      fail_seeded("%s %s: row %zu, column %zu: %g, not %g", w->isa->name, w->unit ? w->unit->name : "", i / COLUMNS,
                  i % COLUMNS, y[i], want[i]);
}

/* Whatever is not finite reaches no result above it or to its left, in any vector, block, piece or product. */
static void check_infinities(struct rng *rng, const way *w) {
  static const double odd[] = {INFINITY, -INFINITY, NAN};
  for (size_t turn = 0; turn < sized(60, 15); turn++) {
    mmscan_integral_desc d = f64_image;
    way as = *w;
    for (size_t i = 0; i < PIXELS; i++) x[i] = draw_unit(rng);
    for (size_t k = draw_below(rng, 4); k < 4; k++) x[draw_below(rng, PIXELS)] = odd[draw_below(rng, COUNT(odd))];
    d.squares = turn % 3 == 0; /* these are scanned in a buffer, piece by piece */
    scan_plainly(d.squares);
    as.streams = turn % 2, as.threads = 1 + (int)draw_below(rng, 3);
    memset(y, GUARD_BYTE, sizeof y);
    scan_to(&d, x, y, &as);
    check_alike(w, PIXELS);
  }
}

TEST(test_infinities) { in_each_way(3, check_infinities); }

/* No sum overflows that does not in the order of the rows, where large elements cancel before others come. */
static void check_largest(struct rng *rng, const way *w) {
  for (size_t turn = 0; turn < sized(40, 10); turn++) {
    way as = *w;
    for (size_t i = 0; i < PIXELS; i++) x[i] = draw_unit(rng);
    for (size_t k = 0; k < 12; k++) {
      double *at = x + draw_below(rng, ROWS) * COLUMNS + draw_below(rng, COLUMNS - 3);
      at[0] = at[3] = -0.6 * DBL_MAX, at[1] = at[2] = 0.6 * DBL_MAX;
    }
    scan_plainly(false);
    as.streams = turn % 2, as.threads = 1 + (int)draw_below(rng, 3);
    scan_to(&f64_image, x, y, &as);
    check_alike(w, DBL_MAX);
  }
}

TEST(test_largest) { in_each_way(4, check_largest); }

/* Carries of rows that overflow where they are added up before the row above, which they cancel. */
static void check_heavy_carries(struct rng *rng, const way *w) {
  (void)rng;
  memset(x, 0, sizeof x);
  x[0] = -DBL_MAX / 2;
  for (size_t r = 16; r < 19; r++) x[r * COLUMNS] = DBL_MAX / 2.5;
  scan_plainly(false);
  scan_to(&f64_image, x, y, w);
  check_alike(w, DBL_MAX);
  for (size_t i = 0; i < PIXELS; i++) assert_true(isfinite(y[i]));
}

TEST(test_heavy_carries) { in_each_way(5, check_heavy_carries); }

/* ---- The environment --------------------------------------------------------------------------------------------- */

/* Of the child: whether a product has made the zeros of an image, which have a sign otherwise; and other images. */
static int sum_by_gemm(void) {
  struct rng rng = rng_of(6);
  for (size_t i = 0; i < PIXELS; i++) x[i] = -0.0;
  assert_mmscan_ok(mmscan_integral(&f64_image, x, y));
  for (size_t i = 0; i < PIXELS; i++)
    if (y[i] != 0 || signbit(y[i])) return 2;
  for (size_t p = 0; p < COUNT(pairs); p++) {
    mmscan_integral_desc d = f64_image;
    d.x_type = pairs[p][0], d.y_type = pairs[p][1], d.channels = 1;
    scene s = scene_new(&rng, &d, ENDS_PAGE);
    assert_mmscan_ok(mmscan_integral(&d, s.x_at, s.y_at));
    check_scene(&s);
    scene_free(&s);
  }
  return 0;
}

TEST(test_environment) {
  for (size_t i = 0; mms_unit_builtin(i); i++) {
    const mms_unit *unit = mms_unit_builtin(i);
    if (mms_unit_hold_sound(unit, MMSCAN_F64) != MMSCAN_OK) continue;
    const struct setting settings[] = {{"MMSCAN_ENGINE", "gemm"}, {"MMSCAN_UNIT", unit->name}};
    assert_int_equal(run_self("gemm", settings, COUNT(settings)), 0);
    mms_unit_drop(unit);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "gemm") == 0) return sum_by_gemm();
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
