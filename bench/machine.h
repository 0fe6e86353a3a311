/* machine.h: caches and memory of this machine.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>

enum { CACHE_LEVELS = 3 };

/* Bytes of the data cache of level 1 to CACHE_LEVELS that a core sees; 0 where there is none, or nobody says. */
size_t machine_cache(int level);

/* Bytes of memory that may be taken now. */
size_t machine_memory(void);

#endif
