/* execute.h: runs a plan on arrays. */
#ifndef MMS_EXECUTE_H
#define MMS_EXECUTE_H

#include "plan/plan.h"

/* Runs the plan. carry: as in mmscan_scan_block(), or NULL. */
mmscan_status mms_execute(const mmscan_plan *plan, const void *x, void *y, void *carry);

/* Where there is nothing to scan, writes what stands at the ends of the scans: totals and offsets are what these start
 * with, or the carries of blocks. */
mmscan_status mms_execute_empty(const mms_problem *problem, void *y, void *carry);

/* Combines carries, and the states in the plan's problem, with others of the same problem. MMSCAN_ENOTSUP: that would
 * not have the bits that its scans promise. */
mmscan_status mms_execute_combine(const mmscan_plan *plan, void *carry, const void *next_carry, const void *next_state);

#endif
