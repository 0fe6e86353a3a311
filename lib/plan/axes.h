/* axes.h: the dimensions around a scan, sorted and merged, so that any axis of any layout is scanned as rows, columns
 * or strided scans that are as many and as near as can be. */
#ifndef MMS_AXES_H
#define MMS_AXES_H

#include "plan/problem.h"

/* Puts the batch and the outer dimensions of a description, none of which is 0, into a problem whose other strides are
 * set: those of one element are dropped, and those that go on where others end are merged. The batch is then the axis
 * of neighbouring columns, if the scans are columns, or else the longest. Returns false if there are more scans, or
 * they are further apart, than memory can hold. */
bool mms_axes_set(mms_problem *p, const mmscan_desc *d);

#endif
