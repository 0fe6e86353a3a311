/* figure.h: the figures of the paper, drawn from a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FIGURE_H
#define FIGURE_H

#include "svg.h"
#include "traced.h"

typedef struct figure_options {
  bool values; /* show the values, for x = 1, 2, ..., n */
} figure_options;

/* Figure 1: the circuit. A node is an adder, a column an element, a row a level. */
int figure_circuit(FILE *to, const traced *run, const figure_options *options);

/* Figure 2: the products of every level as matrices. */
int figure_tensor(FILE *to, const traced *run, const figure_options *options);

/* Figure 3: the segments of any length n, and which of their steps run side by side. */
int figure_segments(FILE *to, const traced *run, const figure_options *options);

/* The kind of an event, by its step and phase. */
svg_kind figure_kind(const mmscan_event *event);

/* Writes the title, such as "MatMulScan, s = 4, n = 16". */
void figure_title(char *text, size_t size, const traced *run);

/* The values at each position before level 1 (depth 0) and after each level: values[depth * positions + position]. The
 * caller frees them; NULL if out of memory. */
uint64_t *figure_values(const traced *run);

#endif
