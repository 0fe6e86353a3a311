/* toy_xsmm.c: small libraries with the interface of LIBXSMM for the tests, sound and unsound. The Makefile makes one
 * for each xsmm_ line of its TOYS, by defining some of these:
 *
 *   API           which calls it has, those of LIBXSMM 1.x or 2.x: 1 or 2
 *   DISPATCH      the name of the dispatch call of 2.x
 *   INTEGER       the type of integers in 1.x, int or int64_t
 *   MOST          how many kernels it has: for further shapes there is none
 *   READS         kernels add 0 times what C held
 *   DROPS         kernels leave out the last column
 *   ARCH          the number of the CPU that kernels are for; without it the call that reports it is missing
 *   FORGETS       kernels for this number of rows of C (0: any number) overwrite C where they should add
 *
 * A kernel does exactly what was asked for, so that a wrong type, flag or leading dimension gives a wrong product. For
 * a request that is unknown here there is a kernel that does nothing: if there were none, the unit would fall back to
 * its own loop, and no test would notice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef DISPATCH
#define DISPATCH libxsmm_dispatch_gemm
#endif
#ifndef INTEGER
#define INTEGER int
#endif
#ifndef MOST
#define MOST 256
#endif

/* The types and flags of 2.x that are used here; 2.x has more of both. */
enum { F64 = 0, F32 = 1, TRANS_A = 1, TRANS_B = 2, BETA_0 = 4, UNKNOWN = 8 };

/* All fields have one type, so that shapes are compared as bytes. */
typedef struct shape {
  int64_t m, n, k, lda, ldb, ldc, type, flags;
} shape;

int toy_calls(void);
static atomic_int calls;

/* How many products were computed. */
int toy_calls(void) { return calls; }

/* The presence of this symbol identifies LIBXSMM to code that looks for a vendor. */
void libxsmm_init(void);
void libxsmm_init(void) {}

#ifdef ARCH
int libxsmm_get_target_archid(void);
int libxsmm_get_target_archid(void) { return ARCH; }
#endif

/* ---- A product ------------------------------------------------------------------------------------------------ */

static bool is_known(const shape *h) {
  const bool fits = h->lda >= (h->flags & TRANS_A ? h->k : h->m) && h->ldb >= (h->flags & TRANS_B ? h->n : h->k);
  return fits && h->ldc >= h->m && h->flags < UNKNOWN && (h->type == F32 || h->type == F64);
}

static double get(const shape *h, const void *matrix, int64_t at) {
  return h->type == F32 ? (double)((const float *)matrix)[at] : ((const double *)matrix)[at];
}

static void put(const shape *h, void *matrix, int64_t at, double value) {
  if (h->type == F32)
    ((float *)matrix)[at] = (float)value;
  else
    ((double *)matrix)[at] = value;
}

static double held(const shape *h, const void *c, int64_t at) {
#ifdef READS
  return (h->flags & BETA_0 ? 0 : 1) * get(h, c, at);
#elif defined FORGETS
  return h->flags & BETA_0 || FORGETS == 0 || h->m == FORGETS ? 0 : get(h, c, at);
#else
  return h->flags & BETA_0 ? 0 : get(h, c, at);
#endif
}

static double dot(const shape *h, const void *a, const void *b, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t i = 0; i < h->k; i++)
    sum += get(h, a, h->flags & TRANS_A ? row * h->lda + i : i * h->lda + row) *
           get(h, b, h->flags & TRANS_B ? i * h->ldb + column : column * h->ldb + i);
  return sum;
}

/* LIBXSMM's first product does this. */
static void bind_threads(void) {
  if (calls == 0) setenv("OMP_PROC_BIND", "TRUE", 0);
}

__attribute__((noinline)) static void multiply(const shape *h, const void *a, const void *b, void *c) {
  int64_t columns = h->n;
  bind_threads();
#ifdef DROPS
  columns--;
#endif
  calls++;
  if (!is_known(h)) return;
  for (int64_t column = 0; column < columns; column++)
    for (int64_t row = 0; row < h->m; row++) {
      int64_t at = column * h->ldc + row;
      put(h, c, at, held(h, c, at) + dot(h, a, b, row, column));
    }
}

/* ---- Kernels -------------------------------------------------------------------------------------------------- */

/* A kernel is given no shape, so each is a function with a shape of its own. */
#if API == 1
typedef void (*kernel)(const void *a, const void *b, void *c);
#define KERNEL(i)                                                                                                      \
  static shape shape_##i;                                                                                              \
  static void kernel_##i(const void *a, const void *b, void *c) { multiply(&shape_##i, a, b, c); }
#else
typedef struct matrix {
  void *first, *others[3];
} matrix;
typedef struct argument {
  matrix none, a, b, c;
} argument;
typedef void (*kernel)(const argument *p);
#define KERNEL(i)                                                                                                      \
  static shape shape_##i;                                                                                              \
  static void kernel_##i(const argument *p) { multiply(&shape_##i, p->a.first, p->b.first, p->c.first); }
#endif
#define ENTRY(i) {&shape_##i, kernel_##i},

#define EACH_4(of, i)   of(i##0) of(i##1) of(i##2) of(i##3)
#define EACH_16(of, i)  EACH_4(of, i##0) EACH_4(of, i##1) EACH_4(of, i##2) EACH_4(of, i##3)
#define EACH_64(of, i)  EACH_16(of, i##0) EACH_16(of, i##1) EACH_16(of, i##2) EACH_16(of, i##3)
#define EACH_256(of, i) EACH_64(of, i##0) EACH_64(of, i##1) EACH_64(of, i##2) EACH_64(of, i##3)

EACH_256(KERNEL, 0)
static const struct {
  shape *shape;
  kernel kernel;
} pool[] = {EACH_256(ENTRY, 0)};

/* The same kernel for the same shape; NULL if there are no more. */
static kernel kernel_of(shape wanted) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static size_t count;
  size_t i = 0;
  pthread_mutex_lock(&lock);
  while (i < count && memcmp(pool[i].shape, &wanted, sizeof wanted) != 0) i++;
  if (i == count && count < MOST) *pool[count++].shape = wanted;
  pthread_mutex_unlock(&lock);
  return i < MOST ? pool[i].kernel : NULL;
}

/* ---- The calls ------------------------------------------------------------------------------------------------ */

#if API == 1
static int64_t flags_of(double alpha, double beta, int flags, int prefetch) {
  bool known = alpha == 1 && (beta == 0 || beta == 1) && flags >= 0 && flags <= (TRANS_A | TRANS_B) && prefetch == 0;
  return known ? flags | (beta == 0 ? BETA_0 : 0) : UNKNOWN;
}

kernel libxsmm_smmdispatch(INTEGER m, INTEGER n, INTEGER k, const INTEGER *lda, const INTEGER *ldb, const INTEGER *ldc,
                           const float *alpha, const float *beta, const int *flags, const int *prefetch);
kernel libxsmm_smmdispatch(INTEGER m, INTEGER n, INTEGER k, const INTEGER *lda, const INTEGER *ldb, const INTEGER *ldc,
                           const float *alpha, const float *beta, const int *flags, const int *prefetch) {
  return kernel_of((shape){m, n, k, *lda, *ldb, *ldc, F32, flags_of(*alpha, *beta, *flags, *prefetch)});
}

kernel libxsmm_dmmdispatch(INTEGER m, INTEGER n, INTEGER k, const INTEGER *lda, const INTEGER *ldb, const INTEGER *ldc,
                           const double *alpha, const double *beta, const int *flags, const int *prefetch);
kernel libxsmm_dmmdispatch(INTEGER m, INTEGER n, INTEGER k, const INTEGER *lda, const INTEGER *ldb, const INTEGER *ldc,
                           const double *alpha, const double *beta, const int *flags, const int *prefetch) {
  return kernel_of((shape){m, n, k, *lda, *ldb, *ldc, F64, flags_of(*alpha, *beta, *flags, *prefetch)});
}
#else
typedef struct asked {
  int m, n, k, lda, ldb, ldc, a_type, b_type, c_type, sum_type;
} asked;

kernel DISPATCH(asked h, unsigned flags, unsigned prefetch);
kernel DISPATCH(asked h, unsigned flags, unsigned prefetch) {
  bool known = h.b_type == h.a_type && h.c_type == h.a_type && h.sum_type == h.a_type && prefetch == 0;
  return kernel_of((shape){h.m, h.n, h.k, h.lda, h.ldb, h.ldc, h.a_type, known ? flags : UNKNOWN});
}
#endif
