/* machine.h: the caches and memory of this machine. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>

enum { CACHE_LEVELS = 3 };

/* Bytes of the data cache of level 1 to CACHE_LEVELS that a core sees; 0 if there is none, or it is not known. */
size_t machine_cache(int level);

/* Bytes of memory available now, or that the control group may use, if these are fewer; the largest size_t if that is
 * not known. */
size_t machine_memory(void);

#endif
