/* runtime.h: threads, tiles, the carry chain and the rows of a batch. */
#ifndef MMS_RUNTIME_H
#define MMS_RUNTIME_H

#include "engine/engine.h"

/* `batch` scans of n elements each, by an engine. Distances are in elements. */
typedef struct mms_run {
  const mms_engine *engine;
  const mms_job *job;
  size_t n, batch;
  ptrdiff_t x_dist, y_dist;
  const void *x;
  void *y;
  mms_value first; /* the carry into every scan, where carry is NULL */
  void *carry;     /* one element a scan: its carry in, and out; or NULL */
  int threads;     /* how many to use, where so many may run */
} mms_run;

/* MMSCAN_ENOMEM, and nothing written, where no thread finds a work space. */
mmscan_status mms_runtime_scan(const mms_run *run);

/* How many threads a run may use, of at most `limit` (0: OpenMP's own rules, and no more than the CPUs that a container
 * is allowed); and how many of them here and now. */
int mms_runtime_most_threads(int limit);
int mms_runtime_threads(int limit);

#endif
