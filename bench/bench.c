/* bench.c: the engines and units beside the copy bound and the serial loop, in one process.
 *
 * bench [-n LOG2] [--type T] [--rounds R] [--json]
 */
#include "bound.h"
#include "mmscan.h"
#include "timing.h"

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTENDERS = 64, SHORT_N = 16, MODEL_MOST = 1 << 20 };

typedef struct type_row {
  const char *name;
  mmscan_type type;
  size_t size;
  void (*serial)(size_t n, const void *x, void *y);
  mmscan_status (*call)(size_t n, const void *x, void *y);
} type_row;

/* ---- What differs by type ------------------------------------------------------------------------------------- */

#define T      float
#define SUFFIX f32
#include "bench_type.inc"

#define T      double
#define SUFFIX f64
#include "bench_type.inc"

#define T      int32_t
#define SUFFIX i32
#include "bench_type.inc"

#define T      int64_t
#define SUFFIX i64
#include "bench_type.inc"

static const type_row type_rows[] = {{"f32", MMSCAN_F32, 4, serial_f32, call_f32},
                                     {"f64", MMSCAN_F64, 8, serial_f64, call_f64},
                                     {"i32", MMSCAN_I32, 4, serial_i32, call_i32},
                                     {"i64", MMSCAN_I64, 8, serial_i64, call_i64}};

/* ---- Contenders ----------------------------------------------------------------------------------------------- */

/* What a contender runs on. */
typedef struct setting {
  const type_row *type;
  size_t n;
  const void *x;
  void *y;
  int threads;
  mmscan_plan *plan;
  /* Read at run time, so that the compiler sees a call through a pointer, as the library's users would have it. */
  void (*volatile serial)(size_t n, const void *x, void *y);
} setting;

typedef struct bench {
  contender contenders[MOST_CONTENDERS];
  setting settings[MOST_CONTENDERS];
  size_t count;
} bench;

static void run_copy(void *context) {
  setting *s = context;
  bound_copy(s->n, s->type->size, s->x, s->y, s->threads);
}

static void run_update(void *context) {
  setting *s = context;
  bound_update(s->n, s->type->size, s->y, s->threads);
}

static void run_serial(void *context) {
  setting *s = context;
  s->serial(s->n, s->x, s->y);
}

static void run_call(void *context) {
  setting *s = context;
  s->type->call(s->n, s->x, s->y);
}

static void run_plan(void *context) {
  setting *s = context;
  mmscan_execute(s->plan, s->x, s->y);
}

static setting *add(bench *b, const setting *like, const char *name, void (*run)(void *)) {
  setting *s = &b->settings[b->count];
  contender *c = &b->contenders[b->count++];
  *s = *like;
  *c = (contender){.run = run, .context = s};
  snprintf(c->name, sizeof c->name, "%s", name);
  return s;
}

/* A plan for an engine and unit; where there is none for the type, no contender. */
static void add_plan(bench *b, const setting *like, const char *engine, const char *unit, int threads) {
  char name[48];
  if (b->count == MOST_CONTENDERS) return;
  mmscan_desc desc = {.struct_size = sizeof desc,
                      .x_type = like->type->type,
                      .y_type = like->type->type,
                      .op = MMSCAN_PLUS,
                      .kind = MMSCAN_INCLUSIVE,
                      .n = like->n,
                      .x_stride = 1,
                      .y_stride = 1,
                      .batch = 1};
  mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .unit = unit, .threads = threads};
  mmscan_plan *plan;
  if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) return;
  snprintf(name, sizeof name, "%s%s%s, %d thread%s", engine, unit ? " " : "", unit ? unit : "", threads,
           threads > 1 ? "s" : "");
  add(b, like, name, run_plan)->plan = plan;
}

/* Every engine; every unit for those that take one. The model unit counts and is slow: only where n is small. */
static void add_engine(bench *b, const setting *like, const char *engine, int threads) {
  mmscan_part unit = {.struct_size = sizeof unit};
  size_t before = b->count;
  for (size_t i = 0; mmscan_get_unit(i, &unit) == MMSCAN_OK; i++)
    if (strcmp(unit.name, "model") != 0 || like->n <= MODEL_MOST) add_plan(b, like, engine, unit.name, threads);
  if (b->count == before) add_plan(b, like, engine, NULL, threads);
}

static void add_engines(bench *b, const setting *like) {
  mmscan_part engine = {.struct_size = sizeof engine};
  for (size_t i = 0; mmscan_get_engine(i, &engine) == MMSCAN_OK; i++) {
    add_engine(b, like, engine.name, 1);
    if (mmscan_threads() > 1) add_engine(b, like, engine.name, mmscan_threads());
  }
}

static void destroy_plans(bench *b) {
  for (size_t i = 0; i < b->count; i++) mmscan_plan_destroy(b->settings[i].plan);
}

/* ---- Reports -------------------------------------------------------------------------------------------------- */

/* The first contender is the bound, the second the serial loop. */
static void print_table(const bench *b, size_t n) {
  double bound = b->contenders[0].seconds, serial = b->contenders[1].seconds;
  printf("  %-28s %10s %9s %9s\n", "", "Gelem/s", "of bound", "x serial");
  for (size_t i = 0; i < b->count; i++) {
    double seconds = b->contenders[i].seconds;
    printf("  %-28s %10.3f %9.2f %9.2f\n", b->contenders[i].name, 1e-9 * (double)n / seconds, bound / seconds,
           serial / seconds);
  }
}

static json_t *rows_as_json(const bench *b, size_t n) {
  json_t *rows = json_array();
  for (size_t i = 0; i < b->count; i++) {
    double seconds = b->contenders[i].seconds;
    json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", b->contenders[i].name, "seconds",
                                          seconds, "gelem_per_second", 1e-9 * (double)n / seconds, "of_bound",
                                          b->contenders[0].seconds / seconds, "times_serial",
                                          b->contenders[1].seconds / seconds));
  }
  return rows;
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

/* Kilobytes from /proc/self/status; -1 where there is none. */
static long status_kb(const char *field) {
  char line[256];
  long kb = -1;
  FILE *status = fopen("/proc/self/status", "r");
  if (!status) return -1;
  while (fgets(line, sizeof line, status))
    if (strncmp(line, field, strlen(field)) == 0) kb = strtol(line + strlen(field), NULL, 10);
  fclose(status);
  return kb;
}

/* The peak of resident memory over one threaded scan, less what was resident before it: megabytes a thread. */
static double memory_a_thread(const setting *like) {
  bench b = {.count = 0};
  add_engine(&b, like, "gemm", mmscan_threads());
  FILE *reset = fopen("/proc/self/clear_refs", "w");
  if (reset) {
    fputs("5", reset); /* the peak starts again from what is resident now */
    fclose(reset);
  }
  long before = status_kb("VmRSS:");
  for (size_t i = 0; i < b.count; i++) run_plan(&b.settings[i]);
  long peak = status_kb("VmHWM:");
  destroy_plans(&b);
  return reset && before >= 0 ? (double)(peak - before) / 1024 / mmscan_threads() : -1;
}

/* ---- Tables --------------------------------------------------------------------------------------------------- */

static json_t *report(bench *b, const char *title, const setting *like, int rounds, bool json) {
  if (time_contenders(b->contenders, b->count, rounds) != 0) {
    fputs("bench: out of memory\n", stderr);
    exit(1);
  }
  destroy_plans(b);
  if (!json) {
    printf("%s, %s, n = %zu\n", title, like->type->name, like->n);
    print_table(b, like->n);
    return NULL;
  }
  return json_pack("{s:s, s:s, s:I, s:o}", "title", title, "type", like->type->name, "n", (json_int_t)like->n, "rows",
                   rows_as_json(b, like->n));
}

static json_t *bench_out_of_place(const setting *like, int rounds, bool json) {
  bench b = {.count = 0};
  add(&b, like, "copy bound", run_copy);
  add(&b, like, "serial loop", run_serial);
  add_engines(&b, like);
  return report(&b, "out of place", like, rounds, json);
}

static json_t *bench_in_place(const setting *like, int rounds, bool json) {
  bench b = {.count = 0};
  setting same = *like;
  memset(same.y, 0, same.n * same.type->size); /* scans of scans stay zero */
  same.x = same.y;
  add(&b, &same, "update bound", run_update);
  add(&b, &same, "serial loop", run_serial);
  add_engines(&b, &same);
  return report(&b, "in place", &same, rounds, json);
}

static json_t *bench_short(const setting *like, int rounds, bool json) {
  bench b = {.count = 0};
  setting small = *like;
  small.n = SHORT_N;
  small.threads = 1;
  add(&b, &small, "copy", run_copy);
  add(&b, &small, "serial loop", run_serial);
  add(&b, &small, "one-shot call", run_call);
  return report(&b, "short", &small, 4 * rounds + 1, json);
}

static int run(const type_row *type, size_t n, int rounds, bool json) {
  void *x = aligned_alloc(64, n * type->size + 64), *y = aligned_alloc(64, n * type->size + 64);
  if (!x || !y) {
    fputs("bench: out of memory\n", stderr);
    return 1;
  }
  memset(x, 0, n * type->size);
  memset(y, 0, n * type->size);
  setting like = {.type = type, .n = n, .x = x, .y = y, .threads = mmscan_threads(), .serial = type->serial};
  double memory = memory_a_thread(&like);
  json_t *tables[] = {bench_out_of_place(&like, rounds, json), bench_in_place(&like, rounds, json),
                      bench_short(&like, rounds, json)};
  if (json) {
    json_t *all = json_pack("{s:s, s:i, s:f, s:[o,o,o]}", "version", mmscan_version(), "threads", mmscan_threads(),
                            "megabytes_a_thread", memory, "tables", tables[0], tables[1], tables[2]);
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
  } else {
    printf("memory beyond x and y, gemm: %.1f MiB a thread\n", memory);
  }
  free(x);
  free(y);
  return 0;
}

/* ---- Options -------------------------------------------------------------------------------------------------- */

static const char usage[] = "usage: bench [-n LOG2] [--type f32|f64|i32|i64] [--rounds R] [--json]\n"
                            "Times 2^LOG2 elements (default 26) over R rounds (default 9), medians.\n";

static const type_row *find_type(const char *name) {
  for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++)
    if (strcmp(type_rows[i].name, name) == 0) return &type_rows[i];
  return NULL;
}

static int wrong_usage(void) {
  fputs(usage, stderr);
  return 2;
}

int main(int argc, char **argv) {
  static const struct option options[] = {{"type", required_argument, NULL, 't'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  const type_row *type = &type_rows[0];
  int log2n = 26, rounds = 9, option;
  bool json = false;
  while ((option = getopt_long(argc, argv, "n:", options, NULL)) != -1) switch (option) {
    case 'n':
      log2n = atoi(optarg);
      break;
    case 't':
      type = find_type(optarg);
      break;
    case 'r':
      rounds = atoi(optarg);
      break;
    case 'j':
      json = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return 0;
    default:
      return wrong_usage();
    }
  if (!type || log2n < 0 || log2n > 40 || rounds < 1 || rounds > 1000 || optind != argc) return wrong_usage();
  if (mmscan_environment_error()) {
    fprintf(stderr, "bench: %s\n", mmscan_environment_error());
    return 1;
  }
  return run(type, (size_t)1 << log2n, rounds, json);
}
