/* indices.h: which elements the results of a maximum or minimum are: by the results alone, as a result has other bits
 * than the one before it exactly if it is a new element. */
#ifndef MMS_INDICES_H
#define MMS_INDICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mms_indices {
  size_t size, n; /* bytes of a result as it is combined, 4 or 8; how many there are */
  const void *y;  /* results, contiguous */
  bool reverse, exclusive;
  size_t forced;       /* the element, in the order of the scan, that is new even with the bits before it; n: none */
  int64_t at, step;    /* the index of the element of lowest address, and from there to the next: 1 or -1 */
  int64_t *to;         /* where the index of the result of lowest address goes, */
  ptrdiff_t to_stride; /*   and how far from it the next one does */
  bool streams;        /* past the caches; then to_stride is 1 */
} mms_indices;

/* Writes the indices. before: the carry in; index: of the element that it is, or -1; after: the carry out. Returns the
 * index of that. */
int64_t mms_indices_write(const mms_indices *, const void *before, int64_t index, const void *after);

/* The place of the first of n elements, in the direction of a scan, that has the bits of a value, counted from the
 * lowest address; n if there is none. */
size_t mms_indices_find(size_t size, size_t n, const void *x, bool reverse, const void *value);

#endif
