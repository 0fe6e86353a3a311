/* lattice.h: the elements of strided arrays: whether they are distinct, and whether two arrays share memory. */
#ifndef MMS_LATTICE_H
#define MMS_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements of `size` bytes at i * step[0] + j * step[1] bytes from the lowest of them, for i < count[0] and
 * j < count[1]. */
typedef struct mms_lattice {
  uintptr_t at;
  size_t size, count[2], step[2]; /* steps are multiples of size; step[0] <= step[1] where both counts exceed 1 */
} mms_lattice;

/* `batch` scans of n elements: the strides are in elements, and may be negative or 0. */
mms_lattice mms_lattice_of(const void *base, size_t size, size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist);

/* Whether no two elements are the same. */
bool mms_lattice_is_distinct(const mms_lattice *a);

/* Whether an element of one shares a byte with an element of the other. */
bool mms_lattice_meet(const mms_lattice *x, const mms_lattice *y);

#endif
