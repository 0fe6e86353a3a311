/* tiles.c: where tiles are, and what is done to one. */
#include "run/ends.h"

#include <stdalign.h>
#include <string.h>

/* Whether results are bounded by a carry out that is not the engine's (engine/monotone.h). */
static bool is_bound(const mms_job *job) { return job->adds_exactly && job->extras && job->extras->neutral; }

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

/* How far the total of a scan of the batch is from the first one. */
static ptrdiff_t total_at(const mms_run *run, ptrdiff_t k) {
  return run->has_parts ? k / 2 * 2 * run->total_dist + k % 2 : k * run->total_dist;
}

/* How far from scan 0 a scan begins, in elements. */
static mms_axis apart(const mms_run *run, size_t scan) {
  const mms_batch *scans = &run->scans;
  if (run->rank == 0) {
    const ptrdiff_t k = (ptrdiff_t)scan;
    return (mms_axis){.x = k * scans->x_dist, .y = k * scans->y_dist, .total = total_at(run, k)};
  }
  const ptrdiff_t k = (ptrdiff_t)(scan % run->batch);
  mms_axis at = {.x = k * scans->x_dist, .y = k * scans->y_dist, .total = total_at(run, k)};
  size_t left = scan / run->batch;
  for (const mms_axis *axis = run->outer + run->rank; axis-- > run->outer; left /= axis->n) {
    const ptrdiff_t i = (ptrdiff_t)(left % axis->n);
    at.x += i * axis->x, at.y += i * axis->y, at.total += i * axis->total;
  }
  return at;
}

/* Bytes from an array, which may be NULL where there is nothing to scan. */
static uintptr_t beyond(const void *array, ptrdiff_t bytes) { return (uintptr_t)array + (uintptr_t)bytes; }

/* The tile that begins with element `from` of a scan. */
static mms_place place_of(const mms_run *run, size_t scan, size_t from, size_t m) {
  const mms_axis at = apart(run, scan);
  const ptrdiff_t first = (ptrdiff_t)(run->job->reverse ? run->scans.n - from - m : from);
  const ptrdiff_t x_size = (ptrdiff_t)run->job->storage->x_size, y_size = (ptrdiff_t)run->job->storage->y_size;
  const ptrdiff_t x_stride = run->scans.x_stride, y_stride = run->scans.y_stride;
  return (mms_place){.tile = {.m = m,
                              .x = (const void *)beyond(run->scans.x, (at.x + first * x_stride) * x_size),
                              .y = (void *)beyond(run->scans.y, (at.y + first * y_stride) * y_size),
                              .x_stride = x_stride,
                              .y_stride = y_stride,
                              .scan = scan,
                              .at = (size_t)first,
                              .is_last = from + m == run->scans.n},
                     .y = (char *)beyond(run->scans.y, at.y * y_size),
                     .total = at.total};
}

mms_place mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan) {
  const size_t from = in_scan * tiles->most, left = tiles->run->scans.n - from;
  mms_place place = place_of(tiles->run, scan, from, left < tiles->most ? left : tiles->most);
  place.first = in_scan == 0;
  place.last = in_scan == tiles->per_scan - 1;
  return place;
}

mms_place mms_tiles_at(const mms_tiles *tiles, size_t index) {
  return mms_tiles_in_scan(tiles, index / tiles->per_scan, index % tiles->per_scan);
}

/* ---- The carry ------------------------------------------------------------------------------------------------ */

/* The first tile of a scan starts from the carry into that scan. */
static void begin(const mms_tiles *tiles, const mms_place *at, mms_carry *carry) {
  if (at->first) mms_carry_begin(tiles->run, at->tile.scan, carry);
}

static void keep(const mms_tiles *tiles, const mms_place *at, const mms_carry *carry) {
  if (at->last) mms_carry_keep(tiles->run, at->tile.scan, carry);
}

/* ---- Totals ---------------------------------------------------------------------------------------------------- */

/* Scans a tile for its total alone, before it may be overwritten. Not inlined, so that the buffer is on the stack only
 * here. */
static __attribute__((noinline)) void scan_for_total(const mms_run *run, void *work, const mms_place *at,
                                                     const mms_value *carry) {
  alignas(MMS_KERNEL_LINE) char y[MMS_KERNEL_RUN];
  const mms_job *job = &run->ends->inclusive;
  mms_tile tile = at->tile;
  tile.y = y;
  tile.y_stride = 1;
  run->engine->finish(job, work, &tile, carry, NULL);
  mms_ends_write_total(run, at, y + (job->reverse ? 0 : tile.m - 1) * job->storage->y_size);
}

static void find_total(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry) {
  if (mms_ends_are_apart(tiles->run, at)) scan_for_total(tiles->run, work, at, carry);
}

/* ---- Short scans ----------------------------------------------------------------------------------------------- */

static void scan_together(const mms_run *run, const mms_job *job, void *work, size_t from, size_t to, void *carry,
                          void *low) {
  const mms_place first = place_of(run, from, 0, run->scans.n);
  mms_batch part = run->scans;
  part.count = to - from;
  part.scan = from;
  part.prefetches = job->prefetches;
  part.x = first.tile.x;
  part.y = first.tile.y;
  part.carry = carry;
  part.low = low;
  run->engine->batch(job, work, &part);
}

/* Prefetches the next scan, which is read next. */
static void scan_one_by_one(const mms_run *run, const mms_job *job, void *work, size_t from, size_t to) {
  const mms_engine *engine = run->engine;
  const uintptr_t step = (uintptr_t)run->scans.x_dist * job->storage->x_size;
  for (size_t scan = from; scan < to; scan++) {
    mms_place at = place_of(run, scan, 0, run->scans.n);
    mms_value carry = run->scans.first;
    at.first = at.last = true;
    if (mms_ends_are_apart(run, &at)) scan_for_total(run, work, &at, &carry);
    if (engine->finish)
      engine->finish(job, work, &at.tile, &carry, job->prefetches ? (const void *)((uintptr_t)at.tile.x + step) : NULL);
    else
      engine->at_once(job, work, &at.tile, &carry);
  }
}

/* Scans whose ends matter, few enough for their results to be still near. */
enum { NEAR = 16384, MOST_COLUMNS = 128 };

static size_t few(const mms_run *run) {
  const size_t rows = NEAR / (run->scans.n * run->job->storage->y_size);
  return !run->engine->at_once ? MOST_COLUMNS : rows > 0 ? rows : 1;
}

static void scan_rows(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  const mms_place any = {.first = true, .last = true};
  const mms_job *job = run->ends ? mms_ends_job(run, &any) : run->job;
  if (run->engine->batch && !job->streams && !mms_ends_are_apart(run, &any))
    scan_together(run, job, work, from, to, NULL, NULL);
  else
    scan_one_by_one(run, job, work, from, to);
  for (size_t scan = from; run->ends && scan < to; scan++) {
    mms_place at = place_of(run, scan, 0, run->scans.n);
    at.first = at.last = true;
    mms_ends_write(run, &at, &run->scans.first);
  }
}

/* Columns whose ends matter, or whose carries are stored otherwise than they are combined, so many at most. */
__attribute__((noinline)) static void scan_few_columns(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  char carries[MOST_COLUMNS * 2 * sizeof(double)], lows[MOST_COLUMNS * sizeof(double)];
  const mms_run *run = tiles->run;
  const size_t size = run->job->storage->size;
  const bool has_pairs = run->job->keeps_pairs;
  for (size_t i = 0; i < to - from; i++) {
    const mms_value in = mms_carry_first(run, from + i);
    memcpy(carries + i * size, &in, size);
    if (has_pairs) memcpy(lows + i * size, in.bytes + size, size);
  }
  scan_together(run, run->job, work, from, to, carries, has_pairs ? lows : NULL);
  for (size_t i = 0; i < to - from; i++) {
    mms_place at = place_of(run, from + i, 0, run->scans.n);
    mms_carry out;
    out.value = (mms_value){0};
    memcpy(&out.value, carries + i * size, size);
    if (has_pairs) memcpy(out.value.bytes + size, lows + i * size, size);
    at.first = at.last = true;
    keep(tiles, &at, &out);
    if (run->ends) mms_ends_write_column(run, &at, &out.value);
  }
}

static bool has_own_carries(const mms_run *run) {
  return run->carry && (run->carries->in || run->carries->out || run->state);
}

static void scan_columns(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  char *carry = run->carry;
  if (run->ends || has_own_carries(run))
    scan_few_columns(tiles, work, from, to);
  else
    scan_together(run, run->job, work, from, to, carry ? carry + from * run->job->storage->size : NULL, NULL);
}

/* A carry out that bounds results is found by the steps of a tile, even if it is not needed. */
static void scan_bounded(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  mms_carry carry;
  for (size_t scan = from; scan < to; scan++) {
    const mms_place at = mms_tiles_in_scan(tiles, scan, 0);
    mms_tiles_at_once(tiles, work, &at, &carry);
  }
}

/* Scans are done together as far as they are of one batch. */
void mms_tiles_batch(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  const mms_run *run = tiles->run;
  if (is_bound(run->job)) {
    scan_bounded(tiles, work, from, to);
    return;
  }
  const size_t most = run->ends || has_own_carries(run) ? few(run) : SIZE_MAX;
  for (size_t end; from < to; from = end) {
    end = run->rank > 0 ? (from / run->batch + 1) * run->batch : to;
    if (end > to) end = to;
    if (end - from > most) end = from + most;
    (run->engine->at_once ? scan_rows : scan_columns)(tiles, work, from, end);
  }
}

/* ---- One tile ------------------------------------------------------------------------------------------------- */

static const mms_job *job_of(const mms_tiles *tiles, const mms_place *at) {
  return tiles->run->ends ? mms_ends_job(tiles->run, at) : tiles->run->job;
}

static void write_ends(const mms_tiles *tiles, const mms_place *at, const mms_value *carry) {
  if (tiles->run->ends) mms_ends_write(tiles->run, at, carry);
}

/* Whether the carry out of the tile is not needed, and the tile can be written without being reduced. An exact one is
 * what bounds results (engine/monotone.h). */
static bool ends_here(const mms_tiles *tiles, const mms_place *at) {
  return at->last && !tiles->run->carry && tiles->run->engine->finish && !is_bound(tiles->run->job);
}

void mms_tiles_reduce(const mms_tiles *tiles, void *work, const mms_place *at, mms_found *found) {
  if (!ends_here(tiles, at)) tiles->run->engine->reduce(job_of(tiles, at), work, &at->tile, found);
}

mms_value mms_tiles_pass(const mms_tiles *tiles, void *work, const mms_place *at, const mms_found *found,
                         mms_carry *carry) {
  begin(tiles, at, carry);
  mms_value into = carry->value;
  if (!ends_here(tiles, at)) mms_carry_pass(tiles->run, job_of(tiles, at), work, &at->tile, found, carry);
  keep(tiles, at, carry);
  if (is_bound(tiles->run->job)) memcpy(into.bounded.after, carry->value.bytes, sizeof into.bounded.after);
  return into;
}

void mms_tiles_finish(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                      const void *prefetch) {
  find_total(tiles, work, at, carry);
  tiles->run->engine->finish(job_of(tiles, at), work, &at->tile, carry, prefetch);
  write_ends(tiles, at, carry);
}

void mms_tiles_prepare(const mms_tiles *tiles, void *work, const mms_place *at, mms_found *found) {
  tiles->run->engine->prepare(job_of(tiles, at), work, &at->tile, found);
}

void mms_tiles_complete(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                        const void *prefetch) {
  find_total(tiles, work, at, carry);
  tiles->run->engine->complete(job_of(tiles, at), work, &at->tile, carry, prefetch);
  write_ends(tiles, at, carry);
}

void mms_tiles_finish_and_reduce(const mms_tiles *tiles, void *work, const mms_place *at, const mms_value *carry,
                                 const mms_place *ahead, mms_found *found) {
  const mms_engine *engine = tiles->run->engine;
  const bool are_alike = ahead->tile.m == at->tile.m && job_of(tiles, at) == job_of(tiles, ahead);
  if (engine->finish_and_reduce && are_alike && !ends_here(tiles, ahead)) {
    find_total(tiles, work, at, carry);
    engine->finish_and_reduce(job_of(tiles, at), work, &at->tile, carry, &ahead->tile, found);
    write_ends(tiles, at, carry);
  } else {
    mms_tiles_finish(tiles, work, at, carry, NULL);
    mms_tiles_reduce(tiles, work, ahead, found);
  }
}

/* Where the carry is not what the engine makes of it. A tile that is not overwritten is read once. */
static void at_once_exactly(const mms_tiles *tiles, void *work, const mms_place *at, mms_carry *carry) {
  const mms_engine *engine = tiles->run->engine;
  mms_found found;
  if (engine->finish_and_reduce && at->tile.x != at->tile.y) {
    begin(tiles, at, carry);
    const mms_value into = carry->value;
    find_total(tiles, work, at, &into);
    engine->finish_and_reduce(job_of(tiles, at), work, &at->tile, &into, &at->tile, &found);
    write_ends(tiles, at, &into);
    mms_tiles_pass(tiles, work, at, &found, carry);
  } else {
    mms_tiles_reduce(tiles, work, at, &found);
    const mms_value into = mms_tiles_pass(tiles, work, at, &found, carry);
    mms_tiles_finish(tiles, work, at, &into, NULL);
  }
}

void mms_tiles_at_once(const mms_tiles *tiles, void *work, const mms_place *at, mms_carry *carry) {
  const mms_engine *engine = tiles->run->engine;
  if (tiles->run->job->adds_exactly) {
    at_once_exactly(tiles, work, at, carry);
    return;
  }
  begin(tiles, at, carry);
  const mms_value into = carry->value;
  find_total(tiles, work, at, &into);
  if (ends_here(tiles, at) && !tiles->run->job->uncached)
    engine->finish(job_of(tiles, at), work, &at->tile, &into, NULL);
  else
    engine->at_once(job_of(tiles, at), work, &at->tile, &carry->value);
  write_ends(tiles, at, &into);
  keep(tiles, at, carry);
}
