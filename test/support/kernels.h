/* kernels.h: the kernels of an instruction set for an operator and a type.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "kernel/isa.h"

/* The operator after `op` that scans a type; 0 after the last. The first one is MMSCAN_PLUS. */
static inline mmscan_op next_op(mmscan_op op, mmscan_type type) {
  for (int next = op + 1; next < MMS_OPS; next++)
    if (mms_algebra_of((mmscan_op)next, type) != NULL) return (mmscan_op)next;
  return (mmscan_op)0;
}

static inline const mms_kernel *kernel_of(const mms_isa *isa, mmscan_op op, mmscan_type type) {
  return mms_kernel_of(isa, mms_algebra_of(op, type));
}

static inline const mms_kernel *plus_kernel(const mms_isa *isa, mmscan_type type) {
  return kernel_of(isa, MMSCAN_PLUS, type);
}

#endif
