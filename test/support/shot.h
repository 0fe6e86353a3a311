/* shot.h: one call of the library, in tight buffers, with every check.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SHOT_H
#define SHOT_H

#include "oracle.h"

enum via { BY_SIMPLE, BY_SCAN, BY_PLAN };

struct shot {
  const struct sample *sample; /* x is its first elements */
  enum via via;
  const mmscan_choice *choice; /* for BY_PLAN; NULL chooses nothing */
  mmscan_desc desc;
  bool in_place;
  size_t x_offset, y_offset; /* in elements, from a 64-byte boundary */
};

/* The bits of a variant: kind, direction, and whether in place. */
enum { VARIANTS = 8 };

/* Half of the variants in each turn, in which each kind meets each direction and each place. */
static inline bool is_turn_of(unsigned variant, size_t turn) {
  return (size_t)__builtin_parity(variant % VARIANTS) == turn % 2;
}

/* An arbitrary init: the sample's last element, which no scan of the sample reads. */
static inline const void *shot_init(const struct sample *sample) {
  return (const char *)sample->x + (sample->oracle.n - 1) * sample->oracle.type->size;
}

/* Describes a plain scan of n elements in one of the variants; every second inclusive one has an init, but for simple
 * calls. */
static inline void shot_set(struct shot *shot, unsigned variant, size_t n) {
  mmscan_kind kind = variant & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  shot->desc = plain_desc(shot->sample->oracle.type->type, kind, (variant & 2) != 0, n);
  static size_t turn;
  const bool has_init = kind == MMSCAN_EXCLUSIVE || (shot->via != BY_SIMPLE && turn++ % 2 != 0);
  if (has_init) shot->desc.init = shot_init(shot->sample);
  shot->in_place = (variant & 4) != 0;
}

/* ---- The memory of a batch --------------------------------------------------------------------------------------- */

/* The elements from the lowest of any row to the highest; `first` is the index of row 0's start among them. */
struct extent {
  size_t first, count;
};

static inline struct extent extent_of(const mmscan_desc *desc, ptrdiff_t dist) {
  if (desc->n == 0 || desc->batch == 0) return (struct extent){0, 0};
  size_t span = desc->batch == 1 ? 0 : (desc->batch - 1) * (size_t)(dist < 0 ? -dist : dist);
  return (struct extent){desc->batch > 1 && dist < 0 ? span : 0, span + desc->n};
}

static inline size_t row_at(const mmscan_desc *desc, ptrdiff_t dist, size_t row) {
  return extent_of(desc, dist).first + (desc->batch > 1 ? row * (size_t)dist : 0);
}

/* Whether the rows of y are disjoint, a scan in place has equal distances, and the sample is long enough. */
static inline bool shot_is_legal(const struct shot *shot) {
  const mmscan_desc *d = &shot->desc;
  size_t apart = (size_t)(d->y_dist < 0 ? -d->y_dist : d->y_dist);
  return (d->batch <= 1 || apart >= d->n) && (!shot->in_place || d->batch <= 1 || d->x_dist == d->y_dist) &&
         extent_of(d, d->x_dist).count < shot->sample->oracle.n &&
         extent_of(d, d->y_dist).count < shot->sample->oracle.n;
}

/* ---- Calling ----------------------------------------------------------------------------------------------------- */

static inline mmscan_status shot_simple(const struct shot *shot, const void *x, void *y) {
  const struct type *type = shot->sample->oracle.type;
  return shot->desc.kind == MMSCAN_INCLUSIVE ? type->inclusive(shot->desc.n, x, y)
                                             : type->exclusive(shot->desc.n, shot->desc.init, x, y);
}

/* Makes the call; *used is the choices it used, or those of a plan for the same description. */
static inline mmscan_status shot_call(const struct shot *shot, const void *x, void *y, mmscan_choice *used) {
  mmscan_plan *plan = plan_new(&shot->desc, shot->via == BY_PLAN ? shot->choice : NULL, used);
  mmscan_status status = MMSCAN_OK;
  switch (shot->via) {
  case BY_SIMPLE:
    status = shot_simple(shot, x, y);
    break;
  case BY_SCAN:
    status = mmscan_scan(&shot->desc, x, y);
    break;
  case BY_PLAN:
    status = mmscan_execute(plan, x, y);
    break;
  }
  mmscan_plan_destroy(plan);
  return status;
}

/* ---- Checking ---------------------------------------------------------------------------------------------------- */

static inline const char *shot_text(const struct shot *shot, const mmscan_choice *used) {
  static const char *const via[] = {"simple call", "mmscan_scan", "plan"};
  static char text[256];
  snprintf(text, sizeof text, "%s, %s, %s x %s, s %zu, tile %zu, batch %zu, distances %td %td, offsets %zu %zu",
           via[shot->via], shot->in_place ? "in place" : "out of place", text_or(used->engine, "NULL"), part_of(used),
           used->s, used->tile, shot->desc.batch, shot->desc.x_dist, shot->desc.y_dist, shot->x_offset, shot->y_offset);
  return text;
}

/* Checks the rows, then copies them from y to `before`: where the two still differ, the call wrote between the rows. */
static inline void check_rows(const struct shot *shot, const mmscan_choice *used, unsigned char *before,
                              const unsigned char *y) {
  const mmscan_desc *d = &shot->desc;
  const struct oracle *o = &shot->sample->oracle;
  const size_t size = o->type->size;
  double rounds = roundings(shot->via == BY_PLAN ? used : NULL, d->n);
  for (size_t r = 0; r < d->batch && d->n > 0; r++) {
    size_t at = row_at(d, d->y_dist, r) * size;
    struct window w = {row_at(d, d->x_dist, r), d->n, d->kind, d->reverse != 0, d->init, d->op};
    if (first_wrong(o, &w, rounds, y + at) != w.n) assert_scan(o, &w, rounds, y + at, shot_text(shot, used));
    memcpy(before + at, y + at, d->n * size);
  }
}

/* Makes the call; checks y, that nothing outside its rows changed, and that x did not change. */
static inline void shoot_once(const struct shot *shot) {
  const mmscan_desc *d = &shot->desc;
  const size_t size = shot->sample->oracle.type->size;
  struct extent xs = extent_of(d, d->x_dist), ys = extent_of(d, shot->in_place ? d->x_dist : d->y_dist);
  struct buffer x = buffer_new(xs.count * size, shot->x_offset * size), y = x;
  if (!shot->in_place) y = buffer_new(ys.count * size, shot->y_offset * size);
  unsigned char *before = test_memory(y.size);
  memset(y.data, 0x5a, y.size);
  memcpy(x.data, shot->sample->x, x.size);
  memcpy(before, y.data, y.size);

  mmscan_choice used;
  mmscan_status status = shot_call(shot, x.data + xs.first * size, y.data + ys.first * size, &used);
  if (status != MMSCAN_OK) fail_seeded("%s: %s", shot_text(shot, &used), mmscan_strerror(status));
  check_rows(shot, &used, before, y.data);
  if (memcmp(before, y.data, y.size) != 0) fail_seeded("%s: wrote between the rows", shot_text(shot, &used));
  if (!shot->in_place && memcmp(x.data, shot->sample->x, x.size) != 0)
    fail_seeded("%s: x changed", shot_text(shot, &used));
  if (!buffer_intact(&x) || !buffer_intact(&y)) fail_seeded("%s: wrote outside of y", shot_text(shot, &used));

  free(before);
  if (!shot->in_place) buffer_free(&y);
  buffer_free(&x);
}

enum { MOST_OF_SLOW = 20000 }; /* elements of which logarithms do not take long */

/* The next of the operators other than +, in turn, that scan so many elements of a type. */
static inline mmscan_op other_op(mmscan_type type, size_t count) {
  static int last = MMSCAN_PLUS;
  for (int tries = 0; tries < MMS_OPS; tries++) {
    last = last + 1 < MMS_OPS ? last + 1 : MMSCAN_PLUS + 1;
    if (last == MMSCAN_LOGADDEXP && count > MOST_OF_SLOW) continue;
    if (mms_algebra_of((mmscan_op)last, type) != NULL) return (mmscan_op)last;
  }
  return MMSCAN_PLUS;
}

/* The same by +, and every fourth time, in a quick run every sixth, by another operator where the call can be by
 * one: simple calls are sums, and so are products. */
static inline void shoot(const struct shot *shot) {
  static size_t shots;
  struct shot other = *shot;
  shoot_once(shot);
  if (shots++ % (quick() ? 6 : 4) != 0) return;
  if (shot->via == BY_SIMPLE || (shot->via == BY_PLAN && shot->choice && is_gemm(shot->choice))) return;
  other.desc.op = other_op(shot->desc.x_type, shot->desc.n * shot->desc.batch);
  shoot_once(&other);
}

#endif /* SHOT_H */
