/* info.c: the subcommand info: version, CPU, engines, units, instruction sets, wisdom and environment.
 *
 * The report is made once, as JSON; the text is printed from it. */
#include "arguments.h"
#include "command.h"
#include "json.h"
#include "message.h"

#include <jansson.h>
#include <mmscan_paper.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: mmscan info [--kernels] [--json]\n"
    "Prints the version, the CPU and the instruction set chosen, threads, engines, units with\n"
    "the BLAS behind each and its routines, instruction sets, ways in which threads share work, the file\n"
    "of wisdom in use, and\n"
    "the environment variables that are set.\n"
    "\n"
    "  --kernels   for each instruction set that runs here, operator and type, where each part\n"
    "              of the kernel comes from: native, inherited from another instruction\n"
    "              set, made of the part 'scan', or the plain loop\n"
    "  --json      as one JSON object\n"
    "  --help      this text\n"
    "\n"
    "Exit status: 1 if the environment is illegal, after the report.\n";

/* ---- The report -------------------------------------------------------------------------------------------------- */

/* The names and descriptions in a table of the library. */
static json_t *parts(mmscan_status (*get)(size_t index, mmscan_part *part)) {
  json_t *list = json_array();
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; get(i, &part) == MMSCAN_OK; i++)
    json_array_append_new(
        list, json_pack("{s:o, s:o}", "name", json_text(part.name), "description", json_text(part.description)));
  return list;
}

static json_t *routines(const char *unit) {
  json_t *list = json_array();
  mmscan_routine r = {.struct_size = sizeof r};
  for (size_t i = 0; mmscan_get_routine(unit, i, &r) == MMSCAN_OK; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:b, s:b, s:s}", "name", r.name, "used", r.state == MMSCAN_ROUTINE_USED,
                                    "absent", r.state == MMSCAN_ROUTINE_ABSENT, "remark", r.remark));
  return list;
}

static json_t *units(void) {
  json_t *list = json_array();
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    json_array_append_new(list, json_pack("{s:o, s:o, s:b, s:o, s:o, s:i, s:o}", "name", json_text(part.name),
                                          "description", json_text(part.description), "here", part.status == MMSCAN_OK,
                                          "library", json_text(part.library), "version", json_text(part.version),
                                          "threads", part.threads, "routines", routines(part.name)));
  return list;
}

static json_t *environment(void) {
  static const char *const own[] = {"MMSCAN_"};
  return json_environment(own, 1);
}

/* The wisdom file that was read: this process reads none but that of MMSCAN_WISDOM. */
static json_t *wisdom(void) {
  const char *file = getenv("MMSCAN_WISDOM");
  if (file == NULL || *file == '\0') return json_null();
  return json_pack("{s:o, s:I}", "file", json_text(file), "shapes", (json_int_t)mmscan_wisdom_count());
}

static json_t *report(void) {
  return json_pack("{s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", json_text(mmscan_version()),
                   "cpu", json_text(mmscan_cpu()), "isa", json_text(mmscan_isa()), "threads", mmscan_threads(),
                   "engines", parts(mmscan_get_engine), "units", units(), "isas", parts(mmscan_get_isa), "ways",
                   parts(mmscan_get_way), "wisdom", wisdom(), "environment", environment(), "environment_error",
                   json_text(mmscan_environment_error()));
}

static const char *field(const json_t *object, const char *key, const char *absent) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : absent;
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* The parts of one kernel: from where each comes. */
static json_t *slots_of(const char *isa, size_t row) {
  json_t *slots = json_object();
  mmscan_kernel k = {.struct_size = sizeof k};
  for (size_t i = 0; mmscan_get_kernel(isa, row, i, &k) == MMSCAN_OK; i++)
    json_object_set_new(slots, k.slot, json_text(k.origin));
  return slots;
}

static void add_kernels(json_t *list, const char *isa) {
  mmscan_algebra a = {.struct_size = sizeof a};
  for (size_t row = 0; mmscan_get_algebra(row, &a) == MMSCAN_OK; row++)
    if (a.type == a.combined_as)
      json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "isa", isa, "op", a.op_name, "type", a.type_name,
                                            "parts", slots_of(isa, row)));
}

static json_t *all_kernels(void) {
  json_t *list = json_array();
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_isa(i, &part) == MMSCAN_OK; i++)
    if (part.status == MMSCAN_OK) add_kernels(list, part.name);
  return list;
}

static void print_kernel(const json_t *kernel, bool is_first) {
  json_t *parts = json_object_get(kernel, "parts"), *origin;
  const char *isa = field(kernel, "isa", ""), *name;
  if (is_first) printf("%-13s", isa);
  if (is_first)
    json_object_foreach (parts, name, origin) printf("  %-14s", name);
  printf("%s%-8s %-4s", is_first ? "\n" : "", field(kernel, "op", ""), field(kernel, "type", ""));
  json_object_foreach (parts, name, origin) {
    const char *from = json_string_value(origin);
    printf("  %-14s", from == NULL ? "-" : strcmp(from, isa) == 0 ? "native" : from);
  }
  putchar('\n');
}

static int print_kernels(bool as_json) {
  json_t *list = all_kernels(), *kernel;
  const char *isa = "";
  size_t i;
  if (as_json) return print_json(json_pack("{s:s, s:o}", "version", mmscan_version(), "kernels", list));
  json_array_foreach (list, i, kernel) {
    const bool is_first = strcmp(field(kernel, "isa", ""), isa) != 0;
    if (is_first && i > 0) putchar('\n');
    print_kernel(kernel, is_first);
    isa = field(kernel, "isa", "");
  }
  json_decref(list);
  return list != NULL ? DONE : fail_memory();
}

/* ---- As text ----------------------------------------------------------------------------------------------------- */

static void print_library(const json_t *unit) {
  const char *library = field(unit, "library", NULL);
  const int threads = (int)json_integer_value(json_object_get(unit, "threads"));
  if (library == NULL) return;
  printf("             %s, version %s", library, field(unit, "version", "unknown"));
  if (threads > 0) printf(", %d thread%s", threads, threads == 1 ? "" : "s");
  putchar('\n');
}

/* The routines in use on one line, then a line for each that is present but not in use. */
static void print_routines(const json_t *list) {
  const char *before = "             has ";
  json_t *r;
  size_t i;
  json_array_foreach (list, i, r) {
    if (!json_is_true(json_object_get(r, "used"))) continue;
    printf("%s%s", before, field(r, "name", ""));
    before = ", ";
  }
  if (*before == ',') putchar('\n');
  json_array_foreach (list, i, r)
    if (!json_is_true(json_object_get(r, "used")) && !json_is_true(json_object_get(r, "absent")))
      printf("             %s: %s\n", field(r, "name", ""), field(r, "remark", ""));
}

static void print_parts(const char *title, const json_t *list) {
  json_t *part;
  size_t i;
  puts(title);
  json_array_foreach (list, i, part) {
    printf("  %-10s %s\n", field(part, "name", ""), field(part, "description", ""));
    if (json_is_false(json_object_get(part, "here"))) puts("             cannot be used here");
    print_library(part);
    print_routines(json_object_get(part, "routines"));
  }
}

static void print_environment(json_t *set) {
  const char *name;
  json_t *value;
  printf("environment%s\n", json_object_size(set) == 0 ? "  none of MMSCAN_* is set" : "");
  json_object_foreach (set, name, value) {
    print_clean("  %s=%s", name, json_string_value(value));
  }
}

static void print_wisdom(const json_t *wisdom) {
  const int shapes = (int)json_integer_value(json_object_get(wisdom, "shapes"));
  if (json_is_null(wisdom))
    puts("wisdom       none");
  else
    print_clean("wisdom       %s, %d shape%s", field(wisdom, "file", ""), shapes, shapes == 1 ? "" : "s");
}

static void print_text(const json_t *r) {
  printf("version      %s\n", field(r, "version", ""));
  printf("CPU          %s\n", field(r, "cpu", "unknown"));
  printf("ISA          %s\n", field(r, "isa", "unknown"));
  printf("threads      %d\n", (int)json_integer_value(json_object_get(r, "threads")));
  print_parts("engines", json_object_get(r, "engines"));
  print_parts("units", json_object_get(r, "units"));
  print_parts("instruction sets", json_object_get(r, "isas"));
  print_parts("ways to share work", json_object_get(r, "ways"));
  print_wisdom(json_object_get(r, "wisdom"));
  print_environment(json_object_get(r, "environment"));
  const char *error = field(r, "environment_error", NULL);
  if (error != NULL) print_clean("environment is illegal: %s", error);
}

static int print_report(bool as_json) {
  json_t *r = report();
  const char *error = mmscan_environment_error();
  if (r == NULL) return fail_memory();
  if (!as_json) print_text(r);
  const int status = as_json ? print_json(json_incref(r)) : DONE;
  json_decref(r);
  return error == NULL ? status : fail("%s", error);
}

int run_info(int argc, char **argv) {
  bool as_json = false, kernels = false;
  const argument options[] = {
      {0, "json", ARGUMENT_FLAG, .to = &as_json}, {0, "kernels", ARGUMENT_FLAG, .to = &kernels}, {0}};
  const int status = read_only_options(options, "info", help, NULL, argc, argv);
  if (status != DONE) return status;
  return kernels ? print_kernels(as_json) : print_report(as_json);
}
