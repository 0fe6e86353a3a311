/* nile_decades.c: how much water did the Nile carry in each decade, and how far into it was half of that gone by?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   nile_decades NILE.CSV
 *
 * The flow is scanned by segments: the years of a decade have the same key, and the running total begins anew where the
 * key changes. So all decades are done by one call, whatever their lengths, and the last total of each is what the
 * decade carried.
 */
#include <math.h>
#include <mmscan.h>
#include <stdio.h>
#include <string.h>

#define MAX_YEARS 1000
#define MAX_YEAR  99999

typedef struct series {
  size_t n;
  int32_t year[MAX_YEARS], decade[MAX_YEARS];
  double flow[MAX_YEARS], total[MAX_YEARS];
} series;

/* Reads a row. The year is read as a double, because scanf() does not check that an int can hold it. Returns 2; or, if
 * it is no row, 1; or, at the end of the file, EOF. */
static int read_row(FILE *file, series *s) {
  double number, flow;
  const int fields = fscanf(file, "%lf,%lf", &number, &flow);
  if (fields != 2) return fields == EOF ? EOF : 1;
  if (s->n == MAX_YEARS || !(number >= 0 && number <= MAX_YEAR) || number != floor(number) || !isfinite(flow)) return 1;
  s->year[s->n] = (int32_t)number;
  s->decade[s->n] = s->year[s->n] / 10 * 10;
  s->flow[s->n++] = flow;
  return 2;
}

/* Reads rows "year,flow" below one heading line. Returns 0, or -1 and says what is wrong. */
static int read_csv(const char *path, series *s) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return -1;
  }
  int fields = fscanf(file, "%*[^\n]") == EOF ? 1 : 2;
  s->n = 0;
  while (fields == 2) fields = read_row(file, s);
  const int failed = ferror(file) || fields != EOF || s->n == 0;
  fclose(file);
  if (failed) fprintf(stderr, "%s: row %zu is no \"year,flow\", or one too many\n", path, s->n + 1);
  return failed ? -1 : 0;
}

static mmscan_status total_by_decade(series *s) {
  const mmscan_desc desc = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, s->n);
  const mmscan_segments decades = {
      .struct_size = sizeof decades, .form = MMSCAN_KEYS, .type = MMSCAN_I32, .data = s->decade};
  return mmscan_scan_segments(&desc, &decades, s->flow, s->total);
}

/* Years `first` to `end` - 1 are a decade. */
static void print_decade(const series *s, size_t first, size_t end) {
  const double total = s->total[end - 1];
  size_t half = first;
  while (half < end - 1 && s->total[half] < total / 2) half++;
  printf("%d to %d  %6.0f in all, %5.0f a year, half of it by the end of %d\n", (int)s->year[first],
         (int)s->year[end - 1], total, total / (double)(end - first), (int)s->year[half]);
}

static int analyse(series *s) {
  const mmscan_status status = total_by_decade(s);
  if (status != MMSCAN_OK) {
    const char *environment = mmscan_environment_error();
    fprintf(stderr, "nile_decades: %s\n", environment ? environment : mmscan_strerror(status));
    return -1;
  }
  printf("The flow of the Nile at Aswan, in 10^8 m^3:\n");
  for (size_t first = 0, end = 1; first < s->n; first = end++) {
    while (end < s->n && s->decade[end] == s->decade[first]) end++;
    print_decade(s, first, end);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2 || strcmp(argv[1], "--help") == 0) {
    fprintf(stderr, "usage: nile_decades NILE.CSV\n");
    return 2;
  }
  static series nile;
  if (read_csv(argv[1], &nile) != 0 || analyse(&nile) != 0) return 1;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("nile_decades");
  return 1;
}
