/* promises.h: what mmscan.h promises of one scan of floats, looked at in its results: that they never fall, and how far
 * they may be off.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PROMISES_H
#define PROMISES_H

#include <fenv.h>

#include "execution.h"

/* A scan of contiguous elements, and its results. total: NULL where none was asked for. */
typedef struct promise {
  const mmscan_desc *d;
  const char *x, *y, *total;
} promise;

/* What is wrong, and with which result, in the order of the scan; NULL: nothing. */
typedef struct verdict {
  const char *wrong;
  size_t at;
} verdict;

/* ---- In the order of the scan ------------------------------------------------------------------------------------ */

static double promise_element(const promise *p, size_t i) {
  const ref_type *t = ref_type_of(p->d->x_type);
  const char *at = p->x + (p->d->reverse ? p->d->n - 1 - i : i) * t->size;
  if (!ref_is_whole(t)) return ref_get_real(t, at, 0);
  const double f64 = t->kind == 'i' ? (double)(int64_t)ref_get_whole(t, at) : (double)(uint64_t)ref_get_whole(t, at);
  return f64;
}

static const char *promise_at(const promise *p, size_t k) {
  const size_t count = execution_results(p->d);
  return p->y + (p->d->reverse ? count - 1 - k : k) * ref_type_of(p->d->y_type)->size;
}

static double promise_result(const promise *p, size_t k) {
  return ref_get_real(ref_type_of(p->d->y_type), promise_at(p, k), 0);
}

/* How many elements are in result k. */
static size_t promise_elements(const promise *p, size_t k) { return k + (p->d->kind == MMSCAN_INCLUSIVE); }

static double promise_init(const promise *p) {
  if (p->d->init) return ref_get_real(ref_type_of(p->d->y_type), p->d->init, 0);
  return p->d->op == MMSCAN_MUL;
}

/* ---- MMSCAN_MONOTONE --------------------------------------------------------------------------------------------- */

/* after: a result, or the total, with `count` elements more than `before`. */
static const char *promise_step(const promise *p, const char *before, const char *after, size_t first, size_t count) {
  const ref_type *t = ref_type_of(p->d->y_type);
  const double neutral = p->d->op == MMSCAN_MUL, was = ref_get_real(t, before, 0), is = ref_get_real(t, after, 0);
  bool changes = false;
  for (size_t i = first; i < first + count; i++) changes |= promise_element(p, i) != neutral;
  if (!(is >= was)) return "falls";
  return !changes && memcmp(before, after, t->size) != 0 ? "is changed by an element that is neutral" : NULL;
}

/* A zero of either sign as init is taken for 0.0. */
static const char *promise_first(const promise *p) {
  const size_t count = promise_elements(p, 0);
  const double init = promise_init(p), first = promise_result(p, 0), neutral = p->d->op == MMSCAN_MUL;
  if (!(first >= init)) return "is less than init";
  return count == 0 || promise_element(p, 0) == neutral ? (first == init ? NULL : "is not init") : NULL;
}

static verdict promise_never_falls(const promise *p) {
  const size_t count = execution_results(p->d), size = ref_type_of(p->d->y_type)->size;
  const char *wrong = promise_first(p);
  if (wrong) return (verdict){wrong, 0};
  for (size_t k = 1; k < count; k++) {
    wrong = promise_step(p, promise_at(p, k - 1), promise_at(p, k), promise_elements(p, k - 1), 1);
    if (wrong) return (verdict){wrong, k};
  }
  for (size_t k = 0; k < count; k++)
    if (promise_result(p, k) == 0 && signbit(promise_result(p, k))) return (verdict){"is -0.0", k};
  if (!p->total) return (verdict){NULL, 0};
  const size_t last = promise_elements(p, count - 1);
  wrong = promise_step(p, promise_at(p, count - 1), p->total, last, p->d->n - last);
  if (!wrong && last == p->d->n && memcmp(p->total, promise_at(p, count - 1), size) != 0) wrong = "is not the last one";
  return (verdict){wrong ? wrong : NULL, count};
}

/* ---- Accuracy ---------------------------------------------------------------------------------------------------- */

/* The exact sum, as two doubles: off by less than 2^-100 of the sum of magnitudes, in every rounding mode. */
typedef struct promise_sum {
  double high, low, size;
} promise_sum;

static void promise_add(promise_sum *s, double x) {
  const double sum = s->high + x, part = sum - s->high;
  s->low += (s->high - (sum - part)) + (x - part);
  s->high = sum;
  s->size += fabs(x);
}

/* u of the type that is accumulated, for the rounding that is set. */
static double promise_unit(const mmscan_desc *d) {
  return ldexp(fegetround() == FE_TONEAREST ? 1 : 2, -ref_sums_of(d)->digits);
}

/* How much one rounding to y_type may change numbers up to 1, where it is not what is accumulated. Halves are rounded
 * to nearest. */
static double promise_last_unit(const mmscan_desc *d) {
  const ref_type *t = ref_type_of(d->y_type);
  if (t == ref_sums_of(d)) return 0;
  return ldexp(1, -t->digits + (t->size == 4 && fegetround() != FE_TONEAREST));
}

/* Roundings of an element; 0: as many as there are elements so far. Each block without a state adds one. An engine that
 * was not asked for is simd, but for columns, and without memory. */
static size_t promise_roundings(const execution *e, const mmscan_desc *d) {
  const char *engine = e->plans ? text_or(e->choice.engine, "simd") : "simd";
  if (e->lacks_memory || e->columns || !same_text(engine, "simd")) return 0;
  return 32 + (e->in_blocks && !e->has_state ? d->n / e->unit + 1 : 0);
}

/* Sums: results are off by c roundings at most, or by as many as there are elements, where these are less. c = 0: by so
 * many. Results beyond the largest number are not looked at. */
static verdict promise_is_near(const promise *p, size_t c) {
  promise_sum exact = {0, 0, 0};
  const ref_type *t = ref_type_of(p->d->y_type);
  const double u = promise_unit(p->d), last_u = promise_last_unit(p->d), least = ldexp(1, t->least);
  size_t taken = 0;
  promise_add(&exact, promise_init(p));
  for (size_t k = 0; k < execution_results(p->d); k++) {
    for (; taken < promise_elements(p, k); taken++) promise_add(&exact, promise_element(p, taken));
    const double cu = u * (double)(c == 0 || taken + 2 < c ? taken + 2 : c), error = cu / (1 - cu) * exact.size;
    const double most = (error + last_u * (fabs(exact.high) + error)) * (1 + 1e-6) + (last_u > 0 ? least : 0);
    if (!(fabs(exact.high) + most <= t->most)) break;
    if (!(fabs((promise_result(p, k) - exact.high) - exact.low) <= most)) return (verdict){"is too far off", k};
  }
  return (verdict){NULL, 0};
}

/* Products of i + 1 factors that stay in the range: 2 i + 1 roundings. */
static verdict promise_is_near_product(const promise *p) {
  const ref_type *t = ref_type_of(p->d->y_type);
  const double u = promise_unit(p->d), last_u = promise_last_unit(p->d);
  quad exact = (quad)promise_init(p);
  size_t taken = 0;
  for (size_t k = 0; k < execution_results(p->d); k++) {
    for (; taken < promise_elements(p, k); taken++) exact *= (quad)promise_element(p, taken);
    const double near = fabs((double)exact), cu = u * (double)(2 * taken + 3);
    if (near > t->most / 4 || near < ldexp(4, t->least + t->digits)) break; /* no normal number, or hardly */
    const double off = fabs((double)((quad)promise_result(p, k) - exact));
    if (!(off <= (cu / (1 - cu) + last_u) * near * (1 + 1e-6))) return (verdict){"is too far off", k};
  }
  return (verdict){NULL, 0};
}

#endif /* PROMISES_H */
