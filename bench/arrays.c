/* arrays.c: what is scanned, and where to.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "arrays.h"
#include "machine.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

bool arrays_fit(const number *type, size_t n) { return n < machine_memory() / (3 * type->size); }

bool arrays_make(arrays *a, const number *type, size_t n) {
  const size_t size = (n * type->size + ALIGN - 1) / ALIGN * ALIGN;
  a->data = aligned_alloc(ALIGN, size);
  a->y = aligned_alloc(ALIGN, size);
  if (a->data == NULL || a->y == NULL) return false;
  type->fill(n, a->data);
  memset(a->y, 0, size);
  return true;
}

void arrays_free(arrays *a) {
  free(a->data);
  free(a->y);
}
