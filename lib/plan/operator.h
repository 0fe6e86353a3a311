/* operator.h: scans by operators of the caller's. */
#ifndef MMS_OPERATOR_H
#define MMS_OPERATOR_H

#include "mmscan.h"

/* mmscan_scan_with(). choice: threads, a tile and a way that are asked for; NULL: nothing. */
mmscan_status mms_operator_scan(const mmscan_operator *op, const mmscan_desc *desc, const mmscan_choice *choice,
                                const void *x, void *y);

#endif
