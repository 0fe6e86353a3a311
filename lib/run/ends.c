/* ends.c: totals, and the first and last results of scans. */
#include "run/ends.h"

#include <string.h>

static bool are_same(const void *a, const void *b, size_t size) {
  uint32_t words[2];
  uint64_t longs[2];
  if (size == 4) {
    memcpy(&words[0], a, 4), memcpy(&words[1], b, 4);
    return words[0] == words[1];
  }
  if (size == 8) {
    memcpy(&longs[0], a, 8), memcpy(&longs[1], b, 8);
    return longs[0] == longs[1];
  }
  return memcmp(a, b, size) == 0;
}

static mms_element element_of(const mms_ends *ends, const mms_value *carry) {
  mms_element e = {{0}};
  if (ends->are_elsewhere)
    e.at = carry->element;
  else if (ends->of_y->out)
    ends->of_y->out(1, carry->bytes, e.bytes, 1);
  else
    mms_copy(e.bytes, carry->bytes, ends->of_y->y_size);
  return e;
}

static const void *bytes_of(const mms_ends *ends, const mms_element *e) {
  return ends->are_elsewhere ? e->at : e->bytes;
}

void mms_ends_start(mms_ends *ends, const mms_value *first, const mms_value *start) {
  ends->first = element_of(ends, first);
  ends->start = element_of(ends, start);
  ends->restarts = memcmp(&ends->first, &ends->start, sizeof ends->first) != 0;
}

/* Result i of a tile, in the order of the scan. */
static char *result(const mms_run *run, const mms_tile *t, size_t i) {
  const ptrdiff_t index = (ptrdiff_t)(run->job->reverse ? t->m - 1 - i : i);
  return (char *)t->y + index * t->y_stride * (ptrdiff_t)run->job->storage->y_size;
}

static bool is_exclusive(const mms_run *run) { return run->job->kind == MMSCAN_EXCLUSIVE; }

/* Whether a tile is the last of an exclusive scan whose total is wanted. */
static bool has_total(const mms_run *run, const mms_place *at) {
  const mms_ends *ends = run->ends;
  return ends && at->last && is_exclusive(run) && (ends->totals || ends->are_offsets);
}

bool mms_ends_are_apart(const mms_run *run, const mms_place *at) { return run->job->keeps_order && has_total(run, at); }

/* Whether the results of a tile are those of an inclusive scan, and have to be moved on. */
static bool is_moved(const mms_run *run, const mms_place *at) { return has_total(run, at) && !run->job->keeps_order; }

const mms_job *mms_ends_job(const mms_run *run, const mms_place *at) {
  return is_moved(run, at) ? &run->ends->inclusive : run->job;
}

/* Where the index of an element of y goes; NULL: indices are not asked for. */
static int64_t *index_of(const mms_run *run, const char *y) {
  const mms_extras *e = run->job->extras;
  return e && e->indices ? e->indices + (y - e->y) / (ptrdiff_t)run->job->storage->y_size : NULL;
}

static void move_indices_on(const mms_run *run, const mms_tile *t, const mms_value *carry) {
  for (size_t i = t->m - 1; i > 0; i--) *index_of(run, result(run, t, i)) = *index_of(run, result(run, t, i - 1));
  *index_of(run, result(run, t, 0)) = carry->found.index;
}

/* The carry, as a result. Where results never fall all zeros have one sign. */
static mms_element first_of(const mms_run *run, const mms_value *carry) {
  static const mms_value zero;
  const mms_extras *e = run->job->extras;
  const bool is_zero = e && e->neutral && mms_storage_number(run->job->storage, carry) == 0;
  return element_of(run->ends, is_zero ? &zero : carry);
}

/* Moves results on by one, the first of which becomes the carry. */
static void move_on(const mms_run *run, const mms_tile *t, const mms_value *carry) {
  const size_t size = run->job->storage->y_size;
  const mms_element first = first_of(run, carry);
  if (index_of(run, t->y)) move_indices_on(run, t, carry);
  if (t->y_stride == 1 && t->m > 16 && run->job->reverse)
    memmove(t->y, (char *)t->y + size, (t->m - 1) * size);
  else if (t->y_stride == 1 && t->m > 16)
    memmove((char *)t->y + size, t->y, (t->m - 1) * size);
  else
    for (size_t i = t->m - 1; i > 0; i--) mms_copy(result(run, t, i), result(run, t, i - 1), size);
  mms_copy(result(run, t, 0), bytes_of(run->ends, &first), size);
}

static char *extra_of(const mms_run *run, const mms_place *at) {
  return at->y + run->ends->extra_at * (ptrdiff_t)run->job->storage->y_size;
}

/* An element of offsets, and by which element it is. */
static void write_extra(const mms_run *run, const mms_place *at, const void *value, int64_t index) {
  char *extra = extra_of(run, at);
  mms_copy(extra, value, run->ends->of_y->y_size);
  if (index_of(run, extra)) *index_of(run, extra) = index;
}

/* Writes the total of a scan, an element of y, wherever it is wanted. */
static void write_total(const mms_run *run, const mms_place *at, const void *total, int64_t index) {
  const mms_ends *ends = run->ends;
  const size_t size = ends->of_y->y_size;
  if (ends->totals) mms_copy((char *)ends->totals + at->total * (ptrdiff_t)size, total, size);
  if (ends->are_offsets && is_exclusive(run)) write_extra(run, at, total, index);
}

/* Results that no element has changed become the start, each part of a complex number for itself. */
static void restart(const mms_run *run, const mms_place *at, const mms_value *carry) {
  const mms_ends *ends = run->ends;
  const size_t planes = ends->of_y->planes, size = ends->of_y->y_size / planes;
  const mms_element into = element_of(ends, carry);
  const size_t most = !ends->are_offsets ? at->tile.m : at->first;
  for (size_t p = 0; p < planes * size; p += size) {
    const unsigned char *first = ends->first.bytes + p, *start = ends->start.bytes + p;
    if (!are_same(into.bytes + p, first, size)) continue;
    for (size_t i = 0; i < most && are_same(result(run, &at->tile, i) + p, first, size); i++)
      mms_copy(result(run, &at->tile, i) + p, start, size);
  }
}

static void write_start(const mms_run *run, const mms_place *at) {
  write_extra(run, at, bytes_of(run->ends, &run->ends->start), -1);
}

static void write_last(const mms_run *run, const mms_place *at) {
  const char *last = result(run, &at->tile, at->tile.m - 1);
  const int64_t *index = index_of(run, last);
  write_total(run, at, last, index ? *index : -1);
}

void mms_ends_write_total(const mms_run *run, const mms_place *at, const void *total) {
  write_total(run, at, total, -1);
}

void mms_ends_write(const mms_run *run, const mms_place *at, const mms_value *carry) {
  const mms_ends *ends = run->ends;
  if (at->first && ends->are_offsets && !is_exclusive(run)) write_start(run, at);
  if (at->last && !mms_ends_are_apart(run, at)) write_last(run, at);
  if (is_moved(run, at)) move_on(run, &at->tile, carry);
  if (ends->restarts && is_exclusive(run)) restart(run, at, carry);
}

void mms_ends_write_column(const mms_run *run, const mms_place *at, const mms_value *carry) {
  const mms_ends *ends = run->ends;
  const mms_element total = element_of(ends, carry);
  if (ends->are_offsets && !is_exclusive(run)) write_start(run, at);
  write_total(run, at, bytes_of(ends, &total), -1);
  if (ends->restarts && is_exclusive(run)) restart(run, at, &run->scans.first);
}

void mms_ends_write_empty(const mms_run *run) {
  const mms_ends *ends = run->ends;
  const mms_tiles tiles = mms_tiles_of(run);
  for (size_t scan = 0; scan < run->scans.count; scan++) {
    const mms_place at = mms_tiles_in_scan(&tiles, scan, 0);
    const mms_value carry = mms_carry_first(run, scan);
    const mms_element total = run->carry ? element_of(ends, &carry) : ends->start;
    write_total(run, &at, bytes_of(ends, &total), -1);
    if (ends->are_offsets) write_start(run, &at);
  }
}
