/* test_random.c: random descriptions, scanned in random ways, against a plain loop (support/reference.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Description k of a run is drawn from the seed MMSCAN_TEST_SEED + k, so one line repeats one that fails:
 * MMSCAN_TEST_SEED=... MMSCAN_TEST_COUNT=1 build/test/test_random. What the library refuses yet is in
 * support/not_yet.h.
 */
#include <omp.h>

#include "base/tuning.h"
#include "plan/segments.h"
#include "support/area.h"
#include "support/not_yet.h"
#include "support/repeat.h"
#include "support/segments.h"
#include "support/tallies.h"

/* ---- A trial ----------------------------------------------------------------------------------------------------- */

enum { MOST_RANK = 8, MOST_AXES = MOST_RANK + 2, MOST_ELEMENTS = 6000, MOST_SIZE = 16 };
enum data { WHOLE, RANDOM, SPECIAL, LARGE, ZEROS, DATA };
enum via { BY_SCAN, BY_PLAN, BY_BLOCKS, BY_SEGMENTS };

/* The outer dimensions, the batch, and what is along a scan. */
typedef struct axes {
  size_t rank, count[MOST_AXES];
  ptrdiff_t stride[MOST_AXES];
} axes;

typedef struct trial {
  struct rng rng;
  uint64_t seed;
  bool is_bold; /* may have what the library refuses yet */
  bool is_legal, is_in_place, is_interleaved, has_repeats, has_gaps, goes_down, has_init_in_y, is_empty;
  const ref_type *x, *y;
  mmscan_desc d;
  mmscan_dim outer[MOST_RANK];
  enum data data;
  enum via via;
  mmscan_choice choice;
  const char *engine;
  int threads;
  size_t scans, x_count, y_count;
  ptrdiff_t x_first, y_first; /* element 0 of scan 0 among the elements of an area */
  area xs, ys, totals, indices, carries, states;
  segments segments; /* with room for their totals in `totals`, or not */
  char *source, init[MOST_SIZE];
} trial;

/* One in so many. */
static bool one_in(trial *t, size_t many) { return draw_below(&t->rng, many) == 0; }

static bool may_have(const trial *t, const char *name) { return t->is_bold || !is_not_yet(name); }

static const char *text_of(const trial *t) {
  static char text[1500];
  static const char *const via[] = {"mmscan_scan", "plan", "blocks", "segments"};
  const mmscan_desc *d = &t->d;
  int at =
      snprintf(text, sizeof text,
               "%s to %s, %s, %s, reverse %d, n %zu, strides %td %td, batch %zu, dists %td %td, init %s, totals %d, "
               "indices %d, flags %u, data %d, %s%s%s by %s, %s, %s, tile %zu, way %s, %d threads, outer",
               t->x->name, t->y->name, op_names[d->op], kind_names[d->kind], d->reverse, d->n, d->x_stride, d->y_stride,
               d->batch, d->x_dist, d->y_dist,
               !d->init           ? "none"
               : t->has_init_in_y ? "in y"
                                  : "given",
               d->totals != NULL, d->indices != NULL, d->flags, t->data, t->is_in_place ? "in place" : "",
               t->is_interleaved ? "interleaved" : "", t->is_legal ? "" : "illegal", via[t->via], t->engine,
               text_or(t->choice.isa, "any isa"), t->choice.tile, text_or(t->choice.way, "any"), t->threads);
  for (size_t k = 0; k < d->outer_rank && at < (int)sizeof text; k++)
    at += snprintf(text + at, sizeof text - (size_t)at, " %zu (%td, %td)", t->outer[k].n, t->outer[k].x_stride,
                   t->outer[k].y_stride);
  return text;
}

__attribute__((format(printf, 2, 3), noreturn)) static void fail_trial(const trial *t, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  print_error("MMSCAN_TEST_SEED=%llu MMSCAN_TEST_COUNT=1: %s: %s\n", (unsigned long long)t->seed, text_of(t), line);
  fail();
  abort(); /* fail() does not return, which compilers do not know */
}

/* ---- What is scanned --------------------------------------------------------------------------------------------- */

static const ref_type *draw_type(trial *t) { return &ref_types[draw_below(&t->rng, COUNT(ref_types))]; }

static void draw_types(trial *t) {
  const char *how = NULL;
  do {
    t->x = draw_type(t);
    t->y = one_in(t, 2) ? t->x : draw_type(t);
    how = conversion_name(t->x, t->y);
    if (!t->is_legal && how == NULL) break;
  } while (how == NULL || !may_have(t, how) || !may_have(t, type_name(t->x)) || !may_have(t, type_name(t->y)));
  if (how != NULL) t->is_legal = true;
  t->d.x_type = t->x->type;
  t->d.y_type = t->y->type;
}

static void draw_op(trial *t) {
  do t->d.op = (mmscan_op)(1 + draw_below(&t->rng, COUNT(op_names) - 1));
  while (t->is_legal && (!is_legal_op(t->d.op, t->y) || !may_have(t, op_names[t->d.op])));
}

/* An operator that the type has not. */
static void draw_wrong_op(trial *t) {
  if (t->y->kind == 'c') t->d.op = one_in(t, 2) ? MMSCAN_MAX : MMSCAN_LOGADDEXP;
  if (t->y->kind == 'f') t->d.op = (mmscan_op)(MMSCAN_AND + draw_below(&t->rng, 3));
  if (ref_is_whole(t->y)) t->d.op = MMSCAN_LOGADDEXP;
  t->is_legal = false;
}

static void draw_flags(trial *t) {
  for (unsigned i = 0; i < MOST_FLAGS; i++)
    if (may_have(t, flag_names[i]) && one_in(t, t->is_bold ? 8 : 4)) t->d.flags |= 1u << i;
}

/* Around the ends of tiles, vectors and unrolled loops, too. */
static size_t draw_n(trial *t) {
  static const size_t edges[] = {4, 8, 16, 32, 64, 100, 128, 256, 512, 768, 1024, 2048};
  const size_t edge = edges[draw_below(&t->rng, COUNT(edges))];
  const size_t any[] = {draw_below(&t->rng, 4),   draw_below(&t->rng, 40),  edge - 1 + draw_below(&t->rng, 3),
                        draw_below(&t->rng, 300), draw_below(&t->rng, 300), draw_below(&t->rng, 5000)};
  return any[draw_below(&t->rng, one_in(t, 4) ? 6 : 5)];
}

static void draw_shape(trial *t) {
  mmscan_desc *d = &t->d;
  d->n = draw_n(t);
  d->batch = one_in(t, 2) ? 1 : one_in(t, 40) ? 0 : 1 + draw_below(&t->rng, one_in(t, 4) ? 70 : 5);
  d->outer_rank = may_have(t, "outer") && one_in(t, 4) ? 1 + draw_below(&t->rng, one_in(t, 3) ? MOST_RANK : 3) : 0;
  t->scans = 1;
  for (size_t k = 0; k < d->outer_rank; k++) {
    t->outer[k].n = one_in(t, 50) ? 0 : 1 + draw_below(&t->rng, d->outer_rank > 3 ? 2 : 5);
    t->scans *= t->outer[k].n;
  }
  const size_t each = MOST_ELEMENTS / (t->scans ? t->scans : 1);
  if (d->n > each) d->n = each;
  if (d->n * d->batch > each) d->batch = d->n > each ? 1 : each / d->n;
  t->scans *= d->batch;
}

static void draw_extras(trial *t) {
  mmscan_desc *d = &t->d;
  do d->kind = (mmscan_kind)(1 + draw_below(&t->rng, 3));
  while (!may_have(t, kind_names[d->kind]));
  d->reverse = one_in(t, 2) ? 0 : one_in(t, 2) ? 1 : -5;
  draw_flags(t);
  draw_shape(t);
  if (d->outer_rank) d->outer = t->outer;
}

/* ---- Where it is ------------------------------------------------------------------------------------------------- */

static axes axes_of(const trial *t, size_t results) {
  axes a = {.rank = t->d.outer_rank + 2};
  for (size_t k = 0; k < t->d.outer_rank; k++) a.count[k] = t->outer[k].n;
  a.count[a.rank - 2] = t->d.batch;
  a.count[a.rank - 1] = results;
  return a;
}

/* What stands in the place of a stride that is not looked at. */
static ptrdiff_t draw_junk(trial *t) {
  static const ptrdiff_t junk[] = {0, 1, -7, PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 4};
  return junk[draw_below(&t->rng, COUNT(junk))];
}

/* The order of the axes in memory: as they are, the scans in a batch last, or any. */
static void draw_order(trial *t, size_t rank, size_t order[MOST_AXES]) {
  for (size_t k = 0; k < rank; k++) order[k] = k;
  if (one_in(t, 3)) return;
  if (one_in(t, 2)) {
    order[rank - 2] = rank - 1;
    order[rank - 1] = rank - 2;
    return;
  }
  for (size_t k = rank; k-- > 1;) {
    const size_t other = draw_below(&t->rng, k + 1), keep = order[k];
    order[k] = order[other];
    order[other] = keep;
  }
}

/* Strides by which no two elements are in one place, unless they may be. */
static void draw_strides(trial *t, axes *a, bool may_repeat) {
  size_t order[MOST_AXES];
  ptrdiff_t extent = 1;
  const bool pads = one_in(t, 3), turns = one_in(t, 3);
  draw_order(t, a->rank, order);
  for (size_t k = a->rank; k-- > 0;) {
    const size_t axis = order[k];
    if (a->count[axis] <= 1) {
      a->stride[axis] = draw_junk(t);
      continue;
    }
    const bool repeats = may_repeat && one_in(t, 8), is_padded = pads && one_in(t, 2),
               is_turned = turns && one_in(t, 2);
    const ptrdiff_t stride = is_padded ? extent + 1 + (ptrdiff_t)draw_below(&t->rng, 3) : extent;
    a->stride[axis] = repeats ? 0 : is_turned ? -stride : stride;
    t->has_repeats |= repeats;
    t->has_gaps |= is_padded;
    t->goes_down |= is_turned;
    if (!repeats) extent = stride * (ptrdiff_t)(a->count[axis] - 1) + extent;
  }
}

static void scale_strides(axes *a, ptrdiff_t by) {
  for (size_t k = 0; k < a->rank; k++)
    if (a->count[k] > 1) a->stride[k] *= by;
}

/* The elements from the lowest to the highest, and the first one's place among them. */
static size_t extent_of(const axes *a, ptrdiff_t *first) {
  ptrdiff_t below = 0, above = 0;
  for (size_t k = 0; k < a->rank; k++) {
    const ptrdiff_t span = a->count[k] > 1 ? a->stride[k] * (ptrdiff_t)(a->count[k] - 1) : 0;
    if (a->count[k] == 0) return *first = 0, 0;
    *(span < 0 ? &below : &above) += span;
  }
  *first = -below;
  return (size_t)(above - below + 1);
}

static void put_strides(trial *t, const axes *xs, const axes *ys) {
  mmscan_desc *d = &t->d;
  for (size_t k = 0; k < d->outer_rank; k++) t->outer[k].x_stride = xs->stride[k], t->outer[k].y_stride = ys->stride[k];
  d->x_dist = xs->stride[xs->rank - 2];
  d->y_dist = ys->stride[ys->rank - 2];
  d->x_stride = xs->stride[xs->rank - 1];
  d->y_stride = ys->stride[ys->rank - 1];
}

/* Interleaved: an element of x stands before each of y. In place: the elements of x are those of y, or its tail. */
static void draw_layout(trial *t) {
  const size_t after = t->d.kind == MMSCAN_OFFSETS;
  axes xs = axes_of(t, t->d.n), ys = axes_of(t, t->d.n + after);
  draw_strides(t, &ys, false);
  t->is_empty = t->d.n == 0 || t->scans == 0;
  t->is_in_place = t->x == t->y && one_in(t, 4);
  t->is_interleaved = !t->is_in_place && t->x->size == t->y->size && one_in(t, 8);
  if (t->is_interleaved) scale_strides(&ys, 2);
  if (t->is_in_place || t->is_interleaved)
    memcpy(xs.stride, ys.stride, sizeof xs.stride);
  else
    draw_strides(t, &xs, true);
  put_strides(t, &xs, &ys);
  t->y_count = extent_of(&ys, &t->y_first);
  t->x_count = extent_of(&xs, &t->x_first);
  if (t->is_in_place || t->is_interleaved) {
    t->x_first = t->y_first + (t->is_in_place && after && t->d.n ? t->d.y_stride : 0);
    t->x_count = t->y_count = t->y_count + t->is_interleaved;
  }
  if (t->is_interleaved) t->y_first++;
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* Large ones are not quite the largest, so that it is sure which sums overflow. */
static double draw_special(trial *t, double most) {
  static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1}, large[] = {0.9, -0.9, 0.6, -0.6, 0.4, -0.4};
  if (t->data == SPECIAL) return special[draw_below(&t->rng, COUNT(special))];
  return one_in(t, 50) ? most : most * large[draw_below(&t->rng, COUNT(large))];
}

static double draw_real(trial *t, const ref_type *type) {
  static const double powers[] = {0.5, 1, 2, -0.5, -1, -2, 1, 1};
  const double unit = draw_unit(&t->rng);
  const mmscan_op op = t->d.op;
  if (t->data == ZEROS) return one_in(t, 100) ? 0.0 : -0.0;
  if ((t->data == SPECIAL || t->data == LARGE) && one_in(t, 16)) return draw_special(t, type->most);
  if (op == MMSCAN_MUL && t->data == WHOLE) return one_in(t, 64) ? 0 : powers[draw_below(&t->rng, COUNT(powers))];
  if (op == MMSCAN_MUL) return copysign(exp2(0.4 * unit), draw_unit(&t->rng));
  if (t->data == WHOLE) return (double)draw_below(&t->rng, 9) - 4;
  return op == MMSCAN_LOGADDEXP ? unit * (one_in(t, 3) ? 300 : 10) : unit * (double)(1 << draw_below(&t->rng, 6));
}

static wide draw_whole(trial *t, const ref_type *type) {
  const uint64_t bits = draw(&t->rng);
  const wide edges[] = {0, 1, -1, ref_whole_identity(type, MMSCAN_MIN), ref_whole_identity(type, MMSCAN_MAX)};
  if (t->data == WHOLE)
    return t->d.op == MMSCAN_MUL ? (wide)(bits % 16 == 0) + 1 : (wide)(bits % 7) - (type->kind == 'i') * 3;
  return t->data == RANDOM ? (wide)bits : edges[bits % COUNT(edges)];
}

/* A NaN of any payload. */
static void put_nan(trial *t, const ref_type *type, void *to) {
  const uint64_t bits = draw(&t->rng), sign = bits >> 63, low = bits & 0xffff;
  const uint32_t f32 = (uint32_t)(sign << 31 | 0x7fc00000 | low);
  const uint64_t f64 = sign << 63 | UINT64_C(0x7ff8) << 48 | low;
  memcpy(to, type->size == 4 ? (const void *)&f32 : &f64, type->size);
}

static void put_drawn(trial *t, const ref_type *type, void *to) {
  if (ref_is_whole(type)) {
    ref_put_whole(type, to, draw_whole(t, type));
    return;
  }
  const double value = draw_real(t, type);
  ref_put_real(type, to, 0, value);
  if (type->kind == 'c') ref_put_real(type, to, 1, draw_real(t, type));
  if (type->kind == 'f' && type->size > 2 && isnan(value)) put_nan(t, type, to);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static area draw_area(trial *t, size_t count, size_t size) {
  const enum place place = one_in(t, 3) ? (enum place)(1 + draw_below(&t->rng, PLACES - 1)) : GUARDED;
  return area_new(place, count * size, draw_below(&t->rng, 4) * size);
}

static void make_x(trial *t) {
  const bool is_own = !t->is_in_place && !t->is_interleaved;
  area *a = is_own ? &t->xs : &t->ys;
  if (is_own) t->xs = draw_area(t, t->x_count, t->x->size);
  for (size_t i = 0; i < t->x_count; i++) put_drawn(t, t->x, a->data + i * t->x->size);
  if (is_own) area_keep(&t->xs, true);
  if (!(t->source = malloc(t->x_count * t->x->size + 1))) fail_msg("no memory for the test");
  memcpy(t->source, a->data, t->x_count * t->x->size);
}

/* Sometimes it is one of the places where results go, which is read first. */
static void make_init(trial *t) {
  const size_t size = t->y->size;
  if (!one_in(t, 2)) return;
  put_drawn(t, t->y, t->init);
  t->d.init = t->init;
  t->has_init_in_y = t->y_count > 0 && !t->is_in_place && !t->is_interleaved && one_in(t, 8);
  if (!t->has_init_in_y) return;
  t->d.init = memcpy(t->ys.data + draw_below(&t->rng, t->y_count) * size, t->init, size);
}

static void make_areas(trial *t) {
  t->ys = draw_area(t, t->y_count, t->y->size);
  memset(t->ys.data, 0x5a, t->ys.size);
  make_x(t);
  make_init(t);
  area_keep(&t->ys, false);
  if (may_have(t, "totals") && one_in(t, 3)) {
    t->totals = draw_area(t, t->scans, t->y->size);
    memset(t->totals.data, 0x5b, t->totals.size);
    area_keep(&t->totals, false);
    t->d.totals = t->totals.data;
  }
  if (ref_is_order(t->d.op) && may_have(t, "indices") && one_in(t, 2)) {
    t->indices = draw_area(t, t->y_count, sizeof(int64_t));
    memset(t->indices.data, 0x5c, t->indices.size);
    area_keep(&t->indices, false);
    t->d.indices = t->indices.data + t->y_first * (ptrdiff_t)sizeof(int64_t);
  }
}

static void free_areas(trial *t) {
  area *const all[] = {&t->xs, &t->ys, &t->totals, &t->indices, &t->carries, &t->states};
  for (size_t i = 0; i < COUNT(all); i++) area_free(all[i]);
  segments_free(&t->segments);
  free(t->source);
}

/* ---- Calling ----------------------------------------------------------------------------------------------------- */

static void draw_choice(trial *t) {
  static const char *const ways[] = {"scans", "shares", "chain", "leader", "alone"};
  static const size_t tiles[] = {0, 16, 64, 100, 128, 256, 512};
  const struct forced *forced = forced_all();
  t->choice = (mmscan_choice){.struct_size = sizeof t->choice};
  if (!one_in(t, 4)) t->choice = forced->choice[draw_below(&t->rng, forced->count)];
  if (ref_is_reproducible(&t->d) && is_gemm(&t->choice)) t->choice = (mmscan_choice){.struct_size = sizeof t->choice};
  if (one_in(t, 2) && !ref_is_reproducible(&t->d)) t->choice.tile = tiles[draw_below(&t->rng, COUNT(tiles))];
  if (one_in(t, 2)) t->choice.threads = 1 + (int)draw_below(&t->rng, 4);
  if (one_in(t, 8)) t->choice.way = ways[draw_below(&t->rng, COUNT(ways))];
}

/* Blocks have no init, but carries, and states where these would be rounded. */
static void make_carries(trial *t) {
  const ref_type *type = ref_carry_of(&t->d);
  const ref_state s = ref_start(&t->d);
  const bool is_zero = t->d.op == MMSCAN_PLUS && !t->d.init;
  t->carries = draw_area(t, t->scans, type->size);
  for (size_t r = 0; r < t->scans; r++) {
    unsigned char *to = t->carries.data + r * type->size;
    for (size_t p = 0; p < 2 && !ref_is_whole(type); p++)
      if (p == 0 || type->kind == 'c')
        ref_put_real(type, to, p, is_zero && t->d.kind == MMSCAN_INCLUSIVE ? -0.0 : s.loop[p]);
    if (ref_is_whole(type)) ref_put_whole(type, to, s.whole);
    if (type == t->y && t->d.init) memcpy(to, t->d.init, type->size);
  }
  area_keep(&t->carries, false);
  if (ref_sums_of(&t->d) == type && one_in(t, 2)) return;
  t->states = draw_area(t, t->scans, mmscan_state_size(&t->d));
  memset(t->states.data, 0, t->states.size);
  t->d.state = t->states.data;
}

static void make_segments(trial *t) {
  mmscan_segments *s = &t->segments.s;
  t->segments = segments_draw(&t->rng, t->d.n);
  if (one_in(t, 2)) draw_choice(t);
  if (s->form != MMSCAN_STARTS || one_in(t, 2)) return;
  t->totals = draw_area(t, t->scans * s->count, t->y->size);
  memset(t->totals.data, 0x5b, t->totals.size);
  area_keep(&t->totals, false);
  s->totals = t->totals.data;
}

static void draw_via(trial *t) {
  const bool may_be_blocks = t->d.kind != MMSCAN_OFFSETS && !t->d.outer_rank && !t->d.totals && !t->d.indices &&
                             !(t->d.flags & MMSCAN_CHECKED);
  t->via = one_in(t, 2) ? BY_PLAN : may_be_blocks && one_in(t, 2) ? BY_BLOCKS : BY_SCAN;
  t->threads = 1 + (int)draw_below(&t->rng, 4);
  t->engine = "default";
  if (t->d.kind != MMSCAN_OFFSETS && !t->d.totals && one_in(t, 3)) t->via = BY_SEGMENTS;
  if (t->via == BY_PLAN) draw_choice(t);
  if (t->via == BY_SEGMENTS) make_segments(t);
  if (t->via == BY_BLOCKS && t->is_legal) make_carries(t);
}

static mmscan_status scan_blocks(trial *t, const char *x, char *y) {
  mmscan_desc d = t->d;
  mmscan_status status = MMSCAN_OK;
  char none[MOST_SIZE] = {0};
  d.init = NULL;
  for (size_t done = 0; status == MMSCAN_OK && (done < t->d.n || t->d.n == 0); done += d.n) {
    const size_t left = t->d.n - done;
    d.n = one_in(t, 4) ? left : draw_below(&t->rng, left + 1);
    const ptrdiff_t at = d.n == 0 ? 0 : (ptrdiff_t)(t->d.reverse ? left - d.n : done);
    const ptrdiff_t x_at = at ? at * d.x_stride * (ptrdiff_t)t->x->size : 0,
                    y_at = at ? at * d.y_stride * (ptrdiff_t)t->y->size : 0;
    status =
        mmscan_scan_block(&d, x ? x + x_at : x, y ? y + y_at : y, t->carries.data ? (void *)t->carries.data : none);
    if (t->d.n == 0) break;
  }
  return status;
}

/* A plan has copies of init and of the outer dimensions. */
static mmscan_status execute_without(trial *t, const mmscan_plan *plan, const void *x, void *y) {
  const trial kept = *t;
  memset(t->outer, 0x7f, sizeof t->outer);
  memset(t->init, 0x7f, sizeof t->init);
  const mmscan_status status = mmscan_execute(plan, x, y);
  memcpy(t->outer, kept.outer, sizeof t->outer);
  memcpy(t->init, kept.init, sizeof t->init);
  return status;
}

/* A choice that the library cannot honour is replaced by none. */
static mmscan_status scan_planned(trial *t, const mmscan_desc *d, const void *x, void *y) {
  mmscan_plan *plan = NULL;
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_status status = mmscan_plan_create_with(&plan, d, MMSCAN_ESTIMATE, &t->choice);
  if (status != MMSCAN_OK && plan != NULL) fail_trial(t, "a plan in spite of status %d", status);
  if (status != MMSCAN_OK) {
    t->via = BY_SCAN;
    t->choice = (mmscan_choice){0};
    return mmscan_scan(d, x, y);
  }
  assert_mmscan_ok(mmscan_plan_get_choice(plan, &used));
  t->engine = text_or(used.engine, "none");
  status = execute_without(t, plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

/* As scan_planned(). */
static mmscan_status scan_segments(trial *t, const void *x, void *y) {
  const mmscan_segments *s = &t->segments.s;
  if (t->choice.struct_size == 0) return mmscan_scan_segments(&t->d, s, x, y);
  const mmscan_status status = mms_segments_scan(&t->d, s, &t->choice, x, y);
  if (status == MMSCAN_OK || status == MMSCAN_EOVERFLOW)
    return t->engine = text_or(t->choice.engine, "default"), status;
  t->choice = (mmscan_choice){0};
  return mmscan_scan_segments(&t->d, s, x, y);
}

static mmscan_status scan_trial(trial *t) {
  area *xs = t->is_in_place || t->is_interleaved ? &t->ys : &t->xs;
  char *x = (char *)xs->data + t->x_first * (ptrdiff_t)t->x->size,
       *y = (char *)t->ys.data + t->y_first * (ptrdiff_t)t->y->size;
  const bool has_no_y = t->scans == 0 || (t->d.n == 0 && t->d.kind != MMSCAN_OFFSETS);
  if (t->is_empty && one_in(t, 2)) x = NULL;
  if (has_no_y && one_in(t, 2)) y = NULL;
  omp_set_num_threads(t->threads);
  if (t->via == BY_BLOCKS) return scan_blocks(t, x, y);
  if (t->via == BY_SEGMENTS) return scan_segments(t, x, y);
  return t->via == BY_PLAN ? scan_planned(t, &t->d, x, y) : mmscan_scan(&t->d, x, y);
}

/* ---- Checking ---------------------------------------------------------------------------------------------------- */

/* With init in a place of its own, and as the arrays were before the call. */
static mmscan_desc desc_of(const trial *t) {
  mmscan_desc d = t->d;
  if (d.init) d.init = t->init;
  return d;
}

static bool keeps_signs(const trial *t) {
  return !(t->d.kind == MMSCAN_OFFSETS && !t->d.init) && !(t->d.flags & (MMSCAN_SKIP_NAN | MMSCAN_MONOTONE));
}

static const char *shown(const ref_type *type, const void *element, const ref_state *s) {
  static char text[300];
  if (ref_is_whole(type))
    snprintf(text, sizeof text, "%lld instead of %lld", (long long)ref_get_whole(type, element), (long long)s->whole);
  else
    snprintf(text, sizeof text, "%.17g (and %.17g) instead of %.17g (%.17g; by a loop %.17g %.17g) within %g",
             ref_get_real(type, element, 0), type->kind == 'c' ? ref_get_real(type, element, 1) : 0.0,
             (double)s->exact[0], (double)s->exact[1], s->loop[0], s->loop[1], (double)ref_error(s, 0));
  return text;
}

/* Results that are right are copied to what is kept: what then differs was not to be written. */
static void check_result(void *context, const ref_state *s, ptrdiff_t y_at) {
  trial *t = context;
  const size_t at = (size_t)(t->y_first + y_at), size = t->y->size;
  const unsigned char *got = t->ys.data + at * size;
  if (!ref_accepts(s, t->y, got, keeps_signs(t))) fail_trial(t, "element %td of y is %s", y_at, shown(t->y, got, s));
  memcpy(t->ys.before + at * size, got, size);
  if (!t->d.indices) return;
  int64_t index;
  memcpy(&index, t->indices.data + at * sizeof index, sizeof index);
  if (index != s->index)
    fail_trial(t, "index %td is %lld instead of %lld", y_at, (long long)index, (long long)s->index);
  memcpy(t->indices.before + at * sizeof index, &index, sizeof index);
}

static void check_total(void *context, const ref_state *s, size_t scan) {
  trial *t = context;
  const ref_type *type = t->via == BY_BLOCKS ? ref_carry_of(&t->d) : t->y;
  area *a = t->via == BY_BLOCKS ? &t->carries : t->d.totals ? &t->totals : NULL;
  if (!a) return;
  unsigned char *got = a->data + scan * type->size;
  if (!ref_accepts(s, type, got, keeps_signs(t) && t->d.kind == MMSCAN_INCLUSIVE))
    fail_trial(t, "total %zu is %s", scan, shown(type, got, s));
  memcpy(a->before + scan * type->size, got, type->size);
}

/* Totals of segments that are not empty; those of the others follow. */
static void check_segment(void *context, const ref_state *s, size_t scan, size_t first) {
  trial *t = context;
  const size_t size = t->y->size, k = scan * t->segments.s.count + t->segments.first[first];
  unsigned char *got = t->totals.data + k * size;
  if (!ref_accepts(s, t->y, got, keeps_signs(t) && t->d.kind == MMSCAN_INCLUSIVE))
    fail_trial(t, "total %zu of scan %zu is %s", k, scan, shown(t->y, got, s));
  memcpy(t->totals.before + k * size, got, size);
}

static size_t start_of(const segments *all, size_t k) {
  return all->s.type == MMSCAN_I32 ? (size_t)((const int32_t *)all->data)[k] : (size_t)((const int64_t *)all->data)[k];
}

static void check_empty_segments(trial *t) {
  const mmscan_desc d = desc_of(t);
  const ref_state s = ref_start(&d);
  for (size_t i = 0; t->segments.s.totals && i < t->scans * t->segments.s.count; i++) {
    const size_t k = i % t->segments.s.count, size = t->y->size;
    unsigned char *got = t->totals.data + i * size;
    if (start_of(&t->segments, k) != start_of(&t->segments, k + 1)) continue;
    if (!ref_accepts(&s, t->y, got, false)) fail_trial(t, "empty total %zu is %s", i, shown(t->y, got, &s));
    memcpy(t->totals.before + i * size, got, size);
  }
}

static void check_kept(trial *t) {
  const struct {
    const char *name;
    area *a;
  } all[] = {{"x", &t->xs}, {"y", &t->ys}, {"totals", &t->totals}, {"indices", &t->indices}, {"carries", &t->carries}};
  for (size_t i = 0; i < COUNT(all); i++)
    if (all[i].a->data && !area_is_kept(all[i].a))
      fail_trial(t, "something else was written, in or around %s", all[i].name);
}

/* ---- Totals are last inclusive results ------------------------------------------------------------------------------
 */

typedef struct last {
  trial *t;
  area ys;
  ptrdiff_t at;
  bool any;
} last;

static void note_result(void *context, const ref_state *s, ptrdiff_t y_at) {
  (void)s;
  ((last *)context)->at = y_at;
  ((last *)context)->any = true;
}

static void compare_total(void *context, const ref_state *s, size_t scan) {
  last *l = context;
  trial *t = l->t;
  const size_t size = t->y->size;
  const unsigned char *total = t->totals.data + scan * size,
                      *result = l->ys.data + (t->y_first + l->at) * (ptrdiff_t)size;
  const bool may_differ = !l->any || (!ref_is_whole(t->y) && (!isfinite(s->loop[0]) || !isfinite(s->loop[1])));
  if (!may_differ && memcmp(total, result, size) != 0)
    fail_trial(t, "total %zu is %s, and has not the bits of the last inclusive result", scan, shown(t->y, total, s));
}

static void check_totals(trial *t) {
  mmscan_desc d = desc_of(t);
  last l = {.t = t, .ys = area_new(GUARDED, t->y_count * t->y->size, 0)};
  ref_visitor visitor = {note_result, compare_total, &l, false, NULL, NULL};
  const char *x = t->source + t->x_first * (ptrdiff_t)t->x->size;
  char *y = (char *)l.ys.data + t->y_first * (ptrdiff_t)t->y->size;
  d.kind = MMSCAN_INCLUSIVE;
  d.totals = d.indices = NULL;
  const mmscan_status status = t->via == BY_PLAN ? scan_planned(t, &d, x, y) : mmscan_scan(&d, x, y);
  if (status != MMSCAN_OK && status != MMSCAN_EOVERFLOW) fail_trial(t, "inclusive: status %d", status);
  ref_walk(&d, x, &visitor);
  area_free(&l.ys);
}

/* ---- All about one ----------------------------------------------------------------------------------------------- */

static void count_trial(const trial *t, bool overflows) {
  static const char *const datas[] = {"data whole", "data random", "data special", "data large", "data zeros"};
  static const char *const vias[] = {"via mmscan_scan", "via plan", "via blocks", "via segments"};
  static const char *const forms[] = {"", "segments flags", "segments starts", "segments keys"};
  char text[64];
  const names all = names_of(&t->d);
  for (size_t i = 0; i < all.count; i++) count_if(true, all.name[i]);
  snprintf(text, sizeof text, "pair %s to %s", t->x->name, t->y->name);
  count_if(true, text);
  snprintf(text, sizeof text, "engine %s", t->engine);
  count_if(true, text);
  count_if(true, datas[t->data]);
  count_if(true, vias[t->via]);
  count_if(t->via == BY_SEGMENTS, forms[t->segments.s.form]);
  count_if(t->segments.s.totals, "segments with totals");
  count_if(t->d.reverse, "with reverse");
  count_if(t->d.init, "with init");
  count_if(t->has_init_in_y, "with init in y");
  count_if(t->d.batch > 1, "with batch");
  count_if(t->d.n == 0, "with n of 0");
  count_if(t->d.n > 1000, "with n over 1000");
  count_if(overflows, "with overflow");
  count_if(t->is_in_place, "layout in place");
  count_if(t->is_interleaved, "layout interleaved");
  count_if(t->has_repeats, "layout repeated");
  count_if(t->has_gaps, "layout gaps");
  count_if(t->goes_down, "layout down");
  count_if(t->xs.map, "layout read-only");
  count_if(t->threads > 1, "threads 2 to 4");
}

static void check_scanned(trial *t, mmscan_status status) {
  const mmscan_desc d = desc_of(t);
  ref_visitor visitor = {check_result, check_total, t, false, t->segments.heads, NULL};
  const mmscan_status without = t->d.flags & MMSCAN_CHECKED ? MMSCAN_EOVERFLOW : MMSCAN_OK;
  if (status != MMSCAN_OK && status != without) fail_trial(t, "status %d (%s)", status, mmscan_strerror(status));
  if (t->segments.s.totals) visitor.segment = check_segment;
  ref_walk(&d, t->source + t->x_first * (ptrdiff_t)t->x->size, &visitor);
  if (t->via == BY_SEGMENTS) check_empty_segments(t);
  const bool overflows = visitor.overflows && (d.flags & MMSCAN_CHECKED);
  if (status != (overflows ? MMSCAN_EOVERFLOW : MMSCAN_OK))
    fail_trial(t, "overflow: %d, but status %d", overflows, status);
  check_kept(t);
  count_trial(t, overflows);
  if (d.totals && t->scans && one_in(t, 2)) check_totals(t);
}

/* What mmscan_desc_check() says must be what the call says. */
static void check_trial(trial *t) {
  char why[200];
  const char *refused = t->is_legal ? refused_of(&t->d) : "illegal";
  const mmscan_status want = mmscan_desc_check(&t->d, why, sizeof why), status = scan_trial(t);
  if (want != (status == MMSCAN_EOVERFLOW ? MMSCAN_OK : status))
    fail_trial(t, "status %d, but mmscan_desc_check() gives %d: %s", status, want, why);
  if (status == MMSCAN_ENOTSUP && refused) {
    check_kept(t);
    count_if(true, t->is_legal ? "refused not yet" : "refused illegal");
    return;
  }
  if (!t->is_legal) fail_trial(t, "status %d instead of %d", status, MMSCAN_ENOTSUP);
  check_scanned(t, status);
}

/* Caches so small that results go past them. */
static void shrink_caches(void) {
  mms_tuning *cpu = &mms_tuning_here;
  cpu->stream_from = cpu->cluster = cpu->clusters = cpu->half_cache = 256;
}

static void try_seed(uint64_t seed) {
  const mms_tuning here = mms_tuning_here;
  trial t = {.seed = seed, .rng = repeat_begin(seed), .d.struct_size = sizeof t.d};
  t.is_bold = one_in(&t, 8);
  t.is_legal = !one_in(&t, 32);
  const bool has_wrong_op = !t.is_legal && one_in(&t, 2);
  if (has_wrong_op) t.is_legal = true;
  t.data = (enum data)draw_below(&t.rng, DATA);
  draw_types(&t);
  draw_op(&t);
  if (has_wrong_op) draw_wrong_op(&t);
  draw_extras(&t);
  draw_layout(&t);
  make_areas(&t);
  draw_via(&t);
  const bool is_small = one_in(&t, 3);
  if (is_small) shrink_caches();
  count_if(is_small, "past the caches");
  check_trial(&t);
  mms_tuning_here = here;
  free_areas(&t);
}

/* ---- Enough of each ---------------------------------------------------------------------------------------------- */

enum { ENOUGH = 20000 }; /* descriptions, for each category to be among them */

static void require(const char *name) {
  if (!is_not_yet(name) && *tally_of(name) == 0) fail_msg("no description had: %s", name);
}

static void require_pairs(void) {
  char text[64];
  for (size_t i = 0; i < COUNT(ref_types) * COUNT(ref_types); i++) {
    const ref_type *x = &ref_types[i / COUNT(ref_types)], *y = &ref_types[i % COUNT(ref_types)];
    const char *how = conversion_name(x, y);
    if (how == NULL || is_not_yet(how) || is_not_yet(type_name(x)) || is_not_yet(type_name(y))) continue;
    snprintf(text, sizeof text, "pair %s to %s", x->name, y->name);
    require(text);
  }
}

static void require_all(void) {
  static const char *const others[] = {"totals",
                                       "indices",
                                       "outer",
                                       "with reverse",
                                       "with init",
                                       "with init in y",
                                       "with batch",
                                       "with n of 0",
                                       "with n over 1000",
                                       "layout in place",
                                       "layout gaps",
                                       "layout interleaved",
                                       "layout down",
                                       "layout repeated",
                                       "layout read-only",
                                       "via mmscan_scan",
                                       "via plan",
                                       "via blocks",
                                       "segments flags",
                                       "segments starts",
                                       "segments keys",
                                       "segments with totals",
                                       "engine serial",
                                       "engine simd",
                                       "engine gemm",
                                       "refused illegal",
                                       "past the caches"};
  for (size_t i = 0; i < COUNT(others); i++) require(others[i]);
  for (size_t i = 1; i < COUNT(op_names); i++) require(op_names[i]);
  for (size_t i = 1; i < COUNT(kind_names); i++) require(kind_names[i]);
  for (size_t i = 0; i < MOST_FLAGS; i++)
    if (1u << i != MMSCAN_MONOTONE) require(flag_names[i]);
  if (!is_not_yet("flag checked")) require("with overflow");
  require_pairs();
}

TEST(test_random_descriptions) {
  const size_t count = repeat_count(sized(ENOUGH, ENOUGH / 20));
  for (size_t k = 0; k < count; k++) try_seed(seed() + k);
  print_tallies();
  if (count >= ENOUGH) require_all();
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
