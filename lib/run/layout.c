/* layout.c: rounds and groups, by what scans and cores are like: a table of regimes, whose numbers are measured
 * (doc/TUNING.md). */
#include "run/layout.h"

#include "base/tuning.h"
#include "team/cluster.h"

/* Tiles for each thread from which a scan is long. */
enum { LONG = 512 };

static bool is_in_place(const mms_tiles *tiles) { return tiles->run->scans.x == tiles->run->scans.y; }

/* ---- Regimes -------------------------------------------------------------------------------------------------- */

/* Where each core holds a part of the scan in a cache that other cores may not share. Not with a unit, whose products
 * take so long that nothing is gained; nor in place beyond one cluster, where x would be read from memory twice. */
static bool is_in_caches(const mms_tiles *tiles) {
  const mms_run *run = tiles->run;
  const bool stays = run->where <= MMS_IN_CLUSTER || !is_in_place(tiles);
  return mms_tuning_here.has_dies && !run->engine->has_unit && !run->job->uncached && stays;
}

static bool is_reduced_slowly(const mms_tiles *tiles) {
  return is_in_caches(tiles) && mms_tuning_here.reduces_slowly && tiles->run->where <= MMS_IN_CLUSTER;
}

/* In place in several clusters any scan will do, because what one thread has written should not be read by the other.
 */
static bool is_long(const mms_tiles *tiles) {
  const bool is = tiles->count >= tiles->sharing * LONG || (is_in_place(tiles) && mms_cluster_apart());
  return tiles->run->job->uncached && mms_tuning_here.long_groups && is;
}

static bool is_fetched(const mms_tiles *tiles) {
  return tiles->run->engine->finish_and_reduce && tiles->run->job->uncached && mms_tuning_here.fetches;
}

static bool is_far(const mms_tiles *tiles) { return tiles->run->where > MMS_IN_CLUSTER; }

static bool any(const mms_tiles *tiles) { return (void)tiles, true; }

/* The first that suits. `most`: tiles in a group. `lead`, `in_all`: the leader's tiles in a round, in fortieths of a
 * group: before the first group, to scan while that is reduced, with some to spare where there is one round; and in
 * all. */
static const struct regime {
  bool (*suits)(const mms_tiles *);
  size_t most, lead, in_all;
  bool in_turn;               /* one round, or hardly more: threads take their parts in the order of their numbers */
  bool in_own_cache;          /* no more tiles than a core's own cache holds */
  bool reduces_while_writing; /* so a follower reads memory all the time */
  bool from_memory;           /* followers prefetch or reduce meanwhile; the leader's part adapts */
} table[] = {
    {.suits = is_reduced_slowly, .most = MMS_LAYOUT_GROUP, .lead = 22, .in_all = 66, .in_turn = true},
    {.suits = is_in_caches, .most = MMS_LAYOUT_GROUP, .lead = 16, .in_all = 55, .in_turn = true},
    {.suits = is_long,
     .most = 8,
     .lead = 10,
     .in_all = 55,
     .in_own_cache = true,
     .reduces_while_writing = true,
     .from_memory = true},
    {.suits = is_fetched, .most = 4, .lead = 10, .in_all = 55, .reduces_while_writing = true, .from_memory = true},
    {.suits = is_far, .most = 2, .lead = 10, .in_all = 55, .from_memory = true},
    {.suits = any, .most = 8, .lead = 10, .in_all = 55},
};

static const struct regime *regime_of(const mms_tiles *tiles) {
  const struct regime *r = table;
  while (!r->suits(tiles)) r++;
  return r;
}

/* ---- Counts of tiles ------------------------------------------------------------------------------------------ */

/* Data from memory is best reduced in groups that stay in a core's own cache, beside the next group. */
static size_t most_in_group(const struct regime *r, const mms_tiles *tiles) {
  const size_t held = 2 * mms_tuning_here.half_cache / (tiles->most * tiles->element);
  return !r->in_own_cache || held >= r->most ? r->most : held < 1 ? 1 : held;
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

mms_layout mms_layout_of(const mms_tiles *tiles) {
  const struct regime *r = regime_of(tiles);
  const size_t followers = tiles->sharing - 1, round = 40 * followers + r->in_all; /* in fortieths of a group */
  const size_t most = most_in_group(r, tiles), rounds = divide_up(40 * tiles->count, most * round);
  size_t each = divide_near(40 * tiles->count, rounds * round);
  each = each < 1 ? 1 : each > most ? most : each;
  const size_t lead = divide_near(r->lead * each, 40);
  return (mms_layout){.in_turn = r->in_turn,
                      .reduces_while_writing = r->reduces_while_writing && tiles->run->engine->finish_and_reduce,
                      .from_memory = r->from_memory,
                      .lead = lead < 1 ? 1 : lead,
                      .group = each,
                      .groups = followers * each,
                      .part = leaders_part(tiles, each)};
}
