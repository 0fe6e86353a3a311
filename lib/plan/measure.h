/* measure.h: choices by timing. */
#ifndef MMS_MEASURE_H
#define MMS_MEASURE_H

#include "plan/plan.h"

enum { MMS_MEASURE_BYTES = 1 << 28, MMS_MEASURE_ROWS = 1 << 17 };

/* As mms_plan_choose(), but what is not asked for is timed, on arrays of the problem's shape (scaled down to
 * MMS_MEASURE_BYTES each, and MMS_MEASURE_ROWS). If all of the choice is free, a shape that is known is not timed
 * again, and what is found is known from then on. */
mmscan_status mms_measure_choose(mmscan_plan *plan, const mmscan_choice *choice);

#endif
