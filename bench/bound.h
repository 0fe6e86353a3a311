/* bound.h: what no scan can beat, and the loop every scan should. */
#ifndef BENCH_BOUND_H
#define BENCH_BOUND_H

#include <stddef.h>

/* Copies n elements of `size` bytes by `threads` threads, with stores that pass the caches by. */
void bound_copy(size_t n, size_t size, const void *x, void *y, int threads);

/* Reads and writes back n elements of `size` bytes in place. */
void bound_update(size_t n, size_t size, void *y, int threads);

#endif
