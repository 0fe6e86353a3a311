/* leader.h: threads that share the tiles of a scan, of which one leads: where they have no shares (shares.h).
 *
 * The first thread to come leads. It has the carry, so it scans tile after tile at once, reading each a single time.
 * The others follow ahead of it: each takes a group of tiles there, reduces them to their totals, and waits until the
 * leader comes by with the carry, which it takes past them in no time; then they write. While a follower writes a group
 * it has reduced the next one, and has taken the one after that, so it seldom waits for the leader; of what comes from
 * memory it prefetches that one on the way, or, where cores gain by it, reduces it.
 *
 * Where groups are is laid out beforehand, so that a thread finds what it had in its cache the last time, and long ones
 * lie together: threads that write side by side take lines from each other's caches. In front of the groups of each
 * round the leader has tiles of its own, for the time in which they are reduced. Where cores may share no cache, and
 * what is scanned fits in theirs, there is one round, three pieces for two threads, and threads take parts in turn.
 * What comes from memory no cache holds; there the leader's part of a round grows when it had to wait for others, and
 * shrinks when they had to wait for it, as threads are seldom equally fast.
 *
 * A thread that never comes has taken nothing; one that comes late takes tiles that the leader has not come to.
 */
#ifndef MMS_LEADER_H
#define MMS_LEADER_H

#include "bell.h"
#include "tiles.h"
#include <stdbool.h>

enum { MMS_LEADER_GROUP = 64, MMS_LEADER_FINE = 8 }; /* tiles in a group, at most; pieces of a tile */

/* In tiles: `lead` of the leader's, then rounds: a group for each follower, and a part of the leader's. */
typedef struct mms_leader_layout {
  bool in_turn;                     /* threads take parts in the order of their numbers, the last one first */
  bool reduces_while_writing;       /* a follower, at the group after next */
  bool from_memory;                 /* so it is prefetched, and the leader's part changes, until nobody waits */
  size_t lead, group, groups, part; /* groups: all of a round */
} mms_leader_layout;

typedef struct mms_leader {
  const mms_tiles *tiles;
  mms_leader_layout layout;
  mms_bell bell;
  atomic_bool has_leader;
  atomic_size_t taken;  /* parts in turn that were taken: the leader's, and first groups */
  atomic_int part;      /* the leader's of a round to come, in MMS_LEADER_FINE of a tile */
  pthread_mutex_t lock; /* for what follows */
  size_t start;         /* the first tile of the round in which a group is taken next; */
  int rest;             /* what is left of the parts before it, in the same */
  size_t next;          /* the first tile that nobody has taken: 0 is the leader's */
  struct group *front;  /* groups that the leader has not come to, in order */
  struct group *back;
} mms_leader;

/* How tiles are laid out for the threads that share them. */
mms_leader_layout mms_leader_layout_of(const mms_tiles *tiles);

/* laid_out: a variable. */
#define MMS_LEADER_READY(all, laid_out)                                                                                \
  {                                                                                                                    \
    .tiles = (all), .layout = (laid_out), .bell = MMS_BELL_READY, .part = MMS_LEADER_FINE * (int)(laid_out).part,      \
    .lock = PTHREAD_MUTEX_INITIALIZER, .start = (laid_out).lead, .next = 1                                             \
  }

/* One thread's part, with the room it has. */
void mms_leader_take_part(void *leader, void *room);

#endif
