/* sweep.h: Algorithm 1 of the paper, MatMulScan, over a unit.
 *
 * A sweep is one level: gather x[start::stride] into a dense vector, view that column-major as a matrix of s rows
 * (zero-padded at its end), multiply, and scatter the product back.
 *
 *   up-sweep    level t = 0 .. k-1:  start s^t - 1, stride s^t,      times L_s
 *   down-sweep  level t = k-1 .. 1:  start s^t - 1, stride s^(t-1),  times B_s
 *
 * With k = ceil(log_s n) this is right for any n (Listing 1 pads every level); n = s^k is the paper's own case.
 */
#ifndef MMS_SWEEP_H
#define MMS_SWEEP_H

#include "unit/unit.h"

/* What the sweeps of a run tell the caller's trace. */
typedef struct mms_trace {
  mmscan_trace *call; /* NULL: there is none, and the rest is not used */
  void *context;
  size_t *work;     /* for `half` positions of X, then as many of W */
  size_t half;      /* the most entries an event has */
  size_t positions; /* of the run */
  int step;         /* of Section 3.2 */
  size_t segment;   /* likewise */
  size_t first;     /* position of the element that a sweep calls x[0] */
  size_t depth;     /* of what a sweep waits for */
} mms_trace;

/* Sets entry i of X and of W. */
static inline void mms_trace_place(const mms_trace *trace, size_t i, size_t in, size_t out) {
  trace->work[i] = in;
  trace->work[trace->half + i] = out;
}

/* Calls the trace with the event, after filling in its entries, which are those placed from index `from` on, and the
 * fields that all events of a run have in common. */
void mms_trace_tell(const mms_trace *trace, size_t from, mmscan_event event);

/* Additions of a column of L_s or of B_s whose first m entries are data, if the zeros are skipped: row r of L_s takes
 * r, each row of B_s but the first takes one. */
static inline uint64_t mms_sweep_additions(mmscan_matrix matrix, uint64_t m) {
  if (m == 0) return 0;
  return matrix == MMSCAN_MATRIX_L ? m * (m - 1) / 2 : m - 1;
}

typedef struct mms_sweep {
  const mms_unit *unit;
  mmscan_type type; /* of the matrices, MMSCAN_F32 or MMSCAN_F64, and of the elements where there is no monoid */
  const mms_monoid *monoid; /* the operator and its elements; NULL: + */
  size_t s, size;           /* size: bytes of an element */
  mmscan_form form;
  const void *l, *b;     /* L_s and B_s */
  void *work;            /* 2 * mms_sweep_padded() elements that no other thread writes to */
  size_t padding;        /* elements at the end of x that are padding */
  mmscan_counts *counts; /* depth, products and moves are added to it */
  mms_trace trace;
} mms_sweep;

/* Elements of the longest padded level, or broadcast, of a vector of n elements. */
size_t mms_sweep_padded(size_t s, mmscan_form form, size_t n);

/* Sets m elements to the identity. */
void mms_sweep_fill(const mms_sweep *sweep, void *to, size_t m);

/* The smallest k with s^k >= n; 0 for n <= 1. */
unsigned mms_sweep_levels(size_t s, size_t n);

/* The two phases on x[0..n-1], in place. */
void mms_sweep_up(const mms_sweep *sweep, void *x, size_t n, unsigned k);
void mms_sweep_down(const mms_sweep *sweep, void *x, size_t n, unsigned k);

/* Both: x becomes its inclusive scan. */
void mms_sweep_scan(const mms_sweep *sweep, void *x, size_t n);

/* The same by Algorithm 2, which recurses on every s-th element. */
void mms_sweep_scan_recursive(const mms_sweep *sweep, void *x, size_t n);

/* Adds *carry to x[0..n-1] by products with B_s: columns of s - 1 elements under a row 0 that holds the carry (Section
 * 3.2, step 4). position: that of the carry in the trace. */
void mms_sweep_broadcast(const mms_sweep *sweep, void *x, size_t n, const void *carry, size_t position);

#endif
