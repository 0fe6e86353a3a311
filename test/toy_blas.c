/* toy_blas.c: small BLAS libraries for the tests, sound and unsound. The Makefile makes one for each line of its TOYS,
 * by defining some of these:
 *
 *   AFFIX(name)   what stands around a name
 *   INTEGER       the type of integers, int or int64_t
 *   NO_DGEMM, NO_GEMM
 *   DROPS         gemm leaves out the last column
 *   READS         gemm adds 0 times what W held
 *   WRITES        gemm writes one element too far
 *   COLUMNS_ONLY  gemm takes rows for columns
 *   BAD_TRMM      trmm takes the wrong triangle
 *   BAD_BATCH     gemm_batch does the first square only
 *   CRASHES       gemm_batch ends the process
 *   VIA_FORTRAN   gemm calls sgemm_ and dgemm_, as a reference BLAS does
 *   TWO_LINES     says that its version is two lines
 *   THREADS       each gemm starts a thread, unless it is told not to by MKL's call
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef AFFIX
#define AFFIX(name) name
#endif
#ifndef INTEGER
#define INTEGER int
#endif

enum { ROW_MAJOR = 101, TRANS = 112, UPPER = 121 };

int toy_calls(void);
static int calls;

/* How often a function of this library was called that its cblas_sgemm does not have inside. */
int toy_calls(void) { return calls; }

#ifdef TWO_LINES
char *openblas_get_config(void);
char *openblas_get_config(void) {
  static char version[] = "OpenBLAS 1\nf32";
  return version;
}
#endif

#ifdef THREADS
static _Thread_local int threads_here;
int MKL_Set_Num_Threads_Local(int threads);
int MKL_Set_Num_Threads_Local(int threads) {
  int before = threads_here;
  threads_here = threads;
  return before;
}
static void *work(void *nothing) { return nothing; }
static void start_thread(void) {
  pthread_t thread;
  if (threads_here == 1) return;
  calls++;
  if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_join(thread, NULL);
}
#elif !defined(NO_GEMM)
static void start_thread(void) {}
#endif

#define T              float
#define NAME(function) AFFIX(cblas_s##function)
#define FORTRAN        sgemm_
#include "toy_blas_body.inc"
#undef T
#undef NAME
#undef FORTRAN

#ifndef NO_DGEMM
#define T              double
#define NAME(function) AFFIX(cblas_d##function)
#define FORTRAN        dgemm_
#include "toy_blas_body.inc"
#endif
