/* recruit.h: OpenMP ends the process where it cannot start a thread, or finds no memory for a team, so that this is
 * tried before it is asked. */
#ifndef MMS_RECRUIT_H
#define MMS_RECRUIT_H

#include <stdbool.h>

/* Whether the calling thread may have an OpenMP region of so many threads, itself included: its last region had as
 * many, or those that are missing could be started just now, with stacks of the size that OpenMP gives. Where they
 * could not, that is not tried again for a while. */
bool mms_recruit(int threads);

/* Whether the stacks that OpenMP gives are enough for a scan. */
bool mms_recruit_has_stack(void);

#endif
