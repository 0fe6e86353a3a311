/* serial.h: the plain loop, for every type, kind and direction. The reference, the path of short scans, and what other
 * engines use for remainders and for tiles whose sums may not be regrouped. */
#ifndef MMS_SERIAL_H
#define MMS_SERIAL_H

#include "types.h"

/* Scans n elements; *carry goes in and comes out. In place is fine. */
typedef void mms_serial_scan(size_t n, const void *x, void *y, mms_value *carry);

/* As the scan, but writes nothing: *carry becomes what the scan would leave in it. */
typedef void mms_serial_fold(size_t n, const void *x, mms_value *carry);

/* The loops of one type. [1] of a pair is the reverse one. */
typedef struct mms_serial {
  mms_serial_scan *inclusive[2], *exclusive[2];
  mms_serial_fold *fold[2];
} mms_serial;

extern const mms_serial mms_serial_of[MMS_TYPES];

static inline mms_serial_scan *mms_serial_scan_of(mmscan_type type, mmscan_kind kind, int reverse) {
  const mms_serial *loops = &mms_serial_of[type];
  mms_serial_scan *const *pair = kind == MMSCAN_INCLUSIVE ? loops->inclusive : loops->exclusive;
  return pair[reverse];
}

#endif
