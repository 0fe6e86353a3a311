/* recruit.h: tries what OpenMP needs before OpenMP is asked, because it ends the process if it cannot start a thread or
 * finds no memory for a team. */
#ifndef MMS_RECRUIT_H
#define MMS_RECRUIT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the calling thread may have a team of so many threads, itself included: its last team had as many or more, or
 * the missing ones could be started just now, and start_team() then started its own. After a failure no thread is tried
 * for a while. `stack`: bytes of the stacks that OpenMP gives its threads; 0: as other threads have. */
bool mms_recruit(int threads, size_t stack, bool (*start_team)(int threads));

/* Whether such stacks are large enough for a scan. */
bool mms_recruit_has_stack(size_t stack);

#endif
