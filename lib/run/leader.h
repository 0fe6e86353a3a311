/* leader.h: threads that share the tiles of a scan, one of which leads. Used where threads have no shares (shares.h).
 *
 * The first thread to arrive leads. It has the carry, so it scans tile after tile at once, reading each a single time.
 * The other threads, the followers, work ahead of it. A follower takes a group of tiles, reduces them to their totals,
 * and waits until the leader has taken the carry past them, which takes next to no time; then it writes the group.
 * While it writes, the next group is already reduced and the one after that is taken, so it seldom waits for the
 * leader. If the group just taken comes from memory, it is prefetched meanwhile or, on cores that gain by it, reduced.
 *
 * A thread that never arrives has taken nothing; one that arrives late takes tiles that the leader has not reached.
 * Which tiles are whose: layout.h.
 */
#ifndef MMS_LEADER_H
#define MMS_LEADER_H

#include "run/layout.h"
#include "team/notifier.h"

enum { MMS_LEADER_FINE = 8 }; /* pieces of a tile */

typedef struct mms_leader {
  const mms_tiles *tiles;
  mms_layout layout;
  mms_notifier notifier;
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

#endif
