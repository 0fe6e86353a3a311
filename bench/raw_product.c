/* raw_product.c: calls the CBLAS.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "raw_product.h"

/* Declared here because the header's name and place differ by vendor. To the linker, its enumerations are ints. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);

void raw_product_matrix(size_t s, float *l) {
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++) l[column * s + row] = row >= column;
}

/* Read as row-major, the column-major L_s is its transpose. */
void raw_product_by_rows(size_t s, size_t columns, size_t stride, const float *l, const float *x, float *w) {
  const int size = (int)s, ld = (int)stride;
  cblas_sgemm(ROW_MAJOR, TRANS, NO_TRANS, size, (int)columns, size, 1, l, size, x, ld, 0, w, ld);
}
