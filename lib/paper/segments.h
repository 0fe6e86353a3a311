/* segments.h: Section 3.2 of the paper, MatMulScan for any length by the base-s digits of n. */
#ifndef MMS_SEGMENTS_H
#define MMS_SEGMENTS_H

#include "mmscan_paper.h"
#include "unit/unit.h"

/* y = inclusive scan of x, by the paper's algorithm as *desc says, with the unit and at most `threads` threads, of
 * which mms_matmulscan_threads() tells how many are of use; it must be 1 if there is a trace. With a monoid (else NULL)
 * the unit is mms_unit_monoid, the type is MMSCAN_F32, elements and operator are the monoid's, step 4 is by matrix, and
 * `threads` is 1. Adds what was done to *counts. MMSCAN_ENOMEM leaves y untouched. The caller has validated everything.
 */
mmscan_status mms_matmulscan(const mmscan_matmul_desc *desc, const mms_unit *unit, const mms_monoid *monoid,
                             int threads, const void *x, void *y, mmscan_counts *counts);

/* The number of positions in its trace: one for each element of x and of w. */
size_t mms_matmulscan_positions(const mmscan_matmul_desc *desc);

/* How many of at most `most` threads have something to do at a time: one for each segment and one for w; 1 if there is
 * a trace. */
int mms_matmulscan_threads(const mmscan_matmul_desc *desc, int most);

#endif
