/* parts.h: a scan over the parts of ranks, as the files of this folder share it. Like every client of the library they
 * use its public headers alone.
 *
 *   parts.c     what a rank has, and the scan of it
 *   links.c     what is kept with a communicator
 *   agree.c     what all ranks have to agree on
 *   carries.c   the carries into the parts: by an exscan, or from rank to rank
 *   tiles.c     tiles that are cut by ranks
 *   edges.c     what is of the whole scan: first results, totals, indices
 *   scan.c      the calls */
#ifndef MMS_MPI_PARTS_H
#define MMS_MPI_PARTS_H

#include "mmscan_mpi.h"
#include <stdbool.h>

/* What each rank tells all others: its n, and its status; or with the highest bit set, a digest of its description. */
typedef struct mms_told {
  uint64_t what, n;
} mms_told;

/* What is kept with a communicator of the caller. */
typedef struct mms_links {
  MPI_Comm comms[2]; /* duplicates: ranks in the order of a scan, and in that of a reverse one */
  int rank, ranks;   /* in the first */
  mms_told *told;    /* of each rank, in the last call */
  uint64_t *starts;  /* room for mms_parts.starts */
} mms_links;

/* Neighbouring elements of some scans: of the caller's arrays, or of a buffer. */
typedef struct mms_piece {
  const char *x; /* element 0, by index, of the very first scan; and its result */
  char *y;
  int64_t *indices;
  size_t n, first, batch, outer_rank; /* first: the number of the first of these scans, the batch fastest */
  ptrdiff_t x_stride, y_stride, x_dist, y_dist;
  const mmscan_dim *outer;
} mms_piece;

/* Some of the scans of a call. Positions are counted in the order of the scan, and so are ranks. */
typedef struct mms_parts {
  const mmscan_desc *desc;
  mmscan_kind kind; /* of what is scanned: MMSCAN_INCLUSIVE or MMSCAN_EXCLUSIVE */
  char *block;      /* the caller's carries, if this is a block of a longer scan */
  MPI_Comm comm;
  int rank, ranks;
  mmscan_algebra row, carried; /* of y_type, and of what a carry is an element of */
  size_t first, scans;         /* which scans these are */
  size_t x_size, state_size;
  uint64_t *starts;          /* where each rank's part begins; and after the last one where the scan ends */
  bool skips_nan;            /* in x */
  bool cuts_tiles;           /* a tile belongs to the rank that has its first element: */
  size_t tile;               /* the most elements of a tile that is cut; 0: none is */
  size_t head;               /* elements that belong to the tile of an earlier rank, */
  mms_piece all, body, tail; /* what is here; the whole tiles of it; and the last one, with those of other ranks */
  char *carry, *state;       /* one for each scan, into the part; and then out of it */
  char *vector, *before;     /* what ranks tell each other of carries (carries.c), */
  MPI_Request request;       /*   and what they are waited for by */
  bool are_combined;         /* carries; else they are passed on from rank to rank */
  char *totals, *edges;      /* an element of y for each scan; and of x, */
  char *lasts;               /*   the last one, which results may take the place of */
  char *moved;               /* room for a tile of each scan, of x or of y */
  int64_t *found;            /* for each scan, what its carry was found at (edges.c) */
  mmscan_status status;      /* the first failure here */
} mms_parts;

/* ---- parts.c ---- */

/* Fills in what follows from a description that is right. block: NULL, or the carries into a block. */
void mms_parts_set(mms_parts *p, const mmscan_desc *desc, const void *x, void *y, void *block);

/* Notes a failure; and one of MPI. */
void mms_parts_note(mms_parts *p, mmscan_status status);
void mms_parts_note_mpi(mms_parts *p, int error);

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

/* Scans a piece from p->carry and p->state, which are taken past it. totals: NULL, or where those of each scan go. Or
 * reads it for these alone. */
mmscan_status mms_piece_scan(mms_parts *p, const mms_piece *piece, char *totals);
mmscan_status mms_piece_read(mms_parts *p, const mms_piece *piece);

/* ---- links.c ---- */

/* Whether MPI is running. */
bool mms_links_can(void);

/* The links of a communicator, made by the first call: a collective one. They are the communicator's. */
mmscan_status mms_links_of(MPI_Comm comm, mms_links **links);

/* Sees to it that there is a communicator in the order of reverse scans: a collective call. */
mmscan_status mms_links_reverse(mms_links *links);

/* ---- agree.c ---- */

/* The greatest status of all ranks. */
mmscan_status mms_agree(MPI_Comm comm, mmscan_status status);

/* The same, for parts of scans that are alike; others are MMSCAN_EINVAL. *p is looked at if status is MMSCAN_OK. */
mmscan_status mms_agree_on(mms_links *links, const mms_parts *p, mmscan_status status);

/* ---- carries.c ---- */

/* Bytes for each of so many scans. */
size_t mms_carries_vector_size(const mms_parts *p, size_t scans);

/* Whether carries of such scans may be combined at all; asked where the environment is right. */
bool mms_carries_can(const mms_parts *p);

/* Sets the carries to those over no elements. */
void mms_carries_clear(mms_parts *p);

/* Begins to find the carries into all parts, from those out of them. waits: it need not return before it has. */
void mms_carries_begin(mms_parts *p, bool waits);

/* Has found them; or some cannot be combined, and p->are_combined is false on all ranks. Returns the greatest status of
 * all. */
mmscan_status mms_carries_end(mms_parts *p);

/* Waits for the carries of the rank before; and passes them on to the next. */
void mms_carries_receive(mms_parts *p);
void mms_carries_send(mms_parts *p);

/* Gives all ranks those out of a rank, which are the caller's next ones. */
void mms_carries_share(mms_parts *p, int rank);

/* ---- tiles.c ---- */

/* Finds head, body and tail. */
void mms_tiles_cut(mms_parts *p);

/* Moves elements to the ranks of their tiles, and results back. */
void mms_tiles_collect(mms_parts *p);
void mms_tiles_return(mms_parts *p);

/* ---- edges.c ---- */

/* The rank that scans the last elements. */
int mms_edges_last_rank(const mms_parts *p);

/* Whether results of this rank's last piece are to come with totals. */
bool mms_edges_has_totals(const mms_parts *p);

/* An exclusive scan begins with the start, not with the identity. */
void mms_edges_begin(mms_parts *p);

/* Keeps what indices need to know of x. */
void mms_edges_keep(mms_parts *p);

/* Gives all ranks the totals; and what is before a part, where it is a result. */
void mms_edges_share_totals(mms_parts *p);
void mms_edges_share_results(mms_parts *p);

/* Turns indices of a part into those of the whole. */
void mms_edges_find_indices(mms_parts *p);

#endif
