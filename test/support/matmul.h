/* matmul.h: describes a run of MatMulScan, and a product of a unit; sums for a network.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MATMUL_H
#define MATMUL_H

#include "mmscan_paper.h"
#include "test.h"

/* One run of the paper's algorithm as the text has it, each segment by its digits. */
static inline mmscan_matmul_desc matmul_desc(mmscan_type type, size_t n, size_t s, const char *unit, int threads) {
  return (mmscan_matmul_desc){.struct_size = sizeof(mmscan_matmul_desc),
                              .type = type,
                              .n = n,
                              .s = s,
                              .form = MMSCAN_STACKED,
                              .length_rule = MMSCAN_DIGITS,
                              .traversal = MMSCAN_ITERATIVE,
                              .broadcast = MMSCAN_BROADCAST_VECTOR,
                              .unit = unit,
                              .threads = threads};
}

/* A product of L_s and an s-by-columns matrix of floats. */
static inline mmscan_product_desc product_desc(const char *unit, mmscan_product_form form, size_t s, size_t columns) {
  return (mmscan_product_desc){.struct_size = sizeof(mmscan_product_desc),
                               .unit = unit,
                               .type = MMSCAN_F32,
                               .form = form,
                               .matrix = MMSCAN_MATRIX_L,
                               .s = s,
                               .columns = columns};
}

/* Operators of a network. */
static inline void add_f32(void *context, const void *a, const void *b, void *result) {
  (void)context;
  *(float *)result = *(const float *)a + *(const float *)b;
}

static inline void add_f64(void *context, const void *a, const void *b, void *result) {
  (void)context;
  *(double *)result = *(const double *)a + *(const double *)b;
}

#endif
