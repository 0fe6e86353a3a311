/* loading.h: the lock under which libraries are loaded, tested and unloaded. It is held across fork(), so that a child
 * finds it free and no library half loaded, and is taken before mms_vendor_enter() (vendor.h). */
#ifndef MMS_LOADING_H
#define MMS_LOADING_H

#include <stdatomic.h>
#include <stdbool.h>

/* The holder cannot be cancelled, and may lock again: a library may fork, or list the units, while it is loaded. */
void mms_loading_lock(void);
void mms_loading_unlock(void);

/* Calls what loads or tests a library, with the library, under the lock, unless *is_done; and sets that. */
void mms_loading_once(atomic_bool *is_done, void (*call)(void *library), void *library);

#endif
