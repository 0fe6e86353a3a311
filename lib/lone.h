/* lone.h: one thread, where memory is the limit.
 *
 * A die of some CPUs reads and writes memory no faster than one of its cores does. Threads that share a scan there are
 * slower than one alone, as they reduce some of x before they scan it. That this is so here is not taken for granted:
 * of scans that may be one thread's the first is shared, the second is not, and from then on whoever was faster has
 * them, but for one in many, by which the other is timed again. One that was held up changes nothing: of two the faster
 * counts. Bits do not depend on that.
 */
#ifndef MMS_LONE_H
#define MMS_LONE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether so many bytes of x in so many nanoseconds are no core's pace at memory: pages of y are new, say, which the
 * system clears as they are written to, and several threads write more of these. */
bool mms_lone_is_slow(size_t bytes, double took);

/* Whether one thread should have a scan that may be shared by threads of one die. */
bool mms_lone_pays(void);

/* One of so many bytes took so many nanoseconds: alone, or shared. */
void mms_lone_saw(bool alone, size_t bytes, double took);

#endif
