/* figure_segments.c: Figure 3, the general case.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Time runs downwards, one row for each level. A segment is a triangle that narrows during its up-sweep, a circle for
 * its last value, which goes to w, a triangle that widens during its down-sweep, and a bar for the broadcast. */
#include "figure.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 90, RIGHT = 30, TOP = 128, ROW = 44, GAP = 10, BAR = 16, FAN = 50, W_CELL = 22 };

/* When a sweep of a segment, or the scan of w, runs: from after level `begin` until after level `end`. */
typedef struct stretch {
  size_t begin, end;
  bool is_there;
} stretch;

typedef struct segment {
  size_t from, end; /* elements */
  stretch up, down;
  bool has_broadcast;
  double x, width;
} segment;

typedef struct diagram {
  const traced *run;
  FILE *to;
  size_t count;
  segment *segments;
  stretch totals; /* the scan of w */
  size_t w_ready; /* the level after which w is gathered */
  double w_x;
} diagram;

/* ---- From the trace ---------------------------------------------------------------------------------------------- */

static void extend(stretch *s, size_t depth) {
  if (!s->is_there || depth - 1 < s->begin) s->begin = depth - 1;
  if (!s->is_there || depth > s->end) s->end = depth;
  s->is_there = true;
}

static void take_event(diagram *d, const mmscan_event *e) {
  segment *g = &d->segments[e->segment];
  if (e->step == 3) extend(&d->totals, e->depth);
  if (e->step == 2) d->w_ready = e->depth;
  if (e->step == 1 && e->phase == MMSCAN_UP_SWEEP) extend(&g->up, e->depth);
  if (e->step == 1 && e->phase == MMSCAN_DOWN_SWEEP) extend(&g->down, e->depth);
  if (e->step == 4) g->has_broadcast = true;
}

/* Finds where segments begin and end: w is gathered from the last element of each. Without w there is one segment. */
static void take_ends(diagram *d, const mmscan_event *gather) {
  for (size_t i = 0; i < d->count; i++) {
    d->segments[i].from = i > 0 ? d->segments[i - 1].end : 0;
    d->segments[i].end = gather != NULL ? gather->in[i] + 1 : d->run->n;
  }
}

static const mmscan_event *find_gather(const traced *t) {
  for (size_t i = 0; i < t->events; i++)
    if (t->event[i].phase == MMSCAN_GATHER) return &t->event[i];
  return NULL;
}

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

/* The last row, that of the broadcast, is higher, as all arrows from w end there. */
static double y_of(const diagram *d, size_t depth) {
  return TOP + (double)depth * ROW + (depth == d->run->counts.depth && d->count > 1 ? FAN : 0);
}

static double middle(const segment *g) { return g->x + g->width / 2; }

static void lay_out(diagram *d) {
  double x = LEFT;
  for (size_t i = 0; i < d->count; i++) {
    segment *g = &d->segments[i];
    g->x = x;
    g->width = 26 + 34 * (double)(g->up.end - g->up.begin);
    x += g->width + GAP;
  }
  d->w_x = x + 30;
}

static double w_cell(const diagram *d, size_t i) { return d->w_x + ((double)i + 0.5) * W_CELL; }

static double width_of(const diagram *d) { return d->w_x + (double)d->count * W_CELL + 150; }

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

static void put_rows(const diagram *d) {
  for (size_t depth = 0; depth <= d->run->counts.depth; depth++) {
    svg_line(d->to, "grid", LEFT - 8, y_of(d, depth), width_of(d) - RIGHT, y_of(d, depth));
    if (depth > 0) svg_text(d->to, LEFT - 14, y_of(d, depth) - ROW / 2.0 + 10, 11, "right faint", "level %zu", depth);
  }
}

static void put_trapezium(const diagram *d, svg_kind kind, const segment *g, const stretch *s, bool narrows) {
  const double wide = g->width / 2, narrow = fmin(wide, 6), x = middle(g);
  const double top = narrows ? wide : narrow, bottom = narrows ? narrow : wide;
  if (!s->is_there) return;
  fprintf(d->to, "<polygon class=\"%s\" points=\"%g,%g %g,%g %g,%g %g,%g\"/>\n", svg_class(kind), x - top,
          y_of(d, s->begin), x + top, y_of(d, s->begin), x + bottom, y_of(d, s->end), x - bottom, y_of(d, s->end));
}

static void put_arrow(const diagram *d, svg_kind kind, double x1, double y1, double x2, double y2) {
  fprintf(d->to, "<g class=\"%s\"><path class=\"edge\" d=\"M%g %gL%g %g\"/></g>\n", svg_class(kind), x1, y1, x2, y2);
}

/* The arrow begins where the last value is known, after the up-sweep, and ends where w is complete: after the longest
 * up-sweep. */
static void put_way_to_w(const diagram *d, size_t i) {
  const segment *g = &d->segments[i];
  put_arrow(d, SVG_COPY, middle(g), y_of(d, g->up.end), w_cell(d, i), y_of(d, d->w_ready));
}

static double bar_top(const diagram *d) { return y_of(d, d->run->counts.depth) - BAR - 6; }

static void put_way_from_w(const diagram *d, size_t i) {
  const segment *g = &d->segments[i];
  if (g->has_broadcast) put_arrow(d, SVG_BROADCAST, w_cell(d, i - 1), y_of(d, d->totals.end), middle(g), bar_top(d));
}

static void put_segment(const diagram *d, const segment *g) {
  put_trapezium(d, SVG_UP, g, &g->up, true);
  put_trapezium(d, SVG_DOWN, g, &g->down, false);
  if (g->has_broadcast) svg_rect(d->to, svg_class(SVG_BROADCAST), g->x, bar_top(d), g->width, BAR);
  fprintf(d->to, "<circle class=\"cell\" cx=\"%g\" cy=\"%g\" r=\"5\"/>\n", middle(g), y_of(d, g->up.end));
  svg_text(d->to, middle(g), TOP - 8, g->end - g->from < 1000 ? 12 : 10, "middle", "%zu", g->end - g->from);
}

static void put_w(const diagram *d) {
  const double y = y_of(d, d->totals.begin), height = y_of(d, d->totals.end) - y, width = (double)d->count * W_CELL;
  if (!d->totals.is_there) return;
  svg_rect(d->to, svg_class(SVG_TOTALS), d->w_x, y, width, height);
  svg_text(d->to, d->w_x + width + 8, y + height / 2 + 4, 12, "", "scan of w");
  for (size_t i = 0; i < d->count; i++) {
    fprintf(d->to, "<circle class=\"cell\" cx=\"%g\" cy=\"%g\" r=\"5\"/>\n", w_cell(d, i), y);
    if (i + 1 < d->count)
      fprintf(d->to, "<circle class=\"cell\" cx=\"%g\" cy=\"%g\" r=\"5\"/>\n", w_cell(d, i), y + height);
  }
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* The largest k with s^k <= n. */
static size_t floor_log(size_t s, size_t n) {
  size_t k = 0;
  for (; n >= s; n /= s) k++;
  return k;
}

static void put_title(const diagram *d) {
  const traced *t = d->run;
  const size_t stated = 2 * floor_log(t->s, t->n);
  char title[160];
  figure_title(title, sizeof title, t);
  svg_begin(d->to, fmax(width_of(d), 640), y_of(d, t->counts.depth) + 30, title);
  if (d->count == 1)
    svg_text(d->to, 20, 50, 12, "", "one segment: depth %llu", (unsigned long long)t->counts.depth);
  else
    svg_text(d->to, 20, 50, 12, "", "%zu segments, depth %llu; stated is 2 floor(log_s n) = %zu: the scan of w %s",
             d->count, (unsigned long long)t->counts.depth, stated,
             t->counts.depth <= stated ? "fits beside the down-sweep" : "takes longer than the down-sweep");
  svg_put_legend(d->to, 20, 76,
                 (const int[SVG_KINDS]){[SVG_UP] = 1,
                                        [SVG_DOWN] = 1,
                                        [SVG_TOTALS] = d->count > 1,
                                        [SVG_BROADCAST] = d->count > 1,
                                        [SVG_COPY] = d->count > 1});
  svg_text(d->to, LEFT - 14, TOP - 8, 12, "right", "elements");
}

static void put_picture(const diagram *d) {
  put_title(d);
  put_rows(d);
  for (size_t i = 0; d->count > 1 && i < d->count; i++) put_way_to_w(d, i);
  for (size_t i = 0; i < d->count; i++) put_way_from_w(d, i);
  for (size_t i = 0; i < d->count; i++) put_segment(d, &d->segments[i]);
  put_w(d);
  svg_end(d->to);
}

int figure_segments(FILE *to, const traced *run, const figure_options *options) {
  const mmscan_event *gather = find_gather(run);
  diagram d = {.run = run, .to = to, .count = gather != NULL ? gather->columns : 1};
  (void)options; /* this figure shows no values */
  d.segments = calloc(d.count, sizeof *d.segments);
  if (d.segments == NULL) return fail_memory();
  take_ends(&d, gather);
  for (size_t i = 0; i < run->events; i++) take_event(&d, &run->event[i]);
  lay_out(&d);
  put_picture(&d);
  free(d.segments);
  return DONE;
}
