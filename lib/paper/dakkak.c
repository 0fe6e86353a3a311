/* dakkak.c: Algorithms 6 and 7 of Dakkak et al.
 *
 * A tile is s^2 elements, seen as a row-major s-by-s matrix A. With U upper triangular ones, L strictly lower
 * triangular ones and 1 all ones, A U scans the rows, and (L A) 1 is for each row the sum of the rows before it:
 *
 *   R = A U + (L A) 1
 *
 * The machine multiplies from the left, so products with U and 1 are transposed: (A U)^T = U^T A^T, and a column is a
 * row of A.
 */
#include "paper/method.h"

/* A block. Its temporaries are A U and L A of each tile, the prefix of each tile, and the block's carry. */
typedef struct block {
  size_t from, end; /* elements */
  size_t tiles;
  size_t s;
} block;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t tiles_of(size_t s, size_t n) { return smaller((n + s * s - 1) / (s * s), s); }

static size_t tile_from(const block *b, size_t tile) { return b->from + tile * b->s * b->s; }

static size_t au_at(const mms_machine *m, const block *b, size_t tile) { return m->n + 2 * tile * b->s * b->s; }

static size_t la_at(const mms_machine *m, const block *b, size_t tile) { return au_at(m, b, tile) + b->s * b->s; }

/* Prefixes are stored behind A U and L A of the tiles of a whole block. The carry is the prefix past the last tile. */
static size_t prefix_at(const mms_machine *m, size_t tile) {
  return m->n + 2 * tiles_of(m->s, m->n) * m->s * m->s + tile;
}

/* ---- Algorithm 6 ---------------------------------------------------------------------------------------------- */

/* `position` if entry `at` of the tile is data, else MMSCAN_NO_ELEMENT. */
static size_t if_data(const block *b, size_t tile, size_t at, size_t position) {
  return tile_from(b, tile) + at < b->end ? position : MMSCAN_NO_ELEMENT;
}

/* The same for entry `at` of L A, which is needed if its row has data. */
static size_t if_row(const block *b, size_t tile, size_t at, size_t position) {
  return if_data(b, tile, at - at % b->s, position);
}

/* The product of a level: A U, L A, R. */
static void multiply(mms_machine *m, const block *b, size_t tile, size_t level) {
  static const mmscan_matrix matrices[] = {MMSCAN_MATRIX_L, MMSCAN_MATRIX_L_STRICT, MMSCAN_MATRIX_ONES};
  mms_machine_begin(
      m,
      (mmscan_event){
          .step = 1, .phase = MMSCAN_COMBINE, .level = level, .matrix = matrices[level], .is_product = 1, .s = m->s});
  for (size_t i = 0; i < b->s * b->s; i++) {
    const size_t at = level == 1 ? i % b->s * b->s + i / b->s : i; /* L A: column by column */
    const size_t a = if_data(b, tile, at, tile_from(b, tile) + at), au = if_data(b, tile, at, au_at(m, b, tile) + at),
                 la = if_row(b, tile, at, la_at(m, b, tile) + at);
    if (level == 2)
      mms_machine_entry_plus(m, la, au, a);
    else
      mms_machine_entry(m, a, level == 0 ? au : la);
  }
  mms_machine_take(m);
}

/* Three levels; within a level no tile waits for another. */
static void scan_tiles(mms_machine *m, const block *b) {
  for (size_t level = 0; level < 3; level++) {
    m->depth++;
    for (size_t tile = 0; tile < b->tiles; tile++) multiply(m, b, tile, level);
  }
}

static mms_machine_size warp_size(size_t n, size_t s) {
  return (mms_machine_size){.positions = n + 2 * s * s, .entries = s * s, .s = s};
}

static void dakkak_warp(mms_machine *m) { scan_tiles(m, &(block){.end = m->n, .tiles = 1, .s = m->s}); }

const mms_method mms_method_dakkak_warp = {
    .about = {.name = "dakkak-warp",
              .description = "Dakkak et al., Algorithm 6: s by s by three products",
              .kind = MMSCAN_INCLUSIVE,
              .has_s = 1,
              .needs_commutative = 1},
    .is_one_tile = true,
    .size = warp_size,
    .run = dakkak_warp};

/* ---- Algorithm 7 ---------------------------------------------------------------------------------------------- */

static mms_machine_size block_size(size_t n, size_t s) {
  size_t tiles = tiles_of(s, n);
  return (mms_machine_size){.positions = n + 2 * tiles * s * s + s + 1, .entries = 2 * tiles * s * s, .s = s + 1};
}

/* The exclusive scan of the tiles' totals, starting from the carry of the block before. */
static void scan_totals(mms_machine *m, const block *b) {
  m->depth++;
  mms_machine_begin(m,
                    (mmscan_event){.step = 3, .phase = MMSCAN_COMBINE, .matrix = MMSCAN_MATRIX_L, .s = b->tiles + 1});
  mms_machine_entry(m, b->from ? prefix_at(m, b->s) : MMSCAN_NO_ELEMENT, prefix_at(m, 0));
  for (size_t tile = 1; tile <= b->tiles; tile++)
    mms_machine_entry(m, smaller(tile_from(b, tile), b->end) - 1, prefix_at(m, tile));
  mms_machine_take(m);
}

static void broadcast(mms_machine *m, const block *b) {
  m->depth++;
  mms_machine_begin(m, (mmscan_event){.step = 4, .phase = MMSCAN_BROADCAST, .matrix = MMSCAN_MATRIX_L, .s = 2});
  for (size_t i = b->from; i < b->end; i++) {
    mms_machine_entry(m, prefix_at(m, (i - b->from) / (b->s * b->s)), MMSCAN_NO_ELEMENT);
    mms_machine_entry(m, i, i);
  }
  mms_machine_take(m);
}

static void dakkak_block(mms_machine *m) {
  size_t length = m->s * m->s * m->s;
  for (size_t from = 0; from < m->n; from += length) {
    block b = {.from = from, .end = from + smaller(length, m->n - from), .s = m->s};
    b.tiles = tiles_of(m->s, b.end - from);
    scan_tiles(m, &b);
    scan_totals(m, &b);
    broadcast(m, &b);
  }
}

const mms_method mms_method_dakkak_block = {
    .about = {.name = "dakkak-block",
              .description = "Dakkak et al., Algorithm 7: blocks of s^3 in turn",
              .kind = MMSCAN_INCLUSIVE,
              .has_s = 1,
              .needs_commutative = 1},
    .size = block_size,
    .run = dakkak_block};
