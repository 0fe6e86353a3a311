/* figure_tensor.c: Figure 2, the products of each level as matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A panel shows what one level multiplies by one matrix A: the gathered vector y, the same values column by column as
 * matrices T, the products W = A T, and these again as the vector z, which is scattered to where y came from. */
#include "figure.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 150, RIGHT = 30, TOP = 96, CELL = 22, ABREAST = 64 * CELL, GAP = 14, LINE = 20 };

typedef struct tensor {
  const traced *run;
  FILE *to; /* NULL: the height is only measured */
  uint64_t *values;
  double cell; /* the width of a cell */
  double y;    /* where the next piece goes */
  double right;
} tensor;

/* The events of a panel are the products of one depth, kind and matrix. */
typedef struct panel {
  const mmscan_event *first;
  size_t index; /* of the first */
} panel;

static bool is_of_panel(const panel *p, const mmscan_event *e) {
  return e->is_product && e->depth == p->first->depth && figure_kind(e) == figure_kind(p->first) &&
         e->matrix == p->first->matrix;
}

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

static void reach(tensor *v, double x) { v->right = fmax(v->right, x); }

static void put_text(const tensor *v, double x, double y, double size, const char *class, const char *text) {
  if (v->to != NULL) svg_text(v->to, x, y, size, class, "%s", text);
}

/* The text of a cell: the value after level `depth`, or which element it is; 0 for padding. */
static void name_cell(const tensor *v, size_t position, size_t depth, char text[32]) {
  if (position == MMSCAN_NO_ELEMENT)
    snprintf(text, 32, "0");
  else if (v->values != NULL)
    snprintf(text, 32, "%llu", (unsigned long long)v->values[depth * v->run->positions + position]);
  else if (position < v->run->n)
    snprintf(text, 32, "%zu", position);
  else
    snprintf(text, 32, "%c%zu", v->run->method.needs_commutative ? 't' : 'w', position - v->run->n);
}

static void put_cell(tensor *v, const char *class, double x, double y, size_t position, size_t depth) {
  char text[32];
  reach(v, x + v->cell);
  if (v->to == NULL) return;
  name_cell(v, position, depth, text);
  svg_rect(v->to, position == MMSCAN_NO_ELEMENT ? "padding" : class, x, y, v->cell, CELL);
  put_text(v, x + v->cell / 2, y + 15, 11, position == MMSCAN_NO_ELEMENT ? "middle faint" : "middle", text);
}

/* Entries of T are shown as before the level, those of W as after it; an entry that W does not store, as in T. */
static void put_entry(tensor *v, const mmscan_event *e, size_t at, bool is_w, double x, double y) {
  const bool changed = is_w && e->out[at] != MMSCAN_NO_ELEMENT;
  const size_t position = changed ? e->out[at] : e->in[at];
  put_cell(v, changed ? svg_class(figure_kind(e)) : "cell", x, y, position, changed ? e->depth : e->depth - 1);
}

/* ---- A panel ----------------------------------------------------------------------------------------------------- */

/* The vector y or z, broken into lines. */
static void put_vector(tensor *v, const panel *p, bool is_z, const char *name) {
  const size_t most = (size_t)(ABREAST / v->cell);
  size_t place = 0;
  put_text(v, LEFT - 14, v->y + 15, 12, "right", name);
  for (size_t i = p->index; i < v->run->events; i++) {
    const mmscan_event *e = &v->run->event[i];
    if (!is_of_panel(p, e)) continue;
    for (size_t at = 0; at < e->s * e->columns; at++, place++) {
      if (place == most) v->y += CELL + 4;
      if (place == most) place = 0;
      put_entry(v, e, at, is_z, LEFT + (double)place * v->cell, v->y);
    }
  }
  v->y += CELL + LINE;
}

static void put_square(tensor *v, const mmscan_event *e, bool is_w, double x, double y) {
  for (size_t at = 0; at < e->s * e->columns; at++)
    put_entry(v, e, at, is_w, x + (double)(at / e->s) * v->cell, y + (double)(at % e->s) * CELL);
}

static void put_matrix(const tensor *v, const mmscan_event *e, double x, double y) {
  for (size_t at = 0; at < e->s * e->s && v->to != NULL; at++) {
    const size_t row = at % e->s, column = at / e->s;
    const int one = mmscan_matrix_entry(e->matrix, row, column);
    const double left = x + (double)column * CELL, top = y + (double)row * CELL;
    svg_rect(v->to, one ? "one" : "cell", left, top, CELL, CELL);
    svg_text(v->to, left + CELL / 2.0, top + 15, 11, one ? "middle" : "middle faint", "%d", one);
  }
}

/* The products, side by side: A once, at the left; then each T, above its W. */
static void put_products(tensor *v, const panel *p) {
  const double height = (double)p->first->s * CELL, from = LEFT + height + 40;
  double x = from;
  put_matrix(v, p->first, LEFT, v->y);
  put_text(v, LEFT + height + 20, v->y + height / 2 + 5, 16, "middle", "×");
  put_text(v, LEFT - 14, v->y + height / 2 + 5, 12, "right", "A × T");
  put_text(v, LEFT - 14, v->y + 1.5 * height + GAP + 5, 12, "right", "= W");
  for (size_t i = p->index; i < v->run->events; i++) {
    const mmscan_event *e = &v->run->event[i];
    const double width = (double)e->columns * v->cell;
    if (!is_of_panel(p, e)) continue;
    if (x > from && x + width > LEFT + ABREAST) {
      v->y += 2 * height + 3 * GAP;
      x = from;
    }
    put_square(v, e, false, x, v->y);
    put_square(v, e, true, x, v->y + height + GAP);
    x += width + GAP;
  }
  v->y += 2 * height + GAP + LINE;
}

static const char *matrix_text(mmscan_matrix matrix) {
  static const char *const names[] = {[MMSCAN_MATRIX_L] = "A = L",
                                      [MMSCAN_MATRIX_B] = "A = B",
                                      [MMSCAN_MATRIX_L_STRICT] = "A = strict L",
                                      [MMSCAN_MATRIX_ONES] = "A = all ones, and C is added"};
  return names[matrix];
}

static void put_panel(tensor *v, const panel *p) {
  if (v->to != NULL)
    svg_text(v->to, 20, v->y + 4, 14, "title", "level %zu: %s, %s", p->first->depth, svg_legend(figure_kind(p->first)),
             matrix_text(p->first->matrix));
  v->y += LINE;
  put_vector(v, p, false, "y");
  put_products(v, p);
  put_vector(v, p, true, "z");
  v->y += GAP;
}

/* Whether the event is the first of its panel. */
static bool begins_panel(const traced *t, size_t index) {
  const panel p = {&t->event[index], index};
  if (!p.first->is_product) return false;
  for (size_t i = 0; i < index; i++)
    if (is_of_panel(&p, &t->event[i])) return false;
  return true;
}

static void put_panels(tensor *v) {
  v->y = TOP;
  for (size_t depth = 1; depth <= v->run->counts.depth; depth++)
    for (size_t i = 0; i < v->run->events; i++)
      if (v->run->event[i].depth == depth && begins_panel(v->run, i)) put_panel(v, &(panel){&v->run->event[i], i});
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* Places all panels once without drawing, to find the size of the picture, then again to draw them. */
static void put_picture(tensor *v, FILE *to) {
  char title[160];
  put_panels(v);
  figure_title(title, sizeof title, v->run);
  v->to = to;
  svg_begin(to, fmax(v->right + RIGHT, 620), v->y, title);
  svg_text(to, 20, 50, 12, "", "%s; white: as before the level; coloured: written by it; grey: padding",
           v->values != NULL ? "the values, for x = 1, 2, ..., n" : "the places of the elements");
  svg_text(to, 20, 67, 12, "", "%llu products of s-by-s matrices in %llu levels",
           (unsigned long long)v->run->counts.multiplications, (unsigned long long)v->run->counts.depth);
  put_panels(v);
  svg_end(to);
}

int figure_tensor(FILE *to, const traced *run, const figure_options *options) {
  tensor v = {.run = run};
  const double n = (double)run->n, digits = floor(log10(options->values ? n * (n + 1) / 2 : n)) + 1;
  v.cell = fmax(CELL, 7 * digits + 8);
  if (options->values) v.values = figure_values(run);
  if (options->values && v.values == NULL) return fail_memory();
  put_picture(&v, to);
  free(v.values);
  return DONE;
}
