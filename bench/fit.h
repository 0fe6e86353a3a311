/* fit.h: this machine's BLAS as a tensor unit of the paper's model, and what the model then says of the engine gemm.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All on one thread, in f32. Times are in nanoseconds, of the fastest of many rounds: what another program takes away
 * is no part of the model. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { FIT_SIZES = 7, FIT_SHAPES = 6, FIT_FIRST = 12, FIT_LAST = 24, FIT_RUNS = FIT_LAST - FIT_FIRST + 1 };

/* The time of L_s by an s-by-c matrix, both by rows and in the cache, c being FIT_SHAPES powers of two. */
typedef struct fit_size {
  size_t s;
  size_t columns[FIT_SHAPES]; /* the widest first */
  double time[FIT_SHAPES];
  double start, entry; /* time = start + entry s c, so l = start / entry */
  double worst;        /* the largest part by which a time is off that line */
} fit_size;

/* The engine gemm on n elements, which cuts tiles. Nothing in the prediction is a time of that engine, but `call`. */
typedef struct fit_run {
  size_t n, s, tile;
  double call;     /* a plan's run on one element */
  double products; /* by start and entry */
  double moves;    /* a block of x at a time to rows, and from there to y */
  double totals;   /* those of columns, as the engine simd scans them; they stay in the cache */
  double loops;    /* what s does not divide, by a serial loop */
  double predicted, measured;
} fit_run;

typedef struct fit {
  fit_size sizes[FIT_SIZES];
  fit_run runs[FIT_RUNS];
} fit;

/* Measures, in some seconds. Returns DONE, or FAILED after a message. */
int fit_measure(fit *f);

/* Prints it as text or as one JSON object. */
int fit_report(const fit *f, bool as_json);

#endif
