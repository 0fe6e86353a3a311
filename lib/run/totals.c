/* totals.c: the carries out of scans whose results nobody wants. */
#include "run/way.h"

#include <stdalign.h>

enum { MOST_TILES = 64, GROUPS = 8, RUN = 4096 }; /* tiles in a group; groups for each thread; bytes */

/* Reduces the tiles of a group; then takes the carry past them, once it has passed all groups before. */
static void take_tiles(mms_totals *s, void *work, size_t group, size_t from, size_t to) {
  mms_found found[MOST_TILES];
  for (size_t i = from; i < to; i++) {
    const mms_place at = mms_tiles_at(s->tiles, i);
    mms_tiles_reduce(s->tiles, work, &at, &found[i - from]);
  }
  mms_notifier_wait(&s->notifier, &s->passed, group);
  for (size_t i = from; i < to; i++) {
    const mms_place at = mms_tiles_at(s->tiles, i);
    mms_tiles_pass(s->tiles, work, &at, &found[i - from], &s->carry);
  }
  mms_notifier_set(&s->notifier, &s->passed, group + 1);
}

/* A scan by an engine that has no steps, whose results go to a buffer. Cutting it into runs makes no difference to the
 * plain loop. */
static void scan_in_runs(const mms_tiles *tiles, void *work, size_t scan) {
  alignas(MMS_KERNEL_LINE) char y[RUN];
  const mms_run *run = tiles->run;
  const mms_place all = mms_tiles_in_scan(tiles, scan, 0);
  const size_t n = all.tile.m, most = RUN / run->job->storage->y_size;
  const ptrdiff_t step = all.tile.x_stride * (ptrdiff_t)run->job->storage->x_size;
  mms_carry carry;
  mms_carry_begin(run, scan, &carry);
  for (size_t done = 0, m; done < n; done += m) {
    m = n - done < most ? n - done : most;
    const size_t from = run->job->reverse ? n - done - m : done;
    mms_tile tile = all.tile;
    tile.m = m;
    tile.x = (const char *)tile.x + (ptrdiff_t)from * step;
    tile.y = y;
    tile.y_stride = 1;
    tile.at += from;
    tile.is_last = done + m == n;
    run->engine->at_once(run->job, work, &tile, &carry.value);
  }
  mms_carry_keep(run, scan, &carry);
}

static void take_part(void *given, const mms_member *self) {
  mms_totals *s = given;
  const size_t count = s->tiles->count;
  for (size_t group; (group = atomic_fetch_add(&s->taken, 1)) * s->group < count;) {
    const size_t from = group * s->group, to = count - from < s->group ? count : from + s->group;
    if (s->tiles->run->engine->reduce)
      take_tiles(s, self->work, group, from, to);
    else
      for (size_t scan = from; scan < to; scan++) scan_in_runs(s->tiles, self->work, scan);
  }
}

static bool can(const mms_tiles *tiles) { return tiles->run->only_carries; }

static void begin(void *shared, const mms_tiles *tiles) {
  const size_t share = tiles->count / (GROUPS * tiles->sharing) + 1;
  *(mms_totals *)shared =
      (mms_totals){.tiles = tiles, .notifier = MMS_NOTIFIER_READY, .group = share < MOST_TILES ? share : MOST_TILES};
}

const mms_way mms_way_totals = {.name = "totals",
                                .description = "threads take the next few tiles in turn, and write no results",
                                .can = can,
                                .suits = can,
                                .begin = begin,
                                .take_part = take_part};
