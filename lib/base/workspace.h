/* workspace.h: blocks of memory that outlive a call, so that the next one need not ask the system again. */
#ifndef MMS_WORKSPACE_H
#define MMS_WORKSPACE_H

#include <stddef.h>

/* A block of at least `bytes` bytes, aligned to 64, for the calling thread alone; NULL: no memory. */
void *mms_workspace_acquire(size_t bytes);

/* Takes a block back. NULL is fine. */
void mms_workspace_release(void *block);

#endif
