/* by_unit.h: Y = L X L^T by a unit, for some rows of an integral image whose sums are doubles.
 *
 * A piece of X has s rows, stored one after the other. One product with L_s sums its columns; a second one, with the
 * same memory taken for columns of s neighbouring elements of a row, sums each of these chunks. What precedes a chunk
 * in its row is then added, and the row above the piece: vertical sums of the carries of the rows, and of the chunks.
 */
#ifndef MMS_BY_UNIT_H
#define MMS_BY_UNIT_H

#include "kernel/kernel.h"
#include "unit/unit.h"

enum { MMS_BY_UNIT_S = 16, MMS_BY_UNIT_COLUMNS = 256 /* at most, of a piece */ };

typedef struct mms_by_unit {
  const mms_unit *unit;
  const mms_kernel *kernel; /* of sums of doubles */
  const double *l;          /* L_s */
  double *x, *sums, *y;     /* s rows of MMS_BY_UNIT_COLUMNS each; results are in y */
} mms_by_unit;

/* Columns from one row to the next. */
static inline size_t mms_by_unit_stride(size_t columns) {
  return (columns + MMS_BY_UNIT_S - 1) / MMS_BY_UNIT_S * MMS_BY_UNIT_S;
}

/* Sums a piece of so many rows and columns; x has them mms_by_unit_stride(columns) apart. carries: the carry into each
 * row, and out of it, so many bytes apart; above: the row above the piece, and its last row. Returns false, and changes
 * neither of these, if its elements may not be regrouped, or an Inf or a NaN would meet a zero of L_s. */
bool mms_by_unit_sum(const mms_by_unit *self, size_t rows, size_t columns, char *carries, size_t carry_size,
                     double *above);

#endif
