/* catalogue.c: asks of each operator and type whether there is such a scan, once. */
#include "plan/catalogue.h"

#include "plan/problem.h"
#include <pthread.h>
#include <string.h>

static mms_entry entries[(MMS_OPS - 1) * (MMS_TYPES - 1)];
static size_t count;

static mms_value element_of(const mms_problem *p, const mms_value *value) {
  mms_value element = {0};
  if (p->of_y->out)
    p->of_y->out(1, value->bytes, element.bytes, 1);
  else
    memcpy(&element, value, p->of_y->y_size);
  return element;
}

static void add(mmscan_op op, mmscan_type type) {
  const mmscan_desc from_identity = MMSCAN_DESC(type, op, MMSCAN_INCLUSIVE, 0),
                    from_start = MMSCAN_DESC(type, op, MMSCAN_EXCLUSIVE, 0);
  mms_problem p, q;
  if (mms_problem_from(&p, &from_identity) || mms_problem_from(&q, &from_start)) return;
  entries[count++] =
      (mms_entry){p.algebra, type, element_of(&p, &p.first), element_of(&q, q.restarts ? &q.start : &q.first)};
}

static void fill(void) {
  for (int op = MMSCAN_PLUS; op < MMS_OPS; op++)
    for (int type = MMSCAN_F32; type < MMS_TYPES; type++) add((mmscan_op)op, (mmscan_type)type);
}

const mms_entry *mms_catalogue_at(size_t index) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill);
  return index < count ? &entries[index] : NULL;
}
