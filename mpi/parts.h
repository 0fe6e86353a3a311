/* parts.h: a scan over the parts of ranks, as the files of this folder share it. Like every client of the library they
 * use its public headers alone.
 *
 *   parts.c     what a rank has, and the scan of it
 *   agree.c     what all ranks have to agree on
 *   carries.c   the carries into the parts: by an exscan, or from rank to rank
 *   tiles.c     tiles that are cut by ranks
 *   edges.c     what is of the whole scan: first results, totals, indices
 *   scan.c      the call */
#ifndef MMS_MPI_PARTS_H
#define MMS_MPI_PARTS_H

#include "mmscan_mpi.h"
#include <stdbool.h>

/* Neighbouring elements of every scan: of the caller's arrays, or of a buffer. */
typedef struct mms_piece {
  const char *x; /* element 0, by index, of scan 0; and its result */
  char *y;
  int64_t *indices;
  size_t n, batch, outer_rank;
  ptrdiff_t x_stride, y_stride, x_dist, y_dist;
  const mmscan_dim *outer;
} mms_piece;

/* Positions are counted in the order of the scan, and so are ranks. */
typedef struct mms_parts {
  const mmscan_desc *desc;
  mmscan_kind kind; /* of what is scanned: MMSCAN_INCLUSIVE or MMSCAN_EXCLUSIVE */
  MPI_Comm comm;
  int rank, ranks;
  mmscan_algebra row, carried; /* of y_type, and of what a carry is an element of */
  size_t scans, x_size, state_size;
  uint64_t *starts;          /* where each rank's part begins; and after the last one where the scan ends */
  bool skips_nan;            /* in x */
  bool cuts_tiles;           /* a tile belongs to the rank that has its first element: */
  size_t head;               /* elements that belong to the tile of an earlier rank, */
  mms_piece all, body, tail; /* what is here; the whole tiles of it; and the last one, with those of other ranks */
  char *memory;              /* what follows is in there */
  char *carry, *state;       /* one for each scan, into the part; and then out of it */
  char *vector, *before;     /* what ranks tell each other of carries (carries.c) */
  char *totals, *edges;      /* an element of y for each scan; and of x, */
  char *lasts;               /*   the last one, which results may take the place of */
  char *moved;               /* room for a tile of each scan, of x or of y */
  int64_t *found;            /* for each scan, what its carry was found at (edges.c) */
  mmscan_status status;      /* the first failure here */
} mms_parts;

/* ---- parts.c ---- */

/* Fills in what follows from a description that is right, for the ranks of parts->comm. */
void mms_parts_set(mms_parts *p, const mmscan_desc *desc, const void *x, void *y);

/* Notes a failure; and one of MPI. */
void mms_parts_note(mms_parts *p, mmscan_status status);
void mms_parts_note_mpi(mms_parts *p, int error);

/* The sizes of elements; 0: of no type that is scanned. */
size_t mms_parts_size_of(mmscan_type type);

static inline uint64_t mms_parts_start(const mms_parts *p) { return p->starts[p->rank]; }
static inline uint64_t mms_parts_end(const mms_parts *p) { return p->starts[p->rank + 1]; }
static inline uint64_t mms_parts_whole(const mms_parts *p) { return p->starts[p->ranks]; }
static inline bool mms_parts_has_any(const mms_parts *p, int rank) { return p->starts[rank] < p->starts[rank + 1]; }

/* The nearest rank with elements in a direction (1 or -1); MPI_PROC_NULL: there is none. */
int mms_parts_neighbour(const mms_parts *p, int rank, int step);

/* The part of a piece at positions from..to - 1. */
mms_piece mms_piece_cut(const mms_parts *p, const mms_piece *piece, size_t from, size_t to);

/* Where element, or result, `at` of scan number `scan` is. */
const char *mms_piece_x(const mms_parts *p, const mms_piece *piece, size_t scan, size_t at);
char *mms_piece_y(const mms_parts *p, const mms_piece *piece, size_t scan, size_t at);

/* Scans a piece from p->carry and p->state, which are taken past it. writes: to its y and indices; else neither.
 * totals: NULL, or where those of each scan go. */
mmscan_status mms_piece_scan(mms_parts *p, const mms_piece *piece, bool writes, char *totals);

/* ---- agree.c ---- */

/* The greatest status of all ranks. */
mmscan_status mms_agree(MPI_Comm comm, mmscan_status status);

/* MMSCAN_OK on all ranks: each has a description, with arrays, that is right, and they are alike. */
mmscan_status mms_agree_on(const mmscan_desc *desc, const void *x, const void *y, MPI_Comm comm);

/* ---- carries.c ---- */

size_t mms_carries_vector_size(const mms_parts *p);

/* Sets the carries to what is before the first element of all. */
void mms_carries_begin(mms_parts *p);

/* Whether carries of parts may be combined at all. */
bool mms_carries_combine(mms_parts *p);

/* Finds the carries into all parts. Returns false, on every rank, where some cannot be combined. */
bool mms_carries_exscan(mms_parts *p);

/* Waits for the carries of the rank before; and passes them on to the next. */
void mms_carries_receive(mms_parts *p);
void mms_carries_send(mms_parts *p);

/* ---- tiles.c ---- */

/* Finds head, body and tail. */
void mms_tiles_cut(mms_parts *p);

/* Moves elements to the ranks of their tiles, and results back. */
void mms_tiles_collect(mms_parts *p);
void mms_tiles_return(mms_parts *p);

/* ---- edges.c ---- */

/* Whether results of this rank's last piece are to come with totals. */
bool mms_edges_has_totals(const mms_parts *p);

/* An exclusive scan begins with the start, not with the identity. */
void mms_edges_begin(mms_parts *p);

/* Keeps what indices need to know of x. */
void mms_edges_keep(mms_parts *p);

/* Gives all ranks the totals; and what is before a part, where it is a result. */
void mms_edges_share_totals(mms_parts *p);
void mms_edges_share_results(mms_parts *p);

/* Turns indices of a part into those of the whole. last: the carries before the last element of an exclusive scan. */
void mms_edges_find_indices(mms_parts *p);

#endif
