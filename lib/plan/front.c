/* front.c: segments are cut of what is packed. Only where something else is done to elements or results by tiles, or
 * where parts of complex numbers start from numbers of their own, is each piece of a segment packed by itself. */
#include "plan/front.h"

static const mms_engine *cut(mms_front *front, const mms_engine *engine, const mms_problem *p, mms_job *job,
                             size_t x_size, size_t y_size) {
  front->segments = (mms_segmented){
      .heads = *p->heads, .n = p->n, .inner = engine, .x_size = x_size, .y_size = y_size, .first = p->first};
  front->segmented = mms_engine_segmented(engine, p->count > 1 && !p->indices);
  job->segmented = &front->segments;
  return &front->segmented;
}

const mms_engine *mms_front_take(mms_front *front, const mms_engine *engine, const mms_problem *p, mms_job *job) {
  const mms_storage *s = p->storage;
  const bool are_columns = mms_problem_is_columns(p) && engine == &mms_engine_serial;
  const bool by_pieces = are_columns || p->is_monotone || p->overflows || p->indices || (s->planes > 1 && p->has_init);
  job->inner = engine;
  if (p->heads && !by_pieces) job->inner = cut(front, engine, p, job, s->size, s->size);
  if (!mms_problem_packs(p)) return job->inner;
  front->strided = mms_engine_strided(job->inner, are_columns);
  return p->heads && by_pieces ? cut(front, &front->strided, p, job, s->x_size, s->y_size) : &front->strided;
}
