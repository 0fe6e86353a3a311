/* contender.h: what is timed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CONTENDER_H
#define CONTENDER_H

#include "number.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum contender_role {
  ROLE_BOUND,   /* the fastest of the copies: not timed itself */
  ROLE_COPY,    /* one way to copy, or to update in place */
  ROLE_LOOP,    /* the serial loop */
  ROLE_LIBRARY, /* libmmscan */
  ROLE_PEER
} contender_role;

typedef struct contender contender;
struct contender {
  char name[48];
  contender_role role;
  int threads;

  /* Runs it `runs` times and returns the seconds that took; NaN where it failed. */
  double (*run)(const contender *c, long runs);
  /* Runs it once over data. Gives the place of the first wrong result, n where there is none; NULL: not a scan. */
  size_t (*verify)(const contender *c);

  const struct race *race;       /* what is scanned */
  size_t s;                      /* of a product, or of a scan by products where it was asked for; else 0 */
  int form;                      /* of a product: a product_kind */
  const struct bench_unit *unit; /* that multiplies; NULL: not said */
  scan_function *scan;           /* what `run` calls, where it is somebody else's function of this process */
  mmscan_plan *plan;             /* or the plan, which is the contender's; NULL: the one-shot call, or it is over */
  bool by_name;                  /* an engine of the library that was asked for; else the choice is the library's */
  bool settle;                   /* its threads want cores on which those of OpenMP wait, spinning, for more work */

  char refusal[256]; /* why it was not timed; empty where it was */
  bool is_wrong;     /* for its result */
  double seconds;    /* of one run: the median of the rounds */
  double fastest;    /* the fastest round */
};

enum { MOST_CONTENDERS = 160 };

/* All contenders of one type, length and place: they take turns. */
typedef struct race {
  const number *number;
  size_t n;
  size_t row; /* the elements of a scan, of which there are n / row, one behind the other; 0: all are one scan */
  bool in_place;
  size_t s;         /* they are products with L_s, the first level of a scan; 0: they are scans */
  const void *data; /* what is scanned when results are checked */
  const void *x;    /* what is scanned when timed: in place it is y, which is then zero, so that scans of scans */
  void *y;          /* neither grow nor overflow */
  const void *bf16; /* data as bfloat16; NULL where no product takes it */
  contender contenders[MOST_CONTENDERS];
  size_t count;
  double handoff; /* seconds, from one thread to another: the median of the rounds; 0: none has more than one */
} race;

/* The elements of one scan. */
static inline size_t race_row(const race *r) { return r->row != 0 ? r->row : r->n; }

#endif
