/* filter_scan.h: what the engines of filters share: the plain loop, scans in pieces, and signals side by side. All
 * filter doubles, from a state before them to the state after them: the numbers z of direct form II transposed. */
#ifndef MMS_FILTER_SCAN_H
#define MMS_FILTER_SCAN_H

#include "engine/filter.h"

static inline const mms_filter *mms_filter_of(const mms_job *job) { return job->algebra->own->call; }

/* Direct form II transposed, by the plain loop. */
void mms_filter_plainly(const mms_filter_taps *taps, size_t m, const double *x, double *y, double *z);

/* What it has in z after m samples, which are no fewer than states. All are finite, but sums of them may not be: then z
 * is as it was, and the result false. */
bool mms_filter_find_state(const mms_filter_taps *taps, size_t m, const double *x, const double *y, double *z);

/* ---- One signal ----------------------------------------------------------------------------------------------- */

/* Filters m samples; z goes in and comes out. */
typedef void mms_filter_piece(const mms_job *, void *work, size_t m, double *x, double *y, double *z, mms_filter_ahead);

/* Filters a tile in pieces of so many samples at most, for which x and y have room. */
void mms_filter_pieces(const mms_job *job, void *work, const mms_tile *tile, size_t most, double *x, double *y,
                       mms_filter_piece *piece);

/* Filters signals of a batch one by one. */
void mms_filter_one_by_one(const mms_job *job, void *work, const mms_batch *batch, size_t from, size_t count);

/* ---- Signals side by side ------------------------------------------------------------------------------------- */

/* Signals of a batch. Sample i of signal j is number i * width + j of a buffer, and so is state i of states. */
typedef struct mms_filter_group {
  const mms_filter *filter;
  size_t n, scan, count; /* samples of each, and which signals of a run they are */
  const char *x;         /* sample 0 of signal 0 */
  char *y;
  ptrdiff_t x_stride, y_stride, x_dist, y_dist; /* elements */
  bool prefetches;
  size_t width; /* a multiple of MMS_FILTER_LANES; numbers behind those of the signals are not written */
} mms_filter_group;

mms_filter_group mms_filter_group_of(const mms_job *job, const mms_batch *batch, size_t from, size_t count);

/* Gathers m samples from sample `at` on; as many rows as are a multiple of MMS_FILTER_LANES may be written. Scatters
 * them. */
void mms_filter_gather(const mms_filter_group *group, size_t at, size_t m, double *x);
void mms_filter_scatter(const mms_filter_group *group, size_t at, size_t m, const double *y);

/* Gathers and scatters states. Where none are given they are zeros, and go nowhere. */
void mms_filter_take_states(const mms_filter_group *group, double *z);
void mms_filter_put_states(const mms_filter_group *group, const double *z);

#endif
