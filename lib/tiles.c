/* tiles.c: where tiles are, and what is done to one. */
#include "tiles.h"

#include <string.h>

/* ---- Places of tiles ------------------------------------------------------------------------------------------ */

mms_tiles mms_tiles_of(const mms_run *run) {
  const size_t most = run->engine->reduce ? run->job->tile : run->n;
  const size_t per_scan = run->n > most ? (run->n - 1) / most + 1 : 1; /* a division takes as long as a tiny scan */
  return (mms_tiles){.run = run,
                     .element = mms_type_size(run->job->type),
                     .most = most,
                     .per_scan = per_scan,
                     .count = run->batch * per_scan,
                     .sharing = 1};
}

static ptrdiff_t bytes_to(const mms_tiles *tiles, size_t scan, ptrdiff_t dist) {
  return (ptrdiff_t)scan * dist * (ptrdiff_t)tiles->element;
}

mms_place mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan) {
  const mms_run *run = tiles->run;
  size_t from = in_scan * tiles->most, left = run->n - from, m = left < tiles->most ? left : tiles->most;
  size_t at = (run->job->reverse ? left - m : from) * tiles->element;
  const char *x = (const char *)run->x + bytes_to(tiles, scan, run->x_dist) + at;
  char *y = (char *)run->y + bytes_to(tiles, scan, run->y_dist) + at;
  return (mms_place){
      .tile = {.m = m, .x = x, .y = y}, .scan = scan, .first = in_scan == 0, .last = in_scan == tiles->per_scan - 1};
}

mms_place mms_tiles_at(const mms_tiles *tiles, size_t index) {
  return mms_tiles_in_scan(tiles, index / tiles->per_scan, index % tiles->per_scan);
}

/* ---- The carry ------------------------------------------------------------------------------------------------ */

/* The first tile of a scan starts from the carry into that scan. */
static void begin(const mms_tiles *tiles, const mms_place *at, mms_value *carry) {
  const mms_run *run = tiles->run;
  if (!at->first) return;
  *carry = run->first;
  if (run->carry) memcpy(carry, (const char *)run->carry + at->scan * tiles->element, tiles->element);
}

static void keep(const mms_tiles *tiles, const mms_place *at, const mms_value *carry) {
  char *kept = tiles->run->carry;
  if (at->last && kept) memcpy(kept + at->scan * tiles->element, carry, tiles->element);
}

/* ---- Short scans ----------------------------------------------------------------------------------------------- */

static void scan_rows(const mms_tiles *tiles, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  const mms_rows rows = {.n = run->n,
                         .count = to - from,
                         .x_dist = run->x_dist,
                         .y_dist = run->y_dist,
                         .x = (const char *)run->x + bytes_to(tiles, from, run->x_dist),
                         .y = (char *)run->y + bytes_to(tiles, from, run->y_dist),
                         .first = run->first,
                         .prefetches = run->job->prefetches};
  run->engine->rows(run->job, &rows);
}

/* Prefetches the next scan, which is read next. */
static void scan_one_by_one(const mms_tiles *tiles, void *room, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  const mms_engine *engine = run->engine;
  for (size_t scan = from; scan < to; scan++) {
    const char *x = (const char *)run->x + bytes_to(tiles, scan, run->x_dist);
    const mms_tile t = {.m = run->n, .x = x, .y = (char *)run->y + bytes_to(tiles, scan, run->y_dist)};
    const uintptr_t next = (uintptr_t)x + (uintptr_t)bytes_to(tiles, 1, run->x_dist);
    mms_value carry = run->first;
    if (engine->finish)
      engine->finish(run->job, room, &t, &carry, run->job->prefetches ? (const void *)next : NULL);
    else
      engine->at_once(run->job, room, &t, &carry);
  }
}

void mms_tiles_rows(const mms_tiles *tiles, void *room, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  if (run->engine->rows && !run->job->streams)
    scan_rows(tiles, from, to);
  else
    scan_one_by_one(tiles, room, from, to);
}

/* ---- One tile ------------------------------------------------------------------------------------------------- */

/* Whether the carry out of the tile is not needed, and the tile can be written without being reduced. */
static bool ends_here(const mms_tiles *tiles, const mms_place *at) {
  return at->last && !tiles->run->carry && tiles->run->engine->finish;
}

void mms_tiles_reduce(const mms_tiles *tiles, void *room, const mms_place *at, mms_found *found) {
  if (!ends_here(tiles, at)) tiles->run->engine->reduce(tiles->run->job, room, &at->tile, found);
}

mms_value mms_tiles_pass(const mms_tiles *tiles, void *room, const mms_place *at, const mms_found *found,
                         mms_value *carry) {
  begin(tiles, at, carry);
  const mms_value into = *carry;
  if (!ends_here(tiles, at)) tiles->run->engine->advance(tiles->run->job, room, &at->tile, found, carry);
  keep(tiles, at, carry);
  return into;
}

void mms_tiles_finish(const mms_tiles *tiles, void *room, const mms_place *at, const mms_value *carry,
                      const void *then) {
  tiles->run->engine->finish(tiles->run->job, room, &at->tile, carry, then);
}

bool mms_tiles_can_prepare(const mms_tiles *tiles) {
  const mms_engine *engine = tiles->run->engine;
  return engine->prepares && engine->prepares(tiles->run->job);
}

void mms_tiles_prepare(const mms_tiles *tiles, void *room, const mms_place *at, mms_found *found) {
  tiles->run->engine->prepare(tiles->run->job, room, &at->tile, found);
}

void mms_tiles_complete(const mms_tiles *tiles, void *room, const mms_place *at, const mms_value *carry,
                        const void *then) {
  tiles->run->engine->complete(tiles->run->job, room, &at->tile, carry, then);
}

void mms_tiles_finish_and_reduce(const mms_tiles *tiles, void *room, const mms_place *at, const mms_value *carry,
                                 const mms_place *ahead, mms_found *found) {
  const mms_engine *engine = tiles->run->engine;
  if (engine->finish_and_reduce && ahead->tile.m == at->tile.m && !ends_here(tiles, ahead)) {
    engine->finish_and_reduce(tiles->run->job, room, &at->tile, carry, &ahead->tile, found);
  } else {
    mms_tiles_finish(tiles, room, at, carry, NULL);
    mms_tiles_reduce(tiles, room, ahead, found);
  }
}

void mms_tiles_at_once(const mms_tiles *tiles, void *room, const mms_place *at, mms_value *carry) {
  begin(tiles, at, carry);
  if (ends_here(tiles, at) && !tiles->run->job->uncached)
    mms_tiles_finish(tiles, room, at, carry, NULL);
  else
    tiles->run->engine->at_once(tiles->run->job, room, &at->tile, carry);
  keep(tiles, at, carry);
}
