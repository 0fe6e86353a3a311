/* contest_plot.c: a contest as pictures, drawn by gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "contest_report.h"
#include "picture.h"

#include <math.h>
#include <string.h>

const char *const contest_captions[PICTURES] = {
    [PICTURE_RANKING] =
        "Scans by the engine gemm with each unit, at the s that is fastest for it. No scan is faster than "
        "copying.",
    [PICTURE_PRODUCTS] = "The first level of a scan alone, W = L_s X. Solid: tile by tile on one thread, the faster of "
                         "matrices by rows and by columns. Dashed: one call for all, on the unit's own threads.",
    [PICTURE_ROOFLINE] =
        "The same products over their arithmetic intensity: 2 s operations per element, which is read "
        "and written. Filled marks: in tiles. Open marks: one call for all. The roof is the speed of copying, "
        "and of the fastest product.",
};

enum { BARS_HEAD = 185, BAR_HEIGHT = 50, LINES_HEIGHT = 560 };

/* ---- Units in pictures ------------------------------------------------------------------------------------------- */

/* As 0xRRGGBB. Neighbours can be told apart by the colour-blind too (Okabe and Ito). */
static unsigned colour(size_t place) {
  static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe0a000, 0x56b4e9,
                                     0x8c510a, 0x5a3e9b, 0x7f7f7f, 0x1b9e9e, 0xa6611a, 0xc51b7d};
  return colours[place % (sizeof colours / sizeof *colours)];
}

/* Halfway between the colour and white. */
static unsigned pale(unsigned rgb) { return 0x808080 + (rgb >> 1 & 0x7f7f7f); }

/* gnuplot's point types: filled, and below the same shape open. */
static int full_mark(size_t place) {
  static const int marks[] = {7, 5, 9, 13, 11, 15};
  return marks[place % (sizeof marks / sizeof *marks)];
}

static int open_mark(size_t place) { return full_mark(place) - 1; }

/* The faster of the two layouts. */
static const contender *best_tiles(const race *r, const bench_unit *unit) {
  const contender *a = contest_product(r, unit, PRODUCT_TILES), *b = contest_product(r, unit, PRODUCT_TILES_BY_ROWS);
  return contest_elements(b) > contest_elements(a) ? b : a;
}

static const contender *whole(const race *r, const bench_unit *unit) { return contest_product(r, unit, PRODUCT_WHOLE); }

typedef const contender *pick(const race *r, const bench_unit *unit);

static bool is_drawn(const standing *s) { return s->product != NULL; }

static size_t height_of(const contest *c, contest_picture picture) {
  return picture == PICTURE_RANKING ? BARS_HEAD + BAR_HEIGHT * c->list.count : LINES_HEIGHT;
}

static void put_title(FILE *to, const contest *c, const char *what) {
  char machine[192];
  report_machine(machine, sizeof machine, c->request);
  picture_put_title(to, c->request->title != NULL ? c->request->title : machine, what);
}

static void put_key(FILE *to) {
  fputs(
      "set lmargin at screen 0.10\n"
      "set rmargin at screen 0.725\n"
      "set key at screen 0.735, graph 0.5 left center Left reverse noenhanced vertical maxcols 1 spacing 1.15 samplen "
      "2.2\n",
      to);
}

/* ---- The ranking: bars ------------------------------------------------------------------------------------------- */

static void put_bar_names(FILE *to, const contest *c) {
  fputs("set ytics scale 0 noenhanced (", to);
  for (size_t i = 0; i < c->list.count; i++) {
    fputs(i > 0 ? ", " : "", to);
    picture_put_string(to, c->ranking[i].unit->label);
    fprintf(to, " %zu", i + 1);
  }
  fputs(")\n", to);
}

/* A label in place of a bar. */
static void put_failure(FILE *to, const standing *s, size_t place) {
  char text[160];
  const bool failed = s->unit->failure[0] != '\0';
  snprintf(text, sizeof text, "  %s%.120s", failed ? "failed: " : "not timed", s->unit->failure);
  fputs("set label ", to);
  picture_put_string(to, text);
  fprintf(to, " at 0,%zu left noenhanced front font ',12' textcolor '%s'\n", place + 1, failed ? "#b00000" : "#707070");
}

/* The bars of one thread count: length, middle, ends, colour. Those on fewer threads are pale, and below the others.
 * The last bar is out of sight: gnuplot needs at least one, and crashes on a plot of labels that has no point. */
static void put_bars(FILE *to, const contest *c, size_t threads_index) {
  const bool all = threads_index + 1 == c->request->thread_counts;
  const double height = 0.8 / (double)c->request->thread_counts;
  fprintf(to, "$bars%zu << EOD\n", threads_index);
  for (size_t i = 0; i < c->list.count; i++) {
    const contender *scan = c->ranking[i].scans[threads_index];
    const double low = (double)i + 1.4 - height * (double)(threads_index + 1);
    if (scan != NULL)
      fprintf(to, "%g %g %g %g %u\n", contest_elements(scan), low + height / 2, low, low + height,
              all ? colour(i) : pale(colour(i)));
  }
  fputs("0 -1 -1 -1 0\nEOD\n", to);
}

/* A vertical line with a label above the plot, `line` text lines higher, so that the labels of the two copy bounds do
 * not overlap. */
static void put_line_down(FILE *to, const char *text, double at, int dash, int line) {
  fprintf(to, "set arrow from %g, graph 0 to %g, graph 1 nohead back dt %d lw 1.6 lc '#404040'\n", at, at, dash);
  fprintf(to, "set label '%s' at %g, graph 1 offset 0,%g center noenhanced textcolor '#404040' font ',11'\n", text, at,
          0.6 + line);
}

static double put_measures(FILE *to, const contest *c) {
  const race *r = &c->races[CONTEST_SCANS];
  char text[64];
  double most = contest_elements(lineup_loop(r));
  put_line_down(to, "serial loop", most, 3, 0);
  for (size_t i = 0; i < c->request->thread_counts; i++) {
    const contender *bound = lineup_bound(r, c->request->threads[i]);
    snprintf(text, sizeof text, "copying, %d thread%s", bound->threads, bound->threads == 1 ? "" : "s");
    put_line_down(to, text, contest_elements(bound), 2, (int)i);
    most = fmax(most, contest_elements(bound));
  }
  return most;
}

static void put_bars_axes(FILE *to, const contest *c) {
  const double most = put_measures(to, c);
  put_bar_names(to, c);
  for (size_t i = 0; i < c->list.count; i++)
    if (c->ranking[i].s == 0) put_failure(to, &c->ranking[i], i);
  fprintf(to, "set xrange [0:%g]\nset yrange [%zu.6:0.4]\n", 1.06 * most, c->list.count);
  fputs("set lmargin at screen 0.17\nset rmargin at screen 0.97\nset tmargin 6.6\nset bmargin 3.6\nunset key\n"
        "set grid noytics\nset border 1\nset style fill solid noborder\n",
        to);
  if (c->request->thread_counts > 1)
    fprintf(to, "set xlabel 'Gelem/s (full bars: %d threads, pale bars: 1 thread)' offset 0,0.3\n",
            c->request->threads[1]);
  else
    fputs("set xlabel 'Gelem/s' offset 0,0.3\n", to);
}

static void put_bars_plot(FILE *to, const contest *c) {
  fputs("plot ", to);
  for (size_t i = 0; i < c->request->thread_counts; i++)
    fprintf(to,
            "%s$bars%zu using ($1/2):2:(0):1:3:4:5 with boxxyerror lc rgb variable notitle, \\\n"
            "  $bars%zu using 1:2:(sprintf(' %%.2f',$1)) with labels left textcolor '#404040' font ',11' notitle",
            i > 0 ? ", \\\n  " : "", i, i);
  fputc('\n', to);
}

static void put_ranking(FILE *to, const contest *c) {
  char what[96], length[48];
  report_length(c->races[CONTEST_SCANS].n, length);
  snprintf(what, sizeof what, "scans by each unit, %s, %s", c->number->name, length);
  put_title(to, c, what);
  for (size_t i = 0; i < c->request->thread_counts; i++) put_bars(to, c, i);
  put_bars_axes(to, c);
  put_bars_plot(to, c);
}

/* ---- Products over s, and over the intensity --------------------------------------------------------------------- */

/* Operations per byte moved: 2 s per element, which is read and written. */
static double intensity(const contest *c, double s) { return s / (double)c->number->size; }

/* A unit's s, intensity, Gelem/s and GFLOP/s, with a gap where it was not timed. */
static void put_points(FILE *to, const contest *c, size_t place, const char *name, pick *which) {
  fprintf(to, "$%s%zu << EOD\n", name, place);
  for (int i = 0; i < CONTEST_SIZES; i++) {
    const contender *p = which(&c->races[i], c->ranking[place].unit);
    const double s = (double)contest_sizes[i], elements = contest_elements(p);
    if (elements > 0)
      fprintf(to, "%g %g %g %g\n", s, intensity(c, s), elements, contest_operations(p));
    else
      fprintf(to, "%g %g NaN NaN\n", s, intensity(c, s));
  }
  fputs("EOD\n", to);
}

static void put_all_points(FILE *to, const contest *c) {
  for (size_t i = 0; i < c->list.count; i++) {
    put_points(to, c, i, "tiles", best_tiles);
    put_points(to, c, i, "whole", whole);
  }
}

static void put_units(FILE *to, const contest *c, const char *columns) {
  for (size_t i = 0; i < c->list.count; i++) {
    if (!is_drawn(&c->ranking[i])) continue;
    fprintf(to, ", \\\n  $tiles%zu using %s with linespoints lc rgb %u lw 2.4 pt %d ps 0.7 title ", i, columns,
            colour(i), full_mark(i));
    picture_put_string(to, c->ranking[i].unit->label);
    fprintf(to, ", \\\n  $whole%zu using %s with linespoints lc rgb %u lw 1.4 dt 2 pt %d ps 0.7 notitle", i, columns,
            colour(i), open_mark(i));
  }
  fputs(", \\\n  NaN with lines lc '#606060' lw 2.4 title 'in tiles, 1 thread', \\\n"
        "  NaN with lines lc '#606060' lw 1.4 dt 2 title 'one call, own threads'\n",
        to);
}

/* The copy bound of the products: the fastest of all races, since all of them copy alike. */
static double copy_elements(const contest *c, int threads) {
  double most = 0;
  for (int i = 0; i < CONTEST_SIZES; i++) most = fmax(most, contest_elements(lineup_bound(&c->races[i], threads)));
  return most;
}

static void put_products(FILE *to, const contest *c) {
  char what[120], length[80];
  contest_product_length(c, length);
  snprintf(what, sizeof what, "products with L_s, %s, %s", c->number->name, length);
  put_title(to, c, what);
  put_key(to);
  put_all_points(to, c);
  fputs("set logscale xy 2\nset format y '%.3g'\nset xlabel 's'\nset ylabel 'Gelem/s' offset 1,0\n"
        "set xrange [1.8:142]\n",
        to);
  fputs("plot ", to);
  for (size_t i = 0; i < c->request->thread_counts; i++) {
    const int threads = c->request->threads[i];
    fprintf(to, "%s%g with lines dt 2 lw 2 lc '%s' title 'copying, %d thread%s'", i > 0 ? ", " : "",
            copy_elements(c, threads), i > 0 ? "#202020" : "#909090", threads, threads == 1 ? "" : "s");
  }
  put_units(to, c, "1:3");
}

/* ---- The roof ---------------------------------------------------------------------------------------------------- */

typedef struct roof {
  double bandwidth, peak; /* GB/s, GFLOP/s */
} roof;

/* The fastest copy, and the fastest product by any unit. */
static roof roof_of(const contest *c, int threads) {
  roof r = {.bandwidth = 2 * (double)c->number->size * copy_elements(c, threads)};
  for (size_t i = 0; i < c->list.count; i++)
    r.peak = fmax(r.peak, contest_operations(contest_peak(c, &c->list.units[i], threads == 1)));
  return r;
}

/* If no product was timed, the roof is the copy bandwidth only. */
static void put_roof(FILE *to, const contest *c, int threads) {
  const roof r = roof_of(c, threads);
  if (r.peak > 0)
    fprintf(to, "(%g*x < %g ? %g*x : %g)", r.bandwidth, r.peak, r.bandwidth, r.peak);
  else
    fprintf(to, "%g*x", r.bandwidth);
  fprintf(to, " with lines lw 3 lc '%s' title '%d thread%s: %.*f GB/s", threads == 1 ? "#a0a0a0" : "#202020", threads,
          threads == 1 ? "" : "s", report_decimals(10 * r.bandwidth), r.bandwidth);
  if (r.peak > 0) fprintf(to, ", %.0f GFLOP/s", r.peak);
  fputc('\'', to);
}

/* A vertical line for each s, at its intensity. */
static void put_sizes(FILE *to, const contest *c) {
  for (int i = 0; i < CONTEST_SIZES; i++) {
    const double at = intensity(c, (double)contest_sizes[i]);
    fprintf(to, "set arrow from %g, graph 0 to %g, graph 1 nohead back dt 3 lc '#b0b0b0'\n", at, at);
    fprintf(to, "set label 's = %zu' at %g, graph 0.03 rotate by 90 offset 0.7,0 textcolor '#707070' font ',11'\n",
            contest_sizes[i], at);
  }
}

static void put_roofline(FILE *to, const contest *c) {
  put_title(to, c, "roofline of the products");
  put_key(to);
  put_all_points(to, c);
  put_sizes(to, c);
  fputs("set logscale xy 2\nset format xy '%.3g'\nset xlabel 'operations per byte of memory traffic'\n"
        "set ylabel 'GFLOP/s' offset 1,0\nset samples 500\n",
        to);
  fprintf(to, "set xrange [%g:%g]\n", intensity(c, 1.5), intensity(c, 1.5 * (double)contest_sizes[CONTEST_SIZES - 1]));
  for (size_t i = 0; i < c->request->thread_counts; i++) {
    fputs(i > 0 ? ", " : "plot ", to);
    put_roof(to, c, c->request->threads[i]);
  }
  put_units(to, c, "2:4");
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

static void put_picture(FILE *to, const contest *c, contest_picture picture) {
  picture_put_axes(to);
  if (picture == PICTURE_RANKING)
    put_ranking(to, c);
  else if (picture == PICTURE_PRODUCTS)
    put_products(to, c);
  else
    put_roofline(to, c);
}

static void put_all(FILE *to, const void *what) {
  const contest *c = what;
  size_t height = 0, above = 0;
  for (int i = 0; i < PICTURES; i++) height += height_of(c, i);
  picture_put_terminal(to, picture_ends_in(c->request->plot, ".svg"), height);
  fputs("set multiplot\n", to);
  for (int i = 0; i < PICTURES; i++) {
    above += height_of(c, i);
    fprintf(to, "reset\nset origin 0,%g\nset size 1,%g\n", (double)(height - above) / (double)height,
            (double)height_of(c, i) / (double)height);
    put_picture(to, c, i);
  }
  fputs("unset multiplot\n", to);
}

int contest_draw(const contest *c) { return picture_draw(put_all, c); }

/* One picture, for the report. */
typedef struct sheet {
  const contest *contest;
  contest_picture picture;
} sheet;

static void put_sheet(FILE *to, const void *what) {
  const sheet *s = what;
  picture_put_terminal(to, true, height_of(s->contest, s->picture));
  put_picture(to, s->contest, s->picture);
}

int contest_draw_one(const contest *c, contest_picture picture, int file) {
  const sheet s = {.contest = c, .picture = picture};
  return picture_draw_to(file, put_sheet, &s);
}
