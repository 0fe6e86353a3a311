/* area.h: memory for arrays, with guard bytes around it, or at the edge of a page that may not be touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AREA_H
#define AREA_H

#include <sys/mman.h>

#include "test.h"

/* Behind guard bytes; the last of a page, and before a forbidden one; the first of a page, and behind a forbidden
 * one. */
enum place { GUARDED, ENDS_PAGE, BEGINS_PAGE, PLACES };

typedef struct area {
  unsigned char *data, *before; /* before: what was in it when it was kept */
  size_t size, mapped;
  enum place place;
  struct buffer buffer;
  char *map;
} area;

static inline area area_new(enum place place, size_t size, size_t offset) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  area a = {.size = size, .place = place, .mapped = (size + page - 1) / page * page};
  if (place == GUARDED) {
    a.buffer = buffer_new(size, offset);
    a.data = a.buffer.data;
    return a;
  }
  a.map = mmap(NULL, a.mapped + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (a.map == MAP_FAILED) fail_msg("no memory for the test");
  if (a.mapped && mprotect(a.map + page, a.mapped, PROT_READ | PROT_WRITE)) fail_msg("mprotect() fails");
  a.data = (unsigned char *)a.map + page + (place == ENDS_PAGE ? a.mapped - size : 0);
  return a;
}

/* Notes what is in it; is_constant: that it may not be written from now on, if it is in pages of its own. */
static inline void area_keep(area *a, bool is_constant) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  a->before = malloc(a->size + 1);
  if (!a->before) fail_msg("no memory for the test");
  memcpy(a->before, a->data, a->size);
  if (is_constant && a->mapped && a->map) mprotect(a->map + page, a->mapped, PROT_READ);
}

/* Whether all in it, and around it, is as it was kept. */
static inline bool area_is_kept(const area *a) {
  return memcmp(a->before, a->data, a->size) == 0 && (a->place != GUARDED || buffer_intact(&a->buffer));
}

static inline void area_free(area *a) {
  free(a->before);
  if (a->place == GUARDED && a->buffer.base) buffer_free(&a->buffer);
  if (a->map) munmap(a->map, a->mapped + 2 * (size_t)sysconf(_SC_PAGESIZE));
  *a = (area){0};
}

#endif /* AREA_H */
