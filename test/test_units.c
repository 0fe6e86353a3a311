/* test_units.c: libraries opened at run time: which are refused and why, what each multiplies to, how long they stay,
 * what threads they start, and that they leave nothing behind.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "child.h"
#include "unit_list.h"
#include "wisdom_text.h"

/* ---- Toys -------------------------------------------------------------------------------------------------------- */

/* The path of a toy library, beside this program; good until the fourth call after this. */
static const char *toy(const char *name) {
  static char paths[4][4096 + 64];
  static unsigned turn;
  char here[4096];
  ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  if (length <= 0) fail_msg("where is this program?");
  here[length] = '\0';
  *strrchr(here, '/') = '\0';
  char *path = paths[turn++ % COUNT(paths)];
  snprintf(path, sizeof *paths, "%s/toy_%s.so", here, name);
  return path;
}

static const char *open_toy(const char *name) {
  const char *unit;
  char why[300];
  mmscan_status status = mmscan_unit_open(toy(name), &unit, why, sizeof why);
  if (status != MMSCAN_OK) fail_msg("%s: %s", name, why);
  assert_string_equal(why, "");
  return unit;
}

static bool is_loaded(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != NULL) dlclose(handle);
  return handle != NULL;
}

static bool is_unit(const char *name) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (strcmp(part.name, name) == 0) return true;
  return false;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static void refuse(const char *library, mmscan_status want, const char *reason) {
  char why[300] = "x";
  const char *name = "untouched";
  assert_int_equal(mmscan_unit_open(library, &name, why, sizeof why), want);
  if (strstr(why, reason) == NULL) fail_msg("%s: no '%s' in: %s", text_or(library, "NULL"), reason, why);
  assert_string_equal(name, "untouched");
  assert_null(strchr(why, '\n'));
  if (library != NULL && strchr(library, '/')) {
    assert_false(is_loaded(library));
    assert_false(is_unit(library));
  }
}

static void test_what_is_refused(void **state) {
  (void)state;
  static const char *const unsound[] = {"drops", "reads", "writes", "columns_only"};
  refuse(NULL, MMSCAN_EINVAL, "no library");
  refuse("", MMSCAN_EINVAL, "no library");
  refuse("cblas", MMSCAN_EINVAL, "name of a unit");
  refuse("xsmm", MMSCAN_EINVAL, "name of a unit");
  refuse("/no/such/library.so", MMSCAN_EBLAS, "No such file");
  refuse(toy("no_gemm"), MMSCAN_EBLAS, "no BLAS");
  refuse(toy("no_dgemm"), MMSCAN_EBLAS, "no BLAS");
  for (size_t i = 0; i < COUNT(unsound); i++) refuse(toy(unsound[i]), MMSCAN_EBLAS, "wrong products");
  assert_int_equal(mmscan_unit_open("libm.so.6", NULL, NULL, 0), MMSCAN_EBLAS);
  char one[1] = "x", few[4] = "xxx";
  assert_int_equal(mmscan_unit_open("libm.so.6", NULL, one, sizeof one), MMSCAN_EBLAS);
  assert_string_equal(one, "");
  assert_int_equal(mmscan_unit_open("libm.so.6", NULL, few, sizeof few), MMSCAN_EBLAS);
  assert_string_equal(few, "no ");
}

static void test_opening_counts(void **state) {
  (void)state;
  const char *path = toy("sound"), *name = open_toy("sound");
  assert_string_equal(name, path);
  assert_ptr_equal(open_toy("sound"), name);
  assert_true(is_unit(name));
  assert_mmscan_ok(mmscan_unit_close(path));
  assert_true(is_unit(name) && is_loaded(path));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_false(is_unit(name) || is_loaded(path));
  assert_int_equal(mmscan_unit_close(name), MMSCAN_EINVAL);
  assert_int_equal(mmscan_unit_close("cblas"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_unit_close("nobody"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_unit_close(NULL), MMSCAN_EINVAL);
  assert_ptr_equal(open_toy("sound"), name);
  assert_mmscan_ok(mmscan_unit_close(name));
}

static mmscan_plan *plan_by(const char *unit, mmscan_type type, size_t n, int threads) {
  mmscan_desc desc = plain_desc(type, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .unit = unit, .threads = threads};
  return plan_new(&desc, &asked, &used);
}

/* A plan outlives the close; nobody else can have the unit then. */
static void test_a_plan_keeps_its_library(void **state) {
  (void)state;
  enum { N = 5000 };
  float x[N], y[N];
  const char *path = toy("sound"), *name = open_toy("sound");
  mmscan_plan *plan = plan_by(name, MMSCAN_F32, N, 1), *other = NULL;
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  mmscan_choice asked = {.struct_size = sizeof asked, .unit = name};
  for (size_t i = 0; i < N; i++) x[i] = (float)(i % 7);
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_int_equal(mmscan_unit_close(name), MMSCAN_EINVAL);
  assert_true(is_loaded(path));
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  double sum = 0;
  for (size_t i = 0; i < N; i++) assert_true(y[i] == (sum += x[i]));
  mmscan_plan_destroy(plan);
  assert_false(is_loaded(path));
  assert_int_equal(mmscan_plan_create_with(&other, &desc, MMSCAN_ESTIMATE, &asked), MMSCAN_EINVAL);
}

/* A library's calls of its own functions are not caught by the BLAS that this program is linked with. */
static void test_a_library_calls_its_own(void **state) {
  (void)state;
#ifdef MMS_SANITIZED
  skip();
#endif
  int (*calls)(void);
  const char *name = open_toy("via_fortran");
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  *(void **)&calls = dlsym(handle, "toy_calls");
  assert_true(calls() > 0);
  dlclose(handle);
  assert_mmscan_ok(mmscan_unit_close(name));
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* One product, its arrays between guards, checked against sums in another order than any unit's: down each column. */
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

static bool entry_of_a(const mmscan_product_desc *d, size_t row, size_t column) {
  if (d->transposed) {
    size_t swap = row;
    row = column;
    column = swap;
  }
  return d->matrix == MMSCAN_MATRIX_L ? row >= column : column == 0 || row == column;
}

static bool is_right(const struct trial *t, size_t row, size_t column, size_t part) {
  double want = 0;
  for (size_t k = t->desc.s; k-- > 0;)
    if (entry_of_a(&t->desc, row, k)) want += part_of_x(k, column, part);
  return get(t, place(&t->desc, row, column), part) == want;
}

static void check_result(const struct trial *t) {
  const mmscan_product_desc *d = &t->desc;
  for (size_t column = 0; column < d->columns; column++)
    for (size_t row = 0; row < d->s; row++)
      for (size_t part = 0; part < t->parts; part++)
        if (!is_right(t, row, column, part))
          fail_msg(
              "%s, type %d, form %d, s %zu, %zu columns, stride %zu, matrix %d, transposed %d: (%zu, %zu) is wrong",
              d->unit, (int)d->type, (int)d->form, d->s, d->columns, d->row_stride, (int)d->matrix, d->transposed, row,
              column);
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
  assert_true(buffer_intact(&t.x) && buffer_intact(&t.w));
  buffer_free(&t.x);
  buffer_free(&t.w);
  return status;
}

static const mmscan_product_form forms[] = {MMSCAN_PRODUCT_CHUNKED, MMSCAN_PRODUCT_GEMM,          MMSCAN_PRODUCT_TRMM,
                                            MMSCAN_PRODUCT_BATCH,   MMSCAN_PRODUCT_BATCH_STRIDED, MMSCAN_PRODUCT_BF16};
static const char *const form_names[] = {"chunked", "gemm", "trmm", "batch", "batch_strided", "bf16"};

static bool is_batch(mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_BATCH || form == MMSCAN_PRODUCT_BATCH_STRIDED;
}

/* Both matrices, transposed and not, in both layouts, and in place. False: the unit does not have the form. */
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

/* Above this much work OpenBLAS uses its threads, which takes long on a busy machine: each form does so once. */
enum { UNTHREADED = 262144 };

static void multiply_threaded(const char *unit, mmscan_type type, mmscan_product_form form) {
  mmscan_product_desc d = {.struct_size = sizeof d, .unit = unit, .type = type, .form = form, .s = 64};
  d.columns = 200;
  d.matrix = MMSCAN_MATRIX_L;
  assert_mmscan_ok(multiply(&d, false));
}

/* Shapes with one column, a few, s, squares and what is left of them, and more than a chunk. */
static bool multiply_shapes(const char *unit, mmscan_type type, mmscan_product_form form) {
  static const size_t sizes[] = {1, 2, 3, 7, 8, 16, 64, 100};
  mmscan_product_desc d = {.struct_size = sizeof d, .unit = unit, .type = type, .form = form};
  for (size_t i = 0; i < sized(COUNT(sizes), 5); i++) {
    d.s = sizes[i];
    const size_t columns[] = {1, 5, d.s, 3 * d.s + 1, sized(262144, 2048) / d.s / d.s + 3};
    for (size_t c = 0; c < COUNT(columns); c++) {
      d.columns = columns[c];
      if (form != MMSCAN_PRODUCT_CHUNKED) d.columns = smaller(d.columns, UNTHREADED / d.s / d.s);
      d.columns = smaller(d.columns, 40000 / d.s);
      if (!multiply_variants(d)) return false;
    }
  }
  multiply_threaded(unit, type, form);
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

static void test_products_of_builtin_units(void **state) {
  (void)state;
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (part.status == MMSCAN_OK)
      check_unit(part.name);
    else
      print_message("skipped: %s: %s\n", part.name, mmscan_strerror(part.status));
}

static void test_products_of_toys(void **state) {
  (void)state;
  static const char *const sound[] = {"sound", "ilp64", "scipy", "scipy64", "suffix64", "threads", "via_fortran"};
  size_t count = COUNT(sound);
#ifdef MMS_SANITIZED
  count--; /* it would call the linked BLAS, which has another sgemm_ */
#endif
  for (size_t i = 0; i < count; i++) {
    const char *unit = open_toy(sound[i]);
    check_unit(unit);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

static void test_products_of_units_here(void **state) {
  (void)state;
  for (size_t i = 0; i < units_here()->count; i++) {
    const char *unit;
    assert_mmscan_ok(mmscan_unit_open(units_here()->path[i], &unit, NULL, 0));
    check_unit(unit);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

/* bfloat16 data of many sizes: sums of eight significant bits each, over 14 binary places, are exact in a float. */
static void check_bf16(const char *unit) {
  enum { S = 4, COLUMNS = 500 };
  uint16_t x[S * COLUMNS];
  float w[S * COLUMNS];
  struct rng rng = rng_of(11);
  mmscan_product_desc d = {.struct_size = sizeof d, .unit = unit, .type = MMSCAN_F32, .form = MMSCAN_PRODUCT_BF16};
  d.matrix = MMSCAN_MATRIX_L;
  d.s = S;
  d.columns = COLUMNS;
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

static void test_bf16_is_exact(void **state) {
  (void)state;
  for (size_t i = 0; i < units_here()->count; i++) {
    const char *unit;
    assert_mmscan_ok(mmscan_unit_open(units_here()->path[i], &unit, NULL, 0));
    check_bf16(unit);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

static const mmscan_product_desc good_product = {.struct_size = sizeof good_product,
                                                 .unit = "model",
                                                 .type = MMSCAN_F32,
                                                 .form = MMSCAN_PRODUCT_CHUNKED,
                                                 .matrix = MMSCAN_MATRIX_L,
                                                 .s = 4,
                                                 .columns = 5};

static void test_product_arrays(void **state) {
  (void)state;
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

static void refuse_product(mmscan_product_desc d, mmscan_status want) {
  float x[40] = {0}, w[40];
  assert_int_equal(mmscan_product(&d, x, w), want);
}

static void test_product_sizes(void **state) {
  (void)state;
  static const struct {
    size_t offset, value;
  } bad[] = {{offsetof(mmscan_product_desc, struct_size), 8},
             {offsetof(mmscan_product_desc, s), 0},
             {offsetof(mmscan_product_desc, s), MMSCAN_MAX_S + 1},
             {offsetof(mmscan_product_desc, columns), SIZE_MAX / 8},
             {offsetof(mmscan_product_desc, row_stride), 4},
             {offsetof(mmscan_product_desc, row_stride), (size_t)1 << 31}};
  for (size_t i = 0; i < COUNT(bad); i++) {
    mmscan_product_desc d = good_product;
    memcpy((char *)&d + bad[i].offset, &bad[i].value, sizeof bad[i].value);
    refuse_product(d, MMSCAN_EINVAL);
  }
}

static void test_product_values(void **state) {
  (void)state;
  mmscan_product_desc unit = good_product, type = good_product, form = good_product, matrix = good_product;
  unit.unit = "nobody";
  refuse_product(unit, MMSCAN_EINVAL);
  type.type = MMSCAN_I32;
  refuse_product(type, MMSCAN_ENOTSUP);
  type.type = MMSCAN_C32;
  refuse_product(type, MMSCAN_ENOTSUP);
  type.type = (mmscan_type)0;
  refuse_product(type, MMSCAN_EINVAL);
  form.form = (mmscan_product_form)7;
  refuse_product(form, MMSCAN_EINVAL);
  form.form = MMSCAN_PRODUCT_TRMM;
  refuse_product(form, MMSCAN_ENOTSUP);
  form.form = MMSCAN_PRODUCT_BATCH;
  form.row_stride = 5;
  refuse_product(form, MMSCAN_EINVAL);
  matrix.matrix = (mmscan_matrix)3;
  refuse_product(matrix, MMSCAN_EINVAL);
}

/* ---- Routines ---------------------------------------------------------------------------------------------------- */

static mmscan_routine_state state_of(const char *unit, const char *name) {
  mmscan_routine r = {.struct_size = sizeof r};
  for (size_t i = 0; mmscan_get_routine(unit, i, &r) == MMSCAN_OK; i++)
    if (strcmp(r.name, name) == 0) return r.state;
  fail_msg("%s: no routine %s", unit, name);
  return MMSCAN_ROUTINE_ABSENT;
}

static mmscan_status product_status(const char *unit, mmscan_product_form form) {
  return multiply(&(mmscan_product_desc){.struct_size = sizeof(mmscan_product_desc),
                                         .unit = unit,
                                         .type = MMSCAN_F32,
                                         .form = form,
                                         .matrix = MMSCAN_MATRIX_L,
                                         .s = 4,
                                         .columns = 11},
                  false);
}

static void test_routines_that_fail(void **state) {
  (void)state;
  const char *unit = open_toy("bad_trmm");
  assert_int_equal(state_of(unit, "sgemm"), MMSCAN_ROUTINE_USED);
  assert_int_equal(state_of(unit, "strmm"), MMSCAN_ROUTINE_FAILED);
  assert_int_equal(product_status(unit, MMSCAN_PRODUCT_TRMM), MMSCAN_ENOTSUP);
  assert_int_equal(mmscan_routine_try(unit, "strmm"), MMSCAN_EBLAS);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_GEMM));
  assert_mmscan_ok(mmscan_unit_close(unit));
  unit = open_toy("bad_batch");
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_int_equal(mmscan_routine_try(unit, "sgemm_batch"), MMSCAN_EBLAS);
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_FAILED);
  assert_int_equal(product_status(unit, MMSCAN_PRODUCT_BATCH), MMSCAN_ENOTSUP);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

static void test_routines_that_are_off(void **state) {
  (void)state;
  const char *unit = open_toy("sound");
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_int_equal(product_status(unit, MMSCAN_PRODUCT_BATCH), MMSCAN_ENOTSUP);
  assert_int_equal(state_of(unit, "sgemm_batch_strided"), MMSCAN_ROUTINE_ABSENT);
  assert_int_equal(mmscan_routine_try(unit, "sgemm_batch_strided"), MMSCAN_ENOTSUP);
  assert_int_equal(mmscan_routine_try(unit, "sgesv"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_routine_try("model", "sgemm"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_routine_try("nobody", "sgemm"), MMSCAN_EINVAL);
  assert_mmscan_ok(mmscan_routine_try(unit, "sgemm_batch"));
  assert_mmscan_ok(mmscan_routine_try(unit, "sgemm_batch"));
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_BATCH));
  assert_mmscan_ok(mmscan_unit_close(unit));
  open_toy("sound"); /* what passed once is tested again, and used */
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_int_equal(state_of(unit, "dgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

static void test_get_routine_refuses(void **state) {
  (void)state;
  mmscan_routine r = {.struct_size = sizeof r}, wrong = {.struct_size = 1};
  assert_int_equal(mmscan_get_routine("nobody", 0, &r), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine(NULL, 0, &r), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("cblas", 0, NULL), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("cblas", 0, &wrong), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("cblas", 1000, &r), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("model", 0, &r), MMSCAN_EINVAL);
  assert_mmscan_ok(mmscan_get_routine("cblas", 0, &r));
  assert_string_equal(r.name, "sgemm");
  assert_int_equal(r.state, MMSCAN_ROUTINE_USED);
}

/* In a process of its own. */
static int child_try(void) {
  const char *unit;
  if (mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0) != MMSCAN_OK) return 10;
  mmscan_status status = mmscan_routine_try(unit, "sgemm_batch");
  if (status != MMSCAN_OK) return 20 + (int)status;
  const char *file = getenv("MMSCAN_TEST_TO");
  return file != NULL && mmscan_wisdom_write(file) != MMSCAN_OK ? 11 : 0;
}

static int child_state(void) {
  const char *unit;
  if (mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0) != MMSCAN_OK) return 10;
  if (mmscan_environment_error() != NULL) return 11;
  return 30 + (int)state_of(unit, "sgemm_batch");
}

static void test_a_crash_is_in_a_process_of_its_own(void **state) {
  (void)state;
  const struct setting crash = {"MMSCAN_TEST_LIBRARY", toy("crashes")};
  assert_int_equal(ask_self("state", &crash, 1).exit, 30 + MMSCAN_ROUTINE_OFF);
  assert_true(ask_self("try", &crash, 1).exit > 128);
}

/* What one process saw pass, others use: of that library alone, whether it was open before or not. */
static void test_wisdom_of_routines(void **state) {
  (void)state;
  const char *file = in_scratch("routines");
  const struct setting tried[] = {{"MMSCAN_TEST_LIBRARY", toy("ilp64")}, {"MMSCAN_TEST_TO", file}};
  assert_int_equal(ask_self("try", tried, 2).exit, 0);
  struct setting after[] = {{"MMSCAN_TEST_LIBRARY", toy("ilp64")}, {"MMSCAN_WISDOM", file}};
  assert_int_equal(ask_self("state", after, 2).exit, 30 + MMSCAN_ROUTINE_USED);
  after[0].value = toy("sound");
  assert_int_equal(ask_self("state", after, 2).exit, 30 + MMSCAN_ROUTINE_OFF);
  const char *unit = open_toy("ilp64");
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_mmscan_ok(mmscan_wisdom_read(file));
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* ---- Wisdom of shapes -------------------------------------------------------------------------------------------- */

static int child_choice(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100000);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  if (mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE) != MMSCAN_OK) return 11;
  mmscan_plan_get_choice(plan, &used);
  int right = same_text(used.unit, getenv("MMSCAN_TEST_LIBRARY")) && used.s == 4 && mmscan_wisdom_count() == 1;
  mmscan_plan_destroy(plan);
  const char *to = getenv("MMSCAN_TEST_TO");
  if (to != NULL && mmscan_wisdom_write(to) != MMSCAN_OK) return 12;
  return right ? 0 : 13;
}

static int child_refused(void) { return mmscan_wisdom_read(getenv("MMSCAN_TEST_FROM")) == MMSCAN_EIO ? 0 : 1; }

/* A library that is the choice for a shape is opened when the file is read. */
static void test_wisdom_opens_libraries(void **state) {
  (void)state;
  char lines[2 * PATH_SIZE + 200];
  const char *library = toy("sound"), *second = in_scratch("copied");
  snprintf(lines, sizeof lines, "blas %s\nversion unknown\nf32 16 0 gemm @1 4 256 1\n", library);
  const struct setting settings[] = {
      {"MMSCAN_WISDOM", wisdom_file("shape", lines)}, {"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_TEST_TO", second}};
  assert_int_equal(ask_self("choice", settings, 3).exit, 0);
  const struct setting again[] = {{"MMSCAN_WISDOM", second}, {"MMSCAN_TEST_LIBRARY", library}};
  assert_int_equal(ask_self("choice", again, 2).exit, 0);
}

static void test_wisdom_that_names_no_library(void **state) {
  (void)state;
  static const char *const wrong[] = {"blas %s\nversion 1.0\nf32 16 0 gemm @1 4 256 1\n",          /* another version */
                                      "blas %s.gone\nversion unknown\nf32 16 0 gemm @1 4 256 1\n", /* not there */
                                      "blas %s\nversion unknown\nf32 16 0 gemm @2 4 256 1\n",      /* not named */
                                      "blas %s\nversion unknown\nf32 16 0 gemm @0 4 256 1\n",
                                      "blas %s\nversion unknown\nf32 16 0 gemm @1x 4 256 1\n",
                                      "blas %s\nversion unknown\nf32 16 0 gemm @ 4 256 1\n",
                                      "blas %s\nf32 16 0 gemm @1 4 256 1\n", /* no version */
                                      "version unknown\nblas %s\n",
                                      "blas %s\ngood sgemm_batch\nversion unknown\n",
                                      "blas %s\nversion unknown\nversion unknown\n",
                                      "f32 16 0 serial - 0 0 1\nblas %s\nversion unknown\n", /* after a shape */
                                      "blas \nversion unknown\nblas %s\nversion unknown\n",
                                      "good sgemm_batch\nblas %s\nversion unknown\n"};
  for (size_t i = 0; i < COUNT(wrong); i++) {
    char lines[2 * PATH_SIZE + 200];
    snprintf(lines, sizeof lines, wrong[i], toy("sound"));
    const struct setting from = {"MMSCAN_TEST_FROM", wisdom_file("wrong", lines)};
    struct outcome o = ask_self("refused", &from, 1);
    if (o.exit != 0) fail_msg("accepted: %s", lines);
  }
}

/* ---- The environment --------------------------------------------------------------------------------------------- */

struct seen {
  mmscan_status status;
  char unit[600], error[400];
};

static int child_environment(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1000);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  struct seen seen = {.status = mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE)};
  if (seen.status == MMSCAN_OK) mmscan_plan_get_choice(plan, &used);
  snprintf(seen.unit, sizeof seen.unit, "%s", text_or(used.unit, ""));
  snprintf(seen.error, sizeof seen.error, "%s", text_or(mmscan_environment_error(), ""));
  mmscan_plan_destroy(plan);
  return report_to_parent(&seen, sizeof seen);
}

static struct seen look_in(const char *unit, const char *folder) {
  const struct setting settings[] = {
      {"MMSCAN_ENGINE", "gemm"}, {"MMSCAN_UNIT", unit}, {folder ? "LD_LIBRARY_PATH" : NULL, folder}};
  struct outcome o = ask_self("environment", settings, 3);
  struct seen seen;
  if (o.exit != 0 || o.reported != sizeof seen) fail_msg("the child ended with %d", o.exit);
  if (o.printed != 0) fail_msg("the library printed: %s", o.print);
  memcpy(&seen, o.report, sizeof seen);
  return seen;
}

static struct seen look(const char *unit) { return look_in(unit, NULL); }

/* LIBXSMM is found where the loader looks. */
static void test_xsmm_is_found(void **state) {
  (void)state;
  static const char folder[] = "vendors/lib";
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK && strcmp(part.name, "xsmm") != 0; i++) continue;
  struct seen seen = look("xsmm");
  assert_int_equal(seen.status, part.status);
  if (seen.status != MMSCAN_OK) assert_non_null(strstr(seen.error, "MMSCAN_UNIT=xsmm"));
  if (access("vendors/lib/libxsmm.so", R_OK) != 0) {
    print_message("skipped: no %s/libxsmm.so: scripts/fetch-vendors was not run\n", folder);
    return;
  }
  seen = look_in("xsmm", folder);
  assert_mmscan_ok(seen.status);
  assert_string_equal(seen.unit, "xsmm");
}

static void test_environment(void **state) {
  (void)state;
  static const char *const refused[][2] = {
      {"drops", "wrong products"}, {"no_gemm", "no BLAS"}, {"none", "No such file"}};
  struct seen seen = look(toy("sound"));
  assert_mmscan_ok(seen.status);
  assert_string_equal(seen.unit, toy("sound"));
  for (size_t i = 0; i < COUNT(refused); i++) {
    seen = look(toy(refused[i][0]));
    assert_int_equal(seen.status, MMSCAN_EBLAS);
    assert_non_null(strstr(seen.error, "MMSCAN_UNIT="));
    assert_non_null(strstr(seen.error, refused[i][1]));
  }
  assert_int_equal(look("libnothing.so").status, MMSCAN_EBLAS);
  assert_int_equal(look("nothing").status, MMSCAN_EINVAL);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static size_t entries(const char *folder) {
  size_t count = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *e; directory != NULL && (e = readdir(directory)) != NULL;) count += e->d_name[0] != '.';
  if (directory != NULL) closedir(directory);
  return count;
}

static size_t tasks(void) { return entries("/proc/self/task"); }

enum { LOOKS = 200 };

struct watch {
  _Atomic bool stop;
  _Atomic int looks;
  size_t most;
};

static void *watch(void *argument) {
  struct watch *w = argument;
  while (!w->stop) {
    size_t now = tasks();
    if (now > w->most) w->most = now;
    w->looks++;
    sched_yield();
  }
  return NULL;
}

/* A scan by one thread and one by two, watched: the tasks beyond those that the library had when it was opened. */
struct threads_seen {
  int one, two;
  double others; /* of the time of the scan by one thread, what other threads worked meanwhile */
  uint64_t bits; /* of y */
};

static uint64_t bits_of(const void *data, size_t size) { return fnv1a(data, size); }

/* The threads of a team end when the next team is smaller: after a scan by one thread, none is on its way out. */
static size_t tasks_at_rest(const char *unit, size_t n, const float *x, float *y) {
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, n, 1);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
  size_t now = tasks();
  for (int quiet = 0; quiet < 20; quiet++) {
    usleep(5000);
    if (tasks() != now) quiet = 0;
    now = tasks();
  }
  return now;
}

static int extra_tasks(const char *unit, int threads, size_t n, const float *x, float *y) {
  struct watch w = {.most = 0};
  pthread_t watcher;
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, n, threads);
  size_t before = tasks_at_rest(unit, n, x, y);
  if (pthread_create(&watcher, NULL, watch, &w) != 0) return -100;
  for (int i = 0; i < 5 || w.looks < LOOKS; i++)
    if (mmscan_execute(plan, x, y) != MMSCAN_OK) return -101;
  w.stop = true;
  pthread_join(watcher, NULL);
  mmscan_plan_destroy(plan);
  return (int)w.most - (int)before - 1;
}

static double clock_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A pool of threads that is there already is not seen by counting, but its work is. */
static double work_of_others(const char *unit, size_t n, const float *x, float *y) {
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, n, 1);
  double all = clock_of(CLOCK_PROCESS_CPUTIME_ID), own = clock_of(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 20; i++) assert_mmscan_ok(mmscan_execute(plan, x, y));
  all = clock_of(CLOCK_PROCESS_CPUTIME_ID) - all;
  own = clock_of(CLOCK_THREAD_CPUTIME_ID) - own;
  mmscan_plan_destroy(plan);
  return (all - own) / own;
}

static int child_threads(void) {
  size_t n = sized((size_t)1 << 21, (size_t)1 << 17);
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  const char *unit;
  struct rng rng = rng_of(5);
  if (x == NULL || y == NULL) return 9;
  if (mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0) != MMSCAN_OK) return 10;
  for (size_t i = 0; i < n; i++) x[i] = (float)draw_unit(&rng);
  struct threads_seen seen = {.one = extra_tasks(unit, 1, n, x, y)};
  seen.others = work_of_others(unit, n, x, y);
  seen.two = extra_tasks(unit, 2, n, x, y);
  seen.bits = bits_of(y, n * sizeof *y);
  free(x);
  free(y);
  return report_to_parent(&seen, sizeof seen);
}

/* All vendors' settings at once; each knows its own. */
static struct threads_seen threads_with(const char *library, const char *count) {
  const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", library}, {"OMP_NUM_THREADS", count},
                                     {"OPENBLAS_NUM_THREADS", count},  {"BLIS_NUM_THREADS", count},
                                     {"MKL_NUM_THREADS", count},       {"MKL_DYNAMIC", "FALSE"},
                                     {"OMP_DYNAMIC", "FALSE"}};
  struct outcome o = ask_self("threads", settings, COUNT(settings));
  struct threads_seen seen;
  if (o.exit != 0 || o.reported != sizeof seen) fail_msg("%s: the child ended with %d: %s", library, o.exit, o.print);
  memcpy(&seen, o.report, sizeof seen);
  return seen;
}

/* With its own threads forced to four and to one: no more threads than ours, and the same bits. */
static void check_threads(const char *library) {
  struct threads_seen four = threads_with(library, "4"), one = threads_with(library, "1");
  print_message("ran:     %s: %d, %d more tasks; others' work %.2f\n", library, four.one, four.two, four.others);
  if (four.one > 0 || four.two > 1) fail_msg("%s starts threads inside ours", library);
  if (four.others > 0.25) fail_msg("threads of %s work inside ours: %.2f of its time", library, four.others);
  if (one.one > 0 || one.two > 1) fail_msg("%s starts threads inside ours", library);
  assert_true(one.bits == four.bits);
}

static void test_threads_of_units(void **state) {
  (void)state;
  for (size_t i = 0; i < units_here()->count; i++) check_threads(units_here()->path[i]);
}

/* The toy starts a thread for every gemm, unless it is told not to: for this thread, and not for longer. */
static void test_a_thread_is_told(void **state) {
  (void)state;
  int (*calls)(void);
  const char *unit = open_toy("threads");
  void *handle = dlopen(unit, RTLD_LAZY | RTLD_NOLOAD);
  *(void **)&calls = dlsym(handle, "toy_calls");
  int before = calls();
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_CHUNKED));
  assert_int_equal(calls(), before);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_GEMM));
  assert_true(calls() > before);
  dlclose(handle);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* ---- Leaks ------------------------------------------------------------------------------------------------------- */

static size_t mapped(void) {
  size_t lines = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  for (int c; maps != NULL && (c = getc(maps)) != EOF;) lines += c == '\n';
  if (maps != NULL) fclose(maps);
  return lines;
}

struct traces {
  size_t files, tasks, maps;
};

static struct traces traces(void) { return (struct traces){entries("/proc/self/fd"), tasks(), mapped()}; }

static void open_and_close(const char *library, size_t times) {
  for (size_t i = 0; i < times; i++) {
    const char *unit;
    assert_mmscan_ok(mmscan_unit_open(library, &unit, NULL, 0));
    assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_CHUNKED));
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

/* The first rounds make what stays: the vendor's own runtimes, and the pages of our allocator. */
static int child_leaks(void) {
  const char *library = getenv("MMSCAN_TEST_LIBRARY");
  size_t times = strtoul(getenv("MMSCAN_TEST_TIMES"), NULL, 10);
  open_and_close(library, 3);
  struct traces before = traces();
  open_and_close(library, times);
  struct traces after = traces();
  print_message("%s: files %zu, %zu; tasks %zu, %zu; maps %zu, %zu\n", library, before.files, after.files, before.tasks,
                after.tasks, before.maps, after.maps);
  return after.files > before.files || after.tasks > before.tasks || after.maps > before.maps + 8;
}

static void check_leaks(const char *library, const char *times) {
  const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_TEST_TIMES", times}};
  struct outcome o = ask_self("leaks", settings, 2);
  print_message("%s", o.print);
  assert_int_equal(o.exit, 0);
}

static void test_nothing_is_left(void **state) {
  (void)state;
  check_leaks(toy("sound"), quick() ? "8" : "1000");
  for (size_t i = 0; i < units_here()->count; i++) check_leaks(units_here()->path[i], quick() ? "2" : "20");
}

/* ---- The paper's batched form ------------------------------------------------------------------------------------ */

enum { MATMUL_N = 3000 };

static mmscan_counts matmul_counts(const char *unit, mmscan_type type, const void *x, void *y) {
  mmscan_counts counts = {.struct_size = sizeof counts};
  mmscan_matmul_desc d = {.struct_size = sizeof d,
                          .type = type,
                          .n = MATMUL_N,
                          .s = 5,
                          .form = MMSCAN_BATCHED,
                          .length_rule = MMSCAN_DIGITS,
                          .traversal = MMSCAN_ITERATIVE,
                          .broadcast = MMSCAN_BROADCAST_MATRIX,
                          .unit = unit};
  assert_mmscan_ok(mmscan_matmulscan(&d, x, y, &counts));
  return counts;
}

/* By the unit's batched call, if it has one: right, and counted as a loop is. */
static void check_batched_form(const char *unit) {
  float x[MATMUL_N], y[MATMUL_N];
  double sum = 0;
  for (size_t i = 0; i < MATMUL_N; i++) x[i] = (float)(i * 31 % 17) - 8;
  mmscan_counts loop = matmul_counts("model", MMSCAN_F32, x, y), got = matmul_counts(unit, MMSCAN_F32, x, y);
  for (size_t i = 0; i < MATMUL_N; i++) assert_true(y[i] == (sum += x[i]));
  assert_memory_equal(&got, &loop, sizeof got);
}

static void test_batched_form(void **state) {
  (void)state;
  const char *unit = open_toy("scipy");
  assert_mmscan_ok(mmscan_routine_try(unit, "sgemm_batch"));
  check_batched_form(unit);
  assert_mmscan_ok(mmscan_unit_close(unit));
  for (size_t i = 0; i < units_here()->count; i++) {
    assert_mmscan_ok(mmscan_unit_open(units_here()->path[i], &unit, NULL, 0));
    check_batched_form(unit);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

/* ---- Many threads ------------------------------------------------------------------------------------------------ */

static void *open_often(void *library) {
  for (int i = 0; i < 20; i++) {
    const char *unit;
    if (mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK) return library;
    float x[8] = {1, 1, 1, 1, 1, 1, 1, 1}, w[8] = {0};
    mmscan_product_desc d = {.struct_size = sizeof d, .unit = unit, .type = MMSCAN_F32, .s = 4, .columns = 2};
    d.form = MMSCAN_PRODUCT_CHUNKED;
    d.matrix = MMSCAN_MATRIX_L;
    if (mmscan_product(&d, x, w) != MMSCAN_OK || w[7] != 4) return library;
    if (mmscan_unit_close(unit) != MMSCAN_OK) return library;
  }
  return NULL;
}

static void test_many_at_a_time(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  char path[4200];
  snprintf(path, sizeof path, "%s", toy("sound"));
  for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, open_often, path), 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
  assert_false(is_unit(path) || is_loaded(path));
}

/* ---- Scans ------------------------------------------------------------------------------------------------------- */

/* With each unit, every type and direction: integers, which every unit must get to the bit. */
static void check_scan(const char *unit, mmscan_type type, int reverse) {
  enum { N = 20011 };
  int64_t *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y), sum = 0;
  mmscan_desc desc = plain_desc(type, MMSCAN_INCLUSIVE, reverse, N);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .unit = unit};
  mmscan_plan *plan = plan_new(&desc, &asked, &used);
  for (size_t i = 0; i < N; i++) {
    int v = (int)(i * 7919 % 1001) - 500;
    if (type == MMSCAN_F32)
      ((float *)x)[i] = (float)v;
    else if (type == MMSCAN_F64)
      ((double *)x)[i] = v;
    else
      x[i] = v;
  }
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  for (size_t k = 0; k < N; k++) {
    size_t i = reverse ? N - 1 - k : k;
    sum += (int)(i * 7919 % 1001) - 500;
    double got = type == MMSCAN_F32 ? (double)((float *)y)[i] : type == MMSCAN_F64 ? ((double *)y)[i] : (double)y[i];
    if (got != (double)sum)
      fail_msg("%s: type %d, reverse %d: y[%zu] is %g, not %g", unit, (int)type, reverse, i, got, (double)sum);
  }
  mmscan_plan_destroy(plan);
  free(x);
  free(y);
}

static void test_scans_of_units_here(void **state) {
  (void)state;
  static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_I64};
  for (size_t i = 0; i < units_here()->count; i++) {
    const char *unit;
    assert_mmscan_ok(mmscan_unit_open(units_here()->path[i], &unit, NULL, 0));
    for (size_t t = 0; t < COUNT(types); t++)
      for (int reverse = 0; reverse < 2; reverse++) check_scan(unit, types[t], reverse);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

static const struct {
  const char *name;
  int (*run)(void);
} children[] = {{"try", child_try},         {"state", child_state},     {"choice", child_choice},
                {"refused", child_refused}, {"threads", child_threads}, {"environment", child_environment},
                {"leaks", child_leaks}};

/* Threads of OpenMP that spin while they wait make a busy machine wait for them; it is read when a program starts. */
static void wait_passively(char **argv) {
  if (getenv("OMP_WAIT_POLICY") != NULL) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  if (emulator() == NULL && getenv("MMSCAN_TEST_WRAPPER") == NULL) execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
  wait_passively(argv);
  for (size_t i = 0; argc > 1 && i < COUNT(children); i++)
    if (strcmp(argv[1], children[i].name) == 0) return children[i].run();
  static const char *const variables[] = {"MMSCAN_ENGINE", "MMSCAN_UNIT", "MMSCAN_NUM_THREADS", "MMSCAN_WISDOM"};
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_opening_counts),
      cmocka_unit_test(test_a_plan_keeps_its_library),
      cmocka_unit_test(test_a_library_calls_its_own),
      cmocka_unit_test(test_products_of_builtin_units),
      cmocka_unit_test(test_products_of_toys),
      cmocka_unit_test(test_products_of_units_here),
      cmocka_unit_test(test_bf16_is_exact),
      cmocka_unit_test(test_product_arrays),
      cmocka_unit_test(test_product_sizes),
      cmocka_unit_test(test_product_values),
      cmocka_unit_test(test_routines_that_fail),
      cmocka_unit_test(test_routines_that_are_off),
      cmocka_unit_test(test_get_routine_refuses),
      cmocka_unit_test(test_a_crash_is_in_a_process_of_its_own),
      cmocka_unit_test(test_wisdom_of_routines),
      cmocka_unit_test(test_wisdom_opens_libraries),
      cmocka_unit_test(test_wisdom_that_names_no_library),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_xsmm_is_found),
      cmocka_unit_test(test_threads_of_units),
      cmocka_unit_test(test_a_thread_is_told),
      cmocka_unit_test(test_nothing_is_left),
      cmocka_unit_test(test_batched_form),
      cmocka_unit_test(test_many_at_a_time),
      cmocka_unit_test(test_scans_of_units_here),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
