/* vendor.h: what a BLAS says of itself. */
#ifndef MMS_VENDOR_H
#define MMS_VENDOR_H

#include <stdbool.h>

typedef struct mms_vendor {
  void *blas;          /* a handle of dlopen(); NULL: nothing is known of the library */
  const char *version; /* NULL where it does not say */
  bool one_at_a_time;  /* two threads must not be in it at once */
} mms_vendor;

/* Asks the library behind a handle. Some answer from a buffer of their own, so ask once. */
mms_vendor mms_vendor_ask(void *blas);

/* The threads the library is set to use now; 0 where it does not say. */
int mms_vendor_threads(const mms_vendor *vendor);

#endif
