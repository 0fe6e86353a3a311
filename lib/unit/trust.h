/* trust.h: routines that are off in general, and that somebody saw pass their test in a version of a library. */
#ifndef MMS_TRUST_H
#define MMS_TRUST_H

#include "mmscan.h"
#include <stdbool.h>
#include <stddef.h>

enum { MMS_TRUST_UNIT = 4095, MMS_TRUST_VERSION = 255, MMS_TRUST_ROUTINE = 31 }; /* longest names */

/* unit: its name. version: empty where the library does not say. */
bool mms_trust_has(const char *unit, const char *version, const char *routine);

/* MMSCAN_ENOMEM. */
mmscan_status mms_trust_add(const char *unit, const char *version, const char *routine);

/* Routines that become trusted together: all that were noted, or none. NULL at first; ended by one of the last two. */
typedef struct mms_trust_notes mms_trust_notes;

/* False where there is no memory. */
bool mms_trust_note(mms_trust_notes **notes, const char *unit, const char *version, const char *routine);
void mms_trust_add_all(mms_trust_notes *notes);
void mms_trust_forget(mms_trust_notes *notes);

/* What is trusted, by index; false past the last. The strings stay. */
bool mms_trust_at(size_t index, const char **unit, const char **version, const char **routine);

#endif
