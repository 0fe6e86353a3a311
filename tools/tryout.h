/* tryout.h: libraries to choose among, and their routines that may crash.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TRYOUT_H
#define TRYOUT_H

#include <jansson.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stddef.h>

/* The unit that there is of that name; false, and *part holds none, where there is none. */
bool find_unit(const char *name, mmscan_part *part);

/* mmscan_unit_open(), with a message where the library ends the process. */
mmscan_status open_suspect(const char *library, const char **unit, char *why, size_t size);

/* Opens a library for the rest of the process, with a message where that fails. */
int open_library(const char *library);

/* Opens all that mmscan_unit_candidate() names and that are here; one that is not, or does not work, is passed over. */
void open_candidates(void);

/* Tries the routines that are off, of every unit, each in a process of its own; those that pass are used from then on.
 * Says what came of each: to `list` where it is not NULL, else on standard output. */
void try_routines(json_t *list);

/* In that process: 0 where the routine passes its test. It may also crash, or be ended because it takes too long. */
int try_here(const char *library, const char *routine);

#endif
