/* run.c: how many threads do a run, and in which way they share it. */
#include "run/run.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/stream.h"
#include "base/tuning.h"
#include "run/way.h"
#include "team/pays.h"
#include <math.h>
#include <string.h>

/* ---- Where x and y are ---------------------------------------------------------------------------------------- */

mms_where mms_run_where(size_t bytes, bool in_place, int threads) {
  const mms_tuning *cpu = &mms_tuning_here;
  if (bytes <= (size_t)threads * cpu->half_cache) return MMS_IN_CORES;
  if (bytes <= (in_place ? 2 : 1) * cpu->cluster) return MMS_IN_CLUSTER;
  return bytes <= cpu->clusters ? MMS_IN_CLUSTERS : MMS_IN_MEMORY;
}

/* ---- The ways ------------------------------------------------------------------------------------------------- */

static const mms_way *const table[] = {&mms_way_alone, &mms_way_scans, &mms_way_shares, &mms_way_chain,
                                       &mms_way_leader};
enum { WAYS = sizeof table / sizeof *table };

const mms_way *mms_way_at(size_t index) { return index < WAYS ? table[index] : NULL; }

const mms_way *mms_way_find(const char *name) {
  for (size_t i = 0; i < WAYS; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

/* The one that is asked for, if there are several threads and they can; or the first that suits the tiles and the
 * threads that share them: the last suits all that come to it. */
static const mms_way *way_of(const mms_tiles *tiles) {
  if (tiles->run->only_carries) return &mms_way_totals;
  if (tiles->sharing == 1) return &mms_way_alone;
  if (tiles->run->way && tiles->run->way->can(tiles)) return tiles->run->way;
  size_t i = 0;
  while (i < WAYS - 1 && !table[i]->suits(tiles)) i++;
  return table[i];
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

/* A way that was asked for is taken even while other work holds teams up. */
static bool pays(const mms_run *run) { return run->way || mms_pays(run->saves, run->sort); }

/* More threads than pieces would find nothing to do. */
static int threads_for(const mms_run *run, int most) {
  mms_tiles tiles = mms_tiles_of(run);
  tiles.sharing = (size_t)most;
  const mms_way *way = way_of(&tiles);
  const size_t pieces = way->pieces ? way->pieces(&tiles) : tiles.count;
  return mms_team_startable(pieces < (size_t)most ? (int)pieces : most, run->way ? INFINITY : run->saves);
}

void mms_run_settle(mms_run *run) {
  const int most = mms_team_available(run->limit);
  if (run->threads > most) run->threads = most;
  if (run->threads == 1) return;
  run->weighs = !run->way && !isinf(run->saves);
  if (run->weighs)
    run->sort = (mms_pays_sort){.rested = mms_pays_rested(),
                                .in_place = run->scans.x == run->scans.y,
                                .streams = run->job->streams,
                                .are_many = run->scans.count > 1};
  run->threads = pays(run) ? threads_for(run, run->threads) : 1;
  run->weighs = run->weighs && !run->only_carries; /* what it takes says little about scans with results */
}

/* ---- A run ---------------------------------------------------------------------------------------------------- */

typedef struct part {
  const mms_run *run;
  const mms_way *way;
  mms_shared shared;
} part;

static void take_part(void *given, const mms_member *member) {
  part *p = given;
  const mms_job *job = p->run->job;
  const mms_member self = {.index = member->index, .work = p->run->memory ? p->run->memory : member->work};
  if (p->run->engine->begin) p->run->engine->begin(job, self.work);
  p->way->take_part(&p->shared, &self);
  if (job->streams) mms_stream_fence();
}

/* A unit is other people's code, which may reach a cancellation point. A team cannot be cancelled anyhow. */
static mmscan_status run_parts(part *p, int threads) {
  const mms_engine *engine = p->run->engine;
  const size_t work_size = engine->work_size && !p->run->memory ? engine->work_size(p->run->job) : 0;
  const bool may_sleep = engine->has_unit && threads == 1;
  const int before = may_sleep ? mms_cancel_disable() : 0;
  const mmscan_status status = mms_team_run(threads, work_size, take_part, p);
  if (may_sleep) mms_cancel_restore(before);
  return status;
}

static mmscan_status run_by(const mms_run *run) {
  mms_tiles tiles = mms_tiles_of(run);
  part p; /* not filled with zeros, as a scan may be tiny */
  tiles.sharing = (size_t)run->threads;
  p.run = run;
  p.way = way_of(&tiles);
  p.way->begin(&p.shared, &tiles);
  return run_parts(&p, run->threads);
}

mmscan_status mms_run_scan(const mms_run *run) {
  if (!run->weighs) return run_by(run);
  const double start = mms_clock();
  const mmscan_status status = run_by(run);
  if (status == MMSCAN_OK) mms_pays_learn(run->saves, run->sort, run->threads > 1, start, mms_clock());
  return status;
}
