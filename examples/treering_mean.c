/* treering_mean.c: which years had the narrowest and the widest tree rings?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   treering_mean TREERING.CSV [YEARS]
 *
 * The mean of every run of YEARS years (default 50) is the difference of two running totals, divided by YEARS, so the
 * time does not depend on YEARS. The total before year i is the exclusive scan of the widths. With a zero after the
 * last width, the scan ends with the total of all.
 *
 * A difference is as exact as the totals are: of 8,000 widths near 1, in doubles, to some 12 digits.
 */
#include <errno.h>
#include <math.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_YEAR = -6000, DEFAULT_YEARS = 50 };

/* Makes room for two more numbers after the first n; false, with nothing changed, if there is no memory. */
static bool make_room(double **width, size_t n, size_t *room) {
  if (n + 2 <= *room) return true;
  const size_t wanted = 2 * *room + 1024;
  double *more = realloc(*width, wanted * sizeof **width);
  if (!more) return false;
  *width = more;
  *room = wanted;
  return true;
}

/* Returns the numbers below one heading line, then a zero, to be freed; or says what is wrong and returns NULL. */
static double *read_widths(const char *path, size_t *n) {
  double *width = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return NULL;
  }
  *n = 0;
  int fields = fscanf(file, "%*[^\n]") == EOF ? EOF : 1;
  while (fields == 1 && make_room(&width, *n, &room)) {
    fields = fscanf(file, "%lf", &width[*n]);
    if (fields == 1 && !isfinite(width[*n])) fields = 0;
    if (fields == 1) ++*n;
  }
  const bool is_right = *n > 0 && fields == EOF && feof(file);
  fclose(file);
  if (is_right) {
    width[*n] = 0;
    return width;
  }
  fprintf(stderr, "%s: row %zu is not a width, or cannot be read\n", path, *n + 1);
  free(width);
  return NULL;
}

static void say(const char *what, size_t from, size_t years, const double *before) {
  const int year = FIRST_YEAR + (int)from;
  printf("%s: %d to %d, %.4f\n", what, year, year + (int)years - 1,
         (before[from + years] - before[from]) / (double)years);
}

/* Prints the narrowest and the widest of all runs of `years` years. */
static void find(size_t n, size_t years, const double *before) {
  size_t narrowest = 0, widest = 0;
  for (size_t i = 0; i + years <= n; i++) {
    const double total = before[i + years] - before[i];
    if (total < before[narrowest + years] - before[narrowest]) narrowest = i;
    if (total > before[widest + years] - before[widest]) widest = i;
  }
  say("narrowest", narrowest, years, before);
  say("widest", widest, years, before);
}

static mmscan_status means(size_t n, size_t years, double *width) {
  const mmscan_status status = mmscan_exclusive_f64(n + 1, 0, width, width); /* in place */
  if (status == MMSCAN_OK) find(n, years, width);
  return status;
}

/* The whole number above 0 that text is; or 0. */
static size_t number(const char *text) {
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  return value > 0 && !errno && !*end ? (size_t)value : 0;
}

int main(int count, char **argument) {
  const size_t years = count == 3 ? number(argument[2]) : DEFAULT_YEARS;
  size_t n;
  if (count < 2 || count > 3 || years == 0) {
    fprintf(stderr, "Usage: treering_mean TREERING.CSV [YEARS]\n");
    return 2;
  }
  double *width = read_widths(argument[1], &n);
  if (!width) return 1;
  if (years > n) {
    fprintf(stderr, "%s: has only %zu years\n", argument[1], n);
    free(width);
    return 1;
  }
  const mmscan_status status = means(n, years, width);
  free(width);
  if (status == MMSCAN_OK) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("treering_mean");
    return 1;
  }
  const char *environment = mmscan_environment_error();
  fprintf(stderr, "treering_mean: %s\n", environment ? environment : mmscan_strerror(status));
  return 1;
}
