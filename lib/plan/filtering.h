/* filtering.h: requests for filters: validates them, and runs them as scans of a row of their own. */
#ifndef MMS_FILTERING_H
#define MMS_FILTERING_H

#include "mmscan.h"

/* mmscan_filter(). choice: engine, unit, instruction set and threads that are asked for; NULL: nothing. */
mmscan_status mms_filter_scan(const mmscan_filter_desc *desc, const mmscan_choice *choice, const void *x, void *y);

#endif
