/* recording.h: keeps the events of a run, replays them with plain loops, and adds up their counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "mmscan_paper.h"
#include "test.h"

/* Copies of the events and of their arrays. */
struct recording {
  size_t count, capacity;
  mmscan_event *events;
};

static inline void *recording_memory(void *old, size_t size) {
  void *p = realloc(old, size ? size : 1);
  if (p == NULL) fail_msg("no memory for the test");
  return p;
}

static inline const size_t *copy_positions(const size_t *from, size_t count) {
  return from ? memcpy(recording_memory(NULL, count * sizeof *from), from, count * sizeof *from) : NULL;
}

/* The trace callback. */
static inline void record(void *context, const mmscan_event *event) {
  struct recording *r = context;
  size_t entries = event->s * event->columns;
  if (r->count == r->capacity) {
    r->capacity = 2 * r->capacity + 16;
    r->events = recording_memory(r->events, r->capacity * sizeof *r->events);
  }
  mmscan_event *copy = &r->events[r->count++];
  *copy = *event;
  copy->in = copy_positions(event->in, entries);
  copy->add = copy_positions(event->add, entries);
  copy->out = copy_positions(event->out, entries);
}

static inline void recording_free(struct recording *r) {
  for (size_t i = 0; i < r->count; i++) {
    free((void *)(uintptr_t)r->events[i].in);
    free((void *)(uintptr_t)r->events[i].add);
    free((void *)(uintptr_t)r->events[i].out);
  }
  free(r->events);
}

/* ---- The matrix A, written anew ---------------------------------------------------------------------------------- */

static inline bool has_one(mmscan_matrix matrix, size_t row, size_t k) {
  if (matrix == MMSCAN_MATRIX_B) return k == 0 || k == row;
  return matrix == MMSCAN_MATRIX_ONES || k < row || (matrix == MMSCAN_MATRIX_L && k == row);
}

/* ---- Replaying --------------------------------------------------------------------------------------------------- */

struct operation {
  const char *name;
  mmscan_operator of; /* elements have at most OPERATOR_SIZE bytes */
  bool commutes;
};

enum { OPERATOR_SIZE = 128 };

static inline void play_entry(const struct operation *op, const mmscan_event *e, size_t at, const char *values,
                              char *w) {
  size_t row = at % e->s, column = at / e->s;
  _Alignas(max_align_t) char sum[OPERATOR_SIZE];
  memcpy(w, op->of.identity, op->of.size);
  for (size_t k = 0; k <= e->s; k++) {
    size_t position = k < e->s ? e->in[column * e->s + k] : e->add ? e->add[at] : MMSCAN_NO_ELEMENT;
    if ((k < e->s && !has_one(e->matrix, row, k)) || position == MMSCAN_NO_ELEMENT) continue;
    op->of.combine(NULL, w, values + position * op->of.size, sum);
    memcpy(w, sum, op->of.size);
  }
}

static inline void play_event(const struct operation *op, const mmscan_event *e, char *values) {
  size_t entries = e->s * e->columns;
  char *w = recording_memory(NULL, entries * op->of.size);
  for (size_t at = 0; at < entries; at++) play_entry(op, e, at, values, w + at * op->of.size);
  for (size_t at = 0; at < entries; at++)
    if (e->out[at] != MMSCAN_NO_ELEMENT) memcpy(values + e->out[at] * op->of.size, w + at * op->of.size, op->of.size);
  free(w);
}

/* Computes in y what the events make of x. A temporary that is read before it is written has all bits set. */
static inline void play(const struct recording *r, const struct operation *op, size_t n, const void *x, void *y) {
  size_t positions = r->count ? r->events[0].positions : n;
  char *values = recording_memory(NULL, positions * op->of.size);
  memset(values, 0xff, positions * op->of.size);
  if (n > 0) memcpy(values, x, n * op->of.size);
  for (size_t i = 0; i < r->count; i++) play_event(op, &r->events[i], values);
  if (n > 0) memcpy(y, values, n * op->of.size);
  free(values);
}

/* ---- Adding up --------------------------------------------------------------------------------------------------- */

/* An adder is a stored entry of W that combines two data terms or more. `additions` counts padding and unstored entries
 * too, `additions_unpadded` does not. */
struct totals {
  size_t depth, products, squares, adders, additions, additions_unpadded;
  size_t fan_in; /* of the largest adder */
  size_t path;   /* the longest chain of adders */
};

static inline void add_up_entry(struct totals *t, const mmscan_event *e, size_t at, const size_t *path, size_t *found) {
  size_t row = at % e->s, column = at / e->s, terms = 0, data = 0;
  *found = 0;
  for (size_t k = 0; k <= e->s; k++) {
    if (k < e->s ? !has_one(e->matrix, row, k) : !e->add) continue;
    size_t position = k < e->s ? e->in[column * e->s + k] : e->add[at];
    terms++;
    if (position == MMSCAN_NO_ELEMENT) continue;
    data++;
    if (path[position] > *found) *found = path[position];
  }
  if (terms > 1) t->additions += terms - 1;
  if (data <= 1 || e->out[at] == MMSCAN_NO_ELEMENT) return;
  t->additions_unpadded += data - 1;
  t->adders++;
  if (data > t->fan_in) t->fan_in = data;
  if (++*found > t->path) t->path = *found;
}

static inline void add_up_event(struct totals *t, const mmscan_event *e, size_t *path) {
  size_t entries = e->s * e->columns, *found = recording_memory(NULL, entries * sizeof *found);
  for (size_t at = 0; at < entries; at++) add_up_entry(t, e, at, path, &found[at]);
  for (size_t at = 0; at < entries; at++)
    if (e->out[at] != MMSCAN_NO_ELEMENT) path[e->out[at]] = found[at];
  if (e->depth > t->depth) t->depth = e->depth;
  if (e->is_product) t->products++;
  if (e->is_product) t->squares += (e->columns + e->s - 1) / e->s;
  free(found);
}

static inline struct totals add_up(const struct recording *r) {
  struct totals t = {0};
  size_t positions = r->count ? r->events[0].positions : 0;
  size_t *path = recording_memory(NULL, positions * sizeof *path);
  memset(path, 0, positions * sizeof *path);
  for (size_t i = 0; i < r->count; i++) add_up_event(&t, &r->events[i], path);
  free(path);
  return t;
}

/* ---- Well formed ------------------------------------------------------------------------------------------------- */

static inline bool positions_in_range(const mmscan_event *e, const size_t *positions) {
  for (size_t at = 0; positions && at < e->s * e->columns; at++)
    if (positions[at] >= e->positions && positions[at] != MMSCAN_NO_ELEMENT) return false;
  return true;
}

/* The greatest depth at which each position was read, and at which it was written. */
struct touched {
  size_t *read, *written;
};

static inline void check_event_independence(const mmscan_event *e, const struct touched *t) {
  const size_t least = e->phase == MMSCAN_GATHER ? e->depth : e->depth - 1;
  for (size_t at = 0; at < e->s * e->columns; at++) {
    if (e->in[at] != MMSCAN_NO_ELEMENT) assert_true(t->written[e->in[at]] <= least);
    if (e->add && e->add[at] != MMSCAN_NO_ELEMENT) assert_true(t->written[e->add[at]] <= least);
    if (e->out[at] != MMSCAN_NO_ELEMENT) assert_true(t->written[e->out[at]] <= least && t->read[e->out[at]] <= least);
  }
}

static inline void touch_at(size_t *touched, size_t position, size_t depth) {
  if (position != MMSCAN_NO_ELEMENT && touched[position] < depth) touched[position] = depth;
}

static inline void touch(const mmscan_event *e, struct touched *t) {
  for (size_t at = 0; at < e->s * e->columns; at++) {
    touch_at(t->read, e->in[at], e->depth);
    if (e->add) touch_at(t->read, e->add[at], e->depth);
    touch_at(t->written, e->out[at], e->depth);
  }
}

/* Fails if an event reads or writes a position that an earlier event of the same or a greater depth wrote, or writes
 * one that such an event read. A gather may have the same depth as the events it waits for. */
static inline void check_independence(const struct recording *r) {
  if (r->count == 0) return;
  const size_t bytes = r->events[0].positions * sizeof(size_t);
  struct touched t = {recording_memory(NULL, bytes), recording_memory(NULL, bytes)};
  memset(t.read, 0, bytes);
  memset(t.written, 0, bytes);
  for (size_t i = 0; i < r->count; i++) {
    check_event_independence(&r->events[i], &t);
    touch(&r->events[i], &t);
  }
  free(t.read);
  free(t.written);
}

static inline void check_recording(const struct recording *r) {
  for (size_t i = 0; i < r->count; i++) {
    const mmscan_event *e = &r->events[i];
    assert_int_equal(e->struct_size, sizeof *e);
    assert_int_equal(e->positions, r->events[0].positions);
    assert_true(e->step >= 1 && e->step <= 4 && e->s >= 1 && e->columns >= 1);
    assert_true(e->phase >= MMSCAN_UP_SWEEP && e->phase <= MMSCAN_BROADCAST);
    assert_true(positions_in_range(e, e->in) && positions_in_range(e, e->add) && positions_in_range(e, e->out));
  }
  check_independence(r);
}

#endif /* RECORDING_H */
