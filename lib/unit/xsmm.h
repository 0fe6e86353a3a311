/* xsmm.h: LIBXSMM, which makes a kernel for each shape of product while it runs. */
#ifndef MMS_XSMM_H
#define MMS_XSMM_H

#include "unit/unit.h"
#include "unit/vendor.h"
#include <stdatomic.h>

enum { MMS_XSMM_SLOTS = 512 };

/* A kernel that was made. The key comes first, then the kernel; neither changes. */
typedef struct mms_xsmm_slot {
  _Atomic uint64_t key;
  _Atomic(void *) kernel;
} mms_xsmm_slot;

typedef struct mms_xsmm {
  void *dispatch, *sdispatch, *ddispatch; /* of 2.x; or of 1.x, for float and for double */
  bool adds;                              /* as in the contract of a unit */
  mms_xsmm_slot slots[MMS_XSMM_SLOTS];
} mms_xsmm;

/* What it is called, the newest first; NULL past the last. */
const char *mms_xsmm_soname(size_t index);

/* Whether the library is LIBXSMM. */
bool mms_xsmm_is(const mms_vendor *vendor);

/* Makes it ready; false where its products are wrong. */
bool mms_xsmm_attach(mms_xsmm *xsmm, const mms_vendor *vendor);

/* Bytes of elements that it is best given at a time. */
size_t mms_xsmm_block(const mms_xsmm *xsmm);

void mms_xsmm_multiply(mms_xsmm *xsmm, const mms_product *product);

#endif
