/* trace.c: fills in what all events of a run have in common, and reads the terms of an event. */
#include "paper/trace.h"

#include "unit/matrix.h"

void mms_trace_tell(const mms_trace *t, size_t from, mmscan_event event) {
  event.struct_size = sizeof event;
  event.step = t->step;
  event.segment = t->segment;
  event.depth += t->depth;
  event.positions = t->positions;
  event.in = t->work + from;
  event.out = t->work + t->half + from;
  t->call(t->context, &event);
}

bool mms_trace_term(const mmscan_event *e, size_t entry, size_t k, size_t *position) {
  if (k >= e->s) {
    *position = e->add ? e->add[entry] : MMSCAN_NO_ELEMENT;
    return e->add && k == e->s;
  }
  *position = e->in[entry / e->s * e->s + k];
  return mms_matrix_entry(e->matrix, entry % e->s, k);
}
