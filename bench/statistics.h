/* statistics.h: medians, and lines through times. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stddef.h>

/* Sorts numbers, the least first. */
void statistics_sort(double *values, int count);

/* The median of numbers, which are sorted. */
double statistics_median(double *values, int count);

/* The line time = start + slope at that has the least squares of its relative errors, with start no less than 0. */
void statistics_line(size_t count, const double at[], const double time[], double *start, double *slope);

#endif
