/* scan.c: a scan over the parts of ranks. */
#include "parts.h"

#include <limits.h>
#include <stdlib.h>

/* ---- Room ----------------------------------------------------------------------------------------------------- */

enum { ALIGNED = 64, REGIONS = 10 };

static size_t round_up(size_t bytes) { return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED; }

/* Bytes of a tile of every scan, as it is sent. */
static size_t moved_size(const mms_parts *p) {
  const size_t size = p->x_size > p->row.size ? p->x_size : p->row.size;
  return p->cuts_tiles ? p->scans * MMSCAN_BLOCK * size : 0;
}

/* Messages are counted in ints. */
static bool is_too_large(const mms_parts *p) {
  const size_t each = p->carried.size + p->state_size + (p->cuts_tiles ? MMSCAN_BLOCK * sizeof(double[4]) : 0);
  return p->scans > (INT_MAX - ALIGNED) / each;
}

/* All of it in one piece of memory. */
static mmscan_status make_room(mms_parts *p) {
  const size_t carries = p->scans * p->carried.size, results = p->scans * p->row.size;
  const size_t sizes[REGIONS] = {carries,
                                 p->scans * p->state_size,
                                 mms_carries_vector_size(p),
                                 mms_carries_vector_size(p),
                                 results,
                                 results,
                                 moved_size(p),
                                 p->scans * p->tail.n * (p->x_size + p->row.size),
                                 2 * p->scans * sizeof(int64_t),
                                 p->scans * p->x_size};
  char *at[REGIONS];
  size_t all = 0;
  for (size_t i = 0; i < REGIONS; i++) all += round_up(sizes[i]);
  if (posix_memalign((void **)&p->memory, ALIGNED, all) != 0) p->memory = NULL;
  if (!p->memory) return MMSCAN_ENOMEM;
  at[0] = p->memory;
  for (size_t i = 1; i < REGIONS; i++) at[i] = at[i - 1] + round_up(sizes[i - 1]);
  p->carry = at[0], p->state = at[1], p->vector = at[2], p->before = at[3];
  p->totals = at[4], p->edges = at[5], p->moved = at[6];
  p->tail.y = at[7];
  p->tail.x = at[7] + p->scans * p->tail.n * p->row.size;
  p->found = (int64_t *)(void *)at[8];
  p->lasts = at[9];
  return MMSCAN_OK;
}

/* ---- A scan --------------------------------------------------------------------------------------------------- */

static mmscan_status scan_pieces(mms_parts *p, bool writes) {
  char *totals = writes && mms_edges_has_totals(p) ? p->totals : NULL;
  const mmscan_status status = mms_piece_scan(p, &p->body, writes, p->tail.n > 0 ? NULL : totals);
  if (status && status != MMSCAN_EOVERFLOW) return status;
  const mmscan_status last = mms_piece_scan(p, &p->tail, writes, totals);
  return status > last ? status : last;
}

/* Finds the carries into all parts. Returns false where each rank has to wait for that of the rank before. */
static bool find_carries(mms_parts *p) {
  const bool can = mms_carries_combine(p);
  if (mms_agree(p->comm, can ? MMSCAN_OK : MMSCAN_ENOTSUP) != MMSCAN_OK) return false;
  mms_parts_note(p, scan_pieces(p, false));
  return mms_carries_exscan(p);
}

/* Every rank goes through all of it, whatever fails, as others wait for what it sends. */
static void scan_parts(mms_parts *p) {
  mms_tiles_collect(p);
  const bool are_known = find_carries(p);
  p->status = mms_agree(p->comm, p->status);
  if (p->status) return;
  mms_edges_keep(p);
  if (!are_known) mms_carries_receive(p);
  mms_parts_note(p, scan_pieces(p, true));
  if (!are_known) mms_carries_send(p);
  mms_tiles_return(p);
  mms_edges_begin(p);
  mms_edges_share_totals(p);
  mms_edges_share_results(p);
  mms_edges_find_indices(p);
}

static mmscan_status find_starts(mms_parts *p) {
  const uint64_t n = p->all.n;
  p->starts[0] = 0;
  if (MPI_Allgather(&n, 1, MPI_UINT64_T, p->starts + 1, 1, MPI_UINT64_T, p->comm) != MPI_SUCCESS) return MMSCAN_EIO;
  for (int rank = 0; rank < p->ranks; rank++)
    if (__builtin_add_overflow(p->starts[rank + 1], p->starts[rank], &p->starts[rank + 1])) return MMSCAN_EINVAL;
  return mms_parts_whole(p) <= INT64_MAX ? MMSCAN_OK : MMSCAN_EINVAL;
}

/* In the order of the scan. */
static mmscan_status scan_in_order(mms_parts *p, const mmscan_desc *desc, const void *x, void *y) {
  mms_parts_set(p, desc, x, y);
  if (p->scans == 0) return MMSCAN_OK;
  if (is_too_large(p)) return MMSCAN_ENOTSUP;
  p->starts = malloc(((size_t)p->ranks + 1) * sizeof *p->starts);
  mmscan_status status = mms_agree(p->comm, p->starts ? MMSCAN_OK : MMSCAN_ENOMEM);
  if (status == MMSCAN_OK) status = find_starts(p);
  if (status) return status;
  if (mms_parts_whole(p) == 0) return mms_agree(p->comm, mmscan_scan(desc, x, y));
  mms_tiles_cut(p);
  status = mms_agree(p->comm, make_room(p));
  if (status) return status;
  scan_parts(p);
  return mms_agree(p->comm, p->status);
}

/* ---- The call ------------------------------------------------------------------------------------------------- */

/* Errors of MPI come back, and do not end the program. */
static bool take_order(mms_parts *p, MPI_Comm comm, bool reverse) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (MPI_Comm_split(comm, 0, reverse ? ranks - 1 - rank : rank, &p->comm) != MPI_SUCCESS) return false;
  MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(p->comm, &p->rank);
  p->ranks = ranks;
  return true;
}

static mmscan_status scan_on(const mmscan_desc *desc, const void *x, void *y, MPI_Comm comm) {
  mms_parts parts = {.status = MMSCAN_OK};
  mmscan_status status = mms_agree_on(desc, x, y, comm);
  if (status) return status;
  if (!take_order(&parts, comm, desc->reverse != 0)) return MMSCAN_EIO;
  status = scan_in_order(&parts, desc, x, y);
  free(parts.memory);
  free(parts.starts);
  MPI_Comm_free(&parts.comm);
  return status;
}

static bool is_running(void) {
  int is_begun = 0, is_over = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_over);
  return is_begun && !is_over;
}

mmscan_status mmscan_mpi_scan(const mmscan_desc *desc, const void *x, void *y, MPI_Comm comm) {
  int is_inter = 0, ranks = 0;
  MPI_Comm own;
  if (!is_running() || comm == MPI_COMM_NULL) return MMSCAN_EINVAL;
  if (MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter) return MMSCAN_EINVAL;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return mmscan_scan(desc, x, y);
  if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS) return MMSCAN_EIO;
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  const mmscan_status status = scan_on(desc, x, y, own);
  MPI_Comm_free(&own);
  return status;
}
