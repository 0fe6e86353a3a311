/* fit_report.c: a fit as text or JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fit.h"
#include "json.h"
#include "message.h"

#include <jansson.h>
#include <mmscan.h>
#include <stdio.h>

static double flops(const fit_size *f) { return 2 * (double)f->s / f->entry; }

/* ---- As text ----------------------------------------------------------------------------------------------------- */

static void print_sizes(const fit *f) {
  puts("L_s times an s-by-c matrix of f32, row-major: time = start + entry s c, in ns; l = start / entry\n\n"
       "    s    start     entry         l  Gelem/s  GFLOP/s  worst   c");
  for (size_t i = 0; i < FIT_SIZES; i++) {
    const fit_size *z = &f->sizes[i];
    printf("%5zu  %7.1f  %8.4f  %8.1f  %7.2f  %7.1f  %4.0f%%   %zu to %zu\n", z->s, z->start, z->entry,
           z->start / z->entry, 1 / z->entry, flops(z), 100 * z->worst, z->columns[FIT_SHAPES - 1], z->columns[0]);
  }
}

static void print_runs(const fit *f) {
  puts("\nthe engine gemm on one thread: ns per element, by part, predicted and measured\n\n"
       "        n   s     tile    call  products   moves  totals   loops  predicted  measured  ratio");
  for (size_t i = 0; i < FIT_RUNS; i++) {
    const fit_run *r = &f->runs[i];
    const double n = (double)r->n;
    printf("%9zu  %2zu  %7zu  %6.4f    %6.4f  %6.4f  %6.4f  %6.4f     %6.4f    %6.4f   %4.2f\n", r->n, r->s, r->tile,
           r->call / n, r->products / n, r->moves / n, r->totals / n, r->loops / n, r->predicted / n, r->measured / n,
           r->predicted / r->measured);
  }
}

/* ---- As JSON ----------------------------------------------------------------------------------------------------- */

static json_t *size_of(const fit_size *z) {
  json_t *columns = json_array(), *times = json_array();
  for (size_t i = 0; i < FIT_SHAPES; i++) {
    json_array_append_new(columns, json_integer((json_int_t)z->columns[i]));
    json_array_append_new(times, json_real(z->time[i]));
  }
  return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "s", (json_int_t)z->s, "start", z->start, "entry",
                   z->entry, "latency", z->start / z->entry, "gflops", flops(z), "worst", z->worst, "columns", columns,
                   "times", times);
}

static json_t *run_of(const fit_run *r) {
  return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "n", (json_int_t)r->n, "s", (json_int_t)r->s,
                   "tile", (json_int_t)r->tile, "call", r->call, "products", r->products, "moves", r->moves, "totals",
                   r->totals, "loops", r->loops, "predicted", r->predicted, "measured", r->measured);
}

/* The BLAS behind the default unit. */
static json_t *unit_of(void) {
  mmscan_part unit = {.struct_size = sizeof unit};
  mmscan_get_unit(0, &unit);
  return json_pack("{s:o, s:o, s:o}", "name", json_text(unit.name), "library", json_text(unit.library), "version",
                   json_text(unit.version));
}

static int print_report(const fit *f) {
  json_t *sizes = json_array(), *runs = json_array();
  for (size_t i = 0; i < FIT_SIZES; i++) json_array_append_new(sizes, size_of(&f->sizes[i]));
  for (size_t i = 0; i < FIT_RUNS; i++) json_array_append_new(runs, run_of(&f->runs[i]));
  json_t *all = json_pack("{s:s, s:s, s:o, s:o, s:o}", "cpu", mmscan_cpu(), "isa", mmscan_isa(), "unit", unit_of(),
                          "sizes", sizes, "runs", runs);
  return print_json(all);
}

int fit_report(const fit *f, bool as_json) {
  if (as_json) return print_report(f);
  print_sizes(f);
  print_runs(f);
  return DONE;
}
