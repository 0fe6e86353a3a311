/* tiles.h: scans to be done, cut into tiles, and the steps of one tile. */
#ifndef MMS_TILES_H
#define MMS_TILES_H

#include "engine/engine.h"

/* `batch` scans of n elements each, by an engine. Distances are in elements. */
typedef struct mms_run {
  const mms_engine *engine;
  const mms_job *job;
  size_t n, batch;
  ptrdiff_t x_dist, y_dist;
  const void *x;
  void *y;
  mms_value first; /* the carry into every scan, where carry is NULL */
  void *carry;     /* one element a scan: its carry in, and out; or NULL */
  int threads;     /* how many to use, where so many may run */
  double saves;    /* nanoseconds, by so many instead of one; infinite where they were asked for */
  bool lone;       /* a single scan, of which one thread may be as fast as all of a die (lone.h) */
} mms_run;

/* Tiles are counted from where a scan starts, scan after scan; the last one of a scan is the short one. */
typedef struct mms_tiles {
  const mms_run *run;
  size_t element;  /* bytes */
  size_t most;     /* elements in a tile */
  size_t per_scan; /* tiles */
  size_t count;    /* of all scans */
  size_t sharing;  /* threads that share them */
} mms_tiles;

/* A tile and its place. */
typedef struct mms_place {
  mms_tile tile;
  size_t scan;
  bool first, last; /* in its scan */
} mms_place;

mms_tiles mms_tiles_of(const mms_run *run);

/* Bytes of x in so many tiles, if they are whole. */
static inline size_t mms_tiles_bytes(const mms_tiles *tiles, size_t count) {
  return count * tiles->most * tiles->element;
}

/* Tile `in_scan` of a scan; and tile `index` of all. */
mms_place mms_tiles_of_scan(const mms_tiles *tiles, size_t scan, size_t in_scan);
mms_place mms_tiles_at(const mms_tiles *tiles, size_t index);

/* The steps of an engine (engine.h). A tile whose carry nobody will want is not reduced. pass: advance(), which
 * returns the carry into the tile. A carry goes in and comes out, but into the first tile of a scan is the one into
 * that scan; that out of the last one is kept for the caller too. */
void mms_tiles_reduce(const mms_tiles *tiles, void *room, const mms_place *at, mms_found *found);
mms_value mms_tiles_pass(const mms_tiles *tiles, void *room, const mms_place *at, const mms_found *found,
                         mms_value *carry);
void mms_tiles_finish(const mms_tiles *tiles, void *room, const mms_place *at, const mms_value *carry,
                      const void *then);

/* Whether the engine has finish() in two halves, prepare() and complete(), for these tiles; and then these. */
bool mms_tiles_are_prepared(const mms_tiles *tiles);
void mms_tiles_prepare(const mms_tiles *tiles, void *room, const mms_place *at, mms_found *found);
void mms_tiles_complete(const mms_tiles *tiles, void *room, const mms_place *at, const mms_value *carry,
                        const void *then);

/* Writes a tile and reduces another, of any length. */
void mms_tiles_finish_and_reduce(const mms_tiles *tiles, void *room, const mms_place *at, const mms_value *carry,
                                 const mms_place *ahead, mms_found *found);

/* Scans from..to - 1, where each is one tile and leaves no carry: with little besides, as they may be tiny. */
void mms_tiles_rows(const mms_tiles *tiles, void *room, size_t from, size_t to);

/* All of them in one reading. What comes from memory takes the engine's at_once() even where nobody asks for the carry,
 * as all that finish() would know to prefetch is a tile ahead. */
void mms_tiles_at_once(const mms_tiles *tiles, void *room, const mms_place *at, mms_value *carry);

#endif
