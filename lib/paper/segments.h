/* segments.h: Section 3.2 of the paper, MatMulScan for any length by the base-s digits of n. */
#ifndef MMS_SEGMENTS_H
#define MMS_SEGMENTS_H

#include "mmscan.h"
#include "unit/unit.h"

/* y = inclusive scan of x, by the paper's algorithm as *desc says, with the unit and at most `threads` threads: one for
 * each segment and for w, or one where there is a trace. With a monoid (else NULL) the unit is mms_unit_monoid,
 * elements and operator are the monoid's, step 4 is by matrix, and `threads` is 1. Adds what was done to *counts.
 * MMSCAN_ENOMEM leaves y as it was. The caller has validated everything. */
mmscan_status mms_matmulscan(const mmscan_matmul_desc *desc, const mms_unit *unit, const mms_monoid *monoid,
                             int threads, const void *x, void *y, mmscan_counts *counts);

/* The positions in a trace of it: elements of x and w. */
size_t mms_matmulscan_positions(const mmscan_matmul_desc *desc);

/* How many of `most` threads there is something to do for at a time. */
int mms_matmulscan_threads(const mmscan_matmul_desc *desc, int most);

#endif
