/* draw.c: the subcommand draw: the paper's figures, for any method, s and n. */
#include "arguments.h"
#include "command.h"
#include "message.h"
#include "network.h"
#include "python.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const char help[] =
    "Usage: mmscan draw [OPTION]... -o FILE.svg\n"
    "Runs a method of the paper's Table 1 on 1, 2, ..., n and draws what it did, by python3 or\n"
    "what PYTHON names.\n"
    "\n"
    "  -o, --output FILE\n"
    "                  the picture; - is standard output\n"
    "  --algorithm A   the method, default matmulscan: sklansky, hillis-steele, blelloch,\n"
    "                  brent-kung, dakkak-warp, dakkak-block or matmulscan\n"
    "  -n N            how many numbers, default 16, at most 1024; also as a power, 4^3\n"
    "  -s S            size of the matrices, default 4, for methods that have them\n"
    "  --figure F      circuit  adders and what they add (Figure 1), the default\n"
    "                  tensor   the products of each level as matrices (Figure 2)\n"
    "                  segments which steps of the general case run side by side (Figure 3)\n"
    "  --rule R        for matmulscan, if n is not a power of s: digits (segments by the digits of\n"
    "                  n to base s, default) or padded (every level)\n"
    "  --values        write the numbers into circuit and tensor\n"
    "  --help          this text\n";

enum { MOST_N = 1024, MOST_POSITIONS = 1 << 14, MOST_ENTRIES = 1 << 17 };

typedef struct request {
  const char *file;
  mmscan_method method;
  mmscan_length_rule rule; /* 0: not given */
  size_t n, s;
  enum { CIRCUIT = 1, TENSOR, SEGMENTS } figure;
  bool values;
} request;

static const char *const figures[] = {"circuit", "tensor", "segments", NULL};

/* ---- The run ----------------------------------------------------------------------------------------------------- */

/* Its events, as far as it is not too large to draw. */
typedef struct trace {
  json_t *events;
  size_t positions; /* elements, then temporaries */
  size_t entries;   /* of all matrices of the tensor figure: A is s-by-s, T and W are s-by-columns */
  bool failed;      /* there was no memory for an event */
} trace;

/* null: padding. No positions: an empty list. */
static json_t *positions_json(const size_t *positions, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; positions != NULL && i < count; i++)
    json_array_append_new(list,
                          positions[i] == MMSCAN_NO_ELEMENT ? json_null() : json_integer((json_int_t)positions[i]));
  return list;
}

static void keep(void *context, const mmscan_event *e) {
  trace *t = context;
  const size_t entries = e->s * e->columns;
  t->positions = e->positions;
  t->entries += e->s * e->s + 2 * entries;
  if (t->positions > MOST_POSITIONS) return;
  t->failed |=
      json_array_append_new(
          t->events, json_pack("{s:i, s:I, s:i, s:I, s:i, s:b, s:I, s:I, s:o, s:o, s:o}", "step", e->step, "segment",
                               (json_int_t)e->segment, "phase", (int)e->phase, "depth", (json_int_t)e->depth, "matrix",
                               (int)e->matrix, "is_product", e->is_product, "s", (json_int_t)e->s, "columns",
                               (json_int_t)e->columns, "inputs", positions_json(e->in, entries), "added",
                               positions_json(e->add, entries), "outputs", positions_json(e->out, entries))) != 0;
}

/* Runs the method on 1, 2, ..., n. */
static int run_method(const request *r, trace *t, mmscan_network_counts *counts) {
  uint64_t x[MOST_N] = {0};
  mmscan_network_desc desc = network_desc(&r->method, r->s, r->n);
  if (r->rule != 0) desc.length_rule = r->rule;
  desc.trace = keep;
  desc.trace_context = t;
  for (size_t i = 0; i < r->n; i++) x[i] = i + 1;
  const mmscan_status status = mmscan_network(&desc, x, x, counts);
  if (status == MMSCAN_ENOTSUP) return fail("%s: n = %zu is more than s^2 = %zu", r->method.name, r->n, r->s * r->s);
  if (status != MMSCAN_OK) return fail("%s: %s", r->method.name, mmscan_strerror(status));
  if (t->positions > MOST_POSITIONS || (r->figure == TENSOR && t->entries > MOST_ENTRIES))
    return fail("too large to draw: take a smaller s or n");
  return t->failed ? fail_memory() : DONE;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* The file is opened last, so that none is begun for a picture that cannot be made. */
static int draw_run(const request *r, const trace *t, const mmscan_network_counts *counts) {
  output out;
  int status = output_open(&out, r->file);
  if (status == DONE)
    status = python_draw(python_figures, figures[r->figure - 1],
                         json_pack("{s:b, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:O}",
                                   "values_shown", r->values, "method", r->method.name, "description",
                                   r->method.description, "has_s", r->method.has_s, "needs_commutative",
                                   r->method.needs_commutative, "n", (json_int_t)r->n, "s", (json_int_t)r->s,
                                   "positions", (json_int_t)t->positions, "counts", "depth", (json_int_t)counts->depth,
                                   "adders", (json_int_t)counts->adders, "additions", (json_int_t)counts->work_unpadded,
                                   "fan_in", (json_int_t)counts->fan_in, "fan_out", (json_int_t)counts->fan_out,
                                   "multiplications", (json_int_t)counts->multiplications, "events", t->events),
                         &out);
  return output_close(&out, status);
}

static int draw(const request *r) {
  trace t = {.events = json_array(), .positions = r->n};
  mmscan_network_counts counts = {.struct_size = sizeof counts};
  int status = run_method(r, &t, &counts);
  if (status == DONE) status = draw_run(r, &t, &counts);
  json_decref(t.events);
  return status;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int set_method(void *request_, char *name) {
  enum { MOST = 32 };
  request *r = request_;
  mmscan_method each = {.struct_size = sizeof each};
  const char *names[MOST] = {NULL};
  size_t index;
  for (size_t i = 0; i < MOST - 1 && mmscan_get_method(i, &each) == MMSCAN_OK; i++) names[i] = each.name;
  const int status = name_option("draw", "--algorithm", name, names, &index);
  if (status == DONE) network_method(name, &r->method);
  return status;
}

/* Whether the name has an ending other than .svg. A name without an ending may be that of a pipe. */
static bool ends_otherwise(const char *name) {
  const char *slash = strrchr(name, '/'), *dot = strrchr(slash != NULL ? slash : name, '.');
  return dot != NULL && strcasecmp(dot, ".svg") != 0;
}

/* Checks the options as a whole. */
static int check(const request *r) {
  if (r->file == NULL) return wrong_usage("draw", "-o FILE is missing");
  if (ends_otherwise(r->file)) return wrong_usage("draw", "-o: '%s' does not end in .svg", r->file);
  if (r->rule != 0 && strcmp(r->method.name, "matmulscan") != 0)
    return wrong_usage("draw", "--rule applies only to matmulscan, not to %s", r->method.name);
  if (r->values && r->figure == SEGMENTS) return wrong_usage("draw", "--values does not apply to --figure segments");
  if (r->figure == TENSOR && !r->method.has_s)
    return wrong_usage("draw", "--figure tensor: %s multiplies no matrices", r->method.name);
  if (r->figure == SEGMENTS && strcmp(r->method.name, "matmulscan") != 0)
    return wrong_usage("draw", "--figure segments: %s has no segments", r->method.name);
  return DONE;
}

int run_draw(int argc, char **argv) {
  static const char *const rules[] = {"digits", "padded", NULL}; /* from MMSCAN_DIGITS on */
  request r = {.n = 16, .s = 4, .figure = CIRCUIT};
  const argument options[] = {{'o', "output", ARGUMENT_TEXT, .to = &r.file},
                              {0, "algorithm", ARGUMENT_CALL, .take = set_method},
                              {'n', NULL, ARGUMENT_LENGTH, .to = &r.n, .least = 1, .most = MOST_N},
                              {'s', NULL, ARGUMENT_NUMBER, .to = &r.s, .least = 2, .most = MMSCAN_MAX_S},
                              {0, "figure", ARGUMENT_NAME, .to = &r.figure, .names = figures},
                              {0, "rule", ARGUMENT_NAME, .to = &r.rule, .names = rules},
                              {0, "values", ARGUMENT_FLAG, .to = &r.values},
                              {0}};
  network_method("matmulscan", &r.method);
  int status = read_only_options(options, "draw", help, &r, argc, argv);
  if (status == DONE) status = check(&r);
  return status == DONE ? draw(&r) : status;
}
