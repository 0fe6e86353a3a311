/* xsmm.h: LIBXSMM, which generates a kernel for each shape of product at run time. */
#ifndef MMS_XSMM_H
#define MMS_XSMM_H

#include "unit/unit.h"
#include "unit/vendor.h"
#include <stdatomic.h>

enum { MMS_XSMM_SLOTS = 512 };

/* A generated kernel. The key is stored first, then the kernel; after that neither changes. */
typedef struct mms_xsmm_slot {
  _Atomic uint64_t key;
  _Atomic(void *) kernel;
} mms_xsmm_slot;

typedef struct mms_xsmm {
  void *dispatch, *sdispatch, *ddispatch; /* of 2.x; or of 1.x, for float and for double */
  bool adds;                              /* as in the contract of a unit */
  mms_xsmm_slot slots[MMS_XSMM_SLOTS];
} mms_xsmm;

/* Its sonames, the newest first; NULL past the last. */
const char *mms_xsmm_soname(size_t index);

/* Whether the library is LIBXSMM. */
bool mms_xsmm_is(const mms_vendor *vendor);

/* Makes it ready; false if its products are wrong. */
bool mms_xsmm_attach(mms_xsmm *xsmm, const mms_vendor *vendor);

/* The functions of a unit (unit.h) whose `library` is a mms_xsmm. */
void mms_xsmm_multiply(const mms_unit *self, const mms_product *product);
size_t mms_xsmm_block(const mms_unit *self);
bool mms_xsmm_adds(const mms_unit *self);

#endif
