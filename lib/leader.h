/* leader.h: threads that share the tiles of a scan, one of which leads. Used where threads have no shares (shares.h).
 *
 * The first thread to arrive leads. It has the carry, so it scans tile after tile at once, reading each a single time.
 * The other threads, the followers, work ahead of it. A follower takes a group of tiles, reduces them to their totals,
 * and waits until the leader has taken the carry past them, which takes next to no time; then it writes the group.
 * While it writes, the next group is already reduced and the one after that is taken, so it seldom waits for the
 * leader. If the group just taken comes from memory, it is prefetched meanwhile or, on cores that gain by it, reduced.
 *
 * The places of groups are fixed in advance, so that a thread finds in its cache what it had there the last time. Each
 * group is a run of neighbouring tiles, because threads that write next to each other take lines from each other's
 * caches. In front of the groups of each round the leader has tiles of its own, to scan while the groups are reduced.
 * Where cores may share no cache, and the scan fits in their caches, there is one round (three pieces for two threads),
 * and threads take their parts in turn. No cache holds what comes from memory, and threads are seldom equally fast:
 * there the leader's part of a round grows when the leader had to wait for a follower, and shrinks when a follower had
 * to wait for the leader.
 *
 * A thread that never arrives has taken nothing; one that arrives late takes tiles that the leader has not reached.
 */
#ifndef MMS_LEADER_H
#define MMS_LEADER_H

#include "bell.h"
#include "tiles.h"
#include <stdbool.h>

enum { MMS_LEADER_GROUP = 64, MMS_LEADER_FINE = 8 }; /* most tiles in a group; pieces of a tile */

/* Counts are of tiles. The leader scans the first `lead` tiles; then come rounds, each of a group for every follower
 * and a part of the leader's. */
typedef struct mms_leader_layout {
  bool in_turn;                     /* threads take parts in the order of their numbers, but the last one first */
  bool reduces_while_writing;       /* a follower reduces the group after next */
  bool from_memory;                 /* followers prefetch, and the leader's part adapts until no thread waits */
  size_t lead, group, groups, part; /* groups: the tiles of all groups of a round */
} mms_leader_layout;

typedef struct mms_leader {
  const mms_tiles *tiles;
  mms_leader_layout layout;
  mms_bell bell;
  atomic_bool has_leader;
  atomic_size_t taken;  /* first parts taken: the leader's, and each follower's first group */
  atomic_int part;      /* the leader's part of later rounds, in units of 1 / MMS_LEADER_FINE tile */
  pthread_mutex_t lock; /* guards what follows */
  size_t start;         /* first tile of the round in which the next group is taken */
  int rest;             /* what rounding left over from earlier parts, in the same units */
  size_t next;          /* first tile that no thread has taken; tile 0 is the leader's */
  struct group *front;  /* groups that the leader has not reached, in order */
  struct group *back;
} mms_leader;

/* The layout of the tiles for the threads that share them. */
mms_leader_layout mms_leader_layout_of(const mms_tiles *tiles);

/* laid_out is a variable: it is evaluated several times. */
#define MMS_LEADER_READY(all, laid_out)                                                                                \
  {                                                                                                                    \
    .tiles = (all), .layout = (laid_out), .bell = MMS_BELL_READY, .part = MMS_LEADER_FINE * (int)(laid_out).part,      \
    .lock = PTHREAD_MUTEX_INITIALIZER, .start = (laid_out).lead, .next = 1                                             \
  }

/* Does one thread's part; room is that thread's workspace (engine.h). */
void mms_leader_take_part(void *leader, void *room);

#endif
