/* turns.h: threads that take turns at tiles, for an engine that reads a tile once.
 *
 * A thread takes the next tile, looks at it in its cache, waits for the carry of the tile before, hands on its own, and
 * writes. Tiles are taken in order, so the tile that is waited for is always in some thread's hands.
 */
#ifndef MMS_TURNS_H
#define MMS_TURNS_H

#include "bell.h"
#include "tiles.h"

typedef struct mms_turns {
  const mms_tiles *tiles;
  atomic_size_t next; /* the tile to take */
  mms_bell bell;
  atomic_size_t done; /* tiles whose carry is known */
  mms_value carry;    /* out of tile done - 1 */
} mms_turns;

#define MMS_TURNS_READY(all)                                                                                           \
  { .tiles = (all), .bell = MMS_BELL_READY }

/* One thread's part, with a work of its own. */
void mms_turns_take_part(void *turns, void *work);

#endif
