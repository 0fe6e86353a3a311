/* recruit.h: OpenMP ends the process where it cannot start a thread, or finds no memory for a team, so that this is
 * tried before it is asked. */
#ifndef MMS_RECRUIT_H
#define MMS_RECRUIT_H

#include <stdbool.h>

/* Whether the next region of the calling thread may have so many threads, with itself: its last one had as many, or
 * the system starts those that it had not, with the stack that OpenMP would give them, and OpenMP then has them. Where
 * they could not be started, that is not tried again for a while. */
bool mms_recruit(int threads);

#endif
