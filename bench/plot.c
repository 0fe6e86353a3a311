/* plot.c: a session as a picture, drawn by gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "plot.h"
#include "machine.h"
#include "panel.h"
#include "picture.h"
#include "report.h"

#include <math.h>
#include <string.h>

enum { PANEL_HEIGHT = 600 };

/* ---- The script -------------------------------------------------------------------------------------------------- */

static void put_head(FILE *to, const bench_request *request, size_t panels) {
  picture_put_terminal(to, picture_ends_in(request->plot, ".svg"), PANEL_HEIGHT * panels);
  fprintf(to, "set multiplot layout %zu,1\n", panels);
  picture_put_axes(to);
  fputs("set logscale xy 2\n"
        "set format x '2^{%L}'\n"
        "set format y '%.3g'\n"
        "set lmargin at screen 0.10\n"
        "set rmargin at screen 0.685\n"
        "set key at screen 0.70, graph 0.5 left center Left reverse noenhanced vertical maxcols 1 spacing 1.15 samplen "
        "2.2\n"
        "set ylabel 'Gelem/s' offset 1,0\n"
        "set xlabel 'elements n'\n",
        to);
}

static void put_title(FILE *to, const bench_request *request, const race *r) {
  char machine[192], kind[64], what[80];
  report_machine(machine, sizeof machine, request);
  report_kind(r, kind);
  snprintf(what, sizeof what, "%s, %s", r->op == MMSCAN_PLUS ? "prefix sums" : "prefix scans", kind);
  picture_put_title(to, request->title != NULL ? request->title : machine, what);
}

/* Marks the n at which the arrays fill a cache. */
static void put_cache(FILE *to, const panel *p, int level, double low, double high) {
  const double arrays = p->races->in_place ? 1 : 2, bytes = (double)machine_cache(level);
  const double n = bytes / (arrays * (double)p->races->number->size);
  if (n <= low || n >= high) return;
  fprintf(to, "set arrow from %g, graph 0 to %g, graph 1 nohead back dt 3 lw 1.2 lc '#909090'\n", n, n);
  fprintf(to, "set label 'L%d %g %s' at %g, graph 0.03 rotate by 90 offset 0.7,0 textcolor '#707070'\n", level,
          bytes < 1 << 20 ? bytes / (1 << 10) : bytes / (1 << 20), bytes < 1 << 20 ? "KiB" : "MiB", n);
}

static void put_axes(FILE *to, const panel *p) {
  const double low = (double)p->races[0].n / M_SQRT2, high = (double)p->races[p->count - 1].n * M_SQRT2;
  double slowest, fastest;
  panel_range(p, &slowest, &fastest);
  fputs("unset arrow\nunset label\n", to);
  fprintf(to, "set xrange [%g:%g]\nset yrange [%g:%g]\n", low, high, slowest, fastest);
  if (p->count > 1) /* there is no area above a single point */
    fputs("set label 'faster than copying' at graph 0.5, graph 0.97 center front textcolor '#808080' font ',12'\n", to);
  for (int level = 1; level <= CACHE_LEVELS; level++) put_cache(to, p, level, low, high);
}

/* A here-document of points, with a gap where a contender was not timed. */
static void put_data(FILE *to, const panel *p, size_t panel_index, int line, const contender *c) {
  fprintf(to, "$p%zu_%d << EOD\n", panel_index, line);
  for (size_t i = 0; i < p->count; i++) {
    const double speed = panel_speed(p, i, c);
    fprintf(to, speed > 0 ? "%zu %g\n" : "%zu NaN\n", p->races[i].n, speed);
  }
  fputs("EOD\n", to);
}

/* The position of a name among those of its role: it has the same colour in all panels and on any number of threads. */
static size_t place_of(const contender *c) {
  const race *r = c->race;
  size_t place = 0;
  for (size_t i = 0; strcmp(r->contenders[i].name, c->name) != 0; i++) place += r->contenders[i].role == c->role;
  return place;
}

/* The library's colours can be told apart by the colour-blind too (Okabe and Ito; Tol). Dashed: not on all threads. */
static void put_style(FILE *to, const contender *c, int most_threads) {
  static const char *const own[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#f0b000", "#882255"};
  static const char *const others[] = {"#b23a48", "#e08fb0", "#7b4ea3", "#8c6d31", "#56a0c9", "#5a7d2a",
                                       "#c9a227", "#4a6572", "#999999", "#a0522d", "#20a0a0"};
  const bool library = c->role == ROLE_LIBRARY;
  const size_t place = place_of(c);
  const char *colour = c->role == ROLE_LOOP ? "#000000" : library ? own[place % 6] : others[place % 11];
  fprintf(to, "lc '%s' lw %s dt %s pt %d ps 0.45", colour, library ? "3" : "1.6",
          library && c->threads < most_threads ? "'-'" : "1", library ? 7 : 5);
}

static void put_line(FILE *to, const panel *p, size_t panel_index, int line) {
  char title[80];
  const contender *c = p->lines[line];
  const bool many = p->bound->threads > 1;
  snprintf(title, sizeof title, many ? "%s, %d thread%s" : "%s", c->name, c->threads, c->threads == 1 ? "" : "s");
  fprintf(to, ", \\\n  $p%zu_%d with linespoints ", panel_index, line);
  put_style(to, c, p->bound->threads);
  fputs(" title ", to);
  picture_put_string(to, title);
}

/* The area above the bound, which no scan can reach, is grey. */
static void put_panel(FILE *to, const bench_request *request, const panel *p, size_t index) {
  const int bound = MOST_LINES, lines = (int)p->line_count;
  put_data(to, p, index, bound, p->bound);
  for (int i = 0; i < lines; i++) put_data(to, p, index, i, p->lines[i]);
  put_title(to, request, &p->races[p->count - 1]);
  put_axes(to, p);
  fprintf(to,
          "plot $p%zu_%d with filledcurves x2 fc '#eeeeee' notitle, \\\n"
          "  $p%zu_%d with linespoints dt 2 lw 2 pt 7 ps 0.3 lc '#505050'",
          index, bound, index, bound);
  fprintf(to, " title '%s'", p->bound->name);
  for (int i = 0; i < lines; i++) put_line(to, p, index, i);
  fputc('\n', to);
}

static size_t count_panels(const session *s) {
  size_t panels = 0;
  for (size_t first = 0; first < s->count; panels++) first += panel_of(s->races + first, s->count - first).count;
  return panels;
}

static void put_script(FILE *to, const void *what) {
  const session *s = what;
  put_head(to, s->request, count_panels(s));
  for (size_t first = 0, index = 0; first < s->count; index++) {
    const panel p = panel_of(s->races + first, s->count - first);
    put_panel(to, s->request, &p, index);
    first += p.count;
  }
  fputs("unset multiplot\n", to);
}

int plot_draw(const session *s) { return picture_draw(put_script, s); }
