/* gemm.c: the engine whose arithmetic is matrix multiplication, MatMulScan on a block at a time.
 *
 * A block of a tile is a matrix of s rows whose columns are s neighbours each. One product with L_s, by the unit, scans
 * every column (in a reverse scan, one with L_s^T); the last row of it, the column totals, is a vector s times shorter,
 * which the kernels scan: they are the same algorithm in vector registers (body.inc), where what is left of the work
 * is. Then column j gets the prefix before it added. This last is the product with B_s done by a vector unit (Section
 * 3.3).
 *
 * The matrices are by rows: a row is as long as there are columns, so the unit reads and writes whole vectors, and the
 * totals are a row. Kernels take x apart into rows and put y together from them. A block stays in the nearest cache
 * from x to y. What is left over at the end of a tile when s does not divide it, the tail, is a plain loop.
 *
 * Integers ride on f64 products: every sum in a block stays below 2^52, so it is exact (byrows.inc). A 64-bit integer
 * rides as two 32-bit halves. Carries and the last addition are integer, and wrap.
 *
 * Floats: sums of a block that is `ordinary` (kernel.h) do not overflow, however grouped, and it holds no Inf and no
 * NaN. A block that is not, or whose carry is too large for it, is scanned by the plain loop; so a result is finite
 * exactly where the plain loop's is, and no non-finite element meets a zero of L_s.
 *
 * The total of a tile is that of its blocks one after the other, added up while they are taken apart: who looks at a
 * tile ahead adds up the same, and multiplies later.
 */
#include "arena.h"
#include "engine/engine.h"
#include "kernel/loop.h"
#include "unit/matrix.h"

#include <string.h>

enum {
  PLANES = 2,
  LANES = 16, /* columns of a whole block are a multiple of it */
};

/* A thread's room: this header, then what it points to. Rows are not a power of two apart: they would share a set of
 * the cache. */
typedef struct room {
  size_t columns;        /* of a block */
  size_t stride;         /* elements from a row of them to the next */
  void *l;               /* L_s */
  void *plane[PLANES];   /* a block of columns by rows, to be multiplied; */
  void *scanned[PLANES]; /* and each scanned from zero */
  char *totals[PLANES];  /* of the columns, then scanned; between two zeros */
} room;

/* ---- Room ----------------------------------------------------------------------------------------------------- */

static size_t unit_size(const mms_job *job) { return mms_type_size(mms_type_unit(job->type)); }

static size_t block_columns(const mms_job *job) {
  size_t columns = job->block / unit_size(job) / job->s / LANES * LANES;
  return columns ? columns : LANES;
}

static size_t lay_out(const mms_job *job, char *memory, room *r) {
  mms_arena a = {.block = memory};
  size_t columns = block_columns(job), stride = columns + LANES, plane = job->s * stride * unit_size(job);
  mms_arena_take(&a, sizeof *r);
  *r = (room){.columns = columns, .stride = stride, .l = mms_arena_take(&a, job->s * job->s * unit_size(job))};
  for (int p = 0; p < mms_type_planes(job->op, job->type); p++) {
    r->plane[p] = mms_arena_take(&a, plane);
    r->scanned[p] = mms_arena_take(&a, plane);
    mms_arena_take(&a, MMS_ARENA_ALIGN);
    r->totals[p] = mms_arena_take(&a, columns * unit_size(job));
    mms_arena_take(&a, MMS_ARENA_ALIGN);
  }
  return a.used;
}

static size_t room_size(const mms_job *job) {
  room nowhere;
  return lay_out(job, NULL, &nowhere);
}

static void begin(const mms_job *job, void *memory) {
  room *r = memory;
  lay_out(job, memory, r);
  mms_matrix_of(mms_type_unit(job->type), MMSCAN_MATRIX_L, job->s, r->l);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

/* Neighbouring elements of a tile: whole columns, then the tail, in the order of the scan. */
typedef struct block {
  size_t done;            /* elements of the tile before it */
  size_t columns, tail;   /* elements of the tail */
  const char *x, *x_tail; /* of lowest address */
  char *y, *y_tail;       /* NULL: only the carry is wanted */
  const char *then;       /* what is read after the columns, to be prefetched; NULL: nothing */
} block;

static size_t elements_of(const mms_job *job, const block *b) { return b->columns * job->s + b->tail; }

/* Goes on to the next block; false past the end of the tile. Starts with one that is all zero. */
static bool next_block(const mms_job *job, const room *r, const mms_tile *t, block *b) {
  const size_t size = mms_type_size(job->type), done = b->done + elements_of(job, b), left = t->m - done;
  if (left == 0) return false;
  const size_t most = r->columns * job->s, m = left < most ? left : most;
  const size_t columns = left < most ? m / job->s : r->columns, tail = m - columns * job->s;
  const size_t at = (job->reverse ? left - m : done) * size;
  const size_t first = job->reverse ? tail * size : 0, last = job->reverse ? 0 : (m - tail) * size;
  const char *x = (const char *)t->x + at;
  char *y = t->y ? (char *)t->y + at : NULL;
  *b = (block){.done = done, .columns = columns, .tail = tail, .x = x + first, .x_tail = x + last};
  if (y) b->y = y + first, b->y_tail = y + last;
  return true;
}

/* Settles whether the columns of a block are ordinary, and adds the total of its tail, if there is one, to theirs. */
static void add_tail(const mms_job *job, const block *b, mms_found *columns) {
  mms_found tail;
  columns->is_ordinary = columns->is_ordinary && columns->is_finite;
  if (b->tail == 0) return;
  job->kernel->total(b->tail, b->x_tail, false, &tail);
  columns->is_ordinary =
      columns->is_ordinary && tail.is_ordinary && tail.is_finite && job->kernel->advance(&columns->total, &tail.total);
}

static mms_found nothing_found(const mms_job *job) {
  return (mms_found){.total = mms_type_identity(job->op, job->type), .is_ordinary = true};
}

/* Adds what was found of a block to what was found of the tile before it. */
static void add_to(const mms_job *job, const mms_found *more, mms_found *found) {
  found->is_ordinary = found->is_ordinary && more->is_ordinary && job->kernel->advance(&found->total, &more->total);
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

/* scanned = L_s plane, or L_s^T plane in reverse. */
static void multiply(const mms_job *job, const room *r, size_t columns, const void *plane, void *scanned) {
  mms_unit_multiply(job->unit, &(mms_product){.type = mms_type_unit(job->type),
                                              .form = MMSCAN_PRODUCT_CHUNKED,
                                              .transposed = job->reverse,
                                              .s = job->s,
                                              .columns = columns,
                                              .row_stride = r->stride,
                                              .a = r->l,
                                              .x = plane,
                                              .w = scanned,
                                              .elements = columns * job->s});
}

/* totals[i] is the sum of all totals of columns up to i. A zero stands before them and one after them: the first column
 * has nothing before it. */
static void scan_totals(const mms_job *job, size_t columns, const char *from, char *totals) {
  const mmscan_type type = mms_type_unit(job->type);
  const size_t size = unit_size(job);
  mms_value none = mms_type_identity(job->op, type);
  memset(totals - size, 0, size);
  memset(totals + columns * size, 0, size);
  mms_kernel_scan_of(&job->isa->kernels[job->op][type], MMSCAN_INCLUSIVE, job->reverse)(columns, from, totals, &none,
                                                                                        NULL, NULL);
}

/* Each column of the planes from zero, and the totals of all. */
static void scan_columns(const mms_job *job, const room *r, size_t columns) {
  const size_t size = unit_size(job), last = (job->reverse ? 0 : job->s - 1) * r->stride * size;
  for (int p = 0; p < mms_type_planes(job->op, job->type); p++) {
    multiply(job, r, columns, r->plane[p], r->scanned[p]);
    scan_totals(job, columns, (const char *)r->scanned[p] + last, r->totals[p]);
  }
}

/* The total of the columns, once their totals are scanned: one element, with a zero before it. */
static mms_value total_of(const mms_job *job, const room *r, size_t columns) {
  size_t size = unit_size(job), last = (job->reverse ? 0 : columns - 1) * size;
  mms_byrows rows = {.s = 1, .columns = 1, .stride = 1, .carry = mms_type_identity(job->op, job->type)};
  for (int p = 0; p < mms_type_planes(job->op, job->type); p++) {
    rows.plane[p] = r->totals[p] + last;
    rows.before[p] = r->totals[p] - size;
  }
  mms_value total;
  job->kernel->from_rows(&rows, &total, MMSCAN_INCLUSIVE, job->reverse);
  return total;
}

static void write_columns(const mms_job *job, const room *r, const block *b, const mms_value *carry) {
  const ptrdiff_t before = (job->reverse ? 1 : -1) * (ptrdiff_t)unit_size(job);
  mms_byrows rows = {.s = job->s, .columns = b->columns, .stride = r->stride, .carry = *carry, .then = b->then};
  for (int p = 0; p < mms_type_planes(job->op, job->type); p++) {
    rows.plane[p] = r->scanned[p];
    rows.before[p] = r->totals[p] + before;
  }
  (job->streams ? job->kernel->stream_rows : job->kernel->from_rows)(&rows, b->y, job->kind, job->reverse);
}

/* By a product. False, and nothing is written, where the carry is too large for it. */
static bool scan_by_product(const mms_job *job, const room *r, const block *b, mms_value *carry) {
  const mms_value before = *carry;
  scan_columns(job, r, b->columns);
  const mms_value total = total_of(job, r, b->columns);
  if (!job->kernel->advance(carry, &total)) return false;
  if (b->y) write_columns(job, r, b, &before);
  return true;
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------- */

static void scan_plainly(const mms_job *job, size_t m, const char *x, char *y, mms_value *carry) {
  if (y)
    mms_loop_scan_of(job->op, job->type, job->kind, job->reverse)(m, x, y, carry);
  else
    mms_loop_of[job->op][job->type].fold[job->reverse](m, x, carry);
}

/* Takes a block apart, on the way to be added up, and scans it. */
static mms_found scan_block(const mms_job *job, const room *r, const block *b, mms_value *carry) {
  mms_found columns;
  mms_byrows rows = {.s = job->s, .columns = b->columns, .stride = r->stride};
  for (int p = 0; p < PLANES; p++) rows.plane[p] = r->plane[p];
  job->kernel->to_rows(&rows, b->x, &columns);
  add_tail(job, b, &columns);
  if (!columns.is_ordinary || (b->columns && !scan_by_product(job, r, b, carry)))
    scan_plainly(job, b->columns * job->s, b->x, b->y, carry);
  scan_plainly(job, b->tail, b->x_tail, b->y_tail, carry);
  return columns;
}

/* Scans a tile, whose carry goes in and comes out. Returns what is found of it. On the way as many elements
 * from `then` on are prefetched. NULL: none. */
static mms_found scan_tile(const mms_job *job, const room *r, const mms_tile *t, mms_value *carry, const void *then) {
  mms_found found = nothing_found(job);
  block b = {.done = 0};
  while (next_block(job, r, t, &b)) {
    if (then) b.then = (const void *)((uintptr_t)then + (uintptr_t)b.x - (uintptr_t)t->x);
    const mms_found here = scan_block(job, r, &b, carry);
    add_to(job, &here, &found);
  }
  return found;
}

/* The tile, moved on by a block; or NULL, where it does not come from memory. */
static const void *block_after(const mms_job *job, const room *r, const mms_tile *t) {
  const uintptr_t bytes = r->columns * job->s * mms_type_size(job->type), x = (uintptr_t)t->x;
  return job->fetches ? (const void *)(job->reverse ? x - bytes : x + bytes) : NULL;
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static void local(const mms_job *job, void *memory, const mms_tile *t, mms_found *found) {
  *found = nothing_found(job);
  block b = {.done = 0};
  while (next_block(job, memory, t, &b)) {
    mms_found columns;
    job->kernel->total(b.columns * job->s, b.x, false, &columns);
    add_tail(job, &b, &columns);
    add_to(job, &columns, found);
  }
}

static void advance(const mms_job *job, void *memory, const mms_tile *t, const mms_found *found, mms_value *carry) {
  if (found->is_ordinary && job->kernel->advance(carry, &found->total)) return;
  const mms_tile unwritten = {.m = t->m, .x = t->x};
  scan_tile(job, memory, &unwritten, carry, NULL);
}

static void finish(const mms_job *job, void *memory, const mms_tile *t, const mms_value *carry, const void *then) {
  mms_value running = *carry;
  scan_tile(job, memory, t, &running, then);
}

static void at_once(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  mms_value running = *carry;
  const mms_found found = scan_tile(job, memory, t, &running, block_after(job, memory, t));
  if (!found.is_ordinary || !job->kernel->advance(carry, &found.total)) *carry = running;
}

/* Measured with many a BLAS, on cores with units of 64 and of 32 bytes: doc/PERFORMANCE.md. */
static void defaults(const mms_job *job, size_t n, size_t *s, size_t *tile) {
  (void)n;
  *s = 4;
  *tile = MMS_ENGINE_TILE / mms_type_size(job->type);
}

const mms_engine mms_engine_gemm = {.name = "gemm",
                                    .description = "MatMulScan: blocks by a unit, their totals in vector registers",
                                    .local = local,
                                    .advance = advance,
                                    .finish = finish,
                                    .at_once = at_once,
                                    .has_unit = true,
                                    .has_isa = true,
                                    .room_size = room_size,
                                    .begin = begin,
                                    .defaults = defaults};
