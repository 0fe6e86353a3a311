/* plan.c: chooses by request, by the environment, by what was measured, and otherwise by a table. */
#include "plan/plan.h"

#include "base/tuning.h"
#include "plan/check.h"
#include "plan/env.h"
#include "plan/front.h"
#include "plan/short.h"
#include "plan/wisdom.h"
#include "team/team.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* MANY: scans that an estimate assumes if there is more than one. LONG: elements that it assumes of a long scan. With
 * so many, the cost of a call is nothing beside theirs. */
enum { MANY = 1 << 20, LONG = 1 << 20 };

/* Bytes of a tile that is packed, as it is combined: its buffer stays near the core. What is gathered needs much of the
 * nearest cache; threads that share a scan of contiguous elements gain from longer tiles. */
enum { GATHERED = 4096, CONTIGUOUS = 16384 };

static size_t packed_bytes(const mms_problem *p) { return mms_problem_is_contiguous(p) ? CONTIGUOUS : GATHERED; }

mms_shape mms_plan_shape(const mmscan_plan *plan) {
  const mms_problem *p = &plan->problem;
  return (mms_shape){p->algebra, p->n, p->n > 0 ? p->count : 0};
}

size_t mms_plan_tile(const mms_problem *p, size_t tile) {
  if (p->is_reproducible) return MMS_KERNEL_RUN / (p->storage->planes * p->storage->size);
  if (tile == 0 || !mms_problem_packs(p)) return tile;
  return packed_bytes(p) / (p->storage->planes * p->storage->size);
}

/* ---- Choosing an engine --------------------------------------------------------------------------------------- */

/* Whether an engine has what is asked for. */
static bool offers(const mms_engine *engine, const mmscan_choice *c) {
  return (engine->tile_of || !c->tile) && (engine->has_isa || !c->isa);
}

const mms_engine *mms_plan_asked_engine(const mms_env *env, const mmscan_choice *c) {
  if (c->engine) return mms_engine_find(c->engine);
  if (c->unit || c->s) return &mms_engine_gemm;
  if (env->engine && offers(env->engine, c)) return env->engine;
  return c->isa || c->tile ? &mms_engine_simd : NULL;
}

/* Gives the job the defaults of an engine. In place, because a copy would wait for what was just written. */
static void set_defaults(mms_job *job, const mms_engine *engine, const mms_problem *problem, const mms_env *env) {
  if (engine->has_unit) job->unit = mms_env_unit(env);
  if (engine->tile_of) job->tile = engine->tile_of(job->algebra, problem->whole);
  job->tile = mms_plan_tile(problem, job->tile);
}

/* Whether an engine can do a job: a unit's products only add. */
static bool can_do(const mms_engine *engine, const mms_job *job) {
  return !engine->has_unit || (job->algebra->planes > 0 && !job->adds_exactly);
}

/* The engine with which a single thread takes the least time for so many scans of n elements. */
static const mms_engine *cheapest(const mmscan_plan *plan, const mms_env *env, size_t n, size_t scans) {
  const mms_problem *p = &plan->problem;
  const mms_engine *best = NULL, *engine;
  double least = DBL_MAX;
  for (size_t i = 0; (engine = mms_engine_at(i)); i++) {
    if (!can_do(engine, &plan->job)) continue;
    mms_job as = plan->job;
    set_defaults(&as, engine, p, env);
    const double cost = mms_estimate(engine, &as, (mms_shape){p->algebra, n, scans}, 1).alone;
    if (cost >= least) continue;
    least = cost;
    best = engine;
  }
  return best;
}

/* For all long scans, where the cost of a call makes no difference, and for blocks, which may be of long scans.
 * Estimated once, as a simple call has little time. */
static const mms_engine *cheapest_of_long(const mmscan_plan *plan, const mms_env *env) {
  static _Atomic(const mms_engine *) known[MMS_ALL_ROWS];
  _Atomic(const mms_engine *) *here = &known[mms_algebra_index(plan->problem.algebra)];
  const mms_engine *engine = atomic_load_explicit(here, memory_order_relaxed);
  if (engine) return engine;
  engine = cheapest(plan, env, LONG, 1);
  atomic_store_explicit(here, engine, memory_order_relaxed);
  return engine;
}

/* Chooses by what was measured. A unit that the environment names outranks the measured one. If the one taken cannot be
 * used now, nothing of what was measured counts. A number of threads that was the best of fewer than `most` does not
 * count either; the rest still does, as the bits depend on it. */
static bool choose_wisely(mmscan_plan *plan, const mms_env *env, int most) {
  const mms_shape shape = mms_plan_shape(plan);
  mms_wise wise;
  if (!mms_wisdom_find(&shape, &wise)) return false;
  const mms_unit *unit = wise.unit && env->unit ? env->unit : wise.unit;
  if (mms_unit_hold_sound(unit, plan->job.algebra->unit)) return false;
  mms_unit_drop(unit);
  plan->engine = wise.engine;
  plan->job.unit = unit;
  plan->job.s = wise.s;
  plan->job.tile = mms_plan_tile(&plan->problem, wise.tile);
  plan->threads = wise.possible < most ? 0 : wise.threads;
  return true;
}

static void take_engine(mmscan_plan *plan, const mms_env *env, const mms_engine *engine) {
  plan->engine = engine;
  set_defaults(&plan->job, engine, &plan->problem, env);
}

/* What is not asked for is chosen by what was measured, if the shape was, or else by what engines cost. So the engine,
 * and with it the bits, depends neither on the number of threads nor on how a scan is cut into blocks. A short scan is
 * done as by the simple calls, except for many scans so short that their number makes a difference. Columns are done
 * row by row, and not packed. */
static void choose_freely(mmscan_plan *plan, const mms_env *env, int most) {
  plan->engine_is_free = true;
  if (plan->problem.is_reproducible) {
    take_engine(plan, env, &mms_engine_simd);
    return;
  }
  if (mms_problem_is_columns(&plan->problem)) {
    plan->job.keeps_pairs = plan->job.algebra->has_pairs;
    take_engine(plan, env, &mms_engine_serial);
    return;
  }
  if (choose_wisely(plan, env, most)) return;
  const size_t whole = plan->problem.whole;
  const bool are_many = plan->problem.count > 1;
  if (whole < MMS_ESTIMATE_SHORT && are_many) {
    take_engine(plan, env, cheapest(plan, env, whole, MANY));
  } else if (mms_is_short(whole, plan->problem.algebra->size)) {
    take_engine(plan, env, whole <= plan->job.kernel->few ? &mms_engine_serial : &mms_engine_simd);
    if (!are_many) plan->threads = 1;
  } else {
    take_engine(plan, env, cheapest_of_long(plan, env));
  }
}

static mmscan_status choose_engine(mmscan_plan *plan, const mms_env *env, const mmscan_choice *c, int most) {
  plan->engine = mms_plan_asked_engine(env, c);
  if (c->engine && !plan->engine) return MMSCAN_EINVAL;
  if (plan->engine && plan->problem.is_reproducible && !plan->engine->has_unit) plan->engine = &mms_engine_simd;
  if (plan->engine)
    take_engine(plan, env, plan->engine);
  else
    choose_freely(plan, env, most);
  if (!can_do(plan->engine, &plan->job)) return MMSCAN_ENOTSUP;
  if ((c->unit || c->s) && !plan->engine->has_unit) return MMSCAN_EINVAL;
  return offers(plan->engine, c) ? MMSCAN_OK : MMSCAN_EINVAL;
}

mmscan_status mms_plan_asked_isa(const mms_env *env, const mmscan_choice *c, const mms_isa **isa) {
  *isa = env->isa;
  if (c->isa && !mms_isa_find(c->isa, isa)) return MMSCAN_EINVAL;
  return *isa ? MMSCAN_OK : MMSCAN_ENOTSUP;
}

static mmscan_status choose_isa(mmscan_plan *plan, const mms_env *env, const mmscan_choice *c) {
  const mmscan_status status = mms_plan_asked_isa(env, c, &plan->job.isa);
  if (status) return status;
  if (plan->problem.is_reproducible) plan->job.isa = mms_isa_of_vectors(plan->job.isa, plan->job.algebra);
  plan->job.kernel = mms_kernel_of(plan->job.isa, plan->job.algebra);
  return MMSCAN_OK;
}

static mmscan_status choose_unit(mmscan_plan *plan, const mmscan_choice *c) {
  if (c->unit) plan->job.unit = mms_unit_find(c->unit);
  return plan->job.unit || !plan->engine->has_unit ? MMSCAN_OK : MMSCAN_EINVAL;
}

/* The matrices of a block, and what is read next, fit in a core's own cache. */
static size_t block_of(const mms_unit *unit) {
  const size_t block = mms_unit_block(unit), most = mms_tuning_here.half_cache / 2;
  return block < most ? block : most;
}

/* Called while the unit is held: once it is released, its library may be replaced by another. */
static mmscan_status choose_sizes(mmscan_plan *plan, const mmscan_choice *c) {
  mms_job *job = &plan->job;
  if (c->s) job->s = c->s;
  if (!job->s && plan->engine->s_of) job->s = plan->engine->s_of(job->unit);
  if (c->tile && plan->problem.is_reproducible && c->tile != job->tile) return MMSCAN_EINVAL;
  if (c->tile) job->tile = c->tile;
  if (job->unit) {
    job->block = block_of(job->unit);
    job->adds = job->s == 2 && mms_unit_adds(job->unit);
  }
  return mms_engine_allows(plan->engine, job->s, job->tile) ? MMSCAN_OK : MMSCAN_EINVAL;
}

/* Whether the plan's threads can share its run in the way that is asked for. */
static bool can_share(const mmscan_plan *plan, const mms_way *way) {
  const mms_problem *p = &plan->problem;
  mms_front front;
  mms_job job = plan->job;
  const mms_run run = {
      .engine = mms_front_take(&front, plan->engine, p, &job), .job = &job, .scans = {.n = p->n, .count = p->count}};
  mms_tiles tiles = mms_tiles_of(&run);
  tiles.sharing = (size_t)plan->threads;
  return plan->threads == 1 || way->can(&tiles);
}

static mmscan_status choose_way(mmscan_plan *plan, const mmscan_choice *c) {
  if (!c->way) return MMSCAN_OK;
  plan->way = mms_way_find(c->way);
  return plan->way && can_share(plan, plan->way) ? MMSCAN_OK : MMSCAN_EINVAL;
}

static double saves(const mmscan_plan *plan, const mmscan_choice *asked, const mms_cost *cost) {
  return asked->threads || plan->threads == 1 ? INFINITY : cost->alone - cost->alone / plan->threads;
}

double mms_plan_saves(const mmscan_plan *plan, const mmscan_choice *asked) {
  const mms_cost cost = mms_estimate(plan->engine, &plan->job, mms_plan_shape(plan), 1);
  return saves(plan, asked, &cost);
}

/* A number that was asked for is used as it is: only the caller can say whether it pays. There is an estimate only if
 * there is something to weigh, as a simple call has little time. */
static void choose_threads(mmscan_plan *plan, const mmscan_choice *c, int most) {
  const size_t row = plan->problem.count * plan->problem.algebra->size, lines = (row - 1) / MMS_COLUMNS + 1;
  mms_cost cost = {.threads = 1};
  if (c->threads) plan->threads = c->threads;
  if (!c->threads && most > 1 && plan->threads != 1)
    cost = mms_estimate(plan->engine, &plan->job, mms_plan_shape(plan), most);
  if (!plan->threads) plan->threads = cost.threads;
  if (plan->threads > most) plan->threads = most;
  if (mms_plan_takes_columns(plan) && (size_t)plan->threads > lines) plan->threads = lines > 0 ? (int)lines : 1;
  plan->threads_are_free = !c->threads && !plan->job.algebra->is_accurate; /* pairs take longer than memory does */
  plan->saves = saves(plan, c, &cost);
}

/* All but the problem. */
static void clear(mmscan_plan *plan) {
  const mms_problem *p = &plan->problem;
  plan->engine = NULL;
  plan->job = (mms_job){.algebra = p->algebra,
                        .storage = p->storage,
                        .keeps_order = p->is_reproducible,
                        .adds_exactly = mms_problem_adds_exactly(p),
                        .gathers = !mms_problem_is_contiguous(p),
                        .kind = p->kind,
                        .reverse = p->reverse};
  plan->threads = plan->limit = 0;
  plan->saves = 0;
  plan->way = NULL;
  plan->engine_is_free = plan->threads_are_free = false;
}

mmscan_status mms_plan_choose(mmscan_plan *plan, const mmscan_choice *choice) {
  static const mmscan_choice nothing;
  const mms_env *env = mms_env_get();
  const mmscan_choice *c = choice ? choice : &nothing;
  mmscan_status status;
  if (env->status) return env->status;
  if (choice && (status = mms_check_struct(choice, sizeof *choice))) return status;
  if (c->threads < 0) return MMSCAN_EINVAL;
  clear(plan);
  plan->limit = c->threads ? c->threads : env->threads;
  const int most = mms_team_most(plan->limit);
  if ((status = choose_isa(plan, env, c))) return status;
  if ((status = choose_engine(plan, env, c, most))) return status;
  if ((status = choose_unit(plan, c))) return status;
  if ((status = mms_unit_hold_sound(plan->job.unit, plan->job.algebra->unit))) return status;
  if ((status = choose_sizes(plan, c)) == MMSCAN_OK) {
    choose_threads(plan, c, most);
    status = choose_way(plan, c);
  }
  if (status) mms_plan_drop(plan);
  return status;
}

/* Nanoseconds that threads save at least, and that a tile takes; and scans for each thread from which each is done by
 * one thread as a whole. */
enum { WORTH = 5000, PIECE = 2000, WHOLE = 4 };

/* As long as the engine has it, but no less than pays for handing on a carry. */
static size_t tile_of_own(const mms_problem *p, double alone) {
  const mms_engine *engine = p->algebra->own->by_tiles;
  if (!engine->tile_of) return 0;
  const size_t tile = engine->tile_of(p->algebra, p->n);
  const double least = PIECE * (double)(p->n * p->count) / alone;
  return (double)tile >= least ? tile : least < MMSCAN_MAX_TILE ? (size_t)least : MMSCAN_MAX_TILE;
}

mmscan_status mms_plan_choose_own(mmscan_plan *plan, const mmscan_choice *choice, double alone) {
  static const mmscan_choice nothing;
  const mms_env *env = mms_env_get();
  const mmscan_choice *c = choice ? choice : &nothing;
  const mms_problem *p = &plan->problem;
  if (env->status) return env->status;
  clear(plan);
  plan->job.isa = env->isa;
  plan->limit = c->threads ? c->threads : env->threads;
  const int most = c->threads || alone > WORTH ? mms_team_most(plan->limit) : 1;
  const bool is_worth = c->threads || alone - alone / most > WORTH;
  const bool are_many = p->count >= (size_t)(WHOLE * most) && !c->way;
  plan->threads = is_worth ? most : 1;
  plan->engine = are_many ? p->algebra->own->alone : p->algebra->own->by_tiles;
  plan->engine_is_free = true;
  plan->threads_are_free = !c->threads;
  plan->job.tile = c->tile ? c->tile : tile_of_own(p, alone);
  plan->saves = saves(plan, c, &(mms_cost){.alone = alone});
  return choose_way(plan, c);
}

void mms_plan_drop(const mmscan_plan *plan) { mms_unit_drop(plan->job.unit); }
