/* vector.h: what a vector unit does beside the matrix unit (Section 3.3): additions of a scalar to a vector, and scans
 * of a few elements. For MMSCAN_F32 and MMSCAN_F64. */
#ifndef MMS_VECTOR_H
#define MMS_VECTOR_H

#include "mmscan.h"

/* x[i] += *carry for i in [0, n). */
void mms_vector_add(mmscan_type type, size_t n, const void *carry, void *x);

/* The product with B_s of every group of s elements: y[0..s-1] = z[0..s-1], and
 * y[j s + i] = z[j s + i] + totals[j-1] for j in [1, groups), i in [0, s). */
void mms_vector_add_groups(mmscan_type type, size_t s, size_t groups, const void *z, const void *totals, void *y);

/* x[i] = *carry + x[0] + ... + x[i] for i in [0, n), by the plain loop. */
void mms_vector_scan(mmscan_type type, size_t n, const void *carry, void *x);

#endif
