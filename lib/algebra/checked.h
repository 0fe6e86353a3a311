/* checked.h: whether results of integers fit: plain loops that look at every step. */
#ifndef MMS_CHECKED_H
#define MMS_CHECKED_H

#include "algebra/algebra.h"

/* Whether the running result of n elements, as they are combined, and a carry before them leaves the range of y at any
 * of them, in the direction of the scan. */
typedef bool mms_overflows(size_t n, const void *x, const mms_value *carry, bool reverse);

/* NULL: results of this operator always fit, or are floats. */
mms_overflows *mms_checked_of(mmscan_op op, mmscan_type y_type);

#endif
