/* mixed.h: elements of any type, of which sums and products stay within its range.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MIXED_H
#define MIXED_H

#include <math.h>

#include "test.h"

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static mmscan_algebra mixed_rows[128];
static size_t mixed_count;

static inline void mixed_find_rows(void) {
  mmscan_algebra row = {.struct_size = sizeof row};
  while (mmscan_get_algebra(mixed_count, &row) == MMSCAN_OK) mixed_rows[mixed_count++ % COUNT(mixed_rows)] = row;
  if (mixed_count > COUNT(mixed_rows)) fail_msg("more rows than the test has room for");
}

static inline const mmscan_algebra *mixed_row(mmscan_op op, mmscan_type type) {
  for (size_t i = 0; i < mixed_count; i++)
    if (mixed_rows[i].op == op && mixed_rows[i].type == type) return &mixed_rows[i];
  return NULL;
}

/* Every type has sums. */
static inline size_t mixed_size(mmscan_type type) { return mixed_row(MMSCAN_PLUS, type)->size; }

static inline bool mixed_is_integer(mmscan_type type) {
  const int kind = mixed_row(MMSCAN_PLUS, type)->kind;
  return kind == 'i' || kind == 'u';
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* Floats near 1 and -1, but wild ones: one in a while is NaN or large. Integers are anything. */
static inline void mixed_put(mmscan_type type, unsigned char *x, size_t i, struct rng *rng, bool is_wild) {
  const bool is_odd = is_wild && draw_below(rng, 5000) == 0;
  const double value = is_odd ? (draw(rng) & 1 ? 1e38 : (double)NAN) : 1 + draw_unit(rng) * 0x1p-6;
  const double sign = draw(rng) & 1 ? 1 : -1;
  if (type == MMSCAN_F32 || type == MMSCAN_F64) {
    put_float(type, x, i, sign * value);
  } else if (type == MMSCAN_C32 || type == MMSCAN_C64) {
    const mmscan_type part = type == MMSCAN_C32 ? MMSCAN_F32 : MMSCAN_F64;
    put_float(part, x, 2 * i, sign * value * 0.7);
    put_float(part, x, 2 * i + 1, value * 0.7);
  } else if (type == MMSCAN_F16 || type == MMSCAN_BF16) {
    const uint16_t half = (uint16_t)((type == MMSCAN_F16 ? 0x3C00 : 0x3F80) | (draw(rng) & 1) << 15 | draw(rng) % 4);
    memcpy(x + 2 * i, &half, sizeof half);
  } else {
    const uint64_t bits = draw(rng);
    memcpy(x + i * mixed_size(type), &bits, mixed_size(type));
  }
}

/* How large an element can be. */
static inline double mixed_largest(mmscan_type type, bool is_wild) {
  if (mixed_is_integer(type)) return ldexp(1, (int)(8 * mixed_size(type)));
  return is_wild ? 2e38 : 2;
}

/* One of the sets of flags that differ in how they are scanned. */
static inline unsigned mixed_flags(struct rng *rng) {
  static const unsigned flags[] = {0,
                                   MMSCAN_SKIP_NAN,
                                   MMSCAN_ACCURATE,
                                   MMSCAN_REPRODUCIBLE,
                                   MMSCAN_REPRODUCIBLE | MMSCAN_ACCURATE,
                                   MMSCAN_MONOTONE,
                                   MMSCAN_MONOTONE | MMSCAN_REPRODUCIBLE};
  return flags[draw_below(rng, COUNT(flags))];
}

#endif
