/* recruit.h: tries what OpenMP needs before OpenMP is asked, because it ends the process if it cannot start a thread or
 * finds no memory for a team. */
#ifndef MMS_RECRUIT_H
#define MMS_RECRUIT_H

#include "team/crew.h"
#include <stdbool.h>

/* How many threads, itself included, a team of the calling thread, whose crew it is, may have now: `threads`, if its
 * last team had as many or more, or if the missing ones could be started just now, and start_team(), which returns how
 * many came, then started its own. Else as many as it has; no thread is tried for a while then. `stack`: bytes of the
 * stacks that OpenMP gives its threads; 0: as other threads have. */
int mms_recruit(mms_crew *crew, int threads, size_t stack, int (*start_team)(mms_crew *crew, int threads));

/* Whether such stacks are large enough for a scan. */
bool mms_recruit_has_stack(size_t stack);

#endif
