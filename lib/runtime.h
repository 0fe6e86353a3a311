/* runtime.h: threads, and what they share of a run: tiles of one scan, or the scans of a batch. */
#ifndef MMS_RUNTIME_H
#define MMS_RUNTIME_H

#include "tiles.h"

/* MMSCAN_ENOMEM, and nothing written, where no thread finds memory for a room. */
mmscan_status mms_runtime_scan(const mms_run *run);

/* Nobody is given more. */
enum { MMS_MOST_THREADS = 1 << 20 };

/* How many threads a run may use, of at most `limit` (0: OpenMP's own rules, and no more than the CPUs that a container
 * is allowed) and OMP_THREAD_LIMIT; and how many of them here and now. */
int mms_runtime_most_threads(int limit);
int mms_runtime_threads(int limit);

/* How many a region that starts now is to have, of `threads`, which are what mms_runtime_threads() says or less: 1
 * where the system does not start so many. */
int mms_runtime_team(int threads);

#endif
