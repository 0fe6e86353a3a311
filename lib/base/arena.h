/* arena.h: pieces of a block of memory, and blocks for elements of a caller's type. The same calls first add up how
 * large a block must be, then give the pieces out. */
#ifndef MMS_ARENA_H
#define MMS_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { MMS_ARENA_ALIGN = 64 }; /* alignment of each piece, if the block has it too */

typedef struct mms_arena {
  char *block; /* NULL: sizes are only added up */
  size_t used;
} mms_arena;

static inline void *mms_arena_take(mms_arena *a, size_t bytes) {
  void *piece = a->block ? a->block + a->used : NULL;
  a->used += (bytes + MMS_ARENA_ALIGN - 1) / MMS_ARENA_ALIGN * MMS_ARENA_ALIGN;
  return piece;
}

/* Whether there is memory for a block now. Others may take it before it is used. */
static inline bool mms_arena_fits(size_t bytes) {
  void *volatile block = malloc(bytes); /* volatile: the compiler must not leave it out */
  const bool fits = block != NULL;
  free(block);
  return fits;
}

/* Of an element of `size` bytes it is only known that its alignment is a power of two that divides the size. */
static inline size_t mms_arena_alignment(size_t size) {
  const size_t largest = size & -size;
  return largest > MMS_ARENA_ALIGN ? largest : MMS_ARENA_ALIGN;
}

/* Memory, aligned for such elements; for free(). NULL: there is none. */
static inline void *mms_arena_block(size_t bytes, size_t size) {
  const size_t align = mms_arena_alignment(size);
  return aligned_alloc(align, (bytes + align - 1) / align * align);
}

#endif
