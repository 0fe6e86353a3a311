/* loaded.h: units that are libraries opened at run time. */
#ifndef MMS_LOADED_H
#define MMS_LOADED_H

#include "unit/unit.h"

/* Opens a library, or the one that is open, and holds it: the caller gives the hold back with mms_unit_drop(). `why`
 * gets a reason. MMSCAN_EBLAS, MMSCAN_ENOMEM. */
mmscan_status mms_loaded_open(const char *library, const mms_unit **unit, char *why, size_t why_size);

/* mmscan_unit_open() and mmscan_unit_close() count these. */
void mms_loaded_count(const mms_unit *unit);
mmscan_status mms_loaded_uncount(const char *name);

/* Those that somebody holds, by index and by name; NULL where there is none. What points to a unit that is no longer
 * found can still ask it to hold(). */
const mms_unit *mms_loaded_at(size_t index);
const mms_unit *mms_loaded_find(const char *name);

/* Nobody opens or unloads a library between these. Held across fork(), so that the child finds the lock free. Taken
 * before that of selftest.h. */
void mms_loaded_lock(void);
void mms_loaded_unlock(void);

/* As mmscan_unit_candidate(). */
const char *mms_loaded_candidate(size_t index);

#endif
