/* shares.c: a share for each thread. */
#include "run/way.h"

#include "base/clock.h"
#include "team/cluster.h"

/* ---- How shares are cut --------------------------------------------------------------------------------------- */

/* Runs with more threads, or with more tiles for each thread, have a leader. */
enum { MOST_SHARES = 64, MOST_TILES = 128 };

/* Whether each share stays in its core's own cache, and so does its part of y. */
static bool stays_in_core(const mms_tiles *tiles) {
  return tiles->run->where == MMS_IN_CORES && !tiles->run->job->streams;
}

/* Whether each share stays in the last-level cache of its core's cluster, and in no other. Where a unit's products are
 * streamed, it makes no difference where x is. */
static bool stays_in_cluster(const mms_tiles *tiles) {
  const bool is_slow = tiles->run->engine->has_unit && tiles->run->job->streams;
  return tiles->run->where <= MMS_IN_CLUSTERS && !is_slow && mms_cluster_apart();
}

/* Tiles from `first` up to `end`, which is not included; what was found in them, whose totals
 * become the carries into each. */
typedef struct share {
  size_t index, first, end;
  mms_found found[MOST_TILES];
} share;

static size_t first_tile(const mms_tiles *tiles, size_t index) { return index * tiles->count / tiles->sharing; }

static uint64_t bit(size_t index) { return (uint64_t)1 << index; }

static bool is_taken(const mms_shares *s, size_t index) { return atomic_load(&s->taken) & bit(index); }

/* Takes a share, unless it is taken. */
static bool take(mms_shares *s, size_t index) {
  return !is_taken(s, index) && !(atomic_fetch_or(&s->taken, bit(index)) & bit(index));
}

/* Waits until the owner of a share has taken it: a thread with nothing to reduce may be here first. Not for an owner
 * that sleeps: only until *end, which is 0 before the first wait. */
static void wait_for_owner(const mms_shares *s, size_t index, double *end) {
  if (is_taken(s, index)) return;
  if (*end == 0) *end = mms_clock() + MMS_NOTIFIER_AWAKE;
  while (!is_taken(s, index) && mms_clock() < *end)
    ;
}

/* ---- A thread's own share ------------------------------------------------------------------------------------- */

/* A share that does not stay in its core's cache is reduced from its last tile to its first. So the tiles that are
 * written first were read last, and are still in that cache. The last tiles were in the cache before, as the previous
 * scan of the share, or the loop that wrote x, ended with them. */
static void reduce(mms_shares *s, void *work, size_t index, share *own) {
  own->index = index;
  own->first = first_tile(s->tiles, index);
  own->end = first_tile(s->tiles, index + 1);
  const size_t count = own->end - own->first;
  const bool from_end = !stays_in_core(s->tiles);
  for (size_t i = 0; i < count; i++) {
    const size_t which = from_end ? count - 1 - i : i;
    const mms_place at = mms_tiles_at(s->tiles, own->first + which);
    mms_tiles_reduce(s->tiles, work, &at, &own->found[which]);
  }
}

/* Takes the carry past the share, once it has passed all shares before. */
static void pass(mms_shares *s, void *work, share *own) {
  mms_notifier_wait(&s->notifier, &s->passed, own->index);
  for (size_t i = own->first; i < own->end; i++) {
    const mms_place at = mms_tiles_at(s->tiles, i);
    mms_found *found = &own->found[i - own->first];
    found->total = mms_tiles_pass(s->tiles, work, &at, found, &s->carry);
  }
  mms_notifier_set(&s->notifier, &s->passed, own->index + 1);
}

static void finish(mms_shares *s, void *work, const share *own) {
  for (size_t i = own->first; i < own->end; i++) {
    const mms_place at = mms_tiles_at(s->tiles, i);
    mms_tiles_finish(s->tiles, work, &at, &own->found[i - own->first].total, NULL);
  }
}

/* ---- The share of a thread that has not arrived --------------------------------------------------------------- */

static void scan(mms_shares *s, void *work, size_t index) {
  const size_t end = first_tile(s->tiles, index + 1);
  mms_notifier_wait(&s->notifier, &s->passed, index);
  for (size_t i = first_tile(s->tiles, index); i < end; i++) {
    const mms_place at = mms_tiles_at(s->tiles, i);
    mms_tiles_at_once(s->tiles, work, &at, &s->carry);
  }
  mms_notifier_set(&s->notifier, &s->passed, index + 1);
}

/* Goes through shares in the order of the carry, so a thread only waits for a share that another thread works on. */
static void take_part(void *given, const mms_member *member) {
  mms_shares *s = given;
  void *work = member->work;
  const size_t self = member->index;
  const bool is_mine = take(s, self);
  share own;
  double end = 0;
  if (is_mine) reduce(s, work, self, &own);
  for (size_t i = 0; i < s->tiles->sharing; i++) {
    if (is_mine && i < self) wait_for_owner(s, i, &end);
    if (is_mine && i == self) {
      pass(s, work, &own);
      finish(s, work, &own);
    } else if (take(s, i)) {
      scan(s, work, i);
    }
  }
}

static bool can(const mms_tiles *tiles) {
  const size_t each = (tiles->count - 1) / tiles->sharing + 1;
  return tiles->run->engine->reduce && tiles->sharing <= MOST_SHARES && each <= MOST_TILES;
}

static bool suits(const mms_tiles *tiles) { return can(tiles) && (stays_in_core(tiles) || stays_in_cluster(tiles)); }

static void begin(void *shared, const mms_tiles *tiles) {
  *(mms_shares *)shared = (mms_shares){.tiles = tiles, .notifier = MMS_NOTIFIER_READY};
}

const mms_way mms_way_shares = {.name = "shares",
                                .description = "each thread has an equal run of neighbouring tiles",
                                .can = can,
                                .suits = suits,
                                .begin = begin,
                                .take_part = take_part};
