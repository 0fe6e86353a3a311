/* figure.c: what the figures have in common.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

svg_kind figure_kind(const mmscan_event *e) {
  if (e->step == 3) return SVG_TOTALS;
  switch (e->phase) {
  case MMSCAN_UP_SWEEP:
    return SVG_UP;
  case MMSCAN_DOWN_SWEEP:
    return SVG_DOWN;
  case MMSCAN_COMBINE:
    return SVG_COMBINE;
  case MMSCAN_GATHER:
    return SVG_COPY;
  case MMSCAN_BROADCAST:
    return SVG_BROADCAST;
  }
  return SVG_COPY;
}

/* The title begins with the method's description, up to a colon. */
void figure_title(char *text, size_t size, const traced *t) {
  const char *words = t->method.description;
  const int length = (int)strcspn(words, ":");
  if (t->method.has_s)
    snprintf(text, size, "%.*s, s = %zu, n = %zu", length, words, t->s, t->n);
  else
    snprintf(text, size, "%.*s, n = %zu", length, words, t->n);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static uint64_t value_of_entry(const mmscan_event *e, size_t at, const uint64_t *now) {
  uint64_t sum = 0;
  size_t position;
  for (size_t k = 0; k <= e->s; k++)
    if (mmscan_event_term(e, at, k, &position) && position != MMSCAN_NO_ELEMENT) sum += now[position];
  return sum;
}

/* Applies an event: what it writes is in `values` from its level on. `now` holds the values after the events so far. */
static bool follow(const traced *t, const mmscan_event *e, uint64_t *now, uint64_t *values) {
  const size_t entries = e->s * e->columns;
  uint64_t *w = malloc(entries * sizeof *w);
  if (w == NULL) return false;
  for (size_t at = 0; at < entries; at++) w[at] = value_of_entry(e, at, now);
  for (size_t at = 0; at < entries; at++) {
    if (e->out[at] == MMSCAN_NO_ELEMENT) continue;
    now[e->out[at]] = w[at];
    for (size_t depth = e->depth; depth <= t->counts.depth; depth++) values[depth * t->positions + e->out[at]] = w[at];
  }
  free(w);
  return true;
}

uint64_t *figure_values(const traced *t) {
  uint64_t *values = calloc((t->counts.depth + 1) * t->positions, sizeof *values);
  uint64_t *now = calloc(t->positions, sizeof *now);
  bool done = values != NULL && now != NULL;
  for (size_t depth = 0; done && depth <= t->counts.depth; depth++)
    for (size_t i = 0; i < t->n; i++) values[depth * t->positions + i] = i + 1;
  for (size_t i = 0; now != NULL && i < t->n; i++) now[i] = i + 1;
  for (size_t i = 0; done && i < t->events; i++) done = follow(t, &t->event[i], now, values);
  free(now);
  if (!done) free(values);
  return done ? values : NULL;
}
