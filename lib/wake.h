/* wake.h: threads that sleep.
 *
 * After a run OpenMP's threads poll for work for some milliseconds, or not at all (OMP_WAIT_POLICY=passive), and then
 * sleep. To wake them, and to be woken at the end, takes tens of microseconds, in which one thread scans some 100,000
 * elements. If two runs in succession had to do so, runs that would save less time than that are left to one thread for
 * a while. Bits do not depend on that.
 */
#ifndef MMS_WAKE_H
#define MMS_WAKE_H

#include <stdbool.h>

/* Whether threads should be called together for a run in which they save so many nanoseconds. */
bool mms_wake_pays(double saves);

/* Records a run by several threads that took so many nanoseconds, of which the calling thread waited so many. */
void mms_wake_record(double took, double waited);

#endif
