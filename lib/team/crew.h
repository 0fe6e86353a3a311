/* crew.h: OpenMP's threads that work for the calling thread: how many there are, and on which CPUs they wake.
 *
 * OpenMP keeps the threads of a team for the next one of the same thread. It may start fewer than were asked for
 * (OMP_DYNAMIC), and the program may end them (omp_pause_resource(), a smaller team of its own). So they are counted
 * when they start, and what ends is noticed, once it has ended.
 *
 * A thread that has waited for long sleeps. The system may wake it on the CPU of the thread that wakes it, as the two
 * share data, although another CPU is idle. There it waits for a time slice, some milliseconds, while the other thread
 * waits for it. So threads that may be asleep are kept from that CPU until the team is done, unless the process has a
 * filter of system calls. */
#ifndef MMS_CREW_H
#define MMS_CREW_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* So many of them are kept from a CPU: where there are more, another CPU is likely to be idle. */
enum { MMS_CREW_KEPT = 15 };

/* One for each calling thread. */
typedef struct mms_crew {
  int size;          /* threads of its last team, itself included; 1: it had none, or some of them have ended */
  unsigned ended;    /* how many threads had ended then, and those that were let go since */
  double idle_since; /* by mms_clock(): when it was done */
  double forgone;    /* nanoseconds that a larger team would have saved so far */
  size_t slot;       /* where the end of its threads is counted; 0: there is no place yet */
  _Atomic(pid_t) ids[MMS_CREW_KEPT];
} mms_crew;

/* That of the calling thread, with its size as it is now. */
mms_crew *mms_crew_here(void);

/* Has a smaller team from now on: OpenMP ends the threads that it does not need. */
void mms_crew_shrink(mms_crew *crew, int size);

/* Whether to start so many threads more, for a team that saves so many nanoseconds: once it would have saved what it
 * takes to start them, as a thread may end after few calls. */
bool mms_crew_start_pays(mms_crew *crew, int more, double saves);

/* What each thread of a new team does: member `index` of the crew, which is 0 for the calling thread. */
void mms_crew_join(mms_crew *crew, int index);

/* The CPUs of threads before they were kept from one; none of those that were not. */
typedef struct mms_crew_cpus {
  int cpu;
  cpu_set_t before[MMS_CREW_KEPT];
} mms_crew_cpus;

/* Keeps the crew from the CPU of the calling thread, and lets it go there again. What was changed in between by the
 * program stays as it is. */
void mms_crew_keep_away(mms_crew *crew, mms_crew_cpus *cpus);
void mms_crew_let_back(mms_crew *crew, const mms_crew_cpus *cpus);

#endif
