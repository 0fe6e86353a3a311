/* check.h: what the checks of all public calls have in common: structs that begin with their size, and whether arrays
 * share memory. */
#ifndef MMS_CHECK_H
#define MMS_CHECK_H

#include "mmscan.h"
#include <stdbool.h>

/* Checks a caller's struct, which begins with its size. MMSCAN_OK: it is as long as the one known here, or longer with
 * only zeros beyond. MMSCAN_EINVAL: there is none, or it is shorter, or longer than any version.
 * MMSCAN_ENOTSUP: there is something beyond. When a struct grows, programs built with version 0.1 will still pass the
 * shorter one, which must then be accepted here and copied into one of zeros. */
mmscan_status mms_check_struct(const void *desc, size_t known);

/* Whether a value is one of an enum that counts from 1. */
static inline bool mms_in_enum(int value, int last) { return value >= 1 && value <= last; }

static inline size_t mms_magnitude(ptrdiff_t d) { return d < 0 ? -(size_t)d : (size_t)d; }

/* Whether an array of numbers of `size` bytes may be at an address. */
bool mms_is_array(const void *x, size_t size);

/* Whether two arrays of `bytes` bytes, at least one, share memory and are not the same: in one comparison, for a short
 * scan. The compiler is to put the second comparison out of the way, as a jump past it takes a cycle. */
static inline bool mms_overlap(const void *x, const void *y, size_t bytes) {
  const uintptr_t apart = (uintptr_t)y - (uintptr_t)x;
  return __builtin_expect_with_probability(apart + bytes - 1 < 2 * bytes - 1, 0, 1.0) && apart != 0;
}

/* The same as a status, MMSCAN_EOVERLAP if they do. */
static inline mmscan_status mms_check_pair(const void *x, const void *y, size_t bytes) {
  return mms_overlap(x, y, bytes) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

#endif
