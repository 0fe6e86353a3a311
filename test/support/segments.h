/* segments.h: random segments of scans, in each of the forms that say where they begin.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include "reference.h"

/* heads[i]: element i begins a segment; heads[n] is set, too. first: of starts, the segment that is not empty and
 * begins there. */
typedef struct segments {
  size_t n;
  bool *heads;
  size_t *first;
  void *data;
  mmscan_segments s;
} segments;

static inline void *segments_memory(size_t size) {
  void *p = calloc(size + 1, 1);
  if (!p) fail_msg("no memory for the test");
  return p;
}

/* How far apart heads are: next to each other, or at 2, 4, 8, ... elements on average, or few. */
static inline void segments_draw_heads(segments *all, struct rng *rng) {
  const uint64_t sparse = UINT64_C(1) << draw_below(rng, 12);
  all->heads = segments_memory(all->n + 1);
  for (size_t i = 0; i < all->n; i++) all->heads[i] = i == 0 || draw_below(rng, sparse) == 0;
  all->heads[all->n] = true;
}

static inline void segments_put_flags(segments *all, struct rng *rng) {
  uint8_t *flags = all->data = segments_memory(all->n);
  for (size_t i = 0; i < all->n; i++) flags[i] = all->heads[i] ? (uint8_t)(1 + draw_below(rng, 255)) : 0;
  if (all->n > 0 && draw(rng) % 2) flags[0] = 0; /* it begins one anyway */
}

static inline void segments_put_start(segments *all, size_t k, size_t start) {
  if (all->s.type == MMSCAN_I32)
    ((int32_t *)all->data)[k] = (int32_t)start;
  else
    ((int64_t *)all->data)[k] = (int64_t)start;
}

/* With empty ones between, and at both ends. */
static inline void segments_put_starts(segments *all, struct rng *rng) {
  const bool has_empty = draw(rng) % 2;
  size_t *empty = segments_memory((all->n + 1) * sizeof *empty), count = 0;
  for (size_t i = 0; i <= all->n; i++) {
    empty[i] = has_empty && all->heads[i] ? draw_below(rng, 3) : 0;
    count += empty[i] + (all->heads[i] && i < all->n);
  }
  all->s.type = draw(rng) % 2 ? MMSCAN_I32 : MMSCAN_I64;
  all->s.count = count;
  all->data = segments_memory((count + 1) * sizeof(int64_t));
  all->first = segments_memory((all->n + 1) * sizeof *all->first);
  size_t k = 0;
  for (size_t i = 0; i <= all->n; i++) {
    for (size_t e = 0; e < empty[i]; e++) segments_put_start(all, k++, i);
    if (!all->heads[i] || i == all->n) continue;
    all->first[i] = k;
    segments_put_start(all, k++, i);
  }
  segments_put_start(all, k, all->n);
  free(empty);
}

/* A number for a key; of some types few are to be had. */
static inline void segments_put_key(const ref_type *type, void *to, int number, bool has_sign) {
  const double of_zero = has_sign ? -0.0 : 0.0;
  if (ref_is_whole(type)) {
    ref_put_whole(type, to, number);
    return;
  }
  ref_put_real(type, to, 0, number == 0 ? of_zero : number == 3 ? (double)NAN : number);
  if (type->kind == 'c') ref_put_real(type, to, 1, number == 4 ? 1 : of_zero);
}

/* Key 3 of floats is NaN, so that every one of them begins a segment: its heads are put right. */
static inline void segments_put_keys(segments *all, struct rng *rng) {
  const ref_type *type = &ref_types[draw_below(rng, COUNT(ref_types))];
  char *keys = all->data = segments_memory(all->n * type->size);
  int number = 0;
  bool was_nan = false;
  all->s.type = type->type;
  for (size_t i = 0; i < all->n; i++) {
    if (all->heads[i]) number = (number + 1 + (int)draw_below(rng, 4)) % 5;
    const bool is_nan = !ref_is_whole(type) && number == 3;
    if (is_nan || was_nan) all->heads[i] = true;
    was_nan = is_nan;
    segments_put_key(type, keys + i * type->size, number, draw(rng) % 2);
  }
}

static inline segments segments_draw(struct rng *rng, size_t n) {
  segments all = {.n = n, .s = {.struct_size = sizeof(mmscan_segments)}};
  segments_draw_heads(&all, rng);
  all.s.form = (mmscan_segment_form)(1 + draw_below(rng, 3));
  if (all.s.form == MMSCAN_FLAGS) segments_put_flags(&all, rng);
  if (all.s.form == MMSCAN_STARTS) segments_put_starts(&all, rng);
  if (all.s.form == MMSCAN_KEYS) segments_put_keys(&all, rng);
  all.s.data = all.data;
  return all;
}

static inline void segments_free(segments *all) {
  free(all->heads);
  free(all->first);
  free(all->data);
}

#endif
