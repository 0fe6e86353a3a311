/* segments.c: checks where segments begin; and writes the totals of segments, which stand among the results of an
 * inclusive scan. An exclusive one with totals is such a scan, whose results are then moved on by one. */
#include "plan/segments.h"

#include "plan/check.h"
#include "plan/execute.h"
#include <string.h>

/* ---- Checks --------------------------------------------------------------------------------------------------- */

/* From 0 to n, none below the one before it. A loop for each type, without a branch. */
static inline __attribute__((always_inline)) bool ascend_to(const mms_heads *h, size_t n) {
  bool falls = false;
  for (size_t k = 0; k < h->count; k++) falls |= mms_heads_start(h, k) > mms_heads_start(h, k + 1);
  return !falls && mms_heads_start(h, 0) == 0 && (uint64_t)mms_heads_start(h, h->count) == n;
}

static bool ascend(const mms_heads *h, size_t n) {
  const mms_heads of_4 = {h->form, MMSCAN_I32, h->count, h->data}, of_8 = {h->form, MMSCAN_I64, h->count, h->data};
  return h->type == MMSCAN_I32 ? ascend_to(&of_4, n) : ascend_to(&of_8, n);
}

static mmscan_status check_starts(const mmscan_segments *s, const mms_heads *h, size_t n) {
  const bool is_type = s->type == MMSCAN_I32 || s->type == MMSCAN_I64;
  size_t bytes;
  if (!is_type || __builtin_add_overflow(s->count, 1, &bytes)) return MMSCAN_EINVAL;
  if (__builtin_mul_overflow(bytes, mms_type_of(s->type)->size, &bytes) || bytes > PTRDIFF_MAX) return MMSCAN_EINVAL;
  return mms_is_array(s->data, mms_type_of(s->type)->size) && ascend(h, n) ? MMSCAN_OK : MMSCAN_EINVAL;
}

static mmscan_status check_marks(const mmscan_segments *s, size_t n) {
  const bool are_keys = s->form == MMSCAN_KEYS;
  if (s->totals || (are_keys && !mms_in_enum(s->type, MMS_TYPES - 1))) return MMSCAN_EINVAL;
  return n == 0 || mms_is_array(s->data, are_keys ? mms_type_of(s->type)->size : 1) ? MMSCAN_OK : MMSCAN_EINVAL;
}

static mmscan_status check_segments(const mmscan_desc *d, const mmscan_segments *s, const mms_heads *h) {
  if (d->totals) return MMSCAN_EINVAL;
  if (d->kind == MMSCAN_OFFSETS) return MMSCAN_ENOTSUP;
  return s->form == MMSCAN_STARTS ? check_starts(s, h, d->n) : check_marks(s, d->n);
}

static mmscan_status check_structs(const mmscan_desc *d, const mmscan_segments *s) {
  const mmscan_status status = mms_check_struct(s, sizeof *s);
  if (status) return status;
  if (!mms_in_enum((int)s->form, MMSCAN_KEYS)) return MMSCAN_EINVAL;
  return mms_check_struct(d, sizeof *d);
}

/* ---- Totals --------------------------------------------------------------------------------------------------- */

/* What is done to results: elements of y, as it is stored. */
typedef struct ends {
  const mmscan_desc *desc;
  const mms_heads *heads;
  size_t size, part; /* bytes of an element, and of each of its parts that is a number */
  unsigned char start[sizeof(mms_value)], first[sizeof(mms_value)]; /* what scans start with, and from */
  char *totals;                                                     /* of this scan; NULL: none are wanted */
  bool moves;                                                       /* the scan is exclusive */
} ends;

static void store(const mms_problem *p, const mms_value *value, unsigned char *element) {
  if (p->of_y->out)
    p->of_y->out(1, value->bytes, element, 1);
  else
    memcpy(element, value->bytes, p->of_y->y_size);
}

/* Results that no element has changed become the start. */
static void restart(const ends *e, char *y, ptrdiff_t step, size_t m) {
  if (e->desc->init || memcmp(e->first, e->start, e->size) == 0) return;
  for (size_t p = 0; p < e->size; p += e->part)
    for (size_t i = 0; i < m && memcmp(y + (ptrdiff_t)i * step + p, e->first + p, e->part) == 0; i++)
      memcpy(y + (ptrdiff_t)i * step + p, e->start + p, e->part);
}

/* y: the first of m results in the order of the scan. */
static void move_on(const ends *e, char *y, ptrdiff_t step, size_t m) {
  for (size_t i = m - 1; i > 0; i--) memcpy(y + (ptrdiff_t)i * step, y + ((ptrdiff_t)i - 1) * step, e->size);
  memcpy(y, e->start, e->size);
  restart(e, y + step, step, m - 1);
}

static void move_indices_on(int64_t *indices, ptrdiff_t step, size_t m) {
  for (size_t i = m - 1; i > 0; i--) indices[(ptrdiff_t)i * step] = indices[((ptrdiff_t)i - 1) * step];
  indices[0] = -1;
}

/* The results of a segment, of which there are m, from element `low` on. */
static void end_segment(const ends *e, char *y, int64_t *indices, size_t segment, size_t low, size_t m) {
  const mmscan_desc *d = e->desc;
  const ptrdiff_t stride = d->n > 1 ? d->y_stride : 1, step = (d->reverse ? -stride : stride) * (ptrdiff_t)e->size;
  const ptrdiff_t first = (ptrdiff_t)(d->reverse ? low + m - 1 : low) * stride;
  char *from = m > 0 ? y + first * (ptrdiff_t)e->size : NULL;
  const void *last = m > 0 ? (const void *)(from + (ptrdiff_t)(m - 1) * step) : e->start;
  if (e->totals) memcpy(e->totals + segment * e->size, last, e->size);
  if (!e->moves || m == 0) return;
  move_on(e, from, step, m);
  if (indices) move_indices_on(indices + first, d->reverse ? -stride : stride, m);
}

static void end_scan(const ends *e, char *y, int64_t *indices) {
  const mms_heads *h = e->heads;
  if (h->form == MMSCAN_STARTS) {
    for (size_t k = 0; k < h->count; k++) {
      const size_t low = (size_t)mms_heads_start(h, k);
      end_segment(e, y, indices, k, low, (size_t)mms_heads_start(h, k + 1) - low);
    }
    return;
  }
  for (size_t low = 0, high; low < e->desc->n; low = high) {
    high = mms_heads_next(h, low, e->desc->n);
    end_segment(e, y, indices, 0, low, high - low);
  }
}

/* Scan `index`, the batch fastest, then outer dimensions as in C: how far its results are from those of scan 0. */
static ptrdiff_t results_at(const mmscan_desc *d, size_t index) {
  ptrdiff_t at = (ptrdiff_t)(index % d->batch) * d->y_dist;
  index /= d->batch;
  for (size_t i = d->outer_rank; i-- > 0; index /= d->outer[i].n)
    at += (ptrdiff_t)(index % d->outer[i].n) * d->outer[i].y_stride;
  return at;
}

/* One scan, of no elements, with what segments start with as its carry. */
static mmscan_status start_of(const mmscan_desc *d, const mms_heads *heads, mms_problem *p) {
  mmscan_desc one = *d;
  one.kind = MMSCAN_EXCLUSIVE;
  one.n = 0;
  one.batch = 1;
  one.outer_rank = 0;
  return mms_problem_segmented(p, &one, heads);
}

/* Before results are written, among which init may be. */
static mmscan_status begin_ends(ends *e, const mmscan_desc *d, const mms_heads *heads) {
  mms_problem p;
  mms_value identity = {0};
  const mmscan_status status = start_of(d, heads, &p);
  if (status) return status;
  *e = (ends){.desc = d, .heads = heads, .size = mms_type_of(d->y_type)->size};
  for (size_t i = 0; i < p.storage->planes; i++)
    memcpy(identity.bytes + i * p.algebra->size, p.algebra->identity, p.algebra->size);
  store(&p, &p.first, e->start);
  store(&p, p.algebra->is_exact ? &p.first : &identity, e->first);
  e->part = e->size / p.storage->planes;
  return MMSCAN_OK;
}

static void end_scans(ends *e, const mmscan_segments *s, size_t scans, void *y) {
  const mmscan_desc *d = e->desc;
  e->moves = d->kind == MMSCAN_EXCLUSIVE;
  for (size_t k = 0; k < scans; k++) {
    const ptrdiff_t at = results_at(d, k);
    e->totals = s->totals ? (char *)s->totals + k * s->count * e->size : NULL;
    end_scan(e, y ? (char *)y + at * (ptrdiff_t)e->size : NULL, d->indices ? (int64_t *)d->indices + at : NULL);
  }
}

/* ---- The call ------------------------------------------------------------------------------------------------- */

/* Whether an exclusive scan is made of an inclusive one. Complex numbers times 1 are not themselves, to the bit. */
static bool is_moved(const mmscan_desc *d, const mmscan_segments *s) {
  const bool is_product = d->op == MMSCAN_MUL && mms_type_of(d->y_type)->kind == 'c';
  return d->kind == MMSCAN_EXCLUSIVE && (s->totals || (is_product && !d->init));
}

static mmscan_status execute(mmscan_plan *plan, const mmscan_choice *choice, const void *x, void *y) {
  if (mms_problem_is_empty(&plan->problem)) return mms_execute_empty(&plan->problem, y, NULL);
  mmscan_status status = mms_plan_choose(plan, choice);
  if (status) return status;
  status = mms_execute(plan, x, y, NULL);
  mms_plan_drop(plan);
  return status;
}

mmscan_status mms_segments_scan(const mmscan_desc *desc, const mmscan_segments *s, const mmscan_choice *choice,
                                const void *x, void *y) {
  mmscan_plan plan;
  mmscan_status status = check_structs(desc, s);
  if (status) return status;
  const mms_heads heads = {.form = s->form, .type = s->type, .count = s->count, .data = s->data};
  mmscan_desc d = *desc;
  d.struct_size = sizeof d;
  if ((status = mms_problem_segmented(&plan.problem, &d, &heads))) return status;
  if ((status = check_segments(&d, s, &heads))) return status;
  if (s->totals && !mms_is_array(s->totals, mms_type_of(d.y_type)->size)) return MMSCAN_EINVAL;
  if (is_moved(&d, s)) {
    d.kind = MMSCAN_INCLUSIVE;
    if ((status = mms_problem_segmented(&plan.problem, &d, &heads))) return status;
  }
  const size_t scans = plan.problem.count / (plan.problem.has_parts ? 2 : 1);
  ends e;
  if ((status = begin_ends(&e, &d, &heads))) return status;
  status = execute(&plan, choice, x, y);
  if (status && status != MMSCAN_EOVERFLOW) return status;
  d.kind = desc->kind;
  if (s->totals || is_moved(&d, s)) end_scans(&e, s, scans, y);
  return status;
}
