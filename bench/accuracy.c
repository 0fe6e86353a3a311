/* accuracy.c: what one call of `mmscan bench --accuracy` does: it measures how far sums of floats are off, on inputs on
 * which they go wrong in different ways, and times the scans. */
#include "exact.h"
#include "json.h"
#include "message.h"
#include "pages.h"
#include "report.h"
#include "stdout.h"
#include "suspect.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The input on which scans are timed: random, of one sign. */
enum { TIMED_INPUT = 1 };

/* A race, and the errors of its contenders by input; and the exit status, should all else be done: a wrong result is a
 * failure, but no reason to leave out the rest. */
typedef struct accuracy {
  bench_request *request;
  exact exact;
  arrays arrays;
  race race;
  exact_error errors[MOST_CONTENDERS][EXACT_INPUTS];
  int verdict;
} accuracy;

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* Bytes of a number that is no result, and is there before there is one. */
enum { NO_RESULT = 0x80 };

static bool has_result(const race *r) {
  const size_t size = r->number->size;
  const unsigned char *last = (const unsigned char *)r->y + (r->n - 1) * size;
  for (size_t i = 0; i < size; i++)
    if (last[i] != NO_RESULT) return true;
  return false;
}

/* Whether additions in some order have such errors: each rounds an element at most n times. */
static bool is_possible(const race *r, double units) {
  const double u = exact_unit(r->number);
  return units <= expm1((double)r->n * log1p(u)) / u;
}

/* Scans once into y; false, with a refusal, if a call of the library does not. */
static bool scan_once(contender *c) {
  mmscan_status status = MMSCAN_OK;
  memset(c->race->y, NO_RESULT, race_y_bytes(c->race));
  suspect(c->name);
  if (c->library != NULL)
    status = lineup_call_once(c);
  else
    c->run(c, 1);
  suspect(NULL);
  if (status != MMSCAN_OK) lineup_refuse(c, lineup_why_not(status));
  return status == MMSCAN_OK;
}

static void measure(accuracy *a, size_t i, int input) {
  const race *r = &a->race;
  contender *c = &a->race.contenders[i];
  if (!scan_once(c)) return;
  const exact_error error = exact_measure(&a->exact, r->y);
  a->errors[i][input] = error;
  c->is_wrong = !has_result(r) || !is_possible(r, error.units);
  if (c->is_wrong) snprintf(c->refusal, sizeof c->refusal, "WRONG result of the input '%s'", exact_inputs[input].name);
}

static bool measure_all(accuracy *a) {
  bool timed = true;
  for (int input = 0; input < EXACT_INPUTS && timed; input++) {
    exact_fill(&a->exact, &exact_inputs[input], a->race.number, a->race.n, a->arrays.data);
    for (size_t i = 0; i < a->race.count; i++)
      if (contender_is_timed(&a->race.contenders[i])) measure(a, i, input);
    if (input == TIMED_INPUT) timed = timing_race(&a->race, a->request->rounds);
  }
  return timed;
}

static size_t falls_of(const accuracy *a, size_t i) {
  size_t falls = 0;
  for (int input = 0; input < EXACT_INPUTS; input++) falls += a->errors[i][input].falls;
  return falls;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void print_head(const bench_request *request) {
  char machine[192];
  report_machine(machine, sizeof machine, request);
  printf("mmscan       %s, ISA %s\nmachine      %s\n", mmscan_version(), mmscan_isa(), machine);
  printf("Gelem/s      the median of %d rounds, of the input '%s', out of place\n", request->rounds,
         exact_inputs[TIMED_INPUT].name);
  puts("falls        results that are less than the one before, of all inputs without a negative element");
  for (int i = 0; i < EXACT_INPUTS; i++)
    printf("%-12s %-8s %s\n", i == 0 ? "inputs" : "", exact_inputs[i].name, exact_inputs[i].what);
}

static void print_heading(const accuracy *a) {
  char length[48];
  report_length(a->race.n, length);
  printf("\n%s, %-*s threads  Gelem/s     falls |", a->race.number->name, (int)(21 - strlen(a->race.number->name)),
         length);
  for (int i = 0; i < EXACT_INPUTS; i++) printf(" %8s", exact_inputs[i].name);
  putchar('\n');
}

static void print_errors(const accuracy *a, size_t i, bool in_ulps) {
  for (int input = 0; input < EXACT_INPUTS; input++) {
    const exact_error *e = &a->errors[i][input];
    printf(" %8.3g", in_ulps ? e->ulps : e->units);
  }
  putchar('\n');
}

static void print_rows(const accuracy *a, bool in_ulps) {
  for (size_t i = 0; i < a->race.count; i++) {
    const contender *c = &a->race.contenders[i];
    if (!contender_is_timed(c)) continue;
    if (in_ulps)
      printf("%-26s %4d %8.3f  %8zu |", c->name, c->threads, contender_speed(c), falls_of(a, i));
    else
      printf("%-50s |", c->name);
    print_errors(a, i, in_ulps);
  }
}

static void print_race(const accuracy *a) {
  print_heading(a);
  puts("the largest error, in units in the last place of the exact result");
  print_rows(a, true);
  puts("the same in units of u (|init| + sum |x|): c of the bound in mmscan.h");
  print_rows(a, false);
  for (size_t i = 0; i < a->race.count; i++) {
    const contender *c = &a->race.contenders[i];
    if (!contender_is_timed(c)) print_clean("skipped: %s: %s", c->name, c->refusal);
  }
  fflush(stdout);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *number_json(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *errors_json(const accuracy *a, size_t i) {
  json_t *errors = json_object();
  for (int input = 0; input < EXACT_INPUTS; input++) {
    const exact_error *e = &a->errors[i][input];
    json_t *falls = exact_inputs[input].rises ? json_integer((json_int_t)e->falls) : json_null();
    json_object_set_new(
        errors, exact_inputs[input].name,
        json_pack("{s:o, s:o, s:o}", "ulps", number_json(e->ulps), "c", number_json(e->units), "falls", falls));
  }
  return errors;
}

static json_t *row_json(const accuracy *a, size_t i) {
  const contender *c = &a->race.contenders[i];
  const char *role = c->role == ROLE_LIBRARY ? "mmscan" : c->role == ROLE_LOOP ? "loop" : "peer";
  json_t *row = json_pack("{s:o, s:s, s:i}", "name", json_text(c->name), "role", role, "threads", c->threads);
  json_t *rest = contender_is_timed(c)
                     ? json_pack("{s:f, s:f, s:I, s:o}", "seconds", c->seconds, "gelem_per_second", contender_speed(c),
                                 "falls", (json_int_t)falls_of(a, i), "errors", errors_json(a, i))
                     : json_pack("{s:o}", "skipped", json_text(c->refusal));
  json_object_update_new(row, rest);
  return row;
}

static json_t *race_json(const accuracy *a) {
  json_t *rows = json_array();
  for (size_t i = 0; i < a->race.count; i++) json_array_append_new(rows, row_json(a, i));
  return json_pack("{s:s, s:I, s:f, s:o}", "type", a->race.number->name, "n", (json_int_t)a->race.n, "u",
                   exact_unit(a->race.number), "rows", rows);
}

static json_t *inputs_json(void) {
  json_t *inputs = json_array();
  for (int i = 0; i < EXACT_INPUTS; i++)
    json_array_append_new(inputs, json_pack("{s:s, s:s, s:b}", "name", exact_inputs[i].name, "what",
                                            exact_inputs[i].what, "rises", exact_inputs[i].rises));
  return inputs;
}

static json_t *report(const bench_request *request, json_t *tables) {
  json_t *all = report_json_run(request);
  json_object_update_new(all, json_pack("{s:o, s:O}", "inputs", inputs_json(), "tables", tables));
  return all;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static void judge(accuracy *a) {
  const race *r = &a->race;
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].is_wrong)
      a->verdict = fail("%s, %s, n = %zu: %s", r->contenders[i].name, r->number->name, r->n, r->contenders[i].refusal);
}

static int run_race(accuracy *a, const number *type, size_t n, json_t *tables) {
  const bench_request *request = a->request;
  session_set_race(&a->race, request, type, n, false, &a->arrays);
  lineup_fill_accuracy(&a->race, &a->request->only, request->threads[request->thread_counts - 1]);
  const bool timed = measure_all(a);
  judge(a);
  lineup_free(&a->race);
  if (!timed) return fail_memory();
  if (!request->json) print_race(a);
  json_array_append_new(tables, race_json(a));
  return ferror(stdout) ? fail_stdout() : DONE;
}

/* Exact sums take as much memory again as the arrays, at most. */
static size_t lengths_that_fit(const bench_request *request, const number *type) {
  const number_pair pair = {type, type, request->op};
  size_t count = session_lengths_that_fit(request, type);
  while (count > 0 && !arrays_fit(&pair, 2 * request->lengths[count - 1], false)) {
    count--;
    fail("%s, n = %zu: skipped, as there is not enough memory", type->name, request->lengths[count]);
  }
  return count;
}

static int run_type(accuracy *a, const number *type, json_t *tables) {
  const bench_request *request = a->request;
  const size_t lengths = lengths_that_fit(request, type);
  const number_pair pair = {type, type, request->op};
  if (lengths == 0) return fail("nothing was measured");
  const size_t most = request->lengths[lengths - 1];
  const bool has_sums = exact_make(&a->exact, most), has_arrays = arrays_make(&a->arrays, &pair, most, false);
  int status = has_sums && has_arrays ? DONE : fail_memory();
  for (size_t i = 0; i < lengths && status == DONE; i++) status = run_race(a, type, request->lengths[i], tables);
  arrays_free(&a->arrays);
  exact_free(&a->exact);
  return status;
}

/* Looks at what there is to be measured. */
static int check_names(accuracy *a) {
  const bench_request *request = a->request;
  for (size_t i = 0; i < request->type_count; i++) {
    session_set_race(&a->race, request, request->types[i], 2, false, &a->arrays);
    lineup_fill_accuracy(&a->race, &a->request->only, request->threads[request->thread_counts - 1]);
    lineup_free(&a->race);
  }
  for (size_t i = 0; i < request->only.count; i++)
    if (!request->only.met[i])
      return wrong_usage("bench", "--only: no contender has '%s' in its name", request->only.names[i]);
  return DONE;
}

int accuracy_run(bench_request *request) {
  accuracy *a = calloc(1, sizeof *a);
  if (a == NULL) return fail_memory();
  a->request = request;
  json_t *tables = json_array();
  pages p = PAGES_CLOSED;
  int status = session_check_environment();
  if (status == DONE) status = check_names(a);
  if (status == DONE) status = pages_prepare(&p, request);
  if (status == DONE && !request->json) print_head(request);
  for (size_t i = 0; i < request->type_count && status == DONE; i++) status = run_type(a, request->types[i], tables);
  if (status == DONE) status = pages_make(&p, request, report(request, tables));
  status = pages_close(&p, status);
  if (status == DONE) status = a->verdict;
  json_decref(tables);
  free(a);
  return status;
}
