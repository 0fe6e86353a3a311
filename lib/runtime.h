/* runtime.h: threads, and how they share a run: the tiles of one scan, or the scans of a batch. */
#ifndef MMS_RUNTIME_H
#define MMS_RUNTIME_H

#include "tiles.h"

/* Does a run. MMSCAN_ENOMEM: no thread found memory for its workspace, and nothing is written. */
mmscan_status mms_runtime_scan(const mms_run *run);

/* No run has more threads. */
enum { MMS_MOST_THREADS = 1 << 20 };

/* How many threads a run may use: at most `limit` (0: OpenMP's own rules, and no more than the CPUs that a container is
 * allowed), and at most OMP_THREAD_LIMIT. The second call: how many of them here and now. */
int mms_runtime_most_threads(int limit);
int mms_runtime_threads(int limit);

/* How many threads a region that starts now should have. `threads` is at most what mms_runtime_threads() returns. 1 if
 * the system does not start so many. */
int mms_runtime_startable(int threads);

#endif
