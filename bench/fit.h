/* fit.h: fits this machine's BLAS to the paper's tensor-unit model, and predicts the engine gemm by that model.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything runs on one thread, in f32. Times are in nanoseconds, from the fastest of many rounds: what other programs
 * take away is no part of the model. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { FIT_SIZES = 7, FIT_SHAPES = 6, FIT_FIRST = 12, FIT_LAST = 24, FIT_RUNS = FIT_LAST - FIT_FIRST + 1 };

/* The time of L_s times an s-by-c matrix, both row-major and in the cache; c takes FIT_SHAPES powers of two. */
typedef struct fit_size {
  size_t s;
  size_t columns[FIT_SHAPES]; /* the widest first */
  double time[FIT_SHAPES];
  double start, entry; /* time = start + entry s c, so l = start / entry */
  double worst;        /* the largest relative error of that line */
} fit_size;

/* The engine gemm on n elements, cut into tiles. Of the prediction, only `call` is a time of that engine. */
typedef struct fit_run {
  size_t n, s, tile;
  double call;     /* running a plan on one element */
  double products; /* from start and entry */
  double moves;    /* moving x into rows, a block at a time, and blocks of results to y */
  double totals;   /* scanning the column totals as the engine simd does; they stay in the cache */
  double loops;    /* the elements left over by s, in a serial loop */
  double predicted, measured;
} fit_run;

typedef struct fit {
  fit_size sizes[FIT_SIZES];
  fit_run runs[FIT_RUNS];
} fit;

/* Measures, for some seconds. Returns DONE, or FAILED after a message. */
int fit_measure(fit *f);

/* Prints it as text or as one JSON object. */
int fit_report(const fit *f, bool as_json);

#endif
