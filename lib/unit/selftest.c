/* selftest.c: products whose result is known. X holds integers with as many bits as keep its elements and their sums
 * exact, so that a routine that multiplies in a shorter type is found out. A column of L_s X is a running total, so no
 * multiplication is needed to check it. */
#include "unit/selftest.h"

#include "base/rounding.h"
#include "unit/loading.h"
#include "unit/matrix.h"
#include <fenv.h>
#include <float.h>
#include <string.h>

enum {
  MOST_S = 112,
  MOST_COLUMNS = 227,
  MANY_COLUMNS = 1025,
  PAD = 3,
  MOST_ONE = sizeof(double[2]),
  BEFORE = 64,  /* bytes in front of W that are checked */
  BEHIND = 1,   /* rows behind W and behind X that are checked */
  POISON = 0xff /* four or eight such bytes are a NaN */
};

/* As many columns of s floats as the largest block of a scan has, and three more. */
#define LARGE(s) (MMS_UNIT_LARGE / ((s) * sizeof(float)) + 3)
#define SMALL(s) (MMS_UNIT_SMALL / ((s) * sizeof(float)))

/* Every s that scans use by default, with as many columns as the largest blocks of scans (vendor.c) and, if a row is
 * added, as the pieces of small blocks (xsmm.c). The last s is beyond what libraries treat as small; a batch of it has
 * two squares, and columns left over. */
static const struct {
  size_t s, columns;
} shapes[] = {{1, 1},
              {5, 1},
              {2, 3},
              {3, 8},
              {4, 9},
              {5, 17},
              {8, 64},
              {16, 35},
              {4, MANY_COLUMNS},
              {4, LARGE(4)},
              {8, LARGE(8)},
              {16, LARGE(16)},
              {1, SMALL(1) - 1},
              {1, LARGE(2)},
              {MOST_S, MOST_COLUMNS}};

typedef struct trial {
  mms_product p;
  mmscan_matrix matrix;
  bool is_turned;             /* A holds the transpose of this matrix, as L_s^T in a reverse scan */
  const mms_one *one, *x_one; /* of W, and of A and X */
  size_t parts;               /* of an element: a complex one has two */
  bool is_single;             /* each part of W is a float, not a double */
  int bits;                   /* of the integers in X */
  double unit;                /* by which these are multiplied */
  size_t bytes;               /* of x and of w that are checked */
} trial;

/* ---- Elements, part by part ----------------------------------------------------------------------------------- */

/* X: integers from -2^(bits-1) to 2^(bits-1) - 1, in no pattern that a shift would preserve. */
static int64_t given(const trial *t, size_t row, size_t column, size_t part) {
  const uint64_t place = (uint64_t)row << 40 ^ (uint64_t)column << 8 ^ part;
  const uint64_t mixed = (place + 1) * 0x9e3779b97f4a7c15, more = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
  return (int64_t)(more >> (64 - t->bits)) - ((int64_t)1 << (t->bits - 1));
}

static void put(const trial *t, void *at, int64_t value) {
  const double f64 = (double)value * t->unit;
  const float f32 = (float)f64;
  if (t->p.form == MMSCAN_PRODUCT_BF16)
    memcpy(at, (const char *)&f32 + 2, 2);
  else if (t->is_single)
    memcpy(at, &f32, sizeof f32);
  else
    memcpy(at, &f64, sizeof f64);
}

/* Returns the number there, and leaves NaN in its place. */
static double taken(const trial *t, void *at) {
  float f32;
  double f64;
  if (t->is_single) {
    memcpy(&f32, at, sizeof f32);
    memset(at, POISON, sizeof f32);
    return (double)f32;
  }
  memcpy(&f64, at, sizeof f64);
  memset(at, POISON, sizeof f64);
  return f64;
}

/* What entry `row` of a column of W must be, given the column x of X, the sum `before` of its entries above that row,
 * and the sum `total` of all its entries. */
static int64_t wanted(const trial *t, size_t row, const int64_t *x, int64_t before, int64_t total) {
  const bool transposed = t->p.transposed != t->is_turned;
  if (t->matrix == MMSCAN_MATRIX_L) return transposed ? total - before : before + x[row];
  if (transposed) return row == 0 ? total : x[row];
  return row == 0 ? x[0] : x[0] + x[row];
}

/* ---- A trial -------------------------------------------------------------------------------------------------- */

/* One trial at a time, in static memory: a library must not be refused for lack of memory. */
static _Alignas(64) unsigned char memory_a[MOST_S * MOST_S * MOST_ONE], kept_a[sizeof memory_a];
static _Alignas(64) unsigned char memory_x[(MOST_S + BEHIND) * (MOST_COLUMNS + PAD) * MOST_ONE],
    kept_x[sizeof memory_x], memory_w[BEFORE + sizeof memory_x];

/* Writes the entries of X, for a product in place into W, and NaN everywhere else. */
static void fill(trial *t) {
  char *x = t->p.x == t->p.w ? t->p.w : memory_x;
  const size_t size = t->x_one->size;
  memset(memory_x, POISON, t->bytes);
  memset(memory_w, POISON, BEFORE + t->bytes);
  for (size_t column = 0; column < t->p.columns; column++)
    for (size_t row = 0; row < t->p.s; row++)
      for (size_t part = 0; part < t->parts; part++)
        put(t, x + mms_product_at(&t->p, row, column) * size + part * (size / t->parts), given(t, row, column, part));
}

/* Compares one part of a column of W with what is right, and leaves NaN there. */
static bool take_column(trial *t, size_t column, size_t part) {
  const size_t size = t->one->size, offset = part * (size / t->parts);
  int64_t x[MOST_S], total = 0, before = 0;
  for (size_t row = 0; row < t->p.s; row++) total += x[row] = given(t, row, column, part);
  for (size_t row = 0; row < t->p.s; row++) {
    char *at = (char *)t->p.w + mms_product_at(&t->p, row, column) * size + offset;
    const int64_t there = t->p.adds ? x[row] : 0;
    if (taken(t, at) != (double)(there + wanted(t, row, x, before, total)) * t->unit) return false;
    before += x[row];
  }
  return true;
}

static bool take(trial *t) {
  for (size_t column = 0; column < t->p.columns; column++)
    for (size_t part = 0; part < t->parts; part++)
      if (!take_column(t, column, part)) return false;
  return true;
}

/* Whether all bytes of W and around it are POISON: the first is, and each equals the one before it. */
static bool is_poison(const trial *t) {
  const unsigned char *w = memory_w;
  return *w == POISON && memcmp(w, w + 1, BEFORE + t->bytes - 1) == 0;
}

typedef void (*multiplier)(const void *self, const mms_product *product);

static bool passes(trial *t, multiplier multiply, const void *self) {
  const mms_one *one = t->one->size == t->x_one->size ? t->one : t->x_one;
  const size_t bytes_of_a = t->p.s * t->p.s * one->size;
  (t->is_turned ? mms_matrix_make_transposed : mms_matrix_make)(t->matrix, one, t->p.s, memory_a);
  t->p.x = t->p.form == MMSCAN_PRODUCT_TRMM ? t->p.w : memory_x;
  t->bytes = (t->p.s + BEHIND) * (t->p.columns + PAD) * t->one->size;
  fill(t);
  if (t->p.adds) memcpy(t->p.w, memory_x, t->bytes);
  memcpy(kept_a, memory_a, bytes_of_a);
  memcpy(kept_x, memory_x, t->bytes);
  multiply(self, &t->p);
  const bool is_kept = memcmp(kept_a, memory_a, bytes_of_a) == 0 && memcmp(kept_x, memory_x, t->bytes) == 0;
  return is_kept && take(t) && is_poison(t);
}

static bool is_of_scans(const trial *t) {
  const bool is_gemm = t->p.form == MMSCAN_PRODUCT_CHUNKED || t->p.form == MMSCAN_PRODUCT_GEMM;
  return is_gemm && (t->p.type == MMSCAN_F32 || t->p.type == MMSCAN_F64);
}

/* Whether a variant of a shape is tested. In general both matrices are, transposed and not, in both layouts. An A that
 * holds L_s^T is tested only as a reverse scan uses it, and W = W + A X only with s = 1 by rows. Slow shapes have few
 * variants: many columns only by rows, most of them only as in a scan; the largest s only once. */
static bool is_due(const trial *t) {
  const bool is_by_l = t->matrix == MMSCAN_MATRIX_L, is_by_rows = t->p.row_stride != 0;
  if (t->p.adds) return is_by_l && is_by_rows && !t->p.transposed && t->p.s == 1;
  if (is_by_rows && mms_product_is_batch(t->p.form)) return false;
  if (t->is_turned) return is_by_l && is_by_rows && is_of_scans(t) && !t->p.transposed && t->p.columns <= MOST_COLUMNS;
  if (t->p.s == MOST_S) return is_by_l && !is_by_rows && !t->p.transposed;
  if (t->p.columns <= MOST_COLUMNS) return true;
  return is_by_l && is_by_rows && (t->p.columns <= MANY_COLUMNS || (is_of_scans(t) && !t->p.transposed));
}

static bool passes_shape(trial *t, multiplier multiply, const void *self) {
  for (int variant = 0; variant < 16; variant++) {
    t->is_turned = variant & 8;
    t->matrix = variant & 1 ? MMSCAN_MATRIX_B : MMSCAN_MATRIX_L;
    t->p.transposed = variant & 2;
    t->p.row_stride = variant & 4 ? t->p.columns + PAD : 0;
    if (is_due(t) && !passes(t, multiply, self)) return false;
  }
  return true;
}

/* A small shape with numbers below the smallest normal one, but not in bfloat16, where these are zero by definition. */
static bool passes_tiny(const trial *t, multiplier multiply, const void *self) {
  trial tiny = *t;
  tiny.p.s = t->p.adds ? 1 : 5;
  tiny.p.columns = 17;
  tiny.unit = t->is_single ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN;
  return t->p.form == MMSCAN_PRODUCT_BF16 || passes_shape(&tiny, multiply, self);
}

static bool passes_shapes(trial *t, multiplier multiply, const void *self) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    t->p.s = shapes[i].s;
    t->p.columns = shapes[i].columns;
    if (t->p.s == MOST_S && !mms_product_is_batch(t->p.form)) t->p.columns /= 4;
    if (!passes_shape(t, multiply, self)) return false;
  }
  return true;
}

/* One bit is for the sign, and the sum of 2 MOST_S integers stays below 2^24 or 2^53. bfloat16 has eight bits. */
static int bits_of(bool is_single, mmscan_product_form form) {
  if (form == MMSCAN_PRODUCT_BF16) return 8;
  return is_single ? 17 : 46;
}

static trial trial_of(mmscan_type type, mmscan_product_form form) {
  const mms_one *one = mms_matrix_one(type);
  const bool is_single = type == MMSCAN_F32 || type == MMSCAN_C32;
  return (trial){.p = {.type = type, .form = form, .a = memory_a, .w = memory_w + BEFORE},
                 .one = one,
                 .x_one = form == MMSCAN_PRODUCT_BF16 ? &mms_matrix_one_bf16 : one,
                 .parts = type == MMSCAN_C32 || type == MMSCAN_C64 ? 2 : 1,
                 .is_single = is_single,
                 .bits = bits_of(is_single, form),
                 .unit = 1};
}

/* Tests in the default rounding mode, and restores that of the caller. One at a time, as the matrices are static. */
static bool passes_test(trial *t, multiplier multiply, const void *self) {
  fenv_t callers;
  fegetenv(&callers);
  mms_rounding_set_default();
  const mms_rounding rounding = mms_rounding_get();
  mms_loading_lock();
  const bool good = passes_shapes(t, multiply, self) && passes_tiny(t, multiply, self) && mms_rounding_is(rounding);
  mms_loading_unlock();
  fesetenv(&callers);
  return good;
}

bool mms_selftest(multiplier multiply, const void *self, mmscan_type type, mmscan_product_form form) {
  trial t = trial_of(type, form);
  return passes_test(&t, multiply, self);
}

bool mms_selftest_adding(multiplier multiply, const void *self, mmscan_type type) {
  trial t = trial_of(type, MMSCAN_PRODUCT_CHUNKED);
  t.p.adds = true;
  return passes_test(&t, multiply, self);
}
