/* matmul.h: describes a run of MatMulScan.
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

#endif
