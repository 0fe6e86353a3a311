/* apart.h: whether threads that work together share a cache.
 *
 * Cores may lie on several dies, each with a last cache of its own. A system puts threads where it likes, and a
 * hypervisor moves them while they run. From die to die a line takes five times as long, and what lies in the caches of
 * another is read at a third of the speed: then each thread had better keep to one share, the same as in any static
 * loop (shares.h), than come along with a leader, which reads less (leader.h). So now and then, at the end of a run,
 * where threads wait for each other anyway, two of them find out.
 */
#ifndef MMS_APART_H
#define MMS_APART_H

#include <stdatomic.h>
#include <stdbool.h>

/* Whether threads are, as far as is known: until two have met, they may be. Never where cores have no dies. */
bool mms_apart(void);

/* Whether that was found within the last second. What is not known is not to keep two from a run, by which they would
 * find out. */
bool mms_apart_of_late(void);

/* Where the first and the last thread of a run meet. */
typedef struct mms_meeting {
  atomic_int ball;
} mms_meeting;

/* Whether that is known, or need not be; else it is time to find out again. `now`: by mms_clock(). */
bool mms_apart_is_known(double now);

/* Whether it is time: it is so for whoever asks first. */
bool mms_apart_is_due(double now);

/* A thread's part in it, when it has nothing else left to do. One who waits in vain for the other soon leaves. */
void mms_apart_meet(mms_meeting *meeting);

/* What was found: until one thread sees what the other stored, in nanoseconds. */
void mms_apart_found(double nanoseconds);

#endif
