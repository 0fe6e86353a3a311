/* scan.c: a scan over the parts of ranks. */
#include "parts.h"

#include <stdlib.h>

/* Bytes of room, for each of two chunks; and of a chunk's x that both of its readings find in a cache: the carries of
 * one chunk are found while those of the one before it are waited for. Fewer scans at once are not worth that. */
enum { ROOM = 2 << 20, CACHED = 1 << 20, LEAST_SCANS = 64, ALIGNED = 64, REGIONS = 10 };

/* ---- Room ----------------------------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes) { return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED; }

/* Sets the bytes of each region for so many scans, and returns those of all. */
static size_t size_regions(const mms_parts *p, size_t scans, size_t *sizes) {
  const size_t larger = p->x_size > p->row.size ? p->x_size : p->row.size, tile = p->tile;
  const size_t vector = mms_carries_vector_size(p, scans);
  const size_t of[REGIONS] = {scans * p->carried.size,
                              scans * p->state_size,
                              vector,
                              vector,
                              scans * p->row.size,
                              scans * p->row.size,
                              scans * p->x_size,
                              scans * tile * larger,
                              scans * tile * (p->x_size + p->row.size),
                              2 * scans * sizeof(int64_t)};
  size_t all = 0;
  for (size_t i = 0; i < REGIONS; i++) all += sizes[i] = round_up(of[i]);
  return all;
}

/* Bytes of room for one chunk, whose scans may be of any length. */
static size_t room_size_of(const mms_parts *p) {
  size_t sizes[REGIONS];
  if (p->scans >= ROOM) return ROOM;
  const size_t all = size_regions(p, p->scans, sizes);
  return all < ROOM ? all : ROOM;
}

/* How many scans there is room for at once. */
static size_t scans_at_once(const mms_parts *p) {
  size_t sizes[REGIONS];
  const size_t most = ROOM / size_regions(p, 1, sizes);
  return p->scans < most ? p->scans : most;
}

static void place_regions(mms_parts *p, char *at, size_t scans) {
  size_t sizes[REGIONS];
  char *regions[REGIONS];
  size_regions(p, scans, sizes);
  for (size_t i = 0; i < REGIONS; at += sizes[i++]) regions[i] = at;
  p->carry = regions[0], p->state = regions[1], p->vector = regions[2], p->before = regions[3];
  p->totals = regions[4], p->edges = regions[5], p->lasts = regions[6], p->moved = regions[7];
  p->tail = (mms_piece){.y = regions[8]};
  p->tail.x = regions[8] + scans * p->tile * p->row.size;
  p->found = (int64_t *)(void *)regions[9];
}

/* ---- A chunk: some of the scans --------------------------------------------------------------------------------- */

static mmscan_status read_pieces(mms_parts *p) {
  const mmscan_status status = mms_piece_read(p, &p->body);
  return status ? status : mms_piece_read(p, &p->tail);
}

static mmscan_status scan_pieces(mms_parts *p) {
  char *totals = mms_edges_has_totals(p) ? p->totals : NULL;
  const mmscan_status status = mms_piece_scan(p, &p->body, p->tail.n > 0 ? NULL : totals);
  if (status && status != MMSCAN_EOVERFLOW) return status;
  const mmscan_status last = mms_piece_scan(p, &p->tail, totals);
  return status > last ? status : last;
}

/* Reads the parts for their carries. */
static void begin_chunk(mms_parts *p, bool is_only) {
  mms_tiles_cut(p);
  mms_tiles_collect(p);
  if (!p->are_combined) return;
  mms_carries_clear(p);
  mms_parts_note(p, read_pieces(p));
  mms_carries_begin(p, is_only);
}

/* Scans them. Every rank goes through all of it, whatever fails, as others wait for what it sends. Returns what failed
 * before it, on all ranks. */
static mmscan_status end_chunk(mms_parts *p) {
  const mmscan_status status = p->are_combined ? mms_carries_end(p) : MMSCAN_OK;
  if (status) return status;
  mms_edges_keep(p);
  if (!p->are_combined) mms_carries_receive(p);
  mms_parts_note(p, scan_pieces(p));
  if (!p->are_combined) mms_carries_send(p);
  if (p->block) mms_carries_share(p, mms_edges_last_rank(p));
  mms_tiles_return(p);
  mms_edges_begin(p);
  mms_edges_share_totals(p);
  mms_edges_share_results(p);
  mms_edges_find_indices(p);
  return MMSCAN_OK;
}

/* Of all scans those from number `first` on. */
static void take_chunk(mms_parts *p, const mms_parts *all, size_t first, size_t at_once, char *room) {
  const size_t left = all->scans - first;
  *p = *all;
  p->first = p->all.first = first;
  p->scans = left < at_once ? left : at_once;
  place_regions(p, room, p->scans);
}

/* One chunk is begun before the last one is ended. */
static mmscan_status scan_chunks(const mms_parts *all, size_t at_once, char *room, size_t room_size) {
  mms_parts two[2], *begun = NULL;
  mmscan_status status = MMSCAN_OK, worst = MMSCAN_OK;
  for (size_t first = 0, turn = 0; first < all->scans || begun; first += at_once, turn = 1 - turn) {
    mms_parts *next = first < all->scans && !status ? &two[turn] : NULL;
    if (next) take_chunk(next, all, first, at_once, room + turn * room_size);
    if (next) begin_chunk(next, at_once >= all->scans);
    if (begun && status) mms_carries_end(begun);
    if (begun && !status) status = end_chunk(begun);
    if (begun && begun->status > worst) worst = begun->status;
    begun = next;
  }
  return status > worst ? status : worst;
}

/* ---- A scan --------------------------------------------------------------------------------------------------- */

static mmscan_status find_starts(mms_parts *p, const mms_links *links) {
  p->starts = links->starts;
  p->starts[0] = 0;
  for (int rank = 0; rank < p->ranks; rank++) {
    const uint64_t n = links->told[p->desc->reverse ? p->ranks - 1 - rank : rank].n;
    if (__builtin_add_overflow(n, p->starts[rank], &p->starts[rank + 1])) return MMSCAN_EINVAL;
  }
  if (mms_parts_whole(p) < p->tile) p->tile = (size_t)mms_parts_whole(p);
  return mms_parts_whole(p) <= INT64_MAX ? MMSCAN_OK : MMSCAN_EINVAL;
}

static mmscan_status take_order(mms_parts *p, mms_links *links) {
  const bool reverse = p->desc->reverse != 0;
  const mmscan_status status = reverse ? mms_links_reverse(links) : MMSCAN_OK;
  p->comm = links->comms[reverse];
  p->ranks = links->ranks;
  p->rank = reverse ? p->ranks - 1 - links->rank : links->rank;
  return status ? status : find_starts(p, links);
}

/* Scans that are all short here, but long on the rank that has most of them, are cut as there. */
static size_t scans_in_chunk(const mms_parts *p) {
  const size_t at_once = scans_at_once(p);
  uint64_t longest = 1;
  for (int rank = 0; rank < p->ranks; rank++)
    if (p->starts[rank + 1] - p->starts[rank] > longest) longest = p->starts[rank + 1] - p->starts[rank];
  const uint64_t cached = CACHED / p->x_size / longest;
  return cached < LEAST_SCANS || cached > at_once ? at_once : (size_t)cached;
}

static mmscan_status scan_nothing(const mms_parts *p, const void *x, void *y) {
  return p->block ? mmscan_scan_block(p->desc, x, y, p->block) : mmscan_scan(p->desc, x, y);
}

static mmscan_status scan_on(mms_links *links, mms_parts *p, mmscan_status status, const void *x, void *y) {
  const size_t room_size = status ? 0 : room_size_of(p);
  char *room = NULL;
  if (!status && posix_memalign((void **)&room, ALIGNED, 2 * room_size) != 0) room = NULL, status = MMSCAN_ENOMEM;
  status = mms_agree_on(links, p, status);
  if (!status) status = take_order(p, links);
  if (status || p->scans == 0) return free(room), status;
  p->are_combined = mms_parts_whole(p) > 0 && mms_carries_can(p);
  if (mms_parts_whole(p) == 0)
    status = scan_nothing(p, x, y);
  else
    status = mms_agree(p->comm, scan_chunks(p, scans_in_chunk(p), room, room_size));
  free(room);
  return status;
}

/* ---- The calls ------------------------------------------------------------------------------------------------ */

static mmscan_status check(const mmscan_desc *desc, const void *x, const void *y, const void *carry, bool is_block) {
  const mmscan_status status = mmscan_arrays_check(desc, x, y);
  if (status || !is_block) return status;
  if (desc->init || (!carry && desc->batch > 0)) return MMSCAN_EINVAL;
  return desc->kind == MMSCAN_OFFSETS || desc->outer_rank > 0 ? MMSCAN_ENOTSUP : MMSCAN_OK;
}

/* Whether the environment lets anything be scanned so here: later no rank may turn back for that. */
static mmscan_status check_choices(const mmscan_desc *desc) {
  mmscan_plan *plan;
  mmscan_desc d = *desc;
  d.struct_size = sizeof d;
  d.n = d.batch = 1;
  d.x_stride = d.y_stride = d.x_dist = d.y_dist = 1;
  d.outer_rank = 0;
  d.state = d.totals = d.indices = NULL;
  const mmscan_status status = mmscan_plan_create(&plan, &d, 0);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status call(const mmscan_desc *desc, const void *x, void *y, void *carry, bool is_block, MPI_Comm comm) {
  int is_inter = 0, ranks = 0;
  mms_links *links;
  mms_parts parts = {.desc = desc};
  if (!mms_links_can() || comm == MPI_COMM_NULL) return MMSCAN_EINVAL;
  if (MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter) return MMSCAN_EINVAL;
  MPI_Comm_size(comm, &ranks);
  mmscan_status status = check(desc, x, y, carry, is_block);
  if (ranks == 1 && status) return status;
  if (ranks == 1) return is_block ? mmscan_scan_block(desc, x, y, carry) : mmscan_scan(desc, x, y);
  const mmscan_status made = mms_links_of(comm, &links);
  if (made) return made;
  if (!status) status = check_choices(desc);
  if (!status) mms_parts_set(&parts, desc, x, y, is_block ? carry : NULL);
  return scan_on(links, &parts, status, x, y);
}

mmscan_status mmscan_mpi_scan(const mmscan_desc *desc, const void *x, void *y, MPI_Comm comm) {
  return call(desc, x, y, NULL, false, comm);
}

mmscan_status mmscan_mpi_scan_block(const mmscan_desc *desc, const void *x, void *y, void *carry, MPI_Comm comm) {
  return call(desc, x, y, carry, true, comm);
}
