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

#include "run/tiles.h"
#include "team/notifier.h"

typedef struct mms_chain {
  const mms_tiles *tiles;
  mms_notifier notifier;
  atomic_size_t taken;  /* tiles that threads have taken */
  atomic_size_t passed; /* of these, the tiles that the carry has passed */
  mms_carry carry;      /* into the next tile: only the thread that has this tile reads and writes it */
} mms_chain;

#endif
