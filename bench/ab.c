/* ab.c: what one call of `mmscan bench --ab` does: it times two builds of the library in turns. */
#include "element.h"
#include "json.h"
#include "libmmscan.h"
#include "message.h"
#include "report.h"
#include "session.h"
#include "stdout.h"
#include "suspect.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The libraries, and the contenders of a race, in this order. */
enum { AB_THIS, AB_OTHER, AB_LIBRARIES };

typedef struct ab_cell {
  const number *number;
  mmscan_op op;
  size_t n, row; /* as of a race */
  bool in_place;
  int threads;
  char refusal[272]; /* why it was not timed; empty if it was */
  bool differs;      /* the bits of the two results, which are of one operator */
  duel duel;         /* first this, second the other */
} ab_cell;

/* Cells by type, then length, then place, then threads. */
typedef struct ab {
  const bench_request *request;
  libmmscan libraries[AB_LIBRARIES];
  ab_cell *cells;
  size_t count;
} ab;

static bool is_timed(const ab_cell *c) { return c->refusal[0] == '\0'; }

static const char *const names[] = {[AB_THIS] = "this", [AB_OTHER] = "other"};

/* What follows from the ratios. */
typedef struct summary {
  size_t timed;  /* cells */
  size_t differ; /* cells where the bits differ */
  double mean;   /* of the ratios, geometric; 0: no cell was timed */
  const ab_cell *lowest;
} summary;

static summary sum_up(const ab *a) {
  summary s = {.timed = 0};
  double logarithms = 0;
  for (const ab_cell *c = a->cells; c < a->cells + a->count; c++) {
    if (!is_timed(c)) continue;
    s.timed++;
    s.differ += c->differs;
    logarithms += log(c->duel.ratio);
    if (s.lowest == NULL || c->duel.ratio < s.lowest->duel.ratio) s.lowest = c;
  }
  if (s.timed > 0) s.mean = exp(logarithms / (double)s.timed);
  return s;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void print_library(const ab *a, int which) {
  const libmmscan *l = &a->libraries[which];
  print_clean("%-12s %s, ISA %s, %s", names[which], l->version(), l->isa(), l->path ? l->path : "in this command");
}

static void print_head(const ab *a) {
  char machine[192];
  report_machine(machine, sizeof machine, a->request);
  for (int i = 0; i < AB_LIBRARIES; i++) print_library(a, i);
  if (a->request->against != 0)
    printf("operators    %s of this, %s of the other\n", element_operator_name(a->request->op),
           element_operator_name(a->request->against));
  else if (a->libraries[AB_THIS].scan == a->libraries[AB_OTHER].scan)
    puts("             These are one file: what the ratios are off 1 is noise.");
  if (a->request->reverse || a->request->exclusive)
    printf("scans        %s%s\n", a->request->exclusive ? "exclusive" : "inclusive",
           a->request->reverse ? ", from the last element to the first" : "");
  printf("machine      %s\n", machine);
  puts("ratio        the time of the other over that of this one: above 1 this one is faster, 0.98 is 2 % slower.\n"
       "             In each round both are timed, in turns; the median of the rounds counts.\n"
       "ns           of a scan by this one; * the two results differ in their bits");
}

static void print_heading(const ab *a, const number *type) {
  const bench_request *request = a->request;
  char kind[REPORT_TYPE];
  report_type(type, request->op, kind);
  printf("\n%-15s", kind);
  for (size_t i = 0; i < request->place_count; i++)
    for (size_t k = 0; k < request->thread_counts; k++)
      printf(" | %-3s %4d thread%s", request->in_place[i] ? "in" : "out", request->threads[k],
             request->threads[k] == 1 ? " " : "s");
  printf("\n%-15s", "");
  for (size_t i = 0; i < request->place_count * request->thread_counts; i++) printf(" | %6s %9s", "ratio", "ns");
  putchar('\n');
  fflush(stdout);
}

static void print_ratio(const ab_cell *c) {
  if (!is_timed(c))
    printf(" | %6s %9s", "-", "-");
  else
    printf(" | %5.3f%c %9.*f", c->duel.ratio, c->differs ? '*' : ' ', c->duel.seconds[0] < 1e-6 ? 1 : 0,
           1e9 * c->duel.seconds[0]);
}

static void print_line(const ab_cell *cells, size_t count) {
  char length[48];
  report_length(cells->n, length);
  printf("%-15s", length);
  for (size_t i = 0; i < count; i++) print_ratio(&cells[i]);
  putchar('\n');
  fflush(stdout);
}

static void print_place(const ab_cell *c) {
  char length[48], kind[REPORT_TYPE];
  report_length(c->n, length);
  report_type(c->number, c->op, kind);
  printf("%s, %s, %s, %d thread%s", kind, c->in_place ? "in place" : "out of place", length, c->threads,
         c->threads == 1 ? "" : "s");
}

static void print_refusals(const ab *a) {
  const char *told = "";
  for (const ab_cell *c = a->cells; c < a->cells + a->count; c++) {
    if (is_timed(c) || strcmp(c->refusal, told) == 0) continue;
    told = c->refusal;
    fputs("skipped: ", stdout);
    print_place(c);
    printf(": %s\n", c->refusal);
  }
}

static void print_tail(const ab *a) {
  const summary s = sum_up(a);
  putchar('\n');
  if (s.timed > 0) {
    printf("geometric mean %.3f of %zu ratios; the lowest is %.3f: ", s.mean, s.timed, s.lowest->duel.ratio);
    print_place(s.lowest);
    putchar('\n');
  }
  if (s.differ > 0) printf("The bits of the results differ in %zu of the cells, marked *.\n", s.differ);
  print_refusals(a);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *library_json(const libmmscan *l) {
  return json_pack("{s:o, s:s, s:s}", "path", json_text(l->path), "version", l->version(), "isa", l->isa());
}

static json_t *cell_json(const ab *a, const ab_cell *c) {
  const duel *d = &c->duel;
  json_t *row = c->row != 0 ? json_integer((json_int_t)c->row) : json_null();
  json_t *cell =
      json_pack("{s:s, s:s, s:I, s:o, s:s, s:i}", "type", c->number->name, "op", element_operator_name(c->op), "n",
                (json_int_t)c->n, "row", row, "place", c->in_place ? "in" : "out", "threads", c->threads);
  json_t *result = is_timed(c)
                       ? json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:I, s:o}", "ratio", d->ratio, "this_ns",
                                   1e9 * d->seconds[AB_THIS], "this_fastest_ns", 1e9 * d->fastest[AB_THIS],
                                   "other_fastest_ns", 1e9 * d->fastest[AB_OTHER], "other_ns",
                                   1e9 * d->seconds[AB_OTHER], "rounds", d->rounds, "runs", (json_int_t)d->runs,
                                   "same_bits", a->request->against == 0 ? json_boolean(!c->differs) : json_null())
                       : json_pack("{s:o}", "skipped", json_text(c->refusal));
  json_object_update_new(cell, result);
  return cell;
}

static int report_json_of(const ab *a) {
  const summary s = sum_up(a);
  json_t *cells = json_array();
  for (size_t i = 0; i < a->count; i++) json_array_append_new(cells, cell_json(a, &a->cells[i]));
  json_t *mean = s.timed > 0 ? json_real(s.mean) : json_null();
  json_t *lowest = s.timed > 0 ? cell_json(a, s.lowest) : json_null();
  const char *against = a->request->against != 0 ? element_operator_name(a->request->against) : NULL;
  return print_json(json_pack("{s:s?, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "against_op", against, "reverse",
                              a->request->reverse, "exclusive", a->request->exclusive, "this",
                              library_json(&a->libraries[AB_THIS]), "other", library_json(&a->libraries[AB_OTHER]),
                              "machine", report_json_machine(), "geometric_mean", mean, "lowest", lowest, "differ",
                              (json_int_t)s.differ, "cells", cells));
}

/* ---- Results that have the same bits ----------------------------------------------------------------------------- */

/* A hash of the result in y: the sum of a hash of each element and its index, in any order. */
static uint64_t hash_of(const race *r) {
  const size_t size = r->number->size;
  const char *y = r->y;
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (size_t i = 0; i < r->n * r->stride; i++) {
    uint64_t h = 0;
    memcpy(&h, y + i * size, size);
    h = (h ^ (i + 1) * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    sum += (h ^ h >> 32) * 0x94D049BB133111EBu;
  }
  return sum;
}

/* Has the contender scan the data once; false, with a refusal in the cell, if it does not. */
static bool try_once(const ab *a, ab_cell *cell, const contender *c, uint64_t *hash) {
  const race *r = c->race;
  const char *name = c->library == &a->libraries[AB_THIS] ? "this" : "other";
  if (r->in_place)
    memcpy(r->y, r->data, race_y_bytes(r));
  else
    memset(r->y, 0x80, race_y_bytes(r)); /* so that no earlier result can pass for this one's */
  suspect(c->library->path);
  const mmscan_status status = c->refusal[0] == '\0' ? lineup_call_once(c) : MMSCAN_OK;
  suspect(NULL);
  if (c->refusal[0] != '\0')
    snprintf(cell->refusal, sizeof cell->refusal, "%s: %s", name, c->refusal);
  else if (status != MMSCAN_OK)
    snprintf(cell->refusal, sizeof cell->refusal, "%s: %s", name, mmscan_strerror(status));
  *hash = hash_of(r);
  return cell->refusal[0] == '\0';
}

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

/* The one-shot call of a library. Two operators are compared by the same call, mmscan_scan(). */
static contender *add_call(const ab *a, race *r, int which, int threads) {
  const mmscan_op against = a->request->against;
  contender *c = lineup_add_call(r, &a->libraries[which], threads);
  if (against == 0) return c;
  c->simple = NULL;
  if (which == AB_OTHER) c->op = against;
  return c;
}

static int fill_cell(ab *a, race *r, int threads) {
  const contender *pair[AB_LIBRARIES];
  uint64_t hashes[AB_LIBRARIES];
  ab_cell *cell = &a->cells[a->count++];
  *cell = (ab_cell){
      .number = r->number, .op = r->op, .n = r->n, .row = r->row, .in_place = r->in_place, .threads = threads};
  for (int i = 0; i < AB_LIBRARIES; i++) {
    pair[i] = add_call(a, r, i, threads);
    if (!try_once(a, cell, pair[i], &hashes[i])) return DONE;
  }
  cell->differs = a->request->against == 0 && hashes[AB_THIS] != hashes[AB_OTHER];
  if (r->in_place) memset(r->y, 0, race_y_bytes(r)); /* scans of scans of anything else would overflow */
  return timing_duel(pair[AB_THIS], pair[AB_OTHER], a->request->rounds, &cell->duel) ? DONE : fail_memory();
}

static int fill_length(ab *a, const number *type, size_t n, const arrays *arr) {
  const bench_request *request = a->request;
  const size_t first = a->count;
  int status = DONE;
  race *r = malloc(sizeof *r);
  if (r == NULL) return fail_memory();
  for (size_t i = 0; i < request->place_count; i++)
    for (size_t k = 0; k < request->thread_counts && status == DONE; k++) {
      session_set_race(r, request, type, n, request->in_place[i], arr);
      status = fill_cell(a, r, request->threads[k]);
    }
  free(r);
  if (status == DONE && !request->json) print_line(a->cells + first, a->count - first);
  return status == DONE && ferror(stdout) ? fail_stdout() : status;
}

static int fill_type(ab *a, const number *type) {
  const bench_request *request = a->request;
  const size_t lengths = session_lengths_that_fit(request, type);
  const number_pair pair = {type, type, request->op};
  arrays arr;
  if (lengths == 0) return DONE;
  int status = arrays_make(&arr, &pair, request->lengths[lengths - 1] * request->stride, false) ? DONE : fail_memory();
  if (!request->json) print_heading(a, type);
  if (status == DONE && request->op == MMSCAN_PLUS)
    type->fill_inexact(request->lengths[lengths - 1] * request->stride, arr.data);
  for (size_t i = 0; i < lengths && status == DONE; i++) status = fill_length(a, type, request->lengths[i], &arr);
  arrays_free(&arr);
  return status;
}

/* ---- The libraries ----------------------------------------------------------------------------------------------- */

static int open_this(ab *a) {
  char *beside = a->request->this == NULL ? libmmscan_beside_command() : NULL;
  const char *path = beside != NULL ? beside : a->request->this;
  int status = DONE;
  if (path != NULL)
    status = libmmscan_open(&a->libraries[AB_THIS], path);
  else
    a->libraries[AB_THIS] = libmmscan_built_in;
  free(beside);
  return status;
}

static int open_libraries(ab *a) {
  int status = session_check_environment();
  if (status == DONE) status = open_this(a);
  return status == DONE ? libmmscan_open(&a->libraries[AB_OTHER], a->request->other) : status;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Whether results do not depend on how elements are grouped. */
static bool is_exact(const ab_cell *c) {
  const bool is_float = c->number->kind == 'f' || c->number->kind == 'c';
  return !is_float || c->op == MMSCAN_MAX || c->op == MMSCAN_MIN;
}

static int status_of(const ab *a) {
  int status = DONE;
  for (const ab_cell *c = a->cells; c < a->cells + a->count; c++)
    if (c->differs && is_exact(c))
      status = fail("%s, n = %zu: the two results differ, so that one is wrong", c->number->name, c->n);
  return status;
}

static int run(ab *a) {
  const bench_request *request = a->request;
  int status = DONE;
  if (!request->json) print_head(a);
  for (size_t i = 0; i < request->type_count && status == DONE; i++) status = fill_type(a, request->types[i]);
  if (status != DONE) return status;
  if (a->count == 0) return fail("nothing was timed");
  if (request->json) return report_json_of(a);
  print_tail(a);
  return DONE;
}

int ab_run(const bench_request *request) {
  const size_t most = request->type_count * request->length_count * request->place_count * request->thread_counts;
  ab a = {.request = request, .cells = malloc(most * sizeof *a.cells)};
  int status = a.cells != NULL ? open_libraries(&a) : fail_memory();
  if (status == DONE) status = run(&a);
  if (status == DONE) status = status_of(&a);
  for (int i = 0; i < AB_LIBRARIES; i++) libmmscan_close(&a.libraries[i]);
  free(a.cells);
  return status;
}
