/* blas.h: a library with the C interface of BLAS: its routines, their tests, and products computed by them. */
#ifndef MMS_BLAS_H
#define MMS_BLAS_H

#include "unit/unit.h"
#include "unit/vendor.h"
#include <stdatomic.h>

enum { MMS_BLAS_ROUTINES = 17 };

typedef void (*mms_blas_call)(void);

typedef struct mms_blas {
  const char *name; /* of the unit */
  const mms_vendor *vendor;
  size_t most; /* elements of X in one call, at least MMSCAN_MAX_S squared; the library may count them in 32 bits */
  mms_blas_call call[MMS_BLAS_ROUTINES]; /* NULL: the library does not have it */
  _Atomic int state[MMS_BLAS_ROUTINES];  /* mmscan_routine_state */
} mms_blas;

/* Whether the library is a BLAS: it has what scans use. */
bool mms_blas_is(const mms_vendor *vendor);

/* Looks the routines up; those found start as MMSCAN_ROUTINE_OFF. name (of the unit) and vendor must outlive *blas. */
void mms_blas_find(mms_blas *blas, const char *name, const mms_vendor *vendor);

/* Tests every routine found, except batched ones that are neither known to be good nor trusted (trust.h): they may
 * crash. mms_blas_has() is true only of routines that passed; mms_blas_multiply() does not check. */
void mms_blas_test(mms_blas *blas);

/* Tests only sgemm and dgemm, which scans use. */
void mms_blas_test_gemm(mms_blas *blas);

bool mms_blas_has(const mms_blas *blas, mmscan_type type, mmscan_product_form form);

/* Forms a product, of a type and form for which mms_blas_has() is true. */
void mms_blas_multiply(const mms_blas *blas, const mms_product *product);

/* As routine() and try_routine() in unit.h. Any number of threads may try a routine at a time. */
bool mms_blas_routine(const mms_blas *blas, size_t index, mmscan_routine *routine);
mmscan_status mms_blas_try(mms_blas *blas, const char *routine);

#endif
