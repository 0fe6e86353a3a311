/* raw_product.h: one product by the CBLAS of the unit cblas, called directly.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It serves to measure the latency of a call, some ten nanoseconds. mmscan_product() checks its arguments and makes its
 * matrix in each call, which takes longer than that. */
#ifndef RAW_PRODUCT_H
#define RAW_PRODUCT_H

#include <stddef.h>

/* Has the unit open its library, and finds the routine. Returns DONE or FAILED, with a message. */
int raw_product_prepare(void);

/* L_s, column-major. */
void raw_product_matrix(size_t s, float *l);

/* W = L_s X. X and W are s by `columns`, row-major, with a row stride of `stride` elements. */
void raw_product_by_rows(size_t s, size_t columns, size_t stride, const float *l, const float *x, float *w);

#endif
