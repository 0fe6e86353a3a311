/* statistics.c: medians, and lines through times. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void statistics_sort(double *values, int count) { qsort(values, (size_t)count, sizeof *values, ascending); }

double statistics_median(double *values, int count) {
  statistics_sort(values, count);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Least squares of (start + slope at) / time - 1. */
void statistics_line(size_t count, const double at[], const double time[], double *start, double *slope) {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
  for (size_t i = 0; i < count; i++) {
    const double u = 1 / time[i], v = at[i] / time[i];
    a += u * u;
    b += u * v;
    c += v * v;
    d += u;
    e += v;
  }
  *start = fmax(0, (d * c - b * e) / (a * c - b * b));
  *slope = (e - b * *start) / c;
}
