/* pack.h: what x and y are stored as never enters a kernel: elements that are not contiguous, or not of the arithmetic
 * type, are packed into a run that is, and unpacked from there. */
#ifndef MMS_PACK_H
#define MMS_PACK_H

#include "pack/storage.h"

/* Elements that are prefetched on the way, as many as are copied, which need not exist: to be written, where the copy
 * is contiguous, or else to be read. Where both are contiguous, so is x itself, some lines ahead. NULL: none. */
typedef struct mms_ahead {
  const void *at;
  ptrdiff_t stride;
} mms_ahead;

/* Packs n elements of x, `stride` elements apart, into contiguous ones; in planes n elements apart. The two share no
 * memory; bytes between the elements are neither read nor written. */
void mms_pack(const mms_storage *storage, size_t n, const void *x, ptrdiff_t stride, void *to, mms_ahead ahead);

/* Unpacks them into elements of y. */
void mms_unpack(const mms_storage *storage, size_t n, const void *from, void *y, ptrdiff_t stride, mms_ahead ahead);

/* Unpacks them into contiguous elements of y, past the caches. */
void mms_unpack_past(const mms_storage *storage, size_t n, const void *from, void *y);

/* Of n packed elements, replaces those that are NaN, or have a part that is, by another one. */
void mms_pack_without_nan(const mms_storage *storage, size_t n, void *packed, const void *instead);

#endif
