/* model.c: the subcommand model: a run in the (s^2, l)-TCU model of the paper. */
#include "arguments.h"
#include "command.h"
#include "fit.h"
#include "json.h"
#include "machine.h"
#include "message.h"
#include "model_mpi.h"

#include <jansson.h>
#include <math.h>
#include <mmscan_paper.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: mmscan model -n N -s S [-l L] [-p P] [--lanes V] [--json]\n"
    "       mmscan model --fit [--json]\n"
    "       mmscan model --mpi [OPTION]...\n"
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
    "  --mpi       instead: the time of a scan over the ranks of MPI; model --mpi --help tells more\n"
    "  --help      this text\n";

#define MOST ((size_t)INT64_MAX) /* the largest integer in JSON */

typedef struct request {
  mmscan_model_desc desc;
  bool as_json, fits;
} request;

/* ---- The report -------------------------------------------------------------------------------------------------- */

/* What is counted, in JSON and in text, where a number of units goes into its label; and whether it has a bound. */
static const struct {
  const char *name, *label;
  size_t at;
  bool has_bound;
} rows[] = {
    {"depth", "depth", offsetof(mmscan_model_result, depth), true},
    {"multiplications", "multiplications", offsetof(mmscan_model_result, multiplications), true},
    {"additions", "additions", offsetof(mmscan_model_result, additions), true},
    {"additions_unpadded", "  without those on padding", offsetof(mmscan_model_result, additions_unpadded), false},
    {"one_unit", "time on one unit, a product a level", offsetof(mmscan_model_result, one_unit), true},
    {"p_units", "time on %zu unit%s, in squares", offsetof(mmscan_model_result, p_units), true},
    {"critical_path", "  critical path", offsetof(mmscan_model_result, critical_path), false},
    {"work", "  work on tensor units", offsetof(mmscan_model_result, work), false},
    {"vector_work", "  work on vector units", offsetof(mmscan_model_result, vector_work), false},
    {"brent", "  Brent's bound of these", offsetof(mmscan_model_result, brent), false},
    {"utilisation_l", "utilisation of L", offsetof(mmscan_model_result, utilisation_l), true},
    {"utilisation_b", "utilisation of B", offsetof(mmscan_model_result, utilisation_b), true}};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* NaN: there is no bound. */
static mmscan_figure figure_at(const mmscan_model_result *r, int row) {
  const void *at = (const char *)r + rows[row].at;
  return rows[row].has_bound ? *(const mmscan_figure *)at : (mmscan_figure){*(const double *)at, NAN};
}

/* Whole numbers in full, others to three decimal places. */
static void print_number(double value) {
  if (isnan(value))
    printf("  %16s", "-");
  else
    printf("  %16.*f", value == floor(value) ? 0 : 3, value);
}

static void print_text(const mmscan_model_desc *d, const mmscan_model_result *r) {
  printf("n = %zu, s = %zu: %.0f segment%s\n", d->n, d->s, r->segments, r->segments == 1 ? "" : "s");
  printf("(%zu, %g)-TCU, %zu unit%s", d->s * d->s, d->latency, d->units, d->units == 1 ? "" : "s");
  if (d->lanes) printf(", vector units of %zu lane%s", d->lanes, d->lanes == 1 ? "" : "s");
  printf("\n\n%-34s  %16s  %16s\n", "", "counted", "bound");
  for (int i = 0; i < ROWS; i++) {
    char label[80];
    if (strcmp(rows[i].name, "vector_work") == 0 && !d->lanes) continue;
    snprintf(label, sizeof label, rows[i].label, d->units, d->units == 1 ? "" : "s");
    printf("%-34s", label);
    print_number(figure_at(r, i).counted);
    print_number(figure_at(r, i).bound);
    putchar('\n');
  }
  if (r->depth.counted > r->depth.bound) puts("\nThe paper's bound on the depth is too low for so small an n.");
}

/* An integer if the value is whole and below 2^53, else a real; null if there is none or it exceeds the range of a
 * double. */
static json_t *number_of(double value) {
  if (!isfinite(value)) return json_null();
  return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static int print_report(const mmscan_model_desc *d, const mmscan_model_result *r) {
  json_t *object = json_pack("{s:I, s:I, s:o, s:I, s:I, s:o}", "n", (json_int_t)d->n, "s", (json_int_t)d->s, "latency",
                             number_of(d->latency), "units", (json_int_t)d->units, "lanes", (json_int_t)d->lanes,
                             "segments", number_of(r->segments));
  for (int i = 0; i < ROWS; i++) {
    const mmscan_figure f = figure_at(r, i);
    json_t *value = rows[i].has_bound
                        ? json_pack("{s:o, s:o}", "counted", number_of(f.counted), "bound", number_of(f.bound))
                        : number_of(f.counted);
    json_object_set_new(object, rows[i].name, value);
  }
  return print_json(object);
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

static int set_latency(void *request_, char *text) {
  request *r = request_;
  char *end;
  r->desc.latency = strtod(text, &end) + 0.0; /* turns -0 into 0 */
  const bool good = end != text && *end == '\0' && r->desc.latency >= 0 && isfinite(r->desc.latency);
  return good ? DONE : wrong_usage("model", "-l: '%s' is not a latency", text);
}

/* What is not given is left as it is here. */
static const mmscan_model_desc nothing = {
    .struct_size = sizeof nothing, .n = MOST + 1, .latency = -1}; /* of -p and --lanes, 0 is not allowed */

int run_model(int argc, char **argv) {
  if (model_mpi_is_asked(argc, argv)) return model_mpi_run(argc, argv);
  request r = {.desc = nothing};
  mmscan_model_desc *d = &r.desc;
  const argument options[] = {{'n', NULL, ARGUMENT_LENGTH, .to = &d->n, .least = 0, .most = MOST},
                              {'s', NULL, ARGUMENT_NUMBER, .to = &d->s, .least = 2, .most = MMSCAN_MAX_S},
                              {'l', NULL, ARGUMENT_CALL, .take = set_latency},
                              {'p', NULL, ARGUMENT_NUMBER, .to = &d->units, .least = 1, .most = MOST},
                              {0, "lanes", ARGUMENT_NUMBER, .to = &d->lanes, .least = 1, .most = MOST},
                              {0, "fit", ARGUMENT_FLAG, .to = &r.fits},
                              {0, "json", ARGUMENT_FLAG, .to = &r.as_json},
                              {0}};
  const int status = read_only_options(options, "model", help, &r, argc, argv);
  if (status != DONE) return status;
  if (r.fits && memcmp(d, &nothing, sizeof nothing) != 0)
    return wrong_usage("model", "--fit takes no other option but --json");
  if (r.fits) return fit_run_all(r.as_json);
  if (d->n > MOST || d->s == 0) return wrong_usage("model", "-n and -s are needed");
  if (d->latency < 0) d->latency = 0;
  if (d->units == 0) d->units = 1;
  return model(&r);
}
