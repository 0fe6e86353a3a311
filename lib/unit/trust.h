/* trust.h: routines that are off by default, but have passed their test in a version of a library. */
#ifndef MMS_TRUST_H
#define MMS_TRUST_H

#include "mmscan.h"
#include <stdbool.h>

enum { MMS_TRUST_UNIT = 4095, MMS_TRUST_VERSION = 255, MMS_TRUST_ROUTINE = 31 }; /* longest names */

/* One of them. */
typedef struct mms_trusted {
  struct mms_trusted *next;
  char unit[MMS_TRUST_UNIT + 1];       /* its name */
  char version[MMS_TRUST_VERSION + 1]; /* empty if the library does not tell it */
  char routine[MMS_TRUST_ROUTINE + 1];
} mms_trusted;

/* The list of them, whose entries stay as they are and are never freed. */
const mms_trusted *mms_trust_list(void);

bool mms_trust_has(const char *unit, const char *version, const char *routine);

/* MMSCAN_ENOMEM. */
mmscan_status mms_trust_add(const char *unit, const char *version, const char *routine);

/* Routines that become trusted together, all or none. A list of them is NULL at first, and ends with
 * mms_trust_add_all(), which makes all of them trusted, or with mms_trust_forget(). */

/* False if there is no memory. */
bool mms_trust_note(mms_trusted **notes, const char *unit, const char *version, const char *routine);
void mms_trust_add_all(mms_trusted *notes);
void mms_trust_forget(mms_trusted *notes);

#endif
