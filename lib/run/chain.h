/* chain.h: threads that take the tiles of a scan in turn, and read each tile once. For engines that prepare tiles
 * (engine.h).
 *
 * Each thread prepares the next tile, waits for the carry out of the tile before, takes it past its own, and completes
 * its tile. While it prepares, the thread with the tile before prepares that one, so neither waits long for the other.
 *
 * A thread that never arrives has taken nothing.
 */
#ifndef MMS_CHAIN_H
#define MMS_CHAIN_H

#include "notifier.h"
#include "tiles.h"
#include <stdbool.h>

typedef struct mms_chain {
  const mms_tiles *tiles;
  mms_notifier notifier;
  atomic_size_t taken;  /* tiles that threads have taken */
  atomic_size_t passed; /* of these, the tiles that the carry has passed */
  mms_value carry;      /* into the next tile: only the thread that has this tile reads and writes it */
} mms_chain;

/* Whether threads that have no shares (shares.h) should share the tiles this way. Each thread needs a core of its own,
 * because every thread waits for every other. */
bool mms_chain_suits(const mms_tiles *tiles);

#define MMS_CHAIN_READY(all)                                                                                           \
  { .tiles = (all), .notifier = MMS_NOTIFIER_READY, .carry = (all)->run->scans.first }

/* Does one thread's part; work is that thread's workspace (engine.h). */
void mms_chain_take_part(void *chain, void *work);

#endif
