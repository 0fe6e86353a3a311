/* trace.h: tells the caller's trace what a sweep does. */
#ifndef MMS_TRACE_H
#define MMS_TRACE_H

#include "mmscan.h"
#include <stdbool.h>

typedef struct mms_trace {
  mmscan_trace *call; /* NULL: there is none, and the rest is not used */
  void *context;
  size_t *work;     /* for `half` positions of X, then as many of W */
  size_t half;      /* the most entries an event has */
  size_t positions; /* of the run */
  int step;         /* of Section 3.2 */
  size_t segment;   /* likewise */
  size_t first;     /* position of the element that a sweep calls x[0] */
  size_t depth;     /* of what a sweep waits for */
} mms_trace;

/* Sets entry i of X and of W. */
static inline void mms_trace_place(const mms_trace *trace, size_t i, size_t in, size_t out) {
  trace->work[i] = in;
  trace->work[trace->half + i] = out;
}

/* Calls the trace with the event, after filling in its entries, which are those placed from index `from` on, and the
 * fields that all events of a run have in common. */
void mms_trace_tell(const mms_trace *trace, size_t from, mmscan_event event);

/* Does mmscan_event_term(), given an event and a position. */
bool mms_trace_term(const mmscan_event *event, size_t entry, size_t k, size_t *position);

#endif
