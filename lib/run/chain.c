/* chain.c: threads that take tiles in turn. */
#include "run/way.h"

/* Takes the carry past a tile, once it has passed all tiles before. Returns the carry into the tile. */
static mms_value pass(mms_chain *chain, void *work, size_t index, const mms_place *at, const mms_found *found) {
  mms_notifier_wait(&chain->notifier, &chain->passed, index);
  const mms_value into = mms_tiles_pass(chain->tiles, work, at, found, &chain->carry);
  mms_notifier_set(&chain->notifier, &chain->passed, index + 1);
  return into;
}

/* The x that this thread is likely to read after tile `index`; NULL where there is no need to prefetch it. */
static const void *after(const mms_tiles *tiles, size_t index) {
  const size_t next = index + tiles->sharing;
  return tiles->run->job->prefetches && next < tiles->count ? mms_tiles_at(tiles, next).tile.x : NULL;
}

static void take_part(void *given, const mms_member *self) {
  mms_chain *chain = given;
  void *work = self->work;
  const mms_tiles *tiles = chain->tiles;
  for (size_t index; (index = atomic_fetch_add(&chain->taken, 1)) < tiles->count;) {
    const mms_place at = mms_tiles_at(tiles, index);
    mms_found found;
    mms_tiles_prepare(tiles, work, &at, &found);
    const mms_value carry = pass(chain, work, index, &at, &found);
    mms_tiles_complete(tiles, work, &at, &carry, after(tiles, index));
  }
}

static bool can(const mms_tiles *tiles) {
  const mms_run *run = tiles->run;
  return run->engine->prepares && run->engine->prepares(run->job);
}

/* Each thread needs a core of its own, because every thread waits for every other. */
static bool suits(const mms_tiles *tiles) { return can(tiles) && tiles->sharing <= (size_t)mms_team_cpus(); }

static void begin(void *shared, const mms_tiles *tiles) {
  *(mms_chain *)shared = (mms_chain){.tiles = tiles, .notifier = MMS_NOTIFIER_READY};
}

const mms_way mms_way_chain = {.name = "chain",
                               .description = "threads take the next tile in turn, and read it once",
                               .can = can,
                               .suits = suits,
                               .begin = begin,
                               .take_part = take_part};
