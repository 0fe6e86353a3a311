/* trace.c: what all events of a run have in common. */
#include "paper/trace.h"

void mms_trace_tell(const mms_trace *t, size_t from, mmscan_event event) {
  event.struct_size = sizeof event;
  event.step = t->step;
  event.segment = t->segment;
  event.depth += t->depth;
  event.positions = t->positions;
  event.in = t->room + from;
  event.out = t->room + t->half + from;
  t->call(t->context, &event);
}
