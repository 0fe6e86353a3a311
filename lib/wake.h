/* wake.h: threads that sleep.
 *
 * OpenMP's threads look out for work for some milliseconds after a run, or not at all (OMP_WAIT_POLICY=passive), and
 * then sleep. To wake one, and to be woken at the end, takes tens of microseconds, in which one thread scans some
 * 100,000 elements. Where that was so in two runs, one after another, runs that save less than that are left to one
 * thread for a while. Bits do not depend on that.
 */
#ifndef MMS_WAKE_H
#define MMS_WAKE_H

#include <stdbool.h>

/* Whether threads should be called together for a run of which they save so many nanoseconds. */
bool mms_wake_pays(double saves);

/* A run by several threads took so many nanoseconds; for so many of them the calling thread waited. */
void mms_wake_saw(double took, double waited);

#endif
