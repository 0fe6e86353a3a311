/* oracle_rounded.h: products of floats, and logarithms of sums of exponentials, with a bound on what rounding in any
 * grouping makes of them; a part of oracle.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ORACLE_ROUNDED_H
#define ORACLE_ROUNDED_H

/* What a result is, and how far from it one may be. */
struct rounded {
  long double value;
  double error;
};

struct range {
  double eps, least_normal, tiny, most; /* tiny: the least number there is */
};

static inline struct range range_of(mmscan_type type) {
  return type == MMSCAN_F32 ? (struct range){FLT_EPSILON, FLT_MIN, 0x1p-149, FLT_MAX}
                            : (struct range){DBL_EPSILON, DBL_MIN, 0x1p-1074, DBL_MAX};
}

static inline double rounded_to(mmscan_type type, long double value) {
  return type == MMSCAN_F32 ? (double)(float)value : (double)value;
}

/* A product is rounded once in the plain loop and, in another grouping, once or twice, as there is a carry. What is no
 * normal number is as in the plain loop, which all follow there. Of f32, doubles will do. */
static inline struct rounded times(mmscan_type type, struct rounded before, double x) {
  const struct range range = range_of(type);
  const long double value = type == MMSCAN_F32 ? (double)before.value * x : before.value * x;
  const double loop = rounded_to(type, value), error = before.error * fabs(x) + 2 * range.eps * fabs(loop);
  if (isinf(loop) || isnan(loop) || before.value == 0 || x == 0) return (struct rounded){loop, 0};
  if (fabs(loop) >= range.least_normal) return (struct rounded){value, error};
  return (struct rounded){loop, error + 2 * range.tiny};
}

static inline double logaddexp_f32(double a, double b) { return a + log1p(exp(b - a)); }
static inline long double logaddexp_f64(long double a, long double b) { return a + log1pl(expl(b - a)); }

/* Two units in the last place of log 2, as of the largest number about; but beside one that is much greater what the
 * other adds. */
static inline struct rounded logaddexp(mmscan_type type, struct rounded before, double x) {
  const long double a = before.value > x ? before.value : x, b = before.value > x ? x : before.value;
  if (isnan(before.value) || isnan(x)) return (struct rounded){NAN, 0};
  if (isinf(a)) return (struct rounded){a, 0};
  if (b - a < -60) return (struct rounded){a, before.error + (double)expl(b - a) + range_of(type).tiny};
  const long double value = type == MMSCAN_F32 ? logaddexp_f32((double)a, (double)b) : logaddexp_f64(a, b);
  const double ln2 = 0.69314718055994531, largest = fmax(fmax(fabs((double)a), fabs((double)value)), ln2);
  return (struct rounded){value, before.error + 2 * range_of(type).eps * largest};
}

/* Near the largest number it may also have overflowed. */
static inline bool is_near(mmscan_type type, struct rounded want, double got) {
  const double value = (double)want.value, most = range_of(type).most;
  if (isnan(value)) return isnan(got);
  if (isinf(value)) return got == value || (fabs(got) <= most && fabs(got) >= most * (1 - 0x1p-10));
  if (isinf(got)) return fabs(value) + want.error >= most && (got > 0) == (value > 0);
  if (value == 0 && want.error == 0) return got == 0 && !signbit(got) == !signbit(value);
  return fabs((double)(got - want.value)) <= want.error * 1.001;
}

static inline double float_of(mmscan_type type, const void *element) { return (double)as_number(type, element); }

/* As first_unlike(). */
static inline size_t first_far(const mms_algebra *a, const struct oracle *o, const struct window *w, const void *start,
                               const void *y) {
  struct rounded so_far = {float_of(a->type, start), 0};
  for (size_t k = 0; k < w->n; k++) {
    const size_t i = w->reverse ? w->n - 1 - k : k;
    const double x = float_of(a->type, (const char *)o->x + (w->first + i) * a->size);
    const double got = float_of(a->type, (const char *)y + i * a->size);
    if (w->kind == MMSCAN_EXCLUSIVE && !is_near(a->type, so_far, got)) return i;
    so_far = a->op == MMSCAN_MUL ? times(a->type, so_far, x) : logaddexp(a->type, so_far, x);
    if (w->kind == MMSCAN_INCLUSIVE && !is_near(a->type, so_far, got)) return i;
  }
  return w->n;
}

#endif /* ORACLE_ROUNDED_H */
