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

#include "base/arena.h"
#include "base/cancel.h"
#include "paper/sweep.h"
#include "team/team.h"
#include "unit/matrix.h"
#include <stdatomic.h>
#include <stddef.h>
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
  const mms_monoid *monoid;
  size_t size; /* bytes of an element */
  int threads;
  char *x; /* scanned in place */
  size_t segments;
  segment *segment;
  mms_sweep w_sweep;
  mmscan_counts w_counts;
  char *w;         /* last values, padded to w_length = s^q */
  size_t w_length; /* the smallest power of s that holds them; 0 for a single segment */
  char *arena;     /* holds w, all workspaces and both matrices */
  mms_trace trace; /* what the traces of all sweeps have in common */
} run;

/* ---- Cutting -------------------------------------------------------------------------------------------------- */

/* The largest power of s that is at most n, n >= 1. */
static size_t largest_power(size_t s, size_t n, unsigned *k) {
  size_t power = 1;
  for (*k = 0; power <= n / s; power *= s) ++*k;
  return power;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t digit_sum(size_t s, size_t n) {
  size_t sum = 0;
  for (; n; n /= s) sum += n % s;
  return sum;
}

static size_t segments_of(const mmscan_matmul_desc *desc) {
  return desc->length_rule == MMSCAN_PADDED ? 1 : digit_sum(desc->s, desc->n);
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

/* With MMSCAN_PADDED all of x is one segment: levels of any length are right if k is rounded up. */
static void cut(run *r) {
  if (r->desc->length_rule == MMSCAN_PADDED)
    *r->segment = (segment){.length = r->desc->n, .k = mms_sweep_levels(r->desc->s, r->desc->n)};
  else
    cut_by_digits(r);
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

static size_t work_for(const run *r, size_t n) { return 2 * mms_sweep_padded(r->desc->s, r->desc->form, n) * r->size; }

/* Bytes of a matrix, rounded up so that elements are aligned after it. */
static size_t square_of(const run *r) {
  size_t bytes = r->desc->s * r->desc->s * mms_matrix_one(r->desc->type)->size, align = mms_arena_alignment(r->size);
  return (bytes + align - 1) / align * align;
}

static mms_sweep sweep_over(const run *r, void *work, mmscan_counts *counts) {
  return (mms_sweep){.unit = r->unit,
                     .type = r->desc->type,
                     .monoid = r->monoid,
                     .s = r->desc->s,
                     .size = r->size,
                     .form = r->desc->form,
                     .l = r->arena,
                     .b = r->arena + square_of(r),
                     .work = work,
                     .counts = counts,
                     .trace = r->trace};
}

/* The sweeps are traced one after the other, so one workspace does for all. */
static mmscan_status open_trace(run *r) {
  size_t most = larger(r->segment->length, r->w_length);
  if (!r->desc->trace) return MMSCAN_OK;
  r->trace = (mms_trace){.step = 2,
                         .call = r->desc->trace,
                         .context = r->desc->trace_context,
                         .half = larger(2 * most, mms_sweep_padded(r->desc->s, r->desc->form, most)),
                         .positions = mms_matmulscan_positions(r->desc)};
  r->trace.work = malloc(2 * r->trace.half * sizeof *r->trace.work);
  return r->trace.work ? MMSCAN_OK : MMSCAN_ENOMEM;
}

/* On one thread sweeps come one after the other, and share a workspace. */
static size_t next_work(const run *r, size_t work, size_t length) {
  return r->threads > 1 ? work + work_for(r, length) : work;
}

static size_t all_work(const run *r) {
  size_t most = larger(work_for(r, r->w_length), work_for(r, r->segment->length));
  if (r->threads == 1) return most;
  size_t all = work_for(r, r->w_length);
  for (size_t i = 0; i < r->segments; i++) all += work_for(r, r->segment[i].length);
  return all;
}

enum { BEHIND = 64 }; /* bytes: BLIS reads some behind a matrix */

/* Holds L_s, B_s, w, and the workspaces of w and of the segments. */
static mmscan_status open_arena(run *r) {
  r->arena = mms_arena_block(2 * square_of(r) + r->w_length * r->size + all_work(r) + BEHIND, r->size);
  return r->arena ? MMSCAN_OK : MMSCAN_ENOMEM;
}

static void open_sweeps(run *r) {
  mms_matrix_of(r->desc->type, MMSCAN_MATRIX_L, r->desc->s, r->arena);
  mms_matrix_of(r->desc->type, MMSCAN_MATRIX_B, r->desc->s, r->arena + square_of(r));
  r->w = r->arena + 2 * square_of(r);
  size_t work = 2 * square_of(r) + r->w_length * r->size;
  r->w_sweep = sweep_over(r, r->arena + work, &r->w_counts);
  r->w_sweep.padding = r->w_length - (r->w_length ? r->segments : 0);
  r->w_sweep.trace.step = 3;
  r->w_sweep.trace.first = r->desc->n;
  work = next_work(r, work, r->w_length);
  for (segment *g = r->segment; g < r->segment + r->segments; g++) {
    g->sweep = sweep_over(r, r->arena + work, &g->counts);
    g->sweep.trace.step = 1;
    g->sweep.trace.segment = (size_t)(g - r->segment);
    g->sweep.trace.first = g->from;
    work = next_work(r, work, g->length);
  }
}

static mmscan_status open_run(run *r) {
  mmscan_status status;
  r->segment = malloc(r->segments * sizeof *r->segment);
  if (!r->segment) return MMSCAN_ENOMEM;
  cut(r);
  r->w_length = r->segments > 1 ? power_holding(r->desc->s, r->segments) : 0;
  if ((status = open_trace(r)) || (status = open_arena(r))) return status;
  open_sweeps(r);
  return MMSCAN_OK;
}

static void close_run(run *r) {
  free(r->trace.work);
  free(r->arena);
  free(r->segment);
}

/* ---- Depth ---------------------------------------------------------------------------------------------------- */

/* Step 3 waits for the k levels of the largest segment's up-sweep or, in the recursive form, for its whole scan. */
static size_t depth_before_w(const run *r) {
  return r->desc->traversal == MMSCAN_RECURSIVE ? r->segment->counts.depth : r->segment->k;
}

/* The longest chain of steps 1 and 3; step 4 waits for both. */
static size_t depth_before_broadcast(const run *r) {
  if (r->segments == 1) return r->segment->counts.depth;
  return larger(r->segment->counts.depth, depth_before_w(r) + r->w_counts.depth);
}

/* ---- The four steps ------------------------------------------------------------------------------------------- */

static char *element(const run *r, size_t index) { return r->x + index * r->size; }

static size_t last_of(const segment *g) { return g->from + g->length - 1; }

static size_t position_of_w(const run *r, size_t i) { return r->desc->n + i; }

static void tell_gather(const run *r) {
  if (!r->trace.call) return;
  for (size_t i = 0; i < r->segments; i++) mms_trace_place(&r->trace, i, last_of(&r->segment[i]), position_of_w(r, i));
  mms_trace_tell(&r->trace, 0,
                 (mmscan_event){.phase = MMSCAN_GATHER,
                                .depth = depth_before_w(r),
                                .matrix = MMSCAN_MATRIX_L,
                                .s = 1,
                                .columns = r->segments});
}

/* A single segment has no next one to hand its last value to. */
static void gather_w(run *r) {
  if (r->segments == 1) return;
  mms_sweep_fill(&r->w_sweep, r->w, r->w_length);
  for (size_t i = 0; i < r->segments; i++) memcpy(r->w + i * r->size, element(r, last_of(&r->segment[i])), r->size);
  r->w_counts.gathered += r->segments;
  r->w_sweep.trace.depth = depth_before_w(r);
  tell_gather(r);
}

static void scan_segment(run *r, ptrdiff_t i) {
  const segment *g = &r->segment[i];
  if (r->desc->traversal == MMSCAN_RECURSIVE)
    mms_sweep_scan_recursive(&g->sweep, element(r, g->from), g->length);
  else
    mms_sweep_up(&g->sweep, element(r, g->from), g->length, g->k);
}

/* Step 3 is the task of index -1, beside the down-sweeps: w is a copy, so they share no memory with it. */
static void finish_segment(run *r, ptrdiff_t i) {
  const segment *g = i < 0 ? NULL : &r->segment[i];
  if (!g)
    mms_sweep_scan(&r->w_sweep, r->w, r->w_length);
  else if (r->desc->traversal == MMSCAN_ITERATIVE)
    mms_sweep_down(&g->sweep, element(r, g->from), g->length, g->k);
}

/* Each column is an adder, of the carry and an element. */
static void tell_vector(const segment *g, size_t carry) {
  const mms_trace *t = &g->sweep.trace;
  if (!t->call) return;
  for (size_t i = 0; i < g->length; i++) {
    mms_trace_place(t, 2 * i, carry, MMSCAN_NO_ELEMENT);
    mms_trace_place(t, 2 * i + 1, g->from + i, g->from + i);
  }
  mms_trace_tell(t, 0,
                 (mmscan_event){.phase = MMSCAN_BROADCAST,
                                .depth = g->counts.depth + 1,
                                .matrix = MMSCAN_MATRIX_L,
                                .s = 2,
                                .columns = g->length});
}

static void add_f32(size_t n, float carry, float *x) {
  for (size_t i = 0; i < n; i++) x[i] += carry;
}

static void add_f64(size_t n, double carry, double *x) {
  for (size_t i = 0; i < n; i++) x[i] += carry;
}

/* What a vector unit does beside the matrix unit (Section 3.3). */
static void add_vector(const run *r, segment *g, const void *carry, size_t position) {
  void *x = element(r, g->from);
  tell_vector(g, position);
  if (r->desc->type == MMSCAN_F32)
    add_f32(g->length, *(const float *)carry, x);
  else
    add_f64(g->length, *(const double *)carry, x);
  g->counts.depth++;
  g->counts.additions += g->length;
  g->counts.additions_unpadded += g->length;
}

static void broadcast(run *r, ptrdiff_t i) {
  segment *g = &r->segment[i];
  size_t before = (size_t)i - 1, position = position_of_w(r, before);
  const void *carry = r->w + before * r->size;
  g->sweep.trace.step = 4;
  g->sweep.trace.depth = depth_before_broadcast(r) - g->counts.depth;
  if (r->desc->broadcast == MMSCAN_BROADCAST_VECTOR)
    add_vector(r, g, carry, position);
  else
    mms_sweep_broadcast(&g->sweep, element(r, g->from), g->length, carry, position);
}

/* Tasks of a step, of which a thread takes the next one. */
typedef struct tasks {
  run *r;
  void (*task)(run *r, ptrdiff_t index);
  atomic_ptrdiff_t next;
  ptrdiff_t end;
} tasks;

static void take_tasks(void *shared, const mms_member *self) {
  tasks *t = shared;
  (void)self;
  for (ptrdiff_t i; (i = atomic_fetch_add(&t->next, 1)) < t->end;) t->task(t->r, i);
}

/* Runs tasks [from, to) of a step, each on one thread; the next step waits for all. */
static void for_each(run *r, ptrdiff_t from, ptrdiff_t to, void (*task)(run *r, ptrdiff_t index)) {
  tasks t = {.r = r, .task = task, .next = from, .end = to};
  mms_team_run(to - from > 1 ? r->threads : 1, 0, take_tasks, &t);
}

static void take_steps(run *r) {
  const ptrdiff_t segments = (ptrdiff_t)r->segments;
  for_each(r, 0, segments, scan_segment);
  gather_w(r);
  for_each(r, -1, segments, finish_segment);
  for_each(r, 1, segments, broadcast);
}

/* ---- Counts --------------------------------------------------------------------------------------------------- */

static void add_work(mmscan_counts *sum, const mmscan_counts *part) {
  sum->multiplications += part->multiplications;
  sum->gemms += part->gemms;
  sum->additions += part->additions;
  sum->additions_unpadded += part->additions_unpadded;
  sum->gathered += part->gathered;
  sum->scattered += part->scattered;
}

static void count(const run *r, mmscan_counts *counts) {
  for (size_t i = 0; i < r->segments; i++) add_work(counts, &r->segment[i].counts);
  add_work(counts, &r->w_counts);
  counts->depth += depth_before_broadcast(r) + (r->segments > 1);
  counts->segments += r->segments;
}

/* ---- Entry ---------------------------------------------------------------------------------------------------- */

/* One for each segment, and one for w. */
int mms_matmulscan_threads(const mmscan_matmul_desc *desc, int most) {
  size_t segments = desc->n == 0 ? 0 : segments_of(desc);
  if (desc->trace || segments <= 1) return 1;
  return segments < (size_t)most ? (int)segments + 1 : most;
}

size_t mms_matmulscan_positions(const mmscan_matmul_desc *desc) {
  size_t segments = segments_of(desc);
  return desc->n + (segments > 1 ? segments : 0);
}

mmscan_status mms_matmulscan(const mmscan_matmul_desc *desc, const mms_unit *unit, const mms_monoid *monoid,
                             int threads, const void *x, void *y, mmscan_counts *counts) {
  const size_t size = monoid ? monoid->size : mms_matrix_one(desc->type)->size;
  if (desc->n == 0) return MMSCAN_OK;
  if (desc->n > PTRDIFF_MAX / 256 / size) return MMSCAN_ENOMEM; /* sizes of the workspace must not overflow */
  run r = {.desc = desc, .unit = unit, .monoid = monoid, .threads = threads, .x = y, .size = size};
  r.segments = segments_of(desc);
  mmscan_status status = open_run(&r);
  if (status == MMSCAN_OK) {
    int before = mms_cancel_disable();
    memmove(y, x, desc->n * r.size);
    take_steps(&r);
    mms_cancel_restore(before);
    count(&r, counts);
  }
  close_run(&r);
  return status;
}
