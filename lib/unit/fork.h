/* fork.h: a process that forks. */
#ifndef MMS_FORK_H
#define MMS_FORK_H

#include <stdbool.h>

/* Whether a run may have more threads than the calling one. Not in a forked child of a process that had threads: OpenMP
 * believes that it has them still, and would wait for them for ever. */
bool mms_fork_allows_threads(void);

/* Has what is done before a fork() done before whatever others have set up for it until now. */
void mms_fork_watch(void);

#endif
