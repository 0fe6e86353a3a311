/* bounds.h: what the paper says a run takes at most, as its proofs have it before anything goes into an O(). */
#ifndef MMS_BOUNDS_H
#define MMS_BOUNDS_H

#include <stddef.h>

typedef struct mms_bounds {
  double depth;           /* 2 k - 1 for n = s^k (Lemma 1), 2 floor(log_s n) else (Corollary 1) */
  double multiplications; /* of s-by-s matrices: Lemma 1; Section 3.2, "Matrix Multiplications" */
  double additions;       /* Lemma 1; for any n the same sum over the products of Section 3.2 */
  double one_unit;        /* time on one unit, a product a level: Theorem 1; Section 3.2, "Time Analysis" */
} mms_bounds;

/* For n elements, matrices of size s and the latency l. The paper prices a product of fewer than s columns by these,
 * though in its model none has fewer: s columns are priced here. */
mms_bounds mms_bounds_of(size_t n, size_t s, double latency);

#endif
