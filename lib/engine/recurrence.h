/* recurrence.h: the engines of recurrences, y[i] = a[i] y[i-1] + x[i], for mmscan_recurrence(). They take strides, and
 * are not in the table, as they do none of the library's operators: a recurrence has a row of its own (mms_own).
 *
 * The carry into a tile is the y before it, and its total an affine map (recurrence_cell.h). Where a tile is not
 * ordinary, the carry is taken past it block by block, without results. */
#ifndef MMS_RECURRENCE_H
#define MMS_RECURRENCE_H

#include "engine/engine.h"
#include "engine/recurrence_cell.h"
#include <stdalign.h>

/* The recurrences of one call, which all have n elements. */
typedef struct mms_recurrence {
  mms_algebra algebra; /* the row, and how elements are stored: sizes alone */
  mms_storage storage;
  mms_own own;
  const mms_recurrences *kernel;
  size_t n;
  const char *a; /* the first of the first scan, in memory order of tiles; constant where the stride is 0 */
  ptrdiff_t a_stride, a_dist;
  const char *init; /* one for each scan; NULL: 0 */
  bool is_shared;   /* all scans have one constant a, and its powers: */
  alignas(MMS_KERNEL_LINE) char powers[MMS_RECURRENCE_POWERS];
} mms_recurrence;

/* What recurrences of a type are done by in an instruction set, or the next one that has any. */
const mms_recurrences *mms_recurrences_of(const mms_isa *isa, mmscan_type type);

/* In vector registers; by the plain loop, in its order, in which each scan is one tile; and by products of a unit, of
 * which a tile has a row for every s elements. These take a constant a alone. */
extern const mms_engine mms_recurrence_simd, mms_recurrence_serial, mms_recurrence_gemm;

/* Fills in the rows, which point to it; the rest is there. */
void mms_recurrence_begin(mms_recurrence *r, const mms_engine *engine, mmscan_type type, bool reverse);

#endif
