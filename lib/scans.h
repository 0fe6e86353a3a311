/* scans.h: many scans, of which a thread takes whole ones.
 *
 * Each thread has a share of neighbouring scans, those of any static loop before and after, and takes some of it at a
 * time; and then of what others have left of theirs.
 */
#ifndef MMS_SCANS_H
#define MMS_SCANS_H

#include "tiles.h"
#include <stdatomic.h>

enum { MMS_SCANS_SHARES = 64 };

typedef struct mms_scans {
  const mms_tiles *tiles;
  size_t shares;
  atomic_size_t next[MMS_SCANS_SHARES]; /* the scan to take of each, counted from its first */
} mms_scans;

#define MMS_SCANS_READY(all, threads)                                                                                  \
  { .tiles = (all), .shares = (size_t)((threads) < MMS_SCANS_SHARES ? (threads) : MMS_SCANS_SHARES) }

/* How many times something is taken: more threads find nothing to do. */
size_t mms_scans_parts(const mms_run *run);

/* One thread's part, with the room it has. */
void mms_scans_take_part(void *scans, void *room);

/* All of them: a thread alone. */
void mms_scans_take_all(void *tiles, void *room);

#endif
