/* workspace.c: a few slots that hold unused blocks. A slot is emptied and filled by one atomic exchange, so there is no
 * lock, and a thread that dies or a process that forks leaves no slot in a wrong state. */
#include "base/workspace.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { SLOTS = 64, ALIGN = 64 };

/* Stands before every block, and takes ALIGN bytes. */
typedef struct header {
  size_t bytes;
} header;

static _Atomic(header *) slots[SLOTS];

static header *new_block(size_t bytes) {
  if (bytes > PTRDIFF_MAX - 2 * ALIGN) return NULL;
  header *h = aligned_alloc(ALIGN, ALIGN + (bytes + ALIGN - 1) / ALIGN * ALIGN);
  if (h) h->bytes = bytes;
  return h;
}

/* A block that is too small is freed: kept, it would occupy a slot without being of use. */
static header *old_block(size_t bytes) {
  for (int i = 0; i < SLOTS; i++) {
    header *h = atomic_exchange_explicit(&slots[i], NULL, memory_order_acquire);
    if (!h) continue;
    if (h->bytes >= bytes) return h;
    free(h);
  }
  return NULL;
}

void *mms_workspace_acquire(size_t bytes) {
  header *h = old_block(bytes);
  if (!h) h = new_block(bytes);
  return h ? (char *)h + ALIGN : NULL;
}

void mms_workspace_release(void *block) {
  if (!block) return;
  header *h = (header *)(void *)((char *)block - ALIGN);
  for (int i = 0; i < SLOTS; i++) {
    header *empty = NULL;
    if (atomic_compare_exchange_strong_explicit(&slots[i], &empty, h, memory_order_release, memory_order_relaxed))
      return;
  }
  free(h);
}

/* When the library is unloaded, or the process ends. */
__attribute__((destructor)) static void free_all(void) {
  for (int i = 0; i < SLOTS; i++) free(atomic_exchange(&slots[i], NULL));
}
