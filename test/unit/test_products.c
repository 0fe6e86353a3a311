/* test_products.c: the products of each unit, built in or opened, in every form and type that it has; and which
 * products are refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/flaw.h"
#include "support/sanitized.h"
#include "support/unit_list.h"
#include "toys/toy.h"

/* ---- One product ------------------------------------------------------------------------------------------------- */

/* One product, with guards around its arrays, checked against sums in another order than any unit's: up each column. */
struct trial {
  mmscan_product_desc desc;
  size_t size, x_size, parts; /* bytes of an element; 2 parts of a complex one */
  bool in_place;
  struct buffer x, w;
};

static double part_of_x(size_t row, size_t column, size_t part) {
  return (double)((row * 5 + column * 3 + part * 7 + row * column % 3) % 19) - 9;
}

static size_t place(const mmscan_product_desc *d, size_t row, size_t column) {
  return d->row_stride ? row * d->row_stride + column : column * d->s + row;
}

static void put(const struct trial *t, void *array, size_t at, size_t part, double value) {
  const float f32 = (float)value;
  uint32_t bits;
  memcpy(&bits, &f32, sizeof bits);
  if (t->desc.form == MMSCAN_PRODUCT_BF16)
    ((uint16_t *)array)[at] = (uint16_t)(bits >> 16);
  else if (t->desc.type == MMSCAN_F32 || t->desc.type == MMSCAN_C32)
    ((float *)array)[at * t->parts + part] = f32;
  else
    ((double *)array)[at * t->parts + part] = value;
}

static double get(const struct trial *t, size_t at, size_t part) {
  bool single = t->desc.type == MMSCAN_F32 || t->desc.type == MMSCAN_C32;
  at = at * t->parts + part;
  return single ? (double)((const float *)(const void *)t->w.data)[at] : ((const double *)(const void *)t->w.data)[at];
}

/* Sums over a column of X: its first row, this row, all rows from this one on, and all rows. */
struct sums {
  double first, here, from, all;
};

/* Row `row` of A X. For L, the sum of all rows up to this one; transposed, of all rows from this one on. For B, this
 * row plus, in all rows but the first, the first one; transposed, the first row becomes the sum of all. */
static double wanted(const mmscan_product_desc *d, size_t row, const struct sums *x) {
  if (d->matrix == MMSCAN_MATRIX_L) return d->transposed ? x->from : x->all - x->from + x->here;
  if (d->transposed) return row == 0 ? x->all : x->here;
  return row == 0 ? x->here : x->first + x->here;
}

/* A row of W that is wrong in this column; s if none is. */
static size_t wrong_row(const struct trial *t, size_t column, size_t part) {
  struct sums x = {.first = part_of_x(0, column, part)};
  for (size_t row = 0; row < t->desc.s; row++) x.all += part_of_x(row, column, part);
  for (size_t row = t->desc.s; row-- > 0;) {
    x.here = part_of_x(row, column, part);
    x.from += x.here;
    if (get(t, place(&t->desc, row, column), part) != wanted(&t->desc, row, &x)) return row;
  }
  return t->desc.s;
}

static void check_result(const struct trial *t) {
  const mmscan_product_desc *d = &t->desc;
  for (size_t column = 0; column < d->columns; column++)
    for (size_t part = 0; part < t->parts; part++) {
      const size_t row = wrong_row(t, column, part);
      if (row < d->s)
        fail_msg("%s, type %d, form %d, s %zu, %zu columns, stride %zu, matrix %d, transposed %d: (%zu, %zu) is wrong",
                 d->unit, (int)d->type, (int)d->form, d->s, d->columns, d->row_stride, (int)d->matrix, d->transposed,
                 row, column);
    }
}

/* The gaps between the rows of W must stay untouched. */
static bool gaps_are_untouched(const struct trial *t) {
  const mmscan_product_desc *d = &t->desc;
  for (size_t row = 0; d->row_stride && row + 1 < d->s; row++)
    for (size_t i = (row * d->row_stride + d->columns) * t->size; i < (row + 1) * d->row_stride * t->size; i++)
      if (t->w.data[i] != 0xff) return false;
  return true;
}

static void fill(struct trial *t) {
  const mmscan_product_desc *d = &t->desc;
  memset(t->x.data, 0xff, t->x.size);
  memset(t->w.data, 0xff, t->w.size);
  for (size_t column = 0; column < d->columns; column++)
    for (size_t row = 0; row < d->s; row++)
      for (size_t part = 0; part < t->parts; part++)
        put(t, t->in_place ? t->w.data : t->x.data, place(d, row, column), part, part_of_x(row, column, part));
}

static mmscan_status multiply(const mmscan_product_desc *desc, bool in_place) {
  bool is_complex = desc->type == MMSCAN_C32 || desc->type == MMSCAN_C64;
  bool single = desc->type == MMSCAN_F32 || desc->type == MMSCAN_C32;
  struct trial t = {.desc = *desc, .parts = is_complex ? 2 : 1, .in_place = in_place};
  t.size = (single ? 4 : 8) * t.parts;
  t.x_size = desc->form == MMSCAN_PRODUCT_BF16 ? 2 : t.size;
  size_t extent = desc->row_stride ? (desc->s - 1) * desc->row_stride + desc->columns : desc->s * desc->columns;
  t.x = buffer_new(extent * t.x_size, 0);
  t.w = buffer_new(extent * t.size, 0);
  fill(&t);
  mmscan_status status = mmscan_product(&t.desc, in_place ? t.w.data : t.x.data, t.w.data);
  if (status == MMSCAN_OK) check_result(&t);
  assert_true(buffer_intact(&t.x) && buffer_intact(&t.w) && gaps_are_untouched(&t));
  buffer_free(&t.x);
  buffer_free(&t.w);
  return status;
}

/* ---- Every form and type ----------------------------------------------------------------------------------------- */

static const mmscan_product_form forms[] = {MMSCAN_PRODUCT_CHUNKED, MMSCAN_PRODUCT_GEMM,          MMSCAN_PRODUCT_TRMM,
                                            MMSCAN_PRODUCT_BATCH,   MMSCAN_PRODUCT_BATCH_STRIDED, MMSCAN_PRODUCT_BF16};
static const char *const form_names[] = {"chunked", "gemm", "trmm", "batch", "batch_strided", "bf16"};

static bool is_batch(mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_BATCH || form == MMSCAN_PRODUCT_BATCH_STRIDED;
}

static const mmscan_product_desc good_product = {.struct_size = sizeof good_product,
                                                 .unit = "model",
                                                 .type = MMSCAN_F32,
                                                 .form = MMSCAN_PRODUCT_CHUNKED,
                                                 .matrix = MMSCAN_MATRIX_L,
                                                 .s = 4,
                                                 .columns = 5};

/* Two shapes that differ only in s: 4 by 8 by rows, and 8 by 4 by columns. This test comes first, since the toy has few
 * kernels. */
TEST(test_shapes_alike) {
  float x[32], w[2][32], want[2][32];
  mmscan_product_desc rows = good_product, columns = good_product;
  rows.columns = rows.row_stride = columns.s = 8;
  rows.s = columns.columns = 4;
  rows.transposed = 1;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = (float)(i * 7 % 11);
  assert_mmscan_ok(mmscan_product(&rows, x, want[0]));
  assert_mmscan_ok(mmscan_product(&columns, x, want[1]));
  rows.unit = columns.unit = open_toy("xsmm_2");
  assert_mmscan_ok(mmscan_product(&rows, x, w[0]));
  assert_mmscan_ok(mmscan_product(&columns, x, w[1]));
  assert_memory_equal(w, want, sizeof w);
  assert_mmscan_ok(mmscan_unit_close(rows.unit));
}

/* Both matrices, transposed and not, in both layouts, and in place. Returns false if the unit does not have the
 * form. */
static bool multiply_variants(mmscan_product_desc d) {
  for (int variant = 0; variant < 16; variant++) {
    bool in_place = variant & 8;
    d.matrix = variant & 1 ? MMSCAN_MATRIX_B : MMSCAN_MATRIX_L;
    d.transposed = variant & 2;
    d.row_stride = variant & 4 ? d.columns + 5 : 0;
    if ((in_place && d.form != MMSCAN_PRODUCT_TRMM) || (d.row_stride && is_batch(d.form))) continue;
    mmscan_status status = multiply(&d, in_place);
    if (status == MMSCAN_ENOTSUP && variant == 0) return false;
    assert_mmscan_ok(status);
  }
  return true;
}

/* Above this much work OpenBLAS uses its threads, which takes long on a busy machine: each form does so only once. */
enum { UNTHREADED = 262144 };

static void multiply_threaded(const char *unit, mmscan_type type, mmscan_product_form form) {
  mmscan_product_desc d = product_desc(unit, form, 64, 200);
  d.type = type;
  assert_mmscan_ok(multiply(&d, false));
}

static void multiply_large(const char *unit, mmscan_type type, mmscan_product_form form) {
  static const size_t sizes[] = {128, MMSCAN_MAX_S};
  for (size_t i = 0; i < sized(COUNT(sizes), 1); i++) {
    mmscan_product_desc d = product_desc(unit, form, sizes[i], smaller(5, UNTHREADED / sizes[i] / sizes[i]));
    d.type = type;
    for (d.transposed = 0; d.transposed <= 1; d.transposed++) assert_mmscan_ok(multiply(&d, false));
  }
}

/* Products of one column, of a few, of s, of squares and a remainder, and of more than a chunk where that is not
 * slow. */
static bool multiply_shapes(const char *unit, mmscan_type type, mmscan_product_form form) {
  static const size_t sizes[] = {1, 2, 3, 8, 16, 61};
  mmscan_product_desc d = {.struct_size = sizeof d, .unit = unit, .type = type, .form = form};
  for (size_t i = 0; i < sized(COUNT(sizes), 5); i++) {
    d.s = sizes[i];
    const size_t columns[] = {1, 5, d.s, 3 * d.s + 1, sized(262144, 2048) / d.s / d.s + 3};
    for (size_t c = 0; c < COUNT(columns); c++) {
      d.columns = columns[c];
      if (form != MMSCAN_PRODUCT_CHUNKED) d.columns = smaller(d.columns, UNTHREADED / d.s / d.s);
      if (d.columns <= 40000 / d.s && !multiply_variants(d)) return false;
    }
  }
  multiply_threaded(unit, type, form);
  multiply_large(unit, type, form);
  return true;
}

/* Every form and type of a unit: what it has is right, and it has what its routines say. */
static void check_unit(const char *unit) {
  static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_C32, MMSCAN_C64};
  static const char letters[] = "sdcz";
  char had[400] = "";
  for (size_t f = 0; f < COUNT(forms); f++)
    for (size_t t = 0; t < COUNT(types); t++) {
      if (!multiply_shapes(unit, types[t], forms[f])) continue;
      size_t length = strlen(had);
      snprintf(had + length, sizeof had - length, " %c%s", letters[t], form_names[f]);
    }
  print_message("ran:     %s:%s\n", unit, had);
  assert_non_null(strstr(had, " schunked"));
  assert_non_null(strstr(had, " dchunked"));
}

TEST(test_products_of_builtin_units) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (part.status == MMSCAN_OK)
      check_unit(part.name);
    else
      print_message("skipped: %s: %s\n", part.name, mmscan_strerror(part.status));
}

TEST(test_products_of_toys) {
  static const char *const sound[] = {
      "full",    "full64",  "xsmm_1",       "xsmm_2",           "xsmm_few", /* what a quick run has time for */
      "sound",   "ilp64",   "scipy",        "scipy64",          "suffix64",
      "threads", "xsmm_v2", "xsmm_1_ilp64", "openblas_haswell", "via_fortran"};
  const size_t count = sized(COUNT(sound) - is_instrumented(), 5); /* there, the last one would call a linked BLAS */
  for (size_t i = 0; i < count; i++) {
    const char *unit = open_toy(sound[i]);
    check_unit(unit);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

TEST(test_products_of_units_here) { check_units_here(check_unit); }

/* ---- bfloat16 ---------------------------------------------------------------------------------------------------- */

/* bfloat16 data of many sizes: sums of numbers with eight significant bits, over 14 binary places, are exact in a
 * float. */
static void check_bf16(const char *unit) {
  enum { S = 4, COLUMNS = 500 };
  uint16_t x[S * COLUMNS];
  float w[S * COLUMNS];
  struct rng rng = rng_of(11);
  const mmscan_product_desc d = product_desc("cblas", MMSCAN_PRODUCT_BF16, S, COLUMNS);
  for (size_t i = 0; i < COUNT(x); i++)
    x[i] = (uint16_t)(draw_below(&rng, 2) << 15 | (120 + draw_below(&rng, 14)) << 7 | draw_below(&rng, 128));
  mmscan_status status = mmscan_product(&d, x, w);
  if (status == MMSCAN_ENOTSUP) return;
  assert_mmscan_ok(status);
  double sum = 0;
  for (size_t i = 0; i < COUNT(x); i++) {
    uint32_t bits = (uint32_t)x[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    sum = i % S == 0 ? value : sum + value;
    assert_true(w[i] == sum);
  }
  print_message("ran:     %s: bfloat16\n", unit);
}

TEST(test_bf16_is_exact) {
  const char *unit = open_toy("full");
  check_bf16(unit);
  assert_mmscan_ok(mmscan_unit_close(unit));
  check_units_here(check_bf16);
}

/* ---- Many shapes ------------------------------------------------------------------------------------------------- */

/* More shapes than the kernels that are kept of a LIBXSMM, and than this one has. */
TEST(test_many_shapes) {
  enum { COLUMNS = 3, SHAPES = 700 };
  static float x[COLUMNS + SHAPES + COLUMNS], w[COUNT(x)];
  mmscan_product_desc d = good_product;
  d.unit = open_toy("xsmm_few");
  d.s = 2;
  d.columns = COLUMNS;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = (float)i;
  for (d.row_stride = COLUMNS; d.row_stride < COLUMNS + SHAPES; d.row_stride++) {
    assert_mmscan_ok(mmscan_product(&d, x, w));
    for (size_t j = 0; j < COLUMNS; j++) assert_true(w[d.row_stride + j] == x[j] + x[d.row_stride + j]);
  }
  assert_mmscan_ok(mmscan_unit_close(d.unit));
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

/* Long products are cut into chunks of so little work that no OpenBLAS starts threads for one. */
TEST(test_chunks) {
  enum { S = 16, COLUMNS = 5000, MOST_WORK = 262144 };
  static float x[S * COLUMNS], w[S * COLUMNS];
  const char *unit = open_toy("sound");
  long (*most_work)(void);
  *(void **)&most_work = in_toy(unit, "toy_most_work");
  mmscan_product_desc d = product_desc(unit, MMSCAN_PRODUCT_CHUNKED, S, COLUMNS);
  for (d.form = MMSCAN_PRODUCT_CHUNKED; d.form <= MMSCAN_PRODUCT_GEMM; d.form++) {
    most_work();
    assert_mmscan_ok(mmscan_product(&d, x, w));
    assert_int_equal(most_work(), d.form == MMSCAN_PRODUCT_GEMM ? (long)S * S * COLUMNS : MOST_WORK);
  }
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

TEST(test_product_arrays) {
  float x[40] = {0}, w[40];
  const mmscan_product_desc *good = &good_product;
  assert_mmscan_ok(mmscan_product(good, x, w));
  assert_int_equal(mmscan_product(NULL, x, w), MMSCAN_EINVAL);
  assert_int_equal(mmscan_product(good, NULL, w), MMSCAN_EINVAL);
  assert_int_equal(mmscan_product(good, x, NULL), MMSCAN_EINVAL);
  assert_int_equal(mmscan_product(good, x, x), MMSCAN_EOVERLAP);
  assert_int_equal(mmscan_product(good, x, x + 19), MMSCAN_EOVERLAP);
  assert_mmscan_ok(mmscan_product(good, x, x + 20));
  assert_int_equal(mmscan_product(good, x + 19, x), MMSCAN_EOVERLAP);
  mmscan_product_desc none = good_product;
  none.columns = 0;
  assert_mmscan_ok(mmscan_product(&none, NULL, NULL));
}

/* Rows may be contiguous, or far apart; and X in bfloat16 has half the bytes of W. */
TEST(test_product_limits) {
  float x[40] = {1}, w[40];
  mmscan_product_desc close = good_product, half = good_product;
  close.row_stride = close.columns;
  assert_mmscan_ok(mmscan_product(&close, x, w));
  close.s = 1;
  close.row_stride = INT32_MAX;
  assert_mmscan_ok(mmscan_product(&close, x, w));
  half.form = MMSCAN_PRODUCT_BF16;
  half.unit = open_toy("full");
  char *at = (char *)w;
  assert_int_equal(mmscan_product(&half, at + 78, at), MMSCAN_EOVERLAP);
  assert_mmscan_ok(mmscan_product(&half, at + 80, at));
  assert_int_equal(mmscan_product(&half, at, at + 36), MMSCAN_EOVERLAP);
  assert_mmscan_ok(mmscan_product(&half, at, at + 40));
  assert_mmscan_ok(mmscan_unit_close(half.unit));
}

/* Rows of W may lie between those of X, as they may in arrays given to a BLAS. */
TEST(test_rows_between_rows) {
  enum { S = 4, COLUMNS = 5, APART = 2 * COLUMNS };
  static const mmscan_product_form ways[] = {MMSCAN_PRODUCT_CHUNKED, MMSCAN_PRODUCT_GEMM, MMSCAN_PRODUCT_TRMM};
  mmscan_product_desc d = good_product;
  d.unit = "cblas";
  d.s = S;
  d.columns = COLUMNS;
  d.row_stride = APART;
  d.matrix = MMSCAN_MATRIX_L;
  for (size_t f = 0; f < COUNT(ways); f++) {
    float both[S * APART];
    d.form = ways[f];
    for (int i = 0; i < S * APART; i++) both[i] = (float)i;
    assert_int_equal(mmscan_product(&d, both, both + COLUMNS - 1), MMSCAN_EOVERLAP);
    assert_int_equal(mmscan_product(&d, both + COLUMNS - 1, both), MMSCAN_EOVERLAP);
    assert_mmscan_ok(mmscan_product(&d, both, both + COLUMNS));
    for (int c = 0, sum; c < COLUMNS; c++) {
      sum = 0;
      for (int r = 0; r < S; r++) {
        const int at = r * APART + c;
        assert_true(both[at] == (float)at);
        assert_true(both[at + COLUMNS] == (float)(sum += at));
      }
    }
  }
}

#define D(field, value) SET(mmscan_product_desc, field, value)

TEST(test_flaws) {
  const struct flaw flaws[] = {
      {MMSCAN_EINVAL, {D(struct_size, 8)}},
      {MMSCAN_EINVAL, {D(s, 0)}},
      {MMSCAN_EINVAL, {D(s, MMSCAN_MAX_S + 1)}},
      {MMSCAN_EINVAL, {D(columns, SIZE_MAX / 8)}},
      {MMSCAN_EINVAL, {D(row_stride, 4)}},
      {MMSCAN_EINVAL, {D(row_stride, (size_t)1 << 31)}},
      {MMSCAN_EINVAL, {D(unit, (uintptr_t) "nobody")}},
      {MMSCAN_ENOTSUP, {D(type, MMSCAN_I32)}},
      {MMSCAN_ENOTSUP, {D(type, MMSCAN_C32)}},
      {MMSCAN_EINVAL, {D(type, 0)}},
      {MMSCAN_EINVAL, {D(form, 7)}},
      {MMSCAN_ENOTSUP, {D(form, MMSCAN_PRODUCT_TRMM)}},
      {MMSCAN_EINVAL, {D(form, MMSCAN_PRODUCT_BATCH), D(row_stride, 5)}},
      {MMSCAN_EINVAL, {D(matrix, 3)}},
  };
  float x[40] = {0}, w[40];
  for (size_t i = 0; i < COUNT(flaws); i++) {
    mmscan_product_desc d = good_product;
    spoil(&d, &flaws[i]);
    check_flaw(&flaws[i], mmscan_product(&d, x, w), "product");
  }
}

/* ---- The paper's batched form ------------------------------------------------------------------------------------ */

enum { MATMUL_N = 3000 };

static mmscan_counts matmul_counts(const char *unit, mmscan_type type, const void *x, void *y) {
  mmscan_counts counts = {.struct_size = sizeof counts};
  mmscan_matmul_desc d = matmul_desc(type, MATMUL_N, 5, unit, 0);
  d.form = MMSCAN_BATCHED;
  d.broadcast = MMSCAN_BROADCAST_MATRIX;
  assert_mmscan_ok(mmscan_matmulscan(&d, x, y, &counts));
  return counts;
}

/* With the unit's batched call, if it has one: results are right, and counted like those of a loop. */
static void check_batched_form(const char *unit) {
  float x[MATMUL_N], y[MATMUL_N];
  double sum = 0;
  for (size_t i = 0; i < MATMUL_N; i++) x[i] = (float)(i * 31 % 17) - 8;
  mmscan_counts loop = matmul_counts("model", MMSCAN_F32, x, y), got = matmul_counts(unit, MMSCAN_F32, x, y);
  for (size_t i = 0; i < MATMUL_N; i++) assert_true(y[i] == (sum += x[i]));
  assert_memory_equal(&got, &loop, sizeof got);
}

TEST(test_batched_form) {
  const char *unit = open_toy("scipy");
  assert_mmscan_ok(mmscan_routine_try(unit, "sgemm_batch"));
  check_batched_form(unit);
  assert_mmscan_ok(mmscan_unit_close(unit));
  check_units_here(check_batched_form);
}

int main(int argc, char **argv) { return run_or_be(NULL, 0, argc, argv, NULL, NULL); }
