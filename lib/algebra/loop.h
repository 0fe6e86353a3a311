/* loop.h: the plain loop, for every operator, type, kind and direction. It is the reference, the path of short scans,
 * and what engines and kernels use for remainders and where elements may not be regrouped. */
#ifndef MMS_LOOP_H
#define MMS_LOOP_H

#include "mmscan.h"
#include <stdbool.h>

/* A carry: one element of any type, at its start, or the two numbers of a complex one; after it, for sums of floats,
 * what it is short of, as much again. Nothing but loops and kernels looks inside. */
typedef union mms_value {
  float f32;
  double f64;
  int32_t i32;
  int64_t i64;
  uint32_t u32;
  uint64_t u64;
  float pair_f32[2];
  double pair_f64[2];
  unsigned char bytes[32];
  void *element; /* by an operator of the caller's: where it is; NULL: nothing, not even an identity */
  struct {
    unsigned char value[16], after[8]; /* of a carry into a tile: what it is after the tile (engine/monotone.h) */
  } bounded;
  struct {
    unsigned char value[8];
    int64_t index; /* of the element that it is; -1: of none (mms_extras) */
  } found;
} mms_value;

/* What a simple call starts from: one element, in a register. */
typedef union mms_first {
  float f32;
  double f64;
  int32_t i32;
  int64_t i64;
  uint32_t u32;
  uint64_t u64;
} mms_first;

static inline mms_value mms_first_value(mms_first first) { return (mms_value){.u64 = first.u64}; }

enum { MMS_KINDS = MMSCAN_EXCLUSIVE + 1 }; /* length of a table indexed by mmscan_kind */

/* Scans n elements, n at least 1; *carry goes in and comes out. In place is fine. */
typedef void mms_loop_scan(size_t n, const void *x, void *y, mms_value *carry);

/* As the scan, but writes nothing: *carry becomes what the scan would leave in it. */
typedef void mms_loop_fold(size_t n, const void *x, mms_value *carry);

/* Scans the columns of a matrix of n rows of `count` elements, MMS_COLUMNS bytes at most, forward. Strides, in
 * elements, go from row to row. carry: `count` elements, which go in and come out; low: of sums of floats, what each is
 * short of, too; NULL: in the plain loop's order. In place is fine. Best for some rows at a time, which stay in a
 * core's first cache. */
typedef void mms_loop_columns(size_t n, size_t count, const void *x, ptrdiff_t x_stride, void *y, ptrdiff_t y_stride,
                              void *carry, void *low);
enum { MMS_COLUMNS = 64 };

/* `count` scans of n elements each, n at least 1, from the same carry: the rows of a matrix, say. Strides and distances
 * are in elements. Loops and kernels take strides of 1. */
typedef struct mms_batch {
  size_t n, count;
  ptrdiff_t x_stride, y_stride, x_dist, y_dist;
  const void *x;
  void *y;
  mms_value first;
  size_t scan;     /* which scan of a run the first one is */
  bool prefetches; /* x comes from memory: what is read next is better prefetched */
  void *carry;     /* columns only: one element for each scan, its carry in and out; NULL: as `first` says */
  void *low;       /* and as many that say what these are short of, where they have pairs; NULL: nothing is known */
} mms_batch;

/* Scans them forward, with the bits of one scan after another. Either in place, with the same distances for x and y, or
 * no row of x shares memory with y. */
typedef void mms_loop_batch(const mms_batch *);

/* The loops of one operator and type, by kind and then by direction: [1] is the reverse one. */
typedef struct mms_loop {
  mms_loop_scan *scan[MMS_KINDS][2];
  mms_loop_batch *batch[MMS_KINDS];
  mms_loop_fold *fold[2];
  mms_loop_columns *columns[MMS_KINDS];
} mms_loop;

#endif
