/* edges.c: what is of the whole scan, or of two parts: totals, the results between parts, and indices. */
#include "parts.h"

#include <string.h>

enum { TAG = 4 };

static bool is_offsets(const mms_parts *p) { return p->desc->kind == MMSCAN_OFFSETS; }

static bool needs_totals(const mms_parts *p) { return p->desc->totals || (is_offsets(p) && p->desc->reverse); }

/* ---- Totals --------------------------------------------------------------------------------------------------- */

/* Where tiles are cut, it has the first element of the last tile. */
int mms_edges_last_rank(const mms_parts *p) {
  const uint64_t whole = mms_parts_whole(p);
  const uint64_t at = p->cuts_tiles ? (whole - 1) / MMSCAN_BLOCK * MMSCAN_BLOCK : whole - 1;
  int rank = p->ranks - 1;
  while (p->starts[rank] > at || !mms_parts_has_any(p, rank)) rank--;
  return rank;
}

/* What comes out of a checked exclusive part is a result of the next, and is only looked at with totals. */
bool mms_edges_has_totals(const mms_parts *p) {
  const bool is_last = p->rank == mms_edges_last_rank(p), checks = p->desc->flags & MMSCAN_CHECKED;
  return is_last ? needs_totals(p) : checks && p->kind == MMSCAN_EXCLUSIVE;
}

void mms_edges_share_totals(mms_parts *p) {
  const size_t bytes = p->scans * p->row.size;
  if (!needs_totals(p)) return;
  mms_parts_note_mpi(p, MPI_Bcast(p->totals, (int)bytes, MPI_BYTE, mms_edges_last_rank(p), p->comm));
  if (p->desc->totals) memcpy((char *)p->desc->totals + p->first * p->row.size, p->totals, bytes);
}

/* ---- First results -------------------------------------------------------------------------------------------- */

/* Results that no element has changed yet are the identity, to the bit, and each part of a complex sum for itself. */
static void begin_plane(mms_parts *p, size_t scan, size_t plane, size_t size) {
  const char *identity = (const char *)p->row.identity + plane, *start = (const char *)p->row.start + plane;
  for (size_t at = 0; at < p->all.n; at++) {
    char *y = mms_piece_y(p, &p->all, scan, at) + plane;
    const bool is_first = mms_parts_start(p) == 0 && at == 0;
    if (!is_first && memcmp(y, identity, size) != 0) break;
    memcpy(y, start, size);
  }
}

void mms_edges_begin(mms_parts *p) {
  const size_t planes = p->row.kind == 'c' && p->desc->op == MMSCAN_PLUS ? 2 : 1, size = p->row.size / planes;
  if (p->kind != MMSCAN_EXCLUSIVE || p->desc->init || p->block) return;
  if (memcmp(p->row.identity, p->row.start, p->row.size) == 0) return;
  for (size_t scan = 0; scan < p->scans; scan++)
    for (size_t plane = 0; plane < planes * size; plane += size) begin_plane(p, scan, plane, size);
}

/* The result that offsets have more; from y[1], which the others begin with, where there are any. */
static char *extra_of(const mms_parts *p, size_t scan) {
  mms_piece first = p->all;
  if (first.n > 0) first.y -= first.y_stride * (ptrdiff_t)p->row.size;
  first.n = 1;
  return mms_piece_y(p, &first, scan, 0);
}

/* Sends the result at a position to all ranks as far as the next one with elements, which is `step` from one to the
 * next.
 */
static void send_result(mms_parts *p, size_t at, int step) {
  const int next = mms_parts_neighbour(p, p->rank, step), end = step > 0 ? p->ranks : -1;
  const int bytes = (int)(p->scans * p->row.size);
  for (size_t scan = 0; scan < p->scans; scan++)
    memcpy(p->edges + scan * p->row.size, mms_piece_y(p, &p->all, scan, at), p->row.size);
  for (int rank = p->rank + step; rank != (next == MPI_PROC_NULL ? end : next + step); rank += step)
    mms_parts_note_mpi(p, MPI_Send(p->edges, bytes, MPI_BYTE, rank, TAG, p->comm));
}

/* Where no rank with elements is before, the start; in a reverse scan, the totals. */
static void put_nothing_before(mms_parts *p) {
  const void *start = p->desc->init ? p->desc->init : p->row.start;
  for (size_t scan = 0; scan < p->scans; scan++)
    memcpy(p->edges + scan * p->row.size, p->desc->reverse ? p->totals + scan * p->row.size : start, p->row.size);
}

/* By index, y[0] is the last result of the rank before; in the order of a reverse scan, the first one of the next. */
void mms_edges_share_results(mms_parts *p) {
  const int step = p->desc->reverse ? -1 : 1, from = mms_parts_neighbour(p, p->rank, -step);
  const int bytes = (int)(p->scans * p->row.size);
  if (!is_offsets(p)) return;
  if (p->all.n > 0) send_result(p, step > 0 ? p->all.n - 1 : 0, step);
  if (from == MPI_PROC_NULL)
    put_nothing_before(p);
  else
    mms_parts_note_mpi(p, MPI_Recv(p->edges, bytes, MPI_BYTE, from, TAG, p->comm, MPI_STATUS_IGNORE));
  for (size_t scan = 0; scan < p->scans; scan++) memcpy(extra_of(p, scan), p->edges + scan * p->row.size, p->row.size);
}

/* ---- Indices -------------------------------------------------------------------------------------------------- */

/* The index of a result, or of the one that offsets have more. */
static int64_t *index_of(const mms_parts *p, const char *y) {
  return p->all.indices + (y - p->all.y) / (ptrdiff_t)p->row.size;
}

static int64_t *index_at(const mms_parts *p, size_t scan, size_t at) {
  return index_of(p, mms_piece_y(p, &p->all, scan, at));
}

/* An index in this rank's part, as a position in the whole scan; and a position as an index. */
static int64_t to_position(const mms_parts *p, int64_t index) {
  const int64_t n = (int64_t)p->all.n, start = (int64_t)mms_parts_start(p);
  return index < 0 ? -1 : start + (p->desc->reverse ? n - 1 - index : index);
}

static int64_t to_index(const mms_parts *p, int64_t position) {
  const int64_t whole = (int64_t)mms_parts_whole(p);
  return position < 0 ? -1 : p->desc->reverse ? whole - 1 - position : position;
}

void mms_edges_keep(mms_parts *p) {
  for (size_t scan = 0; scan < p->scans && p->desc->indices && p->all.n > 0; scan++)
    memcpy(p->lasts + scan * p->x_size, mms_piece_x(p, &p->all, scan, p->all.n - 1), p->x_size);
}

/* Whether the last element of a part takes the place of the last exclusive result. */
static bool is_last_element(mms_parts *p, size_t scan) {
  const mmscan_desc as = MMSCAN_DESC(p->carried.type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  mmscan_desc d = MMSCAN_DESC(p->row.type, p->row.op, MMSCAN_INCLUSIVE, 1), wider = as;
  const char *last = mms_piece_y(p, &p->all, scan, p->all.n - 1);
  int64_t carry[2], y[2], index = -1;
  d.x_type = p->desc->x_type;
  d.flags = p->desc->flags & MMSCAN_SKIP_NAN;
  d.indices = &index;
  wider.x_type = p->row.type;
  if (p->carried.type == p->row.type)
    memcpy(carry, last, p->row.size);
  else
    mms_parts_note(p, mmscan_scan(&wider, last, carry));
  mms_parts_note(p, mmscan_scan_block(&d, p->lasts + scan * p->x_size, y, carry));
  return index == 0;
}

/* The position of the element that the carry out of this part is, if it is one of these. */
static int64_t found_in(mms_parts *p, size_t scan) {
  if (p->all.n == 0) return -1;
  if (p->kind == MMSCAN_EXCLUSIVE && is_last_element(p, scan)) return (int64_t)mms_parts_end(p) - 1;
  return to_position(p, *index_at(p, scan, p->all.n - 1));
}

/* Where nothing is before it the first element is a result even if it is the identity. */
static int64_t position_of(const mms_parts *p, int64_t found, uint64_t elements) {
  const bool is_first = found < 0 && elements > 0 && !p->desc->init && !p->block && !p->skips_nan;
  return is_first ? 0 : found;
}

static void put_indices(mms_parts *p, size_t scan, int64_t before, int64_t own) {
  const uint64_t start = mms_parts_start(p), is_inclusive = p->kind == MMSCAN_INCLUSIVE;
  for (size_t at = 0; at < p->all.n; at++) {
    int64_t *index = index_at(p, scan, at), found = to_position(p, *index);
    *index = to_index(p, position_of(p, found < 0 ? before : found, start + at + is_inclusive));
  }
  if (!is_offsets(p)) return;
  const int64_t after = own > before ? own : before;
  *index_of(p, extra_of(p, scan)) =
      to_index(p, p->desc->reverse ? position_of(p, after, mms_parts_end(p)) : position_of(p, before, start));
}

/* A later element that is a result stands at a later position, so the last one is the greatest. */
void mms_edges_find_indices(mms_parts *p) {
  int64_t *const own = p->found, *const before = p->found + p->scans;
  if (!p->desc->indices) return;
  for (size_t scan = 0; scan < p->scans; scan++) own[scan] = found_in(p, scan);
  mms_parts_note_mpi(p, MPI_Exscan(own, before, (int)p->scans, MPI_INT64_T, MPI_MAX, p->comm));
  for (size_t scan = 0; scan < p->scans; scan++) put_indices(p, scan, p->rank > 0 ? before[scan] : -1, own[scan]);
}
