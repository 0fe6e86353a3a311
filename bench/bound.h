/* bound.h: what no scan can beat: its memory traffic, without the additions.
 *
 * Arrays are aligned to 64 bytes. */
#ifndef BENCH_BOUND_H
#define BENCH_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* Copies `size` bytes with non-temporal stores, where the CPU has them. */
void bound_stream(size_t size, const void *x, void *y, int threads);

/* Copies `size` bytes by memcpy(), which is faster where y stays in a cache. */
void bound_copy(size_t size, const void *x, void *y, int threads);

/* Reads `size` bytes of y and writes them back; x is y. */
void bound_update(size_t size, const void *x, void *y, int threads);

/* Reads `size` bytes. */
void bound_read(size_t size, const void *x, int threads);

/* Of n elements of 1 to 16 bytes that are `stride` elements apart: copies them, or reads and writes them back. */
void bound_copy_strided(size_t n, size_t size, size_t stride, const void *x, void *y, int threads);
void bound_update_strided(size_t n, size_t size, size_t stride, void *y, int threads);

#endif
