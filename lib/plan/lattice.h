/* lattice.h: the elements of strided arrays of any rank: whether they are distinct, and whether two arrays share
 * memory. */
#ifndef MMS_LATTICE_H
#define MMS_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MMS_AXES = 10 }; /* of a scan, of its batch, and outer ones */

/* Elements of `size` bytes, from the lowest one on: any number of steps along each axis, fewer than its count. */
typedef struct mms_lattice {
  uintptr_t at;
  size_t size;
  int rank;
  size_t count[MMS_AXES], step[MMS_AXES]; /* of axes with more than one element; steps are in bytes, and not 0 */
} mms_lattice;

/* Adds an axis to the lattice whose element 0 is at `at`. The stride is in elements, and may be negative; with 0 all
 * elements are one. */
void mms_lattice_add(mms_lattice *a, size_t count, ptrdiff_t stride);

/* That of a batch of n strided elements each, whose element 0 is at an address. */
mms_lattice mms_lattice_of(const void *at, size_t size, size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist);

/* Bytes from the lowest element to the end of the highest, which can be addressed. */
size_t mms_lattice_bytes(const mms_lattice *a);

/* Whether no two elements are the same. Lattices with axes that are nested in no order may be too many to look through:
 * then they are taken not to be. */
bool mms_lattice_is_distinct(const mms_lattice *a);

/* Whether an element of one shares a byte with an element of the other; taken to be so where there are too many. */
bool mms_lattice_meet(const mms_lattice *x, const mms_lattice *y);

#endif
