/* trust.h: routines that are off by default, but have passed their test in a version of a library. */
#ifndef MMS_TRUST_H
#define MMS_TRUST_H

#include "mmscan.h"
#include <stdbool.h>
#include <stddef.h>

enum { MMS_TRUST_UNIT = 4095, MMS_TRUST_VERSION = 255, MMS_TRUST_ROUTINE = 31 }; /* longest names */

/* unit: its name. version: empty if the library does not tell it. */
bool mms_trust_has(const char *unit, const char *version, const char *routine);

/* MMSCAN_ENOMEM. */
mmscan_status mms_trust_add(const char *unit, const char *version, const char *routine);

/* Routines that become trusted together, all or none. A list of them is NULL at first, and ends with
 * mms_trust_add_all(), which makes all of them trusted, or with mms_trust_forget(). */
typedef struct mms_trust_notes mms_trust_notes;

/* False if there is no memory. */
bool mms_trust_note(mms_trust_notes **notes, const char *unit, const char *version, const char *routine);
void mms_trust_add_all(mms_trust_notes *notes);
void mms_trust_forget(mms_trust_notes *notes);

/* What is trusted, by index; false past the last. The strings are never freed. */
bool mms_trust_at(size_t index, const char **unit, const char **version, const char **routine);

#endif
