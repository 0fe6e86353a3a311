/* unit.h: the contract of a unit, a machine that multiplies matrices, and the one table of them.
 *
 * A unit forms W = A X, or W = A^T X. A is column-major; X and W are column-major with leading dimension s, or by rows,
 * which start row_stride elements after each other.
 *
 *   A   s-by-s, leading dimension s, of zeros and ones; lower triangular in the form MMSCAN_PRODUCT_TRMM
 *   X   s-by-columns; does not share memory with W, unless the form is in place
 *   W   s-by-columns; overwritten, whatever it held (NaN too)
 *
 * A unit that adds() may be asked for W = W + A X as well, in the form MMSCAN_PRODUCT_CHUNKED, by rows and not
 * transposed.
 *
 * A unit knows no plan and no threads: multiply() is called by many threads at a time, works on the calling one and,
 * in the form MMSCAN_PRODUCT_CHUNKED, starts none. It cannot fail; what can, fails before a unit is handed out.
 * To add one: a file with a mms_unit, and its line in units.def (doc/ADDING_A_UNIT.md).
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
  mmscan_type type;         /* of W; and of A and X, which are bfloat16 in the form MMSCAN_PRODUCT_BF16 */
  mmscan_product_form form; /* in a scan MMSCAN_PRODUCT_CHUNKED */
  const mms_monoid *monoid; /* for mms_unit_monoid: X and W are of its elements, A's ones say which are combined */
  bool transposed;          /* A^T in place of A */
  bool adds;                /* W = W + A X; counts is NULL */
  size_t s, columns;
  size_t row_stride; /* X and W are by rows; 0: they are column-major */
  const void *a, *x;
  void *w;
  size_t elements;       /* of X that are data; the rest, at its end, is zero padding */
  mmscan_counts *counts; /* where to add up what was done; NULL: nowhere */
} mms_product;

/* Where entry (row, column) of X and of W is. */
static inline size_t mms_product_at(const mms_product *p, size_t row, size_t column) {
  return p->row_stride ? row * p->row_stride + column : column * p->s + row;
}

/* What scans ask of a unit, and any unit has. */
static inline bool mms_product_is_of_scans(mmscan_type type, mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_CHUNKED && (type == MMSCAN_F32 || type == MMSCAN_F64);
}

/* Whether a form takes squares, each a product of its own; not by rows. */
static inline bool mms_product_is_batch(mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_BATCH || form == MMSCAN_PRODUCT_BATCH_STRIDED;
}

/* Bytes of elements to multiply by a call, where that costs little by itself; and where it costs much. */
enum { MMS_UNIT_SMALL = 8192, MMS_UNIT_LARGE = 131072 };

typedef struct mms_unit mms_unit;
struct mms_unit {
  const char *name, *description;

  /* Of the forms and types that it has. */
  void (*multiply)(const mms_unit *self, const mms_product *product);

  /* NULL: it has MMSCAN_PRODUCT_CHUNKED of MMSCAN_F32 and MMSCAN_F64, and no other. */
  bool (*has)(const mms_unit *self, mmscan_type type, mmscan_product_form form);

  /* Whether it has nothing because it has never found memory. NULL: it takes none for itself. */
  bool (*lacks_memory)(const mms_unit *self);

  /* Keeps the library behind it loaded until as many drop(). False: there is none. NULL: nothing can be missing. */
  bool (*hold)(const mms_unit *self);
  void (*drop)(const mms_unit *self);

  /* Where hold() is false: why, and what to do about it, in a line that is never freed. NULL: nothing to say. */
  const char *(*absent)(const mms_unit *self);

  /* How many bytes of elements to multiply by a call, which stay in a core's cache with X and W. 0, or NULL:
   * MMS_UNIT_SMALL. */
  size_t (*block)(const mms_unit *self);

  /* Whether scans by L_2 X = X + (L_2 - I) X are the fastest with it, where W holds X and its second row gets the first
   * one added, by a product of one by one: they are with any BLAS, and with LIBXSMM's kernels of AVX-512. NULL:
   * it cannot add. */
  bool (*adds)(const mms_unit *self);

  /* Fills library, version and threads, of a unit that is held; and description, where only the library says it. NULL:
   * there is no library behind it. */
  void (*describe)(const mms_unit *self, mmscan_part *part);

  /* Routine `index` of the library; false past the last. And mmscan_routine_try(). NULL: there is no library. */
  bool (*routine)(const mms_unit *self, size_t index, mmscan_routine *routine);
  mmscan_status (*try_routine)(const mms_unit *self, const char *routine);

  bool counts; /* multiply() counts the additions itself, as it does them */
};

/* The built-in units, then those that are open, by index; NULL past the last. */
const mms_unit *mms_unit_at(size_t index);

/* The built-in units alone. */
const mms_unit *mms_unit_builtin(size_t index);
bool mms_unit_is_builtin(const char *name);

/* The unit called `name`; NULL where there is none. */
const mms_unit *mms_unit_find(const char *name);

size_t mms_unit_block(const mms_unit *unit);
bool mms_unit_adds(const mms_unit *unit);

bool mms_unit_has(const mms_unit *unit, mmscan_type type, mmscan_product_form form);

/* What is wrong where a unit has not the products that every sound one has: MMSCAN_ENOMEM where it has never found
 * memory, else MMSCAN_EBLAS. */
mmscan_status mms_unit_fault(const mms_unit *unit);

/* A unit is used between these. False: the library behind it is not there. unit may be NULL, which is there. */
bool mms_unit_hold(const mms_unit *unit);
void mms_unit_drop(const mms_unit *unit);

/* Why hold() was false. */
const char *mms_unit_absent(const mms_unit *unit);

/* The product by the unit, and its counts: one GEMM (of a batch, one a square), its square multiplications and its
 * additions. */
void mms_unit_multiply(const mms_unit *unit, const mms_product *product);

#define MMS_UNIT(name) extern const mms_unit mms_unit_##name;
#include "unit/units.def"
#undef MMS_UNIT

/* Not in the table: it multiplies by an operator that comes with the product. On one thread at a time. */
extern const mms_unit mms_unit_monoid;

#endif
