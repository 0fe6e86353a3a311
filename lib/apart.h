/* apart.h: whether threads that work together share a cache.
 *
 * Cores may lie on several dies, each with its own last-level cache. The system puts threads where it likes, and a
 * hypervisor moves them while they run. Between dies a cache line takes five times as long, and what lies in the caches
 * of another die is read at a third of the speed. Then each thread should keep to one share, the same as in any static
 * loop (shares.h), and not follow a leader, although that reads less (leader.h). So from time to time, at the end of a
 * run, where threads wait for each other anyway, two of them measure it.
 */
#ifndef MMS_APART_H
#define MMS_APART_H

#include <stdatomic.h>
#include <stdbool.h>

/* Whether threads are apart, as far as is known: true until two have met, and never where cores have no dies. */
bool mms_apart(void);

/* Whether threads were found apart within the last second. False if nothing is known: that must not keep two threads
 * from the run by which they would find out. */
bool mms_apart_of_late(void);

/* Where the first and the last thread of a run meet. */
typedef struct mms_meeting {
  atomic_int ball;
} mms_meeting;

/* Whether the answer is known, or need not be; if not, it is time to measure. `now`: by mms_clock(). */
bool mms_apart_is_known(double now);

/* Whether it is time to measure: true for the first caller that asks. */
bool mms_apart_is_due(double now);

/* A thread's part in the meeting, once it has no other work. A thread that waits in vain for the other soon leaves. */
void mms_apart_meet(mms_meeting *meeting);

/* Records the handoff: nanoseconds until one thread sees what the other stored. */
void mms_apart_record(double nanoseconds);

#endif
