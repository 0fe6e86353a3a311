/* shares.h: threads that share the tiles of a scan, each of which has as many neighbouring ones: its share.
 *
 * Each reduces its share to its total; the carry goes from share to share; then each writes its own. Everything is read
 * twice, and the last ones wait for the first: where x and y stay in a core's own cache that takes little, and the
 * shares are those of any static loop over x and y before and after, so that nothing changes cores. The same holds
 * where threads are on dies that share no cache (apart.h), and x fits in the caches of these. Elsewhere one leads
 * (leader.h).
 *
 * A thread that never comes has taken nothing; one that comes later than those that do not sleep has its share taken by
 * another.
 */
#ifndef MMS_SHARES_H
#define MMS_SHARES_H

#include "bell.h"
#include "tiles.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct mms_shares {
  const mms_tiles *tiles;
  mms_bell bell;
  _Atomic uint64_t taken; /* a bit a share */
  atomic_size_t passed;   /* shares that the carry is past */
  mms_value carry;        /* out of these */
} mms_shares;

/* Whether threads should have shares. */
bool mms_shares_suit(const mms_tiles *tiles);

#define MMS_SHARES_READY(all)                                                                                          \
  { .tiles = (all), .bell = MMS_BELL_READY, .carry = (all)->run->first }

/* One thread's part, with the room it has. */
void mms_shares_take_part(void *shares, void *room);

#endif
