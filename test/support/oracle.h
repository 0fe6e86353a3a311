/* oracle.h: what a scan must give, computed another way: sums in twice a double's precision for floats, modulo 2^64 for
 * integers; other operators element by element, by rules of the test's own: exactly, or for products of floats and for
 * logarithms of sums (oracle_rounded.h) within a bound that grows with each step.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One oracle is computed for a long array and serves every scan of any part of it: the sum of x[a..b-1] is
 * sum[b] - sum[a]. Float sums are kept as two doubles, hi + lo, so that a difference of two has the relative error of
 * a double of its own size; the bounds below leave room for that.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <float.h>
#include <math.h>

#include "algebra/algebra.h"
#include "test.h"

/* IEEE binary128: long double where it has that format (aarch64), else the compiler's own type. */
#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
typedef __float128 quad;
#endif

/* EXACT: small integers, whose sums are exact in any order. RANDOM: floats of many sizes and both signs; integers from
 * the whole range, often its ends. */
enum data { EXACT, RANDOM };

struct oracle {
  const struct type *type;
  size_t n;
  enum data data;
  double *hi, *lo, *mag; /* floats: prefix sums of x, and of |x| */
  uint64_t *sum;         /* integers */
  const void *x;
};

/* The part of x that one scan reads, and the kind of scan. */
struct window {
  size_t first, n;
  mmscan_kind kind;
  bool reverse;
  const void *init; /* NULL: that of the operator */
  mmscan_op op;     /* 0: MMSCAN_PLUS */
};

/* What differs by element type. */
struct type {
  mmscan_type type;
  const char *name;
  size_t size;
  double eps; /* 0 for integers */
  mmscan_status (*inclusive)(size_t n, const void *x, void *y);
  mmscan_status (*exclusive)(size_t n, const void *init, const void *x, void *y);
  /* Fills an array of n; if data is EXACT, all its sums are exact. */
  void (*fill)(struct rng *rng, enum data data, size_t n, void *x);
  void (*sum)(struct oracle *o, const void *x);
  /* The first index at which y is off by more than `roundings` allow, or the window's n. */
  size_t (*first_wrong)(const struct oracle *o, const struct window *w, double roundings, const void *y);
  /* The first index at which y is not what an exact operator other than + makes of *start and the elements so far, or
   * n. */
  size_t (*first_other)(const struct oracle *o, const struct window *w, const void *start, const void *y);
  /* Whether `value` is element i of the scan; i may be n, for the total of a forward exclusive scan. */
  bool (*is_right)(const struct oracle *o, const struct window *w, size_t i, double roundings, const void *value);
  void (*describe)(const struct oracle *o, const struct window *w, size_t i, const void *y, char *text, size_t size);
};

/* y[i] is the sum of x[begin..end-1], plus init. */
static inline size_t begin_of(const struct window *w, size_t i) {
  return w->reverse ? w->first + i + (w->kind == MMSCAN_EXCLUSIVE) : w->first;
}
static inline size_t end_of(const struct window *w, size_t i) {
  return w->reverse ? w->first + w->n : w->first + i + (w->kind == MMSCAN_INCLUSIVE);
}

/* Integers wrap around alike, signed or not. */
static inline uint64_t combine_bits(mmscan_op op, uint64_t a, uint64_t b) {
  switch (op) {
  case MMSCAN_MUL:
    return a * b;
  case MMSCAN_AND:
    return a & b;
  case MMSCAN_OR:
    return a | b;
  case MMSCAN_XOR:
    return a ^ b;
  default:
    return a + b;
  }
}

/* A sum of two doubles, of which hi is the nearest to it. */
struct two {
  double hi, lo;
};

/* What a double loses of an addition is a double (Knuth), so that a sum is off by 2^-105 of itself for each element. In
 * quadruple precision it would be off by less; without hardware for it that takes twenty times as long. */
static inline struct two two_plus(struct two sum, double x) {
  const double hi = sum.hi + x, part = hi - sum.hi, lo = sum.lo + ((sum.hi - (hi - part)) + (x - part)), all = hi + lo;
  return (struct two){all, lo - (all - hi)};
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define NAMED(name) JOIN(name, SUFFIX)

#define T         float
#define SUFFIX    f32
#define MAX_EXACT 0x1p24
#include "oracle_float.inc"
#include "oracle_order.inc"
#define T         double
#define SUFFIX    f64
#define MAX_EXACT 0x1p53
#include "oracle_float.inc"
#include "oracle_order.inc"

#define T      int32_t
#define SUFFIX i32
#define LEAST  INT32_MIN
#define MOST   INT32_MAX
#include "oracle_int.inc"
#include "oracle_order.inc"
#define T      int64_t
#define SUFFIX i64
#define LEAST  INT64_MIN
#define MOST   INT64_MAX
#include "oracle_int.inc"
#include "oracle_order.inc"
#define T      uint32_t
#define SUFFIX u32
#define LEAST  0
#define MOST   UINT32_MAX
#include "oracle_int.inc"
#include "oracle_order.inc"
#define T      uint64_t
#define SUFFIX u64
#define LEAST  0
#define MOST   UINT64_MAX
#include "oracle_int.inc"
#include "oracle_order.inc"

#define TYPE_ROW(TYPE, suffix, c_type, epsilon)                                                                        \
  {                                                                                                                    \
    TYPE, #suffix, sizeof(c_type), epsilon, inclusive_##suffix, exclusive_##suffix, fill_##suffix, sum_##suffix,       \
        first_wrong_##suffix, first_other_##suffix, is_right_##suffix, describe_##suffix                               \
  }

enum { TYPES = 6, FLOAT_TYPES = 2 };

/* The floats come first. */
static inline const struct type *type_at(size_t index) {
  static const struct type types[TYPES] = {
      TYPE_ROW(MMSCAN_F32, f32, float, FLT_EPSILON), TYPE_ROW(MMSCAN_F64, f64, double, DBL_EPSILON),
      TYPE_ROW(MMSCAN_I32, i32, int32_t, 0),         TYPE_ROW(MMSCAN_I64, i64, int64_t, 0),
      TYPE_ROW(MMSCAN_U32, u32, uint32_t, 0),        TYPE_ROW(MMSCAN_U64, u64, uint64_t, 0),
  };
  return &types[index];
}

static inline bool is_float(const struct type *type) { return type->eps != 0; }

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static inline void *test_memory(size_t size) {
  void *p = malloc(size ? size : 1);
  if (p == NULL) fail_msg("no memory for the test");
  return p;
}

static inline struct oracle oracle_new(const struct type *type, enum data data, const void *x, size_t n) {
  struct oracle o = {.type = type, .n = n, .data = data, .x = x};
  if (is_float(type)) {
    o.hi = test_memory(3 * (n + 1) * sizeof *o.hi);
    o.lo = o.hi + n + 1;
    o.mag = o.lo + n + 1;
  } else {
    o.sum = test_memory((n + 1) * sizeof *o.sum);
  }
  type->sum(&o, x);
  return o;
}

static inline void oracle_free(struct oracle *o) {
  free(o->hi);
  free(o->sum);
}

/* n random elements and their oracle. */
struct sample {
  void *x;
  struct oracle oracle;
};

/* Without sums, for results that are compared with each other only. */
static inline struct sample sample_without_sums(const struct type *type, enum data data, size_t n) {
  struct rng rng = rng_of(n * 16 + (size_t)type->type * 2 + data);
  struct sample sample = {.x = test_memory(n * type->size)};
  type->fill(&rng, data, n, sample.x);
  sample.oracle = (struct oracle){.type = type, .n = n, .data = data, .x = sample.x};
  return sample;
}

static inline struct sample sample_new(const struct type *type, enum data data, size_t n) {
  struct sample sample = sample_without_sums(type, data, n);
  sample.oracle = oracle_new(type, data, sample.x, n);
  return sample;
}

static inline void sample_free(struct sample *sample) {
  oracle_free(&sample->oracle);
  free(sample->x);
}

/* ---- Error bounds ------------------------------------------------------------------------------------------------ */

static inline size_t levels_of(size_t s, size_t n) {
  size_t levels = 1;
  for (size_t power = s; power < n; power *= s) levels++;
  return levels;
}

/* The most additions between an element and a result that contains it, as mmscan.h states them. NULL for `used` means
 * any engine. */
static inline double most_additions(const mmscan_choice *used, size_t n) {
  const double in_any_order = (double)n + 1;
  if (used == NULL || !cuts_tiles(used) || n == 0) return in_any_order;
  const double in_products = is_gemm(used) ? (double)used->s + 2 : 0;
  const double in_groups = 32 + in_products;
  return in_groups < in_any_order ? in_groups : in_any_order;
}

/* A sum whose terms each pass through at most c additions is off by at most c u / (1 - c u) times the sum of |x|, where
 * u = eps / 2. The 8 leaves room for init and for the oracle's own rounding. */
static inline double roundings(const mmscan_choice *used, size_t n) { return most_additions(used, n) + 8; }

/* ---- Other operators --------------------------------------------------------------------------------------------- */

/* Compares two elements as numbers: long double holds all of them. NaN is -1 or 1 of itself, as it never leaves. */
static inline long double as_number(mmscan_type type, const void *element) {
  float f32;
  double f64;
  int64_t whole = 0;
  uint64_t natural = 0;
  switch (type) {
  case MMSCAN_F32:
    memcpy(&f32, element, sizeof f32);
    return f32;
  case MMSCAN_F64:
    memcpy(&f64, element, sizeof f64);
    return f64;
  case MMSCAN_I32:
    return *(const int32_t *)element;
  case MMSCAN_I64:
    memcpy(&whole, element, sizeof whole);
    return whole;
  case MMSCAN_U32:
    return *(const uint32_t *)element;
  default:
    memcpy(&natural, element, sizeof natural);
    return natural;
  }
}

/* Puts op(so_far, next) into so_far. Floats that are rounded are those of the plain loop here. */
static inline void combine_into(const mms_algebra *a, void *so_far, const void *next) {
  uint64_t left = 0, right = 0;
  if (a->op == MMSCAN_MAX || a->op == MMSCAN_MIN) {
    const long double before = as_number(a->type, so_far), here = as_number(a->type, next);
    if (isnan(before)) return;
    if (isnan(here) || (a->op == MMSCAN_MAX ? here > before : here < before)) memcpy(so_far, next, a->size);
  } else if (a->kind == 'f') {
    mms_value carry = {0};
    memcpy(&carry, so_far, a->size);
    a->loop.fold[0](1, next, &carry);
    memcpy(so_far, &carry, a->size);
  } else {
    memcpy(&left, so_far, a->size);
    memcpy(&right, next, a->size);
    left = combine_bits(a->op, left, right);
    memcpy(so_far, &left, a->size);
  }
}

#include "oracle_rounded.h"

/* The first index, in memory, at which y is not the scan of the window by its operator, or the window's n. */
static inline size_t first_unlike(const struct oracle *o, const struct window *w, const void *y) {
  const mms_algebra *a = mms_algebra_of(w->op, o->type->type);
  const void *start = w->init ? w->init : w->kind == MMSCAN_EXCLUSIVE ? a->start : a->identity;
  return a->is_exact ? o->type->first_other(o, w, start, y) : first_far(a, o, w, start, y);
}

/* The first index at which y is not the scan of the window, or the window's n. */
static inline size_t first_wrong(const struct oracle *o, const struct window *w, double rounds, const void *y) {
  return w->op > MMSCAN_PLUS ? first_unlike(o, w, y) : o->type->first_wrong(o, w, o->data == EXACT ? 0 : rounds, y);
}

/* Fails, and prints the values, if y is not the scan of the window. */
static inline void assert_scan(const struct oracle *o, const struct window *w, double rounds, const void *y,
                               const char *what) {
  const size_t wrong = first_wrong(o, w, rounds, y);
  const mmscan_op op = w->op > MMSCAN_PLUS ? w->op : MMSCAN_PLUS;
  char values[128];
  if (wrong == w->n) return;
  if (op == MMSCAN_PLUS)
    o->type->describe(o, w, wrong, y, values, sizeof values);
  else
    snprintf(values, sizeof values, "%Lg", as_number(o->type->type, (const char *)y + wrong * o->type->size));
  fail_seeded("%s of %s, %s %s%s, n %zu: y[%zu] is %s", mms_algebra_of(op, o->type->type)->op_name, o->type->name,
              w->kind == MMSCAN_INCLUSIVE ? "inclusive" : "exclusive", w->reverse ? "reverse, " : "", what, w->n, wrong,
              values);
}

#endif /* ORACLE_H */
