/* panel.c: one panel of the plot: the races of one type and place, and the contenders that are drawn.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "panel.h"
#include "lineup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Speeds ------------------------------------------------------------------------------------------------------ */

static bool is_same(const contender *a, const contender *b) {
  return a->role == b->role && a->threads == b->threads && strcmp(a->name, b->name) == 0;
}

static double speed_of(const contender *c) { return c->refusal[0] == '\0' ? contender_speed(c) : 0; }

double panel_speed(const panel *p, size_t index, const contender *c) {
  const race *r = &p->races[index];
  for (size_t i = 0; i < r->count; i++)
    if (is_same(&r->contenders[i], c)) return speed_of(&r->contenders[i]);
  return 0;
}

/* ---- Which lines ------------------------------------------------------------------------------------------------- */

/* The length of "mmscan gemm" in "mmscan gemm cblas": an engine may run with several units. */
static size_t engine_length(const char *name) {
  const char *space = strchr(name, ' ');
  return space == NULL ? strlen(name) : (size_t)(space + 1 - name) + strcspn(space + 1, " ");
}

static bool is_same_engine(const contender *a, const contender *b) {
  const size_t length = engine_length(a->name);
  return a->role == ROLE_LIBRARY && b->role == ROLE_LIBRARY && a->threads == b->threads &&
         length == engine_length(b->name) && strncmp(a->name, b->name, length) == 0;
}

/* Of an engine requested by name, only the fastest unit on the most threads is drawn; the call that leaves the choice
 * to the library is drawn for each thread count. */
static bool is_drawn(const race *r, const contender *c) {
  if (c->role == ROLE_BOUND || c->role == ROLE_COPY || c->refusal[0] != '\0') return false;
  for (size_t i = 0; i < r->count; i++) {
    const contender *other = &r->contenders[i];
    if (is_same_engine(c, other) && speed_of(other) > speed_of(c)) return false;
    if (c->by_name && other->by_name && other->threads > c->threads) return false;
  }
  return true;
}

static int faster_first(const void *a, const void *b) {
  const double x = speed_of(*(const contender *const *)a), y = speed_of(*(const contender *const *)b);
  return (x < y) - (x > y);
}

static const contender *bound_of(const race *r) {
  const contender *bound = NULL;
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].role == ROLE_BOUND) bound = &r->contenders[i];
  return bound;
}

panel panel_of(const race *first, size_t count) {
  const contender *all[MOST_CONTENDERS] = {NULL};
  panel p = {.races = first};
  while (p.count < count && first[p.count].number == first->number && first[p.count].in_place == first->in_place)
    p.count++;
  const race *last = &first[p.count - 1];
  size_t drawn = 0;
  for (size_t i = 0; i < last->count; i++)
    if (is_drawn(last, &last->contenders[i])) all[drawn++] = &last->contenders[i];
  qsort(all, drawn, sizeof *all, faster_first);
  p.bound = bound_of(last);
  p.line_count = drawn < MOST_LINES ? drawn : MOST_LINES;
  memcpy(p.lines, all, p.line_count * sizeof *all);
  return p;
}

/* ---- The range of the data --------------------------------------------------------------------------------------- */

/* Up to the fastest; down to a sixteenth of the serial loop, as starting threads for sixteen numbers is slower than is
 * worth showing. */
void panel_range(const panel *p, double *low, double *high) {
  *low = INFINITY;
  *high = 1;
  for (size_t i = 0; i < p->count; i++) {
    *low = fmin(*low, panel_speed(p, i, lineup_loop(&p->races[i])) / 16);
    *high = fmax(*high, panel_speed(p, i, p->bound));
    for (size_t line = 0; line < p->line_count; line++) *high = fmax(*high, panel_speed(p, i, p->lines[line]));
  }
  *low = exp2(floor(log2(*low)));
  *high = exp2(ceil(log2(*high) + 0.3));
}
