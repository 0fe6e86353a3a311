/* shares.h: threads that share the tiles of a scan, each of which has an equal run of neighbouring tiles: its share.
 *
 * Each thread reduces its share to its total; the carry goes from share to share; then each thread writes its own
 * share. Everything is read twice, and later threads wait for earlier ones. That costs little where x and y stay in
 * each core's own cache; and the shares are those of any static loop over x and y before or after, so that no data
 * changes cores. The same holds where threads are on dies that share no cache (team/cluster.h), and x fits in the
 * caches of these dies. Elsewhere one thread leads (leader.h).
 *
 * A thread that never arrives has taken nothing. If a thread is so late that it must have been asleep, another thread
 * takes its share.
 */
#ifndef MMS_SHARES_H
#define MMS_SHARES_H

#include "run/tiles.h"
#include "team/notifier.h"
#include <stdint.h>

typedef struct mms_shares {
  const mms_tiles *tiles;
  mms_notifier notifier;
  _Atomic uint64_t taken; /* one bit for each share */
  atomic_size_t passed;   /* shares that the carry has passed */
  mms_carry carry;        /* out of the shares passed */
} mms_shares;

#endif
