/* team.h: threads that work together. team.c is the only file that knows OpenMP. */
#ifndef MMS_TEAM_H
#define MMS_TEAM_H

#include "mmscan.h"

/* The largest number that may be asked for. */
enum { MMS_TEAM_MOST = 1 << 20 };

/* How many threads a team may have: at most `limit` (0: OpenMP's own rules, and no more than the CPUs that a container
 * is allowed), at most OMP_THREAD_LIMIT, and never so many that starting them takes seconds. The second call: how many
 * of them here and now. */
int mms_team_most(int limit);
int mms_team_available(int limit);

/* How many threads a team that starts now should have. `threads` is at most what mms_team_available() returns. Fewer if
 * the system does not start so many, or if a team that saves so many nanoseconds does not pay for starting them, yet;
 * infinite: it was asked for. */
int mms_team_startable(int threads, double saves);

/* CPUs that this process may run on. */
int mms_team_cpus(void);

/* One of the threads. */
typedef struct mms_member {
  size_t index; /* 0: the calling thread */
  void *work;   /* a workspace of its own, aligned to 64; NULL if none was asked for */
} mms_member;

typedef void mms_team_part(void *shared, const mms_member *self);

/* Has a team of `threads` threads do their parts, each with a workspace of `work_size` bytes, and returns when all are
 * done. Parts round as the caller does, and cannot be cancelled. The team may be smaller, and a thread that finds no
 * memory for its workspace does nothing: the others do its part. MMSCAN_ENOMEM: no thread found any. One thread is the
 * calling one, with little overhead, as its part may be tiny; it can be cancelled. */
mmscan_status mms_team_run(int threads, size_t work_size, mms_team_part *part, void *shared);

/* In a forked child that has lost its threads OpenMP makes no teams for the calling thread between these calls: MKL's
 * gemm_bf16bf16f32 takes one whatever MKL is told, and would wait for it for ever. Pass the result of the first to the
 * second. Do not call them under a lock that is held across fork(), as OpenMP has such locks too. */
int mms_team_off(void);
void mms_team_back(int before);

#endif
