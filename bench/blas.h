/* blas.h: what a BLAS has besides what its unit takes: its own threads, and a product without anything around it. */
#ifndef BLAS_H
#define BLAS_H

#include <stddef.h>

/* The threads that it starts by itself. */
typedef struct own_threads {
  int before, now; /* of the library, as it reports them (BLIS: -1 if not set); 0: it has no such setting */
  int openmp;      /* of OpenMP in this process before, which some libraries set along with their own */
} own_threads;

/* Has a loaded library use so many threads in its calls, until own_threads_restore(). 0: leaves it as it is. */
own_threads own_threads_set(const char *library, int threads);
void own_threads_restore(const char *library, own_threads set);

/* One product by the CBLAS of the unit cblas, called directly, to measure the latency of a call, some ten nanoseconds:
 * mmscan_product() checks its arguments and makes its matrix in each call, which takes longer than that.
 * raw_product_prepare() has the unit open its library, and finds the routine. Returns DONE or FAILED, with a message.
 */
int raw_product_prepare(void);

/* L_s, column-major. */
void raw_product_matrix(size_t s, float *l);

/* W = L_s X. X and W are s by `columns`, row-major, with a row stride of `stride` elements. */
void raw_product_by_rows(size_t s, size_t columns, size_t stride, const float *l, const float *x, float *w);

#endif
