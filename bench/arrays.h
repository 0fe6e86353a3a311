/* arrays.h: the arrays that are scanned, and those for the results.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "number.h"

#include <stdbool.h>

/* The arrays of one type, long enough for the longest race, aligned to 64 bytes. */
typedef struct arrays {
  void *data, *y;
} arrays;

/* Whether memory suffices for both arrays, and for a third that some contenders need while they run. */
bool arrays_fit(const number *type, size_t n);

/* Allocates both arrays, fills data for the operator and touches every page, so that no page fault is timed. False
 * where memory does not suffice; call arrays_free() in either case. */
bool arrays_make(arrays *a, const number *type, mmscan_op op, size_t n);

void arrays_free(arrays *a);

#endif
