/* units.h: the units that take part in `mmscan bench --units`.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef UNITS_H
#define UNITS_H

#include <mmscan.h>
#include <stdbool.h>

enum { MOST_UNITS = 16, UNIT_LABEL = 23 /* characters at most */ };

typedef struct bench_unit {
  char label[UNIT_LABEL + 1]; /* short, and no other's */
  const char *name;           /* as plans and products take it */
  mmscan_part part;           /* what the library tells of it; zeros where it could not be opened */
  bool opened;                /* for this list */
  int threads;                /* its own, when it is set to as many as the others; 0: it cannot be set */
  char failure[256];
} bench_unit;

typedef struct unit_list {
  bench_unit units[MOST_UNITS];
  size_t count;
} unit_list;

/* The units of a list by commas, names, labels of those that are found, or libraries, which is cut up and has to
 * outlive this. "found" and NULL: all that are found, but for the one that counts. One that cannot be used has a
 * failure. `threads` is what all are asked to be set to. To be given to units_close() in any case. */
int units_open(unit_list *list, char *names, int threads);

void units_close(unit_list *list);

/* True of the unit that is slow by nature. */
bool units_is_slow(const char *name);

/* Says why a unit takes no part from now on. The first reason is kept. */
void units_fail(bench_unit *unit, const char *reason);

#endif
