/* bounds.h: the paper's upper bounds for a run, as its proofs give them before any term goes into an O(). */
#ifndef MMS_BOUNDS_H
#define MMS_BOUNDS_H

#include <stddef.h>

typedef struct mms_bounds {
  double depth;           /* 2 k - 1 for n = s^k (Lemma 1), 2 floor(log_s n) else (Corollary 1) */
  double multiplications; /* of s-by-s matrices: Lemma 1; Section 3.2, "Matrix Multiplications" */
  double additions;       /* Lemma 1; for any n the same sum over the products of Section 3.2 */
  double one_unit;        /* time on one unit, one product per level: Theorem 1; Section 3.2, "Time Analysis" */
} mms_bounds;

/* For n elements, matrices of size s and the latency l. The paper prices a product of fewer than s columns by the
 * columns it has, although its model has no such products; here it is priced as s columns. */
mms_bounds mms_bounds_of(size_t n, size_t s, double latency);

#endif
