/* crowd.h: other processes on our cores.
 *
 * Threads that work together on some microseconds wait for each other at the end, and where a core is somebody else's
 * for a while that wait is a time slice of the system: milliseconds. A run that was held up so tells of it, and for ten
 * times as long runs are left to one thread. Bits do not depend on that.
 */
#ifndef MMS_CROWD_H
#define MMS_CROWD_H

#include <stdbool.h>

/* Whether a run by several threads was held up just now. */
bool mms_crowd_is_here(void);

/* A run by several threads, by mms_clock(): when it started, when the calling thread had nothing left to do, when all
 * had. */
void mms_crowd_saw(double start, double idle, double end);

#endif
