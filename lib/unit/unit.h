/* unit.h: the contract of a unit, a machine that multiplies matrices, and the one table of them.
 *
 * A unit forms W = A X, or W = A^T X. A is column-major. X and W are both column-major with leading dimension s, or
 * both by rows: row-major with leading dimension row_stride.
 *
 *   A   s-by-s, leading dimension s, of zeros and ones, or, in the form MMSCAN_PRODUCT_CHUNKED, of any numbers; lower
 *       triangular in the form MMSCAN_PRODUCT_TRMM
 *   X   s-by-columns; shares no memory with W, unless the form is in place
 *   W   s-by-columns; overwritten, whatever it held (NaN too)
 *
 * A unit that adds() may also be asked for W = W + A X with s = 1, in the form MMSCAN_PRODUCT_CHUNKED, by rows and not
 * transposed.
 *
 * A unit knows no plan and no threads: many threads may call multiply() at a time; it works on the calling thread and,
 * in the form MMSCAN_PRODUCT_CHUNKED, starts none. It cannot fail: what can fail does so before a unit is handed out.
 * To add a unit, write a file with a mms_unit and a line in units.def (doc/ADDING_A_UNIT.md).
 */
#ifndef MMS_UNIT_H
#define MMS_UNIT_H

#include "mmscan_paper.h"
#include <stdbool.h>

/* The caller's associative operator, and its elements. */
typedef struct mms_monoid {
  size_t size; /* bytes of an element */
  mmscan_combine *combine;
  void *context;
  const void *identity;
  void *spare; /* room for an element */
} mms_monoid;

typedef struct mms_product {
  mmscan_type type;         /* of W; also of A and X, unless the form is MMSCAN_PRODUCT_BF16 and they are bfloat16 */
  mmscan_product_form form; /* in a scan MMSCAN_PRODUCT_CHUNKED */
  const mms_monoid *monoid; /* for mms_unit_monoid: X and W hold its elements, A's ones select which to combine */
  bool transposed;          /* A^T in place of A */
  bool adds;                /* W = W + A X with s = 1; then counts is NULL */
  size_t s, columns;
  size_t row_stride; /* leading dimension of X and W by rows; 0: they are column-major */
  const void *a, *x;
  void *w;
  size_t elements;       /* how many of X are data; the rest, at its end, is zero padding */
  mmscan_counts *counts; /* where a unit that `counts` adds up its additions; NULL: nowhere */
} mms_product;

/* The index of entry (row, column) in X and in W. */
static inline size_t mms_product_at(const mms_product *p, size_t row, size_t column) {
  return p->row_stride ? row * p->row_stride + column : column * p->s + row;
}

/* What scans ask of a unit, and every unit has. */
static inline bool mms_product_is_of_scans(mmscan_type type, mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_CHUNKED && (type == MMSCAN_F32 || type == MMSCAN_F64);
}

/* Whether a form takes squares, each of them a product of its own. These are never by rows. */
static inline bool mms_product_is_batch(mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_BATCH || form == MMSCAN_PRODUCT_BATCH_STRIDED;
}

/* Bytes of elements to multiply in one call, if a call by itself costs little; and if it costs much. */
enum { MMS_UNIT_SMALL = 8192, MMS_UNIT_LARGE = 131072 };

typedef struct mms_unit mms_unit;
struct mms_unit {
  const char *name, *description;
  void *library; /* what its functions work on, if they are shared by several units */

  /* Forms a product, of a form and type that it has. */
  void (*multiply)(const mms_unit *self, const mms_product *product);

  /* Whether it has the form for the type. NULL: only MMSCAN_PRODUCT_CHUNKED, for MMSCAN_F32 and MMSCAN_F64. */
  bool (*has)(const mms_unit *self, mmscan_type type, mmscan_product_form form);

  /* Keeps the library behind it loaded until drop() is called as often. False: there is no library. NULL: nothing can
   * be missing. */
  bool (*hold)(const mms_unit *self);
  void (*drop)(const mms_unit *self);

  /* If hold() is false: whether there was no memory for the library. NULL: that is not the reason. */
  bool (*lacks_memory)(const mms_unit *self);

  /* Whether hold() would have to open the library first. NULL: it would not. */
  bool (*is_closed)(const mms_unit *self);

  /* If hold() is false: why, and what to do about it, in a line that is never freed. NULL: nothing to say. */
  const char *(*absent)(const mms_unit *self);

  /* How many bytes of elements to multiply in one call. They should stay in a core's cache together with X and W. 0, or
   * NULL: MMS_UNIT_SMALL. */
  size_t (*block)(const mms_unit *self);

  /* Whether its fastest scans are those by L_2 X = X + (L_2 - I) X, where W holds X and a product with the 1-by-1
   * matrix adds the first row of W to the second. They are with any BLAS, and with LIBXSMM's AVX-512 kernels. NULL: it
   * cannot add. */
  bool (*adds)(const mms_unit *self);

  /* Fills in library, version and threads of a unit that is held, and description if it depends on the library. NULL:
   * there is no library behind it. */
  void (*describe)(const mms_unit *self, mmscan_part *part);

  /* Routine `index` of the library, false past the last; and mmscan_routine_try(). NULL: there is no library. */
  bool (*routine)(const mms_unit *self, size_t index, mmscan_routine *routine);
  mmscan_status (*try_routine)(const mms_unit *self, const char *routine);

  bool counts; /* multiply() counts the additions itself, as it does them */
};

/* The built-in units, then those that are open, by index; NULL past the last. */
const mms_unit *mms_unit_at(size_t index);

/* The built-in units alone. */
const mms_unit *mms_unit_builtin(size_t index);
bool mms_unit_is_builtin(const char *name);

/* The unit called `name`; NULL if there is none. */
const mms_unit *mms_unit_find(const char *name);

size_t mms_unit_block(const mms_unit *unit);
bool mms_unit_adds(const mms_unit *unit);

bool mms_unit_has(const mms_unit *unit, mmscan_type type, mmscan_product_form form);

/* A unit is used only between these calls. The first may open the library behind it. False: that is missing. A unit of
 * NULL gives true. */
bool mms_unit_hold(const mms_unit *unit);
void mms_unit_drop(const mms_unit *unit);

/* Whether mms_unit_hold() would have to open its library first. */
bool mms_unit_is_closed(const mms_unit *unit);

/* Why mms_unit_hold() was false, and the status for it: MMSCAN_EBLAS, or MMSCAN_ENOMEM. */
mmscan_status mms_unit_fault(const mms_unit *unit);
const char *mms_unit_absent(const mms_unit *unit);

/* Forms the product by the unit. */
void mms_unit_multiply(const mms_unit *unit, const mms_product *product);

#define MMS_UNIT(name) extern const mms_unit mms_unit_##name;
#include "unit/units.def"
#undef MMS_UNIT

/* Not in the table, as its operator comes with the product. The type, which is that of A, is MMSCAN_F32. An operator
 * serves one thread at a time. */
extern const mms_unit mms_unit_monoid;

#endif
