/* trace.h: telling a caller's trace what a sweep does. */
#ifndef MMS_TRACE_H
#define MMS_TRACE_H

#include "mmscan.h"

typedef struct mms_trace {
  mmscan_trace *call; /* NULL: nobody listens, and the rest is not looked at */
  void *context;
  size_t *room;     /* for the positions of X, and after `half` of them those of W */
  size_t half;      /* no event has more entries */
  size_t positions; /* of the run */
  int step;         /* of Section 3.2 */
  size_t segment;   /* likewise */
  size_t first;     /* position of the element that a sweep calls x[0] */
  size_t depth;     /* of what a sweep waits for */
} mms_trace;

/* Sets entry i of X and of W. */
static inline void mms_trace_place(const mms_trace *trace, size_t i, size_t in, size_t out) {
  trace->room[i] = in;
  trace->room[trace->half + i] = out;
}

/* Calls with the event, whose entries are those placed from `from` on; its other common fields are filled in. */
void mms_trace_tell(const mms_trace *trace, size_t from, mmscan_event event);

#endif
