/* exact.c: exact sums, as pairs of doubles, of inputs on which sums of floats go wrong in different ways. */
#include "exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Inputs ------------------------------------------------------------------------------------------------------ */

/* From 0 to 1, by a hash of i (splitmix64). */
static double unit_at(size_t i) {
  uint64_t h = ((uint64_t)i + 1) * UINT64_C(0x9E3779B97F4A7C15);
  h = (h ^ h >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  h = (h ^ h >> 27) * UINT64_C(0x94D049BB133111EB);
  return ldexp((double)((h ^ h >> 31) >> 11), -53);
}

static double signs(size_t i) { return 2 * unit_at(i) - 1; }
static double one_sign(size_t i) { return unit_at(i); }
static double equal(size_t i) { return (void)i, 0.1; }
static double levels(size_t i) { return 0.1 * (double)(1 + i / 5000 % 7); }
static double harmonic(size_t i) { return 1 / (double)(i + 1); }
static double decay(size_t i) { return i < 800 ? exp(-(double)i) : 0; } /* exp() gives 0 there, too, but slowly */
static double cancels(size_t i) { return i % 2 ? -0.7 + 0.7e-6 : 0.7; }

const exact_input exact_inputs[EXACT_INPUTS] = {
    {"signs", "random from -1 to 1", false, signs},
    {"one sign", "random from 0 to 1", true, one_sign},
    {"equal", "0.1 each", true, equal},
    {"levels", "0.1 to 0.7, 5,000 elements each, so that roundings have one sign", true, levels},
    {"1/i", "1, 1/2, 1/3, ...", true, harmonic},
    {"e^-i", "1, 1/e, 1/e^2, ...", true, decay},
    {"cancels", "0.7, -0.7 + 0.7e-6, 0.7, ...: sums are a millionth of the magnitudes", false, cancels},
};

static void put(const number *type, size_t i, double element, void *x) {
  if (type->type == MMSCAN_F32)
    ((float *)x)[i] = (float)element;
  else
    ((double *)x)[i] = element;
}

/* ---- Exact sums -------------------------------------------------------------------------------------------------- */

enum { CHUNK = 2048 };

bool exact_make(exact *e, size_t n) {
  *e = (exact){.sums = malloc(n * sizeof *e->sums), .rests = malloc(n * sizeof *e->rests)};
  return e->sums != NULL && e->rests != NULL;
}

void exact_free(exact *e) {
  free(e->sums);
  free(e->rests);
}

/* a + b = *sum + *rest (Knuth). */
static void two_sum(double a, double b, double *sum, double *rest) {
  const double s = a + b, t = s - a;
  *rest = (a - (s - t)) + (b - t);
  *sum = s;
}

static void add_up(exact *e) {
  double x[CHUNK], high = 0, low = 0;
  const size_t size = e->type->size;
  for (size_t at = 0; at < e->n; at += CHUNK) {
    const size_t count = e->n - at < CHUNK ? e->n - at : CHUNK;
    e->type->reals(count, (const char *)e->x + at * size, x);
    for (size_t i = 0; i < count; i++) {
      double sum, rest;
      two_sum(high, x[i], &sum, &rest);
      two_sum(sum, rest + low, &high, &low);
      e->sums[at + i] = high;
      e->rests[at + i] = (float)low;
    }
  }
}

void exact_fill(exact *e, const exact_input *input, const number *type, size_t n, void *x) {
  e->input = input;
  e->type = type;
  e->n = n;
  e->x = x;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) put(type, i, input->element(i), x);
  add_up(e);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

static int digits_of(const number *type) { return type->type == MMSCAN_F32 ? FLT_MANT_DIG : DBL_MANT_DIG; }

double exact_unit(const number *type) { return ldexp(1, -digits_of(type)); }

/* 1 over a unit in the last place of a sum. Its exponent is read from the bits, as ilogb() takes longer than all else.
 * That of the least normal doubles, 2^-1074, is taken for 2^-1022, whose reciprocal is finite. */
static double ulps_in_one(double sum, int digits) {
  const int least = digits == FLT_MANT_DIG ? FLT_MIN_EXP - FLT_MANT_DIG : DBL_MIN_EXP - 1;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  int place = (int)(bits >> 52 & 0x7FF) - 1023 - digits + 1;
  if (place < least) place = least;
  bits = (uint64_t)(1023 - place) << 52;
  memcpy(&sum, &bits, sizeof sum);
  return sum;
}

/* What goes on from chunk to chunk. */
typedef struct measure {
  double magnitude, before;
  exact_error worst;
} measure;

static void measure_chunk(const exact *e, size_t at, size_t count, const double *x, const double *y, measure *m) {
  const int digits = digits_of(e->type);
  for (size_t i = 0; i < count; i++) {
    double off = fabs((y[i] - e->sums[at + i]) - (double)e->rests[at + i]);
    if (!(off < INFINITY)) off = INFINITY; /* NaN, too */
    m->magnitude += fabs(x[i]);
    const double ulps = off * ulps_in_one(e->sums[at + i], digits);
    if (ulps > m->worst.ulps) m->worst.ulps = ulps;
    if (off > m->worst.units * m->magnitude) m->worst.units = off / m->magnitude;
    m->worst.falls += y[i] < m->before;
    m->before = y[i];
  }
}

exact_error exact_measure(const exact *e, const void *y) {
  measure m = {.before = -INFINITY};
  const size_t size = e->type->size;
  double xs[CHUNK], ys[CHUNK];
  for (size_t at = 0; at < e->n; at += CHUNK) {
    const size_t count = e->n - at < CHUNK ? e->n - at : CHUNK;
    e->type->reals(count, (const char *)e->x + at * size, xs);
    e->type->reals(count, (const char *)y + at * size, ys);
    measure_chunk(e, at, count, xs, ys, &m);
  }
  m.worst.units /= exact_unit(e->type);
  if (!e->input->rises) m.worst.falls = 0;
  return m.worst;
}
