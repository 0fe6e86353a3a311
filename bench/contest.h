/* contest.h: what one call of `mmscan bench --units` does: it compares units on one workload.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CONTEST_H
#define CONTEST_H

#include "product.h"
#include "session.h"

enum { CONTEST_SIZES = 7 };

/* The races: products with L_s for each s, then these. */
enum {
  CONTEST_PEAK = CONTEST_SIZES, /* products with the largest L_s: a unit's speed where memory is no limit */
  CONTEST_CHOICE,               /* short scans with each s on one thread: which s suits a unit best */
  CONTEST_SCANS,                /* long scans with the best two of these s */
  CONTEST_RACES
};

extern const size_t contest_sizes[CONTEST_SIZES]; /* s: 2, 4, 8, ... */

/* A row of the ranking. A pointer is NULL if its contender was not timed. */
typedef struct standing {
  const bench_unit *unit;
  size_t s;                                   /* of its scans; 0 if there are none */
  const char *refusal;                        /* why there are none; else NULL */
  const contender *scans[MOST_THREAD_COUNTS]; /* for request->threads[] */
  const contender *product;                   /* the fastest in tiles, by columns or by rows, of any s */
  const contender *peak;                      /* the one with the most operations a second, on any number of threads */
  double gain;                                /* speed on all its own threads over that on one; 0: not known */
} standing;

typedef struct contest {
  const bench_request *request;
  struct json_t *settings; /* an object: the environment variables that units and OpenMP read; taken before
                              any unit is opened, because some units set such variables */
  const number *number;
  unit_list list;
  race *races;                  /* CONTEST_RACES */
  standing ranking[MOST_UNITS]; /* by speed on the most threads, the fastest first; failed units last */
} contest;

/* Times and reports. Returns the exit status of the command. */
int contest_run(bench_request *request);

/* Prints the units that are found, or listed, and the reason where one takes no part. */
int contest_list(bench_request *request);

/* A unit's product in one form in a race, or NULL. It may have a refusal. */
const contender *contest_product(const race *r, const bench_unit *unit, product_kind kind);

/* Why a unit's products in one form were timed at no s; "" if they were at some, NULL if there are none. */
const char *contest_refusal(const contest *c, const bench_unit *unit, product_kind kind);

/* A unit's scan in a race, or NULL. It may have a refusal. */
const contender *contest_scan(const race *r, const bench_unit *unit, size_t s, int threads);

/* Billions of elements a second, and of floating-point operations; 0 for NULL and for what was not timed. */
double contest_elements(const contender *c);
double contest_operations(const contender *c);

/* The unit's product with the most operations a second, of any s; on one thread only, or on any number. */
const contender *contest_peak(const contest *c, const bench_unit *unit, bool one_thread);

/* The largest thread count that was requested. */
int contest_threads(const contest *c);

void contest_rank(contest *c);

#endif
