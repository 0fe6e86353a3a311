/* report_json.c: a session as JSON. */
#include "element.h"
#include "json.h"
#include "machine.h"
#include "numpy.h"
#include "peer.h"
#include "product.h"
#include "report.h"

#include <jansson.h>
#include <stdio.h>

static const char *work_of(const race *r) { return r->s != 0 ? "product" : "scan"; }

static const char *role_of(const contender *c) {
  static const char *const roles[] = {[ROLE_BOUND] = "bound",
                                      [ROLE_COPY] = "copy",
                                      [ROLE_LOOP] = "loop",
                                      [ROLE_LIBRARY] = "mmscan",
                                      [ROLE_PEER] = "peer"};
  return roles[c->role];
}

static const char *form_of(const contender *c) {
  return c->race->s != 0 && c->unit != NULL ? products[c->form].name : NULL;
}

static json_t *row(const contender *c) {
  json_t *r = json_pack("{s:o, s:s, s:i}", "name", json_text(c->name), "role", role_of(c), "threads", c->threads);
  if (form_of(c) != NULL) json_object_set_new(r, "form", json_string(form_of(c)));
  if (c->s != 0) json_object_set_new(r, "s", json_integer((json_int_t)c->s));
  if (c->refusal[0] != '\0') {
    json_object_set_new(r, "skipped", json_text(c->refusal));
    return r;
  }
  json_object_set_new(r, "seconds", json_real(c->seconds));
  json_object_set_new(r, "fastest_seconds", json_real(c->fastest));
  json_object_set_new(r, "first_quartile_seconds", json_real(c->quartile[0]));
  json_object_set_new(r, "third_quartile_seconds", json_real(c->quartile[1]));
  json_object_set_new(r, "gelem_per_second", json_real(contender_speed(c)));
  if (form_of(c) != NULL) json_object_set_new(r, "gflop_per_second", json_real(contender_flops(c)));
  const double of_bound = report_of_bound(c);
  json_object_set_new(r, "of_bound", of_bound > 0 ? json_real(of_bound) : json_null());
  json_object_set_new(r, "times_serial", json_real(report_times_serial(c)));
  return r;
}

/* Of a plain scan there is none. */
static json_t *count_json(size_t count) { return count != 0 ? json_integer((json_int_t)count) : json_null(); }

static void add_description(const race *r, json_t *table) {
  char shape[REPORT_TITLE];
  json_object_set_new(table, "to", json_string(r->to->name));
  json_object_set_new(table, "indices", json_boolean(r->indices != NULL));
  if (r->shape == NULL) return;
  report_shape(r->shape, shape);
  json_object_set_new(table, "shape", json_string(shape));
  json_object_set_new(table, "axis", json_integer((json_int_t)r->shape->axis));
}

static json_t *table(const race *r) {
  json_t *rows = json_array();
  for (size_t i = 0; i < r->count; i++) json_array_append_new(rows, row(&r->contenders[i]));
  json_t *row_length = count_json(r->shape == NULL ? r->row : 0);
  json_t *handoff = r->handoff > 0 ? json_real(r->handoff) : json_null();
  json_t *columns = count_json(r->shape == NULL ? r->columns : 0);
  json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:I, s:o, s:o}", "work", work_of(r), "type",
                          r->number->name, "op", element_operator_name(r->op), "place", r->in_place ? "in" : "out", "n",
                          (json_int_t)r->n, "row", row_length, "columns", columns, "stride", (json_int_t)r->stride,
                          "handoff_seconds", handoff, "rows", rows);
  add_description(r, all);
  return all;
}

json_t *report_json_races(const race *races, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, table(&races[i]));
  return list;
}

json_t *report_json_machine(void) {
  json_t *caches = json_array();
  for (int level = 1; level <= CACHE_LEVELS; level++)
    json_array_append_new(caches, json_integer((json_int_t)machine_cache(level)));
  return json_pack("{s:s, s:i, s:o}", "cpu", mmscan_cpu(), "threads", mmscan_threads(), "caches", caches);
}

static json_t *peers(void) {
  json_t *list = json_array();
  const peer *p;
  for (size_t i = 0; (p = peers_at(i)) != NULL; i++)
    json_array_append_new(list, json_pack("{s:s, s:s?}", "name", p->name, "built", p->built));
  return list;
}

json_t *report_json_run(const bench_request *request) {
  json_t *threads = json_array();
  for (size_t i = 0; i < request->thread_counts; i++) json_array_append_new(threads, json_integer(request->threads[i]));
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:i}", "version", mmscan_version(), "built", PEER_BUILT, "isa",
                   mmscan_isa(), "machine", report_json_machine(), "threads", threads, "rounds", request->rounds);
}

json_t *report_json(const session *s) {
  json_t *all = report_json_run(s->request);
  json_t *memory = s->memory >= 0 ? json_real(s->memory) : json_null();
  json_object_update_new(all,
                         json_pack("{s:s?, s:o, s:o, s:o}", "numpy", numpy_version(), "peers", peers(),
                                   "memory_mib_per_thread", memory, "tables", report_json_races(s->races, s->count)));
  return all;
}
