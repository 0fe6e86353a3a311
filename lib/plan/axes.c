/* axes.c: sorts and merges dimensions. */
#include "plan/axes.h"

#include "plan/check.h"

/* All dimensions around the scan, the fastest in memory first. */
typedef struct axes {
  size_t rank;
  mms_axis axis[MMS_OUTER + 1];
} axes;

/* Sorted by strides of y, and then of x. */
static bool is_faster(const mms_axis *a, const mms_axis *b) {
  const size_t y = mms_magnitude(a->y), other = mms_magnitude(b->y);
  return y < other || (y == other && mms_magnitude(a->x) < mms_magnitude(b->x));
}

/* Whether an axis can be anywhere in memory: then no sum of a few of them overflows. */
static bool fits(size_t n, ptrdiff_t stride) {
  size_t span;
  return !__builtin_mul_overflow(n, mms_magnitude(stride), &span) && span <= PTRDIFF_MAX / 32;
}

/* An axis on which y descends is gone through from its other end. Returns false if it is longer than memory. */
static bool add(axes *all, mms_problem *p, mms_axis axis) {
  if (axis.n == 1) return true;
  if (p->n == 0) axis.x = 0;                   /* there are no elements of x, */
  if (p->n == 0 && !p->is_offsets) axis.y = 0; /* nor of y */
  if (!fits(axis.n, axis.x) || !fits(axis.n, axis.y) || !fits(axis.n, axis.total)) return false;
  if (axis.y < 0) {
    const ptrdiff_t last = (ptrdiff_t)(axis.n - 1);
    p->x_at += last * axis.x, p->total_at += last * axis.total;
    p->y_at = (ptrdiff_t)((size_t)p->y_at + (size_t)(last * axis.y)); /* a stride that was not looked at yet is in it */
    axis.x = -axis.x, axis.y = -axis.y, axis.total = -axis.total;
  }
  size_t i = all->rank++;
  for (; i > 0 && is_faster(&axis, &all->axis[i - 1]); i--) all->axis[i] = all->axis[i - 1];
  all->axis[i] = axis;
  return true;
}

static bool goes_on(const mms_axis *a, const mms_axis *b) {
  const ptrdiff_t n = (ptrdiff_t)a->n;
  return b->x == n * a->x && b->y == n * a->y && b->total == n * a->total;
}

static void merge(axes *all) {
  size_t kept = 0;
  for (size_t i = 1; i < all->rank; i++)
    if (goes_on(&all->axis[kept], &all->axis[i]))
      all->axis[kept].n *= all->axis[i].n;
    else
      all->axis[++kept] = all->axis[i];
  all->rank = all->rank > 0 ? kept + 1 : 0;
}

static size_t choose_batch(const axes *all, const mms_problem *p) {
  size_t best = 0;
  for (size_t i = 0; i < all->rank; i++) {
    if (all->axis[i].x == 1 && all->axis[i].y == 1 && !mms_problem_is_contiguous(p)) return i;
    if (all->axis[i].n > all->axis[best].n) best = i;
  }
  return best;
}

bool mms_axes_set(mms_problem *p, const mmscan_desc *d) {
  axes all = {.rank = 0};
  size_t count = d->batch;
  if (!add(&all, p, (mms_axis){d->batch, d->x_dist, d->y_dist, d->totals ? 1 : 0})) return false;
  for (size_t i = d->outer_rank; i-- > 0;) {
    const mmscan_dim *outer = &d->outer[i];
    const mms_axis axis = {outer->n, outer->x_stride, outer->y_stride, d->totals ? (ptrdiff_t)count : 0};
    if (!add(&all, p, axis)) return false;
    if (__builtin_mul_overflow(count, outer->n, &count) || count > PTRDIFF_MAX) return false;
  }
  merge(&all);
  p->count = count;
  if (all.rank == 0) return true;
  const size_t batch = choose_batch(&all, p);
  const mms_axis *inner = &all.axis[batch];
  p->batch = inner->n, p->x_dist = inner->x, p->y_dist = inner->y, p->total_dist = inner->total;
  for (size_t i = all.rank; i-- > 0;)
    if (i != batch) p->outer[p->rank++] = all.axis[i];
  return true;
}
