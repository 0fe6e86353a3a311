/* figure.h: the figures of the paper, drawn from a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FIGURE_H
#define FIGURE_H

#include "svg.h"
#include "traced.h"

typedef struct figure_options {
  bool values; /* write the numbers, of x = 1, 2, ..., n */
} figure_options;

/* Figure 1: the circuit. A node is an adder, a column an element, a row a level. */
int figure_circuit(FILE *to, const traced *run, const figure_options *options);

/* Figure 2: of every level, the products as matrices. */
int figure_tensor(FILE *to, const traced *run, const figure_options *options);

/* Figure 3: the segments of any length, and which of their steps are side by side. */
int figure_segments(FILE *to, const traced *run, const figure_options *options);

/* The kind of what an event does. */
svg_kind figure_kind(const mmscan_event *event);

/* "MatMulScan, s = 4, n = 16" */
void figure_title(char *text, size_t size, const traced *run);

/* The values at each position before level 1 and after each level: values[depth * positions + position]. NULL: no
 * memory; to be freed. */
uint64_t *figure_values(const traced *run);

#endif
