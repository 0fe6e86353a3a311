/* chain.h: threads that take the tiles of a scan in turn, and read each once: where an engine prepares tiles
 * (engine.h).
 *
 * Each prepares the next tile, waits for the carry out of the tile before, takes it past its own, and completes that.
 * While it prepared a tile, so did the thread that is at the tile before; so none waits long for another.
 *
 * A thread that never comes has taken nothing.
 */
#ifndef MMS_CHAIN_H
#define MMS_CHAIN_H

#include "bell.h"
#include "tiles.h"
#include <stdbool.h>

typedef struct mms_chain {
  const mms_tiles *tiles;
  mms_bell bell;
  atomic_size_t taken;  /* tiles that threads have taken, */
  atomic_size_t passed; /* and of these, those that the carry is past */
  mms_value carry;      /* into the next tile: only its thread reads and writes it */
} mms_chain;

/* Whether threads that have no shares (shares.h) had best share tiles so: each has to have a core, as all wait for
 * each. */
bool mms_chain_suits(const mms_tiles *tiles);

#define MMS_CHAIN_READY(all)                                                                                           \
  { .tiles = (all), .bell = MMS_BELL_READY, .carry = (all)->run->first }

/* One thread's part, with the room it has. */
void mms_chain_take_part(void *chain, void *room);

#endif
