/* scans.c: a share of neighbouring scans for each thread. */
#include "run/way.h"

/* GRAIN: elements that a thread takes at a time, in short scans. MANY: scans for each thread: from so many on, each
 * scan is done by one thread, as one scan too many is a fourth more work at most. */
enum { GRAIN = 32768, MANY = 4 };

/* Scans that threads should not part: as many as a row of its own says, or those of an engine that does batches alone,
 * side by side, in a line. */
static size_t together(const mms_tiles *tiles) {
  const mms_own *own = tiles->run->job->algebra->own;
  if (own && own->together) return own->together;
  return tiles->run->engine->at_once ? 1 : MMS_KERNEL_LINE / tiles->element;
}

static size_t rounded_up(size_t count, size_t line) { return ((count - 1) / line + 1) * line; }

/* An operator of the caller's may take long. */
static size_t few_of_own(const mms_tiles *tiles) { return (tiles->run->scans.count - 1) / (MANY * tiles->sharing) + 1; }

static size_t per_grab(const mms_tiles *tiles) {
  const mms_run *run = tiles->run;
  const size_t line = together(tiles);
  if (run->job->algebra->own) return rounded_up(few_of_own(tiles), line);
  if (line == 1) return run->scans.n > GRAIN ? 1 : GRAIN / run->scans.n;
  return rounded_up((run->scans.count - 1) / tiles->sharing + 1, line);
}

static void scan_one(const mms_tiles *tiles, size_t scan, void *work) {
  mms_carry carry;
  for (size_t i = 0; i < tiles->per_scan; i++) {
    mms_place at = mms_tiles_in_scan(tiles, scan, i);
    mms_tiles_at_once(tiles, work, &at, &carry);
  }
}

/* Scans from..to - 1. */
static void scan_some(const mms_tiles *tiles, size_t from, size_t to, void *work) {
  if (tiles->per_scan == 1 && (!tiles->run->carry || !tiles->run->engine->at_once))
    mms_tiles_batch(tiles, work, from, to);
  else
    for (size_t scan = from; scan < to; scan++) scan_one(tiles, scan, work);
}

static size_t first_scan(const mms_scans *s, size_t share) {
  const size_t count = s->tiles->run->scans.count, first = share * count / s->shares;
  return share == s->shares ? count : first - first % together(s->tiles);
}

static void take_of_share(mms_scans *s, size_t share, void *work) {
  const size_t first = first_scan(s, share), count = first_scan(s, share + 1) - first, most = per_grab(s->tiles);
  size_t from, to = 0;
  while (to < count && (from = atomic_fetch_add_explicit(&s->next[share], most, memory_order_relaxed)) < count) {
    to = count - from < most ? count : from + most;
    scan_some(s->tiles, first + from, first + to, work);
  }
}

static void take_part(void *given, const mms_member *self) {
  mms_scans *s = given;
  for (size_t i = 0; i < s->shares; i++) take_of_share(s, (self->index + i) % s->shares, self->work);
}

/* ---- The way -------------------------------------------------------------------------------------------------- */

static bool can(const mms_tiles *tiles) { return (void)tiles, true; }

static bool suits(const mms_tiles *tiles) {
  return tiles->per_scan == 1 || tiles->run->scans.count >= MANY * tiles->sharing;
}

static size_t pieces(const mms_tiles *tiles) { return (tiles->run->scans.count - 1) / per_grab(tiles) + 1; }

static void begin(void *shared, const mms_tiles *tiles) {
  *(mms_scans *)shared =
      (mms_scans){.tiles = tiles, .shares = tiles->sharing < MMS_SCANS_SHARES ? tiles->sharing : MMS_SCANS_SHARES};
}

const mms_way mms_way_scans = {.name = "scans",
                               .description = "each thread takes whole scans, of many",
                               .can = can,
                               .suits = suits,
                               .pieces = pieces,
                               .begin = begin,
                               .take_part = take_part};

/* ---- One thread ----------------------------------------------------------------------------------------------- */

static bool is_alone(const mms_tiles *tiles) { return tiles->sharing == 1; }

static size_t one(const mms_tiles *tiles) { return (void)tiles, 1; }

/* With little overhead, as a scan may be tiny. */
static void begin_alone(void *shared, const mms_tiles *tiles) { ((mms_scans *)shared)->tiles = tiles; }

static void take_all(void *given, const mms_member *self) {
  const mms_tiles *tiles = ((const mms_scans *)given)->tiles;
  scan_some(tiles, 0, tiles->run->scans.count, self->work);
}

const mms_way mms_way_alone = {.name = "alone",
                               .description = "one thread does everything",
                               .can = can,
                               .suits = is_alone,
                               .pieces = one,
                               .begin = begin_alone,
                               .take_part = take_all};
