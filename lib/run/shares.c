/* shares.c: a share for each thread. */
#include "shares.h"

#include "apart.h"
#include "clock.h"
#include "base/tuning.h"
#include <omp.h>

/* ---- How shares are cut ----------------------------------------------------------------------------------------- */

/* Runs with more threads, or with more tiles for each thread, have a leader. */
enum { MOST_SHARES = 64, MOST_TILES = 128 };

/* Bytes of x, of all scans, that the last-level caches of two dies hold beside y. */
static const size_t TWO_DIES = (size_t)32 << 20;

/* Whether each share stays in its core's own cache, and so does its part of y. */
static bool stays_in_core(const mms_tiles *tiles, size_t each) {
  return mms_tiles_bytes(tiles, each) <= mms_tuning_here.half_cache && !tiles->run->job->streams;
}

/* Whether each share stays in the last-level cache of its core's die, and in no other. Where a unit's products are
 * streamed, it makes no difference where x is. */
static bool stays_on_die(const mms_tiles *tiles) {
  const bool is_slow = tiles->run->engine->has_unit && tiles->run->job->streams;
  return mms_tiles_bytes(tiles, tiles->count) <= TWO_DIES && !is_slow && mms_apart();
}

bool mms_shares_suit(const mms_tiles *tiles) {
  const size_t each = (tiles->count - 1) / tiles->sharing + 1;
  return tiles->sharing <= MOST_SHARES && each <= MOST_TILES && (stays_in_core(tiles, each) || stays_on_die(tiles));
}

/* Tiles from `first` up to `end`, which is not included; what was found in them, and the carry into each. */
typedef struct share {
  size_t index, first, end;
  mms_found found[MOST_TILES];
  mms_value carry[MOST_TILES];
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

/* ---- A thread's own share --------------------------------------------------------------------------------------- */

/* A share that does not stay in its core's cache is reduced from its last tile to its first. So the tiles that are
 * written first were read last, and are still in that cache. The last tiles were in the cache before, as the previous
 * scan of the share, or the loop that wrote x, ended with them. */
static void reduce(mms_shares *s, void *work, size_t index, share *own) {
  own->index = index;
  own->first = first_tile(s->tiles, index);
  own->end = first_tile(s->tiles, index + 1);
  const size_t count = own->end - own->first;
  const bool from_end = !stays_in_core(s->tiles, count);
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
    own->carry[i - own->first] = mms_tiles_pass(s->tiles, work, &at, &own->found[i - own->first], &s->carry);
  }
  mms_notifier_set(&s->notifier, &s->passed, own->index + 1);
}

static void finish(mms_shares *s, void *work, const share *own) {
  for (size_t i = own->first; i < own->end; i++) {
    const mms_place at = mms_tiles_at(s->tiles, i);
    mms_tiles_finish(s->tiles, work, &at, &own->carry[i - own->first], NULL);
  }
}

/* ---- The share of a thread that has not arrived ----------------------------------------------------------------- */

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
void mms_shares_take_part(void *given, void *work) {
  mms_shares *s = given;
  const size_t self = (size_t)omp_get_thread_num();
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
