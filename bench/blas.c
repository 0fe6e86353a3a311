/* blas.c: what a BLAS has besides what its unit takes: its own threads, and a product without anything around it. */
#include "blas.h"
#include "message.h"
#include "tryout.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

/* The function of that name in a library that is open: builds add different prefixes and suffixes. NULL: there is
 * none. */
static void *find(void *handle, const char *name) {
  static const char *const begins[] = {"", "scipy_"}, *const ends[] = {"", "64_", "_64"};
  char full[80];
  void *found = NULL;
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends && found == NULL; k++) {
      snprintf(full, sizeof full, "%s%s%s", begins[i], name, ends[k]);
      found = dlsym(handle, full);
    }
  return found;
}

/* ---- Its own threads, set by the vendors' own calls -------------------------------------------------------------- */

/* BLIS takes a 64-bit integer here; that serves the libraries that take an int too. */
typedef int get_call(void);
typedef void set_call(long threads);

/* The calls of a library; NULL if it does not have both. */
typedef struct calls {
  get_call *get;
  set_call *set;
} calls;

static calls find_calls(void *handle) {
  static const char *const names[][2] = {{"openblas_get_num_threads", "openblas_set_num_threads"},
                                         {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
                                         {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    calls c = {NULL, NULL};
    *(void **)&c.get = find(handle, names[i][0]);
    *(void **)&c.set = find(handle, names[i][1]);
    if (c.get != NULL && c.set != NULL) return c;
  }
  return (calls){NULL, NULL};
}

own_threads own_threads_set(const char *library, int threads) {
  own_threads set = {.openmp = omp_get_max_threads()};
  void *handle = library != NULL && threads != 0 ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  const calls c = handle != NULL ? find_calls(handle) : (calls){NULL, NULL};
  if (c.get != NULL) set.before = c.get();
  if (set.before != 0 && set.before != threads) c.set(threads);
  if (set.before != 0) set.now = c.get();
  if (handle != NULL) dlclose(handle);
  return set;
}

void own_threads_restore(const char *library, own_threads set) {
  if (set.before != 0) own_threads_set(library, set.before);
  omp_set_num_threads(set.openmp);
}

/* ---- A product ------------------------------------------------------------------------------------------------ */

/* As in the library (lib/unit/blas.c), integers are passed as 64 bits, of which a BLAS may read the low half. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
typedef void gemm_call(int order, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                       const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
static gemm_call *sgemm;

int raw_product_prepare(void) {
  mmscan_part unit = {.struct_size = sizeof unit};
  if (!find_unit("cblas", &unit) || unit.status != MMSCAN_OK) return fail("the unit cblas: %s", unit.description);
  void *handle = unit.library != NULL ? dlopen(unit.library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  *(void **)&sgemm = handle != NULL ? find(handle, "cblas_sgemm") : NULL;
  if (handle != NULL) dlclose(handle); /* the unit keeps it open */
  return sgemm != NULL ? DONE : fail("%s: cblas_sgemm is not found", unit.library);
}

void raw_product_matrix(size_t s, float *l) {
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++) l[column * s + row] = row >= column;
}

/* Read as row-major, the column-major L_s is its transpose. */
void raw_product_by_rows(size_t s, size_t columns, size_t stride, const float *l, const float *x, float *w) {
  const int64_t size = (int64_t)s, ld = (int64_t)stride;
  sgemm(ROW_MAJOR, TRANS, NO_TRANS, size, (int64_t)columns, size, 1, l, size, x, ld, 0, w, ld);
}
