/* panel.h: one panel of the plot: the races of one type and place, and the contenders that are drawn.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PANEL_H
#define PANEL_H

#include "contender.h"

enum { MOST_LINES = 20 };

typedef struct panel {
  const race *races; /* by length, ascending */
  size_t count;
  const contender *bound;             /* of the last race, like the lines */
  const contender *lines[MOST_LINES]; /* the fastest at the greatest length first */
  size_t line_count;
} panel;

/* The panel of the races from `first` on, at most `count`, that have its type and place. */
panel panel_of(const race *first, size_t count);

/* Gelem/s of the same contender in race `index` of the panel; 0 if it was not timed there. */
double panel_speed(const panel *p, size_t index, const contender *c);

/* The range of y: powers of two. */
void panel_range(const panel *p, double *low, double *high);

#endif
