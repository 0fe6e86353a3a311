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
  atomic_bool is_tested;                 /* by mms_blas_test() */
} mms_blas;

/* Whether the library is a BLAS: it has what scans use. */
bool mms_blas_is(const mms_vendor *vendor);

/* Looks the routines up; those found start as MMSCAN_ROUTINE_OFF. name (of the unit) and vendor must outlive *blas. */
void mms_blas_find(mms_blas *blas, const char *name, const mms_vendor *vendor);

/* Tests every routine found, once, except batched ones that are neither known to be good nor trusted (trust.h): they
 * may crash. */
void mms_blas_test(mms_blas *blas);

/* Tests only sgemm and dgemm, which scans use. */
void mms_blas_test_gemm(mms_blas *blas);

/* The functions of a unit (unit.h) whose `library` is a mms_blas. It has the forms of routines that passed their test;
 * those that scans do not use are tested now if they were not before. multiply() does not check. */
void mms_blas_multiply(const mms_unit *self, const mms_product *product);
bool mms_blas_has(const mms_unit *self, mmscan_type type, mmscan_product_form form);
size_t mms_blas_block(const mms_unit *self);
bool mms_blas_adds(const mms_unit *self);
bool mms_blas_routine(const mms_unit *self, size_t index, mmscan_routine *routine);
mmscan_status mms_blas_try(const mms_unit *self, const char *routine);

#endif
