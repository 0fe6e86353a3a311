/* check.c: what the checks of all public calls have in common. */
#include "plan/check.h"

#include <string.h>

enum { LONGEST = 1024 }; /* bytes of a struct in any version: a larger size is garbage, and none of it is read */

/* A caller built with a longer struct may use fields that are not known here; if all are zero, they mean the plain
 * scan. */
mmscan_status mms_check_struct(const void *desc, size_t known) {
  const unsigned char *bytes = desc;
  size_t given;
  if (!desc) return MMSCAN_EINVAL;
  memcpy(&given, desc, sizeof given);
  if (given < known || given > LONGEST) return MMSCAN_EINVAL;
  for (size_t i = known; i < given; i++)
    if (bytes[i]) return MMSCAN_ENOTSUP;
  return MMSCAN_OK;
}

/* Numbers of 8 bytes may be at any multiple of 4, as in a packed struct; kernels load and store them there. Sizes are
 * powers of 2, and a division would take a tenth of a tiny scan. */
bool mms_is_array(const void *x, size_t size) {
  const size_t alignment = size < 4 ? size : 4;
  return x && ((uintptr_t)x & (alignment - 1)) == 0;
}
