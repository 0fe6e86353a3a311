/* problem.c: validates a request and writes it as a problem. */
#include "problem.h"

#include "check.h"

/* ---- Descriptions --------------------------------------------------------------------------------------------- */

static mmscan_status check_values(const mmscan_desc *d) {
  if (!mms_in_enum(d->x_type, MMSCAN_U8) || !mms_in_enum(d->y_type, MMSCAN_U8)) return MMSCAN_EINVAL;
  if (!mms_in_enum(d->op, MMSCAN_MUL) || !mms_in_enum(d->kind, MMSCAN_EXCLUSIVE)) return MMSCAN_EINVAL;
  if (d->init && d->kind == MMSCAN_INCLUSIVE) return MMSCAN_EINVAL;
  if (d->y_stride == 0 && d->n > 1) return MMSCAN_EINVAL;
  return MMSCAN_OK;
}

static mmscan_status check_supported(const mmscan_desc *d) {
  if (d->x_type != d->y_type || !mms_algebra_of(d->op, d->x_type)) return MMSCAN_ENOTSUP;
  if (d->n > 1 && (d->x_stride != 1 || d->y_stride != 1)) return MMSCAN_ENOTSUP;
  return MMSCAN_OK;
}

/* The elements from the lowest to the highest of all rows must be addressable. */
static mmscan_status check_extent(size_t n, size_t batch, ptrdiff_t dist, size_t size) {
  size_t limit = PTRDIFF_MAX / size;
  if (n > limit) return MMSCAN_EINVAL;
  if (batch > 1 && mms_magnitude(dist) > (limit - n) / (batch - 1)) return MMSCAN_EINVAL;
  return MMSCAN_OK;
}

static mmscan_status check_shape(const mms_problem *p) {
  size_t size = p->algebra->size;
  if (p->n == 0 || p->batch == 0) return MMSCAN_OK;
  if (check_extent(p->n, p->batch, p->x_dist, size) || check_extent(p->n, p->batch, p->y_dist, size))
    return MMSCAN_EINVAL;
  if (p->batch > 1 && mms_magnitude(p->y_dist) < p->n) return MMSCAN_EOVERLAP;
  return MMSCAN_OK;
}

/* An inclusive scan starts from the identity. */
static mms_value first_carry(const mms_algebra *algebra, mmscan_kind kind, const void *init) {
  if (kind == MMSCAN_INCLUSIVE) return mms_algebra_value(algebra, algebra->identity);
  return mms_algebra_value(algebra, init ? init : algebra->start);
}

mmscan_status mms_problem_from(mms_problem *p, const mmscan_desc *d) {
  mmscan_status status;
  if (!d) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if ((status = check_values(d))) return status;
  if ((status = check_supported(d))) return status;
  const mms_algebra *algebra = mms_algebra_of(d->op, d->x_type);
  *p = (mms_problem){.algebra = algebra,
                     .kind = d->kind,
                     .reverse = d->reverse != 0,
                     .n = d->n,
                     .whole = d->n,
                     .batch = d->n ? d->batch : 0,
                     .x_dist = d->batch > 1 ? d->x_dist : 0,
                     .y_dist = d->batch > 1 ? d->y_dist : 0,
                     .first = first_carry(algebra, d->kind, d->init)};
  return check_shape(p);
}

/* If there is nothing to scan, no carry is needed. */
mmscan_status mms_problem_block(mms_problem *p, const mmscan_desc *d, const void *carry) {
  mmscan_status status = mms_problem_from(p, d);
  if (status) return status;
  p->whole = SIZE_MAX;
  return d->init || (p->batch && !carry) ? MMSCAN_EINVAL : MMSCAN_OK;
}

/* ---- Arrays --------------------------------------------------------------------------------------------------- */

/* Rows of x at distance 0 are the same row. */
static mmscan_status check_batch(const mms_problem *p, const void *x, const void *y, size_t size) {
  if (x == y && p->x_dist == p->y_dist) return MMSCAN_OK;
  size_t x_batch = p->x_dist == 0 ? 1 : p->batch;
  return mms_check_rows(mms_array_of(x, p->x_dist, x_batch, p->n, size),
                        mms_array_of(y, p->y_dist, p->batch, p->n, size));
}

mmscan_status mms_check_arrays(const mms_problem *p, const void *x, const void *y) {
  size_t size = p->algebra->size;
  if (p->batch == 0) return MMSCAN_OK;
  if (!mms_is_array(x, size) || !mms_is_array(y, size)) return MMSCAN_EINVAL;
  return p->batch == 1 ? mms_check_pair(x, y, p->n * size) : check_batch(p, x, y, size);
}
