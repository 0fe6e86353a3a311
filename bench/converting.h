/* converting.h: runs of races into another type. */
#ifndef CONVERTING_H
#define CONVERTING_H

#include "contender.h"

/* Why there are none for two types; NULL if there are. A static string. */
const char *converting_refusal(const number *x, const number *y);

/* The `copy` of a contender: by way of the caches, and past them. */
void converting_copy(const contender *c);
void converting_stream(const contender *c);

/* Each is the `run` of a contender. The first two scan rows by one thread: the plain loop, and that of `omp simd`. The
 * last one is the textbook scan by all threads, of one row. */
double converting_loop(const contender *c, long runs);
double converting_simd(const contender *c, long runs);
double converting_two_pass(const contender *c, long runs);

#endif
