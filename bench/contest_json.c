/* contest_json.c: a contest as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "contest_report.h"
#include "json.h"
#include "peer.h"
#include "settings.h"

json_t *contest_settings(void) {
  static const char *const prefixes[] = {"MMSCAN_",  "OPENBLAS_", "GOTO_", "MKL_", "BLIS_",           "ARMPL_",
                                         "LIBXSMM_", "OMP_",      "GOMP_", "KMP_", "LD_LIBRARY_PATH", "LD_PRELOAD"};
  return settings_that_begin(prefixes, sizeof prefixes / sizeof *prefixes);
}

static json_t *or_null(const contender *c, double value) { return c != NULL ? json_real(value) : json_null(); }

static json_t *forms_of(const contest *c, const bench_unit *unit) {
  json_t *list = json_object();
  for (int kind = 0; kind < PRODUCTS; kind++) {
    const char *refusal = contest_refusal(c, unit, kind);
    if (refusal != NULL) json_object_set_new(list, products[kind].name, json_string(refusal[0] ? refusal : "timed"));
  }
  return list;
}

static json_t *standing_json(const contest *c, const standing *s) {
  const bench_unit *unit = s->unit;
  const contender *last = s->scans[c->request->thread_counts - 1], *one = s->scans[0];
  json_t *row = json_pack("{s:o, s:o, s:o, s:o, s:i, s:o}", "label", json_text(unit->label), "unit",
                          json_text(unit->name), "library", json_text(unit->part.library), "version",
                          json_text(unit->part.version), "threads", unit->threads, "forms", forms_of(c, unit));
  if (unit->failure[0] != '\0') json_object_set_new(row, "failed", json_text(unit->failure));
  if (s->refusal != NULL) json_object_set_new(row, "skipped", json_text(s->refusal));
  json_object_set_new(row, "s", s->s != 0 ? json_integer((json_int_t)s->s) : json_null());
  json_object_set_new(row, "gelem_per_second", or_null(last, contest_elements(last)));
  json_object_set_new(row, "of_bound", last != NULL ? json_real(report_of_bound(last)) : json_null());
  json_object_set_new(row, "fewest_threads_gelem_per_second", or_null(one, contest_elements(one)));
  json_object_set_new(row, "product_gelem_per_second", or_null(s->product, contest_elements(s->product)));
  json_object_set_new(row, "peak_gflop_per_second", or_null(s->peak, contest_operations(s->peak)));
  json_object_set_new(row, "gain_of_own_threads", s->gain > 0 ? json_real(s->gain) : json_null());
  return row;
}

static json_t *ranking(const contest *c) {
  json_t *list = json_array();
  for (size_t i = 0; i < c->list.count; i++) json_array_append_new(list, standing_json(c, &c->ranking[i]));
  return list;
}

static json_t *forms(void) {
  json_t *list = json_array();
  for (const product *p = products; p < products + PRODUCTS; p++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", p->name, "description", p->description));
  return list;
}

json_t *contest_json(const contest *c) {
  json_t *all = report_json_run(c->request);
  json_object_update_new(all, json_pack("{s:O, s:o, s:o, s:I, s:o, s:o}", "settings", c->settings, "command",
                                        json_text(c->request->command), "forms", forms(), "n",
                                        (json_int_t)c->races[CONTEST_SCANS].n, "ranking", ranking(c), "tables",
                                        report_json_races(c->races, CONTEST_RACES)));
  return all;
}
