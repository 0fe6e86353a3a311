/* every.c: what one call of `mmscan bench --every` does: calls with pauses between them, as programs make them between
 * other work. */
#include "element.h"
#include "json.h"
#include "message.h"
#include "peer.h"
#include "report.h"
#include "session.h"
#include "statistics.h"
#include "stdout.h"
#include "timing.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CALLS: of a contender in a round, after WARM others. */
enum { CALLS = 20, WARM = 3, FOREIGN = 1 << 16 /* elements */ };

/* Microseconds that so many in a hundred calls did not exceed. */
enum { MEDIAN, P90, P99, RANKS };
static const int ranks[RANKS] = {50, 90, 99};

typedef struct every_row {
  double us[RANKS];
} every_row;

/* A race, and what its contenders took. */
typedef struct every {
  const bench_request *request;
  const peer *pool; /* whose threads work between calls; NULL: none do */
  void *foreign;    /* what these scan, and to where */
  race race;
  every_row rows[MOST_CONTENDERS];
} every;

/* ---- Between calls ----------------------------------------------------------------------------------------------- */

static void sleep_until(double end) {
  const struct timespec at = {.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - (double)(time_t)end))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) continue;
}

static void work_until(double end) {
  while (timing_now() < end) continue;
}

static void run_pool(const every *e) {
  if (e->pool == NULL) return;
  e->pool->scan[0](FOREIGN, e->foreign, (float *)e->foreign + FOREIGN, e->request->threads[1]);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* A call that is late is made at once. */
static void time_calls(const every *e, const contender *c, int calls, double *us) {
  double next = timing_now();
  for (int i = 0; i < calls; i++) {
    us[i] = 1e6 * c->run(c, 1);
    run_pool(e);
    next = fmax(next + 1e-6 * (double)e->request->every, timing_now());
    if (e->request->busy)
      work_until(next);
    else
      sleep_until(next);
  }
}

/* Sorts the times of a contender. */
static every_row row_of(double *us, int count) {
  every_row row;
  statistics_sort(us, count);
  for (int i = 0; i < RANKS; i++) row.us[i] = us[(count * ranks[i] + 99) / 100 - 1];
  return row;
}

/* Contenders take turns, CALLS calls each. */
static bool time_all(every *e) {
  const int rounds = e->request->rounds, count = rounds * CALLS;
  const size_t contenders = e->race.count;
  double *us = malloc(contenders * (size_t)count * sizeof *us);
  if (us == NULL) return false;
  if (e->race.in_place) memset(e->race.y, 0, e->race.n * e->race.number->size);
  for (int round = 0; round < rounds; round++)
    for (size_t i = 0; i < contenders; i++) {
      double *own = us + i * (size_t)count + round * CALLS;
      if (!contender_is_timed(&e->race.contenders[i])) continue;
      time_calls(e, &e->race.contenders[i], WARM, own);
      time_calls(e, &e->race.contenders[i], CALLS, own);
    }
  for (size_t i = 0; i < contenders; i++)
    if (contender_is_timed(&e->race.contenders[i])) e->rows[i] = row_of(us + i * (size_t)count, count);
  free(us);
  return true;
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

/* The library as it is called, called where there is one thread, and made to use all: the first contenders, in this
 * order. */
enum { AS_CALLED, ONE_THREAD, ALL_THREADS };

/* The median over the lesser one of one thread and all; and the last percentile over that of one thread. */
static double of_better(const every *e) {
  const double one = e->rows[ONE_THREAD].us[MEDIAN], all = e->rows[ALL_THREADS].us[MEDIAN];
  return e->rows[AS_CALLED].us[MEDIAN] / (all > 0 && all < one ? all : one);
}

static double of_one(const every *e) { return e->rows[AS_CALLED].us[P99] / e->rows[ONE_THREAD].us[P99]; }

static void print_head(const bench_request *request) {
  char machine[192];
  report_machine(machine, sizeof machine, request);
  printf("mmscan       %s, ISA %s\nmachine      %s\n", mmscan_version(), mmscan_isa(), machine);
  printf("calls        one every %zu us; between them the caller %s%s\n", request->every,
         request->busy ? "works" : "sleeps", request->pool ? ", after a scan by TBB's threads" : "");
  printf("times        microseconds, of %d calls\n", request->rounds * CALLS);
}

static void print_race(const every *e) {
  const race *r = &e->race;
  char type[REPORT_TYPE], length[48];
  report_type(r->number, r->op, type);
  report_length(r->n, length);
  printf("\n%s, %s, %-*s threads |  median     90 %%     99 %%\n", type, r->in_place ? "in place" : "out of place",
         (int)(25 - strlen(type) - (r->in_place ? 8 : 12)), length);
  for (size_t i = 0; i < r->count; i++) {
    const contender *c = &r->contenders[i];
    const double *us = e->rows[i].us;
    if (contender_is_timed(c))
      printf("%-29s %7d | %7.1f  %7.1f  %7.1f\n", c->name, c->threads, us[MEDIAN], us[P90], us[P99]);
    else
      print_clean("skipped: %s: %s", c->name, c->refusal);
  }
  printf("as called: median %.2f of the better of one thread and all; 99 %% %.2f of one thread's\n", of_better(e),
         of_one(e));
  fflush(stdout);
}

static json_t *row_json(const every *e, size_t i) {
  const contender *c = &e->race.contenders[i];
  const double *us = e->rows[i].us;
  if (!contender_is_timed(c))
    return json_pack("{s:o, s:i, s:o}", "name", json_text(c->name), "threads", c->threads, "skipped",
                     json_text(c->refusal));
  return json_pack("{s:o, s:i, s:f, s:f, s:f}", "name", json_text(c->name), "threads", c->threads, "median_us",
                   us[MEDIAN], "p90_us", us[P90], "p99_us", us[P99]);
}

/* Of what was not timed there is none. */
static json_t *ratio_json(double ratio) { return isfinite(ratio) ? json_real(ratio) : json_null(); }

static json_t *race_json(const every *e) {
  json_t *rows = json_array();
  for (size_t i = 0; i < e->race.count; i++) json_array_append_new(rows, row_json(e, i));
  return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "type", e->race.number->name, "op",
                   element_operator_name(e->race.op), "place", e->race.in_place ? "in" : "out", "n",
                   (json_int_t)e->race.n, "median_of_better", ratio_json(of_better(e)), "p99_of_one",
                   ratio_json(of_one(e)), "rows", rows);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static int status_of(const race *r) {
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].is_wrong)
      return fail("%s, n = %zu: %s", r->contenders[i].name, r->n, r->contenders[i].refusal);
  return DONE;
}

static int run_race(every *e, size_t n, bool in_place, const number *type, const arrays *a, json_t *tables) {
  session_set_race(&e->race, e->request, type, n, in_place, a);
  lineup_fill_every(&e->race, e->request->threads[1]);
  timing_check(&e->race);
  const int status = status_of(&e->race);
  const bool timed = time_all(e);
  lineup_free(&e->race);
  if (!timed) return fail_memory();
  if (tables != NULL)
    json_array_append_new(tables, race_json(e));
  else
    print_race(e);
  return status == DONE && ferror(stdout) ? fail_stdout() : status;
}

static int run_type(every *e, const number *type, json_t *tables) {
  const bench_request *request = e->request;
  const size_t lengths = session_lengths_that_fit(request, type);
  const number_pair pair = {type, type, request->op};
  arrays a;
  if (lengths == 0) return fail("nothing was timed");
  int status = arrays_make(&a, &pair, request->lengths[lengths - 1], false) ? DONE : fail_memory();
  for (size_t k = 0; k < request->place_count; k++)
    for (size_t i = 0; i < lengths && status == DONE; i++)
      status = run_race(e, request->lengths[i], request->in_place[k], type, &a, tables);
  arrays_free(&a);
  return status;
}

/* The pool of TBB is that of the peer which scans by it. */
static int find_pool(every *e) {
  const peer *p;
  for (size_t i = 0; e->request->pool && (p = peers_at(i)) != NULL; i++)
    if (p->threads == PEER_OWN_THREADS && peers_refusal(p) == NULL) e->pool = p;
  if (!e->request->pool) return DONE;
  if (e->pool == NULL) return fail("--pool: there are no threads of TBB here: 'bench --list' tells why");
  e->foreign = calloc(2 * FOREIGN, sizeof(float));
  return e->foreign != NULL ? DONE : fail_memory();
}

static int report(const bench_request *request, json_t *tables) {
  return print_json(json_pack("{s:o, s:I, s:b, s:b, s:i, s:O}", "machine", report_json_machine(), "every_us",
                              (json_int_t)request->every, "busy", request->busy, "pool", request->pool, "calls",
                              request->rounds * CALLS, "tables", tables));
}

int every_run(const bench_request *request) {
  every *e = calloc(1, sizeof *e);
  if (e == NULL) return fail_memory();
  e->request = request;
  json_t *tables = request->json ? json_array() : NULL;
  int status = session_check_environment();
  if (status == DONE) status = find_pool(e);
  if (status == DONE && tables == NULL) print_head(request);
  for (size_t i = 0; i < request->type_count && status == DONE; i++) status = run_type(e, request->types[i], tables);
  if (status == DONE && tables != NULL) status = report(request, tables);
  json_decref(tables);
  free(e->foreign);
  free(e);
  return status;
}
