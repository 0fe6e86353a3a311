/* gemm.c: the engine whose arithmetic is matrix multiplication, MatMulScan on one tile.
 *
 * The tile is a matrix of s rows, column-major: column j is s neighbours. One product with L_s scans every column (in a
 * reverse scan, one with L_s^T); the last row of it, the column totals, is a vector s times shorter, which is scanned
 * by Algorithm 1 of the paper on the same unit; and column j gets the prefix before it added. This last is the product
 * with B_s done by a vector unit (Section 3.3). What is left over when s does not divide m, the tail, is a plain loop.
 *
 * Integers ride on f64 products: every sum in a tile stays below 2^53, so it is exact. A 64-bit integer rides as two
 * 32-bit halves. Carries and the last addition are integer, and wrap.
 *
 * Floats: a tile is `ordinary` if its sum of magnitudes is at most a quarter of the largest float. Then it holds no Inf
 * and no NaN and no sum of its elements, however grouped, overflows. A tile that is not, or whose carry is over half of
 * the largest float, is scanned by the plain loop; so a result is finite exactly where the plain loop's is, and no
 * non-finite element meets a zero of L_s. The test reads x alone: it comes before the carry is handed on, and before x
 * is overwritten in place.
 */
#include "engine/engine.h"
#include "kernel/loop.h"
#include "kernel/stream.h"
#include "paper/sweep.h"
#include "strided.h"
#include "unit/matrix.h"

#include <float.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

enum {
  PLANES = 2,
  ALIGN = 64,
  STREAM_BYTES = 8192, /* of y that are made in the cache before they are streamed */
  BLOCK_BYTES = 32768, /* of x, as unit elements, that are read at a time: a third of a first-level cache */
};

/* A thread's work space: this header, then what it points to. */
typedef struct gemm_work {
  mms_sweep sweep;       /* scans the column totals; its l is L_s */
  void *plane;           /* room for x as unit elements; integers only */
  void *scanned[PLANES]; /* the columns, each scanned from zero */
  void *totals[PLANES];  /* of the columns in the order of the scan, then scanned */
  void *base;            /* what is added to each column, in the order of memory */
  mms_value total;       /* of the tile, from zero */
  mms_value weight;      /* of floats: the sum of their magnitudes */
} gemm_work;

/* How a tile of m elements is cut: the tail is last in the order of the scan. */
typedef struct cut {
  size_t columns, tail;
  size_t first;   /* index of the lowest column's first element */
  size_t tail_at; /* index of the tail's first element */
} cut;

static cut cut_tile(const mms_job *job, size_t m) {
  cut c = {.columns = m / job->s, .tail = m % job->s};
  c.first = job->reverse ? c.tail : 0;
  c.tail_at = job->reverse ? 0 : m - c.tail;
  return c;
}

/* ---- Steps by type -------------------------------------------------------------------------------------------- */

/* What differs by type; unit elements are floats for f32 and doubles for all others. */
typedef struct steps {
  void (*weigh)(size_t m, const void *x, mms_value *weight); /* adds magnitudes; NULL: nothing overflows */
  bool (*is_ordinary)(const mms_value *weight);
  bool (*carry_fits)(const mms_value *carry);                       /* an ordinary tile's sums on it do not overflow */
  const void *(*plane)(int plane, size_t m, const void *x, void *); /* x as unit elements, made in the space given */
  mms_value (*total)(const gemm_work *, size_t columns);            /* of all columns; columns >= 1 */
  void (*add)(mms_value *carry, const mms_value *total);
  void (*bases)(const mms_job *, const gemm_work *, size_t columns, const mms_value *carry);
  void (*add_bases)(const mms_job *, const gemm_work *, size_t from, size_t to, void *y);
  bool (*stream_columns)(const mms_job *, const gemm_work *, size_t columns, void *y); /* false, or NULL: cannot */
} steps;

/* In [2^52, 2^53) the lowest bit of a double's mantissa weighs 1: adding 2^52 to an integer 0 <= v < 2^52 leaves v in
 * the low bits. 1.5 * 2^52 leaves v modulo 2^32 there for |v| < 2^51. Both are vector additions where a conversion
 * would not be. */
static const uint64_t SHIFT_BITS = UINT64_C(0x4330000000000000); /* of 2^52 */

static inline uint64_t bits_of(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static inline double from_low_bits(uint32_t low) {
  uint64_t bits = SHIFT_BITS | low;
  double v;
  memcpy(&v, &bits, sizeof v);
  return v - 0x1p52;
}

#define T       float
#define SUFFIX  f32
#define LARGEST FLT_MAX
#define FABS    fabsf
#include "engine/gemm_float.inc"

#define T       double
#define SUFFIX  f64
#define LARGEST DBL_MAX
#define FABS    fabs
#include "engine/gemm_float.inc"

#define T      int32_t
#define SUFFIX i32
#include "engine/gemm_int32.inc"

#define T      uint32_t
#define SUFFIX u32
#include "engine/gemm_int32.inc"

#define T      int64_t
#define SUFFIX i64
#include "engine/gemm_int64.inc"

#define T      uint64_t
#define SUFFIX u64
#include "engine/gemm_int64.inc"

static const steps *const steps_of[MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes) [MMSCAN_##ENUM] = &steps_##suffix,
#include "types.def"
#undef MMS_TYPE
};

/* ---- Work space ----------------------------------------------------------------------------------------------- */

/* Gives out pieces of a block, or with no block only adds up their sizes. */
typedef struct arena {
  char *block;
  size_t used;
} arena;

static void *take(arena *a, size_t bytes) {
  void *piece = a->block ? a->block + a->used : NULL;
  a->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
  return piece;
}

static size_t lay_out(const mms_job *job, char *block, gemm_work *w) {
  arena a = {.block = block};
  mmscan_type unit = mms_type_unit(job->type);
  size_t size = mms_type_size(unit), columns = job->tile / job->s;
  take(&a, sizeof *w);
  *w = (gemm_work){0};
  w->sweep = (mms_sweep){.unit = job->unit, .type = unit, .s = job->s, .form = MMSCAN_STACKED};
  w->sweep.l = take(&a, job->s * job->s * size);
  w->sweep.b = take(&a, job->s * job->s * size);
  w->sweep.room = take(&a, mms_sweep_room(unit, job->s, MMSCAN_STACKED, columns));
  w->plane = take(&a, job->type == unit ? 0 : job->tile * size);
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    w->scanned[p] = take(&a, job->tile * size);
    w->totals[p] = take(&a, columns * size);
  }
  w->base = take(&a, columns * mms_type_size(job->type));
  return a.used;
}

static size_t work_size(const mms_job *job) {
  gemm_work nowhere;
  return lay_out(job, NULL, &nowhere);
}

static void begin(const mms_job *job, void *work) {
  gemm_work *w = work;
  lay_out(job, work, w);
  mms_matrix_l(w->sweep.type, job->s, (void *)w->sweep.l);
  mms_matrix_b(w->sweep.type, job->s, (void *)w->sweep.b);
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

/* scanned = L_s x, or L_s^T x in reverse. */
static void scan_columns(const mms_job *job, const gemm_work *w, size_t columns, const void *x, void *scanned) {
  mms_unit_multiply(job->unit, &(mms_product){.type = w->sweep.type,
                                              .transposed = job->reverse,
                                              .s = job->s,
                                              .columns = columns,
                                              .a = w->sweep.l,
                                              .x = x,
                                              .w = scanned,
                                              .elements = columns * job->s});
}

/* The last value of every column, in the order of the scan. */
static void gather_totals(const mms_job *job, size_t columns, size_t size, const char *scanned, void *totals) {
  ptrdiff_t s = (ptrdiff_t)job->s;
  size_t first = job->reverse ? (columns - 1) * job->s : job->s - 1;
  mms_copy_strided(totals, 1, scanned + first * size, job->reverse ? -s : s, columns, size);
}

/* Columns [from, from + count) of the tile: all that reads x, a block at a time while that is in the nearest cache. */
static void local_block(const mms_job *job, gemm_work *w, size_t columns, size_t from, size_t count, const char *x) {
  const steps *of = steps_of[job->type];
  size_t size = mms_type_size(w->sweep.type), at = from * job->s;
  size_t totals_at = job->reverse ? columns - from - count : from;
  if (of->weigh) of->weigh(count * job->s, x, &w->weight);
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    char *scanned = (char *)w->scanned[p] + at * size;
    scan_columns(job, w, count, of->plane(p, count * job->s, x, w->plane), scanned);
    gather_totals(job, count, size, scanned, (char *)w->totals[p] + totals_at * size);
  }
}

static void local_columns(const mms_job *job, gemm_work *w, size_t columns, const char *x) {
  size_t block = BLOCK_BYTES / mms_type_size(w->sweep.type) / job->s;
  if (block == 0) block = 1;
  for (size_t from = 0; from < columns; from += block) {
    size_t count = columns - from < block ? columns - from : block;
    local_block(job, w, columns, from, count, x + from * job->s * mms_type_size(job->type));
  }
  for (int p = 0; p < mms_type_planes(job->type); p++) mms_sweep_scan_dense(&w->sweep, w->totals[p], columns);
  w->total = steps_of[job->type]->total(w, columns);
}

static void local(const mms_job *job, const mms_tile *t, void *work) {
  const steps *of = steps_of[job->type];
  size_t element = mms_type_size(job->type);
  gemm_work *w = work;
  const char *x = t->x;
  cut c = cut_tile(job, t->m);
  const char *tail = x + c.tail_at * element;
  w->weight = w->total = mms_type_identity(job->type);
  if (c.columns) local_columns(job, w, c.columns, x + c.first * element);
  if (c.tail) mms_loop_of[job->type].fold[job->reverse](c.tail, tail, &w->total);
  if (of->weigh) of->weigh(c.tail, tail, &w->weight);
}

static bool products_hold(const mms_job *job, const gemm_work *w, const mms_value *carry) {
  const steps *of = steps_of[job->type];
  return !of->weigh || (of->is_ordinary(&w->weight) && of->carry_fits(carry));
}

static void advance(const mms_job *job, const mms_tile *t, void *work, mms_value *carry) {
  const gemm_work *w = work;
  if (products_hold(job, w, carry))
    steps_of[job->type]->add(carry, &w->total);
  else
    mms_loop_of[job->type].fold[job->reverse](t->m, t->x, carry);
}

/* y[0..] = the values [from, to) of the scanned columns with their bases added. */
static void write_values(const mms_job *job, const gemm_work *w, size_t from, size_t to, char *y) {
  const steps *of = steps_of[job->type];
  size_t element = mms_type_size(job->type);
  if (!job->streams) {
    of->add_bases(job, w, from, to, y);
    return;
  }
  size_t columns = to / job->s;
  if (from == 0 && to == columns * job->s && of->stream_columns && of->stream_columns(job, w, columns, y)) return;
  alignas(ALIGN) char piece[STREAM_BYTES];
  size_t most = STREAM_BYTES / element;
  for (size_t at = from; at < to; at += most, y += STREAM_BYTES) {
    size_t end = to - at < most ? to : at + most;
    of->add_bases(job, w, at, end, piece);
    mms_stream_copy(y, piece, (end - at) * element);
  }
}

/* y of the columns. An exclusive scan is the inclusive one moved on by an element: the first place gets the carry, and
 * the last value falls out (into the tail's first place, which the tail writes). */
static void finish_columns(const mms_job *job, const gemm_work *w, size_t columns, char *y, const mms_value *carry) {
  size_t count = columns * job->s, element = mms_type_size(job->type);
  steps_of[job->type]->bases(job, w, columns, carry);
  if (job->kind == MMSCAN_INCLUSIVE) {
    write_values(job, w, 0, count, y);
  } else if (job->reverse) {
    write_values(job, w, 1, count, y);
    memcpy(y + (count - 1) * element, carry, element);
  } else {
    write_values(job, w, 0, count - 1, y + element);
    memcpy(y, carry, element);
  }
  if (job->streams) mms_stream_fence();
}

static void scan_plainly(const mms_job *job, size_t m, const char *x, char *y, const mms_value *carry) {
  mms_value running = *carry;
  mms_loop_scan_of(job->type, job->kind, job->reverse)(m, x, y, &running);
}

static void finish(const mms_job *job, const mms_tile *t, void *work, const mms_value *carry) {
  const steps *of = steps_of[job->type];
  gemm_work *w = work;
  if (!products_hold(job, w, carry)) {
    scan_plainly(job, t->m, t->x, t->y, carry);
    return;
  }
  cut c = cut_tile(job, t->m);
  size_t element = mms_type_size(job->type), tail_at = c.tail_at * element;
  mms_value before_tail = *carry;
  if (c.columns) {
    mms_value columns = of->total(w, c.columns);
    of->add(&before_tail, &columns);
    finish_columns(job, w, c.columns, (char *)t->y + c.first * element, carry);
  }
  if (c.tail) scan_plainly(job, c.tail, (const char *)t->x + tail_at, (char *)t->y + tail_at, &before_tail);
}

/* Measured with OpenBLAS: doc/PERFORMANCE.md. */
static void defaults(mmscan_type type, size_t *s, size_t *tile) {
  *s = 8;
  *tile = type == MMSCAN_F32 ? 65536 : 32768;
}

const mms_engine mms_engine_gemm = {.name = "gemm",
                                    .description = "MatMulScan: sweeps of matrix products done by a unit",
                                    .local = local,
                                    .advance = advance,
                                    .finish = finish,
                                    .has_unit = true,
                                    .work_size = work_size,
                                    .begin = begin,
                                    .defaults = defaults};
