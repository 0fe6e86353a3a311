/* cluster.h: whether threads that work together share a cache, as the cores of a cluster (a die, say) do.
 *
 * Cores may lie on several dies, each with its own last-level cache. The system puts threads where it likes, and a
 * hypervisor moves them while they run. Between dies a cache line takes five times as long, and what lies in the caches
 * of another die is read at a third of the speed. Then each thread should keep to one share, the same as in any static
 * loop (run/shares.h), and not follow a leader, although that reads less (run/leader.h). So from time to time, at the
 * end of a run, where threads wait for each other anyway, two of them measure it.
 */
#ifndef MMS_CLUSTER_H
#define MMS_CLUSTER_H

#include <stdatomic.h>
#include <stdbool.h>

/* Whether threads are apart, as far as is known: true until two have met, and never where cores have no dies. */
bool mms_cluster_apart(void);

/* Whether threads were found apart within the last second. False if nothing is known: that must not keep two threads
 * from the run by which they would find out. */
bool mms_cluster_apart_of_late(void);

/* Whether threads were found to share a cache within the last second. */
bool mms_cluster_near_of_late(void);

/* Where the first and the last thread of a run meet. */
typedef struct mms_meeting {
  atomic_int ball;
} mms_meeting;

/* Whether it is time to measure: true for the first caller that asks. `now`: by mms_clock(). */
bool mms_cluster_is_due(double now);

/* The part of thread `self` of a team in the meeting, once it has no other work. A thread that waits in vain for the
 * other soon leaves. */
void mms_cluster_meet(mms_meeting *meeting, int self, int threads);

/* Records the handoff: nanoseconds until one thread sees what the other stored. */
void mms_cluster_record(double nanoseconds);

#endif
