/* contest.h: all that one call of `mmscan bench --units` does: units compared on one workload.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CONTEST_H
#define CONTEST_H

#include "product.h"
#include "session.h"

enum { CONTEST_SIZES = 7 };

/* Races: products with L_s for each s first, then these. */
enum {
  CONTEST_PEAK = CONTEST_SIZES, /* products with the largest L_s: how fast a unit multiplies where memory is no limit */
  CONTEST_CHOICE,               /* short scans with each s on one thread: which s a unit is best with */
  CONTEST_SCANS,                /* long scans with the best two */
  CONTEST_RACES
};

extern const size_t contest_sizes[CONTEST_SIZES]; /* s: 2, 4, 8, ... */

/* A row of the ranking. Pointers are NULL to what was not timed. */
typedef struct standing {
  const bench_unit *unit;
  size_t s;                                   /* of its scans; 0 where there are none */
  const contender *scans[MOST_THREAD_COUNTS]; /* for request->threads[] */
  const contender *product;                   /* the fastest in tiles, either way, of any s */
  const contender *peak;                      /* that with the most operations a second, on any threads */
  double gain;                                /* times as fast with all its own threads as with one; 0: not known */
} standing;

typedef struct contest {
  const bench_request *request;
  struct json_t *settings; /* an object: variables of the environment that units, or OpenMP, look at, before any is
                              opened, for some set such */
  const number *number;
  unit_list list;
  race *races;                  /* CONTEST_RACES */
  standing ranking[MOST_UNITS]; /* the fastest scan on the most threads first, then what failed */
} contest;

/* Times and reports. Returns an exit status, like all of the command. */
int contest_run(bench_request *request);

/* Prints the units that are found, or listed, and why one takes no part. */
int contest_list(bench_request *request);

/* The product by a unit in one form in a race, or NULL. It may have a refusal. */
const contender *contest_product(const race *r, const bench_unit *unit, product_kind kind);

/* The scan by a unit in a race, or NULL. It may have a refusal. */
const contender *contest_scan(const race *r, const bench_unit *unit, size_t s, int threads);

/* Billions of elements a second, and of floating-point operations; 0 for NULL and for what was not timed. */
double contest_elements(const contender *c);
double contest_operations(const contender *c);

/* The product with the most operations a second by a unit, of any s; on one thread, or on any. */
const contender *contest_peak(const contest *c, const bench_unit *unit, bool one_thread);

/* The most threads that are asked for. */
int contest_threads(const contest *c);

/* Fills in the ranking. */
void contest_rank(contest *c);

#endif
