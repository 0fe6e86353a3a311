/* tryout.h: opens libraries to choose among, and tries their routines that may crash. */
#ifndef TRYOUT_H
#define TRYOUT_H

#include <jansson.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets *part to the unit called `name`; false, with an empty *part, if there is none. */
bool find_unit(const char *name, mmscan_part *part);

/* mmscan_unit_open(), with a message if the library crashes or ends the process. */
mmscan_status open_suspect(const char *library, const char **unit, char *why, size_t size);

/* Opens a library for the rest of the process, with a message if that fails. */
int open_library(const char *library);

/* Opens all libraries that mmscan_unit_candidate() names; one that is absent or does not work is passed over. */
void open_candidates(void);

/* Tries the routines of all units that are off, each in its own process; those that pass are used from then on. Adds
 * the outcomes to `list`, or prints them if it is NULL. */
void try_routines(json_t *list);

/* What that process runs: returns DONE if the routine passes its test. It may also crash, or be ended for taking too
 * long. */
int try_here(const char *library, const char *routine);

#endif
