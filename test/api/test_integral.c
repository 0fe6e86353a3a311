/* test_integral.c: mmscan_integral() beside sums of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>

#include "kernel/isa.h"
#include "plan/image.h"
#include "support/integrals.h"

static void check(struct rng *rng, const mmscan_integral_desc *d, enum place place) {
  scene s = scene_new(rng, d, place);
  assert_mmscan_ok(mmscan_integral(d, s.x_at, s.y_at));
  check_scene(&s);
  scene_free(&s);
}

/* ---- Types and shapes -------------------------------------------------------------------------------------------- */

static bool is_pair(mmscan_type x, mmscan_type y) {
  mmscan_desc desc = MMSCAN_DESC(x, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  desc.y_type = y;
  return mmscan_desc_check(&desc, NULL, 0) == MMSCAN_OK;
}

/* Those that MMSCAN_PLUS scans, and no others. */
TEST(test_types) {
  struct rng rng = rng_of(1);
  size_t pairs = 0;
  for (size_t i = 0; i < COUNT(ref_types); i++)
    for (size_t k = 0; k < COUNT(ref_types); k++)
      for (int squares = 0; squares < 2; squares++) {
        const mmscan_type x = ref_types[i].type, y = ref_types[k].type;
        mmscan_integral_desc d = plain_image(x, y, 7, 37, 1);
        unsigned char untouched = 1;
        d.squares = squares;
        if (!is_pair(x, y)) {
          assert_status(MMSCAN_ENOTSUP, mmscan_integral(&d, &untouched, &untouched));
          assert_int_equal(untouched, 1);
          continue;
        }
        check(&rng, &d, ENDS_PAGE);
        d.channels = 3;
        d.x_ld *= 3, d.y_ld *= 3;
        add_border(&d);
        check(&rng, &d, BEGINS_PAGE);
        pairs++;
      }
  assert_int_equal(pairs, 2 * 55);
}

static ptrdiff_t draw_step(struct rng *rng, size_t least, bool may_turn) {
  const ptrdiff_t step = (ptrdiff_t)(least + draw_below(rng, 3));
  return may_turn && draw_below(rng, 2) ? -step : step;
}

static mmscan_integral_desc draw_desc(struct rng *rng) {
  mmscan_type x, y;
  do {
    x = ref_types[draw_below(rng, COUNT(ref_types))].type;
    y = ref_types[draw_below(rng, COUNT(ref_types))].type;
  } while (!is_pair(x, y));
  const size_t most = draw_below(rng, 8) == 0 ? 1500 : 40;
  mmscan_integral_desc d = plain_image(x, y, draw_below(rng, 40), draw_below(rng, most), 1 + draw_below(rng, 4));
  const size_t border = (size_t)(d.border = (int)draw_below(rng, 2));
  const size_t row = d.columns * d.channels, y_row = (d.columns + border) * d.channels;
  d.squares = (int)draw_below(rng, 2);
  d.batch = 1 + draw_below(rng, 3);
  d.x_ld = draw_below(rng, 9) ? draw_step(rng, row, true) : 0;
  d.y_ld = draw_step(rng, y_row, true);
  d.x_dist = draw_step(rng, row + d.rows * magnitude(d.x_ld), true);
  d.y_dist = draw_step(rng, y_row + (d.rows + border) * magnitude(d.y_ld), true);
  return d;
}

TEST(test_random) {
  struct rng rng = rng_of(2);
  for (size_t i = 0; i < sized(600, 120); i++) {
    const mmscan_integral_desc d = draw_desc(&rng);
    check(&rng, &d, (enum place)draw_below(&rng, PLACES));
  }
}

/* J2 (opencv#16708): rows without gaps, and the last one ends with a page. */
TEST(test_widths) {
  struct rng rng = rng_of(3);
  static const mmscan_type pairs[][2] = {{MMSCAN_U8, MMSCAN_U32},  {MMSCAN_U8, MMSCAN_F64},  {MMSCAN_F32, MMSCAN_F64},
                                         {MMSCAN_F32, MMSCAN_F32}, {MMSCAN_F64, MMSCAN_F64}, {MMSCAN_I32, MMSCAN_I32}};
  for (size_t p = 0; p < COUNT(pairs); p++)
    for (size_t width = 1; width <= 70; width++)
      for (size_t channels = 1; channels <= 4; channels++) {
        mmscan_integral_desc d = plain_image(pairs[p][0], pairs[p][1], 5, width, channels);
        check(&rng, &d, ENDS_PAGE);
        add_border(&d);
        check(&rng, &d, ENDS_PAGE);
      }
}

/* More channels than a line of columns, or a piece of a row, has room for. */
TEST(test_many_channels) {
  struct rng rng = rng_of(4);
  static const size_t channels[] = {5, 16, 17, 100, 700};
  for (size_t i = 0; i < COUNT(channels); i++) {
    mmscan_integral_desc d = plain_image(MMSCAN_U8, MMSCAN_U32, 5, 20, channels[i]);
    check(&rng, &d, GUARDED);
    d.x_type = MMSCAN_F32, d.y_type = MMSCAN_C32;
    d.squares = 1;
    check(&rng, &d, GUARDED);
  }
}

/* ---- In place, and nothing --------------------------------------------------------------------------------------- */

TEST(test_in_place) {
  struct rng rng = rng_of(5);
  for (size_t i = 0; i < COUNT(ref_types); i++)
    for (int squares = 0; squares < 2; squares++) {
      mmscan_integral_desc d = plain_image(ref_types[i].type, ref_types[i].type, 9, 700, 1 + i % 3);
      d.squares = squares;
      d.x_ld = d.y_ld = -d.y_ld - 3;
      scene s = scene_new(&rng, &d, ENDS_PAGE);
      memcpy(s.y.data, s.x.data, s.x.size);
      assert_mmscan_ok(mmscan_integral(&d, s.y_at, s.y_at));
      check_image(&s, 0);
      for (size_t r = 0; r + 1 < d.rows; r++) { /* the gaps hold what was in x */
        const size_t gap = (r * magnitude(d.y_ld) + d.columns * d.channels) * s.y_type->size;
        assert_memory_equal(s.y.data + gap, s.x.data + gap, 3 * s.y_type->size);
      }
      scene_free(&s);
    }
}

TEST(test_nothing) {
  struct rng rng = rng_of(6);
  for (size_t rows = 0; rows < 3; rows++)
    for (size_t columns = 0; columns < 3; columns++) {
      mmscan_integral_desc d = plain_image(MMSCAN_U8, MMSCAN_U64, rows, columns, 2);
      if (rows == 0 || columns == 0) assert_mmscan_ok(mmscan_integral(&d, NULL, NULL));
      check(&rng, &d, ENDS_PAGE);
      add_border(&d);
      check(&rng, &d, ENDS_PAGE);
      scene s = scene_new(&rng, &d, ENDS_PAGE);
      assert_status(rows && columns ? MMSCAN_EINVAL : MMSCAN_OK, mmscan_integral(&d, NULL, s.y_at));
      assert_status(MMSCAN_EINVAL, mmscan_integral(&d, s.x_at, NULL));
      d.batch = 0;
      assert_mmscan_ok(mmscan_integral(&d, NULL, NULL));
      scene_free(&s);
    }
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static mmscan_status status_of(const mmscan_integral_desc *d, ptrdiff_t x_at, ptrdiff_t y_at) {
  static uint32_t memory[4096], before[4096];
  const mmscan_status status = mmscan_integral(d, memory + 1000 + x_at, memory + 1000 + y_at);
  if (status) assert_memory_equal(memory, before, sizeof memory);
  memset(memory, 0, sizeof memory);
  return status;
}

TEST(test_arguments) {
  const mmscan_integral_desc good = plain_image(MMSCAN_U32, MMSCAN_U32, 4, 5, 1);
  const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 62};
  mmscan_integral_desc d = good;
  assert_status(MMSCAN_EINVAL, mmscan_integral(NULL, &d, &d));
  d.struct_size--;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  d = good, d.x_type = (mmscan_type)0;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  d = good, d.y_type = (mmscan_type)15;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  for (size_t i = 0; i < COUNT(huge); i++)
    for (int border = 0; border < 2; border++) {
      d = good, d.border = border, d.rows = huge[i];
      assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
      d = good, d.border = border, d.columns = huge[i];
      assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
      d = good, d.border = border, d.channels = huge[i];
      assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
      d = good, d.border = border, d.batch = huge[i], d.x_dist = d.y_dist = 100;
      assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
    }
  d = good;
  assert_status(MMSCAN_EINVAL, mmscan_integral(&d, NULL, &d));
  assert_status(MMSCAN_EINVAL, mmscan_integral(&d, &d, NULL));
}

TEST(test_overlap) {
  const mmscan_integral_desc good = plain_image(MMSCAN_U32, MMSCAN_U32, 4, 5, 1);
  mmscan_integral_desc d = good;
  assert_mmscan_ok(status_of(&d, 0, 0));
  for (ptrdiff_t at = -25; at <= 25; at++)
    assert_status(at && at > -20 && at < 20 ? MMSCAN_EOVERLAP : MMSCAN_OK, status_of(&d, 0, at));
  d.y_ld = 4;
  assert_status(MMSCAN_EOVERLAP, status_of(&d, 0, 100));
  d = good, d.y_ld = 6;
  assert_status(MMSCAN_EOVERLAP, status_of(&d, 0, 0));
  d = good, d.batch = 2, d.x_dist = 20, d.y_dist = 19;
  assert_status(MMSCAN_EOVERLAP, status_of(&d, 0, 100));
  d = good, add_border(&d);
  for (ptrdiff_t at = -35; at <= 25; at++)
    assert_status(at > -30 && at < 20 ? MMSCAN_EOVERLAP : MMSCAN_OK, status_of(&d, 0, at));
  d.y_ld = 5;
  assert_status(MMSCAN_EOVERLAP, status_of(&d, 0, 100));
  d = good, d.x_ld = d.y_ld = 20; /* x between the rows of y */
  assert_mmscan_ok(status_of(&d, 10, 0));
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* An Inf, and a NaN, stay where they are: below and to the right. */
TEST(test_infinities) {
  enum { ROWS = 40, COLUMNS = 700, R = 21, C = 333 };
  static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
  static const float odd[] = {INFINITY, -INFINITY, NAN, FLT_MAX};
  const mmscan_integral_desc d = plain_image(MMSCAN_F32, MMSCAN_F32, ROWS, COLUMNS, 1);
  for (size_t k = 0; k < COUNT(odd); k++) {
    for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
    x[R * COLUMNS + C] = odd[k];
    assert_mmscan_ok(mmscan_integral(&d, x, y));
    for (size_t r = 0; r < ROWS; r++)
      for (size_t c = 0; c < COLUMNS; c++) {
        const float want = r < R || c < C ? (float)((r + 1) * (c + 1)) : odd[k], got = y[r * COLUMNS + c];
        assert_true(isnan(want) ? isnan(got) : got == want);
      }
  }
}

/* A zero keeps its sign, and sums that overflow a float on the way come back. */
TEST(test_signs) {
  const mmscan_integral_desc d = plain_image(MMSCAN_F32, MMSCAN_F32, 2, 3, 1),
                             wide_d = plain_image(MMSCAN_F64, MMSCAN_F64, 2, 3, 1);
  const float x[6] = {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f, 1}, large[6] = {FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX, 0, 0};
  const double zeros[6] = {-0.0, -0.0, -0.0, -0.0, -0.0, -0.0};
  float y[6];
  double wide_y[6];
  assert_mmscan_ok(mmscan_integral(&d, x, y));
  for (int i = 0; i < 5; i++) assert_true(y[i] == 0 && signbit(y[i]));
  assert_mmscan_ok(mmscan_integral(&wide_d, zeros, wide_y));
  for (int i = 0; i < 6; i++) assert_true(wide_y[i] == 0 && signbit(wide_y[i]));
  assert_mmscan_ok(mmscan_integral(&d, large, y));
  assert_true(y[0] == FLT_MAX && isinf(y[1]) && y[2] == FLT_MAX && y[3] == 0 && y[4] == FLT_MAX && y[5] == 0);
}

/* J3 (scikit-image PR 5392): floats of an image are not lost in the sums. */
TEST(test_sums_of_floats) {
  enum { SIDE = 2048 };
  float *x = malloc(SIDE * SIDE * sizeof *x), *y = malloc(SIDE * SIDE * sizeof *y);
  const mmscan_integral_desc d = plain_image(MMSCAN_F32, MMSCAN_F32, SIDE, SIDE, 1);
  for (size_t i = 0; i < SIDE * SIDE; i++) x[i] = 0.1f;
  assert_mmscan_ok(mmscan_integral(&d, x, y));
  for (size_t r = 0; r < SIDE; r += 89)
    for (size_t c = 0; c < SIDE; c++) {
      const double want = (double)0.1f * (double)((r + 1) * (c + 1));
      assert_true(fabs(y[r * SIDE + c] - want) <= 0x1.001p-24 * want);
    }
  free(x);
  free(y);
}

/* J3 (scikit-image#4494): sums over windows, of unsigned elements. */
TEST(test_windows) {
  enum { ROWS = 30, COLUMNS = 50, LD = COLUMNS + 1 };
  static uint8_t x[ROWS * COLUMNS];
  static int32_t y[(ROWS + 1) * LD];
  struct rng rng = rng_of(7);
  mmscan_integral_desc d = plain_image(MMSCAN_U8, MMSCAN_I32, ROWS, COLUMNS, 1);
  add_border(&d);
  for (size_t i = 0; i < COUNT(x); i++) x[i] = (uint8_t)draw(&rng);
  assert_mmscan_ok(mmscan_integral(&d, x, y));
  for (size_t i = 0; i < 500; i++) {
    const size_t r1 = draw_below(&rng, ROWS), r2 = r1 + draw_below(&rng, ROWS - r1 + 1);
    const size_t c1 = draw_below(&rng, COLUMNS), c2 = c1 + draw_below(&rng, COLUMNS - c1 + 1);
    int32_t want = 0;
    for (size_t r = r1; r < r2; r++)
      for (size_t c = c1; c < c2; c++) want += x[r * COLUMNS + c];
    assert_int_equal(y[r2 * LD + c2] - y[r1 * LD + c2] - y[r2 * LD + c1] + y[r1 * LD + c1], want);
  }
}

/* J4 (scikit-image#3007): the variance of equal elements, from sums of them and of their squares, is 0 within the error
 * of these. */
TEST(test_variance) {
  enum { N = 16 };
  double x[N], y[N], squares[N];
  mmscan_integral_desc d = plain_image(MMSCAN_F64, MMSCAN_F64, 4, 4, 1);
  for (size_t i = 0; i < N; i++) x[i] = 0.030821922191780820;
  assert_mmscan_ok(mmscan_integral(&d, x, y));
  d.squares = 1;
  assert_mmscan_ok(mmscan_integral(&d, x, squares));
  const double mean = y[N - 1] / N, variance = squares[N - 1] / N - mean * mean;
  assert_true(fabs(variance) <= 12 * DBL_EPSILON * x[0] * x[0]);
}

/* J6 (scikit-image PR 951): three dimensions are images, and scans across them. */
TEST(test_three_dimensions) {
  enum { IMAGES = 3, ROWS = 4, COLUMNS = 5, IMAGE = ROWS * COLUMNS };
  int64_t x[IMAGES * IMAGE];
  mmscan_integral_desc d = plain_image(MMSCAN_I64, MMSCAN_I64, ROWS, COLUMNS, 1);
  mmscan_desc across = MMSCAN_DESC(MMSCAN_I64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, IMAGES);
  d.batch = IMAGES;
  d.x_dist = d.y_dist = across.x_stride = across.y_stride = IMAGE;
  across.batch = IMAGE;
  across.x_dist = across.y_dist = 1;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
  assert_mmscan_ok(mmscan_integral(&d, x, x));
  assert_mmscan_ok(mmscan_scan(&across, x, x));
  for (int64_t i = 0; i < IMAGES; i++)
    for (int64_t r = 0; r < ROWS; r++)
      for (int64_t c = 0; c < COLUMNS; c++)
        assert_int_equal(x[i * IMAGE + r * COLUMNS + c], (i + 1) * (r + 1) * (c + 1));
  assert_int_equal(x[COUNT(x) - 1], 60);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* By so many threads, and past the caches or not, whatever the library would choose. */
static void scan_by(const scene *s, int threads, bool streams) {
  mms_integral image;
  assert_mmscan_ok(mms_image_from(&image, &s->d, s->x_at, s->y_at));
  mms_integral_choose(&image, mms_isa_best());
  image.streams = streams;
  assert_mmscan_ok(mms_images_scan(&image, s->x_at, s->y_at, threads));
}

static void check_threads(struct rng *rng, const mmscan_integral_desc *d) {
  scene s = scene_new(rng, d, ENDS_PAGE);
  unsigned char *alone = malloc(s.y.size);
  scan_by(&s, 1, false);
  memcpy(alone, s.y.data, s.y.size);
  for (int threads = 1; threads <= 5; threads += quick() ? 3 : 1) {
    memset(s.y.data, GUARD_BYTE, s.y.size);
    scan_by(&s, threads, threads % 2);
    assert_memory_equal(s.y.data, alone, s.y.size);
  }
  check_scene(&s);
  free(alone);
  scene_free(&s);
}

TEST(test_threads) {
  struct rng rng = rng_of(8);
  static const mmscan_type pairs[][2] = {{MMSCAN_U8, MMSCAN_U32},   {MMSCAN_F32, MMSCAN_F64}, {MMSCAN_F32, MMSCAN_F32},
                                         {MMSCAN_F64, MMSCAN_F64},  {MMSCAN_F16, MMSCAN_F16}, {MMSCAN_C64, MMSCAN_C64},
                                         {MMSCAN_BF16, MMSCAN_F32}, {MMSCAN_U8, MMSCAN_U8}};
  for (size_t p = 0; p < COUNT(pairs); p++)
    for (size_t batch = 1; batch <= 3; batch += 2)
      for (size_t channels = 1; channels <= 2; channels++) {
        if (p > 0 && (p + batch / 2 + channels) % 2) continue;
        mmscan_integral_desc d = plain_image(pairs[p][0], pairs[p][1], 41, sized(2500, 1100), channels);
        d.batch = batch;
        add_border(&d);
        d.x_dist = d.x_ld * 41;
        d.y_dist = d.y_ld * 42;
        check_threads(&rng, &d);
      }
}

/* Too narrow for strips: integers are shared by bands of rows. */
TEST(test_tall) {
  struct rng rng = rng_of(10);
  static const mmscan_type pairs[][2] = {{MMSCAN_U8, MMSCAN_U32},  {MMSCAN_U8, MMSCAN_U8},   {MMSCAN_I16, MMSCAN_I64},
                                         {MMSCAN_I64, MMSCAN_I64}, {MMSCAN_U32, MMSCAN_U32}, {MMSCAN_F32, MMSCAN_F64}};
  static const size_t columns[] = {1, 3, 40, 300}, rows[] = {15, 16, 17, 31, 33, 100, 333};
  for (size_t p = 0; p < COUNT(pairs); p++)
    for (size_t i = 0; i < COUNT(columns); i++)
      for (size_t k = 0; k < COUNT(rows); k++) {
        mmscan_integral_desc d = plain_image(pairs[p][0], pairs[p][1], rows[k], columns[i], 1 + k % 2);
        d.squares = i == 2;
        d.batch = 1 + (i + k) % 2;
        if (k % 3) add_border(&d);
        d.x_dist = d.x_ld * (ptrdiff_t)d.rows + 1;
        d.y_dist = d.y_ld * (ptrdiff_t)(d.rows + 1);
        check_threads(&rng, &d);
      }
}

TEST(test_tall_in_place) {
  struct rng rng = rng_of(11);
  for (int threads = 1; threads <= 5; threads++) {
    mmscan_integral_desc d = plain_image(MMSCAN_I32, MMSCAN_I32, 200, 7, 2);
    d.x_ld = d.y_ld = -d.y_ld;
    scene s = scene_new(&rng, &d, ENDS_PAGE);
    memcpy(s.y.data, s.x.data, s.x.size);
    mms_integral image;
    assert_mmscan_ok(mms_image_from(&image, &d, s.y_at, s.y_at));
    mms_integral_choose(&image, mms_isa_best());
    image.streams = false;
    assert_mmscan_ok(mms_images_scan(&image, s.y_at, s.y_at, threads));
    check_scene(&s);
    scene_free(&s);
  }
}

/* An image that is larger than the caches. */
TEST(test_large) {
  enum { SIDE = 3000 };
  uint8_t *x = malloc(SIDE * SIDE);
  uint32_t *y = malloc(SIDE * SIDE * sizeof *y);
  const mmscan_integral_desc d = plain_image(MMSCAN_U8, MMSCAN_U32, SIDE, SIDE, 1);
  memset(x, 3, SIDE * SIDE);
  assert_mmscan_ok(mmscan_integral(&d, x, y));
  for (size_t r = 0; r < SIDE; r++)
    for (size_t c = 0; c < SIDE; c++)
      if (y[r * SIDE + c] != 3 * (r + 1) * (c + 1)) fail_seeded("row %zu, column %zu", r, c);
  free(x);
  free(y);
}

/* As many as the library chooses, with room for a team. */
TEST(test_public_threads) {
  struct rng rng = rng_of(9);
  const int before = omp_get_max_threads();
  mmscan_integral_desc d = plain_image(MMSCAN_F32, MMSCAN_F64, 150, 2000, 1);
  for (int threads = 1; threads <= 3; threads++) {
    omp_set_num_threads(threads);
    check(&rng, &d, GUARDED);
  }
  omp_set_num_threads(before);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The linker prescribes the names. */
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool has_no_memory;
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return has_no_memory ? NULL : __real_aligned_alloc(alignment, size);
}

/* Of a row that is longer than any before, for which no block is kept. */
TEST(test_no_memory) {
  enum { COLUMNS = 1 << 20 };
  float *x = calloc(2 * COLUMNS, sizeof *x), *y = calloc(2 * COLUMNS, sizeof *y);
  mmscan_integral_desc d = plain_image(MMSCAN_F32, MMSCAN_F32, 2, COLUMNS, 1);
  x[0] = y[0] = 1;
  has_no_memory = true;
  const mmscan_status status = mmscan_integral(&d, x, y);
  has_no_memory = false;
  assert_status(MMSCAN_ENOMEM, status);
  assert_true(y[0] == 1 && memcmp(y + 1, y + 2, (2 * COLUMNS - 2) * sizeof *y) == 0);
  assert_mmscan_ok(mmscan_integral(&d, x, y));
  assert_true(y[COLUMNS] == 1);
  free(x);
  free(y);
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
