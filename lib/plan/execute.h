/* execute.h: runs a plan on arrays. */
#ifndef MMS_EXECUTE_H
#define MMS_EXECUTE_H

#include "plan/plan.h"

/* Runs the plan. carry: as in mmscan_scan_block(), or NULL. */
mmscan_status mms_execute(const mmscan_plan *plan, const void *x, void *y, void *carry);

#endif
