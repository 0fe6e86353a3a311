/* figure_circuit.c: Figure 1, the circuit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Time runs downwards. A level is a band, with the values it reads at its top and its adders at its bottom. An adder is
 * on the line of the element that it computes, and has an edge from every value that it adds. */
#include "figure.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 150, RIGHT = 30, TOP = 108, HEAD = 26, CELL = 20, FOOT = 46 };

typedef struct band {
  double top, adders, gathers, bottom; /* y; gathers is below adders if values are gathered, else equal to it */
  bool is_kind[SVG_KINDS];
  const mmscan_event *first[SVG_KINDS]; /* the first of each kind */
} band;

typedef struct circuit {
  const traced *run;
  FILE *to;
  uint64_t *values; /* NULL: not shown */
  band *bands;      /* one for each level, from 1 on; 0 is the input */
  size_t *born;     /* by position: the first level that writes it; 0: none */
  bool *written;    /* by level and position */
  double column, radius;
} circuit;

static bool is_in_place(const mmscan_event *e, size_t at) {
  size_t position;
  for (size_t k = 0; k <= e->s; k++)
    if (mmscan_event_term(e, at, k, &position) && position == e->out[at]) return true;
  return false;
}

/* Whether an entry is stored without an addition: copied from another position, or set to zero. */
static bool is_copy(const mmscan_event *e, size_t at) {
  return e->out[at] != MMSCAN_NO_ELEMENT && traced_terms(e, at) <= 1 && !is_in_place(e, at);
}

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

static double x_of(const circuit *c, size_t position) {
  const double gap = position >= c->run->n ? c->column : 0; /* between elements and temporaries */
  return LEFT + ((double)position + 0.5) * c->column + gap;
}

static double width_of(const circuit *c) { return x_of(c, c->run->positions - 1) + c->column / 2 + RIGHT; }

static double height_of(const circuit *c) { return c->bands[c->run->counts.depth].bottom + FOOT; }

/* Makes columns wide enough for an adder, and for the largest value if values are shown. */
static void choose_columns(circuit *c) {
  const double n = (double)c->run->n;
  const double digits = floor(log10(n * (n + 1) / 2)) + 1;
  c->column = c->run->n <= 32 ? 30 : 20;
  if (c->values != NULL && c->column < 7 * digits + 6) c->column = 7 * digits + 6;
  c->radius = c->run->n <= 32 ? 7.5 : 5.5;
}

/* The largest horizontal extent of an edge of the event. */
static double span_of(const circuit *c, const mmscan_event *e) {
  double span = 0;
  size_t position;
  for (size_t at = 0; at < e->s * e->columns; at++)
    for (size_t k = 0; k <= e->s && e->out[at] != MMSCAN_NO_ELEMENT; k++)
      if (mmscan_event_term(e, at, k, &position) && position != MMSCAN_NO_ELEMENT)
        span = fmax(span, fabs(x_of(c, position) - x_of(c, e->out[at])));
  return span;
}

/* The y at which a band's nodes end. */
static double below_nodes(const circuit *c, size_t depth) {
  return c->bands[depth].gathers + (depth > 0 ? c->radius + 6 : 0);
}

static void lay_out_bands(circuit *c) {
  const traced *t = c->run;
  for (size_t i = 0; i < t->events; i++) {
    const mmscan_event *e = &t->event[i];
    band *b = &c->bands[e->depth];
    const svg_kind kind = figure_kind(e);
    if (!b->is_kind[kind]) b->first[kind] = e;
    b->is_kind[kind] = true;
    double *span = e->phase == MMSCAN_GATHER ? &b->gathers : &b->adders;
    *span = fmax(*span, 1 + span_of(c, e));
  }
  double y = TOP;
  for (size_t depth = 0; depth <= t->counts.depth; depth++) {
    band *b = &c->bands[depth];
    const double height = depth == 0 ? 0 : 40 + fmin(110, 0.16 * b->adders);
    b->top = y;
    b->adders = y + height;
    b->gathers = b->adders + (b->gathers > 0 ? 18 + fmin(60, 0.08 * b->gathers) : 0);
    b->bottom = below_nodes(c, depth) + (c->values != NULL ? CELL + 4 : 0);
    y = b->bottom;
  }
}

static void find_writes(circuit *c) {
  for (size_t i = 0; i < c->run->events; i++) {
    const mmscan_event *e = &c->run->event[i];
    for (size_t at = 0; at < e->s * e->columns; at++) {
      const size_t position = e->out[at];
      if (position == MMSCAN_NO_ELEMENT) continue;
      c->written[e->depth * c->run->positions + position] = true;
      if (c->born[position] == 0 || c->born[position] > e->depth) c->born[position] = e->depth;
    }
  }
}

/* ---- Bands, wires and heads -------------------------------------------------------------------------------------- */

static const char *matrix_name(mmscan_matrix matrix) {
  static const char *const names[] = {[MMSCAN_MATRIX_L] = "L",
                                      [MMSCAN_MATRIX_B] = "B",
                                      [MMSCAN_MATRIX_L_STRICT] = "strict L",
                                      [MMSCAN_MATRIX_ONES] = "ones"};
  return names[matrix];
}

static void put_label(const circuit *c, const mmscan_event *e, svg_kind kind, double y) {
  char by[48] = "";
  if (e->is_product) snprintf(by, sizeof by, ", %s, s = %zu", matrix_name(e->matrix), e->s);
  svg_text(c->to, LEFT - 14, y, 11, "right", "%s%s", kind == SVG_TOTALS ? "totals" : svg_legend(kind), by);
}

static void put_band(const circuit *c, size_t depth) {
  const band *b = &c->bands[depth];
  int kinds = 0;
  for (int kind = 0; kind < SVG_KINDS; kind++) {
    if (!b->is_kind[kind] || kind == SVG_COPY) continue;
    char class[32];
    snprintf(class, sizeof class, "band %s", svg_class((svg_kind)kind));
    if (kinds == 0)
      svg_rect(c->to, class, LEFT - 8, b->top, width_of(c) - LEFT - RIGHT + 16, below_nodes(c, depth) - b->top);
    put_label(c, b->first[kind], (svg_kind)kind, b->top + 31 + 14 * kinds++);
  }
  svg_text(c->to, LEFT - 14, b->top + 16, 11, "right faint", "level %zu", depth);
}

static void put_wire(const circuit *c, size_t position) {
  const traced *t = c->run;
  const double x = x_of(c, position), bottom = c->bands[t->counts.depth].bottom;
  svg_line(c->to, "wire", x, position < t->n ? TOP : c->bands[c->born[position]].gathers, x, bottom);
}

static void put_heads(const circuit *c) {
  const traced *t = c->run;
  const double size = c->run->n <= 32 ? 12 : 9.5, bottom = c->bands[t->counts.depth].bottom;
  for (size_t i = 0; i < t->n; i++) {
    svg_text(c->to, x_of(c, i), TOP - HEAD + 8, size, "middle faint", "%zu", i);
    svg_text(c->to, x_of(c, i), bottom + 16, size, "middle faint", "%zu", i);
  }
  svg_text(c->to, LEFT - 14, TOP - HEAD + 8, 12, "right", "x");
  svg_text(c->to, LEFT - 14, bottom + 16, 12, "right", "y");
  if (t->positions > t->n)
    svg_text(c->to, x_of(c, t->n) - c->column / 2, TOP - HEAD + 8, 12, "faint", "%s",
             strcmp(t->method.name, "matmulscan") == 0 ? "w" : "temporaries");
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static void put_value(const circuit *c, size_t depth, size_t position, double y) {
  const traced *t = c->run;
  const size_t place = depth * t->positions + position;
  if (position >= t->n && (c->born[position] == 0 || c->born[position] > depth)) return;
  const double x = x_of(c, position), width = c->column - 3;
  svg_rect(c->to, c->written[place] ? "one" : "cell", x - width / 2, y, width, CELL);
  svg_text(c->to, x, y + 14, t->n <= 32 ? 11 : 10, "middle", "%llu", (unsigned long long)c->values[place]);
}

static void put_values(const circuit *c) {
  for (size_t depth = 0; c->values != NULL && depth <= c->run->counts.depth; depth++)
    for (size_t i = 0; i < c->run->positions; i++) put_value(c, depth, i, c->bands[depth].bottom - CELL - 2);
}

/* ---- Adders ------------------------------------------------------------------------------------------------------ */

/* An event reads at the top of its band; but a gather reads at the adders, as the additions come first. */
static double reads_at(const circuit *c, const mmscan_event *e) {
  const band *b = &c->bands[e->depth];
  return e->phase == MMSCAN_GATHER ? b->adders : b->top;
}

static double writes_at(const circuit *c, const mmscan_event *e) {
  const band *b = &c->bands[e->depth];
  return e->phase == MMSCAN_GATHER ? b->gathers : b->adders;
}

static void put_edges(const circuit *c, const mmscan_event *e, size_t at) {
  size_t position;
  fputs("<path class=\"edge\" d=\"", c->to);
  for (size_t k = 0; k <= e->s; k++)
    if (mmscan_event_term(e, at, k, &position) && position != MMSCAN_NO_ELEMENT)
      fprintf(c->to, "M%g %gL%g %g", x_of(c, position), reads_at(c, e), x_of(c, e->out[at]), writes_at(c, e));
  fputs("\"/>\n", c->to);
}

/* A tooltip, with the position and the terms of its sum. */
static void put_tip(const circuit *c, const mmscan_event *e, size_t at) {
  const char *sign = "";
  size_t position;
  fprintf(c->to, "<title>%zu: ", e->out[at]);
  for (size_t k = 0; k <= e->s; k++)
    if (mmscan_event_term(e, at, k, &position) && position != MMSCAN_NO_ELEMENT) {
      fprintf(c->to, "%s%zu", sign, position);
      sign = " + ";
    }
  fputs("</title>\n", c->to);
}

static void put_adder(const circuit *c, const mmscan_event *e, size_t at) {
  const double x = x_of(c, e->out[at]), y = writes_at(c, e), arm = c->radius - 2.5;
  fprintf(c->to, "<g class=\"adder %s\">\n", svg_class(figure_kind(e)));
  put_tip(c, e, at);
  put_edges(c, e, at);
  fprintf(c->to, "<circle class=\"node\" cx=\"%g\" cy=\"%g\" r=\"%g\"/>\n", x, y, c->radius);
  fprintf(c->to, "<path class=\"sign\" d=\"M%g %gh%gM%g %gv%g\"/>\n</g>\n", x - arm, y, 2 * arm, x, y - arm, 2 * arm);
}

static void put_box(const circuit *c, double x, double y) {
  const double half = 3.5;
  fprintf(c->to, "<rect class=\"node\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", x - half, y - half, 2 * half,
          2 * half);
}

/* An entry that is copied from another position, or set to zero (terms is 0). */
static void put_copy(const circuit *c, const mmscan_event *e, size_t at, size_t terms) {
  const double x = x_of(c, e->out[at]), y = writes_at(c, e);
  fputs("<g class=\"move copy\">\n", c->to);
  put_tip(c, e, at);
  if (terms > 0) put_edges(c, e, at);
  put_box(c, x, y);
  if (terms == 0) svg_text(c->to, x + 7, y + 4, 11, "", "0");
  fputs("</g>\n", c->to);
}

static void put_event(const circuit *c, const mmscan_event *e) {
  for (size_t at = 0; at < e->s * e->columns; at++)
    if (is_copy(e, at))
      put_copy(c, e, at, traced_terms(e, at));
    else if (e->out[at] != MMSCAN_NO_ELEMENT && traced_terms(e, at) > 1)
      put_adder(c, e, at);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

static void find_kinds(const mmscan_event *e, int present[SVG_KINDS]) {
  present[figure_kind(e)] = 1;
  for (size_t at = 0; at < e->s * e->columns; at++)
    if (is_copy(e, at)) present[SVG_COPY] = 1;
}

static void put_title(const circuit *c) {
  const mmscan_network_counts *n = &c->run->counts;
  int present[SVG_KINDS] = {0};
  char title[160];
  figure_title(title, sizeof title, c->run);
  svg_begin(c->to, fmax(width_of(c), 620), height_of(c), title);
  svg_text(c->to, 20, 50, 12, "", "depth %llu, %llu adders, %llu additions, fan-in %llu, fan-out %llu in a level",
           (unsigned long long)n->depth, (unsigned long long)n->adders, (unsigned long long)n->work_unpadded,
           (unsigned long long)n->fan_in, (unsigned long long)n->fan_out);
  for (size_t i = 0; i < c->run->events; i++) find_kinds(&c->run->event[i], present);
  svg_put_legend(c->to, 20, 72, present);
}

static void put_picture(const circuit *c) {
  const traced *t = c->run;
  put_title(c);
  for (size_t depth = 1; depth <= t->counts.depth; depth++) put_band(c, depth);
  for (size_t i = 0; i < t->positions; i++)
    if (i < t->n || c->born[i] > 0) put_wire(c, i);
  put_heads(c);
  for (size_t i = 0; i < t->events; i++) /* first, so that adders lie over the edges from them */
    if (t->event[i].phase == MMSCAN_GATHER) put_event(c, &t->event[i]);
  for (size_t i = 0; i < t->events; i++)
    if (t->event[i].phase != MMSCAN_GATHER) put_event(c, &t->event[i]);
  put_values(c);
  svg_end(c->to);
}

int figure_circuit(FILE *to, const traced *run, const figure_options *options) {
  circuit c = {.run = run, .to = to};
  c.bands = calloc(run->counts.depth + 1, sizeof *c.bands);
  c.born = calloc(run->positions, sizeof *c.born);
  c.written = calloc((run->counts.depth + 1) * run->positions, sizeof *c.written);
  if (options->values) c.values = figure_values(run);
  const bool done = c.bands != NULL && c.born != NULL && c.written != NULL && (c.values != NULL || !options->values);
  if (done) {
    choose_columns(&c);
    lay_out_bands(&c);
    find_writes(&c);
    put_picture(&c);
  }
  free(c.bands);
  free(c.born);
  free(c.written);
  free(c.values);
  return done ? DONE : fail_memory();
}
