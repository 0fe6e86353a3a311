/* series.h: recurrences. */
#ifndef MMS_SERIES_H
#define MMS_SERIES_H

#include "mmscan.h"

/* mmscan_recurrence(). choice: an engine, instruction set, unit, threads, a tile and a way that are asked for; NULL: as
 * the environment says. */
mmscan_status mms_series_recur(const mmscan_recurrence_desc *desc, const mmscan_choice *choice, const void *a,
                               const void *x, void *y);

#endif
