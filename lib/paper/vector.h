/* vector.h: what a vector unit does beside the matrix unit (Section 3.3): adds a scalar to a vector. For MMSCAN_F32 and
 * MMSCAN_F64. */
#ifndef MMS_VECTOR_H
#define MMS_VECTOR_H

#include "mmscan.h"

/* x[i] += *carry for i in [0, n). */
void mms_vector_add(mmscan_type type, size_t n, const void *carry, void *x);

#endif
