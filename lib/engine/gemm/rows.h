/* rows.h: conversions between columns and rows, in vector registers, for the engine gemm. */
#ifndef MMS_ROWS_H
#define MMS_ROWS_H

#include "kernel/isa.h"

/* A matrix whose columns are s neighbouring elements, stored by rows: element i of column j is number i * stride + j of
 * the plane. Numbers are of the unit's type for the elements (mms_algebra.unit). Integers are stored as unsigned ones;
 * a 64-bit integer has its low half in the first plane and its high half in the second. */
typedef struct mms_byrows {
  size_t s, columns, stride;
  void *plane[2];
  const void *before[2]; /* from_rows: the prefix before each column, in planes too; NULL: it is found on the way */
  mms_value carry;       /* from_rows: added to every element */
  const void *prefetch; /* as many elements to prefetch, which need not exist; NULL: none. to_rows: only if that pays */
} mms_byrows;

/* Fills the planes from the s * columns elements of x, and writes nothing between their rows; finds what total() would
 * find. */
typedef void mms_rows_apart(const mms_byrows *, const void *x, mms_found *found);

/* y = the matrix with the carry, and the prefix before its column, added to each element. An exclusive scan is moved on
 * by one place in the direction of the scan; the first place of a column gets only the carry and the prefix.
 *
 * The prefix before a column is the sum of the totals of the columns before it, in the direction of the scan. The
 * totals are the last row in that direction. Where from_rows() scans them itself (before is NULL), two identities of
 * the operator must stand before that row, in the same direction. Sums of integers in a plane stay below 2^52. */
typedef void mms_rows_together(const mms_byrows *, void *y, mmscan_kind kind, bool reverse);

/* The same for a forward scan, past the caches: y is not x, and other threads see it after mms_stream_fence(). */
typedef void mms_rows_stream(const mms_byrows *, void *y, mmscan_kind kind);

/* Of one arithmetic type by one instruction set. */
typedef struct mms_rows {
  mms_rows_apart *to_rows;
  mms_rows_together *from_rows;
  mms_rows_stream *stream;
  size_t vector; /* bytes */
} mms_rows;

/* Those of rows.def: rows by lanes; all NULL where the compiler has no such instructions. */
#define MMS_ROWS_CELL(isa) extern const mms_rows *const mms_rows_##isa[MMS_LANES];
#include "engine/gemm/rows.def"
#undef MMS_ROWS_CELL

/* Those of an instruction set for a row of the algebra for which products of units are exact; or, if it has none, of
 * the next one that runs here and has vectors of the same length, on which bits depend. There always are some. *origin:
 * the instruction set that they are of; may be NULL. */
const mms_rows *mms_rows_of(const mms_isa *isa, const mms_algebra *algebra, const char **origin);

#endif
