/* ab.h: what one call of `mmscan bench --ab` does: it times two builds of the library in turns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AB_H
#define AB_H

#include "libmmscan.h"
#include "session.h"
#include "timing.h"

/* The libraries, and the contenders of a race, in this order. */
enum { AB_THIS, AB_OTHER, AB_LIBRARIES };

typedef struct ab_cell {
  const number *number;
  mmscan_op op;
  size_t n, row; /* as of a race */
  bool in_place;
  int threads;
  char refusal[272]; /* why it was not timed; empty if it was */
  bool differs;      /* the bits of the two results, which are of one operator */
  duel duel;         /* first this, second the other */
} ab_cell;

/* Cells by type, then length, then place, then threads. */
typedef struct ab {
  const bench_request *request;
  libmmscan libraries[AB_LIBRARIES];
  ab_cell *cells;
  size_t count;
} ab;

/* Times and reports. Returns the exit status of the command. */
int ab_run(const bench_request *request);

static inline bool ab_is_timed(const ab_cell *c) { return c->refusal[0] == '\0'; }

/* What follows from the ratios, each of which is above 1 where this library is faster. */
typedef struct ab_summary {
  size_t timed;  /* cells */
  size_t differ; /* cells where the bits differ */
  double mean;   /* of the ratios, geometric; 0: no cell was timed */
  const ab_cell *lowest;
} ab_summary;
ab_summary ab_sum_up(const ab *a);

/* The parts of the text, in this order: before all, before the cells of a type, a line of those of one length, after
 * all. */
void ab_print_head(const ab *a);
void ab_print_heading(const ab *a, const number *type);
void ab_print_line(const ab_cell *cells, size_t count);
void ab_print_tail(const ab *a);

/* Prints one JSON object. */
int ab_json(const ab *a);

#endif
