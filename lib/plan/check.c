/* check.c: what the checks of all public calls have in common. */
#include "plan/check.h"

#include <string.h>

enum { LONGEST = 1024 }; /* bytes of a struct in any version: a larger size is garbage, and none of it is read */

/* A caller built with a longer struct may use fields that are not known here; if all are zero, they mean the plain
 * scan. */
mmscan_status mms_check_struct(const void *desc, size_t known) {
  const unsigned char *bytes = desc;
  size_t given;
  memcpy(&given, desc, sizeof given);
  if (given < known || given > LONGEST) return MMSCAN_EINVAL;
  for (size_t i = known; i < given; i++)
    if (bytes[i]) return MMSCAN_ENOTSUP;
  return MMSCAN_OK;
}

/* Numbers of 8 bytes may be at any multiple of 4, as in a packed struct; kernels load and store them there. */
bool mms_is_array(const void *x, size_t size) {
  const size_t alignment = size < 4 ? size : 4;
  return x && (uintptr_t)x % alignment == 0;
}

mms_array mms_array_of(const void *base, ptrdiff_t dist, size_t batch, size_t n, size_t size) {
  uintptr_t first = (uintptr_t)base;
  size_t step = mms_magnitude(dist) * size;
  if (dist < 0) first -= step * (batch - 1);
  return (mms_array){first, batch, step, n * size};
}

/* Both lists ascend: the lower of two rows that do not overlap cannot meet a later row of the other list. */
static bool rows_meet(mms_array x, mms_array y) {
  while (x.left && y.left) {
    mms_array *lower = x.at < y.at ? &x : &y;
    if ((x.at < y.at ? y.at - x.at : x.at - y.at) < lower->bytes) return true;
    lower->at += lower->step;
    lower->left--;
  }
  return false;
}

/* Bytes from the lowest of all rows to the end of the highest. */
static size_t extent(const mms_array *r) { return (r->left - 1) * r->step + r->bytes; }

/* Rows are compared one by one only if the extents of the two arrays overlap. */
mmscan_status mms_check_rows(mms_array x, mms_array y) {
  if (y.at - x.at >= extent(&x) && x.at - y.at >= extent(&y)) return MMSCAN_OK;
  return rows_meet(x, y) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}
