/* roster.h: the libraries that a file of wisdom names, numbered from 1. Each has two lines, and one for each routine
 * that is off in general and passed its test.
 *
 *   blas /usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4
 *   version 0.9.0, kernels for zen3
 *   good sgemm_batch
 */
#ifndef MMS_ROSTER_H
#define MMS_ROSTER_H

#include "base/text.h"
#include "unit/unit.h"

/* ROUTINES: of a library. UNIT: room for what the line of a shape calls a unit. */
enum { MMS_ROSTER_MOST = 64, MMS_ROSTER_ROUTINES = 32, MMS_ROSTER_UNIT = 16 };

typedef struct mms_library {
  const char *name, *version; /* never freed here; version: NULL until its line is read */
  const mms_unit *unit;       /* held by mms_roster_unit(); NULL: it was not asked for */
  const char *good[MMS_ROSTER_ROUTINES];
  size_t good_count;
} mms_library;

/* Too large for the stack of a thread. */
typedef struct mms_roster {
  const char *builtins;  /* reading: the text that may begin with lines of built-in units */
  unsigned long builtin; /* writing: a bit for each built-in unit that was added */
  size_t count;
  mms_library library[MMS_ROSTER_MOST];
} mms_roster;

/* ---- Writing: */

/* Adds a unit, which is held, or its library, unless it is there. A library is left out if its name or version does not
 * fit on a line, or if there are too many. */
void mms_roster_add(mms_roster *roster, const mms_unit *unit);

/* Writes a line for each built-in unit that was added and has a library: "unit cblas OpenBLAS 0.3.21". */
void mms_roster_write_builtins(const mms_roster *roster, mms_text *out);

/* Whether the line of a shape can name a unit: its library was not left out. */
bool mms_roster_has(const mms_roster *roster, const mms_unit *unit);

/* Adds the libraries that have a trusted routine. */
void mms_roster_add_trusted(mms_roster *roster);

/* Writes the lines and returns their number. */
size_t mms_roster_write(const mms_roster *roster, mms_text *out);

/* What the line of a shape calls a unit: its name, or @ and the number of its library; "-" for no unit. */
void mms_roster_name(const mms_roster *roster, const mms_unit *unit, char *name, size_t size);

/* ---- Reading: */

/* Takes a line of one of the three kinds. Its text stays the caller's, and must last as long as the roster. False: it
 * is no such line, or does not belong there. */
bool mms_roster_line(mms_roster *roster, const char *line);

/* Takes the lines of built-in units, and returns what follows them. */
char *mms_roster_skip_builtins(mms_roster *roster, char *text);

/* Whether all lines of the last library have been read. */
bool mms_roster_is_whole(const mms_roster *roster);

/* Whether the line of a shape may call a unit so. Opens nothing. */
bool mms_roster_knows(const mms_roster *roster, const char *name);

/* The unit of that name. Opens its library and holds it, once. MMSCAN_EIO: it is not here, or of another version.
 * MMSCAN_ENOMEM. */
mmscan_status mms_roster_unit(mms_roster *roster, const char *name, const mms_unit **unit);

/* To be called when all was read and is kept: units stay held, and routines that passed their test are used.
 * MMSCAN_ENOMEM. */
mmscan_status mms_roster_keep(mms_roster *roster);

/* To be called if nothing is kept. */
void mms_roster_drop(mms_roster *roster);

#endif
