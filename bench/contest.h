/* contest.h: what one call of `mmscan bench --units` does: it compares units on one workload. */
#ifndef CONTEST_H
#define CONTEST_H

#include "product.h"
#include "session.h"

enum { CONTEST_SIZES = 7 };

/* The races: products with L_s for each s, then these. */
enum {
  CONTEST_PEAK = CONTEST_SIZES, /* products with the largest L_s: a unit's speed where memory is no limit */
  CONTEST_CHOICE,               /* short scans with each s on one thread: which s suits a unit best */
  CONTEST_SCANS,                /* long scans with the best two of these s, and by the engine simd */
  CONTEST_RACES
};

extern const size_t contest_sizes[CONTEST_SIZES]; /* s: 2, 4, 8, ... */

typedef struct contest {
  const bench_request *request;
  struct json_t *settings; /* an object: the environment variables that units and OpenMP read; taken before
                              any unit is opened, because some units set such variables */
  const number *number;
  unit_list list;
  race *races; /* CONTEST_RACES */
  arrays arrays;
  uint16_t *bf16; /* the data as bfloat16; NULL: not of f32 */
  int status;     /* FAILED after a message: a scan without a unit was wrong */
} contest;

/* Times and reports. Returns the exit status of the command. */
int contest_run(bench_request *request);

/* Prints the units that are found, or listed, and the reason where one takes no part. */
int contest_list(bench_request *request);

/* A unit's scan in a race, or NULL. It may have a refusal. */
const contender *contest_scan(const race *r, const bench_unit *unit, size_t s, int threads);

/* A unit's product in one form in a race, or NULL. It may have a refusal. */
const contender *contest_product(const race *r, const bench_unit *unit, product_kind kind);

/* Billions of elements a second; 0 for NULL and for what was not timed. */
double contest_elements(const contender *c);

/* The largest thread count that was requested. */
int contest_threads(const contest *c);

/* The settings; and the races with a ranking of the units by speed on the most threads, the fastest first, failed ones
 * last (standing.h). The caller owns them. */
struct json_t *contest_settings(void);
struct json_t *contest_report(const contest *c);

#endif
