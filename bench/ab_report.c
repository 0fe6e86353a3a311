/* ab_report.c: two builds of the library compared, as text and as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ab.h"
#include "json.h"
#include "message.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {[AB_THIS] = "this", [AB_OTHER] = "other"};

ab_summary ab_sum_up(const ab *a) {
  ab_summary s = {.timed = 0};
  double logarithms = 0;
  for (const ab_cell *c = a->cells; c < a->cells + a->count; c++) {
    if (!ab_is_timed(c)) continue;
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
  printf("%-12s %s, ISA %s, ", names[which], l->version(), l->isa());
  put_clean(stdout, l->path != NULL ? l->path : "in this command");
  putchar('\n');
}

void ab_print_head(const ab *a) {
  char machine[192];
  report_machine(machine, sizeof machine, a->request);
  for (int i = 0; i < AB_LIBRARIES; i++) print_library(a, i);
  if (a->request->against != 0)
    printf("operators    %s of this, %s of the other\n", number_operator(a->request->op),
           number_operator(a->request->against));
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

void ab_print_heading(const ab *a, const number *type) {
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

static void print_cell(const ab_cell *c) {
  if (!ab_is_timed(c))
    printf(" | %6s %9s", "-", "-");
  else
    printf(" | %5.3f%c %9.*f", c->duel.ratio, c->differs ? '*' : ' ', c->duel.seconds[0] < 1e-6 ? 1 : 0,
           1e9 * c->duel.seconds[0]);
}

void ab_print_line(const ab_cell *cells, size_t count) {
  char length[48];
  report_length(cells->n, length);
  printf("%-15s", length);
  for (size_t i = 0; i < count; i++) print_cell(&cells[i]);
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
    if (ab_is_timed(c) || strcmp(c->refusal, told) == 0) continue;
    told = c->refusal;
    fputs("skipped: ", stdout);
    print_place(c);
    printf(": %s\n", c->refusal);
  }
}

void ab_print_tail(const ab *a) {
  const ab_summary s = ab_sum_up(a);
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
  json_t *cell = json_pack("{s:s, s:s, s:I, s:o, s:s, s:i}", "type", c->number->name, "op", number_operator(c->op), "n",
                           (json_int_t)c->n, "row", row, "place", c->in_place ? "in" : "out", "threads", c->threads);
  json_t *result = ab_is_timed(c)
                       ? json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:I, s:o}", "ratio", d->ratio, "this_ns",
                                   1e9 * d->seconds[AB_THIS], "this_fastest_ns", 1e9 * d->fastest[AB_THIS],
                                   "other_fastest_ns", 1e9 * d->fastest[AB_OTHER], "other_ns",
                                   1e9 * d->seconds[AB_OTHER], "rounds", d->rounds, "runs", (json_int_t)d->runs,
                                   "same_bits", a->request->against == 0 ? json_boolean(!c->differs) : json_null())
                       : json_pack("{s:o}", "skipped", json_text(c->refusal));
  json_object_update_new(cell, result);
  return cell;
}

int ab_json(const ab *a) {
  const ab_summary s = ab_sum_up(a);
  json_t *cells = json_array();
  for (size_t i = 0; i < a->count; i++) json_array_append_new(cells, cell_json(a, &a->cells[i]));
  json_t *mean = s.timed > 0 ? json_real(s.mean) : json_null();
  json_t *lowest = s.timed > 0 ? cell_json(a, s.lowest) : json_null();
  const char *against = a->request->against != 0 ? number_operator(a->request->against) : NULL;
  return print_json(json_pack("{s:s?, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "against_op", against, "reverse",
                              a->request->reverse, "exclusive", a->request->exclusive, "this",
                              library_json(&a->libraries[AB_THIS]), "other", library_json(&a->libraries[AB_OTHER]),
                              "machine", report_json_machine(), "geometric_mean", mean, "lowest", lowest, "differ",
                              (json_int_t)s.differ, "cells", cells));
}
