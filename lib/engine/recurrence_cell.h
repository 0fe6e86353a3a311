/* recurrence_cell.h: recurrences of contiguous elements in vector registers, for each instruction set and type.
 *
 * A stretch of a recurrence is the affine map y -> A y + B of what comes before it, where A is the product of its a, and
 * B its last result from zero. Maps are composed, never divided: (A, B) and then (C, D) are (C A, C B + D).
 *
 * A block is a few vectors. Its results from zero are found in registers, by log2 of lanes steps in each vector and one
 * from vector to vector; its powers, or products, of a then add what the carry into it contributes. It is done by the
 * plain loop instead,
 *
 *   - where a result is not finite: the regrouped sum may have made an infinity, or a NaN, that the loop does not. All
 *     that is not finite in x, a, the carry, or a product on the way comes out in some result, as 0 times it is NaN
 *   - where an |a| varies beyond 1 so far that products of a block's a may leave the range of normal numbers, and come
 *     back. (Up to 1 a product that vanishes stays away, and is off by less than the least normal number.)
 *
 * So nothing travels backwards, and no infinity is invented. */
#ifndef MMS_RECURRENCE_CELL_H
#define MMS_RECURRENCE_CELL_H

#include "kernel/isa.h"

enum { MMS_RECURRENCE_POWERS = 1024 }; /* bytes of powers of an a that is constant */

/* What a stretch is, besides A and B: whether a carry may be taken past it by these (see advance()). */
typedef struct mms_affine {
  mms_value a, b;
  bool is_ordinary;
} mms_affine;

/* n neighbouring elements of a scan, the first of which is the lowest in memory. */
typedef struct mms_stretch {
  size_t n;
  const void *a;      /* n elements; or one, that is constant, */
  const void *powers; /*   with its powers; NULL: a varies */
  const void *x;
  void *y; /* NULL: results are not written */
  bool reverse, streams;
  void *carry;       /* an element, which goes in and comes out; NULL: there is none, nor any y */
  mms_affine *total; /* a map, after which that of the stretch comes; NULL: it is not asked for */
} mms_stretch;

/* One type by one instruction set. */
typedef struct mms_recurrences {
  size_t block; /* elements: stretches cut at multiples of it have the same results */

  /* Does a stretch; and by the plain loop, in its order, without a total. */
  void (*scan)(const mms_stretch *);
  void (*plain)(const mms_stretch *);

  /* Writes the powers of a constant a, for either direction, aligned to 64 bytes. */
  void (*raise)(const void *a, bool reverse, void *powers);

  /* Lists powers a^0 to a^(count - 1), elements, at least two. */
  void (*list)(const void *a, size_t count, void *powers);

  /* Adds response[i] times the carry to n results from zero, and makes the last one the carry. False: a result is not
   * finite, or nearly; then the carry is as it was. */
  bool (*respond)(size_t n, const void *response, void *row, bool reverse, void *carry);

  /* A map that changes nothing. */
  mms_affine identity;

  /* Takes a carry past a stretch. False, and nothing is changed: a result on the way might have overflown, or the
   * elements are not all finite. */
  bool (*advance)(const mms_affine *, void *carry);
} mms_recurrences;

/* By type; NULL where the cell has none. */
#define MMS_RECURRENCE_CELL(isa) extern const mms_recurrences *const mms_recurrences_##isa[MMSCAN_C64 + 1];
#include "engine/recurrence.def"
#undef MMS_RECURRENCE_CELL

#endif
