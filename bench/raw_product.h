/* raw_product.h: one product by the CBLAS that the command is linked with, called directly.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It serves to measure the latency of a call, some ten nanoseconds. mmscan_product() checks its arguments and makes its
 * matrix in each call, which takes longer than that. */
#ifndef RAW_PRODUCT_H
#define RAW_PRODUCT_H

#include <stddef.h>

/* L_s, column-major. */
void raw_product_matrix(size_t s, float *l);

/* W = L_s X. X and W are s by `columns`, row-major, with a row stride of `stride` elements. */
void raw_product_by_rows(size_t s, size_t columns, size_t stride, const float *l, const float *x, float *w);

#endif
