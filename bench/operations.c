/* operations.c: what one call of `mmscan bench --operation` does. */
#include "element.h"
#include "json.h"
#include "message.h"
#include "numpy.h"
#include "operation.h"
#include "report.h"
#include "session.h"
#include "stdout.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

static const operation *const table[] = {&operation_segments,   &operation_starts, &operation_decay,
                                         &operation_recurrence, &operation_filter, &operation_integral,
                                         &operation_custom};

const operation *operation_at(size_t index) { return index < sizeof table / sizeof *table ? table[index] : NULL; }

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void print_head(const bench_request *request) {
  char machine[192];
  report_machine(machine, sizeof machine, request);
  printf("mmscan       %s, ISA %s\nmachine      %s\n", mmscan_version(), mmscan_isa(), machine);
  printf("operation    %s: %s\n", request->operation->name, request->operation->what);
  printf("Gelem/s      elements of x, the median of %d rounds\n", request->rounds);
}

/* Of the speed of copying the same bytes by as many threads. */
static double of_bound(const race *r, const contender *c) { return lineup_bound(r, c->threads)->seconds / c->seconds; }

static void print_race(const race *r) {
  printf("\n%s", r->number->name);
  if (race_converts(r)) printf(" to %s", r->to->name);
  printf(",");
  for (size_t i = 0; i < r->shape->rank; i++) printf("%s%zu", i == 0 ? " " : " x ", r->shape->sizes[i]);
  printf("\n%-32s threads |       ms  Gelem/s  of bound\n", "");
  for (size_t i = 0; i < r->count; i++) {
    const contender *c = &r->contenders[i];
    if (c->refusal[0] != '\0')
      print_clean("skipped: %s: %s", c->name, c->refusal);
    else
      printf("%-32s %7d | %8.3f %8.3f %9.2f\n", c->name, c->threads, 1e3 * c->seconds, contender_speed(c),
             of_bound(r, c));
  }
  fflush(stdout);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *row_json(const race *r, const contender *c) {
  json_t *row = json_pack("{s:o, s:i}", "name", json_text(c->name), "threads", c->threads);
  json_t *rest = c->refusal[0] != '\0' ? json_pack("{s:o}", "skipped", json_text(c->refusal))
                                       : json_pack("{s:f, s:f, s:f}", "seconds", c->seconds, "gelem_per_second",
                                                   contender_speed(c), "of_bound", of_bound(r, c));
  json_object_update_new(row, rest);
  return row;
}

static json_t *race_json(const race *r) {
  json_t *rows = json_array(), *shape = json_array();
  for (size_t i = 0; i < r->count; i++) json_array_append_new(rows, row_json(r, &r->contenders[i]));
  for (size_t i = 0; i < r->shape->rank; i++)
    json_array_append_new(shape, json_integer((json_int_t)r->shape->sizes[i]));
  return json_pack("{s:s, s:s, s:o, s:o}", "type", r->number->name, "to", r->to->name, "shape", shape, "rows", rows);
}

static int report(const bench_request *request, json_t *tables) {
  json_t *all = report_json_run(request);
  json_object_update_new(all, json_pack("{s:s, s:O}", "operation", request->operation->name, "tables", tables));
  return print_json(all);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static int status_of(const race *r) {
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].is_wrong) return fail("%s: %s", r->contenders[i].name, r->contenders[i].refusal);
  return DONE;
}

static int run_race(race *r, bench_request *request, json_t *tables) {
  const operation *o = request->operation;
  lineup_add_bounds(r, request->threads, request->thread_counts);
  o->add_alone(r, &request->only);
  for (size_t i = 0; i < request->thread_counts; i++) o->add(r, &request->only, request->threads[i]);
  timing_check(r);
  const bool timed = timing_race(r, request->rounds);
  lineup_free(r);
  if (!timed) return fail_memory();
  if (tables != NULL)
    json_array_append_new(tables, race_json(r));
  else
    print_race(r);
  return ferror(stdout) ? fail_stdout() : status_of(r);
}

static int run_type(race *r, bench_request *request, const number *type, json_t *tables) {
  const operation *o = request->operation;
  const number_pair pair = {type, request->to != NULL ? request->to : type, MMSCAN_PLUS};
  const size_t n = request->lengths[0], room = o->room != NULL ? o->room(&request->shape) : n;
  arrays a;
  void *beside = NULL;
  if (!arrays_fit(&pair, room, false)) return fail_memory();
  int status = arrays_make(&a, &pair, room, false) ? DONE : fail_memory();
  if (status == DONE) {
    session_set_race(r, request, type, n, false, &a);
    if (o->fill != NULL) o->fill(n, a.data);
    beside = o->beside != NULL ? o->beside(r, &r->beside_bytes) : NULL;
    r->beside = beside;
    status = beside != NULL || o->beside == NULL ? run_race(r, request, tables) : fail_memory();
  }
  free(beside);
  arrays_free(&a);
  return status;
}

int operations_run(bench_request *request) {
  race *r = calloc(1, sizeof *r);
  if (r == NULL) return fail_memory();
  json_t *tables = request->json ? json_array() : NULL;
  int status = session_check_environment();
  if (status == DONE && tables == NULL) print_head(request);
  for (size_t i = 0; i < request->type_count && status == DONE; i++)
    status = run_type(r, request, request->types[i], tables);
  if (status == DONE && tables != NULL) status = report(request, tables);
  json_decref(tables);
  numpy_end();
  free(r);
  return status;
}
