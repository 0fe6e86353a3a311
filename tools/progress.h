/* progress.h: a bar on standard error, where that is a terminal and the work lasts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

/* A new stage of the work, of `total` bytes: 0 where nobody knows. stage is static. */
void progress_start(const char *stage, uint64_t total);

/* `bytes` more of the stage are done. */
void progress_add(uint64_t bytes);

/* No bar from now on: results go to the same terminal. */
void progress_forbid(void);

/* Takes the bar away: before a message, and when all is done. */
void progress_erase(void);

#endif
