/* arena.h: pieces of a block of memory. The same calls first add up how large it must be, then give the pieces out. */
#ifndef MMS_ARENA_H
#define MMS_ARENA_H

#include <stddef.h>

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

#endif
