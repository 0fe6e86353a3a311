/* led.c: the leader and those that follow. */
#include "led.h"

/* Tiles that a follower has taken. Its own but for `link`, which goes with the lock, and the carries, which the leader
 * fills in between `looked` and `passed`. */
typedef struct group {
  size_t first, count; /* tiles */
  struct group *link;  /* the next one ahead */
  atomic_size_t looked, passed;
  mms_place at[MMS_LED_GROUP];
  mms_ahead found[MMS_LED_GROUP];
  mms_value carry[MMS_LED_GROUP]; /* into each */
} group;

/* ---- Who takes what ------------------------------------------------------------------------------------------- */

static bool from_memory(const mms_tiles *tiles) { return tiles->count * tiles->most * tiles->element > 8 << 20; }

/* What comes from memory is best looked at in groups that stay in a core's own cache, beside the next. */
static size_t most_in_group(const mms_tiles *tiles) { return from_memory(tiles) ? 2 : MMS_LED_GROUP; }

/* Tiles of the leader's in a round of groups of `each`. A follower is busy with a tile for a fourth longer than the
 * leader, the time it looks at it; with one that is streamed hardly longer, as memory was asked for it before. */
static size_t leaders_part(const mms_tiles *tiles, size_t each) {
  return tiles->run->job->streams ? each : (5 * each + 2) / 4;
}

mms_led_layout mms_led_layout_of(const mms_tiles *tiles) {
  const size_t followers = tiles->sharing - 1, fourths = 4 * followers + 5; /* of a tile, in a round of groups of one */
  const size_t most = most_in_group(tiles), rounds = (4 * tiles->count - 1) / (most * fourths) + 1;
  size_t each = (4 * tiles->count + rounds * fourths / 2) / (rounds * fourths);
  each = each < 1 ? 1 : each > most ? most : each;
  return (mms_led_layout){.asks = from_memory(tiles),
                          .lead = (each + 3) / 4,
                          .group = each,
                          .groups = followers * each,
                          .round = followers * each + leaders_part(tiles, each)};
}

/* The group to take where tile `from` and all after it are not taken. It need not be there. */
static void place(const mms_led_layout *l, size_t from, group *g) {
  const size_t round = from < l->lead ? 0 : (from - l->lead) / l->round, start = l->lead + round * l->round;
  const size_t in_round = from < start ? 0 : from - start, left = l->group - in_round % l->group;
  const size_t slack = left == l->group ? 0 : (left + 4) / 5; /* the leader is in that group, and looking takes time */
  if (in_round >= l->groups) {
    g->first = start + l->round;
    g->count = l->group;
  } else if (slack < left) {
    g->first = start + in_round + slack;
    g->count = left - slack;
  } else {
    place(l, from + left, g);
  }
}

static void append(mms_led *led, group *g) {
  g->link = NULL;
  if (led->front)
    led->back->link = g;
  else
    led->front = g;
  led->back = g;
}

/* Takes a group, if there is one left. */
static bool take(mms_led *led, group *g) {
  const size_t count = led->tiles->count;
  pthread_mutex_lock(&led->lock);
  place(&led->layout, led->next, g);
  bool is_left = g->first < count;
  if (is_left) {
    if (g->count > count - g->first) g->count = count - g->first;
    g->looked = g->passed = 0;
    append(led, g);
    led->next = g->first + g->count;
  }
  pthread_mutex_unlock(&led->lock);
  for (size_t i = 0; is_left && i < g->count; i++) g->at[i] = mms_tiles_at(led->tiles, g->first + i);
  return is_left;
}

/* ---- The leader ----------------------------------------------------------------------------------------------- */

/* The group that starts at a tile, which the leader has come to; or NULL, and the tile is the leader's. */
static group *come_to(mms_led *led, size_t index) {
  pthread_mutex_lock(&led->lock);
  group *g = led->front && led->front->first == index ? led->front : NULL;
  if (g)
    led->front = g->link;
  else if (led->next == index)
    led->next++;
  pthread_mutex_unlock(&led->lock);
  return g;
}

/* Takes the carry past a group. Returns its size: the group is its follower's again. */
static size_t pass(mms_led *led, void *room, group *g, mms_value *carry) {
  const size_t count = g->count;
  mms_bell_wait(&led->bell, &g->looked, 1);
  for (size_t i = 0; i < count; i++) {
    mms_tiles_begin(led->tiles, &g->at[i], carry);
    g->carry[i] = *carry;
    mms_tiles_advance(led->tiles, room, &g->at[i], &g->found[i], carry);
  }
  mms_bell_set(&led->bell, &g->passed, 1);
  return count;
}

/* To look at a tile takes a fourth of the time of scanning one: a follower has looked at a group of one or two before
 * the leader is half through tile 0. */
enum { SMALL_GROUP = 2 };

/* Tile 0, where groups are that small. If there is a follower by the time the leader has looked at it, that follower
 * need not wait until it is written. Returns the tile to go on with. */
static size_t start(mms_led *led, void *room, mms_value *carry) {
  const mms_place at = mms_tiles_at(led->tiles, 0);
  mms_tiles_begin(led->tiles, &at, carry);
  mms_value before = *carry;
  mms_ahead found;
  mms_tiles_look(led->tiles, room, &at, &found);
  mms_tiles_advance(led->tiles, room, &at, &found, carry);
  pthread_mutex_lock(&led->lock);
  bool is_followed = led->front && led->front->first == 1;
  pthread_mutex_unlock(&led->lock);
  size_t passed = is_followed ? pass(led, room, come_to(led, 1), carry) : 0;
  mms_tiles_finish(led->tiles, room, &at, &before, NULL);
  return 1 + passed;
}

static void lead(mms_led *led, void *room) {
  mms_value carry = led->tiles->run->first;
  size_t index = led->layout.group <= SMALL_GROUP ? start(led, room, &carry) : 0;
  while (index < led->tiles->count) {
    group *g = come_to(led, index);
    if (g) {
      index += pass(led, room, g, &carry);
      continue;
    }
    mms_place at = mms_tiles_at(led->tiles, index++);
    mms_tiles_begin(led->tiles, &at, &carry);
    mms_tiles_at_once(led->tiles, room, &at, &carry);
  }
}

/* ---- A follower ----------------------------------------------------------------------------------------------- */

static void look(mms_led *led, void *room, group *g, size_t from) {
  for (size_t i = from; i < g->count; i++) mms_tiles_look(led->tiles, room, &g->at[i], &g->found[i]);
  mms_bell_set(&led->bell, &g->looked, 1);
}

/* Where it is likely to look after `next`: at the group of the round after. NOWHERE: no need to ask memory for it. */
static const size_t NOWHERE = SIZE_MAX - MMS_LED_GROUP;

static size_t after(const mms_led *led, const group *next) {
  return led->layout.asks ? next->first + led->layout.round : NOWHERE;
}

static const void *x_of(const mms_tiles *tiles, size_t index) {
  return index < tiles->count ? mms_tiles_at(tiles, index).tile.x : NULL;
}

/* then: the tile to ask memory for on the way, and those after it. */
static void finish(mms_led *led, void *room, const group *g, size_t from, size_t then) {
  const mms_tiles *tiles = led->tiles;
  for (size_t i = from; i < g->count; i++)
    mms_tiles_finish(tiles, room, &g->at[i], &g->carry[i], x_of(tiles, then + i));
}

/* Writes one group, and looks at the next on the way. */
static void write_and_look(mms_led *led, void *room, const group *now, group *next) {
  const mms_run *run = led->tiles->run;
  size_t both = now->count < next->count ? now->count : next->count;
  for (size_t i = 0; i < both; i++)
    run->engine->finish_local(run->job, room, &now->at[i].tile, &now->carry[i], &next->at[i].tile, &next->found[i]);
  finish(led, room, now, both, NOWHERE);
  look(led, room, next, both);
}

static void follow(mms_led *led, void *room) {
  const mms_run *run = led->tiles->run;
  const bool on_the_way = run->engine->finish_local && run->job->looks_ahead;
  group two[2], *now = &two[0], *next = &two[1];
  if (!take(led, now)) return;
  look(led, room, now, 0);
  for (bool more = true; more;) {
    more = take(led, next);
    if (more && !on_the_way) look(led, room, next, 0);
    mms_bell_wait(&led->bell, &now->passed, 1);
    if (more && on_the_way)
      write_and_look(led, room, now, next);
    else
      finish(led, room, now, 0, more ? after(led, next) : NOWHERE);
    group *other = now;
    now = next;
    next = other;
  }
}

void mms_led_take_part(void *given, void *room) {
  mms_led *led = given;
  if (atomic_exchange(&led->has_leader, true))
    follow(led, room);
  else
    lead(led, room);
}
