/* arrays.c: the arrays that are scanned, and those for the results.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "arrays.h"
#include "machine.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

bool arrays_fit(const number *type, size_t n) { return n < machine_memory() / (3 * type->size); }

/* Asks for huge pages for a large array, as NumPy does: some systems give them only on request. */
static void *make(size_t size) {
  const size_t align = size < HUGE_PAGE ? LINE : HUGE_PAGE, whole = (size + align - 1) / align * align;
  void *array = aligned_alloc(align, whole);
#ifdef MADV_HUGEPAGE
  if (array != NULL && align == HUGE_PAGE) (void)madvise(array, whole, MADV_HUGEPAGE);
#endif
  return array;
}

/* By all threads, each of which touches the pages that it scans in a static loop: a system may put these near it. The
 * data is filled in the same way. */
static void clear(size_t size, char *to) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size; i++) to[i] = 0;
}

bool arrays_make(arrays *a, const number *type, mmscan_op op, size_t n) {
  const size_t size = n * type->size;
  a->data = make(size);
  a->y = make(size);
  if (a->data == NULL || a->y == NULL) return false;
  number_fill(type, op, n, a->data);
  clear(size, a->y);
  return true;
}

void arrays_free(arrays *a) {
  free(a->data);
  free(a->y);
}
