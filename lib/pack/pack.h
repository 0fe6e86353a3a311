/* pack.h: what x and y are stored as never enters a kernel: elements that are not contiguous are gathered into a run
 * that is, and scattered from there. */
#ifndef MMS_PACK_H
#define MMS_PACK_H

#include <stddef.h>

/* Elements that are prefetched on the way, as many as are copied, which need not exist: to be written, where the copy
 * is contiguous, or else to be read. NULL: none. */
typedef struct mms_ahead {
  const void *at;
  ptrdiff_t stride;
} mms_ahead;

/* Copies n elements of `size` bytes, 1, 2, 4 or 8, from `from_stride` to `to_stride` elements apart. The two share no
 * memory; bytes between the elements are neither read nor written. */
void mms_pack(size_t size, size_t n, const void *from, ptrdiff_t from_stride, void *to, ptrdiff_t to_stride,
              mms_ahead ahead);

#endif
