/* spread.h: the threads of a team, each on a CPU of its own from the start.
 *
 * A thread that was just started may be queued on the CPU of the one that started it, while another CPU is idle: some
 * systems see that at the next tick only, and OpenMP's threads do not sleep until then. The first run by such a team
 * would take milliseconds. A thread that finds its CPU taken moves to one that is not, if it may be there. Afterwards
 * it may be where it could be before.
 */
#ifndef MMS_SPREAD_H
#define MMS_SPREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct mms_spread {
  atomic_int here;      /* threads that have come */
  pthread_mutex_t lock; /* for what follows */
  cpu_set_t taken;
} mms_spread;

#define MMS_SPREAD_READY                                                                                               \
  { .lock = PTHREAD_MUTEX_INITIALIZER }

/* Called by each of so many threads, where they begin. Waits for the others, but not for long. */
void mms_spread_out(mms_spread *spread, int threads);

#endif
