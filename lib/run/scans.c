/* scans.c: a share of neighbouring scans for each thread. */
#include "scans.h"

#include <omp.h>

enum { GRAIN = 32768 }; /* elements that a thread takes at a time, in short scans */

static size_t per_grab(const mms_run *run) { return run->scans.n > GRAIN ? 1 : GRAIN / run->scans.n; }

size_t mms_scans_parts(const mms_run *run) { return (run->scans.count - 1) / per_grab(run) + 1; }

static void scan_one(const mms_tiles *tiles, size_t scan, void *work) {
  mms_value carry = tiles->run->scans.first;
  for (size_t i = 0; i < tiles->per_scan; i++) {
    mms_place at = mms_tiles_in_scan(tiles, scan, i);
    mms_tiles_at_once(tiles, work, &at, &carry);
  }
}

/* Scans from..to - 1. */
static void scan_some(const mms_tiles *tiles, size_t from, size_t to, void *work) {
  if (tiles->per_scan == 1 && !tiles->run->carry)
    mms_tiles_batch(tiles, work, from, to);
  else
    for (size_t scan = from; scan < to; scan++) scan_one(tiles, scan, work);
}

static size_t first_scan(const mms_scans *s, size_t share) { return share * s->tiles->run->scans.count / s->shares; }

static void take_of_share(mms_scans *s, size_t share, void *work) {
  const size_t first = first_scan(s, share), count = first_scan(s, share + 1) - first, most = per_grab(s->tiles->run);
  size_t from, to = 0;
  while (to < count && (from = atomic_fetch_add_explicit(&s->next[share], most, memory_order_relaxed)) < count) {
    to = count - from < most ? count : from + most;
    scan_some(s->tiles, first + from, first + to, work);
  }
}

void mms_scans_take_part(void *given, void *work) {
  mms_scans *s = given;
  const size_t self = (size_t)omp_get_thread_num();
  for (size_t i = 0; i < s->shares; i++) take_of_share(s, (self + i) % s->shares, work);
}

void mms_scans_take_all(void *given, void *work) {
  const mms_tiles *tiles = given;
  scan_some(tiles, 0, tiles->run->scans.count, work);
}
