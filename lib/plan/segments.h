/* segments.h: scans by segments, mmscan_scan_segments(). */
#ifndef MMS_PLAN_SEGMENTS_H
#define MMS_PLAN_SEGMENTS_H

#include "plan/plan.h"

/* choice: NULL, or what is asked for, as of a plan. */
mmscan_status mms_segments_scan(const mmscan_desc *desc, const mmscan_segments *segments, const mmscan_choice *choice,
                                const void *x, void *y);

#endif
