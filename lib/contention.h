/* contention.h: other work on our cores.
 *
 * Threads that share some microseconds of work wait for each other at the end. If a core is given to something else for
 * a while, that wait is a time slice of the system: milliseconds. So is the wait at the start if the thread that is
 * woken takes the core of the thread that wakes it, because the other core is busy: with another process, or with
 * threads of a BLAS that poll for work. When a run was held up like this, runs are left to one thread for ten times as
 * long, a second at most. Bits do not depend on that.
 */
#ifndef MMS_CONTENTION_H
#define MMS_CONTENTION_H

#include <stdbool.h>

/* Nanoseconds: longer than any wait for other threads to be woken, and for their last tiles. */
enum { MMS_CONTENTION_WAIT = 1000000 };

/* Whether a run by several threads was held up a short time ago. */
bool mms_contended(void);

/* Records a run by several threads that took so many nanoseconds, of which the calling thread waited so many: for its
 * part to begin, and after it for all threads to finish. */
void mms_contention_record(double took, double waited);

#endif
