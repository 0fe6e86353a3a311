/* footprint.h: memory that the library takes for itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include "contender.h"

/* MiB a thread by which the peak of resident memory grows over one scan by each engine and unit: of like->n elements,
 * by so many threads. What a scan took is kept for the next: this has to come before any other. Negative where the
 * system does not tell. */
double footprint_of_scans(const race *like, int threads);

#endif
