/* lineup.c: the contenders of a race. */
#include "lineup.h"
#include "bound.h"
#include "converting.h"
#include "element.h"
#include "message.h"
#include "numpy.h"
#include "peer.h"
#include "timing.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOW_UNIT_MOST = 1 << 20 };

/* What the contenders that are being added have in common. */
typedef struct lineup {
  race *race;
  lineup_filter *filter;
  int threads;
} lineup;

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

/* Some scans take their thread count from OpenMP. */
static double run_scan(const contender *c, long runs) {
  const race *r = c->race;
  scan_function *const scan = c->scan;
  const size_t n = c->length;
  const void *const x = r->x;
  void *const y = r->y;
  const int threads = c->threads, before = omp_get_max_threads();
  omp_set_num_threads(threads);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) scan(n, x, y, threads);
  const double seconds = timing_now() - start;
  omp_set_num_threads(before);
  return seconds;
}

/* ---- Runs of rows ------------------------------------------------------------------------------------------------ */

static double run_scans(const contender *c, long runs) {
  const race *r = c->race;
  const size_t size = r->number->size;
  const double start = timing_now();
  for (long i = 0; i < runs; i++)
    for (size_t at = 0; at < r->n; at += r->row)
      c->scan(r->row, (const char *)r->x + at * size, (char *)r->y + at * size, 1);
  return timing_now() - start;
}

static double run_serial_rows(const contender *c, long runs) {
  const race *r = c->race;
  const number_rule *rule = number_rule_of(r->number, r->op);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) rule->serial_rows(r->n, r->row, r->x, r->y);
  return timing_now() - start;
}

static double run_serial_indices(const contender *c, long runs) {
  const race *r = c->race;
  const number_rule *rule = number_rule_of(r->number, r->op);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) rule->serial_indices(r->n, race_row(r), r->x, r->y, r->indices);
  return timing_now() - start;
}

/* Each thread scans an equal share of consecutive rows. */
static void scan_shares(const race *r, int threads) {
  const size_t rows = r->n / r->row, size = r->row * r->number->size, shares = (size_t)threads;
  const number_rule *rule = number_rule_of(r->number, r->op);
#pragma omp parallel for num_threads(threads)
  for (size_t share = 0; share < shares; share++) {
    const size_t first = rows * share / shares, count = rows * (share + 1) / shares - first;
    rule->serial_rows(count * r->row, r->row, (const char *)r->x + first * size, (char *)r->y + first * size);
  }
}

static double run_parallel_rows(const contender *c, long runs) {
  const double start = timing_now();
  for (long i = 0; i < runs; i++) scan_shares(c->race, c->threads);
  return timing_now() - start;
}

/* ---- Runs of the library ----------------------------------------------------------------------------------------- */

static void set_shape(const race_shape *shape, mmscan_desc *desc) {
  desc->n = shape->sizes[shape->axis];
  desc->x_stride = desc->y_stride = (ptrdiff_t)shape->inner;
  desc->outer_rank = shape->rank - 1;
  desc->outer = shape->others;
}

static mmscan_desc desc_of(const race *r, mmscan_op op) {
  mmscan_desc desc = element_plain_scan(r->number->type, race_row(r));
  desc.y_type = r->to->type;
  desc.op = op;
  desc.indices = r->indices;
  desc.reverse = r->reverse;
  if (r->exclusive) desc.kind = MMSCAN_EXCLUSIVE;
  desc.x_stride = desc.y_stride = (ptrdiff_t)r->stride;
  if (r->shape != NULL) {
    set_shape(r->shape, &desc);
    return desc;
  }
  if (r->columns != 0) {
    desc.n = r->n / r->columns;
    desc.batch = r->columns;
    desc.x_stride = desc.y_stride = (ptrdiff_t)r->columns;
    desc.x_dist = desc.y_dist = 1;
  }
  if (r->row == 0) return desc;
  desc.batch = r->n / r->row;
  desc.x_dist = desc.y_dist = (ptrdiff_t)r->row;
  return desc;
}

static mmscan_status call_often(const contender *c, long runs) {
  const race *r = c->race;
  mmscan_desc desc = desc_of(r, c->op);
  mmscan_status status = MMSCAN_OK;
  desc.flags = c->flags;
  if (c->simple != NULL) return r->number->calls(c->simple, r->n, r->x, r->y, runs);
  for (long i = 0; i < runs; i++) status = c->library->scan(&desc, r->x, r->y);
  return status;
}

/* The call takes its thread count from OpenMP. */
static mmscan_status call_with_threads(const contender *c, long runs, double *seconds) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(c->threads);
  const double start = timing_now();
  const mmscan_status status = call_often(c, runs);
  *seconds = timing_now() - start;
  omp_set_num_threads(before);
  return status;
}

/* The status needs no look: results are checked before it is timed. */
static double run_one_call(const contender *c, long runs) {
  double seconds;
  call_with_threads(c, runs, &seconds);
  return seconds;
}

/* One scan as a single block. */
static double run_block(const contender *c, long runs) {
  const race *r = c->race;
  const mmscan_desc desc = desc_of(r, c->op);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) {
    unsigned char carry[16] = {0}; /* the identity of +, of any type */
    mmscan_scan_block(&desc, r->x, r->y, carry);
  }
  return timing_now() - start;
}

mmscan_status lineup_call_once(const contender *c) {
  double seconds;
  return call_with_threads(c, 1, &seconds);
}

static double run_plan(const contender *c, long runs) {
  const double start = timing_now();
  for (long i = 0; i < runs; i++) mmscan_execute(c->plan, c->race->x, c->race->y);
  return timing_now() - start;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

void lineup_refuse(contender *c, const char *reason) {
  if (c != NULL && reason != NULL) snprintf(c->refusal, sizeof c->refusal, "%s", reason);
}

static mmscan_status make_plan(const race *r, const char *engine, const char *unit, size_t s, int threads,
                               mmscan_plan **plan) {
  const mmscan_desc desc = desc_of(r, r->op);
  const mmscan_choice choice = {.struct_size = sizeof choice,
                                .engine = engine,
                                .unit = unit,
                                .s = s,
                                .threads = threads,
                                .way = threads > 1 ? r->way : NULL};
  return mmscan_plan_create_with(plan, &desc, MMSCAN_ESTIMATE, &choice);
}

/* A plan of the engine `serial`, which is the library's own loop. */
static mmscan_status plan_serial(const race *r, mmscan_plan **plan) { return make_plan(r, "serial", NULL, 0, 1, plan); }

/* Scans the data into y; false if there is no such plan. */
static bool scan_serially(const race *r, void *y) {
  mmscan_plan *plan;
  if (plan_serial(r, &plan) != MMSCAN_OK) return false;
  const mmscan_status status = mmscan_execute(plan, r->data, y);
  mmscan_plan_destroy(plan);
  return status == MMSCAN_OK;
}

/* The first element of y whose bits are not those of the engine `serial`, for an operator that has no rule here. */
static size_t check_by_serial(contender *c) {
  const race *r = c->race;
  const size_t size = r->to->size;
  const char *y = r->y;
  char *right = r->stride > 1 ? NULL : malloc(race_y_bytes(r));
  const bool known = right != NULL && scan_serially(r, right);
  size_t place = known ? 0 : r->n;
  while (known && place < r->n && memcmp(right + place * size, y + place * size, size) == 0) place++;
  if (!known) lineup_refuse(c, "its result could not be checked");
  free(right);
  return place;
}

static size_t check_by_rule(const race *r) {
  const number_layout layout = race_layout(r);
  const number_pair pair = race_pair(r);
  return number_check(&pair, layout, r->data, r->y, r->indices) / r->stride;
}

/* Bytes of a number that is no result of the data, in types of 32 bits or more; and of no index. */
enum { NO_RESULT = 0x80 };

/* Overwrites y first, so that no earlier contender's result can pass for this one's. */
static size_t verify(contender *c) {
  const race *r = c->race;
  if (r->in_place)
    memcpy(r->y, r->data, race_y_bytes(r));
  else
    memset(r->y, NO_RESULT, race_y_bytes(r));
  if (r->indices != NULL) memset(r->indices, NO_RESULT, r->n * r->stride * sizeof *r->indices);
  c->run(c, 1);
  return number_checks(r->op) ? check_by_rule(r) : check_by_serial(c);
}

/* ---- Adding one -------------------------------------------------------------------------------------------------- */

void lineup_refuse_slow(contender *c, const char *unit) {
  if (c != NULL && units_is_slow(unit) && c->race->n > SLOW_UNIT_MOST)
    lineup_refuse(c, "slow: timed only up to n = 2^20");
}

static bool passes(lineup_filter *filter, const char *name) {
  if (filter == NULL) return true;
  bool wanted = filter->count == 0;
  for (size_t i = 0; i < filter->count; i++) {
    if (strcasestr(name, filter->names[i]) == NULL) continue;
    filter->met[i] = true;
    wanted = true;
  }
  return wanted;
}

/* NULL if the filter rejects it, or the race is full. The bounds, the copies and the serial loop, with which others are
 * compared, pass every filter. */
static contender *add(lineup *l, contender_role role, const char *name, double (*run)(const contender *, long)) {
  const bool passed = passes(l->filter, name), scans = role != ROLE_BOUND && role != ROLE_COPY;
  if ((!passed && (role == ROLE_LIBRARY || role == ROLE_PEER)) || l->race->count == MOST_CONTENDERS) return NULL;
  contender *c = &l->race->contenders[l->race->count++];
  *c = (contender){.role = role,
                   .threads = l->threads,
                   .op = l->race->op,
                   .length = l->race->n,
                   .run = run,
                   .verify = scans ? verify : NULL,
                   .race = l->race};
  snprintf(c->name, sizeof c->name, "%s", name);
  make_clean(c->name);
  return c;
}

/* ---- libmmscan --------------------------------------------------------------------------------------------------- */

static contender *add_call(lineup *l, const libmmscan *of, const char *name) {
  contender *c = add(l, ROLE_LIBRARY, name, run_one_call);
  if (c == NULL) return NULL;
  const int before = omp_get_max_threads();
  c->library = of;
  if (race_is_plain(l->race)) c->simple = libmmscan_inclusive(of, l->race->number->type);
  omp_set_num_threads(l->threads);
  if (of->threads() != l->threads) lineup_refuse(c, "MMSCAN_NUM_THREADS fixes the threads of a call");
  if (l->race->way != NULL && l->threads > 1) lineup_refuse(c, "a call takes the way that suits it");
  omp_set_num_threads(before);
  return c;
}

static contender *add_one_call(lineup *l, const libmmscan *of) { return add_call(l, of, "mmscan (one call)"); }

contender *lineup_add_call(race *r, const libmmscan *of, int threads) {
  lineup l = {.race = r, .threads = threads};
  return add_one_call(&l, of);
}

/* Whether there would be a plan but for the way that is asked for. */
static bool fails_by_way(const lineup *l, const char *engine, const char *unit) {
  race free = *l->race;
  mmscan_plan *plan = NULL;
  free.way = NULL;
  const mmscan_status status = make_plan(&free, engine, unit, 0, l->threads, &plan);
  mmscan_plan_destroy(plan);
  return l->race->way != NULL && status == MMSCAN_OK;
}

/* False if the engine does not take the unit for this type: there is no such contender then. */
static bool add_plan(lineup *l, const char *engine, const char *unit) {
  char name[48];
  mmscan_plan *plan;
  const mmscan_status status = make_plan(l->race, engine, unit, 0, l->threads, &plan);
  if (status != MMSCAN_OK && status != MMSCAN_EBLAS && !fails_by_way(l, engine, unit)) return false;
  snprintf(name, sizeof name, "mmscan %s%s%s", engine, unit != NULL ? " " : "", unit != NULL ? unit : "");
  contender *c = add(l, ROLE_LIBRARY, name, run_plan);
  if (c == NULL)
    mmscan_plan_destroy(plan);
  else
    c->plan = plan;
  if (status == MMSCAN_EBLAS) lineup_refuse(c, "the unit's library was not found");
  if (status == MMSCAN_EINVAL) lineup_refuse(c, "its work cannot be shared so");
  if (unit != NULL) lineup_refuse_slow(c, unit);
  return true;
}

/* With every unit that the engine takes; or without one if it takes none. */
static void add_engine(lineup *l, const char *engine) {
  mmscan_part unit = {.struct_size = sizeof unit};
  bool takes_units = false;
  for (size_t i = 0; mmscan_get_unit(i, &unit) == MMSCAN_OK; i++) takes_units |= add_plan(l, engine, unit.name);
  if (!takes_units) add_plan(l, engine, NULL);
}

void lineup_add_engine(race *r, const char *engine, int threads) {
  lineup l = {.race = r, .threads = threads};
  add_plan(&l, engine, NULL);
}

void lineup_add_gemm(race *r, const bench_unit *unit, size_t s, int threads) {
  lineup l = {.race = r, .threads = threads};
  contender *c = add(&l, ROLE_LIBRARY, unit->label, run_plan);
  if (c == NULL) return;
  c->s = s;
  c->unit = unit;
  const mmscan_status status = make_plan(r, "gemm", unit->name, s, threads, &c->plan);
  if (status != MMSCAN_OK) lineup_refuse(c, mmscan_strerror(status));
  lineup_refuse_slow(c, unit->name);
}

/* Only where it is asked for, as what a block takes matters to short ones alone. */
static void add_one_block(lineup *l) {
  const bool is_asked = l->filter != NULL && l->filter->count > 0;
  if (is_asked && race_is_plain(l->race) && l->threads == 1) add(l, ROLE_LIBRARY, "mmscan (one block)", run_block);
}

static void add_library(lineup *l) {
  mmscan_part engine = {.struct_size = sizeof engine};
  add_one_call(l, &libmmscan_built_in);
  add_one_block(l);
  for (size_t i = 0; mmscan_get_engine(i, &engine) == MMSCAN_OK; i++) add_engine(l, engine.name);
}

/* ---- Contenders without a unit ----------------------------------------------------------------------------------- */

static void add_bound(lineup *l) { add(l, ROLE_BOUND, l->race->in_place ? "update bound" : "copy bound", NULL); }

/* Where there are indices, as many numbers are copied there. What is read beside x is read. */
static double run_copy(const contender *c, long runs) {
  const race *r = c->race;
  const size_t indices = r->n * r->stride * sizeof *r->indices;
  scan_function *const also = c->scan == bound_stream ? bound_stream : bound_copy;
  const double start = timing_now();
  for (long i = 0; i < runs; i++) {
    c->copy(c);
    if (r->indices != NULL) also(indices, r->numbers, r->indices, c->threads);
    if (r->beside != NULL) bound_read(r->beside_bytes, r->beside, c->threads);
  }
  return timing_now() - start;
}

static void copy_bytes(const contender *c) { c->scan(race_y_bytes(c->race), c->race->x, c->race->y, c->threads); }

static void copy_strided(const contender *c) {
  const race *r = c->race;
  if (r->in_place)
    bound_update_strided(r->n, r->to->size, r->stride, r->y, c->threads);
  else
    bound_copy_strided(r->n, r->to->size, r->stride, r->x, r->y, c->threads);
}

static void add_copy(lineup *l, const char *name, void (*copy)(const contender *), scan_function *of_bytes) {
  contender *c = add(l, ROLE_COPY, name, run_copy);
  if (c == NULL) return;
  c->copy = copy;
  c->scan = of_bytes;
}

static void add_copies(lineup *l) {
  const race *r = l->race;
  if (r->stride > 1) {
    add_copy(l, r->in_place ? "strided update" : "strided copy", copy_strided, NULL);
  } else if (race_converts(r)) {
    add_copy(l, "converting copy past the caches", converting_stream, bound_stream);
    add_copy(l, "converting copy", converting_copy, NULL);
  } else if (r->in_place) {
    add_copy(l, "update", copy_bytes, bound_update);
  } else {
    add_copy(l, "copy past the caches", copy_bytes, bound_stream);
    add_copy(l, "copy", copy_bytes, bound_copy);
  }
}

/* By the rule's loop; NULL: the engine `serial` has to serve. */
static double (*serial_run(const race *r))(const contender *, long) {
  if (number_rule_of(r->number, r->op) == NULL || race_is_strided(r)) return NULL;
  if (race_converts(r)) return r->op == MMSCAN_PLUS && r->indices == NULL ? converting_loop : NULL;
  if (r->indices != NULL) return run_serial_indices;
  return r->row != 0 ? run_serial_rows : run_scan;
}

static void add_serial_loop(lineup *l) {
  double (*const run)(const contender *, long) = serial_run(l->race);
  contender *c = add(l, ROLE_LOOP, "serial loop", run != NULL ? run : run_plan);
  if (c == NULL) return;
  if (run != NULL)
    c->scan = number_rule_of(l->race->number, l->race->op)->serial;
  else if (plan_serial(l->race, &c->plan) != MMSCAN_OK)
    lineup_refuse(c, "the engine serial does not scan this");
  c->threads = 1;
}

static void add_parallel_rows(lineup *l) {
  const bool has_loop = serial_run(l->race) == run_serial_rows;
  if (l->race->row != 0 && l->threads > 1 && has_loop)
    add(l, ROLE_PEER, "serial loop, omp parallel", run_parallel_rows);
}

/* Where the type has a scan among those of a peer; -1: nowhere. */
static int peer_column(const number *type) {
  static const mmscan_type columns[PEER_TYPES] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_I32, MMSCAN_I64};
  int column = PEER_TYPES - 1;
  while (column >= 0 && columns[column] != type->type) column--;
  return column;
}

static const char *refusal_of_peer(const peer *p, const race *r) {
  const char *refusal = peers_refusal(p);
  if (refusal == NULL && r->op != MMSCAN_PLUS) refusal = "it only adds";
  if (refusal == NULL && race_converts(r)) refusal = "it does not convert";
  if (refusal == NULL && peer_column(r->number) < 0) refusal = "it scans f32, f64, i32 and i64 only";
  return refusal;
}

static void add_peer(lineup *l, const peer *p) {
  const int column = peer_column(l->race->number);
  contender *c = add(l, ROLE_PEER, p->name, l->race->row != 0 ? run_scans : run_scan);
  if (c == NULL) return;
  c->scan = column >= 0 ? p->scan[column] : NULL;
  c->settle = p->threads == PEER_OWN_THREADS;
  lineup_refuse(c, refusal_of_peer(p, l->race));
}

/* Parallel peers are left out of races of rows: they would start their threads anew for each row. */
static void add_peers(lineup *l, peer_threads least, peer_threads most) {
  const peer *p;
  for (size_t i = 0; (p = peers_at(i)) != NULL && (most == PEER_ONE_THREAD || l->race->row == 0); i++)
    if (p->threads >= least && p->threads <= most) add_peer(l, p);
}

/* Of many threads, where there is one row. */
static void add_converting_peer(lineup *l, bool is_parallel) {
  const race *r = l->race;
  if (!race_converts(r) || race_is_strided(r) || r->op != MMSCAN_PLUS) return;
  if (!is_parallel)
    add(l, ROLE_PEER, "converting omp simd inscan", converting_simd);
  else if (r->row == 0 && l->threads > 1)
    add(l, ROLE_PEER, "converting omp two-pass simd", converting_two_pass);
}

/* Its arrays have no bf16, and it rounds each sum of halves. */
static const char *refusal_of_numpy(const race *r) {
  if (r->op != MMSCAN_PLUS) return "it only adds";
  if (r->to->kind == 'f' && r->to->size == sizeof(uint16_t)) return "it rounds each sum to a half";
  if (r->number->type == MMSCAN_BF16) return "it has no bf16";
  return numpy_refusal(race_x_bytes(r) + race_y_bytes(r));
}

static void add_numpy(lineup *l) {
  contender *c = add(l, ROLE_PEER, "NumPy cumsum", numpy_run);
  if (c == NULL) return;
  c->verify = numpy_verify;
  lineup_refuse(c, refusal_of_numpy(l->race));
}

/* The peers that have only one thread. None but NumPy scans elements that are not neighbours, and it does so along an
 * axis. */
static void add_peers_of_one_thread(const lineup *l) {
  lineup one = *l;
  one.threads = 1;
  if (!race_is_strided(l->race)) {
    add_peers(&one, PEER_ONE_THREAD, PEER_ONE_THREAD);
    add_converting_peer(&one, false);
  }
  if (l->race->stride == 1) add_numpy(&one);
}

/* Copying on one thread, which at small n bounds many threads too. */
static void add_one_thread_copies(const lineup *l, const int *threads) {
  lineup one = *l;
  one.threads = 1;
  add_copies(&one);
  if (threads[0] != 1) add_bound(&one);
}

void lineup_add_bounds(race *r, const int *threads, size_t thread_counts) {
  lineup l = {.race = r, .threads = 1};
  add_one_thread_copies(&l, threads);
  for (size_t i = 0; i < thread_counts; i++) {
    l.threads = threads[i];
    if (l.threads > 1) add_copies(&l);
    add_bound(&l);
  }
}

contender *lineup_add_run(race *r, lineup_filter *filter, contender_role role, const char *name, int threads,
                          double (*run)(const contender *, long), size_t (*check)(contender *)) {
  lineup l = {.race = r, .filter = filter, .threads = threads};
  contender *c = add(&l, role, name, run);
  if (c != NULL) c->verify = check;
  return c;
}

void lineup_add_measures(race *r, const int *threads, size_t thread_counts) {
  lineup l = {.race = r, .threads = 1};
  add_one_thread_copies(&l, threads);
  add_serial_loop(&l);
  for (size_t i = 0; i < thread_counts; i++) {
    l.threads = threads[i];
    if (l.threads > 1) add_copies(&l);
    add_bound(&l);
  }
}

/* What has one thread takes part once, whatever the thread counts: copying, the serial loop that all are compared with,
 * and the single-threaded peers, which are what people have. Parallel peers run on all threads. */
void lineup_fill(race *r, lineup_filter *filter, const int *threads, size_t thread_counts) {
  lineup l = {.race = r, .filter = filter};
  add_one_thread_copies(&l, threads);
  for (size_t i = 0; i < thread_counts; i++) {
    l.threads = threads[i];
    add_bound(&l);
    if (i == 0) add_serial_loop(&l);
    if (l.threads > 1) add_copies(&l);
    add_library(&l);
    if (i == 0) add_peers_of_one_thread(&l);
    add_parallel_rows(&l);
    if (l.threads != mmscan_threads() || race_is_strided(r)) continue;
    add_peers(&l, PEER_OPENMP, PEER_OWN_THREADS);
    add_converting_peer(&l, true);
  }
}

/* Those whose threads are asked for are plans, and do not weigh whether more than one pays. */
static void add_given_threads(lineup *l, const char *name) {
  contender *c = add(l, ROLE_LIBRARY, name, run_plan);
  if (make_plan(l->race, NULL, NULL, 0, l->threads, &c->plan) != MMSCAN_OK) lineup_refuse(c, "there is no such plan");
}

void lineup_fill_every(race *r, int threads) {
  lineup one = {.race = r, .threads = 1}, all = {.race = r, .threads = threads};
  add_one_call(&all, &libmmscan_built_in);
  add_one_call(&one, &libmmscan_built_in);
  add_given_threads(&all, "mmscan, all threads");
  add_serial_loop(&one);
  if (!race_is_strided(r)) add_peers(&all, PEER_OPENMP, PEER_OPENMP);
}

/* ---- For the accuracy of sums ------------------------------------------------------------------------------------ */

const char *lineup_why_not(mmscan_status status) {
  return status == MMSCAN_ENOTSUP ? "not in this build" : mmscan_strerror(status);
}

static void add_mode(lineup *l, const char *name, unsigned flags) {
  contender *c = add_call(l, &libmmscan_built_in, name);
  if (c == NULL) return;
  mmscan_desc desc = desc_of(l->race, c->op);
  desc.flags = c->flags = flags;
  if (flags != 0) c->simple = NULL;
  const mmscan_status status = mmscan_desc_check(&desc, NULL, 0);
  if (status != MMSCAN_OK) lineup_refuse(c, lineup_why_not(status));
}

static void add_modes(lineup *l) {
  add_mode(l, "mmscan default", 0);
  contender *gemm = add(l, ROLE_LIBRARY, "mmscan gemm", run_plan);
  const mmscan_status status = gemm != NULL ? make_plan(l->race, "gemm", NULL, 0, l->threads, &gemm->plan) : MMSCAN_OK;
  if (status != MMSCAN_OK) lineup_refuse(gemm, mmscan_strerror(status));
  add_mode(l, "mmscan accurate", MMSCAN_ACCURATE);
  add_mode(l, "mmscan reproducible", MMSCAN_REPRODUCIBLE);
  add_mode(l, "mmscan monotone", MMSCAN_MONOTONE);
}

/* The plain loop has the order of NumPy's cumsum, and of PyTorch's where that accumulates in the type itself. */
static void add_plain_loop(lineup *l) {
  const bool is_torch = peer_torch.scan[peer_column(l->race->number)] == NULL;
  contender *c = add(l, ROLE_LOOP, is_torch ? "plain loop: NumPy, PyTorch" : "plain loop: NumPy", run_scan);
  if (c != NULL) c->scan = number_rule_of(l->race->number, MMSCAN_PLUS)->serial;
}

void lineup_fill_accuracy(race *r, lineup_filter *filter, int threads) {
  static const peer *const peers[] = {&peer_omp_simd, &peer_two_pass, &peer_torch, &peer_julia};
  lineup all = {.race = r, .filter = filter, .threads = threads}, one = {.race = r, .filter = filter, .threads = 1};
  const int column = peer_column(r->number);
  add_modes(&all);
  add_plain_loop(&one);
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
    if (peers[i]->scan[column] != NULL) add_peer(peers[i]->threads == PEER_ONE_THREAD ? &one : &all, peers[i]);
}

void lineup_free(race *r) {
  for (size_t i = 0; i < r->count; i++) {
    mmscan_plan_destroy(r->contenders[i].plan);
    r->contenders[i].plan = NULL;
  }
}

/* ---- The measures ------------------------------------------------------------------------------------------------ */

const contender *lineup_bound(const race *r, int threads) {
  const contender *bound = NULL;
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].role == ROLE_BOUND && (bound == NULL || r->contenders[i].threads == threads))
      bound = &r->contenders[i];
  return bound;
}

const contender *lineup_loop(const race *r) {
  const contender *c = r->contenders;
  while (c->role != ROLE_LOOP) c++;
  return c;
}
