/* leader.c: the leader and its followers. */
#include "run/way.h"

#include "base/clock.h"

/* Tiles that a follower has taken. A group is its follower's own, except `link`, which the leader's lock guards, and
 * what is found, whose totals the leader makes the carries into each tile after `reduced` and before `passed` is set.
 */
typedef struct group {
  size_t first, count; /* tiles */
  struct group *link;  /* the next group ahead */
  atomic_size_t reduced, passed;
  mms_found found[MMS_LAYOUT_GROUP];
} group;

/* ---- Groups --------------------------------------------------------------------------------------------------- */

/* Moves on to the next round. */
static void go_on(mms_leader *leader) {
  const int part = leader->part + leader->rest;
  leader->rest = part % MMS_LEADER_FINE;
  leader->start += leader->layout.groups + (size_t)(part / MMS_LEADER_FINE);
}

/* The group to take if `next` is the first tile that is not taken; it may lie beyond the last tile. Of a group that the
 * leader has entered, a fifth of the tiles left, rounded up, is given up: the leader advances while the rest is
 * reduced. */
static void next_group(mms_leader *leader, group *g) {
  const mms_layout *l = &leader->layout;
  size_t from = leader->next, left, lost;
  do {
    while (from >= leader->start + l->groups) go_on(leader);
    if (from < leader->start) from = leader->start;
    left = l->group - (from - leader->start) % l->group;
    lost = left == l->group ? 0 : (left + 4) / 5;
    g->first = from + lost;
    g->count = left - lost;
    from += left;
  } while (g->count == 0);
}

static void append(mms_leader *leader, group *g) {
  g->link = NULL;
  if (leader->front)
    leader->back->link = g;
  else
    leader->front = g;
  leader->back = g;
}

/* The place of tile i of a group. Not kept, as stacks may be small. */
static mms_place place_in(const mms_leader *leader, const group *g, size_t i) {
  return mms_tiles_at(leader->tiles, g->first + i);
}

/* Takes a group, if there is one left. */
static bool take(mms_leader *leader, group *g) {
  const size_t count = leader->tiles->count;
  pthread_mutex_lock(&leader->lock);
  next_group(leader, g);
  bool is_left = g->first < count;
  if (is_left) {
    if (g->count > count - g->first) g->count = count - g->first;
    g->reduced = g->passed = 0;
    append(leader, g);
    leader->next = g->first + g->count;
  }
  pthread_mutex_unlock(&leader->lock);
  return is_left;
}

/* ---- Waiting -------------------------------------------------------------------------------------------------- */

/* Makes the leader's part of later rounds longer by `by`, or shorter, between one tile and eight times the groups of a
 * round. If another thread has just changed it, it stays as that thread set it. */
static void change_part(mms_leader *leader, int by) {
  int part = leader->part;
  const int changed = part + by, most = 8 * MMS_LEADER_FINE * (int)leader->layout.groups;
  if (changed >= MMS_LEADER_FINE && changed <= most) atomic_compare_exchange_strong(&leader->part, &part, changed);
}

/* A thread that has to wait is faster than was assumed, and gets more to do. The speed of a core varies: other virtual
 * machines may run on it. */
static void wait_for(mms_leader *leader, const atomic_size_t *what, int by) {
  if (leader->layout.from_memory && !atomic_load(what)) change_part(leader, by);
  mms_notifier_wait(&leader->notifier, what, 1);
}

/* ---- The leader ----------------------------------------------------------------------------------------------- */

/* The group that starts at tile `index`, which the leader has reached; or NULL, and the tile is the leader's own. */
static group *come_to(mms_leader *leader, size_t index) {
  pthread_mutex_lock(&leader->lock);
  group *g = leader->front && leader->front->first == index ? leader->front : NULL;
  if (g)
    leader->front = g->link;
  else if (leader->next == index)
    leader->next++;
  pthread_mutex_unlock(&leader->lock);
  return g;
}

/* Takes the carry past a group. Returns its number of tiles, read before the group is its follower's again. */
static size_t pass(mms_leader *leader, void *work, group *g, mms_carry *carry) {
  const size_t count = g->count;
  wait_for(leader, &g->reduced, (int)leader->tiles->sharing - 1);
  for (size_t i = 0; i < count; i++) {
    const mms_place at = place_in(leader, g, i);
    g->found[i].total = mms_tiles_pass(leader->tiles, work, &at, &g->found[i], carry);
  }
  mms_notifier_set(&leader->notifier, &g->passed, 1);
  return count;
}

static void lead(mms_leader *leader, void *work) {
  mms_carry carry;
  for (size_t index = 0; index < leader->tiles->count;) {
    group *g = come_to(leader, index);
    if (g) {
      index += pass(leader, work, g, &carry);
      continue;
    }
    mms_place at = mms_tiles_at(leader->tiles, index++);
    mms_tiles_at_once(leader->tiles, work, &at, &carry);
  }
}

/* ---- A follower ----------------------------------------------------------------------------------------------- */

static void reduce(mms_leader *leader, void *work, group *g) {
  for (size_t i = 0; i < g->count; i++) {
    const mms_place at = place_in(leader, g, i);
    mms_tiles_reduce(leader->tiles, work, &at, &g->found[i]);
  }
  mms_notifier_set(&leader->notifier, &g->reduced, 1);
}

/* next: the group to prefetch meanwhile, or NULL. */
static void finish(mms_leader *leader, void *work, const group *g, const group *next) {
  for (size_t i = 0; i < g->count; i++) {
    const mms_place at = place_in(leader, g, i);
    const void *x = next && i < next->count ? place_in(leader, next, i).tile.x : NULL;
    mms_tiles_finish(leader->tiles, work, &at, &g->found[i].total, x);
  }
}

/* Groups may differ in length. */
static void finish_and_reduce(mms_leader *leader, void *work, const group *g, group *ahead) {
  const mms_tiles *tiles = leader->tiles;
  const size_t both = g->count < ahead->count ? g->count : ahead->count;
  for (size_t i = 0; i < both; i++) {
    const mms_place at = place_in(leader, g, i), next = place_in(leader, ahead, i);
    mms_tiles_finish_and_reduce(tiles, work, &at, &g->found[i].total, &next, &ahead->found[i]);
  }
  for (size_t i = both; i < g->count; i++) {
    const mms_place at = place_in(leader, g, i);
    mms_tiles_finish(tiles, work, &at, &g->found[i].total, NULL);
  }
  for (size_t i = both; i < ahead->count; i++) {
    const mms_place next = place_in(leader, ahead, i);
    mms_tiles_reduce(tiles, work, &next, &ahead->found[i]);
  }
  mms_notifier_set(&leader->notifier, &ahead->reduced, 1);
}

static void finish_then_reduce(mms_leader *leader, void *work, const group *g, group *ahead) {
  finish(leader, work, g, leader->layout.from_memory ? ahead : NULL);
  reduce(leader, work, ahead);
}

/* Takes the first groups, two at most, and reduces them. Returns their number. */
static size_t reduce_first(mms_leader *leader, void *work, group *g) {
  const bool is_any = take(leader, &g[0]);
  atomic_fetch_add(&leader->taken, 1);
  if (!is_any) return 0;
  reduce(leader, work, &g[0]);
  if (!take(leader, &g[1])) return 1;
  reduce(leader, work, &g[1]);
  return 2;
}

/* While it writes a group, the next one is already reduced, and the one after that is taken. */
static void follow(mms_leader *leader, void *work) {
  group three[3];
  size_t taken = reduce_first(leader, work, three);
  for (size_t written = 0; written < taken; written++) {
    group *now = &three[written % 3], *ahead = &three[taken % 3];
    const bool more = taken == written + 2 && take(leader, ahead);
    wait_for(leader, &now->passed, -1);
    if (!more)
      finish(leader, work, now, NULL);
    else if (leader->layout.reduces_while_writing)
      finish_and_reduce(leader, work, now, ahead);
    else
      finish_then_reduce(leader, work, now, ahead);
    taken += more;
  }
}

/* ---- A part --------------------------------------------------------------------------------------------------- */

/* Waits for the threads whose turn comes before, but not for one that sleeps. The first turn, the leader's, is that of
 * the last thread: most of the leader's tiles are at the end, where that thread's elements are in any static loop
 * before or after. */
static void wait_for_turn(const mms_leader *leader, size_t self) {
  const size_t turn = (self + 1) % leader->tiles->sharing;
  if (leader->taken >= turn) return;
  for (const double end = mms_clock() + MMS_NOTIFIER_AWAKE; leader->taken < turn && mms_clock() < end;)
    ;
}

static bool is_first(mms_leader *leader) {
  const bool is = !atomic_exchange(&leader->has_leader, true);
  if (is) atomic_fetch_add(&leader->taken, 1);
  return is;
}

static void take_part(void *given, const mms_member *self) {
  mms_leader *leader = given;
  if (leader->layout.in_turn) wait_for_turn(leader, self->index);
  if (is_first(leader))
    lead(leader, self->work);
  else
    follow(leader, self->work);
}

/* ---- The way -------------------------------------------------------------------------------------------------- */

static bool can(const mms_tiles *tiles) { return tiles->run->engine->reduce != NULL; }

static void begin(void *shared, const mms_tiles *tiles) {
  const mms_layout layout = mms_layout_of(tiles);
  *(mms_leader *)shared = (mms_leader){.tiles = tiles,
                                       .layout = layout,
                                       .notifier = MMS_NOTIFIER_READY,
                                       .part = MMS_LEADER_FINE * (int)layout.part,
                                       .lock = PTHREAD_MUTEX_INITIALIZER,
                                       .start = layout.lead,
                                       .next = 1};
}

const mms_way mms_way_leader = {.name = "leader",
                                .description = "one thread leads, the others follow",
                                .can = can,
                                .suits = can,
                                .begin = begin,
                                .take_part = take_part};
