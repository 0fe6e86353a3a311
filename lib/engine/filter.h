/* filter.h: the engines of filters, for mmscan_filter(). They take strides, and are not in the table. Each scan is one
 * tile; its carry is the state, which is where the caller has it. */
#ifndef MMS_FILTER_H
#define MMS_FILTER_H

#include "engine/engine.h"
#include "engine/filter_matrix.h"

/* BLOCK: samples of one, which a unit's matrix takes. ROW: signals that are filtered side by side, at most. VECTOR: of
 * a vector or more, which threads do not part. */
enum { MMS_FILTER_BLOCK = 32, MMS_FILTER_ROW = 64, MMS_FILTER_VECTOR = MMS_FILTER_LANES };

/* The filter of one call. */
typedef struct mms_filter {
  mms_filter_taps taps;
  size_t n, count;            /* samples of a signal; signals */
  bool are_columns;           /* of matrices, whose samples are neighbours in x and in y */
  const mms_storage *storage; /* samples are filtered as doubles */
  char *state;                /* taps.states elements for each scan; NULL: zeros */
  mms_algebra algebra;        /* its row */
  mms_own own;
  const mms_filter_loops *loops;
  bool are_together;     /* many signals are filtered side by side, by the engines simd and gemm */
  mms_filter_loop *loop; /* of the engine simd, for one, with */
  mms_filter_matrix matrix;
} mms_filter;

/* Has it filtered as an engine of the table does it: by the plain loop; in vector registers, by blocks if that pays for
 * so many samples and is as good as the plain loop; or by a unit, so that a job needs unit and s, which is 0 in any
 * other case, as where no block is that good. Returns s. */
size_t mms_filter_choose(mms_filter *filter, const mms_engine *engine, const mms_isa *isa);

extern const mms_engine mms_filter_simd, mms_filter_gemm;

#endif
