/* contest_report.c: reports a contest as JSON. */
#include "contest.h"
#include "json.h"
#include "report.h"
#include "standing.h"

#include <string.h>

/* ---- Looking up -------------------------------------------------------------------------------------------------- */

const contender *contest_product(const race *r, const bench_unit *unit, product_kind kind) {
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].unit == unit && r->contenders[i].form == (int)kind) return &r->contenders[i];
  return NULL;
}

const contender *contest_scan(const race *r, const bench_unit *unit, size_t s, int threads) {
  for (size_t i = 0; i < r->count; i++) {
    const contender *c = &r->contenders[i];
    if (c->unit == unit && c->threads == threads && c->s == s) return c;
  }
  return NULL;
}

double contest_elements(const contender *c) { return c != NULL && c->refusal[0] == '\0' ? contender_speed(c) : 0; }

int contest_threads(const contest *c) { return c->request->threads[c->request->thread_counts - 1]; }

/* ---- As JSON ----------------------------------------------------------------------------------------------------- */

json_t *contest_settings(void) {
  static const char *const prefixes[] = {"MMSCAN_",  "OPENBLAS_", "GOTO_", "MKL_", "BLIS_",           "ARMPL_",
                                         "LIBXSMM_", "OMP_",      "GOMP_", "KMP_", "LD_LIBRARY_PATH", "LD_PRELOAD"};
  return json_environment(prefixes, sizeof prefixes / sizeof *prefixes);
}

static json_t *or_null(double value) { return value > 0 ? json_real(value) : json_null(); }

/* Why a unit's products in one form were timed at no s; "timed" if they were at some, NULL if there are none. */
static const char *state_of(const contest *c, const bench_unit *unit, product_kind kind) {
  const contender *p = contest_product(&c->races[0], unit, kind);
  for (int i = 1; i < CONTEST_SIZES && contest_elements(p) == 0; i++) p = contest_product(&c->races[i], unit, kind);
  return p == NULL ? NULL : p->refusal[0] != '\0' ? p->refusal : "timed";
}

static json_t *states_of(const contest *c, const bench_unit *unit) {
  json_t *list = json_object();
  for (int kind = 0; kind < PRODUCTS; kind++) {
    const char *state = state_of(c, unit, kind);
    if (state != NULL) json_object_set_new(list, products[kind].name, json_text(state));
  }
  return list;
}

static const char *scan_refusal(const contest *c, const bench_unit *unit) {
  for (int race_index = CONTEST_SCANS; race_index >= CONTEST_CHOICE; race_index--) {
    const race *r = &c->races[race_index];
    for (size_t i = 0; i < r->count; i++)
      if (r->contenders[i].unit == unit && r->contenders[i].refusal[0] != '\0') return r->contenders[i].refusal;
  }
  return "not timed";
}

/* Of the largest products, which give threads the most to do; 0: not known. */
static double gain_of_threads(const contest *c, const bench_unit *unit) {
  const race *r = &c->races[CONTEST_PEAK];
  const double alone = contest_elements(contest_product(r, unit, PRODUCT_WHOLE_ONE_THREAD));
  return alone > 0 ? contest_elements(contest_product(r, unit, PRODUCT_WHOLE)) / alone : 0;
}

/* Into the object of a unit, or one in it. */
static void put_placing(json_t *to, const placing *p) {
  json_object_set_new(to, "rank", p->rank != 0 ? json_integer((json_int_t)p->rank) : json_null());
  json_object_set_new(to, "s", p->s != 0 ? json_integer((json_int_t)p->s) : json_null());
  json_object_set_new(to, "gelem_per_second", or_null(contest_elements(p->most)));
  json_object_set_new(to, "of_bound", or_null(p->most != NULL ? report_of_bound(p->most) : 0));
  json_object_set_new(to, "fewest_threads_gelem_per_second", or_null(contest_elements(p->one)));
  json_object_set_new(to, "product_gelem_per_second", or_null(contest_elements(p->product)));
}

static json_t *standing_json(const contest *c, const standing *s) {
  const bench_unit *unit = s->unit;
  const bool failed = unit->failure[0] != '\0';
  json_t *row = json_pack("{s:o, s:o, s:o, s:o, s:i, s:o}", "label", json_text(unit->label), "unit",
                          json_text(unit->name), "library", json_text(unit->part.library), "version",
                          json_text(unit->part.version), "threads", unit->threads, "forms", states_of(c, unit));
  json_t *multiplied = json_object();
  if (failed) json_object_set_new(row, "failed", json_text(unit->failure));
  if (!failed && s->all.s == 0) json_object_set_new(row, "skipped", json_text(scan_refusal(c, unit)));
  put_placing(row, &s->all);
  put_placing(multiplied, &s->multiplied);
  json_object_set_new(row, "multiplied", multiplied);
  json_object_set_new(row, "peak_gflop_per_second", or_null(s->peak != NULL ? contender_flops(s->peak) : 0));
  json_object_set_new(row, "gain_of_own_threads", or_null(failed ? 0 : gain_of_threads(c, unit)));
  return row;
}

static json_t *ranking(const contest *c) {
  json_t *list = json_array();
  standing rows[MOST_UNITS] = {{.unit = NULL}};
  standing_rank(c, rows);
  for (size_t i = 0; i < c->list.count; i++) json_array_append_new(list, standing_json(c, &rows[i]));
  return list;
}

json_t *contest_report(const contest *c) {
  json_t *all = report_json_run(c->request);
  json_object_update_new(all, json_pack("{s:O, s:o, s:I, s:o, s:o}", "settings", c->settings, "command",
                                        json_text(c->request->command), "n", (json_int_t)c->races[CONTEST_SCANS].n,
                                        "ranking", ranking(c), "tables", report_json_races(c->races, CONTEST_RACES)));
  return all;
}
