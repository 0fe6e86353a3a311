/* nile_cusum.c: in which year did the level of the Nile change?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   nile_cusum NILE.CSV [CHART.SVG]
 *
 * A CUSUM chart is the running total of each year's deviation from the mean flow of all years. While the river runs
 * above that mean, the curve climbs; while it runs below, the curve falls. The curve turns where the level changes, and
 * the year farthest from zero is the last year of the old level. The curve is an inclusive scan, done here by the
 * engine `gemm`, that is, by matrix multiplications.
 */
#include <math.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_YEARS 1000
#define MAX_YEAR  99999

typedef struct series {
  size_t n;
  int year[MAX_YEARS];
  double flow[MAX_YEARS];
} series;

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Reads a row. The year is read as a double, because scanf() does not check that an int can hold it. Returns 2; or, if
 * it is no row, 1; or, at the end of the file, EOF. */
static int read_row(FILE *file, int *year, double *flow) {
  double number;
  const int fields = fscanf(file, "%lf,%lf", &number, flow);
  if (fields != 2) return fields == EOF ? EOF : 1;
  if (!(fabs(number) <= MAX_YEAR) || number != floor(number) || !isfinite(*flow)) return 1;
  *year = (int)number;
  return 2;
}

/* Reads rows "year,flow" below one heading line. Returns 0, or -1 and says what is wrong. */
static int read_csv(const char *path, series *s) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return -1;
  }
  s->n = 0;
  int fields = fscanf(file, "%*[^\n]") == EOF ? EOF : 2;
  while (fields == 2 && s->n < MAX_YEARS) {
    fields = read_row(file, &s->year[s->n], &s->flow[s->n]);
    if (fields == 2) s->n++;
  }
  int complete = fields != 1 && fscanf(file, "%*1s") == EOF && feof(file);
  fclose(file);
  if (s->n > 0 && complete) return 0;
  fprintf(stderr, "%s: row %zu is not \"year,flow\", or one too many\n", path, s->n + 1);
  return -1;
}

/* ---- The scan ---------------------------------------------------------------------------------------------------- */

/* sum[i] = (x[0] - mean) + ... + (x[i] - mean), by the engine gemm. *choice tells what the plan used. */
static mmscan_status cusum(size_t n, const double *x, double mean, double *sum, mmscan_choice *choice) {
  mmscan_desc desc = {.struct_size = sizeof desc,
                      .x_type = MMSCAN_F64,
                      .y_type = MMSCAN_F64,
                      .op = MMSCAN_PLUS,
                      .kind = MMSCAN_INCLUSIVE,
                      .n = n,
                      .x_stride = 1,
                      .y_stride = 1,
                      .batch = 1};
  *choice = (mmscan_choice){.struct_size = sizeof *choice, .engine = "gemm"};

  mmscan_plan *plan;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, choice);
  if (status != MMSCAN_OK) return status;

  for (size_t i = 0; i < n; i++) sum[i] = x[i] - mean;
  status = mmscan_execute(plan, sum, sum);
  if (status == MMSCAN_OK) status = mmscan_plan_get_choice(plan, choice);
  mmscan_plan_destroy(plan);
  return status;
}

/* The index of the value farthest from zero. */
static size_t farthest(size_t n, const double *x) {
  size_t at = 0;
  for (size_t i = 1; i < n; i++)
    if (fabs(x[i]) > fabs(x[at])) at = i;
  return at;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* The range of the curve, with zero inside. */
static void range(size_t n, const double *x, double *low, double *high) {
  *low = *high = 0;
  for (size_t i = 0; i < n; i++) {
    *low = fmin(*low, x[i]);
    *high = fmax(*high, x[i]);
  }
}

/* Whether neither a value of the curve nor its range is beyond the largest double. */
static bool is_finite(size_t n, const double *x) {
  double low, high;
  range(n, x, &low, &high);
  bool finite = isfinite(high - low);
  for (size_t i = 0; i < n; i++) finite &= isfinite(x[i]) != 0;
  return finite;
}

enum { ROWS = 14, MAX_COLUMNS = 64 };

/* Rows of text: '*' is the curve, ':' lies between it and zero, '^' marks the turn. A column is one year, or several,
 * and shows the value of the year farthest from zero. */
static void draw_text(const series *s, const double *sum, size_t turn) {
  size_t years = (s->n + MAX_COLUMNS - 1) / MAX_COLUMNS;
  double low, high;
  range(s->n, sum, &low, &high);
  double step = (high - low) / ROWS;

  for (int row = ROWS; row >= 0; row--) {
    double level = low + row * step;
    printf("%8.0f |", round(level) + 0.0); /* + 0.0: -0 is printed as 0 */
    for (size_t first = 0; first < s->n; first += years) {
      double value = sum[first + farthest(s->n - first < years ? s->n - first : years, sum + first)];
      int curve = fabs(value - level) <= step / 2;
      int between = value > 0 ? level >= 0 && level < value : level <= 0 && level > value;
      putchar(curve ? '*' : between ? ':' : ' ');
    }
    putchar('\n');
  }
  printf("%10s%*s\n", "", (int)(turn / years) + 1, "^");
  printf("%10s%-*d %d\n", "", (int)(s->n / years) - 5, s->year[0], s->year[s->n - 1]);
}

/* The same curve as an SVG picture. Returns 0, or -1 and says what is wrong. */
static int draw_svg(const char *path, const series *s, const double *sum, size_t turn) {
  const double width = 720, height = 360, margin = 50;
  double low, high;
  range(s->n, sum, &low, &high);
  double dx = (width - 2 * margin) / (double)(s->n > 1 ? s->n - 1 : 1);
  double dy = (height - 2 * margin) / (high > low ? high - low : 1);
  double zero = height - margin + low * dy, turn_x = margin + (double)turn * dx;

  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    return -1;
  }
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-size=\"13\">\n", width, height);
  fprintf(file, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  fprintf(file, "<text x=\"%g\" y=\"28\">Running total of the flow's deviation from its mean</text>\n", margin);
  fprintf(file, "<path d=\"M%g %gH%g\" stroke=\"gray\"/>\n", margin, zero, width - margin);
  fprintf(file, "<path d=\"M%g %gV%g\" stroke=\"firebrick\" stroke-dasharray=\"4\"/>\n", turn_x, margin,
          height - margin);
  fprintf(file, "<polyline fill=\"none\" stroke=\"steelblue\" stroke-width=\"2\" points=\"");
  for (size_t i = 0; i < s->n; i++) fprintf(file, "%g,%.1f ", margin + (double)i * dx, zero - sum[i] * dy);
  fprintf(file, "\"/>\n");
  const size_t labelled[] = {0, turn, s->n - 1};
  for (size_t k = 0; k < 3; k++)
    fprintf(file, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%d</text>\n", margin + (double)labelled[k] * dx,
            height - margin + 20, s->year[labelled[k]]);
  fprintf(file, "</svg>\n");

  int failed = ferror(file);
  if (fclose(file) != 0 || failed) {
    fprintf(stderr, "%s: could not be written\n", path);
    return -1;
  }
  return 0;
}

/* ---- The answer -------------------------------------------------------------------------------------------------- */

static int analyse(const series *s, const char *svg) {
  double mean = 0, sum[MAX_YEARS];
  for (size_t i = 0; i < s->n; i++) mean += s->flow[i];
  mean /= (double)s->n;

  mmscan_choice used;
  mmscan_status status = cusum(s->n, s->flow, mean, sum, &used);
  if (status != MMSCAN_OK) {
    const char *environment = mmscan_environment_error();
    fprintf(stderr, "nile_cusum: %s\n", environment ? environment : mmscan_strerror(status));
    return -1;
  }
  if (!is_finite(s->n, sum)) {
    fprintf(stderr, "nile_cusum: the flows are too large\n");
    return -1;
  }

  size_t turn = farthest(s->n, sum), before = turn + 1, after = s->n - before;
  printf("Running total of the flow's deviation from its mean, by engine %s, unit %s, s = %zu:\n", used.engine,
         used.unit, used.s);
  draw_text(s, sum, turn);
  const double rounding = 1e-12 * (double)s->n * fabs(mean); /* the error of a curve that is zero throughout */
  if (after == 0 || fabs(sum[turn]) <= rounding) {
    printf("The level did not change.\n");
    return svg ? draw_svg(svg, s, sum, turn) : 0;
  }
  /* At the turn the curve is the total of the deviations so far, and minus the total of those that follow. */
  printf("The level changed in %d: the mean flow was %.0f up to then, and %.0f after it (10^8 m^3 a year).\n",
         s->year[turn], mean + sum[turn] / (double)before, mean - sum[turn] / (double)after);
  if (!svg) return 0;
  if (draw_svg(svg, s, sum, turn) != 0) return -1;
  printf("The chart is in %s.\n", svg);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3 || strcmp(argv[1], "--help") == 0) {
    fprintf(stderr, "usage: nile_cusum NILE.CSV [CHART.SVG]\n");
    return 2;
  }
  static series nile;
  if (read_csv(argv[1], &nile) != 0) return 1;
  if (analyse(&nile, argc == 3 ? argv[2] : NULL) != 0) return 1;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("nile_cusum");
  return 1;
}
