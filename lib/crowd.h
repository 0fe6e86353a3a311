/* crowd.h: others on our cores.
 *
 * Threads that work together on some microseconds wait for each other at the end, and where a core is somebody else's
 * for a while that wait is a time slice of the system: milliseconds. So is the start, where the thread that is woken
 * takes the core of the one that wakes it, as the other core is taken: by another process, or by threads of a BLAS that
 * look out for work. A run that was held up so tells of it, and for ten times as long, a second at most, runs are left
 * to one thread. Bits do not depend on that.
 */
#ifndef MMS_CROWD_H
#define MMS_CROWD_H

#include <stdbool.h>

/* Nanoseconds: longer than any wait for other threads to be woken, and for their last tiles. */
enum { MMS_CROWD_WAIT = 1000000 };

/* Whether a run by several threads was held up just now. */
bool mms_crowd_is_here(void);

/* A run by several threads, by mms_clock(): when they were called together, when the calling thread began its part,
 * when it had nothing left to do, when all had, and had met (apart.h). */
void mms_crowd_saw(double call, double start, double idle, double end);

#endif
