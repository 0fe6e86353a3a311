/* draw.c: the subcommand draw: the paper's figures, for any method, s and n.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "arguments.h"
#include "command.h"
#include "figure.h"
#include "message.h"
#include "output.h"
#include "traced.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char help[] =
    "Usage: mmscan draw [OPTION]... -o FILE.svg\n"
    "Runs a method of the paper's Table 1 on 1, 2, ..., n and draws what it did.\n"
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

typedef int figure(FILE *to, const traced *run, const figure_options *options);

typedef struct request {
  const char *file;
  mmscan_method method;
  mmscan_length_rule rule;
  bool has_rule;
  size_t n, s;
  figure *figure;
  figure_options options;
} request;

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Draws into memory first, so that no file is begun for a picture that cannot be made. */
static int make(const request *r, const traced *run, char **text, size_t *size) {
  FILE *to = open_memstream(text, size);
  if (to == NULL) return fail_memory();
  int status = r->figure(to, run, &r->options);
  const bool failed = ferror(to) != 0;
  if ((fclose(to) != 0 || failed) && status == DONE) status = fail_memory();
  return status;
}

static int write_file(const char *name, const char *text, size_t size) {
  output out;
  int status = output_open(&out, name);
  if (status == DONE) status = output_write(&out, text, size);
  return output_close(&out, status);
}

/* The entries of all matrices of the tensor figure: A is s-by-s, T and W are s-by-columns. */
static size_t entries_of(const traced *run) {
  size_t entries = 0;
  for (size_t i = 0; i < run->events; i++) entries += run->event[i].s * (run->event[i].s + 2 * run->event[i].columns);
  return entries;
}

static bool is_too_large(const request *r, const traced *run) {
  return run->positions > MOST_POSITIONS || (r->figure == figure_tensor && entries_of(run) > MOST_ENTRIES);
}

static int draw(const request *r) {
  traced run;
  char *text = NULL;
  size_t size = 0;
  mmscan_network_desc desc = traced_desc(&r->method, r->s, r->n);
  desc.length_rule = r->rule;
  int status = traced_run(&run, &r->method, &desc);
  if (status == DONE && is_too_large(r, &run)) status = fail("too large to draw: take a smaller s or n");
  if (status == DONE) status = make(r, &run, &text, &size);
  if (status == DONE) status = write_file(r->file, text, size);
  free(text);
  traced_free(&run);
  return status;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int set_method(request *r, const char *name) {
  enum { MOST = 32 };
  mmscan_method each = {.struct_size = sizeof each};
  const char *names[MOST] = {NULL};
  size_t index;
  for (size_t i = 0; i < MOST - 1 && mmscan_get_method(i, &each) == MMSCAN_OK; i++) names[i] = each.name;
  const int status = name_option("draw", "--algorithm", name, names, &index);
  if (status == DONE) traced_method(name, &r->method);
  return status;
}

static int set_figure(request *r, const char *name) {
  static const char *const names[] = {"circuit", "tensor", "segments", NULL};
  static figure *const figures[] = {figure_circuit, figure_tensor, figure_segments};
  size_t index;
  const int status = name_option("draw", "--figure", name, names, &index);
  if (status == DONE) r->figure = figures[index];
  return status;
}

static int set_rule(request *r, const char *name) {
  static const char *const names[] = {"digits", "padded", NULL};
  size_t index;
  const int status = name_option("draw", "--rule", name, names, &index);
  r->has_rule = true;
  r->rule = status == DONE && index == 1 ? MMSCAN_PADDED : MMSCAN_DIGITS;
  return status;
}

static int set_option(request *r, int option) {
  switch (option) {
  case 'o':
    r->file = optarg;
    return DONE;
  case 'a':
    return set_method(r, optarg);
  case 'n':
    return length_option("draw", "-n", optarg, 1, MOST_N, &r->n);
  case 's':
    return number_option("draw", "-s", optarg, 2, MMSCAN_MAX_S, &r->s);
  case 'f':
    return set_figure(r, optarg);
  case 'r':
    return set_rule(r, optarg);
  case 'v':
    r->options.values = true;
    return DONE;
  default:
    return wrong_usage("draw", NULL);
  }
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
  if (r->has_rule && strcmp(r->method.name, "matmulscan") != 0)
    return wrong_usage("draw", "--rule applies only to matmulscan, not to %s", r->method.name);
  if (r->options.values && r->figure == figure_segments)
    return wrong_usage("draw", "--values does not apply to --figure segments");
  if (r->figure == figure_tensor && !r->method.has_s)
    return wrong_usage("draw", "--figure tensor: %s multiplies no matrices", r->method.name);
  if (r->figure == figure_segments && strcmp(r->method.name, "matmulscan") != 0)
    return wrong_usage("draw", "--figure segments: %s has no segments", r->method.name);
  return DONE;
}

int run_draw(int argc, char **argv) {
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"algorithm", required_argument, NULL, 'a'},
                                          {"figure", required_argument, NULL, 'f'},
                                          {"rule", required_argument, NULL, 'r'},
                                          {"values", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  request r = {.rule = MMSCAN_DIGITS, .n = 16, .s = 4, .figure = figure_circuit};
  int option, status = DONE;
  traced_method("matmulscan", &r.method);
  while (status == DONE && (option = getopt_long(argc, argv, "hn:s:o:", options, NULL)) != -1) {
    if (option == 'h') return print_help(help);
    status = set_option(&r, option);
  }
  if (status == DONE) status = no_more_arguments("draw", argc, argv);
  if (status == DONE) status = check(&r);
  return status == DONE ? draw(&r) : status;
}
