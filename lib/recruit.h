/* recruit.h: tries what OpenMP needs before OpenMP is asked, because it ends the process if it cannot start a thread or
 * finds no memory for a team. */
#ifndef MMS_RECRUIT_H
#define MMS_RECRUIT_H

#include <stdbool.h>

/* Whether the calling thread may have an OpenMP region of so many threads, itself included: its last region had as many
 * or more, or the missing ones could be started just now, with stacks of the size that OpenMP gives. After a failure
 * no thread is tried for a while. */
bool mms_recruit(int threads);

/* Whether the stacks that OpenMP gives are large enough for a scan. */
bool mms_recruit_has_stack(void);

#endif
