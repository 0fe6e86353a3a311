/* problem.h: the normalised request. Descriptions and their arrays are validated here and nowhere else (choices are
 * validated in plan.c). */
#ifndef MMS_PROBLEM_H
#define MMS_PROBLEM_H

#include "algebra/algebra.h"

struct mms_method; /* paper/method.h */

typedef struct mms_problem {
  const mms_algebra *algebra;
  mmscan_kind kind;
  bool reverse;
  size_t n, batch;          /* batch is 0 if there is nothing to scan */
  ptrdiff_t x_dist, y_dist; /* elements; 0 when batch <= 1 */
  mms_value first;          /* the carry into the first element of every scan */
  size_t whole;             /* elements of the whole scan; SIZE_MAX if this is a block: the length is not known */
} mms_problem;

/* Checks a caller's struct, which begins with its size. MMSCAN_OK: it is as long as the one known here, or longer with
 * only zeros beyond. MMSCAN_EINVAL: it is shorter, or longer than any version. MMSCAN_ENOTSUP: there is something
 * beyond. When a struct grows, programs built with version 0.1 will still pass the shorter one, which must then be
 * accepted here and copied into one of zeros. */
mmscan_status mms_check_struct(const void *desc, size_t known);

/* Makes a problem of a description. */
mmscan_status mms_problem_from(mms_problem *p, const mmscan_desc *desc);

/* Makes a problem of the description of a block, and its carry. */
mmscan_status mms_problem_block(mms_problem *p, const mmscan_desc *desc, const void *carry);

/* MMSCAN_OK: x and y can serve the problem; neither is NULL, and they are in place or share no memory. */
mmscan_status mms_check_arrays(const mms_problem *p, const void *x, const void *y);

/* Whether two arrays of `bytes` bytes, at least one, share memory and are not the same: in one comparison, for a short
 * scan. The compiler is to put the second comparison out of the way, as a jump past it takes a cycle. */
static inline bool mms_problem_overlaps(const void *x, const void *y, size_t bytes) {
  const uintptr_t apart = (uintptr_t)y - (uintptr_t)x;
  return __builtin_expect_with_probability(apart + bytes - 1 < 2 * bytes - 1, 0, 1.0) && apart != 0;
}

/* Checks a description of the paper's algorithm, its arrays and its counts. */
mmscan_status mms_check_matmul(const mmscan_matmul_desc *desc, const void *x, const void *y,
                               const mmscan_counts *counts);

/* Checks a description of one product, and its arrays. */
mmscan_status mms_check_product(const mmscan_product_desc *desc, const void *x, const void *w);

/* Checks a description of the paper's model, and the place for its result. */
mmscan_status mms_check_model(const mmscan_model_desc *desc, const mmscan_model_result *result);

/* Checks a description of a method of Table 1, its arrays and its counts. *method is the method that it names. */
mmscan_status mms_check_network(const mmscan_network_desc *desc, const void *x, const void *y,
                                const mmscan_network_counts *counts, const struct mms_method **method);

#endif
