/* layout.c: rounds and groups, by what scans and cores are like. Measured: doc/PERFORMANCE.md, "Dies", "A leader". */
#include "layout.h"

#include "apart.h"
#include "base/tuning.h"

/* FROM_MEMORY: bytes of x, of all scans, beyond which no cache shared by cores holds it; measured as in execute.c.
 * HALF_A_DIE: bytes of x and y, of all scans, that stay in a die's last-level cache: half of that cache. GROUP: tiles
 * in a group. LONG: tiles for each thread from which a scan is long. */
enum { FROM_MEMORY = 8 << 20, HALF_A_DIE = 16 << 20, GROUP = 8, LONG = 64 * GROUP };

static size_t bytes_of_x(const mms_tiles *tiles) { return mms_tiles_bytes(tiles, tiles->count); }

static bool from_memory(const mms_tiles *tiles) { return bytes_of_x(tiles) > FROM_MEMORY; }

static bool is_in_place(const mms_tiles *tiles) { return tiles->run->scans.x == tiles->run->scans.y; }

static bool is_on_die(const mms_tiles *tiles) { return bytes_of_x(tiles) * (is_in_place(tiles) ? 1 : 2) <= HALF_A_DIE; }

/* Whether threads take long groups: on cores that prefer them, for data that is in no cache, in scans of many tiles. In
 * place on two dies any scan will do, because what one thread has written should not be read by the other. */
static bool in_long_groups(const mms_tiles *tiles) {
  const bool is_long = tiles->count >= tiles->sharing * LONG || (is_in_place(tiles) && mms_apart());
  return tiles->run->job->uncached && mms_tuning_here.long_groups && is_long;
}

/* Whether the whole scan is laid out as one round, or hardly more: where each core holds a part of it in a cache that
 * other cores may not share. Not with a unit, whose products take so long that nothing is gained; nor in place beyond
 * HALF_A_DIE, where x would be read from memory twice. */
static bool in_one_round(const mms_tiles *tiles) {
  const mms_run *run = tiles->run;
  const bool stays = is_on_die(tiles) || !is_in_place(tiles);
  return mms_tuning_here.has_dies && !run->engine->has_unit && !run->job->uncached && stays;
}

/* Whether a follower reduces one group while it writes another, and so reads memory all the time: on cores that gain by
 * it. */
static bool reduces_while_writing(const mms_tiles *tiles) {
  const mms_run *run = tiles->run;
  return run->engine->finish_and_reduce && ((run->job->uncached && mms_tuning_here.fetches) || in_long_groups(tiles));
}

/* GROUP, or as many tiles as a core's own cache holds if that is fewer. */
static size_t long_group(const mms_tiles *tiles) {
  const size_t held = 2 * mms_tuning_here.half_cache / (tiles->most * tiles->element);
  return held < 1 ? 1 : held < GROUP ? held : GROUP;
}

/* Data from memory is best reduced in groups that stay in a core's own cache, beside the next group; but in long scans
 * of data that is in no cache, some cores do better if they change places less often. */
static size_t most_in_group(const mms_tiles *tiles) {
  if (in_one_round(tiles)) return MMS_LAYOUT_GROUP;
  if (in_long_groups(tiles)) return long_group(tiles);
  if (reduces_while_writing(tiles)) return GROUP / 2;
  return from_memory(tiles) ? 2 : GROUP;
}

static size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }
static size_t divide_near(size_t a, size_t b) { return (a + b / 2) / b; }

/* Tiles in the leader's part of a round whose groups are of `each` tiles. A follower, which first reduces a tile, needs
 * three eighths more time for it than the leader. It needs a fourth more where results are streamed, as the tile was
 * prefetched, and with a unit, as the rest takes longer. The first is rounded to nearest, halves down; the second
 * down. */
static size_t leaders_part(const mms_tiles *tiles, size_t each) {
  const bool is_less = tiles->run->job->streams || tiles->run->engine->has_unit;
  return is_less ? 5 * each / 4 : divide_near(11 * each - 1, 8);
}

/* The leader's tiles in a round, in fortieths of a group: `before` the first group, to scan while that is reduced, with
 * some to spare where there is one round; and `in_all`. Measured: doc/PERFORMANCE.md, "Dies". */
typedef struct leaders {
  size_t before, in_all;
} leaders;

static leaders leaders_of(const mms_tiles *tiles) {
  if (!in_one_round(tiles)) return (leaders){.before = 10, .in_all = 55};
  if (mms_tuning_here.reduces_slowly && is_on_die(tiles)) return (leaders){.before = 22, .in_all = 66};
  return (leaders){.before = 16, .in_all = 55};
}

mms_layout mms_layout_of(const mms_tiles *tiles) {
  const leaders its = leaders_of(tiles);
  const size_t followers = tiles->sharing - 1, round = 40 * followers + its.in_all; /* in fortieths of a group */
  const size_t most = most_in_group(tiles), rounds = divide_up(40 * tiles->count, most * round);
  size_t each = divide_near(40 * tiles->count, rounds * round);
  each = each < 1 ? 1 : each > most ? most : each;
  const size_t lead = divide_near(its.before * each, 40);
  const bool one_round = in_one_round(tiles);
  return (mms_layout){.in_turn = one_round,
                      .reduces_while_writing = reduces_while_writing(tiles),
                      .from_memory = from_memory(tiles) && !one_round,
                      .lead = lead < 1 ? 1 : lead,
                      .group = each,
                      .groups = followers * each,
                      .part = leaders_part(tiles, each)};
}
