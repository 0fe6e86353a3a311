/* tiles.h: the scans of a run, cut into tiles, and the steps of one tile. */
#ifndef MMS_TILES_H
#define MMS_TILES_H

#include "run/carry.h"

/* Tiles are counted from where a scan starts, scan after scan; the last tile of a scan is the short one. */
typedef struct mms_tiles {
  const mms_run *run;
  size_t element;  /* bytes, as it is combined */
  size_t most;     /* elements in a tile */
  size_t per_scan; /* tiles */
  size_t count;    /* of all scans */
  size_t sharing;  /* threads that share the tiles */
} mms_tiles;

/* A tile and its place: in its scan, whose results begin at y, and whose total is so many elements from that of scan 0.
 */
typedef struct mms_place {
  mms_tile tile;
  bool first, last;
  char *y;
  ptrdiff_t total;
} mms_place;

mms_tiles mms_tiles_of(const mms_run *run);

/* Tile `in_scan` of a scan, and tile `index` of all scans. */
mms_place mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan);
mms_place mms_tiles_at(const mms_tiles *tiles, size_t index);

/* The steps of an engine (engine.h). A tile is not reduced if the carry out of it is not needed. mms_tiles_pass() is
 * the engine's advance(), and returns the carry into the tile. *carry goes in and comes out, but the first tile of a
 * scan starts from the carry into that scan, and the carry out of the last tile is also stored in run->carry, if there
 * is one. */
void mms_tiles_reduce(const mms_tiles *tiles, void *work, const mms_place *at, mms_found *found);
mms_value mms_tiles_pass(const mms_tiles *tiles, void *work, const mms_place *at, const mms_found *found,
                         mms_carry *carry);
void mms_tiles_finish(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                      const void *prefetch);

/* finish() in two halves, by engines that prepare these tiles. */
void mms_tiles_prepare(const mms_tiles *tiles, void *work, const mms_place *at, mms_found *found);
void mms_tiles_complete(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                        const void *prefetch);

/* Writes a tile and reduces another, of any length. */
void mms_tiles_finish_and_reduce(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                                 const mms_place *ahead, mms_found *found);

/* Scans from..to - 1, each of which is a single tile and leaves no carry: with little overhead, as they may be tiny. */
void mms_tiles_batch(const mms_tiles *tiles, void *work, size_t from, size_t to);

/* All steps in one reading of x. Data from memory takes the engine's at_once() even where the carry out is not needed,
 * because finish() prefetches the tile ahead but not its own. */
void mms_tiles_at_once(const mms_tiles *tiles, void *work, const mms_place *at, mms_carry *carry);

#endif
