/* fork.h: keeps the library usable in a process that forks. */
#ifndef MMS_FORK_H
#define MMS_FORK_H

#include <stdbool.h>

/* Whether a run may use more than the calling thread. False in a forked child of a process that had threads: OpenMP
 * still counts on those threads, and would wait for them for ever. False too if the handlers could not be set up. */
bool mms_fork_allows_threads(void);

/* Registers our fork() handlers again, so that before a fork() ours run ahead of all handlers registered so far. False:
 * there is no memory. Not to be called under a lock that the handlers take: before glibc 2.36 fork() holds a lock,
 * which this takes, while they run. */
bool mms_fork_watch(void);

#endif
