/* strided.h: copies of elements at a stride. */
#ifndef MMS_STRIDED_H
#define MMS_STRIDED_H

#include <stddef.h>
#include <string.h>

static inline void mms_copy_steps(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t m,
                                  size_t size) {
  for (size_t i = 0; i < m; i++, to += to_step, from += from_step) memcpy(to, from, size);
}

/* to[i * to_stride] = from[i * from_stride] for i in [0, m). Elements are of 4 or 8 bytes, strides in elements; the two
 * share no memory. The moves are the same for every type of that size. */
static inline void mms_copy_strided(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t m,
                                    size_t size) {
  if (to_stride == 1 && from_stride == 1)
    memcpy(to, from, m * size);
  else if (size == 4)
    mms_copy_steps(to, 4 * to_stride, from, 4 * from_stride, m, 4);
  else
    mms_copy_steps(to, 8 * to_stride, from, 8 * from_stride, m, 8);
}

#endif
