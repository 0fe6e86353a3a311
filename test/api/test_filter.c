/* test_filter.c: mmscan_filter() beside direct form II transposed in quadruple precision, and in doubles.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "engine/filter.h"
#include "plan/filtering.h"
#include "support/area.h"
#include "support/reference.h"

enum { MOST = MMS_FILTER_MOST };

/* ---- Filters ----------------------------------------------------------------------------------------------------- */

typedef struct taps {
  size_t b_count, a_count;
  double b[MOST], a[MOST];
} taps;

static size_t states_of(const taps *t) { return (t->b_count > t->a_count ? t->b_count : t->a_count) - 1; }

static double b_of(const taps *t, size_t k) { return k < t->b_count ? t->b[k] : 0; }

static double a_of(const taps *t, size_t k) { return k < t->a_count ? t->a[k] : 0; }

/* Multiplies A by 1 + p z^-1 + q z^-2. */
static void multiply(taps *t, double p, double q) {
  const size_t order = q != 0 ? 2 : 1;
  for (size_t k = t->a_count; k < t->a_count + order; k++) t->a[k] = 0;
  t->a_count += order;
  for (size_t k = t->a_count; k-- > 0;) t->a[k] += (k >= 1 ? p * t->a[k - 1] : 0) + (k >= 2 ? q * t->a[k - 2] : 0);
}

/* Poles within a circle, with any a[0]. */
static taps random_taps(struct rng *rng, size_t b_count, size_t a_count, double radius) {
  static const double scales[] = {1, 1, -1, 4, -0.3};
  taps t = {.b_count = b_count, .a_count = 1, .a = {1}};
  while (t.a_count < a_count) {
    const double r = radius * fabs(draw_unit(rng)), angle = 3.14159 * draw_unit(rng);
    if (a_count - t.a_count >= 2)
      multiply(&t, -2 * r * cos(angle), r * r + DBL_MIN);
    else
      multiply(&t, radius * draw_unit(rng), 0);
  }
  const double scale = scales[draw_below(rng, COUNT(scales))];
  for (size_t k = 0; k < a_count; k++) t.a[k] *= scale;
  for (size_t k = 0; k < b_count; k++) t.b[k] = draw_unit(rng);
  return t;
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* Direct form II transposed, and what errors are measured by: the largest sum of magnitudes that makes a result. */
typedef struct oracle {
  const taps *t;
  quad z[MOST], a[MOST], b[MOST]; /* states, and coefficients over a[0] */
  double largest;
} oracle;

static oracle oracle_of(const taps *t) {
  oracle o = {.t = t};
  for (size_t k = 0; k < MOST; k++) {
    o.a[k] = (quad)a_of(t, k) / (quad)t->a[0];
    o.b[k] = (quad)b_of(t, k) / (quad)t->a[0];
  }
  return o;
}

static quad next(oracle *o, double x) {
  const taps *t = o->t;
  const size_t states = states_of(t);
  const quad in = (quad)x, out = o->z[0] + o->b[0] * in;
  double size = 0;
  for (size_t k = 0; k <= states; k++)
    size += fabs(b_of(t, k) / t->a[0] * x) + fabs(a_of(t, k) / t->a[0] * (double)out);
  for (size_t k = 1; k <= states; k++)
    o->z[k - 1] = (k < states ? o->z[k] : 0) + o->b[k] * in - (k < t->a_count ? o->a[k] * out : 0);
  if (size > o->largest) o->largest = size;
  return out;
}

/* By how much 1/A amplifies an error within n samples. */
static double gain_of(const taps *t, size_t n) {
  double h[MOST] = {0}, sum = 0;
  for (size_t i = 0; i < n; i++) {
    double next = i == 0;
    for (size_t k = 1; k < t->a_count; k++) next -= t->a[k] / t->a[0] * h[k - 1];
    memmove(h + 1, h, (MOST - 1) * sizeof *h);
    h[0] = next;
    sum += fabs(next);
  }
  return sum;
}

/* Roundings that a result has at most, of numbers that are at most so large as the sums above: a row of R of 32 samples
 * may be as large as that of a double pole. */
static const double ROUNDINGS = 64;

static double tolerance(mmscan_type type, const oracle *o, double gain, double result) {
  const double within = ROUNDINGS * DBL_EPSILON * o->largest * gain;
  return type == MMSCAN_F32 ? within + 0x1.01p-24 * (fabs(result) + within) + 0x1p-149 : within + 0x1p-1070;
}

/* ---- What is forced ---------------------------------------------------------------------------------------------- */

static bool is_forced(const mmscan_choice *c) { return !c->unit || !c->isa || same_text(c->isa, mmscan_isa()); }

/* All ways to filter: engines, instruction sets and units. */
static const struct forced *ways(void) {
  static struct forced all;
  if (all.count > 0) return &all;
  for (size_t i = 0; i < forced_all()->count; i++) {
    const mmscan_choice *c = &forced_all()->choice[i];
    if (is_forced(c)) all.choice[all.count++] = *c;
  }
  for (size_t i = 0; i < all.count; i++) {
    const char *origin = "plain loop";
    const mms_isa *isa = mms_isa_best();
    if (all.choice[i].isa) mms_isa_find(all.choice[i].isa, &isa);
    if (!same_text(all.choice[i].engine, "serial")) mms_filter_loops_of(isa, &origin);
    print_message("filters: %s x %s by loops of %s\n", all.choice[i].engine, part_of(&all.choice[i]), origin);
  }
  return &all;
}

/* ---- Signals ----------------------------------------------------------------------------------------------------- */

/* Signals in x, a y of guard bytes, and states. */
typedef struct scene {
  mmscan_filter_desc d;
  taps t;
  area x, y, state;
  unsigned char *x_at, *y_at;
  size_t size;
  bool is_in_place;
} scene;

static size_t magnitude(ptrdiff_t d) { return (size_t)(d < 0 ? -d : d); }

static size_t span(size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist) {
  return n == 0 || batch == 0 ? 0 : 1 + (n - 1) * magnitude(stride) + (batch - 1) * magnitude(dist);
}

static size_t below(size_t n, ptrdiff_t stride) { return stride < 0 && n > 0 ? (n - 1) * magnitude(stride) : 0; }

static void fill(struct rng *rng, mmscan_type type, area *a) {
  const size_t size = type == MMSCAN_F32 ? sizeof(float) : sizeof(double);
  for (size_t i = 0; i < a->size / size; i++) put_float(type, a->data, i, draw_unit(rng));
}

static double get(mmscan_type type, const unsigned char *at) {
  float f32;
  double f64;
  if (type == MMSCAN_F32) return memcpy(&f32, at, sizeof f32), (double)f32;
  return memcpy(&f64, at, sizeof f64), f64;
}

static scene scene_new(struct rng *rng, const mmscan_filter_desc *d, const taps *t, enum place place, bool has_state,
                       bool is_in_place) {
  scene s = {.d = *d, .t = *t, .size = d->type == MMSCAN_F32 ? 4 : 8, .is_in_place = is_in_place};
  s.x = area_new(place, span(d->n, d->x_stride, d->batch, d->x_dist) * s.size, 0);
  s.y = area_new(place, span(d->n, d->y_stride, d->batch, d->y_dist) * s.size, 0);
  s.state = area_new(place, has_state ? states_of(t) * d->batch * s.size : 0, 0);
  fill(rng, d->type, &s.x);
  fill(rng, d->type, &s.state);
  memset(s.y.data, GUARD_BYTE, s.y.size);
  if (is_in_place) memcpy(s.y.data, s.x.data, s.y.size);
  area_keep(&s.x, true);
  area_keep(&s.y, false);
  area_keep(&s.state, false);
  s.x_at = s.x.data + (below(d->n, d->x_stride) + below(d->batch, d->x_dist)) * s.size;
  s.y_at = s.y.data + (below(d->n, d->y_stride) + below(d->batch, d->y_dist)) * s.size;
  s.d.b_count = t->b_count, s.d.a_count = t->a_count;
  s.d.state = has_state ? s.state.data : NULL;
  return s;
}

static void scene_free(scene *s) {
  area_free(&s->x);
  area_free(&s->y);
  area_free(&s->state);
}

/* A filter of so many samples, in one call or several, between which its state is kept. */
static void run(struct rng *rng, const scene *s, const mmscan_choice *choice) {
  mmscan_filter_desc d = s->d;
  d.b = s->t.b, d.a = s->t.a;
  for (size_t done = 0, left = d.n; left > 0 || d.n == 0; done += d.n, left -= d.n) {
    d.n = s->d.state && d.batch > 0 && draw_below(rng, 2) == 0 ? draw_below(rng, left + 1) : left;
    const unsigned char *x = (s->is_in_place ? s->y_at : s->x_at) + (ptrdiff_t)done * d.x_stride * (ptrdiff_t)s->size;
    unsigned char *y = s->y_at + (ptrdiff_t)done * d.y_stride * (ptrdiff_t)s->size;
    assert_mmscan_ok(mms_filter_scan(&d, choice, x, y));
    if (left == 0) break;
  }
}

/* What is in x, and was in the state, of signal j. */
static double x_of(const scene *s, size_t j, size_t i) {
  const ptrdiff_t at = (ptrdiff_t)j * s->d.x_dist + (ptrdiff_t)i * s->d.x_stride;
  return get(s->d.type, s->x_at + at * (ptrdiff_t)s->size);
}

static double state_before(const scene *s, size_t j, size_t k) {
  return s->d.state ? get(s->d.type, s->state.before + (j * states_of(&s->t) + k) * s->size) : 0;
}

static void check_near(const scene *s, const char *what, size_t j, size_t i, double got, quad want, double within,
                       const mmscan_choice *c) {
  if (fabs((double)((quad)got - want)) <= within) return;
  fail_seeded("%s x %s: n %zu x %zu, b %zu, a %zu, strides %td %td: %s %zu of signal %zu is %.17g, not %.17g +- %g",
              c->engine, part_of(c), s->d.n, s->d.batch, s->t.b_count, s->t.a_count, s->d.x_stride, s->d.y_stride, what,
              i, j, got, (double)want, within);
}

/* Checks a signal, and makes of its results what was there before. The state was rounded to F32 after each call. */
static void check_signal(const scene *s, size_t j, const mmscan_choice *c) {
  const mmscan_type type = s->d.type;
  const size_t states = states_of(&s->t);
  const double gain = gain_of(&s->t, s->d.n);
  const double kept = type == MMSCAN_F32 && s->d.state ? 16 * 0x1p-24 : 0;
  oracle o = oracle_of(&s->t);
  for (size_t k = 0; k < states; k++) {
    o.z[k] = (quad)state_before(s, j, k);
    o.largest += fabs((double)o.z[k]);
  }
  for (size_t i = 0; i < s->d.n; i++) {
    const ptrdiff_t at = (ptrdiff_t)j * s->d.y_dist + (ptrdiff_t)i * s->d.y_stride;
    unsigned char *y = s->y_at + at * (ptrdiff_t)s->size;
    const quad want = next(&o, x_of(s, j, i));
    const double within = tolerance(type, &o, gain, (double)want) + kept * o.largest * gain;
    check_near(s, "result", j, i, get(type, y), want, within, c);
    memcpy(y, s->y.before + (y - s->y.data), s->size);
  }
  for (size_t k = 0; s->d.state && k < states; k++) {
    const double within = (tolerance(type, &o, gain, (double)o.z[k]) + kept * o.largest * gain) * (double)(states + 1);
    check_near(s, "state", j, k, get(type, s->state.data + (j * states + k) * s->size), o.z[k], within, c);
  }
}

static void check(struct rng *rng, scene *s, const mmscan_choice *c) {
  run(rng, s, c);
  for (size_t j = 0; j < s->d.batch; j++) check_signal(s, j, c);
  assert_true(area_is_kept(&s->x));
  assert_true(area_is_kept(&s->y)); /* between the results, too */
  scene_free(s);
}

/* ---- Random filters ---------------------------------------------------------------------------------------------- */

static size_t draw_length(struct rng *rng) {
  static const size_t edges[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 511, 512, 513, 1024, 2047, 2048, 2049};
  switch (draw_below(rng, 4)) {
  case 0:
    return draw_below(rng, 40);
  case 1:
    return draw_below(rng, 3000);
  default:
    return edges[draw_below(rng, COUNT(edges))];
  }
}

/* Rows, columns, or with gaps, in any direction. */
static void draw_layout(struct rng *rng, mmscan_filter_desc *d, bool is_in_place) {
  const ptrdiff_t n = (ptrdiff_t)d->n + 1, batch = (ptrdiff_t)d->batch + 1, sign = draw_below(rng, 2) ? 1 : -1;
  const ptrdiff_t step = 1 + (ptrdiff_t)draw_below(rng, 3), other = draw_below(rng, 2) ? sign : -sign;
  const bool are_columns = draw_below(rng, d->batch > 5 ? 2 : 3) == 0;
  d->y_stride = are_columns ? sign * batch * step : sign * step;
  d->y_dist = are_columns ? (draw_below(rng, 2) ? 1 : other * step) : other * n * step;
  if (is_in_place) {
    d->x_stride = d->y_stride, d->x_dist = d->y_dist;
    return;
  }
  d->x_stride = (ptrdiff_t)draw_below(rng, 5) - 2;
  d->x_dist = ((ptrdiff_t)draw_below(rng, 3) - 1) * n * 2;
  if (are_columns && draw_below(rng, 2)) d->x_stride = batch, d->x_dist = 1;
}

static void check_random(struct rng *rng, const mmscan_choice *forced, double radius) {
  mmscan_choice c = *forced;
  const taps t = random_taps(rng, 1 + draw_below(rng, MOST), 1 + draw_below(rng, MOST), radius);
  const bool is_in_place = draw_below(rng, 3) == 0, has_state = draw_below(rng, 2) == 0;
  mmscan_filter_desc d = {.struct_size = sizeof d,
                          .type = draw_below(rng, 2) ? MMSCAN_F32 : MMSCAN_F64,
                          .n = draw_length(rng),
                          .batch = draw_below(rng, 8) ? 1 + draw_below(rng, draw_below(rng, 4) ? 5 : 150) : 0};
  if (is_model(forced)) d.n %= 300;
  if (d.batch > 5) d.n %= 150;
  if (radius > 1) d.n %= 600; /* so that no result of F32 is infinite */
  draw_layout(rng, &d, is_in_place);
  c.threads = (int)draw_below(rng, 9);
  scene s = scene_new(rng, &d, &t, (enum place)draw_below(rng, PLACES), has_state, is_in_place);
  check(rng, &s, &c);
}

TEST(test_random) {
  struct rng rng = rng_of(1);
  for (size_t way = 0; way < ways()->count; way++)
    for (size_t i = 0; i < sized(160, 40); i++)
      check_random(&rng, &ways()->choice[way], i % 4 == 0 ? 0.999 : i % 4 == 1 ? 1.05 : 0.9);
}

/* ---- Long signals, by blocks ------------------------------------------------------------------------------------- */

static taps butterworth_like(size_t order, double radius, double angle) {
  taps t = {.b_count = order + 1, .a_count = 1, .a = {1}};
  for (size_t k = 0; k + 1 < order; k += 2) {
    const double at = angle * (1 - (double)k / (double)(order + 1));
    multiply(&t, -2 * radius * cos(at), radius * radius);
  }
  if (order % 2) multiply(&t, -radius, 0);
  double sum = 0;
  for (size_t k = 0; k < t.a_count; k++) sum += t.a[k];
  t.b[0] = sum * pow(0.5, (double)order);
  for (size_t k = 1; k <= order; k++) t.b[k] = t.b[k - 1] * (double)(order + 1 - k) / (double)k;
  return t;
}

static void check_long(struct rng *rng, const taps *t, mmscan_type type, size_t n, const mmscan_choice *c) {
  mmscan_filter_desc d = {.struct_size = sizeof d, .type = type, .n = n, .x_stride = 1, .y_stride = 1, .batch = 1};
  scene s = scene_new(rng, &d, t, ENDS_PAGE, true, draw_below(rng, 2) == 0);
  d = s.d, d.b = s.t.b, d.a = s.t.a;
  assert_mmscan_ok(mms_filter_scan(&d, c, s.is_in_place ? s.y_at : s.x_at, s.y_at));
  check_signal(&s, 0, c);
  assert_true(area_is_kept(&s.x) && area_is_kept(&s.y));
  scene_free(&s);
}

/* Whole blocks and others; each order by either type in turn. */
TEST(test_long) {
  struct rng rng = rng_of(2);
  for (size_t way = 0; way < ways()->count; way++)
    for (size_t order = 0; order < MOST; order += quick() ? 3 : 1)
      if (!is_model(&ways()->choice[way])) {
        const taps t = butterworth_like(order, 0.6, 1.5);
        const bool is_float = (way + order) % 2;
        check_long(&rng, &t, is_float ? MMSCAN_F32 : MMSCAN_F64, is_float ? 16643 : 16384, &ways()->choice[way]);
      }
}

/* Which filters have blocks: those whose errors do not grow. */
TEST(test_choice_of_blocks) {
  static const struct {
    size_t order;
    double radius, angle;
    bool has_blocks;
  } rows[] = {{0, 0, 0, true},      {1, 0.9, 0, true},     {2, 0.9, 0.3, true},   {8, 0.6, 1.5, true},
              {15, 0.3, 1.5, true}, {8, 0.95, 0.2, false}, {15, 0.9, 0.3, false}, {1, 1, 0, false},
              {2, 1.01, 1, false},  {1, 3, 0, false},      {15, 1e30, 1, false},  {2, 0.99999, 0.01, false}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    const taps t = butterworth_like(rows[i].order, rows[i].radius, rows[i].angle);
    mms_filter_taps c = {.b_order = (int)rows[i].order, .order = (int)rows[i].order, .states = (int)rows[i].order};
    memcpy(c.a, t.a, sizeof c.a);
    memcpy(c.b, t.b, sizeof c.b);
    for (size_t length = 2; length <= 32; length *= 2)
      if (mms_filter_has_blocks(&c, length) != rows[i].has_blocks)
        fail_seeded("order %zu, radius %g: blocks of %zu", rows[i].order, rows[i].radius, length);
    mms_filter f = {.taps = c, .n = 1 << 20, .count = 1};
    const mms_filter_loops *loops = mms_filter_loops_of(mms_isa_best(), NULL);
    assert_int_equal(rows[i].has_blocks ? 32 : 0, mms_filter_choose(&f, &mms_engine_gemm, mms_isa_best()));
    assert_int_equal(0, mms_filter_choose(&f, &mms_engine_simd, mms_isa_best()));
    assert_true(f.loop == (rows[i].has_blocks ? loops->by_blocks : loops->in_turn));
  }
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* Rows, and columns of a matrix. More signals than groups of them. */
TEST(test_threads) {
  enum { N = 700, BATCH = 77, STATES = 3 };
  static double x[BATCH * N], y[BATCH * N], want[BATCH * N], kept[BATCH * STATES], want_state[BATCH * STATES];
  struct rng rng = rng_of(3);
  const taps t = random_taps(&rng, 4, 3, 0.9);
  mmscan_filter_desc d = {.struct_size = sizeof d,
                          .type = MMSCAN_F64,
                          .n = N,
                          .batch = BATCH,
                          .b_count = 4,
                          .a_count = 3,
                          .b = t.b,
                          .a = t.a};
  for (size_t i = 0; i < BATCH * N; i++) x[i] = draw_unit(&rng);
  for (size_t way = 0; way < 2 * ways()->count; way++) {
    mmscan_choice c = ways()->choice[way / 2];
    d.x_stride = d.y_stride = way % 2 ? BATCH : 1;
    d.x_dist = d.y_dist = way % 2 ? 1 : N;
    for (int threads = 1; threads <= 8 && !is_model(&c); threads++) {
      c.threads = threads;
      for (size_t i = 0; i < BATCH * STATES; i++) kept[i] = (double)i;
      d.state = kept;
      assert_mmscan_ok(mms_filter_scan(&d, &c, x, y));
      if (threads == 1) memcpy(want, y, sizeof y), memcpy(want_state, kept, sizeof kept);
      assert_memory_equal(want, y, sizeof y);
      assert_memory_equal(want_state, kept, sizeof kept);
    }
  }
}

/* ---- Numbers that are not ---------------------------------------------------------------------------------------- */

/* The plain loop as SciPy has it: both have coefficients for every state, unless A is 1. */
static void filter_plainly(const taps *t, size_t n, const double *x, double *y, double *z) {
  const size_t states = states_of(t);
  for (size_t i = 0; i < n; i++) {
    y[i] = (states ? z[0] : 0) + b_of(t, 0) / t->a[0] * x[i];
    for (size_t k = 1; k <= states; k++) {
      z[k - 1] = (k < states ? z[k] : 0) + b_of(t, k) / t->a[0] * x[i];
      if (t->a_count > 1) z[k - 1] -= a_of(t, k) / t->a[0] * y[i];
    }
  }
}

/* Where a sum overflows on the way to a result, that may be finite all the same. */
static bool is_alike(double got, double want, double largest) {
  if (!isfinite(want) && largest > DBL_MAX / 2) return true;
  if (!isfinite(want)) return isnan(want) ? isnan(got) : got == want;
  return isfinite(got) && fabs(got - want) <= 1e-9 * (largest + fabs(want));
}

/* At least 1. */
static double largest_of(size_t n, const double *x) {
  double most = 1;
  for (size_t i = 0; i < n; i++)
    if (isfinite(x[i]) && fabs(x[i]) > most) most = fabs(x[i]);
  return most;
}

static void check_odd(const taps *t, size_t n, const double *x, const double *state, const mmscan_choice *c) {
  static double y[20000], want[20000];
  const double largest = largest_of(n, x);
  double z[MOST], want_z[MOST];
  mmscan_filter_desc d = {.struct_size = sizeof d,
                          .type = MMSCAN_F64,
                          .n = n,
                          .x_stride = 1,
                          .y_stride = 1,
                          .batch = 1,
                          .b_count = t->b_count,
                          .a_count = t->a_count,
                          .b = t->b,
                          .a = t->a,
                          .state = z};
  memcpy(z, state, sizeof z);
  memcpy(want_z, state, sizeof z);
  filter_plainly(t, n, x, want, want_z);
  assert_mmscan_ok(mms_filter_scan(&d, c, x, y));
  for (size_t i = 0; i < n; i++)
    if (!is_alike(y[i], want[i], largest))
      fail_seeded("%s x %s, b %zu, a %zu: result %zu of %zu is %g, not %g", c->engine, part_of(c), t->b_count,
                  t->a_count, i, n, y[i], want[i]);
  for (size_t k = 0; k < states_of(t); k++)
    if (!is_alike(z[k], want_z[k], largest))
      fail_seeded("%s x %s: state %zu is %g, not %g", c->engine, part_of(c), k, z[k], want_z[k]);
}

static const double odd[] = {INFINITY, -INFINITY, NAN, DBL_MAX, -0x1p1000, 0x1p-1060};

TEST(test_infinities) {
  static double x[20000];
  struct rng rng = rng_of(4);
  for (size_t way = 0; way < ways()->count; way++)
    for (size_t i = 0; i < sized(200, 40); i++) {
      const mmscan_choice *c = &ways()->choice[way];
      const size_t a_count = draw_below(&rng, 3) ? 1 + draw_below(&rng, MOST) : 1;
      const size_t n = i % 8 == 0 && !is_model(c) ? 16384 + draw_below(&rng, 1000) : 1 + draw_below(&rng, 1200);
      const taps t = i % 8 == 0 && a_count > 1 ? butterworth_like(1 + draw_below(&rng, 8), 0.6, 1.5)
                                               : random_taps(&rng, 1 + draw_below(&rng, MOST), a_count, 0.7);
      double kept[MOST];
      for (size_t k = 0; k < n; k++) x[k] = draw_unit(&rng);
      for (size_t k = 0; k < MOST; k++) kept[k] = draw_unit(&rng);
      x[draw_below(&rng, n)] = odd[draw_below(&rng, COUNT(odd))];
      if (i % 3 == 0) x[draw_below(&rng, n)] = odd[draw_below(&rng, 3)];
      if (i % 5 == 0) kept[draw_below(&rng, MOST)] = odd[draw_below(&rng, 3)];
      check_odd(&t, n, x, kept, c);
    }
}

/* Signals of a batch: those that have such numbers, in x or in their states, do not reach the others. */
typedef struct odd_batch {
  size_t n, count;
  ptrdiff_t stride, dist;
  taps t;
  double x[90 * 150], z[90 * MOST];
} odd_batch;

static void draw_odd(struct rng *rng, odd_batch *o) {
  const bool are_rows = draw_below(rng, 2);
  o->n = 1 + draw_below(rng, 150);
  o->count = 1 + draw_below(rng, 90);
  o->stride = are_rows ? 1 : (ptrdiff_t)o->count;
  o->dist = are_rows ? (ptrdiff_t)o->n : 1;
  o->t = random_taps(rng, 1 + draw_below(rng, MOST), 1 + draw_below(rng, MOST), 0.7);
  for (size_t i = 0; i < o->n * o->count; i++) o->x[i] = draw_unit(rng);
  for (size_t i = 0; i < MOST * o->count; i++) o->z[i] = draw_unit(rng);
  for (int k = 0; k < 5; k++) o->x[draw_below(rng, o->n * o->count)] = odd[draw_below(rng, COUNT(odd))];
  if (draw_below(rng, 3) == 0) o->z[draw_below(rng, MOST * o->count)] = odd[draw_below(rng, 3)];
}

static void check_odd_signal(const odd_batch *o, size_t j, const double *y, const double *after, const char *engine) {
  const size_t states = states_of(&o->t);
  double x[150] = {0}, want[150], z[MOST];
  for (size_t i = 0; i < o->n; i++) x[i] = o->x[(ptrdiff_t)j * o->dist + (ptrdiff_t)i * o->stride];
  memcpy(z, o->z + j * states, states * sizeof *z);
  const double in_x = largest_of(o->n, x), in_z = largest_of(states, z), largest = in_x > in_z ? in_x : in_z;
  filter_plainly(&o->t, o->n, x, want, z);
  for (size_t i = 0; i < o->n; i++) {
    const double got = y[(ptrdiff_t)j * o->dist + (ptrdiff_t)i * o->stride];
    if (!is_alike(got, want[i], largest))
      fail_seeded("%s: result %zu of signal %zu of %zu x %zu is %g, not %g", engine, i, j, o->n, o->count, got,
                  want[i]);
  }
  for (size_t k = 0; k < states; k++)
    if (!is_alike(after[j * states + k], z[k], largest))
      fail_seeded("%s: state %zu of signal %zu is %g, not %g", engine, k, j, after[j * states + k], z[k]);
}

TEST(test_infinities_of_a_batch) {
  static odd_batch o;
  static double y[COUNT(o.x)], after[COUNT(o.z)];
  struct rng rng = rng_of(5);
  for (size_t way = 0; way < ways()->count; way++)
    for (size_t i = 0; i < sized(80, 20); i++) {
      draw_odd(&rng, &o);
      memcpy(after, o.z, sizeof after);
      const mmscan_filter_desc d = {.struct_size = sizeof d,
                                    .type = MMSCAN_F64,
                                    .n = o.n,
                                    .x_stride = o.stride,
                                    .y_stride = o.stride,
                                    .batch = o.count,
                                    .x_dist = o.dist,
                                    .y_dist = o.dist,
                                    .b_count = o.t.b_count,
                                    .a_count = o.t.a_count,
                                    .b = o.t.b,
                                    .a = o.t.a,
                                    .state = after};
      assert_mmscan_ok(mms_filter_scan(&d, &ways()->choice[way], o.x, y));
      for (size_t j = 0; j < o.count; j++) check_odd_signal(&o, j, y, after, ways()->choice[way].engine);
    }
}

/* They grow until they are infinite, and then NaN; a growing sum of samples does not. */
TEST(test_unstable) {
  enum { N = 18000 };
  static double x[N];
  static const double none[MOST];
  const taps all[] = {{1, 2, {1}, {1, -1.5}},  {2, 3, {1, 0.5}, {1, -2.1, 1.2}}, {1, 2, {1}, {1, -1e200}},
                      {1, 3, {1}, {1, 0, -4}}, {1, 2, {1}, {1, 1.01}},           {1, 2, {1}, {1, -1}},
                      {1, 3, {1}, {1, -2, 1}}};
  for (size_t i = 0; i < N; i++) x[i] = i % 3 == 0;
  for (size_t way = 0; way < ways()->count; way++)
    for (size_t k = 0; k < COUNT(all); k++) check_odd(&all[k], N, x, none, &ways()->choice[way]);
}

/* Results of F32 are rounded doubles. */
TEST(test_rounding) {
  const double b[] = {0x1p100}, a[] = {1, -1};
  const float x[] = {0x1p27f, 1, -0x1.8p27f, 0, 0x1p-149f};
  float y[5];
  const mmscan_filter_desc d = {.struct_size = sizeof d,
                                .type = MMSCAN_F32,
                                .n = 5,
                                .x_stride = 1,
                                .y_stride = 1,
                                .batch = 1,
                                .b_count = 1,
                                .a_count = 2,
                                .b = b,
                                .a = a};
  assert_mmscan_ok(mmscan_filter(&d, x, y));
  assert_true(y[0] == 0x1p127f && y[1] == 0x1p127f && y[2] == -0x1p126f && y[3] == -0x1p126f);
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static const double some[MOST + 1] = {2, 1, 1};

static mmscan_filter_desc plain_filter(void) {
  return (mmscan_filter_desc){.struct_size = sizeof(mmscan_filter_desc),
                              .type = MMSCAN_F64,
                              .n = 20,
                              .x_stride = 1,
                              .y_stride = 1,
                              .batch = 2,
                              .x_dist = 20,
                              .y_dist = 20,
                              .b_count = 2,
                              .a_count = 3,
                              .b = some,
                              .a = some};
}

static mmscan_status status_of(const mmscan_filter_desc *d, ptrdiff_t x_at, ptrdiff_t y_at) {
  static double memory[4096], before[4096];
  const mmscan_status status = mmscan_filter(d, memory + 1000 + x_at, memory + 1000 + y_at);
  if (status) assert_memory_equal(memory, before, sizeof memory);
  memset(memory, 0, sizeof memory);
  return status;
}

TEST(test_arguments) {
  const mmscan_filter_desc good = plain_filter();
  const size_t counts[] = {0, MOST + 1, SIZE_MAX}, huge[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 61};
  mmscan_filter_desc d = good;
  assert_mmscan_ok(status_of(&d, 0, 100));
  assert_status(MMSCAN_EINVAL, mmscan_filter(NULL, &d, &d));
  assert_status(MMSCAN_EINVAL, mmscan_filter(&d, NULL, &d));
  assert_status(MMSCAN_EINVAL, mmscan_filter(&d, &d, NULL));
  d.struct_size--;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  d = good, d.type = (mmscan_type)0;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  d = good, d.type = MMSCAN_I32;
  assert_status(MMSCAN_ENOTSUP, status_of(&d, 0, 100));
  d = good, d.type = MMSCAN_C64;
  assert_status(MMSCAN_ENOTSUP, status_of(&d, 0, 100));
  d = good, d.b = NULL;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  d = good, d.a = NULL;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  d = good, d.y_stride = 0;
  assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  for (size_t i = 0; i < 3; i++) {
    d = good, d.b_count = counts[i];
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
    d = good, d.a_count = counts[i];
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
    d = good, d.n = huge[i];
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
    d = good, d.batch = huge[i];
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  }
}

TEST(test_coefficients) {
  const double wrong[][3] = {{0, 1, 1},   {NAN, 1, 1},       {1, INFINITY, 0},
                             {1, 1, NAN}, {0x1p-1060, 1, 1}, {INFINITY, 1, 1}};
  mmscan_filter_desc d = plain_filter();
  for (size_t i = 0; i < COUNT(wrong); i++) {
    d = plain_filter(), d.a = wrong[i];
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
    d.n = 0;
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
    if (i == 0 || i == 4) continue;
    d = plain_filter(), d.b = wrong[i], d.b_count = 3;
    assert_status(MMSCAN_EINVAL, status_of(&d, 0, 100));
  }
}

/* Nothing to do leaves the state. */
TEST(test_nothing) {
  double kept[4] = {1, 2, 3, 4};
  mmscan_filter_desc d = plain_filter();
  d.state = kept, d.n = 0;
  assert_mmscan_ok(mmscan_filter(&d, NULL, NULL));
  d = plain_filter(), d.state = kept, d.batch = 0;
  assert_mmscan_ok(mmscan_filter(&d, NULL, NULL));
  for (int k = 0; k < 4; k++) assert_true(kept[k] == k + 1);
}

TEST(test_overlap) {
  double memory[300] = {0};
  mmscan_filter_desc d = plain_filter();
  assert_mmscan_ok(status_of(&d, 0, 0));
  for (ptrdiff_t at = -45; at <= 45; at++)
    assert_status(at && at > -40 && at < 40 ? MMSCAN_EOVERLAP : MMSCAN_OK, status_of(&d, 0, at));
  d.y_dist = 19;
  assert_status(MMSCAN_EOVERLAP, status_of(&d, 0, 100));
  for (ptrdiff_t at = 0; at < 200; at++) { /* a state of 4 numbers, x from 50 to 89, y from 120 to 159 */
    const bool meets = (at > 46 && at < 90) || (at > 116 && at < 160);
    d = plain_filter(), d.state = memory + at;
    assert_status(meets ? MMSCAN_EOVERLAP : MMSCAN_OK, mmscan_filter(&d, memory + 50, memory + 120));
  }
  d = plain_filter(), d.state = (char *)memory + 2;
  assert_status(MMSCAN_EINVAL, mmscan_filter(&d, memory + 50, memory + 120));
  d.a_count = d.b_count = 1; /* no state */
  assert_mmscan_ok(mmscan_filter(&d, memory + 50, memory + 120));
}

TEST(test_choices) {
  double x[40] = {0}, y[40];
  const mmscan_filter_desc d = plain_filter();
  const mmscan_choice nothing = {.struct_size = sizeof nothing};
  mmscan_choice c = nothing;
  c.engine = "none";
  assert_status(MMSCAN_EINVAL, mms_filter_scan(&d, &c, x, y));
  c = nothing, c.isa = "none";
  assert_status(MMSCAN_EINVAL, mms_filter_scan(&d, &c, x, y));
  c = nothing, c.engine = "gemm", c.unit = "none";
  assert_status(MMSCAN_EINVAL, mms_filter_scan(&d, &c, x, y));
  c.engine = "simd";
  assert_status(MMSCAN_EINVAL, mms_filter_scan(&d, &c, x, y));
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
