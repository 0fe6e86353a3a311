/* test_recurrence.c: mmscan_recurrence() beside the loop in quadruple precision, and beside the plain loop, by every
 * engine, instruction set and unit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "plan/series.h"
#include "support/area.h"
#include "support/child.h"
#include "support/reference.h"

enum { MOST_ELEMENTS = 2500, MOST_BATCH = 20 };

/* ---- What is computed -------------------------------------------------------------------------------------------- */

/* How a, or x, is drawn: near one magnitude, with others here and there. */
typedef struct flavour {
  double around, spread; /* around + spread * (-1 to 1) */
  size_t every;          /* one in so many is drawn from: */
  const double *others;
  size_t count;
} flavour;

static const double zeros[] = {0}, resets[] = {0, 1, -1},
                    wild[] = {0, INFINITY, -INFINITY, NAN, 1e30, -1e-30, 1e-42, 2}, large[] = {1e30, -1e30, 3e38, 0},
                    odd[] = {INFINITY, -INFINITY, NAN, 1e38, 0}, far[] = {1e30, 1e-30, -1e30, -1e-30, 1e-20, 1e20};

#define OTHERS(list) (list), COUNT(list)

static const flavour of_a[] = {{0, 1, 0, NULL, 0},
                               {0.99, 0.01, 0, NULL, 0},
                               {1, 0.01, 0, NULL, 0},
                               {1, 0, 0, NULL, 0},
                               {-1, 0, 0, NULL, 0},
                               {0.5, 0, 0, NULL, 0},
                               {0, 0, 0, NULL, 0},
                               {2, 0, 0, NULL, 0},
                               {1.0000001, 0, 0, NULL, 0},
                               {1e30, 0, 0, NULL, 0},
                               {1e-30, 0, 0, NULL, 0},
                               {1e-42, 0, 0, NULL, 0},
                               {INFINITY, 0, 0, NULL, 0},
                               {NAN, 0, 0, NULL, 0},
                               {0, 2, 0, NULL, 0},
                               {0, 1, 20, OTHERS(resets)},
                               {0.9, 0.1, 300, OTHERS(wild)},
                               {1, 0, 2, OTHERS(far)},
                               {0, 5, 40, OTHERS(zeros)}},
                     of_x[] = {{0, 1, 0, NULL, 0},        {1, 0.5, 0, NULL, 0},     {0, 0, 0, NULL, 0},
                               {0, 0, 100, OTHERS(wild)}, {0, 1, 500, OTHERS(odd)}, {0, 1, 50, OTHERS(large)},
                               {1e-38, 1e-38, 0, NULL, 0}};

/* A call, and the memory that it is given. at: the first elements of each. */
typedef struct scene {
  mmscan_recurrence_desc d;
  const ref_type *type;
  area a, x, y;
  bool in_place;
  const unsigned char *a_at, *x_at;
  unsigned char *y_at;
  unsigned char init[MOST_BATCH * 16], last[MOST_BATCH * 16];
} scene;

static size_t parts_of(const ref_type *t) { return t->kind == 'c' ? 2 : 1; }
static size_t magnitude(ptrdiff_t d) { return (size_t)(d < 0 ? -d : d); }

static double draw_from(struct rng *rng, const flavour *f) {
  if (f->every && draw_below(rng, f->every) == 0) return f->others[draw_below(rng, f->count)];
  return f->around + f->spread * draw_unit(rng);
}

/* Numbers, of which complex ones are turned by any angle. */
static void fill(struct rng *rng, const ref_type *t, const flavour *f, unsigned char *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const double size = draw_from(rng, f), angle = parts_of(t) == 2 && draw(rng) % 2 ? draw_unit(rng) * 3 : 0;
    ref_put_real(t, to + i * t->size, 0, angle == 0 ? size : size * cos(angle));
    if (parts_of(t) == 2) ref_put_real(t, to + i * t->size, 1, angle == 0 ? 0 : size * sin(angle));
  }
}

static size_t span(const mmscan_recurrence_desc *d, ptrdiff_t stride, ptrdiff_t dist) {
  return d->n && d->batch ? (d->n - 1) * magnitude(stride) + (d->batch - 1) * magnitude(dist) + 1 : 0;
}

/* Bytes below the first element of the first scan. */
static size_t below(const mmscan_recurrence_desc *d, ptrdiff_t stride, ptrdiff_t dist) {
  if (d->n == 0 || d->batch == 0) return 0;
  return (stride < 0 ? (d->n - 1) * magnitude(stride) : 0) + (dist < 0 ? (d->batch - 1) * magnitude(dist) : 0);
}

static scene scene_new(struct rng *rng, const mmscan_recurrence_desc *d, const flavour *fa, const flavour *fx,
                       bool in_place) {
  const ref_type *t = ref_type_of(d->type);
  const enum place place = (enum place)draw_below(rng, PLACES);
  const size_t of_x_span = span(d, d->x_stride, d->x_dist), of_a_span = span(d, d->a_stride, d->a_dist);
  scene s = {.d = *d, .type = t, .in_place = in_place};
  s.a = area_new(place, of_a_span * t->size, 0);
  s.x = area_new(place, of_x_span * t->size, 0);
  fill(rng, t, fa, s.a.data, of_a_span);
  fill(rng, t, fx, s.x.data, of_x_span);
  fill(rng, t, &of_x[draw_below(rng, 2)], s.init, d->batch);
  area_keep(&s.a, true);
  area_keep(&s.x, !in_place);
  s.a_at = s.a.data + below(d, d->a_stride, d->a_dist) * t->size;
  s.x_at = s.x.data + below(d, d->x_stride, d->x_dist) * t->size;
  s.y = area_new(place, span(d, d->y_stride, d->y_dist) * t->size, 0);
  s.y_at = in_place ? (unsigned char *)s.x_at : s.y.data + below(d, d->y_stride, d->y_dist) * t->size;
  return s;
}

static void scene_free(scene *s) {
  area_free(&s->a);
  area_free(&s->x);
  area_free(&s->y);
}

/* As before any call. */
static void restore(scene *s) {
  if (s->in_place) memcpy(s->x.data, s->x.before, s->x.size);
  memset(s->y.data, GUARD_BYTE, s->y.size);
  memset(s->last, GUARD_BYTE, sizeof s->last);
}

/* ---- The loops --------------------------------------------------------------------------------------------------- */

/* A result, as it is in quadruple precision, and by the plain loop; and what an error of it is measured by. */
typedef struct loop {
  quad exact[2];
  long double size, most, vanished; /* whose range doubles would leave */
  double plain[2];
  size_t steps;
  bool is_known; /* nothing on the way was nearly too large */
} loop;

static double rounded(const ref_type *t, double value) { return t->digits == 24 ? (double)(float)value : value; }
static long double most_of(const ref_type *t) { return t->digits == 24 ? (long double)FLT_MAX : (long double)DBL_MAX; }

/* Of the exact result. */
static long double size_of(const loop *l) { return fabsl((long double)l->exact[0]) + fabsl((long double)l->exact[1]); }

/* In doubles, of which floats are rounded after every operation: those that have twice the digits are rounded twice to
 * the same result. */
static double plain_product(const ref_type *t, double a, double b) { return rounded(t, a * b); }
static double plain_sum(const ref_type *t, double a, double b) { return rounded(t, a + b); }

static void step_plain(const ref_type *t, loop *l, const double a[2], const double x[2]) {
  const double y[2] = {l->plain[0], l->plain[1]};
  double re = plain_product(t, a[0], y[0]), im = 0;
  if (parts_of(t) == 2) {
    re = plain_sum(t, re, -plain_product(t, a[1], y[1]));
    im = plain_sum(t, plain_product(t, a[0], y[1]), plain_product(t, a[1], y[0]));
  }
  l->plain[0] = plain_sum(t, re, x[0]);
  l->plain[1] = plain_sum(t, im, x[1]);
}

static void step(const ref_type *t, loop *l, const double a[2], const double x[2]) {
  const quad y[2] = {l->exact[0], l->exact[1]};
  const long double factor = fabsl((long double)a[0]) + fabsl((long double)a[1]);
  const long double least = t->digits == 24 ? 0x1p-124L : 0x1p-1020L;
  step_plain(t, l, a, x);
  l->exact[0] = (quad)a[0] * y[0] + (quad)x[0];
  if (parts_of(t) == 2) {
    l->exact[0] = (quad)a[0] * y[0] - (quad)a[1] * y[1] + (quad)x[0];
    l->exact[1] = (quad)a[0] * y[1] + (quad)a[1] * y[0] + (quad)x[1];
  }
  l->size = factor * l->size + fabsl((long double)x[0]) + fabsl((long double)x[1]);
  if (l->size > l->most) l->most = l->size;
  l->vanished = factor * l->vanished + least * l->most + (t->digits == 24 ? 0x1p-146L : 0x1p-1072L);
  l->steps++;
  const long double high = size_of(l), most = most_of(t), margin = parts_of(t) == 2 ? 8 : 1.001L;
  if (high > most / margin && high < most * margin) l->is_known = false;
}

static bool is_finite(double v) { return v - v == 0; }

static bool is_alike(double got, double plain) {
  return isnan(plain) ? isnan(got) : isinf(plain) ? got == plain : is_finite(got);
}

/* Whether a part of a result is right. Where the loop is not finite, it never is again. */
static bool is_right(const ref_type *t, const loop *l, double got, size_t part) {
  const bool is_complex = parts_of(t) == 2, plain_is = is_finite(l->plain[0]) && is_finite(l->plain[1]);
  if (!plain_is && is_complex) return true; /* looked at as a whole */
  if (!plain_is) return is_alike(got, l->plain[part]);
  const double c = (double)(is_complex ? 4 : 1) * (2 * (double)l->steps + 32), u = ldexp(1, -t->digits);
  return fabsl((long double)((quad)got - l->exact[part])) <= c * u / (1 - c * u) * l->size + l->vanished;
}

static bool is_right_as_a_whole(const loop *l, const double got[2]) {
  return (is_finite(got[0]) && is_finite(got[1])) == (is_finite(l->plain[0]) && is_finite(l->plain[1]));
}

static const unsigned char *element(const unsigned char *from, const ref_type *t, ptrdiff_t at) {
  return from + at * (ptrdiff_t)t->size;
}

static void get(const ref_type *t, const unsigned char *from, double to[2]) {
  to[0] = ref_get_real(t, from, 0);
  to[1] = parts_of(t) == 2 ? ref_get_real(t, from, 1) : 0;
}

/* Checks one scan, and makes guard bytes of its results. Returns the number of the first wrong one, or n. */
static size_t check_scan(scene *s, size_t scan) {
  const mmscan_recurrence_desc *d = &s->d;
  const ref_type *t = s->type;
  const ptrdiff_t r = (ptrdiff_t)scan;
  const unsigned char *x_before = s->in_place ? s->x.before + (s->x_at - s->x.data) : s->x_at;
  loop l = {.is_known = true};
  double a[2], x[2], y[2];
  if (d->init) {
    get(t, (const unsigned char *)s->init + scan * t->size, l.plain);
    l.exact[0] = (quad)l.plain[0], l.exact[1] = (quad)l.plain[1];
    l.size = l.most = size_of(&l);
  }
  for (size_t k = 0; k < d->n; k++) {
    const ptrdiff_t i = (ptrdiff_t)(d->reverse ? d->n - 1 - k : k);
    unsigned char *to = (unsigned char *)element(s->y_at, t, r * d->y_dist + i * d->y_stride);
    get(t, element(s->a_at, t, r * d->a_dist + i * d->a_stride), a);
    get(t, element(x_before, t, r * d->x_dist + i * d->x_stride), x);
    get(t, to, y);
    step(t, &l, a, x);
    bool is = !l.is_known || is_right_as_a_whole(&l, y);
    for (size_t part = 0; part < parts_of(t); part++) is = is && (!l.is_known || is_right(t, &l, y[part], part));
    if (!is) return k;
    if (d->last && k == d->n - 1 && memcmp(to, s->last + scan * t->size, t->size) != 0) return k;
    memset(to, GUARD_BYTE, t->size);
  }
  return d->n;
}

/* ---- One call ---------------------------------------------------------------------------------------------------- */

static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_C32, MMSCAN_C64};

static const char *text_of(const mmscan_choice *c) {
  static char text[128];
  snprintf(text, sizeof text, "engine %s isa %s unit %s tile %zu threads %d way %s", text_or(c->engine, "any"),
           text_or(c->isa, "any"), text_or(c->unit, "any"), c->tile, c->threads, text_or(c->way, "any"));
  return text;
}

static mmscan_status call(scene *s, const mmscan_choice *c) {
  restore(s);
  return mms_series_recur(&s->d, c, s->a_at, s->x_at, s->y_at);
}

static void check_results(scene *s, const mmscan_choice *c, const char *what) {
  const mmscan_recurrence_desc *d = &s->d;
  for (size_t scan = 0; scan < d->batch && d->n > 0; scan++) {
    const size_t wrong = check_scan(s, scan);
    if (wrong < d->n)
      fail_seeded(
          "%s: type %d, n %zu, batch %zu, strides %td %td %td, reverse %d, in place %d, %s: result %zu of scan %zu",
          what, (int)d->type, d->n, d->batch, d->a_stride, d->x_stride, d->y_stride, d->reverse, s->in_place,
          text_of(c), wrong, scan);
  }
  if (!area_is_kept(&s->a)) fail_seeded("%s: a was written", what);
  if (!s->in_place && !area_is_kept(&s->x)) fail_seeded("%s: x was written", what);
  if (!all_guard(s->y.data, s->y.data + s->y.size)) fail_seeded("%s: bytes between results were written", what);
  if (s->y.place == GUARDED && !(buffer_intact(&s->y.buffer) && buffer_intact(&s->x.buffer)))
    fail_seeded("%s: bytes around results were written", what);
}

/* ---- Everything that can be asked for ---------------------------------------------------------------------------- */

static ptrdiff_t draw_stride(struct rng *rng, bool zero) {
  const ptrdiff_t strides[] = {1, 1, 1, -1, 2, -3, 5, 0};
  return strides[draw_below(rng, zero ? 8 : 7)];
}

static size_t draw_length(struct rng *rng) {
  const size_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
  return draw(rng) % 2 ? lengths[draw_below(rng, COUNT(lengths))] : draw_below(rng, MOST_ELEMENTS);
}

static ptrdiff_t draw_dist(struct rng *rng, size_t n, ptrdiff_t stride) {
  const ptrdiff_t dist = (ptrdiff_t)(n * magnitude(stride) + draw_below(rng, 3) + (n == 0));
  return draw(rng) % 3 ? dist : -dist;
}

/* Also the columns of a matrix. */
static mmscan_recurrence_desc draw_desc(struct rng *rng, bool in_place) {
  const bool are_columns = draw(rng) % 8 == 0;
  const size_t n = draw_length(rng), batch = 1 + draw_below(rng, are_columns ? MOST_BATCH : 3);
  mmscan_recurrence_desc d = {.struct_size = sizeof d,
                              .type = types[draw_below(rng, COUNT(types))],
                              .reverse = draw(rng) % 2,
                              .n = n,
                              .a_stride = draw(rng) % 3 ? draw_stride(rng, true) : 0,
                              .x_stride = draw_stride(rng, !in_place),
                              .y_stride = draw_stride(rng, false),
                              .batch = batch};
  d.a_dist = draw(rng) % 3 ? draw_dist(rng, n, d.a_stride) : 0;
  d.x_dist = draw_dist(rng, n, d.x_stride);
  d.y_dist = draw_dist(rng, n, d.y_stride);
  if (are_columns) {
    const ptrdiff_t ld = (ptrdiff_t)(batch + draw_below(rng, 3));
    d.x_stride = d.y_stride = draw(rng) % 2 ? ld : -ld, d.x_dist = d.y_dist = 1;
    if (d.a_stride && draw(rng) % 2) d.a_stride = ld;
    if (draw(rng) % 2) d.a_dist = 1;
  }
  if (in_place) d.x_stride = d.y_stride, d.x_dist = d.y_dist;
  return d;
}

static mmscan_choice draw_choice(struct rng *rng, const mmscan_recurrence_desc *d) {
  static const char *const ways[] = {NULL, "shares", "leader", "scans"};
  const struct forced *all = forced_all();
  mmscan_choice c = all->choice[draw_below(rng, all->count)];
  while (is_gemm(&c) && d->a_stride != 0) c = all->choice[draw_below(rng, all->count)];
  if (draw(rng) % 4 == 0) c = (mmscan_choice){.engine = NULL};
  c.struct_size = sizeof c;
  c.threads = 1 + (int)draw_below(rng, 8);
  if (cuts_tiles(&c) && draw(rng) % 2) c.tile = 1 + draw_below(rng, 300);
  if (cuts_tiles(&c)) c.way = ways[draw_below(rng, COUNT(ways))];
  return c;
}

TEST(test_random) {
  const size_t count = sized(3000, 400);
  size_t taken = 0;
  for (size_t i = 0; i < count; i++) {
    struct rng rng = rng_of(i);
    const bool in_place = draw(&rng) % 3 == 0;
    const mmscan_recurrence_desc d = draw_desc(&rng, in_place);
    const flavour *fa = &of_a[draw(&rng) % 2 ? draw_below(&rng, 3) : draw_below(&rng, COUNT(of_a))];
    const flavour *fx = &of_x[draw(&rng) % 2 ? 0 : draw_below(&rng, COUNT(of_x))];
    scene s = scene_new(&rng, &d, fa, fx, in_place);
    mmscan_choice c = draw_choice(&rng, &d);
    char what[64];
    if (draw(&rng) % 2) s.d.init = s.init;
    if (draw(&rng) % 2) s.d.last = s.last;
    snprintf(what, sizeof what, "trial %zu, a %td, x %td", i, fa - of_a, fx - of_x);
    mmscan_status status = call(&s, &c);
    if (status == MMSCAN_EINVAL && c.way) c.way = NULL, status = call(&s, &c); /* so few tiles cannot be shared so */
    if (status) fail_seeded("%s: %s: %s", what, text_of(&c), mmscan_strerror(status));
    taken += c.way != NULL;
    check_results(&s, &c, what);
    scene_free(&s);
  }
  print_message("%zu of %zu in a way that was asked for\n", taken, count);
  assert_true(taken > count / 10);
}

/* ---- Bits -------------------------------------------------------------------------------------------------------- */

/* Neither the number of threads nor the way, nor a stride, changes a bit; whatever is in the way of regrouping. */
TEST(test_bits) {
  static const char *const engines[] = {"simd", "serial", "gemm"}, *const ways[] = {NULL, "shares", "leader"};
  const size_t n = sized(6000, 4000);
  for (size_t e = 0; e < COUNT(engines); e++)
    for (size_t i = 0; i < COUNT(types) * COUNT(of_a); i++) {
      struct rng rng = rng_of(1000 + i);
      const ptrdiff_t a_stride = e == 2 ? 0 : (ptrdiff_t)(draw(&rng) % 2), apart = 1 + (ptrdiff_t)(draw(&rng) % 2);
      const mmscan_recurrence_desc d = {.struct_size = sizeof d,
                                        .type = types[i % COUNT(types)],
                                        .reverse = draw(&rng) % 2,
                                        .n = n,
                                        .a_stride = a_stride,
                                        .x_stride = 1,
                                        .y_stride = apart,
                                        .batch = 1};
      scene s = scene_new(&rng, &d, &of_a[i / COUNT(types)], &of_x[draw(&rng) % 2 ? 0 : 4], false);
      mmscan_choice c = {.struct_size = sizeof c, .engine = engines[e], .tile = e == 1 ? 0 : 640, .threads = 1};
      unsigned char *one = malloc(s.y.size);
      assert_mmscan_ok(call(&s, &c));
      memcpy(one, s.y.data, s.y.size);
      check_results(&s, &c, engines[e]);
      for (c.threads = 2; c.threads <= 8; c.threads += quick() ? 6 : 3)
        for (size_t w = 0; w < (e == 1 ? 1 : COUNT(ways)); w++) {
          c.way = ways[w];
          assert_mmscan_ok(call(&s, &c));
          if (memcmp(one, s.y.data, s.y.size) != 0) {
            check_results(&s, &c, "other bits"); /* of NaN any */
            fail_seeded("%s: type %d, a %zu has other bits", text_of(&c), (int)d.type, i / COUNT(types));
          }
        }
      free(one);
      scene_free(&s);
    }
}

/* Past the caches, to any alignment; and in a library's own choice of threads and tiles. */
TEST(test_long) {
  const size_t n = sized((size_t)3 << 24, 400000);
  for (size_t i = 0; i < 8; i++) {
    const bool varies = i & 1, reverse = i & 2, is_double = i & 4;
    const size_t size = is_double ? 8 : 4, count = n / size;
    struct buffer x = buffer_new(count * size, 4 * i / size * size), y = buffer_new(count * size, size * i),
                  a = buffer_new(count * size, 0);
    const mmscan_recurrence_desc d = {.struct_size = sizeof d,
                                      .type = is_double ? MMSCAN_F64 : MMSCAN_F32,
                                      .reverse = reverse,
                                      .n = count,
                                      .a_stride = varies,
                                      .x_stride = 1,
                                      .y_stride = 1,
                                      .batch = 1};
    struct rng rng = rng_of(5000 + i);
    for (size_t k = 0; k < count; k++) {
      put_float(d.type, x.data, k, (double)(draw(&rng) % 9) - 4);
      put_float(d.type, a.data, k, k % 50 == 0 ? 0 : k % 3 ? 1 : -1);
    }
    if (!varies) put_float(d.type, a.data, 0, 1);
    assert_mmscan_ok(mmscan_recurrence(&d, a.data, x.data, y.data));
    double want = 0;
    for (size_t k = 0; k < count; k++) {
      const size_t at = reverse ? count - 1 - k : k;
      const double factor =
          is_double ? ((double *)a.data)[varies ? at : 0] : (double)((float *)a.data)[varies ? at : 0];
      want = factor * want + (is_double ? ((double *)x.data)[at] : (double)((float *)x.data)[at]);
      const double got = is_double ? ((double *)y.data)[at] : (double)((float *)y.data)[at];
      if (got != want) fail_seeded("long %zu: element %zu is %g, not %g", i, at, got, want);
    }
    assert_true(buffer_intact(&x) && buffer_intact(&y));
    buffer_free(&x), buffer_free(&y), buffer_free(&a);
  }
}

/* ---- Nothing travels backwards ----------------------------------------------------------------------------------- */

/* Results before what is not finite are those without it, to the bit; after it none is finite. */
TEST(test_infinities) {
  enum { N = 400 };
  const struct forced *all = forced_all();
  for (size_t e = 0; e < all->count; e++)
    for (int varies = 0; varies <= !is_gemm(&all->choice[e]); varies++)
      for (size_t k = 0; k < N; k += 7) {
        double a[N], x[N], y[N], clean[N];
        for (size_t i = 0; i < N; i++) a[i] = 0.75, x[i] = (double)(i % 5);
        const mmscan_recurrence_desc d = {.struct_size = sizeof d,
                                          .type = MMSCAN_F64,
                                          .n = N,
                                          .a_stride = varies,
                                          .x_stride = 1,
                                          .y_stride = 1,
                                          .batch = 1};
        mmscan_choice c = all->choice[e];
        c.struct_size = sizeof c;
        assert_mmscan_ok(mms_series_recur(&d, &c, a, x, clean));
        x[k] = k % 2 ? INFINITY : NAN;
        assert_mmscan_ok(mms_series_recur(&d, &c, a, x, y));
        for (size_t i = 0; i < k; i++) assert_true(fabs(y[i] - clean[i]) <= 1e-14 * clean[i]);
        for (size_t i = k; i < N; i++) assert_true(k % 2 ? y[i] == INFINITY : isnan(y[i]));
      }
}

/* Powers that overflow leave zeros alone, and so do products that come back from beyond the range. */
TEST(test_zeros_stay) {
  enum { N = 1000 };
  static float a[N], x[N], y[N];
  mmscan_recurrence_desc d = {
      .struct_size = sizeof d, .type = MMSCAN_F32, .n = N, .x_stride = 1, .y_stride = 1, .batch = 1};
  for (a[0] = 1.5f; a[0] < 1e38f; a[0] *= 9) {
    assert_mmscan_ok(mmscan_recurrence(&d, a, x, y));
    for (size_t i = 0; i < N; i++) assert_true(y[i] == 0);
  }
  d.a_stride = 1;
  d.n = 24;
  for (size_t i = 0; i < d.n; i++) a[i] = (i + 7) % 8 < 4 ? 1e-12f : 1e9f;
  x[0] = 1e38f;
  assert_mmscan_ok(mmscan_recurrence(&d, a, x, y));
  float want = 0;
  for (size_t i = 0; i < d.n; i++) {
    want = a[i] * want + x[i];
    assert_true(fabsf(y[i] - want) <= 1e-5f * want);
  }
}

/* ---- Beginnings and ends ----------------------------------------------------------------------------------------- */

TEST(test_ends) {
  const double a = 0.5, x[4] = {1, 1, 1, 1};
  double y[4], init[2] = {8, 16}, last[2] = {7, 7};
  mmscan_recurrence_desc d = {.struct_size = sizeof d,
                              .type = MMSCAN_F64,
                              .n = 2,
                              .x_stride = 1,
                              .y_stride = 1,
                              .batch = 2,
                              .x_dist = 2,
                              .y_dist = 2,
                              .init = init,
                              .last = last};
  assert_mmscan_ok(mmscan_recurrence(&d, &a, x, y));
  assert_true(y[0] == 5 && y[1] == 3.5 && y[2] == 9 && y[3] == 5.5 && last[0] == 3.5 && last[1] == 5.5);
  d.last = init;
  d.reverse = 1;
  assert_mmscan_ok(mmscan_recurrence(&d, &a, x, y));
  assert_true(y[1] == 5 && y[0] == 3.5 && y[3] == 9 && y[2] == 5.5 && init[0] == 3.5 && init[1] == 5.5);
  d.n = 0;
  d.last = last;
  assert_mmscan_ok(mmscan_recurrence(&d, NULL, NULL, NULL));
  assert_true(last[0] == 3.5 && last[1] == 5.5);
  d.init = NULL;
  assert_mmscan_ok(mmscan_recurrence(&d, NULL, NULL, NULL));
  assert_true(last[0] == 0 && last[1] == 0);
  d.last = NULL;
  assert_mmscan_ok(mmscan_recurrence(&d, NULL, NULL, NULL));
  d.batch = 0, d.n = 4;
  assert_mmscan_ok(mmscan_recurrence(&d, NULL, NULL, NULL));
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static mmscan_status status_of(const mmscan_recurrence_desc *d, ptrdiff_t a_at, ptrdiff_t x_at, ptrdiff_t y_at) {
  static float memory[1000], before[1000];
  const mmscan_status status = mmscan_recurrence(d, memory + 500 + a_at, memory + 500 + x_at, memory + 500 + y_at);
  if (status) assert_memory_equal(memory, before, sizeof memory);
  memset(memory, 0, sizeof memory);
  return status;
}

TEST(test_refusals) {
  const mmscan_recurrence_desc good = {
      .struct_size = sizeof good, .type = MMSCAN_F32, .n = 10, .a_stride = 1, .x_stride = 1, .y_stride = 1, .batch = 1};
  mmscan_recurrence_desc d = good;
  float any[40] = {0};
  assert_status(MMSCAN_EINVAL, mmscan_recurrence(NULL, any, any, any + 20));
  assert_status(MMSCAN_EINVAL, mmscan_recurrence(&d, NULL, any, any + 20));
  assert_status(MMSCAN_EINVAL, mmscan_recurrence(&d, any, NULL, any + 20));
  assert_status(MMSCAN_EINVAL, mmscan_recurrence(&d, any, any, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_recurrence(&d, (const char *)any + 1, any, any + 20));
  d.struct_size--, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.type = (mmscan_type)0, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.type = (mmscan_type)15, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.type = MMSCAN_I32, assert_status(MMSCAN_ENOTSUP, status_of(&d, 0, 20, 40));
  d = good, d.type = MMSCAN_F16, assert_status(MMSCAN_ENOTSUP, status_of(&d, 0, 20, 40));
  d = good, d.y_stride = 0, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.n = SIZE_MAX / 2, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.a_stride = PTRDIFF_MAX / 8, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.batch = 2, d.y_dist = 5, assert_status(MMSCAN_EOVERLAP, status_of(&d, 0, 20, 40));
  d = good, d.init = (char *)any + 1, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
  d = good, d.last = (char *)any + 1, assert_status(MMSCAN_EINVAL, status_of(&d, 0, 20, 40));
}

TEST(test_overlap) {
  mmscan_recurrence_desc d = {
      .struct_size = sizeof d, .type = MMSCAN_F32, .n = 10, .a_stride = 1, .x_stride = 1, .y_stride = 1, .batch = 1};
  for (ptrdiff_t at = -12; at <= 12; at++) {
    const bool meets = at > -10 && at < 10;
    assert_status(meets ? MMSCAN_EOVERLAP : MMSCAN_OK, status_of(&d, at, 100, 0));
    assert_status(meets && at ? MMSCAN_EOVERLAP : MMSCAN_OK, status_of(&d, 100, at, 0));
    assert_mmscan_ok(status_of(&d, at, 0, 100));
  }
  d.a_stride = 0;
  assert_status(MMSCAN_EOVERLAP, status_of(&d, 3, 100, 0));
  assert_mmscan_ok(status_of(&d, 10, 100, 0));
  d.a_stride = d.y_stride = d.x_stride = 2; /* between each other's elements */
  assert_mmscan_ok(status_of(&d, 1, 0, 0));
}

/* A struct of a later version is taken if what is new in it is zero. */
TEST(test_longer) {
  struct {
    mmscan_recurrence_desc d;
    int64_t more;
  } longer = {{.type = MMSCAN_F32, .n = 1, .batch = 1}, 0};
  const float a = 1, x = 2;
  float y;
  longer.d.struct_size = sizeof longer;
  assert_mmscan_ok(mmscan_recurrence(&longer.d, &a, &x, &y));
  assert_true(y == 2);
  longer.more = 1;
  assert_status(MMSCAN_ENOTSUP, mmscan_recurrence(&longer.d, &a, &x, &y));
}

/* ---- The environment --------------------------------------------------------------------------------------------- */

/* 100, and 10 for a constant a, if a call is OK; or else its status. */
static int recur_in_child(void) {
  enum { N = 5000 };
  static double a[N], x[N], y[N];
  int got = 0;
  for (size_t i = 0; i < N; i++) a[i] = 1, x[i] = 1;
  mmscan_recurrence_desc d = {
      .struct_size = sizeof d, .type = MMSCAN_F64, .n = N, .x_stride = 1, .y_stride = 1, .batch = 1};
  mmscan_status status = mmscan_recurrence(&d, a, x, y);
  got += status == MMSCAN_OK && y[N - 1] == N ? 10 : (int)status;
  d.a_stride = 1;
  status = mmscan_recurrence(&d, a, x, y);
  return got + (status == MMSCAN_OK && y[N - 1] == N ? 100 : (int)status);
}

TEST(test_environment) {
  static const struct setting serial[] = {{"MMSCAN_ENGINE", "serial"}}, simd[] = {{"MMSCAN_ISA", "portable"}},
                              gemm[] = {{"MMSCAN_ENGINE", "gemm"}, {"MMSCAN_UNIT", "model"}},
                              illegal[] = {{"MMSCAN_ENGINE", "custom"}};
  assert_int_equal(run_self("recur", serial, COUNT(serial)), 110);
  assert_int_equal(run_self("recur", simd, COUNT(simd)), 110);
  assert_int_equal(run_self("recur", gemm, COUNT(gemm)), 10 + MMSCAN_ENOTSUP);
  assert_int_equal(run_self("recur", illegal, COUNT(illegal)), 2 * MMSCAN_EINVAL);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"recur", recur_in_child}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
