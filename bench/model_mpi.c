/* model_mpi.c: the subcommand model --mpi: the time of a scan over MPI. */
#include "model_mpi.h"
#include "arguments.h"
#include "json.h"
#include "message.h"
#include "process.h"
#include "ranks.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: mmscan model --mpi -n N --loggp L,O,G,B --memory M [OPTION]...\n"
    "       mmscan model --mpi --fit [-n N] [OPTION]...\n"
    "Computes the time of mmscan_mpi_scan() for 1, 2, 4 and so on to P ranks: by a formula, and by\n"
    "a simulation of every message. Messages take time as in the model LogGP.\n"
    "\n"
    "  -n N                 elements in all; also as a power, 10^13\n"
    "  -p P                 ranks, at most (default 100000)\n"
    "  --loggp L,O,G,B      in ns: latency, overhead, gap between messages, and time of a byte\n"
    "  --memory M           GB/s that the memory of a node moves\n"
    "  --rank-memory M      GB/s that it moves for one rank (default: as many)\n"
    "  --ranks-per-node R   ranks that share the memory of a node (default 1)\n"
    "  --combine T          ns that combining two carries takes (default 0)\n"
    "  --carry BYTES        what a rank sends in the exscan (default 64)\n"
    "  --type T             the type of the elements (default f64)\n"
    "  --exscan A           doubling (default), ceil(log2 p) rounds of messages; or linear, p - 1\n"
    "  --allgather A        bruck (default), ceil(log2 p) rounds of messages; or ring, p - 1\n"
    "  --fit                measure --loggp, memory and --combine here: mpirun starts the program\n"
    "                       mmscan-mpi-bench on two ranks (MPIRUN names another mpirun)\n"
    "  --json               as one JSON object\n"
    "  --help               this text\n";

static const char *const exscans[] = {"doubling", "linear", NULL}, *const allgathers[] = {"bruck", "ring", NULL};

typedef struct request {
  ranks_model model;
  const element *type;
  size_t n, ranks;
  unsigned exscan, allgather; /* places in the lists, from 1 */
  bool is_mpi, fits, as_json;
} request;

enum { DEFAULT_RANKS = 100000, DEFAULT_CARRY = 64, MOST_RANKS = 1 << 24, MOST_BYTES = 1 << 30 };
static const size_t MOST = (size_t)INT64_MAX; /* the largest integer in JSON */

/* ---- The report -------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  size_t at;
} columns[] = {{"allgather", offsetof(ranks_times, allgather)}, {"total", offsetof(ranks_times, total)},
               {"exscan", offsetof(ranks_times, exscan)},       {"scan", offsetof(ranks_times, scan)},
               {"allreduce", offsetof(ranks_times, allreduce)}, {"whole", offsetof(ranks_times, whole)},
               {"in_turn", offsetof(ranks_times, in_turn)}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static double column_of(const ranks_times *t, int column) {
  const void *at = (const char *)t + columns[column].at;
  return *(const double *)at;
}

/* 1, 2, 4, ... and the last. */
static size_t next_ranks(const request *r, size_t ranks) {
  return ranks == r->ranks ? 0 : ranks > r->ranks / 2 ? r->ranks : 2 * ranks;
}

static double speedup(const request *r, const ranks_times *t) {
  return t->whole > 0 ? ranks_formula(&r->model, r->n, 1).whole / t->whole : 1;
}

static void print_model(const ranks_model *m) {
  printf("LogGP: L = %g ns, o = %g ns, g = %g ns, G = %g ns a byte; two carries are combined in %g ns\n", m->latency,
         m->overhead, m->gap, m->byte, m->combine);
  printf("memory: %g GB/s for the %zu rank%s of a node, %g GB/s for one\n", m->memory, m->per_node,
         m->per_node == 1 ? "" : "s", m->rank_memory);
}

static void print_options(const ranks_model *m) {
  printf("--loggp %g,%g,%g,%g --memory %g --rank-memory %g --ranks-per-node %zu --combine %g\n", m->latency,
         m->overhead, m->gap, m->byte, m->memory, m->rank_memory, m->per_node, m->combine);
}

static void print_balance(const request *r) {
  const size_t balance = ranks_balance(&r->model, r->n);
  if (balance)
    printf("\nFrom %zu ranks on, of powers of two, messages take as long as the memory.\n", balance);
  else
    puts("\nFor no number of ranks messages take as long as the memory.");
}

static int print_text(const request *r) {
  print_model(&r->model);
  printf("n = %zu of %s, carries of %zu bytes; exscan: %s, allgather: %s\n\ntimes in us\n%9s", r->n, r->type->name,
         r->model.carry, exscans[r->model.exscan], allgathers[r->model.allgather], "ranks");
  for (int i = 0; i < COLUMNS; i++) printf("  %10s", columns[i].name);
  printf("  %10s  %9s\n", "simulated", "speedup");
  for (size_t ranks = 1; ranks; ranks = next_ranks(r, ranks)) {
    const ranks_times t = ranks_formula(&r->model, r->n, ranks);
    const double simulated = ranks_simulated(&r->model, r->n, ranks);
    if (isnan(simulated)) return fail_memory();
    printf("%9zu", ranks);
    for (int i = 0; i < COLUMNS; i++) printf("  %10.5g", 1e-3 * column_of(&t, i));
    printf("  %10.5g  %9.5g\n", 1e-3 * simulated, speedup(r, &t));
  }
  print_balance(r);
  return DONE;
}

/* ---- As JSON ----------------------------------------------------------------------------------------------------- */

static json_t *model_json(const ranks_model *m) {
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:f}", "latency", m->latency, "overhead", m->overhead, "gap",
                   m->gap, "byte", m->byte, "memory", m->memory, "rank_memory", m->rank_memory, "ranks_per_node",
                   (json_int_t)m->per_node, "combine", m->combine);
}

/* NULL where memory does not suffice. */
static json_t *row_json(const request *r, size_t ranks) {
  const ranks_times t = ranks_formula(&r->model, r->n, ranks);
  const double simulated = ranks_simulated(&r->model, r->n, ranks);
  if (isnan(simulated)) return NULL;
  json_t *row =
      json_pack("{s:I, s:f, s:f}", "ranks", (json_int_t)ranks, "simulated", simulated, "speedup", speedup(r, &t));
  for (int i = 0; i < COLUMNS; i++) json_object_set_new(row, columns[i].name, json_real(column_of(&t, i)));
  return row;
}

static int print_json_report(const request *r) {
  const size_t balance = ranks_balance(&r->model, r->n);
  json_t *rows = json_array();
  for (size_t ranks = 1; ranks; ranks = next_ranks(r, ranks)) json_array_append_new(rows, row_json(r, ranks));
  return print_json(json_pack("{s:o, s:I, s:s, s:I, s:s, s:s, s:o, s:o}", "model", model_json(&r->model), "n",
                              (json_int_t)r->n, "type", r->type->name, "carry", (json_int_t)r->model.carry, "exscan",
                              exscans[r->model.exscan], "allgather", allgathers[r->model.allgather], "balance",
                              balance ? json_integer((json_int_t)balance) : json_null(), "rows", rows));
}

/* What was measured, alone. */
static int print_fit(const request *r) {
  if (r->as_json) return print_json(model_json(&r->model));
  print_model(&r->model);
  print_options(&r->model);
  return DONE;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* A number that is not negative; the text after it is `rest`. */
static bool read_time(const char *text, double *value, char **rest) {
  *value = strtod(text, rest) + 0.0; /* turns -0 into 0 */
  return *rest != text && *value >= 0 && isfinite(*value);
}

static int set_loggp(void *request_, char *text) {
  ranks_model *m = &((request *)request_)->model;
  double *const to[] = {&m->latency, &m->overhead, &m->gap, &m->byte};
  char *at = text;
  bool good = true;
  for (int i = 0; i < 4 && good; i++) good = read_time(at, to[i], &at) && *at++ == (i < 3 ? ',' : '\0');
  return good ? DONE : wrong_usage("model", "--loggp: '%s' is not four times, L,O,G,B", text);
}

static int set_speed(const char *option, char *text, double *speed) {
  char *rest;
  const bool good = read_time(text, speed, &rest) && *rest == '\0' && *speed > 0;
  return good ? DONE : wrong_usage("model", "%s: '%s' is not a speed", option, text);
}

static int set_memory(void *r, char *text) { return set_speed("--memory", text, &((request *)r)->model.memory); }

static int set_rank_memory(void *r, char *text) {
  return set_speed("--rank-memory", text, &((request *)r)->model.rank_memory);
}

static int set_combine(void *r, char *text) {
  char *rest;
  const bool good = read_time(text, &((request *)r)->model.combine, &rest) && *rest == '\0';
  return good ? DONE : wrong_usage("model", "--combine: '%s' is not a time", text);
}

static int read_request(request *r, int argc, char **argv) {
  ranks_model *m = &r->model;
  const argument options[] = {
      {'n', NULL, ARGUMENT_LENGTH, .to = &r->n, .least = 0, .most = MOST},
      {'p', NULL, ARGUMENT_LENGTH, .to = &r->ranks, .least = 1, .most = MOST_RANKS},
      {0, "loggp", ARGUMENT_CALL, .take = set_loggp},
      {0, "memory", ARGUMENT_CALL, .take = set_memory},
      {0, "rank-memory", ARGUMENT_CALL, .take = set_rank_memory},
      {0, "ranks-per-node", ARGUMENT_NUMBER, .to = &m->per_node, .least = 1, .most = RANKS_MOST},
      {0, "combine", ARGUMENT_CALL, .take = set_combine},
      {0, "carry", ARGUMENT_NUMBER, .to = &m->carry, .least = 1, .most = MOST_BYTES},
      {0, "type", ARGUMENT_TYPE, .to = &r->type},
      {0, "exscan", ARGUMENT_NAME, .to = &r->exscan, .names = exscans},
      {0, "allgather", ARGUMENT_NAME, .to = &r->allgather, .names = allgathers},
      {0, "fit", ARGUMENT_FLAG, .to = &r->fits},
      {0, "mpi", ARGUMENT_FLAG, .to = &r->is_mpi},
      {0, "json", ARGUMENT_FLAG, .to = &r->as_json},
      {0}};
  return read_only_options(options, "model", help, r, argc, argv);
}

/* ---- Measured here ----------------------------------------------------------------------------------------------- */

static const char PROGRAM[] = "mmscan-mpi-bench";

/* Takes the options that the program prints. */
static int take_fit(request *r, char *line) {
  enum { MOST_WORDS = 16 };
  char *words[MOST_WORDS] = {"mmscan"}, *state = NULL;
  int count = 1;
  for (char *word = strtok_r(line, " \n", &state); word && count < MOST_WORDS - 1; word = strtok_r(NULL, " \n", &state))
    words[count++] = word;
  optind = 0;
  message_words(words);
  const int status = read_request(r, count, words);
  if (status == DONE && (r->model.latency < 0 || r->model.memory <= 0))
    return fail("--fit: %s measured nothing", PROGRAM);
  return status == DONE ? DONE : FAILED;
}

/* mpirun looks for a program that is not beside this one in the path. */
static int measure(request *r) {
  char *beside = process_file_beside(PROGRAM), line[256] = "";
  const char *program = beside && access(beside, X_OK) == 0 ? beside : PROGRAM;
  const char *mpirun = getenv("MPIRUN") ? getenv("MPIRUN") : "mpirun";
  const char *const words[] = {mpirun, "-n", "2", program, "fit", NULL};
  process p;
  int status = DONE;
  if (!process_start(&p, words, false)) {
    status = fail_file(mpirun);
  } else {
    const bool has_line = fgets(line, sizeof line, p.from) != NULL;
    if (process_end(&p) != 0 || !has_line) status = fail("--fit: %s -n 2 %s fit failed", mpirun, program);
  }
  free(beside);
  return status == DONE ? take_fit(r, line) : status;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Of what is not given; and not, if it is measured. */
static const ranks_model nothing = {.latency = -1, .combine = -1};

static bool has_given(const ranks_model *m) {
  return m->latency >= 0 || m->memory > 0 || m->rank_memory > 0 || m->per_node > 0 || m->combine >= 0;
}

static void set_defaults(request *r) {
  ranks_model *m = &r->model;
  if (m->rank_memory <= 0) m->rank_memory = m->memory;
  if (m->per_node == 0) m->per_node = 1;
  if (m->combine < 0) m->combine = 0;
  if (m->carry == 0) m->carry = DEFAULT_CARRY;
  if (r->ranks == 0) r->ranks = DEFAULT_RANKS;
  if (!r->type) r->type = element_by_name("f64");
  m->element = r->type->size;
  m->exscan = r->exscan ? r->exscan - 1 : RANKS_DOUBLING;
  m->allgather = r->allgather ? r->allgather - 1 : RANKS_BRUCK;
}

bool model_mpi_is_asked(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--mpi") == 0) return true;
  return false;
}

int model_mpi_run(int argc, char **argv) {
  request r = {.model = nothing, .n = MOST + 1};
  int status = read_request(&r, argc, argv);
  if (status != DONE) return status;
  const bool has_n = r.n <= MOST;
  if (r.fits && has_given(&r.model))
    return wrong_usage("model",
                       "--fit measures --loggp, --memory, --rank-memory, --ranks-per-node and --combine itself");
  if (!r.fits && (!has_n || r.model.latency < 0 || r.model.memory <= 0))
    return wrong_usage("model", "-n, --loggp and --memory are needed, or --fit");
  if (r.fits) status = measure(&r);
  if (status != DONE) return status;
  set_defaults(&r);
  if (!has_n) return print_fit(&r);
  return r.as_json ? print_json_report(&r) : print_text(&r);
}
