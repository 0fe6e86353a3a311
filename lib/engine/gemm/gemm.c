/* gemm.c: the engine whose arithmetic is matrix multiplication, MatMulScan on one block at a time.
 *
 * A block of a tile is a matrix of s rows, each of whose columns is s neighbouring elements. One product with L_s by
 * the unit scans every column (in a reverse scan, one with L_s^T). Its last row, in the order of the scan, holds the
 * column totals, a vector s times shorter. Kernels do the rest in vector registers: they scan the totals
 * (kernel/body.inc; for a small block rows_body.inc, while it puts columns together), and add to column j the prefix
 * before it, which is the product with B_s done by a vector unit (Section 3.3).
 *
 * Matrices are stored by rows: a row is as long as there are columns, so the unit reads and writes whole vectors, and
 * the totals are contiguous. Kernels take x apart into rows and put y together from them. From x to y a block stays in
 * the core's own caches, a small one in L1. What is left at the end of a tile if s does not divide it, the tail, is
 * scanned by the plain loop.
 *
 * With s = 2 some units would rather add than overwrite (`adds` in unit.h). Then W holds X from the start, and L_2 only
 * adds the first row, in the order of the scan, to the second: the product of (1) and a row.
 *
 * Integers ride on f64 products: every sum in a block stays below 2^52, so it is exact (rows_body.inc). A 64-bit
 * integer rides as two 32-bit halves. Carries and the last addition are integer, and wrap.
 *
 * Floats: sums of an `ordinary` block (kernel.h) do not overflow, however grouped; if its total is finite too, it holds
 * no Inf and no NaN. Any other block, or one whose carry is too large, is scanned by the plain loop. So a result is
 * finite exactly where the plain loop's is, and no non-finite element meets a zero of L_s.
 *
 * The total of a block is found while the block is taken apart; the carry, and the total of the tile, advance by it. A
 * thread that only reduces a tile makes the same additions, and multiplies later. */
#include "base/arena.h"
#include "engine/engine.h"
#include "engine/gemm/rows.h"
#include "unit/gate.h"
#include "unit/matrix.h"

#include <string.h>

enum {
  PLANES = 2,
  LANES = 16,    /* the columns of a whole block are a multiple of this */
  AHEAD = 8192,  /* bytes: how far ahead data from memory is prefetched; or a whole block, if that is more */
  BACK = 12288,  /* the same in a reverse scan: a block is read upwards, so cores prefetch nothing of the next, below */
  NEAR = 16384,  /* bytes of rows up to which from_rows() scans their totals, as it writes columns */
  TOTALS = 2048, /* bytes of totals of longer rows that are scanned at a time, before their columns are written */
  IN_FRONT = 2,  /* identities in front of totals that from_rows() scans (mms_rows_together) */
};

/* A thread's workspace: this header, then what it points to. All that blocks have in common is worked out once. The
 * distance between rows is not a power of two, or rows would share a set of the cache. */
typedef struct work {
  size_t columns, piece;              /* columns of a whole block; columns of it that are written at a time */
  size_t column;                      /* bytes of a column in x, and in y */
  size_t size;                        /* bytes of a number of the unit */
  int planes;                         /* numbers of the unit for each element */
  void *l;                            /* L_s; in a reverse scan L_s^T, which is faster than to have L_s transposed */
  mms_byrows apart;                   /* a block by rows, as the unit gets it: X; with job->adds W */
  mms_product product[PLANES];        /* the product of each plane */
  mms_byrows together;                /* the result, each column scanned from zero, as from_rows() gets it */
  char *scanned[PLANES];              /* all rows of the result */
  char *first[PLANES], *last[PLANES]; /* its first and last rows in the order of the scan; the last: column totals */
  void *before[PLANES];               /* the exclusive scan of a piece of the totals; NULL: from_rows() scans them */
  const mms_rows *rows;               /* what takes blocks apart and puts them together */
  const mms_kernel *scanner;          /* the kernel that makes it */
  mms_value zero;                     /* its first carry */
  mms_found prepared;                 /* what was found of the columns of a tile that is prepared */
} work;

/* ---- Workspace ------------------------------------------------------------------------------------------------ */

static size_t block_columns(const mms_job *job) {
  const size_t columns = job->block / job->algebra->size / job->s;
  return columns ? (columns + LANES - 1) / LANES * LANES : LANES;
}

/* The rows of the result in plane p, which has so many bytes. */
static void lay_out_rows(const mms_job *job, work *r, int p, char *plane, size_t bytes) {
  char *const bottom = plane ? plane + bytes - bytes / job->s : NULL; /* NULL where sizes are only added up */
  r->scanned[p] = plane;
  r->first[p] = job->reverse ? bottom : plane;
  r->last[p] = job->reverse ? plane : bottom;
}

/* Whether rows stay in L1, not counting what lies between them. */
static bool is_near(const mms_job *job, const work *r) { return job->s * r->columns * r->size <= NEAR; }

/* Plane p: its product, and the prefixes before its columns. With job->adds there are two rows, and the first is added
 * to the last in place. */
static void lay_out_plane(const mms_job *job, mms_arena *a, work *r, int p) {
  const size_t stride = r->apart.stride, bytes = job->s * stride * r->size;
  mms_product *product = &r->product[p];
  lay_out_rows(job, r, p, mms_arena_take(a, bytes), bytes);
  r->apart.plane[p] = job->adds ? r->scanned[p] : mms_arena_take(a, bytes);
  *product = (mms_product){.type = job->algebra->unit,
                           .form = MMSCAN_PRODUCT_CHUNKED,
                           .adds = job->adds,
                           .s = job->adds ? 1 : job->s,
                           .row_stride = stride,
                           .a = r->l,
                           .x = job->adds ? r->first[p] : r->apart.plane[p],
                           .w = job->adds ? r->last[p] : r->scanned[p]};
  r->together.before[p] = r->before[p] = is_near(job, r) ? NULL : mms_arena_take(a, TOTALS);
}

static size_t lay_out(const mms_job *job, char *memory, work *r) {
  const mms_algebra *unit = mms_algebra_of(job->algebra->op, job->algebra->unit);
  const size_t size = unit->size;
  mms_arena a = {.block = memory};
  mms_arena_take(&a, sizeof *r);
  *r = (work){.columns = block_columns(job),
              .piece = TOTALS / size,
              .column = job->s * job->algebra->size,
              .size = size,
              .planes = job->algebra->planes,
              .rows = mms_rows_of(job->isa, job->algebra, NULL),
              .scanner = mms_kernel_of(job->isa, unit),
              .zero = mms_algebra_value(unit, unit->identity)};
  r->apart = r->together = (mms_byrows){.s = job->s, .stride = r->columns + LANES};
  r->l = mms_arena_take(&a, job->s * job->s * size);
  for (int p = 0; p < r->planes; p++) lay_out_plane(job, &a, r, p);
  return a.used;
}

static size_t work_size(const mms_job *job) {
  work nowhere;
  return lay_out(job, NULL, &nowhere);
}

/* Puts identities in front of the totals of `columns` columns, in the direction of the scan, where from_rows() scans
 * the totals. */
static void put_identities(const mms_job *job, work *r, size_t columns) {
  if (r->before[0]) return;
  for (int p = 0; p < r->planes; p++) {
    char *front = job->reverse ? r->last[p] + columns * r->size : r->last[p] - IN_FRONT * r->size;
    for (size_t i = 0; i < IN_FRONT; i++) memcpy(front + i * r->size, &r->zero, r->size);
  }
}

static void begin(const mms_job *job, void *memory) {
  work *r = memory;
  lay_out(job, memory, r);
  const mms_one *one = mms_matrix_one(job->algebra->unit);
  (job->reverse ? mms_matrix_make_transposed : mms_matrix_make)(MMSCAN_MATRIX_L, one, r->product[0].s, r->l);
  put_identities(job, r, r->columns);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

/* Neighbouring elements of a tile: whole columns, then, in the order of the scan, the tail. */
typedef struct block {
  size_t done;            /* elements of the tile before the block */
  size_t columns, tail;   /* tail: its elements */
  const char *x, *x_tail; /* the elements of lowest address */
  char *y, *y_tail;
  const char *prefetch; /* what is read after the columns, to be prefetched; NULL: nothing */
} block;

static size_t elements_of(const mms_job *job, const block *b) { return b->columns * job->s + b->tail; }

/* Goes on to the next block; false past the end of the tile. Before the first block, *b is zeroed. */
static bool next_block(const mms_job *job, const work *r, const mms_tile *t, block *b) {
  const size_t size = job->algebra->size, done = b->done + elements_of(job, b), left = t->m - done;
  if (left == 0) return false;
  const size_t most = r->columns * job->s, m = left < most ? left : most;
  const size_t columns = left < most ? m / job->s : r->columns, tail = m - columns * job->s;
  const size_t at = (job->reverse ? left - m : done) * size;
  const size_t first = job->reverse ? tail * size : 0, last = job->reverse ? 0 : (m - tail) * size;
  const char *x = (const char *)t->x + at;
  char *y = (char *)t->y + at;
  *b = (block){.done = done, .columns = columns, .tail = tail, .x = x + first, .x_tail = x + last};
  b->y = y + first, b->y_tail = y + last;
  return true;
}

/* ---- What is prefetched --------------------------------------------------------------------------------------- */

/* What is `bytes` from x, to be prefetched; NULL: nothing, as x does not come from memory. */
static const void *prefetch_at(const mms_job *job, const void *x, uintptr_t bytes) {
  return job->prefetches ? (const void *)((uintptr_t)x + bytes) : NULL;
}

/* What comes `bytes` after x in the scan, to be prefetched. */
static const void *prefetch_after(const mms_job *job, const void *x, uintptr_t bytes) {
  return prefetch_at(job, x, job->reverse ? -bytes : bytes);
}

static size_t block_bytes(const work *r) { return r->columns * r->column; }

static size_t prefetch_distance(const mms_job *job) { return job->reverse ? BACK : AHEAD; }

/* The distance to prefetch at if all of the next block is to be prefetched. */
static size_t block_distance(const mms_job *job, const work *r) {
  return block_bytes(r) > prefetch_distance(job) ? block_bytes(r) : prefetch_distance(job);
}

/* What is prefetched while a block is taken apart, upwards from its lowest address even in a reverse scan: with a large
 * block more of itself, with a small one what comes next in the scan. */
static const void *prefetch_of_block(const mms_job *job, const work *r, const void *x) {
  return block_bytes(r) > prefetch_distance(job) ? prefetch_at(job, x, AHEAD)
                                                 : prefetch_after(job, x, prefetch_distance(job));
}

/* Of what is prefetched beside a tile, what is prefetched beside a block of it. */
static const void *prefetch_part(const void *prefetch, const mms_tile *t, const block *b) {
  return prefetch ? (const void *)((uintptr_t)prefetch + (uintptr_t)b->x - (uintptr_t)t->x) : NULL;
}

/* ---- Totals --------------------------------------------------------------------------------------------------- */

static mms_found nothing_found(const mms_job *job) {
  return (mms_found){
      .total = mms_algebra_value(job->algebra, job->algebra->identity), .is_ordinary = true, .is_finite = true};
}

/* Adds what was found of some elements to what was found of those before them. All are ordinary if both are, the total
 * of the new ones is finite, and the sum of both totals does not come near the largest number. */
static void add_to(const mms_job *job, const mms_found *more, mms_found *found) {
  found->is_ordinary = found->is_ordinary && more->is_ordinary && more->is_finite &&
                       job->kernel->advance(job->kernel, &found->total, &more->total);
}

static void add_tail(const mms_job *job, const block *b, mms_found *found) {
  mms_found tail;
  job->kernel->total(job->kernel, b->tail, b->x_tail, false, &tail);
  add_to(job, &tail, found);
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

/* Multiplies what is in `apart`. In a reverse scan, the identities in front of fewer columns are at another place. */
static void multiply(const mms_job *job, work *r, size_t columns) {
  if (job->reverse && columns < r->columns) put_identities(job, r, columns);
  for (int p = 0; p < r->planes; p++) {
    r->product[p].columns = columns;
    r->product[p].elements = columns * r->product[p].s;
    mms_unit_multiply(job->unit, &r->product[p]);
  }
}

/* Writes `columns` columns of a block that was multiplied, from column `from` on, to y. */
static void write_some(const mms_job *job, work *r, const block *b, size_t from, size_t columns) {
  const size_t at = from * r->column;
  for (int p = 0; p < r->planes; p++) r->together.plane[p] = r->scanned[p] + from * r->size;
  r->together.columns = columns;
  r->together.prefetch = b->prefetch ? b->prefetch + at : NULL;
  if (job->streams)
    r->rows->stream(&r->together, b->y + at, job->kind);
  else
    r->rows->from_rows(&r->together, b->y + at, job->kind, job->reverse);
}

/* Writes all columns of a large block. Totals are scanned a piece at a time, just before they are added to columns. */
static void write_pieces(const mms_job *job, work *r, const block *b) {
  mms_kernel_scan *scan = r->scanner->scan[MMSCAN_EXCLUSIVE][job->reverse];
  mms_value running[PLANES] = {r->zero, r->zero};
  for (size_t done = 0, m; done < b->columns; done += m) {
    m = b->columns - done < r->piece ? b->columns - done : r->piece;
    const size_t from = job->reverse ? b->columns - done - m : done;
    for (int p = 0; p < r->planes; p++)
      scan(r->scanner, m, r->last[p] + from * r->size, r->before[p], &running[p], NULL);
    write_some(job, r, b, from, m);
  }
}

/* carry: into the block. */
static void write_columns(const mms_job *job, work *r, const block *b, const mms_value *carry) {
  r->together.carry = *carry;
  if (r->before[0])
    write_pieces(job, r, b);
  else
    write_some(job, r, b, 0, b->columns);
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------- */

/* m may be 0, as a block may have no whole column or no tail; the loop wants an element at least. */
static void scan_plainly(const mms_job *job, size_t m, const char *x, char *y, mms_value *carry) {
  if (m > 0) job->algebra->loop.scan[job->kind][job->reverse](m, x, y, carry);
}

/* Takes the columns of a block apart, and adds them up on the way. */
static mms_found take_apart(const mms_job *job, work *r, const block *b) {
  mms_found found;
  r->apart.columns = b->columns;
  r->apart.prefetch = prefetch_of_block(job, r, b->x);
  r->rows->to_rows(&r->apart, b->x, &found);
  return found;
}

/* Finds the same, and leaves the workspace as it is. */
static mms_found reduce_block(const mms_job *job, const block *b) {
  mms_found found;
  job->kernel->total(job->kernel, b->columns * job->s, b->x, false, &found);
  return found;
}

/* Whether columns allow a product: they hold no Inf and no NaN, and none of their sums overflows. */
static bool allow_product(const mms_found *columns) { return columns->is_ordinary && columns->is_finite; }

/* Takes the carry past columns. False, and the carry unchanged, if they or it do not allow a product. */
static bool carry_past(const mms_job *job, const mms_found *columns, mms_value *carry) {
  return allow_product(columns) && job->kernel->advance(job->kernel, carry, &columns->total);
}

/* Scans the columns of a block: by a product where that is allowed, otherwise by the plain loop. */
static mms_found scan_columns(const mms_job *job, work *r, const block *b, mms_value *carry) {
  const mms_value before = *carry;
  const mms_found found = take_apart(job, r, b);
  if (carry_past(job, &found, carry)) {
    multiply(job, r, b->columns);
    write_columns(job, r, b, &before);
  } else {
    scan_plainly(job, b->columns * job->s, b->x, b->y, carry);
  }
  return found;
}

static mms_found scan_block(const mms_job *job, work *r, const block *b, mms_value *carry) {
  mms_found found = nothing_found(job);
  if (b->columns > 0) found = scan_columns(job, r, b, carry);
  if (b->tail > 0) {
    add_tail(job, b, &found);
    scan_plainly(job, b->tail, b->x_tail, b->y_tail, carry);
  }
  return found;
}

/* Scans a tile; *carry goes in and comes out. Returns what is found of the tile. On the way as many elements as it has
 * are prefetched from `prefetch` on; NULL: none. */
static mms_found scan_tile(const mms_job *job, work *r, const mms_tile *t, mms_value *carry, const void *prefetch) {
  mms_found found = nothing_found(job);
  block b = {.done = 0};
  mms_gate_place *place = mms_gate_enter();
  while (next_block(job, r, t, &b)) {
    b.prefetch = prefetch_part(prefetch, t, &b);
    const mms_found here = scan_block(job, r, &b, carry);
    add_to(job, &here, &found);
  }
  mms_gate_leave(place);
  return found;
}

/* Takes the carry past a tile as scan_tile() does, and writes nothing. */
static void carry_past_tile(const mms_job *job, const work *r, const mms_tile *t, mms_value *carry) {
  mms_loop_fold *fold = job->algebra->loop.fold[job->reverse];
  block b = {.done = 0};
  while (next_block(job, r, t, &b)) {
    const mms_found columns = reduce_block(job, &b);
    if (b.columns > 0 && !carry_past(job, &columns, carry)) fold(b.columns * job->s, b.x, carry);
    if (b.tail > 0) fold(b.tail, b.x_tail, carry);
  }
}

/* ---- Zeros ---------------------------------------------------------------------------------------------------- */

/* A sum is -0.0 only where all before it is, and products of a unit have lost that sign: +0 times an element may be. */

static char *element_of(const mms_job *job, const void *array, const mms_tile *t, size_t k) {
  return (char *)(uintptr_t)array + (job->reverse ? t->m - 1 - k : k) * job->algebra->size;
}

static bool is_identity(const mms_job *job, const void *element) {
  return memcmp(element, job->algebra->identity, job->algebra->size) == 0;
}

/* Results of a tile that will be -0.0. */
static size_t count_zeros(const mms_job *job, const mms_tile *t, const mms_value *carry) {
  size_t count = 0;
  if (job->algebra->is_exact || !is_identity(job, carry)) return 0;
  while (count < t->m && is_identity(job, element_of(job, t->x, t, count))) count++;
  return job->kind == MMSCAN_EXCLUSIVE && count < t->m ? count + 1 : count;
}

static void write_zeros(const mms_job *job, const mms_tile *t, size_t count) {
  for (size_t k = 0; k < count; k++) memcpy(element_of(job, t->y, t, k), job->algebra->identity, job->algebra->size);
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static void reduce(const mms_job *job, void *memory, const mms_tile *t, mms_found *found) {
  *found = nothing_found(job);
  block b = {.done = 0};
  while (next_block(job, memory, t, &b)) {
    mms_found here = reduce_block(job, &b);
    if (b.tail > 0) add_tail(job, &b, &here);
    add_to(job, &here, found);
  }
}

static void advance(const mms_job *job, void *memory, const mms_tile *t, const mms_found *found, mms_value *carry) {
  if (!found->is_ordinary || !job->kernel->advance(job->kernel, carry, &found->total))
    carry_past_tile(job, memory, t, carry);
}

static void finish(const mms_job *job, void *memory, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  const size_t zeros = count_zeros(job, t, carry);
  mms_value running = *carry;
  scan_tile(job, memory, t, &running, prefetch);
  write_zeros(job, t, zeros);
}

static void at_once(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  const size_t zeros = count_zeros(job, t, carry);
  mms_value running = *carry;
  const mms_found found = scan_tile(job, memory, t, &running, prefetch_after(job, t->x, block_distance(job, memory)));
  write_zeros(job, t, zeros);
  if (!found.is_ordinary || !job->kernel->advance(job->kernel, carry, &found.total)) *carry = running;
}

/* Whether each tile of a job is one block, which is when tiles are prepared. */
static bool prepares(const mms_job *job) { return block_columns(job) * job->s >= job->tile; }

static block only_block(const mms_job *job, const work *r, const mms_tile *t) {
  block b = {.done = 0};
  next_block(job, r, t, &b);
  return b;
}

static void prepare(const mms_job *job, void *memory, const mms_tile *t, mms_found *found) {
  work *r = memory;
  const block b = only_block(job, r, t);
  *found = r->prepared = nothing_found(job);
  if (b.columns > 0) {
    mms_gate_place *place = mms_gate_enter();
    r->prepared = take_apart(job, r, &b);
    if (allow_product(&r->prepared)) multiply(job, r, b.columns);
    mms_gate_leave(place);
    add_to(job, &r->prepared, found);
  }
  if (b.tail > 0) add_tail(job, &b, found);
}

static void complete(const mms_job *job, void *memory, const mms_tile *t, const mms_value *carry,
                     const void *prefetch) {
  work *r = memory;
  block b = only_block(job, r, t);
  const size_t zeros = count_zeros(job, t, carry);
  mms_value running = *carry;
  b.prefetch = prefetch_part(prefetch, t, &b);
  if (b.columns > 0 && carry_past(job, &r->prepared, &running))
    write_columns(job, r, &b, carry);
  else
    scan_plainly(job, b.columns * job->s, b.x, b.y, &running);
  scan_plainly(job, b.tail, b.x_tail, b.y_tail, &running);
  write_zeros(job, t, zeros);
}

_Static_assert((int)MMS_ENGINE_TILE == (int)MMS_UNIT_LARGE, "a large block is a tile, so that it can be prepared");

/* Measured with several BLAS libraries, on cores with vector units of 64 and of 32 bytes: doc/TUNING.md, "gemm and
 * units". */
static size_t tile_of(const mms_algebra *algebra, size_t n) {
  (void)n;
  return MMS_ENGINE_TILE / algebra->size;
}

/* A product by the whole of L_2 has too few operations to be fast. */
static size_t s_of(const mms_unit *unit) { return mms_unit_adds(unit) ? 2 : 4; }

static const char *origin(const mms_isa *isa, const mms_algebra *algebra) {
  const char *name;
  mms_rows_of(isa, algebra, &name);
  return name;
}

const mms_engine mms_engine_gemm = {.name = "gemm",
                                    .description = "MatMulScan: blocks by a unit, their totals in vector registers",
                                    .reduce = reduce,
                                    .advance = advance,
                                    .finish = finish,
                                    .at_once = at_once,
                                    .prepares = prepares,
                                    .prepare = prepare,
                                    .complete = complete,
                                    .has_unit = true,
                                    .has_isa = true,
                                    .origin = origin,
                                    .work_size = work_size,
                                    .begin = begin,
                                    .tile_of = tile_of,
                                    .s_of = s_of};
