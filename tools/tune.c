/* tune.c: the subcommand tune: measures what is fastest here, and writes it down. */
#include "arguments.h"
#include "command.h"
#include "element.h"
#include "json.h"
#include "message.h"
#include "output.h"
#include "tryout.h"

#include <jansson.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] = "Usage: mmscan tune [OPTION]...\n"
                           "Measures which engine, unit, s, tile and number of threads are fastest here, for each\n"
                           "type and for lengths from 2^16 to 2^24, and writes the result to a file of wisdom. With\n"
                           "MMSCAN_WISDOM=FILE the library uses it. Takes about a minute, more with more libraries.\n"
                           "Routines of a BLAS that have crashed in some versions are tried first, each in a process\n"
                           "of its own; the file records which passed. Fails if MMSCAN_ENGINE names an engine, or\n"
                           "MMSCAN_UNIT or MMSCAN_NUM_THREADS is set; MMSCAN_WISDOM is not read.\n"
                           "\n"
                           "  -o, --output FILE\n"
                           "                the file, default mmscan.wisdom\n"
                           "  --unit FILE   measure this library too, a path or a soname; may be repeated\n"
                           "  --units       measure all libraries that are found where vendors put them\n"
                           "  --try UNIT ROUTINE\n"
                           "                only try that routine, in this process, which may crash\n"
                           "  --type T      only one type:\n"
                           "                {types}\n"
                           "  --op OP       scans by {ops};\n"
                           "                default: plus\n"
                           "  --quick       only 2^16 and 2^20\n"
                           "  --json        print the result as one JSON object\n"
                           "  --help        this text\n";

typedef struct request {
  const char *file;
  const element *type; /* NULL: all that op scans */
  mmscan_op op;
  bool quick;
  bool as_json;
  const char *trial;      /* the unit of which to try a routine; NULL: none */
  const char **libraries; /* of --unit; there is room for as many as there are arguments */
  int library_count;
  bool candidates; /* --units */
} request;

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static mmscan_status measure(mmscan_op op, mmscan_type type, size_t n, mmscan_choice *choice) {
  mmscan_desc desc = element_plain_scan(type, n);
  mmscan_plan *plan;
  desc.op = op;
  mmscan_status status = mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE);
  if (status == MMSCAN_OK) status = mmscan_plan_get_choice(plan, choice);
  mmscan_plan_destroy(plan);
  return status;
}

static void print_row(const char *op, const char *type, unsigned log2_n, const mmscan_choice *c) {
  printf("%s %s  2^%-2u  %-6s", op, type, log2_n, c->engine);
  if (c->unit) printf(" %s, s %zu,", c->unit, c->s);
  if (c->tile) printf(" tile %zu,", c->tile);
  printf(" %d thread%s\n", c->threads, c->threads == 1 ? "" : "s");
  fflush(stdout);
}

static void add_row(json_t *list, const char *op, const char *type, unsigned log2_n, const mmscan_choice *c) {
  json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:s, s:o, s:I, s:I, s:i}", "op", op, "type", type, "log2_n",
                                        (int)log2_n, "engine", c->engine, "unit", json_text(c->unit), "s",
                                        (json_int_t)c->s, "tile", (json_int_t)c->tile, "threads", c->threads));
}

static int tune_shape(const request *r, const element *type, unsigned log2_n, json_t *list) {
  mmscan_choice choice = {.struct_size = sizeof choice};
  mmscan_status status = measure(r->op, type->type, (size_t)1 << log2_n, &choice);
  if (status)
    return fail("%s %s, n = 2^%u: %s", element_operator_name(r->op), type->name, log2_n, mmscan_strerror(status));
  if (r->as_json)
    add_row(list, element_operator_name(r->op), type->name, log2_n, &choice);
  else
    print_row(element_operator_name(r->op), type->name, log2_n, &choice);
  return DONE;
}

static bool is_scanned(const request *r, const element *type) {
  return element_fill(type, r->op, MMSCAN_INCLUSIVE, NULL, 0);
}

/* Whether a type is combined as it is: others share what is measured of those. */
static bool is_own(const request *r, const element *type) {
  mmscan_algebra row = {.struct_size = sizeof row};
  for (size_t i = 0; mmscan_get_algebra(i, &row) == MMSCAN_OK; i++)
    if (row.op == r->op && row.type == type->type) return row.combined_as == row.type;
  return false;
}

static int tune_all(const request *r, json_t *list) {
  int status = DONE;
  const element *type;
  for (int i = 0; status == DONE && (type = element_at(i)) != NULL; i++) {
    if (r->type != NULL ? r->type != type : !is_own(r, type)) continue;
    for (unsigned k = 16; k <= (r->quick ? 20 : 24) && status == DONE; k += r->quick ? 4 : 1)
      status = tune_shape(r, type, k, list);
  }
  return status;
}

/* ---- The report -------------------------------------------------------------------------------------------------- */

static int write_wisdom(const request *r, json_t *list, json_t *tried) {
  mmscan_status status = mmscan_wisdom_write(r->file);
  if (status == MMSCAN_EIO) return fail_file(r->file);
  if (status) return fail("%s: %s", r->file, mmscan_strerror(status));
  if (!r->as_json) {
    printf("written to %s: set MMSCAN_WISDOM to this file\n", r->file);
    return DONE;
  }
  return print_json(json_pack("{s:s, s:o, s:O, s:O}", "version", mmscan_version(), "file", json_text(r->file),
                              "routines", tried, "choices", list));
}

/* What the environment settles is not measured, and then the library keeps no part of the choice as wisdom. */
static int refuse_settings(void) {
  const char *engine = getenv("MMSCAN_ENGINE"), *threads = getenv("MMSCAN_NUM_THREADS"), *unit = getenv("MMSCAN_UNIT");
  if (engine && *engine && strcmp(engine, "auto") != 0) return fail("MMSCAN_ENGINE=%s: nothing to choose from", engine);
  if (unit && *unit) return fail("MMSCAN_UNIT=%s: no other unit would be measured; see --unit", unit);
  if (threads && *threads) return fail("MMSCAN_NUM_THREADS=%s: the choice would hold for this number only", threads);
  return DONE;
}

/* Finds out whether the file can be written, before anything is measured. */
static int check_file(const char *name) {
  struct stat file;
  output probe;
  if (output_is_descriptor(name)) return fail("%s: must be a regular file, which is replaced as a whole", name);
  if (stat(name, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode))
    return fail("%s: not a regular file", name);
  const int status = output_open(&probe, name);
  output_close(&probe, FAILED);
  return status;
}

static int open_libraries(const request *r) {
  for (int i = 0; i < r->library_count; i++)
    if (open_library(r->libraries[i]) != DONE) return FAILED;
  if (r->candidates) open_candidates();
  return DONE;
}

/* Wisdom from a file would be believed instead of measured. */
static int tune(const request *r) {
  unsetenv("MMSCAN_WISDOM");
  if (r->type != NULL && !is_scanned(r, r->type))
    return fail("--op %s does not scan %s", element_operator_name(r->op), r->type->name);
  if (mmscan_environment_error()) return fail("%s", mmscan_environment_error());
  if (refuse_settings() != DONE || check_file(r->file) != DONE || open_libraries(r) != DONE) return FAILED;
  json_t *list = json_array(), *tried = json_array();
  int status = list && tried ? DONE : fail_memory();
  if (status == DONE) try_routines(r->as_json ? tried : NULL);
  if (status == DONE) status = tune_all(r, list);
  if (status == DONE) status = write_wisdom(r, list, tried);
  json_decref(list);
  json_decref(tried);
  return status;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int add_unit(void *request_, char *library) {
  request *r = request_;
  r->libraries[r->library_count++] = library;
  return DONE;
}

static int read_and_run(request *r, int argc, char **argv) {
  const argument options[] = {{'o', "output", ARGUMENT_TEXT, .to = &r->file},
                              {0, "type", ARGUMENT_TYPE, .to = &r->type},
                              {0, "op", ARGUMENT_OP, .to = &r->op},
                              {0, "unit", ARGUMENT_CALL, .take = add_unit},
                              {0, "units", ARGUMENT_FLAG, .to = &r->candidates},
                              {0, "try", ARGUMENT_TEXT, .to = &r->trial},
                              {0, "quick", ARGUMENT_FLAG, .to = &r->quick},
                              {0, "json", ARGUMENT_FLAG, .to = &r->as_json},
                              {0}};
  const int status = read_options(options, "tune", help, r, argc, argv);
  if (status != DONE) return status;
  if (r->trial && optind + 1 == argc) return try_here(r->trial, argv[optind]);
  if (r->trial) return wrong_usage("tune", "--try takes two arguments, UNIT ROUTINE");
  if (optind < argc) return wrong_usage("tune", "unexpected argument '%s'", argv[optind]);
  if (strcmp(r->file, "-") == 0) return wrong_usage("tune", "-o: a file, not standard output");
  return tune(r);
}

int run_tune(int argc, char **argv) {
  request r = {.file = "mmscan.wisdom", .op = MMSCAN_PLUS};
  r.libraries = calloc((size_t)argc, sizeof *r.libraries);
  const int status = r.libraries != NULL ? read_and_run(&r, argc, argv) : fail_memory();
  free(r.libraries);
  return status;
}
