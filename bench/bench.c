/* bench.c: the subcommand bench: its options. */
#include "arguments.h"
#include "command.h"
#include "contest.h"
#include "converting.h"
#include "message.h"
#include "pages.h"
#include "session.h"
#include "timing.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "Usage: mmscan bench [OPTION]...\n"
                           "Times the engines and other scans beside copying, which no long scan can beat.\n"
                           "\n"
                           "  -n, --log2 LIST   lengths 2^K: a comma-separated list of K, K:L or K:L:STEP;\n"
                           "                    default 4,10,14,18,22,26\n"
                           "  --length LIST     exact lengths, also written as powers: 1000,10^6,2^20\n"
                           "  --all             as -n 4:28\n"
                           "  --row N           many scans of N elements each, as many as fit a length; one\n"
                           "                    scan where the length is shorter\n"
                           "  --columns N       scans along the columns of a matrix of N columns\n"
                           "  --stride S        scans elements that are S apart\n"
                           "  --axis K          scans an array along axis K, negative from the last; default: -1\n"
                           "  --shape LIST      the lengths of its axes, such as 64,128,32\n"
                           "  --type LIST       {types},\n"
                           "                    or all; default: f32\n"
                           "  --to TYPE         the type of results, to which numbers are converted first; the\n"
                           "                    bound is copying that converts\n"
                           "  --indices         finds where maxima or minima stand, too; the bound copies as many\n"
                           "                    numbers of 64 bits\n"
                           "  --op OP           {ops};\n"
                           "                    default: plus; most other scans only add\n"
                           "  --place PLACE     out (of place, default), in (place) or both\n"
                           "  --threads T       1, all, or both (default)\n"
                           "  --way WAY         how threads share the scans of engines: a name of 'mmscan info';\n"
                           "                    default: as suits each\n"
                           "  --rounds R        how many turns each has (default 9); the median counts\n"
                           "  --brief           times for a twentieth as long: shows all but how fast it is\n"
                           "  --only LIST       only contenders whose name contains one of these, beside the\n"
                           "                    bound and the serial loop\n"
                           "  --list            which contenders can take part, and why others cannot\n"
                           "  --json            as one JSON object\n"
                           "  --csv             as comma-separated values, a line for each contender\n"
                           "  --plot FILE       draws speed over length too, by gnuplot: .svg or .png\n"
                           "  --title TEXT      over the plot; default: the machine\n"
                           "  --help            this text\n"
                           "\n"
                           "  --units [LIST]    compares the units, which multiply the matrices: all that are\n"
                           "                    found, or a comma-separated list of names from --list,\n"
                           "                    vendors (mkl, OpenBLAS), sonames or paths, folders for every\n"
                           "                    BLAS in them, @FILE for a list in a file, one a line, with\n"
                           "                    # comments, and 'found' for all that are found.\n"
                           "                    One type (f32 or f64) and one length, default 2^26 or what\n"
                           "                    fits in memory; --rounds is 5 by default; --plot draws a\n"
                           "                    ranking, products over s and a roofline; --list tells\n"
                           "                    what is found\n"
                           "  --report FILE     with --units: all of it as one HTML file\n"
                           "\n"
                           "  --ab OTHER.so     compares two builds of the library, that of this command and\n"
                           "                    OTHER.so, by one-shot calls in turns on the same arrays: a\n"
                           "                    table of ratios, above 1 where this one is faster. Default:\n"
                           "                    --type f32,f64,i32,i64, -n 4,8,12,14,16,20,24,27, both\n"
                           "                    places, and as many rounds as fit in 0.75 s, but at least\n"
                           "                    ten\n"
                           "  --this THIS.so    with --ab: compares THIS.so, not the library of this command\n"
                           "  --reverse         with --ab: scans from the last element to the first\n"
                           "  --exclusive       with --ab: exclusive scans\n"
                           "  --against-op OP   with --ab: the other scans by OP, while this one scans by that of\n"
                           "                    --op, on the same arrays; OTHER.so may be the file of this one\n"
                           "\n"
                           "  --every US        makes a call every US microseconds (0: back to back), as programs do\n"
                           "                    between other work, by us as called, by one thread, by all, and\n"
                           "                    by scans on OpenMP's threads: median, 90th and 99th percentile\n"
                           "                    of 20 calls a round. Default: -n 17,18,20,22,24, 25 rounds\n"
                           "  --sleep, --busy   with --every: what the caller does between calls (default: sleeps)\n"
                           "  --pool            with --every: TBB's threads scan something else after each call\n"
                           "\n"
                           "  --accuracy        how far sums of floats are off, of this library's modes and of the\n"
                           "                    orders in which others add: the largest error, on inputs that go\n"
                           "                    wrong in different ways, beside the speed. --type f32, f64 or\n"
                           "                    both, default f32; -n 24 by default; engines and parallel scans\n"
                           "                    on all threads, or by --threads 1 on one; --plot draws it\n"
                           "\n"
                           "  --operation NAME  times something else than scans, beside loops, other libraries and\n"
                           "                    copying the same bytes. NAME, and by default:\n"
                           "                    segments    by flags: --type f32 --shape 2^20,16 (their number,\n"
                           "                                and the mean of their lengths)\n"
                           "                    starts      by starts: the same\n"
                           "                    decay       y[i] = a y[i-1] + x[i]: --type f32 --shape 2^24\n"
                           "                    recurrence  y[i] = a[i] y[i-1] + x[i]: the same\n"
                           "                    filter      of the orders 2 and 8: --type f64 --shape 1,1000000\n"
                           "                                (signals, and their length)\n"
                           "                    integral    images: --type u8 --to u32 --shape 4096,4096\n"
                           "                    custom      an operator of one's own, on affine maps of two\n"
                           "                                doubles: --shape 1,2^24 (scans, and their length)\n"
                           "\n"
                           "All contenders run in this process and take turns, round after round; NumPy has a\n"
                           "process of its own. Results are checked before anything is timed: a contender with\n"
                           "a wrong result is not timed, and the exit status is 1. MMSCAN_ISA chooses the\n"
                           "instruction set, as everywhere. --plot, --report and the text of --units are made by\n"
                           "python3, or what PYTHON names; --json and --csv need none.\n";

enum { MOST_LOG2 = 40, MOST_ROUNDS = 1000, MOST_PAUSE = 10000000 /* microseconds */ };

/* Of two places, or numbers of threads. */
enum { NEITHER, FIRST, SECOND, BOTH };
static const char *const places[] = {"out", "in", "both", NULL}, *const threads[] = {"1", "all", "both", NULL};

/* What is given on the command line, but only with defaults gives the request. */
typedef struct given {
  bool all, brief, has_axis;
  long axis;
  int place, threads;
  size_t rounds;
} given;

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Calls `add` for each item of a comma-separated list, until one fails. */
static int each_item(bench_request *r, char *list, int (*add)(bench_request *, char *item)) {
  int status = DONE;
  char *item;
  while (status == DONE && (item = strsep(&list, ",")) != NULL) status = add(r, item);
  return status;
}

/* Reads a whole number from low to high; *end is what follows it. */
static bool read_number(const char *text, long low, long high, long *value, char **end) {
  errno = 0;
  *value = strtol(text, end, 10);
  return isdigit((unsigned char)*text) && errno == 0 && *value >= low && *value <= high;
}

/* ---- Lengths ----------------------------------------------------------------------------------------------------- */

static int add_length(bench_request *r, size_t n) {
  size_t i = r->length_count;
  if (i == MOST_LENGTHS) return wrong_usage("bench", "more than %d lengths", MOST_LENGTHS);
  while (i > 0 && r->lengths[i - 1] > n) i--;
  if (i > 0 && r->lengths[i - 1] == n) return DONE;
  memmove(r->lengths + i + 1, r->lengths + i, (r->length_count - i) * sizeof *r->lengths);
  r->lengths[i] = n;
  r->length_count++;
  return DONE;
}

/* "K", "K:L" or "K:L:STEP" */
static bool read_range(const char *text, long *first, long *last, long *step) {
  char *end;
  *step = 1;
  if (!read_number(text, 0, MOST_LOG2, first, &end)) return false;
  *last = *first;
  if (*end == ':' && !read_number(end + 1, *first, MOST_LOG2, last, &end)) return false;
  if (*end == ':' && !read_number(end + 1, 1, MOST_LOG2, step, &end)) return false;
  return *end == '\0';
}

static int add_powers(bench_request *r, char *item) {
  long first, last, step;
  int status = DONE;
  if (!read_range(item, &first, &last, &step))
    return wrong_usage("bench", "-n: '%s' is not K, K:L or K:L:STEP with 0 <= K <= L <= %d (--length takes lengths)",
                       item, MOST_LOG2);
  for (long k = first; k <= last && status == DONE; k += step) status = add_length(r, (size_t)1 << k);
  return status;
}

static int add_exact_length(bench_request *r, char *item) {
  size_t n;
  const int status = length_option("bench", "--length", item, 1, (size_t)1 << MOST_LOG2, &n);
  return status == DONE ? add_length(r, n) : status;
}

/* ---- Types and names --------------------------------------------------------------------------------------------- */

static void add_number(bench_request *r, const number *type) {
  for (size_t i = 0; i < r->type_count; i++)
    if (r->types[i] == type) return;
  r->types[r->type_count++] = type;
}

static int add_type_of(bench_request *r, const char *option, char *item) {
  const char *names[MOST_NUMBERS + 2] = {NULL};
  size_t index, count = 0;
  if (number_by_name(item) == NULL && element_by_name(item) != NULL)
    return wrong_usage("bench", "%s: %s cannot be timed: the bench has no data of this type", option, item);
  for (; number_at((int)count) != NULL; count++) names[count] = number_at((int)count)->name;
  names[count] = "all";
  const int status = name_option("bench", option, item, names, &index);
  for (size_t i = 0; status == DONE && i < count; i++)
    if (index == i || index == count) add_number(r, number_at((int)i));
  return status;
}

static int add_type(bench_request *r, char *item) { return add_type_of(r, "--type", item); }

static int add_name(bench_request *r, char *item) {
  if (*item == '\0') return wrong_usage("bench", "--only: a name is missing");
  if (r->only.count == MOST_NAMES) return wrong_usage("bench", "--only: more than %d names", MOST_NAMES);
  r->only.names[r->only.count++] = item;
  return DONE;
}

static int set_to(void *request, char *name) {
  bench_request r = {.type_count = 0};
  const int status = strcmp(name, "all") == 0 ? wrong_usage("bench", "--to: one type") : add_type_of(&r, "--to", name);
  if (status == DONE) ((bench_request *)request)->to = r.types[0];
  return status;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static int add_axis(bench_request *r, char *item) {
  race_shape *shape = &r->shape;
  if (shape->rank == MOST_RANK) return wrong_usage("bench", "--shape: more than %d axes", MOST_RANK);
  return length_option("bench", "--shape", item, 1, (size_t)1 << MOST_LOG2, &shape->sizes[shape->rank++]);
}

static int set_shape(void *request, char *list) {
  bench_request *r = request;
  r->shape.rank = 0;
  return each_item(r, list, add_axis);
}

static int set_axis(given *g, const char *text) {
  char *end;
  g->has_axis = true;
  if (read_number(text + (*text == '-'), 0, MOST_RANK, &g->axis, &end) && *end == '\0') {
    if (*text == '-') g->axis = -g->axis;
    return DONE;
  }
  return wrong_usage("bench", "--axis: '%s' is no axis", text);
}

/* How far apart the elements along each axis are, and how many elements there are. */
static int finish_shape(bench_request *r, const given *g) {
  race_shape *shape = &r->shape;
  const long rank = (long)shape->rank,
             axis = !g->has_axis || g->axis < 0 ? rank + (g->has_axis ? g->axis : -1) : g->axis;
  size_t step = 1;
  if (axis < 0 || axis >= rank) return wrong_usage("bench", "--axis: %ld is no axis of %ld", g->axis, rank);
  shape->axis = (size_t)axis;
  for (size_t i = shape->rank, k = shape->rank - 1; i-- > 0; step *= shape->sizes[i]) {
    if (step > ((size_t)1 << MOST_LOG2) / shape->sizes[i])
      return wrong_usage("bench", "--shape: more than 2^%d elements", MOST_LOG2);
    if (i == shape->axis)
      shape->inner = step;
    else
      shape->others[--k] = (mmscan_dim){shape->sizes[i], (ptrdiff_t)step, (ptrdiff_t)step};
  }
  return add_length(r, step);
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int set_powers(void *r, char *list) { return each_item(r, list, add_powers); }

static int set_lengths(void *r, char *list) { return each_item(r, list, add_exact_length); }

static int set_types(void *r, char *list) { return each_item(r, list, add_type); }

static int set_only(void *r, char *list) { return each_item(r, list, add_name); }

static int set_way(void *request, char *name) {
  const char *names[16] = {NULL};
  mmscan_part way = {.struct_size = sizeof way};
  size_t index;
  for (size_t i = 0; i < 15 && mmscan_get_way(i, &way) == MMSCAN_OK; i++) names[i] = way.name;
  const int status = name_option("bench", "--way", name, names, &index);
  if (status == DONE) ((bench_request *)request)->way = names[index];
  return status;
}

static int set_operation(void *request, char *name) {
  const char *names[16] = {NULL};
  size_t index;
  for (size_t i = 0; i < 15 && operation_at(i) != NULL; i++) names[i] = operation_at(i)->name;
  const int status = name_option("bench", "--operation", name, names, &index);
  if (status == DONE) ((bench_request *)request)->operation = operation_at(index);
  return status;
}

static int set_units(void *request, char *names) {
  bench_request *r = request;
  r->units = true;
  r->unit_names = names;
  return DONE;
}

/* With one thread in all, "both" is a single count. */
static void set_threads(bench_request *r, int which) {
  const int all = mmscan_threads();
  r->thread_counts = which == BOTH && all > 1 ? 2 : 1;
  r->threads[0] = which == SECOND ? all : 1;
  r->threads[1] = all;
}

static void set_places(bench_request *r, int which) {
  r->place_count = which == BOTH ? 2 : 1;
  r->in_place[0] = which == SECOND;
  r->in_place[1] = true;
}

/* Longer lengths than a row are cut to whole rows, of so many elements or columns; of equal ones, one is left. */
static void cut_to_rows(bench_request *r) {
  const size_t row = r->row > 0 ? r->row : r->columns;
  size_t count = 0;
  for (size_t i = 0; i < r->length_count; i++) {
    const size_t n = r->lengths[i], whole = row > 0 && row < n ? n / row * row : n;
    if (count == 0 || r->lengths[count - 1] != whole) r->lengths[count++] = whole;
  }
  r->length_count = count;
}

/* What an operation is timed with. */
static void set_defaults_of(const operation *o, bench_request *r) {
  if (r->type_count == 0) add_number(r, number_by_name(o->type));
  if (r->to == NULL && o->to != NULL) r->to = number_by_name(o->to);
  if (r->shape.rank > 0) return;
  r->shape.rank = o->rank;
  memcpy(r->shape.sizes, o->sizes, sizeof o->sizes);
}

static int set_defaults(bench_request *r, const given *g) {
  char every[] = "4:28", lengths[] = "4,10,14,18,22,26", ab_lengths[] = "4,8,12,14,16,20,24,27";
  char type[] = "f32", ab_types[] = "f32,f64,i32,i64";
  char every_lengths[] = "17,18,20,22,24", accuracy_length[] = "24";
  const bool builds = r->other != NULL, pauses = r->every != NOT_EVERY;
  if (r->operation != NULL) set_defaults_of(r->operation, r);
  if (r->shape.rank > 0 && r->length_count == 0 && !g->all) {
    const int status = finish_shape(r, g);
    if (status != DONE) return status;
  }
  if (g->all && add_powers(r, every) != DONE) return WRONG_USAGE;
  if (r->length_count == 0 && !r->units)
    each_item(r, builds ? ab_lengths : pauses ? every_lengths : r->accuracy ? accuracy_length : lengths, add_powers);
  if (r->type_count == 0) each_item(r, builds ? ab_types : type, add_type);
  set_places(r, g->place != NEITHER ? g->place : builds ? BOTH : FIRST);
  set_threads(r, g->threads);
  r->rounds = g->rounds != 0 ? (int)g->rounds : builds ? 0 : pauses ? 25 : r->units ? 5 : 9;
  cut_to_rows(r);
  return DONE;
}

/* What else a comparison of two builds takes: not what selects or pictures contenders. */
static int check_ab(const bench_request *r) {
  const bool other = r->units || r->list || r->csv || r->plot != NULL || r->page != NULL || r->title != NULL;
  if (other || r->only.count > 0)
    return wrong_usage("bench", "--ab does not go with --units, --only, --list, --csv, --plot, --title and --report");
  return DONE;
}

/* The same for calls now and then, which are of single scans on all threads. */
static int check_every(const bench_request *r, const given *g) {
  const bool other = r->other != NULL || r->units || r->list || r->csv || r->plot != NULL || r->page != NULL;
  if (other || r->title != NULL || r->only.count > 0 || g->threads != BOTH)
    return wrong_usage("bench", "--every does not go with --ab, --units, --only, --threads, --list, --csv, --plot, "
                                "--title and --report");
  if (r->row != 0 || r->columns != 0 || r->stride > 1 || r->way != NULL || g->brief)
    return wrong_usage("bench", "--every does not go with --row, --columns, --stride, --way and --brief");
  if (r->this != NULL || r->against != 0 || r->reverse || r->exclusive)
    return wrong_usage("bench", "--this, --against-op, --reverse and --exclusive need --ab");
  return r->sleep && r->busy ? wrong_usage("bench", "--sleep and --busy do not go together") : DONE;
}

/* The same for the accuracy of single sums, which are out of place and on one number of threads. */
static int check_accuracy(const bench_request *r) {
  if (r->every != NOT_EVERY || r->other != NULL || r->units || r->list || r->csv || r->page != NULL)
    return wrong_usage("bench", "--accuracy does not go with --ab, --every, --units, --list, --csv and --report");
  if (r->row != 0 || r->columns != 0 || r->stride > 1 || r->shape.rank > 0 || r->way != NULL || r->to != NULL)
    return wrong_usage("bench", "--accuracy does not go with --row, --columns, --stride, --shape, --way and --to");
  if (r->op != MMSCAN_PLUS || r->in_place[0] || r->place_count > 1)
    return wrong_usage("bench", "--accuracy: of sums, out of place");
  for (size_t i = 0; i < r->type_count; i++)
    if (r->types[i]->type != MMSCAN_F32 && r->types[i]->type != MMSCAN_F64)
      return wrong_usage("bench", "--accuracy: of f32 and f64");
  return DONE;
}

/* The same for an operation, which is out of place. */
static int check_operation(const bench_request *r, const given *g) {
  if (r->every != NOT_EVERY || r->other != NULL || r->units || r->list || r->accuracy || r->csv || r->plot != NULL)
    return wrong_usage("bench", "--operation does not go with --ab, --every, --units, --accuracy, --list, --csv and "
                                "--plot");
  if (r->row != 0 || r->columns != 0 || r->stride > 1 || r->way != NULL || r->indices || g->has_axis)
    return wrong_usage("bench", "--operation does not go with --row, --columns, --stride, --way, --indices and --axis");
  if (r->in_place[0] || r->place_count > 1) return wrong_usage("bench", "--operation: out of place only");
  for (size_t i = 0; i < r->type_count; i++) {
    const number_pair pair = {r->types[i], r->to != NULL ? r->to : r->types[i], MMSCAN_PLUS};
    const char *why = r->operation->refusal(&pair, &r->shape);
    if (why != NULL)
      return wrong_usage("bench", "--operation %s: %s to %s: %s", r->operation->name, pair.x->name, pair.y->name, why);
  }
  return DONE;
}

static int check_units(const bench_request *r) {
  const mmscan_type type = r->types[0]->type;
  if (r->type_count > 1 || (type != MMSCAN_F32 && type != MMSCAN_F64))
    return wrong_usage("bench", "--units: one type, f32 or f64");
  if (r->length_count > 1) return wrong_usage("bench", "--units: one length");
  if (r->op != MMSCAN_PLUS) return wrong_usage("bench", "--units and --op do not go together: products are sums");
  if (r->row != 0 || r->columns != 0 || r->stride > 1 || r->way != NULL)
    return wrong_usage("bench", "--units does not go with --row, --columns, --stride and --way");
  if (r->only.count > 0) return wrong_usage("bench", "--units and --only do not go together: list the units");
  return r->in_place[0] || r->place_count > 1 ? wrong_usage("bench", "--units: out of place only") : DONE;
}

/* Of arrays with axes there is one, which is not cut otherwise. */
static int check_shape(const bench_request *r, const given *g) {
  size_t n = 1;
  for (size_t i = 0; i < r->shape.rank; i++) n *= r->shape.sizes[i];
  if (r->shape.rank == 0) return g->has_axis ? wrong_usage("bench", "--axis needs --shape") : DONE;
  if (r->row != 0 || r->columns != 0 || r->stride > 1)
    return wrong_usage("bench", "--shape does not go with --row, --columns and --stride");
  return r->shape.inner != 0 && r->length_count == 1 && r->lengths[0] == n
             ? DONE
             : wrong_usage("bench", "--shape does not go with lengths: -n, --length and --all");
}

static int check_pairs(const bench_request *r) {
  if (r->to == NULL) return DONE;
  if (r->in_place[0] || r->place_count > 1) return wrong_usage("bench", "--to: out of place only");
  if (r->stride > 1) return wrong_usage("bench", "--to does not go with --stride");
  for (size_t i = 0; i < r->type_count; i++) {
    const number_pair pair = {r->types[i], r->to, r->op};
    if (pair.x == pair.y) continue;
    if (!number_is_scanned(&pair))
      return wrong_usage("bench", "--to: %s is not scanned into %s", pair.x->name, pair.y->name);
    const char *refusal = converting_refusal(pair.x, pair.y);
    if (refusal != NULL) return fail("--to: %s to %s: %s", pair.x->name, pair.y->name, refusal);
  }
  return DONE;
}

/* What describes a scan beyond its length and operator. */
static int check_scans(const bench_request *r, const given *g) {
  const bool others = r->every != NOT_EVERY || r->other != NULL || r->units;
  if (others && (r->to != NULL || r->shape.rank > 0 || r->indices))
    return wrong_usage("bench", "--to, --shape and --indices do not go with --ab, --units and --every");
  if (r->indices && r->op != MMSCAN_MAX && r->op != MMSCAN_MIN)
    return wrong_usage("bench", "--indices needs --op max or --op min");
  const int status = check_shape(r, g);
  return status == DONE ? check_pairs(r) : status;
}

static int check_request(const bench_request *r, const given *g) {
  int status = check_scans(r, g);
  if (status == DONE && r->accuracy) status = check_accuracy(r);
  if (status == DONE && r->operation != NULL) status = check_operation(r, g);
  if (status != DONE) return status;
  if (r->plot != NULL && !pages_is_plot(r->plot))
    return wrong_usage("bench", "--plot: '%s' ends neither in .svg nor in .png", r->plot);
  if (r->page != NULL && !pages_is_page(r->page))
    return wrong_usage("bench", "--report: '%s' does not end in .html", r->page);
  if ((r->row != 0) + (r->columns != 0) + (r->stride > 1) > 1)
    return wrong_usage("bench", "--row, --columns and --stride do not go together");
  if (r->every != NOT_EVERY) return check_every(r, g);
  if (r->sleep || r->busy || r->pool) return wrong_usage("bench", "--sleep, --busy and --pool need --every");
  if (r->other != NULL) return check_ab(r);
  if (r->this != NULL) return wrong_usage("bench", "--this needs --ab");
  if (r->against != 0) return wrong_usage("bench", "--against-op needs --ab");
  if (r->reverse || r->exclusive) return wrong_usage("bench", "--reverse and --exclusive need --ab");
  if (r->list && (r->json || r->csv)) return wrong_usage("bench", "--list takes neither --json nor --csv");
  if (r->list && (r->plot != NULL || r->page != NULL))
    return wrong_usage("bench", "--list takes neither --plot nor --report");
  if (r->json && r->csv) return wrong_usage("bench", "--json and --csv do not go together");
  if (!r->units && r->page != NULL) return wrong_usage("bench", "--report needs --units");
  return r->units ? check_units(r) : DONE;
}

/* ---- The command, for a shell ------------------------------------------------------------------------------------ */

/* In single quotes if necessary. */
static void put_word(FILE *to, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
  const bool is_plain = *word != '\0' && strspn(word, plain) == strlen(word);
  fputs(is_plain ? " " : " '", to);
  for (; *word != '\0'; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
  if (!is_plain) fputc('\'', to);
}

/* The caller frees the result; NULL if out of memory. */
static char *command_of(int argc, char **argv) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (to == NULL) return NULL;
  fputs("mmscan bench", to);
  for (int i = 1; i < argc; i++) put_word(to, argv[i]);
  return fclose(to) == 0 ? text : NULL;
}

/* ---- Doing it ---------------------------------------------------------------------------------------------------- */

static int run_request(bench_request *r, const given *g) {
  int status = check_request(r, g);
  if (status != DONE) return status;
  if (r->operation != NULL) return operations_run(r);
  if (r->accuracy) return accuracy_run(r);
  if (r->every != NOT_EVERY) return every_run(r);
  if (r->other != NULL) return ab_run(r);
  if (r->units) return r->list ? contest_list(r) : contest_run(r);
  return r->list ? session_list(r) : session_run(r);
}

int run_bench(int argc, char **argv) {
  bench_request r = {.op = MMSCAN_PLUS, .stride = 1, .every = NOT_EVERY};
  given g = {.threads = BOTH};
  const char *axis = NULL;
  const argument options[] = {
      {'n', "log2", ARGUMENT_CALL, .take = set_powers},
      {0, "length", ARGUMENT_CALL, .take = set_lengths},
      {0, "all", ARGUMENT_FLAG, .to = &g.all},
      {0, "row", ARGUMENT_LENGTH, .to = &r.row, .least = 1, .most = (size_t)1 << MOST_LOG2},
      {0, "columns", ARGUMENT_LENGTH, .to = &r.columns, .least = 1, .most = (size_t)1 << MOST_LOG2},
      {0, "stride", ARGUMENT_LENGTH, .to = &r.stride, .least = 1, .most = 1024},
      {0, "shape", ARGUMENT_CALL, .take = set_shape},
      {0, "axis", ARGUMENT_TEXT, .to = &axis},
      {0, "to", ARGUMENT_CALL, .take = set_to},
      {0, "indices", ARGUMENT_FLAG, .to = &r.indices},
      {0, "way", ARGUMENT_CALL, .take = set_way},
      {0, "type", ARGUMENT_CALL, .take = set_types},
      {0, "place", ARGUMENT_NAME, .to = &g.place, .names = places},
      {0, "threads", ARGUMENT_NAME, .to = &g.threads, .names = threads},
      {0, "rounds", ARGUMENT_NUMBER, .to = &g.rounds, .least = 1, .most = MOST_ROUNDS},
      {0, "brief", ARGUMENT_FLAG, .to = &g.brief},
      {0, "only", ARGUMENT_CALL, .take = set_only},
      {0, "list", ARGUMENT_FLAG, .to = &r.list},
      {0, "json", ARGUMENT_FLAG, .to = &r.json},
      {0, "csv", ARGUMENT_FLAG, .to = &r.csv},
      {0, "plot", ARGUMENT_TEXT, .to = &r.plot},
      {0, "title", ARGUMENT_TEXT, .to = &r.title},
      {0, "units", ARGUMENT_MAYBE, .take = set_units},
      {0, "report", ARGUMENT_TEXT, .to = &r.page},
      {0, "ab", ARGUMENT_TEXT, .to = &r.other},
      {0, "this", ARGUMENT_TEXT, .to = &r.this},
      {0, "op", ARGUMENT_OP, .to = &r.op},
      {0, "against-op", ARGUMENT_OP, .to = &r.against},
      {0, "every", ARGUMENT_NUMBER, .to = &r.every, .most = MOST_PAUSE},
      {0, "sleep", ARGUMENT_FLAG, .to = &r.sleep},
      {0, "busy", ARGUMENT_FLAG, .to = &r.busy},
      {0, "pool", ARGUMENT_FLAG, .to = &r.pool},
      {0, "operation", ARGUMENT_CALL, .take = set_operation},
      {0, "accuracy", ARGUMENT_FLAG, .to = &r.accuracy},
      {0, "reverse", ARGUMENT_FLAG, .to = &r.reverse},
      {0, "exclusive", ARGUMENT_FLAG, .to = &r.exclusive},
      {0}};
  char *command = command_of(argc, argv); /* before getopt reorders the words */
  int status = command != NULL ? read_only_options(options, "bench", help, &r, argc, argv) : fail_memory();
  r.command = command;
  if (g.brief) timing_be_brief();
  if (status == DONE && axis != NULL) status = set_axis(&g, axis);
  if (status == DONE) status = set_defaults(&r, &g);
  if (status == DONE) status = run_request(&r, &g);
  free(command);
  return status;
}
