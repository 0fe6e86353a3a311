/* treering_smoothed.c: tree rings, smoothed exponentially.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   treering_smoothed TREERING.CSV [YEARS]
 *
 * The smoothed width y of a year is y = decay * (y of the year before) + (1 - decay) * width, where a width counts half
 * after YEARS years (default 20): decay = 2^(-1 / YEARS). That is a recurrence with a constant factor. It starts from
 * the mean of all widths, and what is smoothed takes the place of the widths.
 */
#include <math.h>
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_YEAR = -6000, MOST_RINGS = 100000, DEFAULT_YEARS = 20 };

/* Reads the numbers below one heading line. Returns how many there are; or says what is wrong, and returns 0. */
static size_t read_widths(const char *path, double *width) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return 0;
  }
  size_t n = 0;
  int fields = fscanf(file, "%*[^\n]") == EOF ? EOF : 1;
  while (fields == 1 && n < MOST_RINGS) {
    fields = fscanf(file, "%lf", &width[n]);
    if (fields == 1 && !isfinite(width[n])) fields = 0;
    n += fields == 1;
  }
  const int is_right = n > 0 && fields == EOF && feof(file);
  fclose(file);
  if (is_right) return n;
  fprintf(stderr, "%s: row %zu is not a width, or one too many\n", path, n + 1);
  return 0;
}

static mmscan_status smooth(size_t n, double decay, double *width) {
  double mean = 0;
  for (size_t i = 0; i < n; i++) mean += width[i] / (double)n;
  for (size_t i = 0; i < n; i++) width[i] *= 1 - decay;
  const mmscan_recurrence_desc desc = {
      .struct_size = sizeof desc, .type = MMSCAN_F64, .n = n, .x_stride = 1, .y_stride = 1, .batch = 1, .init = &mean};
  return mmscan_recurrence(&desc, &decay, width, width); /* in place */
}

static void say(const char *what, size_t at, const double *width) {
  printf("%s: %d, %.4f\n", what, FIRST_YEAR + (int)at, width[at]);
}

int main(int argc, char **argv) {
  static double width[MOST_RINGS];
  const double years = argc > 2 ? strtod(argv[2], NULL) : DEFAULT_YEARS;
  if (argc < 2 || argc > 3 || !(years > 0) || isinf(years)) {
    fprintf(stderr, "usage: treering_smoothed TREERING.CSV [YEARS]\n");
    return 2;
  }
  const size_t n = read_widths(argv[1], width);
  if (n == 0) return 1;
  const mmscan_status status = smooth(n, exp2(-1 / years), width);
  if (status != MMSCAN_OK) {
    const char *environment = mmscan_environment_error();
    fprintf(stderr, "treering_smoothed: %s\n", environment ? environment : mmscan_strerror(status));
    return 1;
  }
  size_t least = 0, most = 0;
  for (size_t i = 0; i < n; i++) {
    if (width[i] < width[least]) least = i;
    if (width[i] > width[most]) most = i;
  }
  say("narrowest", least, width);
  say("widest", most, width);
  say("last", n - 1, width);
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("treering_smoothed");
  return 1;
}
