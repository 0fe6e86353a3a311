/* footprint.h: the memory that the library takes for itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include "contender.h"

/* Runs one scan by each engine and unit, of like->n elements by `threads` threads, and returns the growth of the peak
 * of resident memory in MiB per thread. The library keeps what a scan took for the next, so this has to come before any
 * other scan. Negative if the system does not tell. */
double footprint_of_scans(const race *like, int threads);

#endif
