/* roster.h: the libraries that a file of wisdom names, numbered from 1: two lines each, and one for each routine that
 * is off in general and passed its test.
 *
 *   blas /usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4
 *   version 0.9.0, kernels for zen3
 *   good sgemm_batch
 */
#ifndef MMS_ROSTER_H
#define MMS_ROSTER_H

#include "text.h"
#include "unit/unit.h"

enum { MMS_ROSTER_MOST = 64, MMS_ROSTER_ROUTINES = 32 };

typedef struct mms_library {
  char *name, *version; /* the caller's of mms_roster_line(); version is NULL until its line is read */
  const mms_unit *unit; /* held by mms_roster_unit(); NULL: not asked for */
  char *good[MMS_ROSTER_ROUTINES];
  size_t good_count;
} mms_library;

typedef struct mms_roster {
  const char *linked; /* reading: the text where lines of units that are linked may be */
  size_t count;
  mms_library library[MMS_ROSTER_MOST];
} mms_roster;

/* ---- Writing: */

/* A line for each unit that is linked, not opened: "unit cblas OpenBLAS 0.3.21". */
void mms_roster_write_linked(mms_text *out);

/* Adds the library of a unit, unless it is there. A built-in unit has none. Left out is what does not fit: a name or a
 * version that is no line, and a library too many. */
void mms_roster_add(mms_roster *roster, const mms_unit *unit);

/* Whether a line of a shape can name a unit: it was not left out. */
bool mms_roster_has(const mms_roster *roster, const mms_unit *unit);

/* Adds those of which a routine is trusted. */
void mms_roster_add_trusted(mms_roster *roster);

/* Writes the lines; returns how many. */
size_t mms_roster_write(const mms_roster *roster, mms_text *out);

/* What a line of a shape calls a unit: its name, or @ and the number of its library; "-" for none. */
void mms_roster_name(const mms_roster *roster, const mms_unit *unit, char *name, size_t size);

/* ---- Reading: */

/* Takes a line of the three kinds, whose text stays the caller's and must last as long as the roster. False: it is
 * none, or does not belong there. */
bool mms_roster_line(mms_roster *roster, char *line);

/* Takes the lines of units that are linked, and returns what follows them. */
char *mms_roster_skip_linked(mms_roster *roster, char *text);

/* The unit that a line of a shape means. Opens the library and holds it, once. MMSCAN_EIO: there is no such unit here,
 * or it is of another version. MMSCAN_ENOMEM. */
mmscan_status mms_roster_unit(mms_roster *roster, const char *name, const mms_unit **unit);

/* All was read and is kept: so are the holds, and what passed its test is used. MMSCAN_EIO: the last library has no
 * version. MMSCAN_ENOMEM. */
mmscan_status mms_roster_keep(mms_roster *roster);

/* Nothing is kept. */
void mms_roster_drop(mms_roster *roster);

#endif
