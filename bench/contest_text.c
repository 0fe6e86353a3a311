/* contest_text.c: a contest as text, on standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "contest_report.h"
#include "message.h"

#include <jansson.h>
#include <string.h>

/* Characters before the columns of numbers: of products, the unit and the form; of the ranking, the rank, the unit, s
 * and three numbers. */
enum { PRODUCT_HEAD = UNIT_LABEL + 17, RANKING_HEAD = 5 + UNIT_LABEL + 5 + 3 * 8 };

/* ---- The heading ------------------------------------------------------------------------------------------------- */

static void print_clean(const char *what, const char *text) {
  fputs(what, stdout);
  put_clean(stdout, text);
}

static void print_unit(const bench_unit *unit) {
  printf("%-*s", UNIT_LABEL, unit->label);
  if (unit->failure[0] != '\0') {
    print_clean(" failed: ", unit->failure);
    putchar('\n');
    return;
  }
  print_clean(" ", unit->part.library != NULL ? unit->part.library : unit->part.description);
  if (unit->part.version != NULL) print_clean(", ", unit->part.version);
  if (unit->threads > 0) printf(", %d thread%s", unit->threads, unit->threads == 1 ? "" : "s");
  putchar('\n');
}

void contest_print_units(const contest *c) {
  for (size_t i = 0; i < c->list.count; i++) print_unit(&c->list.units[i]);
}

static void print_settings(const contest *c) {
  const char *title = "settings";
  for (void *i = json_object_iter(c->settings); i != NULL; i = json_object_iter_next(c->settings, i)) {
    printf("%-12s %s=", title, json_object_iter_key(i));
    put_clean(stdout, json_string_value(json_object_iter_value(i)));
    putchar('\n');
    title = "";
  }
  if (json_object_size(c->settings) == 0) puts("settings     none that a unit reads");
}

void contest_print_head(const contest *c, size_t n) {
  char length[48];
  report_machine_lines(c->request);
  print_settings(c);
  printf("threads      a unit's own are set to %d for products in one call, where possible\n", contest_threads(c));
  report_times_line(c->request);
  report_length(n, length);
  printf("scans        %s, %s, out of place\n\n", c->number->name, length);
  contest_print_units(c);
  fflush(stdout);
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

typedef double measure(const contender *c);

static void print_value(double value) {
  if (value > 0)
    report_number(value);
  else
    printf(" %7s", "-");
}

static void print_row(const contest *c, const bench_unit *unit, product_kind kind, measure *value) {
  const char *refusal = contest_refusal(c, unit, kind);
  if (refusal == NULL || refusal[0] != '\0') return;
  printf("%-*s %-16s", UNIT_LABEL, unit->label, products[kind].name);
  for (int i = 0; i < CONTEST_SIZES; i++) print_value(value(contest_product(&c->races[i], unit, kind)));
  putchar('\n');
}

static void print_table(const contest *c, const char *heading, measure *value) {
  printf("\n%-*s", PRODUCT_HEAD, heading);
  for (int i = 0; i < CONTEST_SIZES; i++) printf("  s =%4zu", contest_sizes[i]);
  putchar('\n');
  for (size_t i = 0; i < c->list.count; i++)
    for (int kind = 0; kind < PRODUCTS; kind++) print_row(c, &c->list.units[i], kind, value);
}

static void print_measure(const contest *c, const char *name, const contender *(*find)(const race *r)) {
  printf("%-*s", PRODUCT_HEAD, name);
  for (int i = 0; i < CONTEST_SIZES; i++) print_value(contest_elements(find(&c->races[i])));
  putchar('\n');
}

static const contender *copy_on_one(const race *r) { return lineup_bound(r, 1); }

static bool has_reason(const contest *c, const bench_unit *unit, int kind, const char *reason) {
  const char *refusal = contest_refusal(c, unit, kind);
  return refusal != NULL && strcmp(refusal, reason) == 0;
}

/* Whether an earlier form has the same reason, and was printed with it. */
static bool is_told(const contest *c, const bench_unit *unit, int kind, const char *reason) {
  for (int i = 0; i < kind; i++)
    if (has_reason(c, unit, i, reason)) return true;
  return false;
}

static void print_reason(const contest *c, const bench_unit *unit, int kind, const char *reason) {
  printf("%-*s %s", UNIT_LABEL, unit->label, products[kind].name);
  for (int i = kind + 1; i < PRODUCTS; i++)
    if (has_reason(c, unit, i, reason)) printf("; %s", products[i].name);
  print_clean(": ", reason);
  putchar('\n');
}

/* Forms that were timed at some sizes are in the tables. */
static void print_missing(const contest *c) {
  const char *heading = "\nForms that were not timed:\n";
  for (size_t i = 0; i < c->list.count; i++)
    for (int kind = 0; kind < PRODUCTS && c->list.units[i].failure[0] == '\0'; kind++) {
      const bench_unit *unit = &c->list.units[i];
      const char *reason = contest_refusal(c, unit, kind);
      if (reason == NULL || reason[0] == '\0' || is_told(c, unit, kind, reason)) continue;
      fputs(heading, stdout);
      heading = "";
      print_reason(c, unit, kind, reason);
    }
}

/* The lengths of the products. They are whole columns, so those of a short request depend on s. */
static void product_length(const contest *c, char text[80]) {
  size_t least = c->races[0].n, most = least;
  for (int i = 1; i < CONTEST_SIZES; i++) {
    const size_t n = c->races[i].n;
    if (n < least) least = n;
    if (n > most) most = n;
  }
  if (least == most)
    report_length(least, text);
  else
    snprintf(text, 80, "n = %zu to %zu, whole columns of s", least, most);
}

void contest_print_products(const contest *c) {
  char length[80];
  product_length(c, length);
  printf("\nProducts W = L_s X, the first level of a scan, %s:\n", length);
  for (int kind = 0; kind < PRODUCTS; kind++) printf("  %-16s %s\n", products[kind].name, products[kind].description);
  print_table(c, "Gelem/s", contest_elements);
  print_measure(c, "copy bound, 1 thread", copy_on_one);
  print_measure(c, "serial loop", lineup_loop);
  print_table(c, "GFLOP/s (2 s an element)", contest_operations);
  print_missing(c);
  fflush(stdout);
}

/* ---- The ranking ------------------------------------------------------------------------------------------------- */

static void print_scan(const contender *scan) {
  print_value(contest_elements(scan));
  print_value(scan != NULL ? report_of_bound(scan) : 0);
  print_value(scan != NULL ? report_times_serial(scan) : 0);
  printf(" |");
}

static void print_scans(const contest *c, const contender *const *scans) {
  for (size_t i = 0; i < c->request->thread_counts; i++) print_scan(scans[i]);
  putchar('\n');
}

static void print_ranking_head(const contest *c) {
  char length[48], title[112];
  report_length(c->races[CONTEST_SCANS].n, length);
  snprintf(title, sizeof title, "Scans by the engine gemm, %s, %s", c->number->name, length);
  printf("\n%-*s |", RANKING_HEAD, title);
  for (size_t i = 0; i < c->request->thread_counts; i++)
    printf(" %2d thread%s               |", c->request->threads[i], c->request->threads[i] == 1 ? " " : "s");
  printf("\nrank %-*s %4s %7s %7s %7s |", UNIT_LABEL, "unit", "s", "product", "GFLOP/s", "threads");
  for (size_t i = 0; i < c->request->thread_counts; i++) printf(" %7s %7s %7s |", "Gelem/s", "xbound", "xserial");
  putchar('\n');
}

static void print_standing(const contest *c, size_t place) {
  const standing *s = &c->ranking[place];
  if (s->unit->failure[0] != '\0') {
    printf("   - %-*s", UNIT_LABEL, s->unit->label);
    print_clean(" failed: ", s->unit->failure);
    putchar('\n');
    return;
  }
  if (s->refusal == NULL)
    printf("%4zu %-*s %4zu", place + 1, UNIT_LABEL, s->unit->label, s->s);
  else
    printf("%4s %-*s %4s", "-", UNIT_LABEL, s->unit->label, "-");
  print_value(contest_elements(s->product));
  print_value(contest_operations(s->peak));
  print_value(s->gain);
  printf(" |");
  print_scans(c, s->scans);
}

static void print_units_without_scans(const contest *c) {
  const char *heading = "\nScans that were not timed:\n";
  for (size_t i = 0; i < c->list.count; i++) {
    const standing *s = &c->ranking[i];
    if (s->refusal == NULL) continue;
    printf("%s%-*s %s\n", heading, UNIT_LABEL, s->unit->label, s->refusal);
    heading = "";
  }
}

void contest_print_ranking(const contest *c) {
  const race *r = &c->races[CONTEST_SCANS];
  const contender *bounds[MOST_THREAD_COUNTS], *loops[MOST_THREAD_COUNTS];
  print_ranking_head(c);
  for (size_t i = 0; i < c->request->thread_counts; i++) {
    bounds[i] = lineup_bound(r, c->request->threads[i]);
    loops[i] = lineup_loop(r);
  }
  printf("%-*s |", RANKING_HEAD, "   - copy bound");
  print_scans(c, bounds);
  printf("%-*s |", RANKING_HEAD, "   - serial loop");
  print_scans(c, loops);
  for (size_t i = 0; i < c->list.count; i++) print_standing(c, i);
  print_units_without_scans(c);
  puts("\nproduct: Gelem/s of the fastest product in tiles, of any s. GFLOP/s: the most of any gemm, s up to 512.\n"
       "threads: the speed of a gemm at s = 512 on all of the unit's own threads, over that on one.\n"
       "s: of the two that are fastest on one thread (up to 2^20 elements), the faster on the most threads.\n"
       "xbound, xserial: the speed over that of copying by as many threads or fewer, and of the serial loop.");
  fflush(stdout);
}
