/* lone.h: one thread in place of several, where memory is the limit.
 *
 * On some CPUs all cores of a die together read and write memory no faster than one of them. Several threads that share
 * a scan are slower there than one alone, as they reduce some of x before they scan it. Whether this holds here is
 * measured: of the scans that one thread may do, the first is shared and the second is not. From then on the faster way
 * does them, except for one scan in many, by which the other way is timed again. Of the last two times of each way the
 * shorter counts, so a scan that was held up changes nothing. Bits do not depend on the choice.
 */
#ifndef MMS_LONE_H
#define MMS_LONE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether so many nanoseconds for so many bytes of x are more than a core needs at memory's pace. The pages of y may be
 * new, say: the system clears them when they are first written, and several threads get through more of these. */
bool mms_lone_is_slow(size_t bytes, double took);

/* Whether one thread should do a scan that the threads of one die may share. */
bool mms_lone_pays(void);

/* Records a scan of so many bytes that took so many nanoseconds, alone or shared. */
void mms_lone_record(bool alone, size_t bytes, double took);

#endif
