/* loaded.h: units that are libraries opened at run time. */
#ifndef MMS_LOADED_H
#define MMS_LOADED_H

#include "unit/unit.h"

/* Opens a library, if it is not yet open, and holds it; the caller releases it by mms_unit_drop(). On MMSCAN_EBLAS and
 * MMSCAN_ENOMEM `why` gets the reason. */
mmscan_status mms_loaded_open(const char *library, const mms_unit **unit, char *why, size_t why_size);

/* Marks a hold as one of mmscan_unit_open(); releases one so marked, for mmscan_unit_close(). MMSCAN_EINVAL: there is
 * none. */
void mms_loaded_count(const mms_unit *unit);
mmscan_status mms_loaded_uncount(const char *name);

/* The units that are held, by index and by name; NULL if there is none. A pointer to a unit stays valid when the unit
 * is no longer found, and its hold() may still be called. */
const mms_unit *mms_loaded_at(size_t index);
const mms_unit *mms_loaded_find(const char *name);

/* Implements mmscan_unit_candidate(). */
const char *mms_loaded_candidate(size_t index);

#endif
