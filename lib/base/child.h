/* child.h: whether this process is a forked child that has lost its threads. */
#ifndef MMS_CHILD_H
#define MMS_CHILD_H

#include <stdbool.h>

/* Whether the process that was forked had threads. OpenMP still counts on them here, and would wait for them for ever,
 * so only the calling thread may work. Also true if forks cannot be watched, as it then cannot be known. */
bool mms_child_lost_threads(void);

/* From now on mms_child_lost_threads() is true. */
void mms_child_lose_threads(void);

#endif
