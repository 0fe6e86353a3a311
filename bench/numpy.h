/* numpy.h: NumPy's cumsum, which a process of its own times on request.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef NUMPY_H
#define NUMPY_H

#include "contender.h"

/* Why there is no NumPy here, or none for arrays of so many bytes; NULL where there is. Starts the process when it is
 * first asked. A static string. */
const char *numpy_refusal(size_t bytes);

/* As the contender's functions of these names. */
double numpy_run(const contender *c, long runs);
size_t numpy_verify(const contender *c);

/* Its version; NULL where it was not started. */
const char *numpy_version(void);

/* Ends the process, if there is one. */
void numpy_end(void);

#endif
