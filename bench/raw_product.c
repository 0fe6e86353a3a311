/* raw_product.c: calls the CBLAS.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "raw_product.h"
#include "affixes.h"
#include "message.h"
#include "tryout.h"

#include <dlfcn.h>
#include <stdint.h>

/* As in the library (lib/unit/blas.c), integers are passed as 64 bits, of which a BLAS may read the low half. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
typedef void gemm_call(int order, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                       const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
static gemm_call *sgemm;

int raw_product_prepare(void) {
  mmscan_part unit = {.struct_size = sizeof unit};
  if (!find_unit("cblas", &unit) || unit.status != MMSCAN_OK) return fail("the unit cblas: %s", unit.description);
  void *handle = unit.library != NULL ? dlopen(unit.library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  *(void **)&sgemm = handle != NULL ? affixes_find(handle, "cblas_sgemm") : NULL;
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
