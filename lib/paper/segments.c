/* segments.c: any length. Cuts n into segments of sizes s^k by its base-s digits, largest first, and joins them:
 *
 *   1  scan every segment by Algorithm 1, in parallel
 *   2  gather the last value of every segment, known after its up-sweep, into w
 *   3  scan w by Algorithm 1, padded to a power of s, while the segments' down-sweeps run
 *   4  add w[i-1] to segment i
 *
 * The paper bounds the length of w by k_1 (s-1), which is too short: digits run over k_1 + 1 powers (n = 7, s = 2 has
 * three segments). Everything here is sized by the real count.
 */
#include "paper/segments.h"

#include "paper/sweep.h"
#include "paper/vector.h"
#include "types.h"
#include "unit/matrix.h"
#include <stdlib.h>
#include <string.h>

typedef struct segment {
  size_t from, length; /* length = s^k */
  unsigned k;
  mms_sweep sweep;
  mmscan_counts counts;
} segment;

typedef struct run {
  const mmscan_matmul_desc *desc;
  const mms_unit *unit;
  int threads;
  char *x; /* scanned in place */
  size_t segments;
  segment *segment;
  mms_sweep w_sweep;
  mmscan_counts w_counts;
  char *w;         /* last values, padded to w_length = s^q */
  size_t w_length; /* the smallest power of s that holds them; 0 for a single segment */
  char *arena;     /* every room and matrix */
} run;

/* ---- Cutting -------------------------------------------------------------------------------------------------- */

/* The largest power of s that is at most n, n >= 1. */
static size_t largest_power(size_t s, size_t n, unsigned *k) {
  size_t power = 1;
  for (*k = 0; power <= n / s; power *= s) ++*k;
  return power;
}

static size_t digit_sum(size_t s, size_t n) {
  size_t sum = 0;
  for (; n; n /= s) sum += n % s;
  return sum;
}

static size_t power_holding(size_t s, size_t n) {
  size_t power = 1;
  while (power < n) power *= s;
  return power;
}

static void cut_by_digits(run *r) {
  unsigned k;
  size_t s = r->desc->s, power = largest_power(s, r->desc->n, &k), from = 0;
  for (segment *g = r->segment; g < r->segment + r->segments; g++) {
    while (power > r->desc->n - from) power /= s, k--;
    *g = (segment){.from = from, .length = power, .k = k};
    from += power;
  }
}

/* With the rule that pads, all of x is one segment: levels of any length are right once k is rounded up. */
static void cut(run *r) {
  if (r->desc->length_rule == MMSCAN_PADDED)
    *r->segment = (segment){.length = r->desc->n, .k = mms_sweep_levels(r->desc->s, r->desc->n)};
  else
    cut_by_digits(r);
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

static size_t room_for(const run *r, size_t n) { return mms_sweep_room(r->desc->type, r->desc->s, r->desc->form, n); }

static mms_sweep sweep_over(const run *r, const char *matrices, void *room, mmscan_counts *counts) {
  size_t square = r->desc->s * r->desc->s * mms_type_size(r->desc->type);
  return (mms_sweep){.unit = r->unit,
                     .type = r->desc->type,
                     .s = r->desc->s,
                     .form = r->desc->form,
                     .l = matrices,
                     .b = matrices + square,
                     .room = room,
                     .counts = counts};
}

/* One arena: L_s, B_s, w, the room of w, the rooms of the segments. */
static mmscan_status open_run(run *r) {
  size_t size = mms_type_size(r->desc->type), square = r->desc->s * r->desc->s * size;
  r->segment = malloc(r->segments * sizeof *r->segment);
  if (!r->segment) return MMSCAN_ENOMEM;
  cut(r);
  r->w_length = r->segments > 1 ? power_holding(r->desc->s, r->segments) : 0;
  size_t bytes = 2 * square + r->w_length * size + room_for(r, r->w_length);
  for (size_t i = 0; i < r->segments; i++) bytes += room_for(r, r->segment[i].length);
  r->arena = malloc(bytes);
  if (!r->arena) return MMSCAN_ENOMEM;
  mms_matrix_l(r->desc->type, r->desc->s, r->arena);
  mms_matrix_b(r->desc->type, r->desc->s, r->arena + square);
  r->w = r->arena + 2 * square;
  char *room = r->w + r->w_length * size;
  r->w_sweep = sweep_over(r, r->arena, room, &r->w_counts);
  room += room_for(r, r->w_length);
  for (segment *g = r->segment; g < r->segment + r->segments; g++) {
    g->sweep = sweep_over(r, r->arena, room, &g->counts);
    room += room_for(r, g->length);
  }
  return MMSCAN_OK;
}

static void close_run(run *r) {
  free(r->arena);
  free(r->segment);
}

/* ---- The four steps ------------------------------------------------------------------------------------------- */

static char *element(const run *r, size_t index) { return r->x + index * mms_type_size(r->desc->type); }

/* A single segment has nobody to hand its last value to. */
static void gather_w(run *r) {
  if (r->segments == 1) return;
  size_t size = mms_type_size(r->desc->type);
  memset(r->w, 0, r->w_length * size);
  for (size_t i = 0; i < r->segments; i++)
    memcpy(r->w + i * size, element(r, r->segment[i].from + r->segment[i].length - 1), size);
  r->w_counts.gathered += r->segments;
}

static void scan_segment(const run *r, const segment *g) {
  if (r->desc->traversal == MMSCAN_RECURSIVE)
    mms_sweep_scan_recursive(&g->sweep, element(r, g->from), g->length);
  else
    mms_sweep_up(&g->sweep, element(r, g->from), g->length, g->k);
}

static void finish_segment(const run *r, const segment *g) {
  if (r->desc->traversal == MMSCAN_ITERATIVE) mms_sweep_down(&g->sweep, element(r, g->from), g->length, g->k);
}

static void add_vector(const run *r, segment *g, const void *carry) {
  mms_vector_add(r->desc->type, g->length, carry, element(r, g->from));
  g->counts.depth++;
  g->counts.additions += g->length;
  g->counts.additions_unpadded += g->length;
}

static void broadcast(const run *r, segment *g) {
  const void *carry = r->w + (size_t)(g - r->segment - 1) * mms_type_size(r->desc->type);
  if (r->desc->broadcast == MMSCAN_BROADCAST_VECTOR)
    add_vector(r, g, carry);
  else
    mms_sweep_broadcast(&g->sweep, element(r, g->from), g->length, carry);
}

/* Steps 1 to 4. In the middle loop, step 3 is one task beside the down-sweeps (index -1 of the segments): w is a copy,
 * so the two touch no common memory. */
static void join_segments(run *r) {
  ptrdiff_t segments = (ptrdiff_t)r->segments;
#pragma omp parallel num_threads(r->threads) if (r->threads > 1)
  {
#pragma omp for schedule(dynamic)
    for (ptrdiff_t i = 0; i < segments; i++) scan_segment(r, &r->segment[i]);
#pragma omp single
    gather_w(r);
#pragma omp for schedule(dynamic)
    for (ptrdiff_t i = -1; i < segments; i++)
      if (i < 0)
        mms_sweep_scan(&r->w_sweep, r->w, r->w_length);
      else
        finish_segment(r, &r->segment[i]);
#pragma omp for schedule(dynamic)
    for (ptrdiff_t i = 1; i < segments; i++) broadcast(r, &r->segment[i]);
  }
}

/* ---- Counts --------------------------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void add_work(mmscan_counts *sum, const mmscan_counts *part) {
  sum->multiplications += part->multiplications;
  sum->gemms += part->gemms;
  sum->additions += part->additions;
  sum->additions_unpadded += part->additions_unpadded;
  sum->gathered += part->gathered;
  sum->scattered += part->scattered;
}

/* The longest chain. Step 3 waits for the largest segment's up-sweep (its k levels; all of it, recursively), step 4 for
 * step 3 and for the segments. The depth of a segment's counts includes its step 4. */
static uint64_t chain(const run *r) {
  const segment *first = r->segment;
  if (r->segments == 1) return first->counts.depth;
  uint64_t before_w = r->desc->traversal == MMSCAN_RECURSIVE ? first->counts.depth : first->k;
  uint64_t scanned = larger(first->counts.depth, before_w + r->w_counts.depth);
  for (size_t i = 1; i < r->segments; i++) scanned = larger(scanned, r->segment[i].counts.depth - 1);
  return scanned + 1;
}

static void count(const run *r, mmscan_counts *counts) {
  for (size_t i = 0; i < r->segments; i++) add_work(counts, &r->segment[i].counts);
  add_work(counts, &r->w_counts);
  counts->depth += chain(r);
  counts->segments += r->segments;
}

/* ---- Entry ---------------------------------------------------------------------------------------------------- */

mmscan_status mms_matmulscan(const mmscan_matmul_desc *desc, const mms_unit *unit, int threads, const void *x, void *y,
                             mmscan_counts *counts) {
  if (desc->n == 0) return MMSCAN_OK;
  run r = {.desc = desc, .unit = unit, .threads = threads, .x = y};
  r.segments = desc->length_rule == MMSCAN_PADDED ? 1 : digit_sum(desc->s, desc->n);
  mmscan_status status = open_run(&r);
  if (status == MMSCAN_OK) {
    memmove(y, x, desc->n * mms_type_size(desc->type));
    join_segments(&r);
    count(&r, counts);
  }
  close_run(&r);
  return status;
}
