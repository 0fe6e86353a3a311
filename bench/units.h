/* units.h: the units that take part in `mmscan bench --units`. */
#ifndef UNITS_H
#define UNITS_H

#include <limits.h>
#include <mmscan.h>
#include <stdbool.h>

enum { MOST_UNITS = 16, UNIT_LABEL = 23 /* characters at most */ };

typedef struct bench_unit {
  char label[UNIT_LABEL + 1]; /* short and unique */
  char name[PATH_MAX];        /* as plans and products take it */
  mmscan_part part;           /* what the library reports of it; zeros if it could not be opened */
  bool opened;                /* opened for this list, and to be closed with it */
  int threads;                /* its own threads, when set to the requested number; 0: they cannot be set */
  char failure[256];
} bench_unit;

typedef struct unit_list {
  bench_unit units[MOST_UNITS];
  size_t count;
} unit_list;

/* Opens the units of a comma-separated list, which is cut up. An item is a name; a library; in any case of letters, the
 * label of a unit that is found or its vendor, whose first library that is found it stands for; a folder, for all
 * libraries in it; @FILE, for the items that are the lines of a file; or "found", as is a list that is NULL: all that
 * are found, except the one that counts operations. A unit that cannot be used gets a failure. All units are asked to
 * use `threads` threads. Call units_close() in any case. */
int units_open(unit_list *list, char *names, int threads);

void units_close(unit_list *list);

/* Prints a line for each unit: what it is, or why it takes no part. */
void units_print(const unit_list *list);

/* Whether the unit is slow by nature. */
bool units_is_slow(const char *name);

/* Notes why a unit takes no part from now on. The first reason is kept. */
void units_fail(bench_unit *unit, const char *reason);

#endif
