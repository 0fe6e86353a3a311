/* lineup.h: the contenders of a race. */
#ifndef LINEUP_H
#define LINEUP_H

#include "contender.h"
#include "units.h"

enum { MOST_NAMES = 16 };

/* Parts of names, to select contenders by; none selects all. */
typedef struct lineup_filter {
  const char *names[MOST_NAMES];
  bool met[MOST_NAMES]; /* a contender has it in its name: set by lineup_fill() */
  size_t count;
} lineup_filter;

/* Adds the bound, the serial loop, and every contender that passes the filter, for each thread count. Those that cannot
 * run get a refusal. race->count must be zero before. */
void lineup_fill(race *r, lineup_filter *filter, const int *threads, size_t thread_counts);

/* For races of other kinds: adds only the bounds and the serial loop. */
void lineup_add_measures(race *r, const int *threads, size_t thread_counts);

/* For operations that are no scans: adds only the bounds; and a contender that passes the filter, else NULL. */
void lineup_add_bounds(race *r, const int *threads, size_t thread_counts);
contender *lineup_add_run(race *r, lineup_filter *filter, contender_role role, const char *name, int threads,
                          double (*run)(const contender *, long), size_t (*verify)(contender *));

/* For calls now and then (every.c): adds the one-shot call, where OpenMP has all threads, which the call is free to
 * take, and where it has one; a plan of all threads; the serial loop; and the peers that run on OpenMP's threads. The
 * first three come in this order. */
void lineup_fill_every(race *r, int threads);

/* For the accuracy of sums (accuracy.c): adds the library's modes, refusing those that this build does not have; the
 * plain loop, and scans that add in other orders. What can share its work does so among all threads. */
void lineup_fill_accuracy(race *r, lineup_filter *filter, int threads);

/* Why the library does not scan in a mode. */
const char *lineup_why_not(mmscan_status status);

/* Adds the engine gemm with a unit and matrices of size s; it gets a refusal if the library does not take these. */
void lineup_add_gemm(race *r, const bench_unit *unit, size_t s, int threads);

/* Adds an engine without a unit, which is named "mmscan ENGINE". */
void lineup_add_engine(race *r, const char *engine, int threads);

/* Adds the one-shot call of a library, which outlives the race; it gets a refusal if it cannot have so many threads. */
contender *lineup_add_call(race *r, const libmmscan *of, int threads);

/* Calls it once, and returns the status of that call. */
mmscan_status lineup_call_once(const contender *c);

/* Refuses a contender; NULL, as either, does nothing. */
void lineup_refuse(contender *c, const char *reason);

/* Refuses a contender in a long race whose unit is slow by nature: a long race says nothing more about it. */
void lineup_refuse_slow(contender *c, const char *unit);

/* Frees what the contenders own. */
void lineup_free(race *r);

/* The bound for that thread count, or the first bound if that count took no part. */
const contender *lineup_bound(const race *r, int threads);

/* The serial loop. */
const contender *lineup_loop(const race *r);

#endif
