/* contest_report.c: ranks the units by speed, and reports all of it as JSON. */
#include "contest.h"
#include "json.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* ---- Looking up -------------------------------------------------------------------------------------------------- */

/* A unit's product in one form in a race, or NULL. It may have a refusal. */
static const contender *product_of(const race *r, const bench_unit *unit, product_kind kind) {
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

static double operations(const contender *c) { return c != NULL && c->refusal[0] == '\0' ? contender_flops(c) : 0; }

int contest_threads(const contest *c) { return c->request->threads[c->request->thread_counts - 1]; }

/* ---- The ranking ------------------------------------------------------------------------------------------------- */

/* A row. A pointer is NULL if its contender was not timed. */
typedef struct standing {
  const bench_unit *unit;
  size_t s;                    /* of its scans; 0 if there are none */
  const contender *most, *one; /* its scans on the most and on the fewest threads */
  const contender *product;    /* the fastest in tiles, by columns or by rows, of any s */
  const contender *peak;       /* the one with the most operations a second, on any number of threads */
} standing;

static const contender *faster(const contender *a, const contender *b) {
  if (contest_elements(b) > contest_elements(a)) return b;
  return contest_elements(a) > 0 ? a : NULL;
}

/* The product with the most operations a second. Only plain and chunked gemm count: trmm leaves out half of the
 * operations, and bfloat16 has half the precision. */
static const contender *busier(const race *r, const bench_unit *unit, const contender *best) {
  for (int kind = 0; kind < PRODUCTS; kind++) {
    const contender *p = product_of(r, unit, kind);
    const bool counts = products[kind].form == MMSCAN_PRODUCT_CHUNKED || products[kind].form == MMSCAN_PRODUCT_GEMM;
    if (counts && operations(p) > operations(best)) best = p;
  }
  return best;
}

/* The s of the fastest long scan on the most threads. 0: there is none. */
static size_t fastest_s(const contest *c, const bench_unit *unit) {
  const contender *best = NULL;
  for (int k = 0; k < CONTEST_SIZES; k++)
    best = faster(best, contest_scan(&c->races[CONTEST_SCANS], unit, contest_sizes[k], contest_threads(c)));
  return best != NULL ? best->s : 0;
}

static standing standing_of(const contest *c, const bench_unit *unit) {
  const race *scans = &c->races[CONTEST_SCANS];
  standing s = {.unit = unit};
  if (unit->failure[0] != '\0') return s;
  for (int i = 0; i < CONTEST_SIZES; i++) {
    s.product = faster(s.product, product_of(&c->races[i], unit, PRODUCT_TILES));
    s.product = faster(s.product, product_of(&c->races[i], unit, PRODUCT_TILES_BY_ROWS));
  }
  for (int i = 0; i <= CONTEST_PEAK; i++) s.peak = busier(&c->races[i], unit, s.peak);
  s.s = fastest_s(c, unit);
  if (s.s == 0) return s;
  s.most = faster(NULL, contest_scan(scans, unit, s.s, contest_threads(c)));
  s.one = faster(NULL, contest_scan(scans, unit, s.s, c->request->threads[0]));
  return s;
}

/* A unit that failed ranks behind one that was merely not timed. */
static double merit(const standing *s) { return s->unit->failure[0] != '\0' ? -1 : contest_elements(s->most); }

static int faster_first(const void *a, const void *b) {
  const double x = merit(a), y = merit(b);
  return (x < y) - (x > y);
}

/* ---- As JSON ----------------------------------------------------------------------------------------------------- */

json_t *contest_settings(void) {
  static const char *const prefixes[] = {"MMSCAN_",  "OPENBLAS_", "GOTO_", "MKL_", "BLIS_",           "ARMPL_",
                                         "LIBXSMM_", "OMP_",      "GOMP_", "KMP_", "LD_LIBRARY_PATH", "LD_PRELOAD"};
  return json_environment(prefixes, sizeof prefixes / sizeof *prefixes);
}

static json_t *or_null(double value) { return value > 0 ? json_real(value) : json_null(); }

/* Why a unit's products in one form were timed at no s; "timed" if they were at some, NULL if there are none. */
static const char *state_of(const contest *c, const bench_unit *unit, product_kind kind) {
  const contender *p = product_of(&c->races[0], unit, kind);
  for (int i = 1; i < CONTEST_SIZES && contest_elements(p) == 0; i++) p = product_of(&c->races[i], unit, kind);
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
  const double alone = contest_elements(product_of(r, unit, PRODUCT_WHOLE_ONE_THREAD));
  return alone > 0 ? contest_elements(product_of(r, unit, PRODUCT_WHOLE)) / alone : 0;
}

static json_t *standing_json(const contest *c, const standing *s) {
  const bench_unit *unit = s->unit;
  const bool failed = unit->failure[0] != '\0';
  json_t *row = json_pack("{s:o, s:o, s:o, s:o, s:i, s:o}", "label", json_text(unit->label), "unit",
                          json_text(unit->name), "library", json_text(unit->part.library), "version",
                          json_text(unit->part.version), "threads", unit->threads, "forms", states_of(c, unit));
  if (failed) json_object_set_new(row, "failed", json_text(unit->failure));
  if (!failed && s->s == 0) json_object_set_new(row, "skipped", json_text(scan_refusal(c, unit)));
  json_object_set_new(row, "s", s->s != 0 ? json_integer((json_int_t)s->s) : json_null());
  json_object_set_new(row, "gelem_per_second", or_null(contest_elements(s->most)));
  json_object_set_new(row, "of_bound", or_null(s->most != NULL ? report_of_bound(s->most) : 0));
  json_object_set_new(row, "fewest_threads_gelem_per_second", or_null(contest_elements(s->one)));
  json_object_set_new(row, "product_gelem_per_second", or_null(contest_elements(s->product)));
  json_object_set_new(row, "peak_gflop_per_second", or_null(operations(s->peak)));
  json_object_set_new(row, "gain_of_own_threads", or_null(failed ? 0 : gain_of_threads(c, unit)));
  return row;
}

static json_t *ranking(const contest *c) {
  json_t *list = json_array();
  standing rows[MOST_UNITS] = {{.unit = NULL}};
  for (size_t i = 0; i < c->list.count; i++) rows[i] = standing_of(c, &c->list.units[i]);
  qsort(rows, c->list.count, sizeof *rows, faster_first);
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
