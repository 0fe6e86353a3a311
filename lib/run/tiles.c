/* tiles.c: where tiles are, and what is done to one. */
#include "run/tiles.h"

#include <string.h>

/* ---- Places of tiles ------------------------------------------------------------------------------------------ */

mms_tiles mms_tiles_of(const mms_run *run) {
  const size_t n = run->scans.n, most = run->engine->reduce ? run->job->tile : n;
  const size_t per_scan = n > most ? (n - 1) / most + 1 : 1; /* a division takes as long as a tiny scan */
  return (mms_tiles){.run = run,
                     .element = run->job->storage->planes * run->job->storage->size,
                     .most = most,
                     .per_scan = per_scan,
                     .count = run->scans.count * per_scan,
                     .sharing = 1};
}

/* Where a scan begins in memory. */
static const char *x_of(const mms_tiles *tiles, size_t scan) {
  const mms_batch *scans = &tiles->run->scans;
  return (const char *)scans->x + (ptrdiff_t)scan * scans->x_dist * (ptrdiff_t)tiles->run->job->storage->x_size;
}

static char *y_of(const mms_tiles *tiles, size_t scan) {
  const mms_batch *scans = &tiles->run->scans;
  return (char *)scans->y + (ptrdiff_t)scan * scans->y_dist * (ptrdiff_t)tiles->run->job->storage->y_size;
}

mms_place mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan) {
  const mms_run *run = tiles->run;
  const mms_storage *s = run->job->storage;
  size_t from = in_scan * tiles->most, left = run->scans.n - from, m = left < tiles->most ? left : tiles->most;
  const ptrdiff_t at = (ptrdiff_t)(run->job->reverse ? left - m : from);
  const ptrdiff_t x_stride = run->scans.x_stride, y_stride = run->scans.y_stride;
  return (mms_place){.tile = {.m = m,
                              .x = x_of(tiles, scan) + at * x_stride * (ptrdiff_t)s->x_size,
                              .y = y_of(tiles, scan) + at * y_stride * (ptrdiff_t)s->y_size,
                              .x_stride = x_stride,
                              .y_stride = y_stride},
                     .scan = scan,
                     .first = in_scan == 0,
                     .last = in_scan == tiles->per_scan - 1};
}

mms_place mms_tiles_at(const mms_tiles *tiles, size_t index) {
  return mms_tiles_in_scan(tiles, index / tiles->per_scan, index % tiles->per_scan);
}

/* ---- The carry ------------------------------------------------------------------------------------------------ */

/* The first tile of a scan starts from the carry into that scan. */
static void begin(const mms_tiles *tiles, const mms_place *at, mms_value *carry) {
  const mms_run *run = tiles->run;
  if (!at->first) return;
  *carry = run->scans.first;
  if (!run->carry) return;
  const char *kept = (const char *)run->carry + at->scan * run->carries->x_size;
  if (run->carries->in)
    run->carries->in(1, kept, carry->bytes, 1);
  else
    memcpy(carry->bytes, kept, run->carries->x_size);
}

static void keep(const mms_tiles *tiles, const mms_place *at, const mms_value *carry) {
  const mms_run *run = tiles->run;
  if (!at->last || !run->carry) return;
  char *kept = (char *)run->carry + at->scan * run->carries->y_size;
  if (run->carries->out)
    run->carries->out(1, carry->bytes, kept, 1);
  else
    memcpy(kept, carry->bytes, run->carries->y_size);
}

/* ---- Short scans ----------------------------------------------------------------------------------------------- */

static void scan_together(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  mms_batch part = tiles->run->scans;
  char *carry = tiles->run->carry;
  part.count = to - from;
  part.prefetches = tiles->run->job->prefetches;
  part.x = x_of(tiles, from);
  part.y = y_of(tiles, from);
  part.carry = carry ? carry + from * tiles->run->carries->y_size : NULL;
  tiles->run->engine->batch(tiles->run->job, work, &part);
}

/* Prefetches the next scan, which is read next. */
static void scan_one_by_one(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  const mms_engine *engine = run->engine;
  const uintptr_t step = (uintptr_t)run->scans.x_dist * run->job->storage->x_size;
  for (size_t scan = from; scan < to; scan++) {
    const mms_tile t = {.m = run->scans.n,
                        .x = x_of(tiles, scan),
                        .y = y_of(tiles, scan),
                        .x_stride = run->scans.x_stride,
                        .y_stride = run->scans.y_stride};
    mms_value carry = run->scans.first;
    if (engine->finish)
      engine->finish(run->job, work, &t, &carry, run->job->prefetches ? (const void *)((uintptr_t)t.x + step) : NULL);
    else
      engine->at_once(run->job, work, &t, &carry);
  }
}

void mms_tiles_batch(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  if (run->engine->batch && (!run->job->streams || !run->engine->at_once))
    scan_together(tiles, work, from, to);
  else
    scan_one_by_one(tiles, work, from, to);
}

/* ---- One tile ------------------------------------------------------------------------------------------------- */

/* Whether the carry out of the tile is not needed, and the tile can be written without being reduced. */
static bool ends_here(const mms_tiles *tiles, const mms_place *at) {
  return at->last && !tiles->run->carry && tiles->run->engine->finish;
}

void mms_tiles_reduce(const mms_tiles *tiles, void *work, const mms_place *at, mms_found *found) {
  if (!ends_here(tiles, at)) tiles->run->engine->reduce(tiles->run->job, work, &at->tile, found);
}

mms_value mms_tiles_pass(const mms_tiles *tiles, void *work, const mms_place *at, const mms_found *found,
                         mms_value *carry) {
  begin(tiles, at, carry);
  const mms_value into = *carry;
  if (!ends_here(tiles, at)) tiles->run->engine->advance(tiles->run->job, work, &at->tile, found, carry);
  keep(tiles, at, carry);
  return into;
}

void mms_tiles_finish(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                      const void *prefetch) {
  tiles->run->engine->finish(tiles->run->job, work, &at->tile, carry, prefetch);
}

void mms_tiles_prepare(const mms_tiles *tiles, void *work, const mms_place *at, mms_found *found) {
  tiles->run->engine->prepare(tiles->run->job, work, &at->tile, found);
}

void mms_tiles_complete(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                        const void *prefetch) {
  tiles->run->engine->complete(tiles->run->job, work, &at->tile, carry, prefetch);
}

void mms_tiles_finish_and_reduce(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                                 const mms_place *ahead, mms_found *found) {
  const mms_engine *engine = tiles->run->engine;
  if (engine->finish_and_reduce && ahead->tile.m == at->tile.m && !ends_here(tiles, ahead)) {
    engine->finish_and_reduce(tiles->run->job, work, &at->tile, carry, &ahead->tile, found);
  } else {
    mms_tiles_finish(tiles, work, at, carry, NULL);
    mms_tiles_reduce(tiles, work, ahead, found);
  }
}

void mms_tiles_at_once(const mms_tiles *tiles, void *work, const mms_place *at, mms_value *carry) {
  begin(tiles, at, carry);
  if (ends_here(tiles, at) && !tiles->run->job->uncached)
    mms_tiles_finish(tiles, work, at, carry, NULL);
  else
    tiles->run->engine->at_once(tiles->run->job, work, &at->tile, carry);
  keep(tiles, at, carry);
}
