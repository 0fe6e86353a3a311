/* scans.h: threads that share many scans, each of which a single thread does as a whole.
 *
 * Each thread has a share of neighbouring scans, the same as in any static loop before or after. It takes a few of
 * these at a time, and then some of what is left of the other shares.
 */
#ifndef MMS_SCANS_H
#define MMS_SCANS_H

#include "run/tiles.h"
#include <stdatomic.h>

enum { MMS_SCANS_SHARES = 64 };

typedef struct mms_scans {
  const mms_tiles *tiles;
  size_t shares;
  atomic_size_t next[MMS_SCANS_SHARES]; /* for each share, the next scan to take, counted from its first */
} mms_scans;

#endif
