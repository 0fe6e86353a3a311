/* layout.h: which tiles of a scan are the leader's, and which are groups of its followers (leader.h).
 *
 * The places of groups are fixed in advance, so that a thread finds in its cache what it had there the last time. Each
 * group is a run of neighbouring tiles, because threads that write next to each other take lines from each other's
 * caches. In front of the groups of each round the leader has tiles of its own, to scan while the groups are reduced.
 * Where cores may share no cache, and the scan fits in their caches, there is one round (three pieces for two threads),
 * and threads take their parts in turn. No cache holds what comes from memory, and threads are seldom equally fast:
 * there the leader's part of a round grows when the leader had to wait for a follower, and shrinks when a follower had
 * to wait for the leader.
 */
#ifndef MMS_LAYOUT_H
#define MMS_LAYOUT_H

#include "run/tiles.h"
#include <stdbool.h>

enum { MMS_LAYOUT_GROUP = 64 }; /* most tiles in a group */

/* Counts are of tiles. The leader scans the first `lead` tiles; then come rounds, each of a group for every follower
 * and a part of the leader's. */
typedef struct mms_layout {
  bool in_turn;                     /* threads take parts in the order of their numbers, but the last one first */
  bool reduces_while_writing;       /* a follower reduces the group after next */
  bool from_memory;                 /* followers prefetch, and the leader's part adapts until no thread waits */
  size_t lead, group, groups, part; /* groups: the tiles of all groups of a round */
} mms_layout;

/* The layout of the tiles for the threads that share them. */
mms_layout mms_layout_of(const mms_tiles *tiles);

#endif
