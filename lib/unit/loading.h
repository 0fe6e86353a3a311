/* loading.h: the lock under which libraries are loaded, tested and unloaded. It is held across fork(), so that a child
 * finds it free and no library half loaded, and is taken before that of selftest.h. */
#ifndef MMS_LOADING_H
#define MMS_LOADING_H

#include <stdatomic.h>
#include <stdbool.h>

/* The holder cannot be cancelled, and may lock again: a library may fork, or list the units, while it is loaded. */
void mms_loading_lock(void);
void mms_loading_unlock(void);

/* Calls look(), which looks for a library, under the lock, unless *has_looked; and sets that. */
void mms_loading_once(atomic_bool *has_looked, void (*look)(void));

#endif
