/* report_text.c: a session as text. */
#include "element.h"
#include "machine.h"
#include "message.h"
#include "numpy.h"
#include "peer.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

/* ---- Ratios ------------------------------------------------------------------------------------------------------ */

double report_of_bound(const contender *c) {
  const contender *bound = lineup_bound(c->race, c->threads);
  return bound->threads == c->threads ? bound->seconds / c->seconds : 0;
}

double report_times_serial(const contender *c) { return lineup_loop(c->race)->seconds / c->seconds; }

/* ---- The heading ------------------------------------------------------------------------------------------------- */

void report_machine(char *text, size_t size, const bench_request *request) {
  const int threads = request->threads[request->thread_counts - 1];
  snprintf(text, size, "%s, %d thread%s", mmscan_cpu(), threads, threads == 1 ? "" : "s");
}

/* Prints each compiler with its flags once. */
static void print_compilers(void) {
  const peer *p, *other;
  for (size_t i = 0; (p = peers_at(i)) != NULL; i++) {
    size_t before = 0;
    if (p->built == NULL) continue;
    while ((other = peers_at(before)) != p && (other->built == NULL || strcmp(other->built, p->built) != 0)) before++;
    if (other == p) printf("%s%s\n", i == 0 ? "peers by     " : "             ", p->built);
  }
}

void report_head(const bench_request *request) {
  char machine[192];
  report_machine(machine, sizeof machine, request);
  printf("mmscan       %s, ISA %s\n", mmscan_version(), mmscan_isa());
  printf("machine      %s", machine);
  for (int level = 1; level <= CACHE_LEVELS; level++)
    if (machine_cache(level) != 0) printf(", L%d %zu KiB", level, machine_cache(level) >> 10);
  printf("\nloop by      %s\n", PEER_BUILT);
  print_compilers();
  if (numpy_version() != NULL) printf("NumPy        %s\n", numpy_version());
  printf("times        medians of %d round%s\n", request->rounds, request->rounds == 1 ? "" : "s");
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

void report_length(size_t n, char text[48]) {
  int log2 = 0;
  while ((size_t)1 << log2 < n) log2++;
  if ((size_t)1 << log2 == n)
    snprintf(text, 48, "n = 2^%d", log2);
  else
    snprintf(text, 48, "n = %zu", n);
}

void report_type(const number *type, mmscan_op op, char text[REPORT_TYPE]) {
  const bool adds = op == MMSCAN_PLUS;
  snprintf(text, REPORT_TYPE, "%s%s%s", adds ? "" : element_operator_name(op), adds ? "" : " of ", type->name);
}

void report_shape(const race_shape *shape, char text[REPORT_TITLE]) {
  int length = 0;
  for (size_t i = 0; i < shape->rank; i++)
    length += snprintf(text + length, REPORT_TITLE - (size_t)length, "%s%zu", i > 0 ? "," : "", shape->sizes[i]);
}

/* How its scans lie. */
static void print_layout(const race *r, FILE *to) {
  char shape[REPORT_TITLE];
  if (r->shape != NULL) {
    report_shape(r->shape, shape);
    fprintf(to, ", axis %zu of %s", r->shape->axis, shape);
    return;
  }
  if (r->row != 0) fprintf(to, ", rows of %zu", r->row);
  if (r->columns != 0) fprintf(to, ", %zu columns", r->columns);
  if (r->stride > 1) fprintf(to, ", stride %zu", r->stride);
}

static void kind_of(const race *r, char text[REPORT_TITLE]) {
  char type[REPORT_TYPE];
  FILE *to = fmemopen(text, REPORT_TITLE, "w");
  text[0] = '\0';
  if (to == NULL) return;
  report_type(r->number, r->op, type);
  fprintf(to, "%s%s%s%s", type, race_converts(r) ? " to " : "", race_converts(r) ? r->to->name : "",
          r->indices != NULL ? " with indices" : "");
  fprintf(to, ", %s", r->in_place ? "in place" : "out of place");
  print_layout(r, to);
  fclose(to);
}

static void print_length(size_t n) {
  char text[48];
  report_length(n, text);
  printf(" | %-23s", text);
}

static void print_heading(const race *races, size_t count) {
  char title[REPORT_TITLE];
  kind_of(&races[count - 1], title);
  printf("\n%-37s", title);
  for (size_t i = 0; i < count; i++) print_length(races[i].n);
  printf("\n%-29s threads", "");
  for (size_t i = 0; i < count; i++) printf(" | %7s %7s %7s", "Gelem/s", "xbound", "xserial");
  putchar('\n');
}

/* Enough for three significant digits. */
static int decimals(double value) {
  if (value < 0.0995) return value < 0.00995 ? 5 : 4;
  return value < 9.995 ? 3 : value < 99.95 ? 2 : value < 999.5 ? 1 : 0;
}

static void print_number(double value) {
  if (value > 0 && value < 0.000995)
    printf(" %7.1e", value);
  else
    printf(" %7.*f", decimals(value), value);
}

static const contender *same_in(const race *r, const contender *c) {
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].threads == c->threads && strcmp(r->contenders[i].name, c->name) == 0) return &r->contenders[i];
  return NULL;
}

static void print_cell(const contender *c) {
  printf(" |");
  if (c == NULL || c->refusal[0] != '\0') {
    printf(" %7s %7s %7s", "-", "-", "-");
    return;
  }
  print_number(contender_speed(c));
  print_number(report_of_bound(c));
  print_number(report_times_serial(c));
}

static bool runs_somewhere(const race *races, size_t count, const contender *c) {
  for (size_t i = 0; i < count; i++) {
    const contender *same = same_in(&races[i], c);
    if (same != NULL && same->refusal[0] == '\0') return true;
  }
  return false;
}

/* The handoff time of each race. */
static void print_handoffs(const race *races, size_t count) {
  if (!(races[count - 1].handoff > 0)) return;
  printf("%-32s %4d", "handoff", 2);
  for (size_t i = 0; i < count; i++) printf(" | %7.0f %-15s", 1e9 * races[i].handoff, "ns");
  putchar('\n');
}

void report_races(const race *races, size_t count) {
  print_heading(races, count);
  for (size_t i = 0; i < races->count; i++) {
    const contender *c = &races->contenders[i];
    if (c->role == ROLE_COPY || !runs_somewhere(races, count, c)) continue;
    printf("%-32s %4d", c->name, c->threads);
    for (size_t k = 0; k < count; k++) print_cell(same_in(&races[k], c));
    putchar('\n');
  }
  print_handoffs(races, count);
  fflush(stdout);
}

/* ---- After ------------------------------------------------------------------------------------------------------- */

static bool told_before(const session *s, const race *last, const contender *c) {
  for (const race *r = s->races; r <= last; r++)
    for (size_t i = 0; i < r->count; i++) {
      const contender *other = &r->contenders[i];
      if (other == c) return false;
      if (strcmp(other->name, c->name) == 0 && strcmp(other->refusal, c->refusal) == 0) return true;
    }
  return false;
}

static void print_refusals(const session *s) {
  for (const race *r = s->races; r < s->races + s->count; r++)
    for (size_t i = 0; i < r->count; i++) {
      const contender *c = &r->contenders[i];
      if (c->refusal[0] != '\0' && !told_before(s, r, c)) print_clean("skipped: %s: %s", c->name, c->refusal);
    }
}

/* Between cores a handoff takes less than a microsecond. */
static bool shared_cpu(const session *s) {
  for (size_t i = 0; i < s->count; i++)
    if (s->races[i].handoff > 10e-6) return true;
  return false;
}

void report_tail(const session *s) {
  puts("\nxbound:  the speed over that of the bound: copying (in place: reading and writing back) by as many\n"
       "         threads or fewer, whichever is fastest.\n"
       "xserial: the speed over that of the serial loop, called through a pointer.\n"
       "handoff: the time until a thread sees what another has stored; longer where their cores share no cache.");
  if (shared_cpu(s))
    puts("         Threads shared a CPU here, as when another program is busy: several take as long as its time "
         "slices.");
  if (s->memory >= 0) printf("Memory that mmscan took beyond x and y: %.1f MiB per thread.\n", s->memory);
  print_refusals(s);
}
