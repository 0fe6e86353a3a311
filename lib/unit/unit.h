/* unit.h: the contract of a unit, a machine that multiplies matrices, and the one table of them.
 *
 * A unit forms W = A X, or W = A^T X. A is column-major; X and W are column-major with leading dimension s, or by rows,
 * which start row_stride elements after each other.
 *
 *   A   s-by-s, leading dimension s
 *   X   s-by-columns; does not share memory with W
 *   W   s-by-columns; overwritten, whatever it held (NaN too)
 *
 * A unit knows no plan and no threads: multiply() is called by many threads at a time, works on the calling one and
 * starts none. It cannot fail; what can, fails before a unit is handed out.
 * To add one: a file with a mms_unit, and its line in the table in unit.c.
 */
#ifndef MMS_UNIT_H
#define MMS_UNIT_H

#include "mmscan.h"
#include <stdbool.h>

/* An associative operator of the caller's, and its elements. */
typedef struct mms_monoid {
  size_t size; /* bytes of an element */
  mmscan_combine *combine;
  void *context;
  const void *identity;
  void *spare; /* room for an element */
} mms_monoid;

typedef struct mms_product {
  mmscan_type type;         /* MMSCAN_F32 or MMSCAN_F64 */
  const mms_monoid *monoid; /* for mms_unit_monoid: X and W are of its elements, A's ones say which are combined */
  bool transposed;          /* A^T in place of A */
  size_t s, columns;
  size_t row_stride; /* X and W are by rows; 0: they are column-major */
  const void *a, *x;
  void *w;
  size_t elements;       /* of X that are data; the rest, at its end, is zero padding */
  mmscan_counts *counts; /* where to add up what was done; NULL: nowhere */
} mms_product;

typedef struct mms_unit {
  const char *name, *description;
  void (*multiply)(const mms_product *);
  void (*describe)(mmscan_part *); /* fills library, version and threads; NULL: there is no library behind it */
  bool counts;                     /* multiply() counts the additions itself, as it does them */
} mms_unit;

/* Row `index` of the table; NULL past its end. */
const mms_unit *mms_unit_at(size_t index);

/* The unit called `name`; NULL where there is none. */
const mms_unit *mms_unit_find(const char *name);

/* The product by the unit, and its counts: one GEMM, its square multiplications and its additions. */
void mms_unit_multiply(const mms_unit *unit, const mms_product *product);

extern const mms_unit mms_unit_cblas, mms_unit_model;

/* Not in the table: it multiplies by an operator that comes with the product. On one thread at a time. */
extern const mms_unit mms_unit_monoid;

#endif
