/* model.c: the subcommand model: a run in the (s^2, l)-TCU model of the paper.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "arguments.h"
#include "command.h"
#include "fit.h"
#include "json.h"
#include "machine.h"
#include "message.h"

#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <mmscan_paper.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "Usage: mmscan model -n N -s S [-l L] [-p P] [--lanes V] [--json]\n"
                           "       mmscan model --fit [--json]\n"
                           "Runs MatMulScan in the (S^2, L)-TCU model of the paper, and prints what was counted\n"
                           "beside the paper's bounds. A tensor unit multiplies an S-by-S matrix by an S-by-C one,\n"
                           "C >= S, in time C S + L; all else is free.\n"
                           "\n"
                           "  -n N        elements; also as a power, 4^6\n"
                           "  -s S        size of the matrices, from 2\n"
                           "  -l L        latency of a multiplication, default 0; need not be whole\n"
                           "  -p P        tensor units, default 1\n"
                           "  --lanes V   a vector unit beside each tensor unit multiplies by B_S instead, with V\n"
                           "              additions in a unit of time\n"
                           "  --json      as one JSON object\n"
                           "  --fit       instead: measure this machine's BLAS as a tensor unit, and how well the\n"
                           "              model then predicts the engine gemm; takes some seconds\n"
                           "  --help      this text\n";

#define MOST ((size_t)INT64_MAX) /* the largest integer in JSON */

typedef struct request {
  mmscan_model_desc desc;
  bool has_n, has_shape; /* -n was given; -n, -s, -l, -p or --lanes was given */
  bool as_json, fits;
} request;

/* ---- As text ----------------------------------------------------------------------------------------------------- */

/* Whole numbers in full, others to three decimal places. */
static void print_number(double value) {
  if (isnan(value))
    printf("  %16s", "-");
  else
    printf("  %16.*f", value == floor(value) ? 0 : 3, value);
}

static void print_figure(const char *name, mmscan_figure f) {
  printf("%-34s", name);
  print_number(f.counted);
  print_number(f.bound);
  putchar('\n');
}

static void print_value(const char *name, double value) { print_figure(name, (mmscan_figure){value, NAN}); }

static void print_text(const mmscan_model_desc *d, const mmscan_model_result *r) {
  char name[80];
  printf("n = %zu, s = %zu: %.0f segment%s\n", d->n, d->s, r->segments, r->segments == 1 ? "" : "s");
  printf("(%zu, %g)-TCU, %zu unit%s", d->s * d->s, d->latency, d->units, d->units == 1 ? "" : "s");
  if (d->lanes) printf(", vector units of %zu lane%s", d->lanes, d->lanes == 1 ? "" : "s");
  printf("\n\n%-34s  %16s  %16s\n", "", "counted", "bound");
  print_figure("depth", r->depth);
  print_figure("multiplications", r->multiplications);
  print_figure("additions", r->additions);
  print_value("  without those on padding", r->additions_unpadded);
  print_figure("time on one unit, a product a level", r->one_unit);
  snprintf(name, sizeof name, "time on %zu unit%s, in squares", d->units, d->units == 1 ? "" : "s");
  print_figure(name, r->p_units);
  print_value("  critical path", r->critical_path);
  print_value("  work on tensor units", r->work);
  if (d->lanes) print_value("  work on vector units", r->vector_work);
  print_value("  Brent's bound of these", r->brent);
  print_figure("utilisation of L", r->utilisation_l);
  print_figure("utilisation of B", r->utilisation_b);
  if (r->depth.counted > r->depth.bound) puts("\nThe paper's bound on the depth is too low for so small an n.");
}

/* ---- As JSON ----------------------------------------------------------------------------------------------------- */

/* An integer if the value is whole and below 2^53, else a real; null if there is none or it exceeds the range of a
 * double. */
static json_t *number_of(double value) {
  if (!isfinite(value)) return json_null();
  return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *figure_of(mmscan_figure f) {
  return json_pack("{s:o, s:o}", "counted", number_of(f.counted), "bound", number_of(f.bound));
}

static json_t *desc_of(const mmscan_model_desc *d) {
  return json_pack("{s:I, s:I, s:o, s:I, s:I}", "n", (json_int_t)d->n, "s", (json_int_t)d->s, "latency",
                   number_of(d->latency), "units", (json_int_t)d->units, "lanes", (json_int_t)d->lanes);
}

static int add_result(json_t *object, const mmscan_model_result *r) {
  const struct {
    const char *name;
    json_t *value;
  } rows[] = {{"segments", number_of(r->segments)},
              {"depth", figure_of(r->depth)},
              {"multiplications", figure_of(r->multiplications)},
              {"additions", figure_of(r->additions)},
              {"additions_unpadded", number_of(r->additions_unpadded)},
              {"one_unit", figure_of(r->one_unit)},
              {"p_units", figure_of(r->p_units)},
              {"work", number_of(r->work)},
              {"vector_work", number_of(r->vector_work)},
              {"critical_path", number_of(r->critical_path)},
              {"brent", number_of(r->brent)},
              {"utilisation_l", figure_of(r->utilisation_l)},
              {"utilisation_b", figure_of(r->utilisation_b)}};
  int failed = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    failed |= json_object_set_new(object, rows[i].name, rows[i].value);
  return failed;
}

static int print_report(const mmscan_model_desc *d, const mmscan_model_result *r) {
  json_t *object = desc_of(d);
  if (object != NULL && add_result(object, r) == 0) return print_json(object);
  json_decref(object);
  return fail_memory();
}

/* Whether a run needs more memory than there is, for which the process might be killed. The bytes for each element are
 * the least that were measured. */
static bool is_too_long(const mmscan_model_desc *d) {
  const size_t bytes = d->s == 2 ? 64 : d->s <= 16 ? 32 : 12;
  return d->n > machine_memory() / bytes;
}

static int model(const request *r) {
  mmscan_model_result result = {.struct_size = sizeof result};
  if (is_too_long(&r->desc)) return fail("n = %zu: there is not enough memory", r->desc.n);
  mmscan_status status = mmscan_model(&r->desc, &result);
  if (status) return fail("n = %zu, s = %zu: %s", r->desc.n, r->desc.s, mmscan_strerror(status));
  if (r->as_json) return print_report(&r->desc, &result);
  print_text(&r->desc, &result);
  return DONE;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static bool read_latency(const char *text, double *latency) {
  char *end;
  *latency = strtod(text, &end) + 0.0; /* turns -0 into 0 */
  return end != text && *end == '\0' && *latency >= 0 && isfinite(*latency);
}

static int set_option(request *r, int option) {
  if (strchr("nslpv", option) != NULL) r->has_shape = true;
  switch (option) {
  case 'n':
    r->has_n = true;
    return length_option("model", "-n", optarg, 0, MOST, &r->desc.n);
  case 's':
    return number_option("model", "-s", optarg, 2, MMSCAN_MAX_S, &r->desc.s);
  case 'l':
    return read_latency(optarg, &r->desc.latency) ? DONE : wrong_usage("model", "-l: '%s' is not a latency", optarg);
  case 'p':
    return number_option("model", "-p", optarg, 1, MOST, &r->desc.units);
  case 'v':
    return number_option("model", "--lanes", optarg, 1, MOST, &r->desc.lanes);
  case 'f':
    r->fits = true;
    return DONE;
  case 'j':
    r->as_json = true;
    return DONE;
  default:
    return wrong_usage("model", NULL);
  }
}

static int measure_fit(const request *r) {
  fit f;
  if (r->has_shape) return wrong_usage("model", "--fit takes no other option but --json");
  const int status = fit_measure(&f);
  return status == DONE ? fit_report(&f, r->as_json) : status;
}

int run_model(int argc, char **argv) {
  static const struct option options[] = {{"lanes", required_argument, NULL, 'v'},
                                          {"fit", no_argument, NULL, 'f'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  request r = {.desc = {.struct_size = sizeof r.desc, .units = 1}};
  int option, status = DONE;
  while (status == DONE && (option = getopt_long(argc, argv, "hn:s:l:p:", options, NULL)) != -1) {
    if (option == 'h') return print_help(help);
    status = set_option(&r, option);
  }
  if (status == DONE) status = no_more_arguments("model", argc, argv);
  if (status == DONE && r.fits) return measure_fit(&r);
  if (status == DONE && (!r.has_n || r.desc.s == 0)) status = wrong_usage("model", "-n and -s are needed");
  return status == DONE ? model(&r) : status;
}
