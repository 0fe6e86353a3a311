/* fit.c: fits this machine's BLAS to the paper's tensor-unit model, and predicts the engine gemm by that model: times
 * products and copies, fits a line, and adds up the parts of a scan.
 *
 * Everything runs on one thread, in f32. Times are in nanoseconds, from the fastest of many rounds: what other programs
 * take away is no part of the model. */
#include "fit.h"
#include "blas.h"
#include "bound.h"
#include "element.h"
#include "json.h"
#include "message.h"
#include "number.h"
#include "statistics.h"
#include "timing.h"

#include <math.h>
#include <mmscan.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIT_SIZES = 7, FIT_SHAPES = 6, FIT_FIRST = 12, FIT_LAST = 24, FIT_RUNS = FIT_LAST - FIT_FIRST + 1 };

/* The time of L_s times an s-by-c matrix, both row-major and in the cache; c takes FIT_SHAPES powers of two. */
typedef struct fit_size {
  size_t s;
  size_t columns[FIT_SHAPES]; /* the widest first */
  double time[FIT_SHAPES];
  double start, entry; /* time = start + entry s c, so l = start / entry */
  double worst;        /* the largest relative error of that line */
} fit_size;

/* The engine gemm on n elements, cut into tiles. Of the prediction, only `call` is a time of that engine. */
typedef struct fit_run {
  size_t n, s, tile;
  double call;     /* running a plan on one element */
  double products; /* from start and entry */
  double moves;    /* moving x into rows, a block at a time, and blocks of results to y */
  double totals;   /* scanning the column totals as the engine simd does; they stay in the cache */
  double loops;    /* the elements left over by s, in a serial loop */
  double predicted, measured;
} fit_run;

typedef struct fit {
  fit_size sizes[FIT_SIZES];
  fit_run runs[FIT_RUNS];
} fit;

/* As in the engine: the elements of a block, for an OpenBLAS with small-matrix kernels (lib/unit/vendor.c); how many
 * bytes ahead it prefetches (lib/engine/gemm/gemm.c); and the bytes of y beyond which its stores are non-temporal
 * (lib/plan/execute.c). */
enum { BLOCK = 2048, AHEAD = 8192, STREAM_BYTES = 8 << 20 };

enum {
  S = 4, /* of scans; not 2, for which the engine adds rows instead of multiplying by all of L_s */
  ROUNDS = 41,
  WIDEST = 8192,            /* elements of the largest product that is timed: they fit in the nearest cache */
  LOOP = 128,               /* elements of the serial loop */
  LANES = 16,               /* elements that are moved at a time */
  PAD = 16,                 /* elements between two rows beyond their columns, as in the engine */
  LARGEST = 1 << FIT_SIZES, /* s */
  ROOM = WIDEST + LARGEST * PAD,
  MOST_MULTIPLY_ADDS = 262144, /* above this OpenBLAS starts threads (lib/unit/blas.c) */
};

static const double SLICE = 100e-6; /* seconds that a round takes at least */

typedef struct buffers {
  float *x, *y;
  float *plane, *room; /* a block, and its product */
  float *l;            /* L_s */
} buffers;

/* ---- Timing ------------------------------------------------------------------------------------------------------ */

/* What is timed: a call of `action`, with what it needs. */
typedef struct subject {
  void (*action)(const struct subject *, size_t turn);
  const buffers *a;
  size_t n, s, columns;
  const mmscan_plan *plan;
  scan_function *serial;
  double best; /* seconds of one call, in the fastest round */
} subject;

static double seconds_of(const subject *t, size_t turns) {
  double from = timing_now();
  for (size_t i = 0; i < turns; i++) t->action(t, i);
  return timing_now() - from;
}

static size_t turns_for(const subject *t) {
  size_t turns = 1;
  while (seconds_of(t, turns) < SLICE) turns *= 2;
  return turns;
}

/* The subjects take turns, so that drift of the machine affects all of them. */
static void time_all(subject *subjects, size_t count) {
  size_t turns[FIT_SHAPES];
  for (size_t i = 0; i < count; i++) {
    subjects[i].best = INFINITY;
    turns[i] = turns_for(&subjects[i]);
  }
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < count; i++)
      subjects[i].best = fmin(subjects[i].best, seconds_of(&subjects[i], turns[i]) / (double)turns[i]);
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

static void multiply(const subject *t, size_t turn) {
  (void)turn;
  raw_product_by_rows(t->s, t->columns, t->columns + PAD, t->a->l, t->a->plane, t->a->room);
}

/* Least squares of (start + entry s c) / time - 1, with start no less than 0. */
static void fit_line(fit_size *f) {
  double entries[FIT_SHAPES];
  for (size_t i = 0; i < FIT_SHAPES; i++) entries[i] = (double)(f->s * f->columns[i]);
  statistics_line(FIT_SHAPES, entries, f->time, &f->start, &f->entry);
  f->worst = 0;
  for (size_t i = 0; i < FIT_SHAPES; i++) {
    const double line = f->start + f->entry * entries[i];
    f->worst = fmax(f->worst, fabs(line / f->time[i] - 1));
  }
}

/* Times shapes of fewer and fewer columns. The widest stays below where a BLAS would start threads. */
static void measure_size(const buffers *a, fit_size *f) {
  subject subjects[FIT_SHAPES];
  size_t columns = MOST_MULTIPLY_ADDS / (f->s * f->s);
  if (columns > WIDEST / f->s) columns = WIDEST / f->s;
  raw_product_matrix(f->s, a->l);
  for (size_t i = 0; i < FIT_SHAPES; i++, columns = (columns + 1) / 2) {
    f->columns[i] = columns;
    subjects[i] = (subject){.action = multiply, .a = a, .s = f->s, .columns = columns};
  }
  time_all(subjects, FIT_SHAPES);
  for (size_t i = 0; i < FIT_SHAPES; i++) f->time[i] = 1e9 * subjects[i].best;
  fit_line(f);
}

/* ---- Moves ------------------------------------------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Moves m elements into s rows, a vector of LANES to each row in turn: the stores of a gather, without its shuffles.
 * Prefetches what is read later, as the engine does. */
static void move_to_rows(size_t s, size_t m, const float *x, float *rows) {
  const size_t stride = BLOCK / s + PAD;
  size_t column = 0;
  for (; (column + LANES) * s <= m; column += LANES)
    for (size_t row = 0; row < s; row++, x += LANES) {
      __builtin_prefetch((const void *)((uintptr_t)x + AHEAD), 0, 3);
      memcpy(rows + row * stride + column, x, LANES * sizeof *x);
    }
  memcpy(rows + column, x, (m - column * s) * sizeof *x);
}

/* What a scan moves: each block of x into rows in the nearest cache, and the product of each block to y. */
static void move(const subject *t, size_t turn) {
  const bool streams = t->n * sizeof(float) > STREAM_BYTES;
  (void)turn;
  for (size_t from = 0; from < t->n; from += BLOCK) {
    const size_t m = smaller(BLOCK, t->n - from);
    move_to_rows(t->s, m, t->a->x + from, t->a->plane);
    (streams ? bound_stream : bound_copy)(m * sizeof(float), t->a->room, t->a->y + from, 1);
  }
}

static void add_up(const subject *t, size_t turn) {
  (void)turn;
  t->serial(t->n, t->a->x, t->a->y, 1);
}

static void scan(const subject *t, size_t turn) {
  (void)turn;
  mmscan_execute(t->plan, t->a->x, t->a->y);
}

/* ---- What a scan is made of -------------------------------------------------------------------------------------- */

/* Nanoseconds per element in the engine simd and in a serial loop, and per call. */
typedef struct prices {
  const fit_size *size;
  double simd, loop, call;
} prices;

static double products_of(const fit_size *f, size_t columns) {
  const size_t block = BLOCK / f->s, blocks = (columns + block - 1) / block;
  return (double)blocks * f->start + f->entry * (double)(f->s * columns);
}

/* Adds a tile of m elements: the products of its columns, the scan of their totals, and the elements left over. */
static void add_tile(fit_run *r, const prices *p, size_t m) {
  r->products += products_of(p->size, m / r->s);
  r->totals += (double)(m / r->s) * p->simd;
  r->loops += (double)(m % r->s) * p->loop;
}

static void predict(fit_run *r, const prices *p, double moves) {
  for (size_t from = 0; from < r->n; from += r->tile) add_tile(r, p, smaller(r->tile, r->n - from));
  r->call = p->call;
  r->moves = moves;
  r->predicted = r->call + r->products + r->moves + r->totals + r->loops;
}

static mmscan_plan *plan_of(const char *engine, size_t n, mmscan_choice *choice) {
  const mmscan_desc desc = element_plain_scan(MMSCAN_F32, n);
  mmscan_plan *plan;
  *choice = (mmscan_choice){.struct_size = sizeof *choice, .engine = engine, .threads = 1};
  if (strcmp(engine, "gemm") == 0) choice->unit = "cblas", choice->s = S;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, choice);
  if (status == MMSCAN_OK) status = mmscan_plan_get_choice(plan, choice);
  if (status) fail("a plan of the engine %s, n = %zu: %s", engine, n, mmscan_strerror(status));
  return plan;
}

static const fit_size *size_of(const fit *f, size_t s) {
  for (size_t i = 0; i < FIT_SIZES; i++)
    if (f->sizes[i].s == s) return &f->sizes[i];
  return NULL;
}

static int measure_run(const fit *f, const buffers *a, prices *p, fit_run *r) {
  mmscan_choice choice;
  mmscan_plan *plan = plan_of("gemm", r->n, &choice);
  if (plan == NULL) return FAILED;
  r->s = choice.s;
  r->tile = choice.tile;
  p->size = size_of(f, r->s);
  subject subjects[] = {{.action = scan, .a = a, .plan = plan}, {.action = move, .a = a, .n = r->n, .s = r->s}};
  time_all(subjects, 2);
  mmscan_plan_destroy(plan);
  r->measured = 1e9 * subjects[0].best;
  if (p->size == NULL) return fail("the engine gemm takes s = %zu, which was not measured", r->s);
  predict(r, p, 1e9 * subjects[1].best);
  return DONE;
}

/* ---- The whole fit ----------------------------------------------------------------------------------------------- */

static int measure_prices(const buffers *a, prices *p) {
  mmscan_choice choice, simd_choice;
  mmscan_plan *one = plan_of("gemm", 1, &choice), *simd = one ? plan_of("simd", WIDEST, &simd_choice) : NULL;
  subject subjects[] = {
      {.action = add_up, .a = a, .n = LOOP, .serial = number_rule_of(number_by_name("f32"), MMSCAN_PLUS)->serial},
      {.action = scan, .a = a, .plan = one},
      {.action = scan, .a = a, .plan = simd}};
  if (simd) time_all(subjects, 3);
  mmscan_plan_destroy(one);
  mmscan_plan_destroy(simd);
  if (!simd) return FAILED;
  p->loop = 1e9 * subjects[0].best / LOOP;
  p->call = 1e9 * subjects[1].best;
  p->simd = 1e9 * subjects[2].best / WIDEST;
  return DONE;
}

static int measure_all(fit *f, const buffers *a) {
  prices p = {0};
  for (size_t i = 0; i < FIT_SIZES; i++) {
    f->sizes[i].s = (size_t)2 << i;
    measure_size(a, &f->sizes[i]);
  }
  int status = measure_prices(a, &p);
  for (int i = 0; i < FIT_RUNS && status == DONE; i++) {
    f->runs[i] = (fit_run){.n = (size_t)1 << (FIT_FIRST + i)};
    status = measure_run(f, a, &p, &f->runs[i]);
  }
  return status;
}

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

static json_t *size_json(const fit_size *z) {
  json_t *columns = json_array(), *times = json_array();
  for (size_t i = 0; i < FIT_SHAPES; i++) {
    json_array_append_new(columns, json_integer((json_int_t)z->columns[i]));
    json_array_append_new(times, json_real(z->time[i]));
  }
  return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "s", (json_int_t)z->s, "start", z->start, "entry",
                   z->entry, "latency", z->start / z->entry, "gflops", flops(z), "worst", z->worst, "columns", columns,
                   "times", times);
}

static json_t *run_json(const fit_run *r) {
  return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "n", (json_int_t)r->n, "s", (json_int_t)r->s,
                   "tile", (json_int_t)r->tile, "call", r->call, "products", r->products, "moves", r->moves, "totals",
                   r->totals, "loops", r->loops, "predicted", r->predicted, "measured", r->measured);
}

/* The BLAS behind the default unit. */
static json_t *unit_json(void) {
  mmscan_part unit = {.struct_size = sizeof unit};
  mmscan_get_unit(0, &unit);
  return json_pack("{s:o, s:o, s:o}", "name", json_text(unit.name), "library", json_text(unit.library), "version",
                   json_text(unit.version));
}

static int print_json_report(const fit *f) {
  json_t *sizes = json_array(), *runs = json_array();
  for (size_t i = 0; i < FIT_SIZES; i++) json_array_append_new(sizes, size_json(&f->sizes[i]));
  for (size_t i = 0; i < FIT_RUNS; i++) json_array_append_new(runs, run_json(&f->runs[i]));
  json_t *all = json_pack("{s:s, s:s, s:o, s:o, s:o}", "cpu", mmscan_cpu(), "isa", mmscan_isa(), "unit", unit_json(),
                          "sizes", sizes, "runs", runs);
  return print_json(all);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

int fit_run_all(bool as_json) {
  const size_t most = (size_t)1 << FIT_LAST, bytes = (2 * most + 2 * ROOM + LARGEST * LARGEST) * sizeof(float);
  fit f;
  if (mmscan_environment_error()) return fail("%s", mmscan_environment_error());
  if (raw_product_prepare() != DONE) return FAILED;
  float *all = aligned_alloc(64, bytes);
  if (all == NULL) return fail_memory();
  memset(all, 0, bytes);
  const buffers a = {all, all + most, all + 2 * most, all + 2 * most + ROOM, all + 2 * most + 2 * ROOM};
  int status = measure_all(&f, &a);
  free(all);
  if (status == DONE && as_json) status = print_json_report(&f);
  if (status != DONE || as_json) return status;
  print_sizes(&f);
  print_runs(&f);
  return DONE;
}
