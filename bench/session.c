/* session.c: what one call of `mmscan bench` does. */
#include "session.h"
#include "element.h"
#include "message.h"
#include "numpy.h"
#include "pages.h"
#include "report.h"
#include "stdout.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Races ------------------------------------------------------------------------------------------------------- */

/* A length that is no longer than a row is a single scan. */
static size_t row_of(const bench_request *request, size_t n) { return request->row < n ? request->row : 0; }
static size_t columns_of(const bench_request *request, size_t n) { return request->columns < n ? request->columns : 0; }

static number_pair pair_of(const bench_request *request, const number *type) {
  return (number_pair){type, request->to != NULL ? request->to : type, request->op};
}

/* The last axis is rows; of another one, each index of those before it has a matrix whose columns are scanned. */
static void set_shape(race *r, const race_shape *shape) {
  const size_t length = shape->sizes[shape->axis], scans = r->n / length;
  r->shape = shape;
  r->row = shape->inner == 1 && scans > 1 ? length : 0;
  r->columns = shape->inner == 1 ? 0 : shape->inner;
  r->slabs = scans / shape->inner;
}

void session_set_race(race *r, const bench_request *request, const number *type, size_t n, bool in_place,
                      const arrays *a) {
  const size_t row = row_of(request, n);
  *r = (race){.number = type,
              .to = pair_of(request, type).y,
              .op = request->op,
              .n = n,
              .row = row,
              .columns = columns_of(request, n),
              .slabs = 1,
              .stride = request->stride,
              .way = request->way,
              .in_place = in_place,
              .reverse = request->reverse,
              .exclusive = request->exclusive,
              .data = a->data,
              .x = in_place ? a->y : a->data,
              .y = a->y,
              .indices = a->indices,
              .numbers = a->numbers};
  if (request->shape.rank > 0) set_shape(r, &request->shape);
}

static bool run_race(session *s, size_t n, bool in_place, const number *type, const arrays *a) {
  const bench_request *request = s->request;
  lineup_filter only = request->only;
  race *r = &s->races[s->count];
  session_set_race(r, request, type, n, in_place, a);
  lineup_fill(r, &only, request->threads, request->thread_counts);
  timing_check(r);
  const bool timed = timing_race(r, request->rounds);
  lineup_free(r);
  s->count++;
  return timed;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Kilobytes from /proc/self/status; -1 if there is no such file. */
static long status_kb(const char *field) {
  char line[256];
  long kb = -1;
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return -1;
  while (fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, field, strlen(field)) == 0) kb = strtol(line + strlen(field), NULL, 10);
  fclose(status);
  return kb;
}

/* Resets the peak to what is resident now. */
static bool reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file == NULL) return false;
  const bool written = fputs("5", file) >= 0;
  return fclose(file) == 0 && written;
}

/* Runs one scan by each engine and unit, of like->n elements by `threads` threads, and returns the growth of the peak
 * of resident memory in MiB per thread. The library keeps what a scan took for the next, so this has to come before any
 * other scan. Negative if the system does not tell. */
static double memory_of_scans(const race *like, int threads) {
  lineup_filter library = {.names = {"mmscan "}, .count = 1};
  race r = *like;
  r.count = 0;
  lineup_fill(&r, &library, &threads, 1);
  if (!reset_peak()) return -1;
  const long before = status_kb("VmRSS:");
  for (size_t i = 0; i < r.count; i++)
    if (r.contenders[i].role == ROLE_LIBRARY && r.contenders[i].refusal[0] == '\0')
      r.contenders[i].run(&r.contenders[i], 1);
  const long peak = status_kb("VmHWM:");
  lineup_free(&r);
  return before >= 0 ? (double)(peak - before) / 1024 / threads : -1;
}

static void measure_memory(session *s, const number *type, size_t n, const arrays *a) {
  race like;
  session_set_race(&like, s->request, type, n, false, a);
  s->memory = memory_of_scans(&like, s->request->threads[s->request->thread_counts - 1]);
}

/* ---- Types ---------------------------------------------------------------------------------------------------- */

static bool is_text(const bench_request *request) { return !request->json && !request->csv; }

/* Single scans are not printed beside rows, which have other contenders. */
static bool ends_table(const bench_request *request, size_t i, size_t lengths) {
  const size_t *n = &request->lengths[i];
  return i + 1 == lengths || row_of(request, n[0]) != row_of(request, n[1]) ||
         columns_of(request, n[0]) != columns_of(request, n[1]);
}

/* Races of all lengths. As text, they are reported as they come, RACES_ABREAST at a time. */
static int run_lengths(session *s, const number *type, bool in_place, size_t lengths, const arrays *a) {
  size_t first = s->count;
  for (size_t i = 0; i < lengths; i++) {
    if (!run_race(s, s->request->lengths[i], in_place, type, a)) return fail_memory();
    const bool is_full = s->count - first == RACES_ABREAST || ends_table(s->request, i, lengths);
    if (!is_text(s->request) || !is_full) continue;
    report_races(&s->races[first], s->count - first);
    if (ferror(stdout)) return fail_stdout();
    first = s->count;
  }
  return DONE;
}

size_t session_lengths_that_fit(const bench_request *request, const number *type) {
  size_t count = request->length_count;
  const number_pair pair = pair_of(request, type);
  while (count > 0 && !arrays_fit(&pair, request->lengths[count - 1] * request->stride, request->indices)) {
    count--;
    fail("%s, n = %zu: skipped, as there is not enough memory", type->name, request->lengths[count]);
  }
  return count;
}

static int run_type(session *s, const number *type) {
  const bench_request *request = s->request;
  const number_pair pair = pair_of(request, type);
  const bool scanned = number_is_scanned(&pair);
  const size_t lengths = scanned ? session_lengths_that_fit(request, type) : 0;
  arrays a;
  if (!scanned) fail("%s: skipped, as --op %s does not scan it", type->name, element_operator_name(request->op));
  if (lengths == 0) return DONE;
  const size_t most = request->lengths[lengths - 1] * request->stride;
  int status = arrays_make(&a, &pair, most, request->indices) ? DONE : fail_memory();
  if (status == DONE && s->count == 0) measure_memory(s, type, request->lengths[lengths - 1], &a);
  for (size_t i = 0; i < request->place_count && status == DONE; i++)
    status = run_lengths(s, type, request->in_place[i], lengths, &a);
  arrays_free(&a);
  return status;
}

/* ---- The line-up ------------------------------------------------------------------------------------------------- */

/* Lists the contenders of a short race, of two rows if there are rows or columns, without running it. */
static void look_at_lineup(race *r, bench_request *request) {
  int64_t index = 0;
  const arrays none = {.indices = request->indices ? &index : NULL};
  const size_t n = request->row != 0 ? 2 * request->row : 2 * request->columns + 1;
  session_set_race(r, request, request->types[0], request->shape.rank > 0 ? request->lengths[0] : n, false, &none);
  lineup_fill(r, &request->only, request->threads, request->thread_counts);
  lineup_free(r);
}

/* After a look at the line-up. */
static int check_names(const bench_request *request) {
  for (size_t i = 0; i < request->only.count; i++)
    if (!request->only.met[i])
      return wrong_usage("bench", "--only: no contender has '%s' in its name: see --list", request->only.names[i]);
  return DONE;
}

int session_check_environment(void) {
  const char *error = mmscan_environment_error();
  return error == NULL ? DONE : fail("%s", error);
}

static void print_lineup(const race *r) {
  for (size_t i = 0; i < r->count; i++) {
    const contender *c = &r->contenders[i];
    if (c->role == ROLE_COPY) continue;
    print_clean("%-32s %4d thread%s%s%s", c->name, c->threads, c->threads == 1 ? "" : "s",
                c->refusal[0] != '\0' ? ", skipped: " : "", c->refusal);
  }
}

int session_list(bench_request *request) {
  race r;
  if (session_check_environment() != DONE) return FAILED;
  look_at_lineup(&r, request);
  const int status = check_names(request);
  if (status == DONE) print_lineup(&r);
  numpy_end();
  return status;
}

/* ---- The session ------------------------------------------------------------------------------------------------- */

/* A wrong result is a failure, even if it is a peer's. This comes last: the plot is kept all the same. */
static int status_of(const session *s) {
  int status = DONE;
  for (const race *r = s->races; r < s->races + s->count; r++)
    for (size_t i = 0; i < r->count; i++)
      if (r->contenders[i].is_wrong)
        status = fail("%s, %s, n = %zu: %s", r->contenders[i].name, r->number->name, r->n, r->contenders[i].refusal);
  return status;
}

static int report(const session *s, pages *p) {
  if (s->count == 0) return fail("nothing was timed");
  if (is_text(s->request)) report_tail(s);
  return pages_make(p, s->request, report_json(s));
}

static int run(session *s, pages *p) {
  const bench_request *request = s->request;
  const size_t most = request->type_count * request->place_count * request->length_count;
  s->races = malloc(most * sizeof *s->races);
  int status = s->races != NULL ? DONE : fail_memory();
  if (is_text(request)) report_head(request);
  for (size_t i = 0; i < request->type_count && status == DONE; i++) status = run_type(s, request->types[i]);
  return status == DONE ? report(s, p) : status;
}

int session_run(bench_request *request) {
  session s = {.request = request, .memory = -1};
  pages p = PAGES_CLOSED;
  race r;
  int status = session_check_environment();
  if (status == DONE) look_at_lineup(&r, request);
  if (status == DONE) status = check_names(request);
  if (status == DONE) status = pages_prepare(&p, request);
  if (status == DONE) status = run(&s, &p);
  status = pages_close(&p, status);
  if (status == DONE) status = status_of(&s);
  free(s.races);
  numpy_end();
  return status;
}
