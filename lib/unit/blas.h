/* blas.h: a library with the C interface of BLAS: its routines, whether they are good, and products by them. */
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
  mms_blas_call call[MMS_BLAS_ROUTINES]; /* NULL: the library does not have it */
  _Atomic int state[MMS_BLAS_ROUTINES];  /* mmscan_routine_state */
} mms_blas;

/* Looks the routines up. Those that are there are off. The name of the unit and the vendor must last. */
void mms_blas_find(mms_blas *blas, const char *name, const mms_vendor *vendor);

/* Tests those that are not known to crash. Only one that has passed is had, but multiply() asks nobody. */
void mms_blas_test(mms_blas *blas);

/* Tests what scans multiply by, sgemm and dgemm, alone. */
void mms_blas_test_gemm(mms_blas *blas);

bool mms_blas_has(const mms_blas *blas, mmscan_type type, mmscan_product_form form);

/* A product in a form that it has. */
void mms_blas_multiply(const mms_blas *blas, const mms_product *product);

/* As in the contract of a unit; any number of threads may try a routine at a time. */
bool mms_blas_routine(const mms_blas *blas, size_t index, mmscan_routine *routine);
mmscan_status mms_blas_try(mms_blas *blas, const char *routine);

#endif
