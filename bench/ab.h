/* ab.h: what one call of `mmscan bench --ab` does: it times two builds of the library in turns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AB_H
#define AB_H

#include "session.h"

/* Times and reports. Returns the exit status of the command. */
int ab_run(const bench_request *request);

#endif
