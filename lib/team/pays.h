/* pays.h: whether it pays to call a team together now. Bits of results do not depend on that.
 *
 * Other work. Threads that share some microseconds of work wait for each other at the end. If a core is given to
 * something else for a while, that wait is a time slice of the system: milliseconds. So is the wait at the start if the
 * thread that is woken takes the core of the thread that wakes it, because the other core is busy: with another
 * process, or with threads of a BLAS that poll for work. When a team was held up like this, runs are left to one thread
 * for ten times as long, a second at most; and until the teams that were not called would have saved four times as much
 * as that one lost: one that saves 15 us and is held up for 5 ms now and then does not pay.
 *
 * Experience. What a team saves is an estimate. How long it takes to call one depends on what the program does in
 * between: after a pause OpenMP's threads sleep, and waking them takes tens of microseconds; data may lie in the cache
 * of one core; another pool of threads may hold the cores. So runs are timed, those after a pause and others apart, and
 * so are those that save more or less. The faster of the two ways is taken, and the slower one is tried again now and
 * then, the more seldom, the slower it is. */
#ifndef MMS_PAYS_H
#define MMS_PAYS_H

#include <stdbool.h>

/* What else makes runs alike, which are compared with each other alone. */
typedef struct mms_pays_sort {
  bool rested; /* after a pause */
  bool in_place, streams, are_many;
} mms_pays_sort;

/* Whether the last run from which something was learned on the calling thread was a while ago. */
bool mms_pays_rested(void);

/* Whether a team pays that is estimated to save so many nanoseconds; infinite: it was asked for, and pays unless other
 * work holds teams up. */
bool mms_pays(double saves, mms_pays_sort sort);

/* Records when such a run, by a team or by one thread, started and ended, by mms_clock(). */
void mms_pays_learn(double saves, mms_pays_sort sort, bool by_team, double start, double end);

/* Whether a team was held up by other work a short time ago. */
bool mms_pays_contended(void);

/* Whether some of what a team lost by that is still to be made up for. */
bool mms_pays_owes(void);

/* Records a team that took so many nanoseconds, of which the calling thread waited so many: for its part to begin, and
 * after it for all threads to finish. */
void mms_pays_record(double took, double waited);

#endif
