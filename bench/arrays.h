/* arrays.h: what is scanned, and where to.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "number.h"

#include <stdbool.h>

/* The arrays of one type, for the longest race: aligned to 64 bytes. */
typedef struct arrays {
  void *data, *y;
} arrays;

/* Whether there is memory for them, and for an array that some contenders need while they run. */
bool arrays_fit(const number *type, size_t n);

/* Fills data. All pages are there before anything is timed. False where there is no memory; to be given to
 * arrays_free() in any case. */
bool arrays_make(arrays *a, const number *type, size_t n);

void arrays_free(arrays *a);

#endif
