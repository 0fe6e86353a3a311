/* gemm.c: the engine whose arithmetic is matrix multiplication, MatMulScan on one tile.
 *
 * The tile is a matrix of s rows whose columns are s neighbours each. One product with L_s, by the unit, scans every
 * column (in a reverse scan, one with L_s^T); the last row of it, the column totals, is a vector s times shorter, which
 * the kernels scan: they are the same algorithm in vector registers (body.inc), where what is left of the work is. Then
 * column j gets the prefix before it added. This last is the product with B_s done by a vector unit (Section 3.3).
 *
 * The matrices are by rows: a row is as long as there are columns, so the unit reads and writes whole vectors, and the
 * totals are a row. Kernels take x apart into rows and put y together from them. What is left over when s does not
 * divide m, the tail, is a plain loop.
 *
 * Integers ride on f64 products: every sum in a tile stays below 2^53, so it is exact. A 64-bit integer rides as two
 * 32-bit halves. Carries and the last addition are integer, and wrap.
 *
 * Floats: sums of a tile that is `ordinary` (kernel.h) do not overflow, however grouped, and it holds no Inf and no
 * NaN. A tile that is not, or whose carry is too large for it, is scanned by the plain loop; so a result is finite
 * exactly where the plain loop's is, and no non-finite element meets a zero of L_s. The test reads x alone: it comes
 * before the carry is handed on, and before x is overwritten in place.
 */
#include "engine/engine.h"
#include "kernel/loop.h"
#include "kernel/stream.h"
#include "unit/matrix.h"

#include <stdalign.h>
#include <string.h>

enum {
  PLANES = 2,
  ALIGN = 64,
  STREAM_BYTES = 8192, /* of y that are made in the cache before they are streamed */
  LANES = 16,          /* columns of a block are a multiple of it */
};

/* A thread's work space: this header, then what it points to. Rows are not a power of two apart: they would share a set
 * of the cache. */
typedef struct gemm_work {
  mms_ahead found; /* the total of the tile from zero */
  size_t block;    /* columns that are multiplied at a time */
  size_t stride;   /* elements from a row of them to the next */
  size_t block_bytes;
  void *l;               /* L_s */
  void *plane[PLANES];   /* a block of columns by rows, to be multiplied */
  char *scanned[PLANES]; /* the columns, each scanned from zero; by rows, a block after the other */
  char *totals[PLANES];  /* of the columns, then scanned; between two zeros */
} gemm_work;

/* ---- Shapes --------------------------------------------------------------------------------------------------- */

/* How m elements are cut: the tail is last in the order of the scan. */
typedef struct cut {
  size_t columns, tail;
  size_t first;   /* index of the lowest column's first element */
  size_t tail_at; /* index of the tail's first element */
} cut;

static cut cut_up(const mms_job *job, size_t m) {
  cut c = {.columns = m / job->s, .tail = m % job->s};
  c.first = job->reverse ? c.tail : 0;
  c.tail_at = job->reverse ? 0 : m - c.tail;
  return c;
}

static size_t unit_size(const mms_job *job) { return mms_type_size(mms_type_unit(job->type)); }

static size_t block_columns(const mms_job *job) {
  size_t columns = job->block / unit_size(job) / job->s / LANES * LANES;
  return columns ? columns : LANES;
}

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

static size_t lay_out(const mms_job *job, char *memory, gemm_work *w) {
  arena a = {.block = memory};
  size_t columns = job->tile / job->s, block = block_columns(job), blocks = (columns - 1) / block + 1;
  take(&a, sizeof *w);
  *w = (gemm_work){.block = block, .stride = block + LANES, .l = take(&a, job->s * job->s * unit_size(job))};
  w->block_bytes = job->s * w->stride * unit_size(job);
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    w->plane[p] = take(&a, w->block_bytes);
    w->scanned[p] = take(&a, blocks * w->block_bytes);
    take(&a, ALIGN);
    w->totals[p] = take(&a, columns * unit_size(job));
    take(&a, ALIGN);
  }
  return a.used;
}

static size_t work_size(const mms_job *job) {
  gemm_work nowhere;
  return lay_out(job, NULL, &nowhere);
}

static void begin(const mms_job *job, void *work) {
  gemm_work *w = work;
  lay_out(job, work, w);
  mms_matrix_of(mms_type_unit(job->type), MMSCAN_MATRIX_L, job->s, w->l);
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

/* Of `columns`, those that are in the block from column `from` on. */
static size_t block_count(const gemm_work *w, size_t columns, size_t from) {
  return columns - from < w->block ? columns - from : w->block;
}

/* scanned = L_s plane, or L_s^T plane in reverse. */
static void multiply(const mms_job *job, const gemm_work *w, size_t columns, const void *plane, void *scanned) {
  mms_unit_multiply(job->unit, &(mms_product){.type = mms_type_unit(job->type),
                                              .form = MMSCAN_PRODUCT_CHUNKED,
                                              .transposed = job->reverse,
                                              .s = job->s,
                                              .columns = columns,
                                              .row_stride = w->stride,
                                              .a = w->l,
                                              .x = plane,
                                              .w = scanned,
                                              .elements = columns * job->s});
}

/* Columns [from, from + count), a block of them; their totals are a row of the product. Returns whether they are
 * ordinary. then: what is read after x; NULL: no need to ask for it. */
static bool scan_block(const mms_job *job, gemm_work *w, size_t from, size_t count, const char *x, const char *then) {
  mms_byrows rows = {.s = job->s, .columns = count, .stride = w->stride, .then = then};
  for (int p = 0; p < PLANES; p++) rows.plane[p] = w->plane[p];
  bool is_ordinary = job->kernel->to_rows(&rows, x);
  size_t size = unit_size(job), last = (job->reverse ? 0 : job->s - 1) * w->stride;
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    char *scanned = w->scanned[p] + from / w->block * w->block_bytes;
    multiply(job, w, count, w->plane[p], scanned);
    memcpy(w->totals[p] + from * size, scanned + last * size, count * size);
  }
  return is_ordinary;
}

/* Each column from zero, and the totals of all. A block asks for the next one, and the last of them for `then`. */
static bool scan_columns(const mms_job *job, gemm_work *w, size_t columns, const char *x, const char *then) {
  size_t bytes = job->s * mms_type_size(job->type);
  bool is_ordinary = true;
  for (size_t from = 0, count; from < columns; from += count) {
    count = block_count(w, columns, from);
    const char *here = x + from * bytes, *next = from + count < columns ? here + count * bytes : then;
    is_ordinary = scan_block(job, w, from, count, here, then ? next : NULL) && is_ordinary;
  }
  return is_ordinary;
}

/* Each total becomes the sum of all up to it. A zero stands before them and one after them: the first column has
 * nothing before it. */
static void scan_totals(const mms_job *job, gemm_work *w, size_t columns) {
  const mmscan_type type = mms_type_unit(job->type);
  const size_t size = unit_size(job);
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    char *totals = w->totals[p];
    mms_value none = mms_type_identity(type);
    memset(totals - size, 0, size);
    memset(totals + columns * size, 0, size);
    mms_kernel_scan_of(&job->isa->kernels[type], MMSCAN_INCLUSIVE, job->reverse)(columns, totals, totals, &none, NULL);
  }
}

/* The total of the columns, once their totals are scanned: one element, with a zero before it. */
static mms_value total_of(const mms_job *job, const gemm_work *w, size_t columns) {
  size_t size = unit_size(job), last = (job->reverse ? 0 : columns - 1) * size;
  mms_byrows rows = {.s = 1, .columns = 1, .stride = 1, .carry = mms_type_identity(job->type)};
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    rows.plane[p] = w->totals[p] + last;
    rows.before[p] = w->totals[p] - size;
  }
  mms_value total;
  job->kernel->from_rows(&rows, &total, MMSCAN_INCLUSIVE, job->reverse);
  return total;
}

/* ---- Results -------------------------------------------------------------------------------------------------- */

/* Where scanned columns go. */
typedef struct output {
  char *y;
  mms_value carry;
  const char *then; /* what is read after them; NULL: no need to ask for it */
} output;

/* Columns [from, from + count), all of one block. */
static mms_byrows scanned_rows(const mms_job *job, const gemm_work *w, size_t from, size_t count, const output *out) {
  size_t size = unit_size(job), block = from / w->block, in_block = from % w->block;
  mms_byrows rows = {.s = job->s, .columns = count, .stride = w->stride, .carry = out->carry};
  ptrdiff_t before = ((ptrdiff_t)from + (job->reverse ? 1 : -1)) * (ptrdiff_t)size;
  for (int p = 0; p < mms_type_planes(job->type); p++) {
    rows.plane[p] = w->scanned[p] + block * w->block_bytes + in_block * size;
    rows.before[p] = w->totals[p] + before;
  }
  if (out->then) rows.then = (const void *)((uintptr_t)out->then + from * job->s * mms_type_size(job->type));
  return rows;
}

/* y is not aligned as streaming wants it: pieces of it are made in the cache and copied. */
static void stream_pieces(const mms_job *job, const gemm_work *w, size_t from, size_t count, const output *out) {
  alignas(ALIGN) char piece[STREAM_BYTES];
  size_t bytes = job->s * mms_type_size(job->type), most = STREAM_BYTES / bytes;
  for (size_t end = from + count; from < end; from += most) {
    size_t some = end - from < most ? end - from : most;
    mms_byrows rows = scanned_rows(job, w, from, some, out);
    job->kernel->from_rows(&rows, piece, job->kind, job->reverse);
    mms_stream_copy(out->y + from * bytes, piece, some * bytes);
  }
}

static void write_block(const mms_job *job, const gemm_work *w, size_t from, size_t count, const output *out) {
  bool is_aligned = (uintptr_t)out->y % MMS_KERNEL_ALIGN == 0;
  if (job->streams && !is_aligned) {
    stream_pieces(job, w, from, count, out);
    return;
  }
  char *y = out->y + from * job->s * mms_type_size(job->type);
  mms_byrows rows = scanned_rows(job, w, from, count, out);
  (job->streams ? job->kernel->stream_rows : job->kernel->from_rows)(&rows, y, job->kind, job->reverse);
}

static void write_columns(const mms_job *job, const gemm_work *w, size_t columns, const output *out) {
  for (size_t from = 0; from < columns; from += w->block) write_block(job, w, from, block_count(w, columns, from), out);
}

static void scan_plainly(const mms_job *job, size_t m, const char *x, char *y, mms_value carry) {
  mms_loop_scan_of(job->type, job->kind, job->reverse)(m, x, y, &carry);
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static void local(const mms_job *job, const mms_tile *t, void *work) {
  gemm_work *w = work;
  const char *x = t->x;
  size_t element = mms_type_size(job->type);
  cut c = cut_up(job, t->m);
  w->found = (mms_ahead){.n = c.tail, .x = x + c.tail_at * element};
  job->kernel->total(&w->found);
  if (c.columns == 0) return;
  const char *then = job->fetches && !job->looks_ahead ? t->then : NULL;
  bool is_ordinary = scan_columns(job, w, c.columns, x + c.first * element, then);
  scan_totals(job, w, c.columns);
  mms_value tail = w->found.total;
  w->found.total = total_of(job, w, c.columns);
  w->found.is_ordinary = w->found.is_ordinary && is_ordinary && job->kernel->advance(&w->found.total, &tail);
}

static void advance(const mms_job *job, const mms_tile *t, void *work, mms_value *carry) {
  const gemm_work *w = work;
  const mms_ahead *found = &w->found;
  if (!found->is_ordinary || !job->kernel->advance(carry, &found->total))
    mms_loop_of[job->type].fold[job->reverse](t->m, t->x, carry);
}

static bool products_hold(const mms_job *job, const gemm_work *w, mms_value carry) {
  return w->found.is_ordinary && job->kernel->advance(&carry, &w->found.total);
}

static void finish(const mms_job *job, const mms_tile *t, void *work, const mms_value *carry) {
  const gemm_work *w = work;
  cut c = cut_up(job, t->m);
  size_t element = mms_type_size(job->type), tail_at = c.tail_at * element;
  const char *x = t->x;
  char *y = t->y;
  if (!products_hold(job, w, *carry)) {
    scan_plainly(job, t->m, x, y, *carry);
    return;
  }
  mms_value before_tail = *carry;
  if (c.columns) {
    mms_value columns = total_of(job, w, c.columns);
    job->kernel->advance(&before_tail, &columns);
    const output out = {y + c.first * element, *carry, job->looks_ahead ? t->then : NULL};
    write_columns(job, w, c.columns, &out);
  }
  scan_plainly(job, c.tail, x + tail_at, y + tail_at, before_tail);
}

/* Measured with OpenBLAS, on cores with units of 64 and of 32 bytes: doc/PERFORMANCE.md. */
static void defaults(const mms_job *job, size_t *s, size_t *tile) {
  *s = job->isa->bytes >= 64 ? 8 : 4;
  *tile = job->type == MMSCAN_F32 ? 65536 : 16384;
}

const mms_engine mms_engine_gemm = {.name = "gemm",
                                    .description = "MatMulScan: sweeps of matrix products done by a unit",
                                    .local = local,
                                    .advance = advance,
                                    .finish = finish,
                                    .has_unit = true,
                                    .has_isa = true,
                                    .work_size = work_size,
                                    .begin = begin,
                                    .defaults = defaults};
