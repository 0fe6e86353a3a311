/* measure.c: times candidates in turn and takes the fastest. */
#include "plan/measure.h"

#include "base/arena.h"
#include "base/clock.h"
#include "plan/env.h"
#include "plan/execute.h"
#include "plan/wisdom.h"
#include "team/pays.h"
#include "team/team.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST = 64,        /* candidates to make room for at first: a unit has nine (s and tile) for each number of threads */
  ROUNDS = 5,        /* the least of so many times need only be near the right one */
  FINAL_ROUNDS = 11, /* odd, so that one of them is the median */
  PATIENCE = 200     /* milliseconds that a contest waits for other work to leave its cores */
};

/* A candidate that takes so many times as long as the best is out. HOPELESS: a unit timed in one size, as other sizes
 * are less than twice as fast. BEHIND: after a round, as another process on the core takes half of it. NOT_NEAR: before
 * the final, as the candidate that had the least time in a few rounds took up to 1.19 times as long as the best. */
static const double HOPELESS = 3, BEHIND = 2, NOT_NEAR = 1.25;

typedef struct candidate {
  mmscan_plan plan;
  double time;                 /* the least so far; after the final its median there, or DBL_MAX if it was not in it */
  double finals[FINAL_ROUNDS]; /* sorted at the end */
} candidate;

typedef struct contest {
  candidate *candidates;
  size_t count, capacity;
  bool failed;         /* there was no memory for a candidate */
  int patience;        /* milliseconds left of PATIENCE */
  mms_problem problem; /* the one that the arrays are for */
  void *x, *y;
} contest;

/* ---- Candidates ----------------------------------------------------------------------------------------------- */

static bool make_room(contest *c) {
  if (c->count < c->capacity) return true;
  size_t capacity = c->capacity ? 2 * c->capacity : FIRST;
  candidate *more = realloc(c->candidates, capacity * sizeof *more);
  c->failed = !more;
  if (!more) return false;
  c->candidates = more;
  c->capacity = capacity;
  return true;
}

/* Enters a candidate with what the choice names, if that fits together. */
static void enter(contest *c, mmscan_choice choice) {
  if (c->failed || !make_room(c)) return;
  candidate *new = &c->candidates[c->count];
  new->plan.problem = c->problem;
  if (mms_plan_choose(&new->plan, &choice) != MMSCAN_OK) return;
  new->plan.threads = choice.threads;
  new->plan.engine_is_free = false;
  new->time = DBL_MAX;
  c->count++;
}

static void enter_threads(contest *c, mmscan_choice choice, const mmscan_choice *asked) {
  int most = mms_team_most(asked->threads ? asked->threads : mms_env_get()->threads);
  choice.threads = 1;
  enter(c, choice);
  while (choice.threads < most) {
    choice.threads = mms_estimate_next_count(choice.threads, most);
    enter(c, choice);
  }
}

/* Enters tiles of the engine's own size, half of it and double. */
static void enter_tiles(contest *c, const mms_engine *engine, mmscan_choice choice, const mmscan_choice *asked) {
  const size_t tile = engine->tile_of ? engine->tile_of(c->problem.algebra, c->problem.n) : 0;
  choice.tile = asked->tile;
  if (asked->tile || !tile) {
    enter_threads(c, choice, asked);
    return;
  }
  for (choice.tile = tile / 2; choice.tile <= 2 * tile; choice.tile *= 2) enter_threads(c, choice, asked);
}

static void enter_sizes(contest *c, const mms_engine *engine, mmscan_choice choice, const mmscan_choice *asked) {
  choice.s = asked->s;
  if (asked->s) enter_tiles(c, engine, choice, asked);
  for (choice.s = 2; !asked->s && choice.s <= 8; choice.s *= 2) enter_tiles(c, engine, choice, asked);
}

/* Units that count are left out: they are there to count, not to be fast. While other threads open and close libraries,
 * some units may be passed over. */
static void enter_units(contest *c, const mms_engine *engine, mmscan_choice choice, const mmscan_choice *asked) {
  const mms_unit *unit = asked->unit ? mms_unit_find(asked->unit) : mms_env_get()->unit;
  if (unit) {
    choice.unit = unit->name;
    enter_sizes(c, engine, choice, asked);
    return;
  }
  for (size_t i = 0; (unit = mms_unit_at(i)) != NULL; i++) {
    choice.unit = unit->name;
    if (!unit->counts) enter_sizes(c, engine, choice, asked);
  }
}

/* `asked` is what the caller has settled, and has been found to fit. False: there was no memory for all candidates. */
static bool enter_all(contest *c, const mmscan_choice *asked, const mms_engine *only) {
  const mms_engine *engine;
  for (size_t i = 0; (engine = mms_engine_at(i)); i++) {
    if (only && engine != only) continue;
    mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine->name, .way = asked->way};
    if (engine->has_isa) choice.isa = asked->isa;
    if (engine->has_unit)
      enter_units(c, engine, choice, asked);
    else
      enter_tiles(c, engine, choice, asked);
  }
  return !c->failed;
}

/* ---- Timing --------------------------------------------------------------------------------------------------- */

/* While there is other work on our cores, a plan for several threads runs on one (team/pays.h), and its time is not
 * the plan's. */
static bool is_held_up(const contest *c, const mmscan_plan *plan) {
  return plan->threads > 1 && c->patience > 0 && mms_pays_contended();
}

static void wait_a_millisecond(contest *c) {
  mms_clock_sleep(1000000);
  c->patience--;
}

/* Nanoseconds for a run, over as many runs as take two milliseconds. */
static double time_runs(const contest *c, const mmscan_plan *plan) {
  const double SHORTEST = 2e6;
  double start = mms_clock(), spent = 0;
  long runs = 0;
  do {
    if (mms_execute(plan, c->x, c->y, NULL) != MMSCAN_OK) return DBL_MAX;
    runs++;
    spent = mms_clock() - start;
  } while (spent < SHORTEST);
  return spent / (double)runs;
}

static double time_plan(contest *c, const mmscan_plan *plan) {
  double time;
  do {
    while (is_held_up(c, plan)) wait_a_millisecond(c);
    time = time_runs(c, plan);
  } while (is_held_up(c, plan));
  return time;
}

static const candidate *fastest(const contest *c) {
  const candidate *best = c->candidates;
  for (size_t i = 1; i < c->count; i++)
    if (c->candidates[i].time < best->time) best = &c->candidates[i];
  return best;
}

/* The least time with so many threads, by a unit, or by any candidate (NULL). */
static double least(const contest *c, int threads, const mms_unit *unit) {
  double time = DBL_MAX;
  for (size_t i = 0; i < c->count; i++) {
    const candidate *one = &c->candidates[i];
    if (one->plan.threads == threads && (!unit || one->plan.job.unit == unit) && one->time < time) time = one->time;
  }
  return time;
}

/* There may be many units: one that was tried, and is far behind with as many threads, is not tried in every size. */
static bool is_hopeless(const contest *c, const candidate *one) {
  const mms_unit *unit = one->plan.job.unit;
  int threads = one->plan.threads;
  double own = unit ? least(c, threads, unit) : DBL_MAX;
  return own < DBL_MAX && own > HOPELESS * least(c, threads, NULL);
}

/* In rounds, so that a disturbance affects all candidates; one that is far behind after a round is out. The engines
 * without units, which are fast, come last in the table and are timed first. */
static void run_rounds(contest *c) {
  for (int round = 0; round < ROUNDS; round++) {
    double best = round ? fastest(c)->time : DBL_MAX;
    for (size_t i = c->count; i-- > 0;) {
      candidate *one = &c->candidates[i];
      if (round ? one->time > BEHIND * best : is_hopeless(c, one)) continue;
      double took = time_plan(c, &one->plan);
      if (took < one->time) one->time = took;
    }
  }
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The least time decides which candidates are out, but it may be from a lucky moment: among those near each other the
 * median counts. */
static const candidate *run_final(contest *c) {
  const double limit = NOT_NEAR * fastest(c)->time;
  for (int round = 0; round < FINAL_ROUNDS; round++)
    for (size_t i = 0; i < c->count; i++)
      if (c->candidates[i].time <= limit) c->candidates[i].finals[round] = time_plan(c, &c->candidates[i].plan);
  for (size_t i = 0; i < c->count; i++) {
    candidate *one = &c->candidates[i];
    if (one->time <= limit) qsort(one->finals, FINAL_ROUNDS, sizeof *one->finals, compare_times);
    one->time = one->time <= limit ? one->finals[FINAL_ROUNDS / 2] : DBL_MAX;
  }
  return fastest(c);
}

/* ---- The arrays ----------------------------------------------------------------------------------------------- */

/* The problem with contiguous rows, as many and as long as fit, but not so many that short ones take long: of strided
 * scans, what is packed. Nothing is written but y. */
static mms_problem scale_down(const mms_problem *p) {
  mms_problem small = *p;
  const size_t most = MMS_MEASURE_BYTES / p->algebra->size;
  if (small.n > most) small.n = most;
  const size_t most_rows = most / small.n < MMS_MEASURE_ROWS ? most / small.n : MMS_MEASURE_ROWS;
  if (small.count > most_rows) small.count = most_rows;
  small.batch = small.count;
  small.rank = 0;
  small.totals = NULL;
  small.indices = NULL;
  small.overflows = NULL;
  small.is_offsets = small.skips_nan = small.restarts = small.has_parts = false;
  small.storage = mms_storage_of(p->algebra->type, p->algebra->type);
  small.x_stride = small.y_stride = 1;
  small.x_at = small.y_at = 0;
  small.x_dist = small.y_dist = small.batch > 1 ? (ptrdiff_t)small.n : 0;
  return small;
}

/* Zeros, written so that the system has provided the memory. On some hosts zeros in memory are up to a quarter faster
 * than other numbers, but equally for all candidates. */
static bool make_arrays(contest *c) {
  size_t bytes = c->problem.n * c->problem.count * c->problem.algebra->size;
  c->x = mms_arena_block(bytes, 1);
  c->y = mms_arena_block(bytes, 1);
  if (!c->x || !c->y) return false;
  memset(c->x, 0, bytes);
  memset(c->y, 0, bytes);
  return true;
}

static void drop_all(contest *c) {
  for (size_t i = 0; i < c->count; i++) mms_plan_drop(&c->candidates[i].plan);
  free(c->candidates);
  free(c->x);
  free(c->y);
}

/* The winning candidate holds its unit, so holding it again cannot fail. */
static void adopt(mmscan_plan *plan, const candidate *best, const mmscan_choice *asked) {
  mms_unit_hold(best->plan.job.unit);
  mms_plan_drop(plan);
  plan->engine = best->plan.engine;
  plan->job = best->plan.job;
  plan->job.storage = plan->problem.storage;
  plan->job.gathers = !mms_problem_is_contiguous(&plan->problem);
  if (!asked->tile) plan->job.tile = mms_plan_tile(&plan->problem, plan->job.tile);
  plan->threads = best->plan.threads;
  plan->saves = mms_plan_saves(plan, asked);
}

/* Whether what is found holds elsewhere too: neither the caller nor the environment settles any of the choice, and all
 * threads can be had. */
static bool is_general(const mmscan_plan *plan, const mmscan_choice *asked) {
  const mmscan_choice *c = asked;
  bool free_choice = !c->engine && !c->unit && !c->s && !c->tile && !c->isa && !c->threads && !c->way;
  const mms_env *env = mms_env_get();
  return free_choice && plan->engine_is_free && !env->unit && !env->threads &&
         mms_team_available(0) == mms_team_most(0);
}

/* With the tile that was measured, which may be less in a plan that packs. */
static mmscan_status keep(const mmscan_plan *plan, size_t tile) {
  const int most = mms_team_most(0);
  mms_wise wise = {plan->engine, plan->job.unit, plan->job.s, tile, plan->threads, most};
  return mms_wisdom_keep(mms_plan_shape(plan), &wise);
}

mmscan_status mms_measure_choose(mmscan_plan *plan, const mmscan_choice *choice) {
  static const mmscan_choice nothing;
  const mmscan_choice *asked = choice ? choice : &nothing;
  mms_wise known;
  mmscan_status status = mms_plan_choose(plan, choice);
  if (status || mms_problem_is_empty(&plan->problem) || mms_plan_takes_columns(plan)) return status;
  if (plan->problem.is_reproducible) return MMSCAN_OK; /* all but the number of threads is given */
  const bool general = is_general(plan, asked);
  const mms_shape shape = mms_plan_shape(plan);
  if (general && mms_wisdom_find(&shape, &known) && known.possible >= mms_team_most(0)) return MMSCAN_OK;
  contest c = {.problem = scale_down(&plan->problem), .patience = PATIENCE};
  status = MMSCAN_ENOMEM;
  if (make_arrays(&c) && enter_all(&c, asked, plan->engine_is_free ? NULL : plan->engine)) {
    run_rounds(&c);
    const candidate *best = run_final(&c);
    adopt(plan, best, asked);
    status = general ? keep(plan, best->plan.job.tile) : MMSCAN_OK;
  }
  drop_all(&c);
  if (status) mms_plan_drop(plan);
  return status;
}
