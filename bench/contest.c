/* contest.c: what one call of `mmscan bench --units` does. */
#include "contest.h"
#include "message.h"
#include "pages.h"
#include "timing.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

const size_t contest_sizes[CONTEST_SIZES] = {2, 4, 8, 16, 32, 64, 128};

/* Elements, unless the request is shorter: products too large for a core's own caches; products limited by arithmetic
 * and not by memory; and scans long enough to compare. */
enum { PRODUCT_LENGTH = 1 << 22, PEAK_LENGTH = 1 << 19, CHOICE_LENGTH = 1 << 20, PEAK_S = MMSCAN_MAX_S };

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* bfloat16 is the upper half of a float. The whole numbers here are small enough to lose nothing. */
static uint16_t *make_bf16(const contest *c, size_t n) {
  const uint32_t *bits = c->races->data;
  uint16_t *half = malloc(n * sizeof *half);
  for (size_t i = 0; half != NULL && i < n; i++) half[i] = (uint16_t)(bits[i] >> 16);
  return half;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* n rounded down to whole columns of s, but at least one column. */
static size_t whole_columns(size_t n, size_t s) { return n < s ? s : n / s * s; }

/* Arrays are long enough for the products even if the request is shorter. */
static size_t array_length(size_t n) { return n < PEAK_S ? PEAK_S : n; }

static void set_races(contest *c, size_t n) {
  const arrays *a = &c->arrays;
  for (int i = 0; i < CONTEST_RACES; i++)
    c->races[i] = (race){.number = c->number,
                         .to = c->number,
                         .op = MMSCAN_PLUS,
                         .n = n,
                         .stride = 1,
                         .data = a->data,
                         .x = a->data,
                         .y = a->y};
  for (int i = 0; i < CONTEST_SIZES; i++) {
    c->races[i].s = contest_sizes[i];
    c->races[i].n = whole_columns(least(n, PRODUCT_LENGTH), contest_sizes[i]);
  }
  c->races[CONTEST_PEAK].s = PEAK_S;
  c->races[CONTEST_PEAK].n = whole_columns(least(n, PEAK_LENGTH), PEAK_S);
  c->races[CONTEST_CHOICE].n = least(n, CHOICE_LENGTH);
}

static bool make_memory(contest *c, size_t n) {
  const number_pair pair = {c->number, c->number, MMSCAN_PLUS};
  if (!arrays_make(&c->arrays, &pair, array_length(n), false)) return false;
  set_races(c, n);
  if (c->number->type != MMSCAN_F32) return true;
  c->bf16 = make_bf16(c, array_length(least(n, PRODUCT_LENGTH)));
  for (int i = 0; i < CONTEST_RACES; i++) c->races[i].bf16 = c->bf16;
  return c->bf16 != NULL;
}

static void free_memory(contest *c) {
  for (int i = 0; i < CONTEST_RACES; i++) lineup_free(&c->races[i]);
  arrays_free(&c->arrays);
  free(c->bf16);
  free(c->races);
}

/* ---- Contenders of each race ------------------------------------------------------------------------------------- */

static void fill_products(contest *c, race *r) {
  const bench_request *request = c->request;
  lineup_add_measures(r, request->threads, request->thread_counts);
  for (size_t i = 0; i < c->list.count; i++)
    for (int kind = 0; kind < PRODUCTS && c->list.units[i].failure[0] == '\0'; kind++)
      product_add(r, &c->list.units[i], kind);
}

static void fill_peak(contest *c) {
  race *r = &c->races[CONTEST_PEAK];
  lineup_add_measures(r, c->request->threads, c->request->thread_counts);
  for (size_t i = 0; i < c->list.count; i++) {
    if (c->list.units[i].failure[0] != '\0') continue;
    product_add(r, &c->list.units[i], PRODUCT_WHOLE);
    product_add(r, &c->list.units[i], PRODUCT_WHOLE_ONE_THREAD);
  }
}

static void fill_choice(contest *c) {
  race *r = &c->races[CONTEST_CHOICE];
  const int one = 1;
  lineup_add_measures(r, &one, 1);
  for (size_t i = 0; i < c->list.count; i++)
    for (int k = 0; k < CONTEST_SIZES && c->list.units[i].failure[0] == '\0'; k++)
      lineup_add_gemm(r, &c->list.units[i], contest_sizes[k], 1);
}

/* The s of the fastest short scan, `but` excepted; 0: there is none. Scans are compared by their fastest rounds, so
 * that one disturbed by other programs does not count as slow. */
static size_t best_s(const contest *c, const bench_unit *unit, size_t but) {
  const contender *best = NULL;
  for (int k = 0; k < CONTEST_SIZES; k++) {
    const contender *scan = contest_scan(&c->races[CONTEST_CHOICE], unit, contest_sizes[k], 1);
    const bool counts = contest_elements(scan) > 0 && scan->s != but;
    if (counts && (best == NULL || scan->fastest < best->fastest)) best = scan;
  }
  return best != NULL ? best->s : 0;
}

/* With the two s whose short scans are fastest, one of which is not 2; beside the library's own kernels. */
static void fill_scans(contest *c) {
  race *r = &c->races[CONTEST_SCANS];
  const bench_request *request = c->request;
  lineup_add_measures(r, request->threads, request->thread_counts);
  for (size_t k = 0; k < request->thread_counts; k++) lineup_add_engine(r, "simd", request->threads[k]);
  for (size_t i = 0; i < c->list.count; i++) {
    const size_t first = best_s(c, &c->list.units[i], 0), s[] = {first, best_s(c, &c->list.units[i], first)};
    for (size_t k = 0; k < 2 * request->thread_counts; k++)
      if (s[k % 2] != 0) lineup_add_gemm(r, &c->list.units[i], s[k % 2], request->threads[k / 2]);
  }
}

/* ---- Results that are right -------------------------------------------------------------------------------------- */

static void keep_failure(contest *c, const race *r, const contender *wrong) {
  if (wrong->unit == NULL) {
    c->status = fail("%s: %s", wrong->name, wrong->refusal);
    return;
  }
  char reason[sizeof c->list.units[0].failure + 32]; /* units_fail() cuts what is too long */
  const char *how = r->s != 0 ? products[wrong->form].name : "scan";
  snprintf(reason, sizeof reason, "%s, s = %zu: %s", how, wrong->s, wrong->refusal);
  for (size_t i = 0; i < c->list.count; i++)
    if (&c->list.units[i] == wrong->unit) units_fail(&c->list.units[i], reason);
}

/* A unit with a wrong result anywhere is not timed from then on. */
static void check(contest *c, int race_index) {
  race *r = &c->races[race_index];
  timing_check(r);
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].is_wrong) keep_failure(c, r, &r->contenders[i]);
}

static void bar_failed(race *r) {
  for (size_t i = 0; i < r->count; i++) {
    contender *c = &r->contenders[i];
    if (c->unit != NULL && c->unit->failure[0] != '\0' && c->refusal[0] == '\0')
      snprintf(c->refusal, sizeof c->refusal, "the unit failed");
  }
}

static bool time_race(contest *c, int race_index) {
  bar_failed(&c->races[race_index]);
  return timing_race(&c->races[race_index], c->request->rounds);
}

/* ---- The contest ------------------------------------------------------------------------------------------------- */

/* All products and the short scans are checked before anything is timed. */
static int hold(contest *c) {
  for (int i = 0; i < CONTEST_SIZES; i++) fill_products(c, &c->races[i]);
  fill_peak(c);
  fill_choice(c);
  for (int i = 0; i < CONTEST_SCANS; i++) check(c, i);
  for (int i = 0; i < CONTEST_SCANS; i++)
    if (!time_race(c, i)) return fail_memory();
  fill_scans(c);
  check(c, CONTEST_SCANS);
  return time_race(c, CONTEST_SCANS) ? DONE : fail_memory();
}

/* The requested length; or else the longest, up to the last default length, for which there is memory. */
static int choose_length(const bench_request *request, size_t *n) {
  enum { MOST_LOG2 = 26 };
  const number_pair pair = {request->types[0], request->types[0], MMSCAN_PLUS};
  *n = request->length_count > 0 ? request->lengths[0] : (size_t)1 << MOST_LOG2;
  while (request->length_count == 0 && *n > PRODUCT_LENGTH && !arrays_fit(&pair, *n, false)) *n /= 2;
  return arrays_fit(&pair, array_length(*n), false) ? DONE : fail("n = %zu: there is not enough memory", *n);
}

/* Reports the units that failed. This comes last: the files are written all the same. */
static int status_of(const contest *c) {
  int status = c->status;
  for (size_t i = 0; i < c->list.count; i++)
    if (c->list.units[i].failure[0] != '\0') status = fail("%s: %s", c->list.units[i].name, c->list.units[i].failure);
  return status;
}

static bool is_any_left(const contest *c) {
  size_t i = 0;
  while (i < c->list.count && c->list.units[i].failure[0] != '\0') i++;
  return i < c->list.count;
}

static int run(contest *c, pages *p) {
  size_t n;
  if (choose_length(c->request, &n) != DONE) return FAILED;
  c->races = calloc(CONTEST_RACES, sizeof *c->races);
  if (c->races == NULL) return fail_memory();
  if (!c->request->json && !c->request->csv) units_print(&c->list);
  int status = make_memory(c, n) ? hold(c) : fail_memory();
  if (status == DONE) status = pages_make(p, c->request, contest_report(c));
  free_memory(c);
  return status;
}

int contest_run(bench_request *request) {
  pages p = PAGES_CLOSED;
  contest c = {.request = request, .number = request->types[0], .settings = contest_settings()};
  int status = session_check_environment();
  if (status == DONE) status = pages_prepare(&p, request);
  if (status == DONE) status = units_open(&c.list, request->unit_names, contest_threads(&c));
  if (status == DONE) status = is_any_left(&c) ? run(&c, &p) : status_of(&c);
  status = pages_close(&p, status);
  if (status == DONE) status = status_of(&c);
  units_close(&c.list);
  json_decref(c.settings);
  return status;
}

int contest_list(bench_request *request) {
  contest c = {.request = request};
  int status = session_check_environment();
  if (status == DONE) status = units_open(&c.list, request->unit_names, contest_threads(&c));
  if (status == DONE) units_print(&c.list);
  if (status == DONE) status = status_of(&c);
  units_close(&c.list);
  return status;
}
