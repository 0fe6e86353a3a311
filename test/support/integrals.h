/* integrals.h: integral images of random elements, beside sums of their own: of integers modulo 2^64, of floats in
 * quadruple precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INTEGRALS_H
#define INTEGRALS_H

#include "area.h"
#include "reference.h"

/* ---- Images ------------------------------------------------------------------------------------------------------ */

/* Images of random elements, and a y of guard bytes; `at` is where the first pixel is. */
typedef struct scene {
  mmscan_integral_desc d;
  const ref_type *x_type, *y_type;
  area x, y;
  const unsigned char *x_at;
  unsigned char *y_at;
} scene;

static inline mmscan_integral_desc plain_image(mmscan_type x_type, mmscan_type y_type, size_t rows, size_t columns,
                                               size_t channels) {
  const ptrdiff_t ld = (ptrdiff_t)(columns * channels);
  return (mmscan_integral_desc){.struct_size = sizeof(mmscan_integral_desc),
                                .x_type = x_type,
                                .y_type = y_type,
                                .rows = rows,
                                .columns = columns,
                                .channels = channels,
                                .x_ld = ld,
                                .y_ld = ld,
                                .batch = 1};
}

/* With a border whose rows are as close as those of x. */
static inline void add_border(mmscan_integral_desc *d) {
  d->border = 1;
  d->y_ld += (ptrdiff_t)d->channels;
}

static inline size_t magnitude(ptrdiff_t d) { return (size_t)(d < 0 ? -d : d); }

/* Elements from the lowest to the end of the highest, of images with so many elements in a row; those before the first
 * pixel in memory. */
static inline size_t span(size_t row, size_t rows, ptrdiff_t ld, size_t batch, ptrdiff_t dist) {
  return row == 0 || rows == 0 ? 0 : row + (rows - 1) * magnitude(ld) + (batch - 1) * magnitude(dist);
}

static inline size_t below(size_t count, ptrdiff_t step) { return step < 0 ? (count - 1) * magnitude(step) : 0; }

/* Integers of 64 bits are not so large that sums of their squares overflow an F32. */
static inline void fill_image(struct rng *rng, const ref_type *t, area *a) {
  for (size_t i = 0; i < a->size / t->size; i++)
    if (ref_is_whole(t))
      ref_put_whole(t, a->data + i * t->size,
                    t->kind == 'i' ? (wide)((int64_t)draw(rng) >> 8) : (wide)(draw(rng) >> 8));
    else
      for (size_t part = 0; part < (t->kind == 'c' ? 2 : 1); part++)
        ref_put_real(t, a->data + i * t->size, part, draw_unit(rng));
}

static inline scene scene_new(struct rng *rng, const mmscan_integral_desc *d, enum place place) {
  const size_t border = d->border != 0, rows = d->rows + border, row = (d->columns + border) * d->channels;
  scene s = {.d = *d, .x_type = ref_type_of(d->x_type), .y_type = ref_type_of(d->y_type)};
  const size_t x_span = span(d->columns * d->channels, d->rows, d->x_ld, d->batch, d->x_dist);
  s.x = area_new(place, x_span * s.x_type->size, 0);
  s.y = area_new(place, span(row, rows, d->y_ld, d->batch, d->y_dist) * s.y_type->size, 0);
  fill_image(rng, s.x_type, &s.x);
  memset(s.y.data, GUARD_BYTE, s.y.size);
  area_keep(&s.x, true);
  s.x_at = s.x.data + (x_span ? below(d->rows, d->x_ld) + below(d->batch, d->x_dist) : 0) * s.x_type->size;
  s.y_at = s.y.data + (s.y.size ? below(rows, d->y_ld) + below(d->batch, d->y_dist) : 0) * s.y_type->size;
  return s;
}

static inline void scene_free(scene *s) {
  area_free(&s->x);
  area_free(&s->y);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* A sum in x, or y: of integers, or of both parts of floats, and of their magnitudes. */
typedef struct sum {
  uint64_t whole;
  quad part[2];
  long double size[2];
} sum;

/* Of a float result; an integer has none. */
static inline int parts_of(const scene *s) { return ref_is_whole(s->y_type) ? 0 : s->y_type->kind == 'c' ? 2 : 1; }

static inline sum element_of(const scene *s, const unsigned char *at) {
  const ref_type *x = s->x_type;
  sum e = {0};
  if (ref_is_whole(x)) {
    const wide value = ref_get_whole(x, at);
    e.whole = (uint64_t)value * (s->d.squares ? (uint64_t)value : 1);
    if (parts_of(s) > 0) e.part[0] = (quad)value * (s->d.squares ? (quad)value : 1);
  } else {
    const quad re = ref_get_real(x, at, 0), im = x->kind == 'c' ? (quad)ref_get_real(x, at, 1) : 0;
    e.part[0] = s->d.squares ? re * re - im * im : re;
    e.part[1] = s->d.squares ? 2 * re * im : im;
    e.size[0] = s->d.squares ? (long double)(im * im) : 0;
  }
  e.size[0] += ref_size(e.part[0]) + e.size[0];
  e.size[1] = ref_size(e.part[1]);
  return e;
}

static inline void sum_add(sum *to, const sum *e, int parts) {
  to->whole += e->whole;
  for (int part = 0; part < parts; part++) to->part[part] += e->part[part], to->size[part] += e->size[part];
}

/* Whether a result is right, of which an element was rounded so often. */
static inline bool is_right(const scene *s, const unsigned char *at, const sum *want, size_t roundings) {
  const ref_type *y = s->y_type;
  const int digits = y->digits == 24 ? 53 : y->digits < 24 ? 24 : 53;
  if (ref_is_whole(y)) return ref_get_whole(y, at) == ref_wrap(y, (wide)want->whole);
  for (int part = 0; part < parts_of(s); part++) {
    const long double off = ref_size((quad)ref_get_real(y, at, (size_t)part) - want->part[part]);
    const long double sums = ldexpl((long double)roundings, -digits) * want->size[part];
    const long double last = y->digits == 53 ? 0 : ldexpl(1.001L, -y->digits) * (ref_size(want->part[part]) + sums);
    if (off > sums + last + ldexpl(1, y->least - 1)) return false;
  }
  return true;
}

static inline bool is_zero(const unsigned char *at, size_t size) {
  return at[0] == 0 && memcmp(at, at + 1, size - 1) == 0;
}

/* Checks an image, and makes guard bytes of its elements. */
static inline void check_image(const scene *s, size_t image) {
  const mmscan_integral_desc *d = &s->d;
  const size_t border = d->border != 0, row = (d->columns + border) * d->channels, size = s->y_type->size;
  sum *above = calloc(row + 1, sizeof *above);
  for (size_t r = 0; r < d->rows + border; r++) {
    sum *left = calloc(d->channels, sizeof *left);
    for (size_t i = 0; i < row; i++) {
      const size_t channel = i % d->channels, c = i / d->channels;
      unsigned char *y =
          s->y_at + ((ptrdiff_t)image * d->y_dist + (ptrdiff_t)r * d->y_ld + (ptrdiff_t)i) * (ptrdiff_t)size;
      const bool is_border = border && (r == 0 || c == 0);
      const ptrdiff_t at =
          (ptrdiff_t)image * d->x_dist + (ptrdiff_t)(r - border) * d->x_ld + (ptrdiff_t)(i - border * d->channels);
      if (!is_border) {
        const sum e = element_of(s, s->x_at + at * (ptrdiff_t)s->x_type->size);
        sum_add(&left[channel], &e, parts_of(s));
        sum_add(&above[i], &left[channel], parts_of(s));
      }
      if (is_border ? !is_zero(y, size) : !is_right(s, y, &above[i], r + c + 6))
        fail_seeded("%s to %s: %zu x %zu x %zu, ld %td %td, squares %d, border %d: row %zu, column %zu",
                    s->x_type->name, s->y_type->name, d->rows, d->columns, d->channels, d->x_ld, d->y_ld, d->squares,
                    d->border, r, c);
      memset(y, GUARD_BYTE, size);
    }
    free(left);
  }
  free(above);
}

/* All is right, and nothing else was written. */
static inline void check_scene(scene *s) {
  for (size_t image = 0; image < s->d.batch; image++) check_image(s, image);
  assert_true(all_guard(s->y.data, s->y.data + s->y.size));
  assert_true(s->y.place != GUARDED || buffer_intact(&s->y.buffer));
  assert_true(area_is_kept(&s->x));
}

#endif
