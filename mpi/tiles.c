/* tiles.c: tiles that are cut by ranks, where the order of additions is given: whole ones are scanned by the rank that
 * has their first element. */
#include "parts.h"

#include <string.h>

enum { BLOCK = MMSCAN_BLOCK, TAG_X = 2, TAG_Y };

/* ---- Which elements are whose --------------------------------------------------------------------------------- */

static uint64_t tile_of(uint64_t at) { return at / BLOCK * BLOCK; }

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Where the last tile of this rank begins, and where it ends. */
static uint64_t last_tile(const mms_parts *p) { return tile_of(mms_parts_end(p) - 1); }
static uint64_t last_end(const mms_parts *p) { return lesser(last_tile(p) + BLOCK, mms_parts_whole(p)); }

static void cut_tail(mms_parts *p, size_t from) {
  const size_t n = (size_t)(last_end(p) - last_tile(p));
  p->body = mms_piece_cut(p, &p->all, from, (size_t)(last_tile(p) - mms_parts_start(p)));
  p->tail.n = n, p->tail.batch = p->scans;
  p->tail.x_stride = p->tail.y_stride = 1;
  p->tail.x_dist = p->tail.y_dist = (ptrdiff_t)n;
}

/* A tile that is cut here goes on in other ranks. The tail has its room, and no elements yet. */
void mms_tiles_cut(mms_parts *p) {
  const uint64_t start = mms_parts_start(p), end = mms_parts_end(p), first = tile_of(start + BLOCK - 1);
  p->body = p->all;
  p->head = 0;
  if (!p->cuts_tiles || start == end) return;
  p->head = (size_t)(lesser(first, end) - start);
  p->body = mms_piece_cut(p, &p->all, p->head, p->all.n);
  if (first < end && last_end(p) > end) cut_tail(p, p->head);
}

/* The rank that has the first element of the tile that this rank's head belongs to. */
static int owner_of_head(const mms_parts *p) {
  int rank = p->rank;
  while (!mms_parts_has_any(p, rank) || p->starts[rank] > tile_of(mms_parts_start(p))) rank--;
  return rank;
}

/* ---- Moving --------------------------------------------------------------------------------------------------- */

/* Copies positions from..to - 1 of all scans to p->moved, or from there. */
static void move(mms_parts *p, const mms_piece *piece, size_t from, size_t to, bool is_y, bool is_out) {
  const size_t size = is_y ? p->row.size : p->x_size;
  char *room = p->moved;
  for (size_t scan = 0; scan < p->scans; scan++)
    for (size_t at = from; at < to; at++, room += size) {
      char *element = is_y ? mms_piece_y(p, piece, scan, at) : (char *)mms_piece_x(p, piece, scan, at);
      memcpy(is_out ? room : element, is_out ? element : room, size);
    }
}

static int bytes_of(const mms_parts *p, size_t n, size_t size) { return (int)(p->scans * n * size); }

/* Receives the elements of a tile that other ranks have; or sends their results. */
static void exchange(mms_parts *p, bool is_y) {
  const uint64_t begin = last_tile(p), end = last_end(p);
  const size_t size = is_y ? p->row.size : p->x_size;
  for (int rank = p->rank + 1; rank < p->ranks && p->starts[rank] < end; rank++) {
    const size_t from = (size_t)(p->starts[rank] - begin), to = (size_t)(lesser(p->starts[rank + 1], end) - begin);
    const int bytes = bytes_of(p, to - from, size);
    if (from == to) continue;
    if (is_y) {
      move(p, &p->tail, from, to, true, true);
      mms_parts_note_mpi(p, MPI_Send(p->moved, bytes, MPI_BYTE, rank, TAG_Y, p->comm));
    } else {
      mms_parts_note_mpi(p, MPI_Recv(p->moved, bytes, MPI_BYTE, rank, TAG_X, p->comm, MPI_STATUS_IGNORE));
      move(p, &p->tail, from, to, false, false);
    }
  }
}

/* Elements go to ranks before, so a rank receives first: the last one has nothing to wait for. */
void mms_tiles_collect(mms_parts *p) {
  if (p->tail.n > 0) {
    const size_t own = (size_t)(last_tile(p) - mms_parts_start(p));
    move(p, &p->all, own, p->all.n, false, true);
    move(p, &p->tail, 0, p->all.n - own, false, false);
    exchange(p, false);
  }
  if (p->head == 0) return;
  move(p, &p->all, 0, p->head, false, true);
  mms_parts_note_mpi(p,
                     MPI_Send(p->moved, bytes_of(p, p->head, p->x_size), MPI_BYTE, owner_of_head(p), TAG_X, p->comm));
}

/* Results go to ranks behind, so a rank sends first. */
void mms_tiles_return(mms_parts *p) {
  if (p->tail.n > 0) {
    const size_t own = (size_t)(last_tile(p) - mms_parts_start(p));
    exchange(p, true);
    move(p, &p->tail, 0, p->all.n - own, true, true);
    move(p, &p->all, own, p->all.n, true, false);
  }
  if (p->head == 0) return;
  mms_parts_note_mpi(p, MPI_Recv(p->moved, bytes_of(p, p->head, p->row.size), MPI_BYTE, owner_of_head(p), TAG_Y,
                                 p->comm, MPI_STATUS_IGNORE));
  move(p, &p->all, 0, p->head, true, false);
}
