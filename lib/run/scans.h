/* scans.h: threads that share many scans, each of which a single thread does as a whole.
 *
 * Each thread has a share of neighbouring scans, the same as in any static loop before or after. It takes a few of
 * these at a time, and then some of what is left of the other shares.
 */
#ifndef MMS_SCANS_H
#define MMS_SCANS_H

#include "tiles.h"
#include <stdatomic.h>

enum { MMS_SCANS_SHARES = 64 };

typedef struct mms_scans {
  const mms_tiles *tiles;
  size_t shares;
  atomic_size_t next[MMS_SCANS_SHARES]; /* for each share, the next scan to take, counted from its first */
} mms_scans;

#define MMS_SCANS_READY(all, threads)                                                                                  \
  { .tiles = (all), .shares = (size_t)((threads) < MMS_SCANS_SHARES ? (threads) : MMS_SCANS_SHARES) }

/* The number of pieces in which scans are taken: more threads than that would find nothing to do. */
size_t mms_scans_parts(const mms_run *run);

/* Does one thread's part; work is that thread's workspace (engine.h). */
void mms_scans_take_part(void *scans, void *work);

/* Does all scans, on one thread. */
void mms_scans_take_all(void *tiles, void *work);

#endif
