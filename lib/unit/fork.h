/* fork.h: keeps the library usable in a process that forks. */
#ifndef MMS_FORK_H
#define MMS_FORK_H

#include <stdbool.h>

/* Registers our fork() handlers again, so that before a fork() ours run ahead of all handlers registered so far. False:
 * there is no memory. Not to be called under a lock that the handlers take: before glibc 2.36 fork() holds a lock,
 * which this takes, while they run. */
bool mms_fork_watch(void);

#endif
