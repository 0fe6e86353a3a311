/* estimate.h: what a scan costs, from a small table. */
#ifndef MMS_ESTIMATE_H
#define MMS_ESTIMATE_H

#include "engine/engine.h"

enum { MMS_ESTIMATE_SHORT = 52 }; /* elements: for shorter scans it matters whether there are many */

/* The shape of a problem. */
typedef struct mms_shape {
  const mms_algebra *algebra;
  size_t n, batch;
} mms_shape;

/* Nanoseconds that an engine takes for a job: on one thread, and on the number of threads for which it takes least. The
 * time of memory, which all engines have in common, is left out. */
typedef struct mms_cost {
  double alone, least;
  int threads;
} mms_cost;

/* With `most` threads at most. */
mms_cost mms_estimate(const mms_engine *engine, const mms_job *job, mms_shape shape, int most);

/* The number of threads to try after `threads`: twice as many, and `most` in the end. */
int mms_estimate_next_count(int threads, int most);

#endif
