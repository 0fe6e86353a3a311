/* parts.c: what a rank has, and the scan of it. */
#include "parts.h"

#include <string.h>

enum { LINES = 1 << 20 }; /* bytes of columns that are read at a time */

void mms_parts_note(mms_parts *p, mmscan_status status) {
  if (p->status == MMSCAN_OK) p->status = status;
}

void mms_parts_note_mpi(mms_parts *p, int error) {
  if (error != MPI_SUCCESS) mms_parts_note(p, MMSCAN_EIO);
}

/* ---- Rows ----------------------------------------------------------------------------------------------------- */

/* Finds, in one walk, the rows of y and of its carries, which are of floats where it has halves; and returns that of
 * sums of x: every type has those. */
static mmscan_algebra find_rows(mms_parts *p, const mmscan_desc *d) {
  const bool is_half = d->y_type == MMSCAN_F16 || d->y_type == MMSCAN_BF16;
  const mmscan_type carried = is_half ? MMSCAN_F32 : d->y_type;
  mmscan_algebra row = {.struct_size = sizeof row}, of_x = row;
  for (size_t i = 0; mmscan_get_algebra(i, &row) == MMSCAN_OK; i++) {
    if (row.op == d->op && row.type == d->y_type) p->row = row;
    if (row.op == d->op && row.type == carried) p->carried = row;
    if (row.op == MMSCAN_PLUS && row.type == d->x_type) of_x = row;
  }
  return of_x;
}

/* ---- A part --------------------------------------------------------------------------------------------------- */

/* What has one result whatever the order has it with tiles cut anywhere. */
static bool cuts_tiles(const mmscan_desc *d, const mmscan_algebra *row) {
  const bool rounds = row->kind == 'f' || row->kind == 'c';
  return d->flags & MMSCAN_REPRODUCIBLE && rounds && (d->op == MMSCAN_PLUS || d->op == MMSCAN_MUL);
}

static mms_piece all_of(const mmscan_desc *d, size_t y_size, const void *x, void *y) {
  const bool is_offsets = d->kind == MMSCAN_OFFSETS;
  return (mms_piece){.x = x,
                     .y = is_offsets && d->n > 0 ? (char *)y + d->y_stride * (ptrdiff_t)y_size : y,
                     .indices = d->indices && is_offsets && d->n > 0 ? (int64_t *)d->indices + d->y_stride : d->indices,
                     .n = d->n,
                     .batch = d->batch,
                     .outer_rank = d->outer_rank,
                     .x_stride = d->x_stride,
                     .y_stride = d->y_stride,
                     .x_dist = d->x_dist,
                     .y_dist = d->y_dist,
                     .outer = d->outer};
}

void mms_parts_set(mms_parts *p, const mmscan_desc *desc, const void *x, void *y, void *block) {
  const mmscan_algebra of_x = find_rows(p, desc);
  p->desc = desc;
  p->block = block;
  p->kind = desc->kind != MMSCAN_OFFSETS ? desc->kind : desc->reverse ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  p->x_size = of_x.size;
  p->state_size = block && !desc->state ? 0 : mmscan_state_size(desc);
  p->scans = desc->batch;
  for (size_t i = 0; i < desc->outer_rank; i++) p->scans *= desc->outer[i].n;
  p->skips_nan = desc->flags & MMSCAN_SKIP_NAN && of_x.kind == 'f';
  p->cuts_tiles = cuts_tiles(desc, &p->row);
  p->tile = p->cuts_tiles ? MMSCAN_BLOCK : 0;
  p->all = p->body = all_of(desc, p->row.size, x, y);
  p->request = MPI_REQUEST_NULL;
}

int mms_parts_neighbour(const mms_parts *p, int rank, int step) {
  for (rank += step; rank >= 0 && rank < p->ranks; rank += step)
    if (mms_parts_has_any(p, rank)) return rank;
  return MPI_PROC_NULL;
}

/* ---- Pieces --------------------------------------------------------------------------------------------------- */

/* How far from the very first scan one is: elements of x, or of y. */
static ptrdiff_t apart(const mms_piece *piece, size_t scan, bool is_y) {
  scan += piece->first;
  ptrdiff_t at = (ptrdiff_t)(scan % piece->batch) * (is_y ? piece->y_dist : piece->x_dist);
  size_t left = scan / piece->batch;
  for (size_t i = piece->outer_rank; i-- > 0; left /= piece->outer[i].n)
    at += (ptrdiff_t)(left % piece->outer[i].n) * (is_y ? piece->outer[i].y_stride : piece->outer[i].x_stride);
  return at;
}

static ptrdiff_t index_of(const mms_parts *p, const mms_piece *piece, size_t at) {
  return (ptrdiff_t)(p->desc->reverse ? piece->n - 1 - at : at);
}

const char *mms_piece_x(const mms_parts *p, const mms_piece *piece, size_t scan, size_t at) {
  const ptrdiff_t i = apart(piece, scan, false) + index_of(p, piece, at) * piece->x_stride;
  return piece->x + i * (ptrdiff_t)p->x_size;
}

char *mms_piece_y(const mms_parts *p, const mms_piece *piece, size_t scan, size_t at) {
  const ptrdiff_t i = apart(piece, scan, true) + index_of(p, piece, at) * piece->y_stride;
  return piece->y + i * (ptrdiff_t)p->row.size;
}

mms_piece mms_piece_cut(const mms_parts *p, const mms_piece *piece, size_t from, size_t to) {
  const ptrdiff_t first = (ptrdiff_t)(p->desc->reverse ? piece->n - to : from);
  mms_piece cut = *piece;
  cut.n = to - from;
  if (cut.n == 0) return cut;
  cut.x += first * piece->x_stride * (ptrdiff_t)p->x_size;
  cut.y += first * piece->y_stride * (ptrdiff_t)p->row.size;
  if (cut.indices) cut.indices += first * piece->y_stride;
  return cut;
}

/* Scans of one batch, as blocks: blocks have no outer dimensions. */
static mmscan_desc desc_of(const mms_parts *p, const mms_piece *piece, bool writes) {
  mmscan_desc d = *p->desc;
  d.struct_size = sizeof d;
  d.kind = p->kind;
  d.n = piece->n;
  d.x_stride = piece->x_stride, d.y_stride = piece->y_stride;
  d.x_dist = piece->x_dist, d.y_dist = piece->y_dist;
  d.init = d.totals = d.indices = NULL;
  d.outer_rank = 0;
  d.outer = NULL;
  if (!writes) d.flags &= ~MMSCAN_CHECKED; /* what overflows here need not in the end */
  return d;
}

/* Scans of one batch. */
static mmscan_status scan_batch(mms_parts *p, const mms_piece *piece, size_t scan, mmscan_desc *d, bool writes) {
  const ptrdiff_t x = apart(piece, scan, false), y = apart(piece, scan, true);
  d->state = p->state_size > 0 ? p->state + scan * p->state_size : NULL;
  d->indices = writes && piece->indices ? piece->indices + y : NULL;
  return mmscan_scan_block(d, piece->x + x * (ptrdiff_t)p->x_size,
                           writes ? piece->y + y * (ptrdiff_t)p->row.size : NULL, p->carry + scan * p->carried.size);
}

static mmscan_status scan_piece(mms_parts *p, const mms_piece *piece, bool writes, char *totals) {
  mmscan_status worst = MMSCAN_OK;
  mmscan_desc d = desc_of(p, piece, writes);
  for (size_t scan = 0; scan < p->scans && piece->n > 0; scan += d.batch) {
    const size_t of_batch = piece->batch - (piece->first + scan) % piece->batch, left = p->scans - scan;
    d.batch = of_batch < left ? of_batch : left;
    d.totals = totals ? totals + scan * p->row.size : NULL;
    const mmscan_status status = scan_batch(p, piece, scan, &d, writes);
    if (status > worst) worst = status;
  }
  return worst;
}

mmscan_status mms_piece_scan(mms_parts *p, const mms_piece *piece, char *totals) {
  return scan_piece(p, piece, true, totals);
}

/* Columns, for whose carries the library takes memory for results, a few lines at a time. */
mmscan_status mms_piece_read(mms_parts *p, const mms_piece *piece) {
  const size_t line = p->scans * p->row.size, least = p->cuts_tiles ? MMSCAN_BLOCK : 1, fit = LINES / line;
  const size_t lines = fit > least ? fit / least * least : least;
  mmscan_status status = MMSCAN_OK;
  if (piece->batch == 1 || (piece->x_dist != 1 && piece->x_dist != -1)) return scan_piece(p, piece, false, NULL);
  for (size_t from = 0; from < piece->n && !status; from += lines) {
    const mms_piece some = mms_piece_cut(p, piece, from, piece->n - from < lines ? piece->n : from + lines);
    status = scan_piece(p, &some, false, NULL);
  }
  return status;
}
