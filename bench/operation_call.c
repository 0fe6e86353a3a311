/* operation_call.c: calls of the library, timed for any operation. */
#include "operation.h"
#include "peer_loops.h"
#include "timing.h"

#include <math.h>
#include <omp.h>
#include <string.h>

double operation_time(const contender *c, long runs, mmscan_status (*call)(const contender *c)) {
  mmscan_status status = MMSCAN_OK;
  const int before = omp_get_max_threads();
  omp_set_num_threads(c->threads);
  const double start = timing_now();
  for (long i = 0; i < runs && status == MMSCAN_OK; i++) status = call(c);
  const double seconds = timing_now() - start;
  omp_set_num_threads(before);
  return status == MMSCAN_OK ? seconds : NAN;
}

contender *operation_add_call(race *r, lineup_filter *filter, const char *name, int threads,
                              double (*run)(const contender *, long), size_t (*verify)(contender *)) {
  contender *c = lineup_add_run(r, filter, ROLE_LIBRARY, name, threads, run, verify);
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  if (mmscan_threads() != threads) lineup_refuse(c, "MMSCAN_NUM_THREADS fixes the threads of a call");
  omp_set_num_threads(before);
  return c;
}

contender *operation_add_loop(race *r, lineup_filter *filter, const char *name, double (*run)(const contender *, long),
                              size_t (*verify)(contender *)) {
  contender *c = lineup_add_run(r, filter, ROLE_LOOP, name, 1, run, verify);
  lineup_refuse(c, peers_refusal(&peer_loops_built));
  return c;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static mmscan_status sum(const contender *c) {
  const race *r = c->race;
  const mmscan_desc d = MMSCAN_DESC(r->number->type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, r->n);
  return mmscan_scan(&d, r->x, r->y);
}

static double run_sum(const contender *c, long runs) { return operation_time(c, runs, sum); }

static size_t verify_sum(contender *c) {
  const race *r = c->race;
  const number_pair pair = {r->number, r->number, MMSCAN_PLUS};
  memset(r->y, 0x80, race_y_bytes(r));
  c->run(c, 1);
  return number_check(&pair, (number_layout){1, r->n, 1, 1}, r->data, r->y, NULL);
}

void operation_add_sums(race *r, lineup_filter *filter, int threads) {
  operation_add_call(r, filter, "mmscan_scan, + of all", threads, run_sum, verify_sum);
}
