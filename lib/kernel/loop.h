/* loop.h: the plain loop, for every operator, type, kind and direction. It is the reference, the path of short scans,
 * and what engines and kernels use for remainders and where sums may not be regrouped. */
#ifndef MMS_LOOP_H
#define MMS_LOOP_H

#include "types.h"
#include <stdbool.h>

/* Scans n elements, n at least 1; *carry goes in and comes out. In place is fine. */
typedef void mms_loop_scan(size_t n, const void *x, void *y, mms_value *carry);

/* As the scan, but writes nothing: *carry becomes what the scan would leave in it. */
typedef void mms_loop_fold(size_t n, const void *x, mms_value *carry);

/* `count` scans of n elements each, n at least 1, from the same carry: the rows of a matrix, say. Distances are in
 * elements. */
typedef struct mms_batch {
  size_t n, count;
  ptrdiff_t x_dist, y_dist;
  const void *x;
  void *y;
  mms_value first;
  bool prefetches; /* x comes from memory: what is read next is better prefetched */
} mms_batch;

/* Scans them, with the bits of one scan after another. Either in place, with the same distances for x and y, or no row
 * of x shares memory with y. */
typedef void mms_batch_scan(const mms_batch *);

/* The loops of one operator and type, by kind and then by direction: [1] is the reverse one. */
typedef struct mms_loop {
  mms_loop_scan *scan[MMS_KINDS][2];
  mms_batch_scan *batch[MMS_KINDS][2];
  mms_loop_fold *fold[2];
} mms_loop;

extern const mms_loop mms_loop_of[MMS_OPS][MMS_TYPES];

#endif
