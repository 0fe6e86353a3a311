/* problem.c: validates a request and writes it as a problem. */
#include "plan/problem.h"

#include "plan/check.h"
#include "plan/lattice.h"
#include <string.h>

/* ---- Descriptions --------------------------------------------------------------------------------------------- */

/* Not inlined, as descriptions are seldom wrong. */
__attribute__((noinline)) static mmscan_status refuse(mms_flaw *flaw, mmscan_status status, const char *field,
                                                      ptrdiff_t value, const char *why) {
  *flaw = (mms_flaw){.field = field, .why = why, .value = value};
  return status;
}

static mmscan_status check_struct(const mmscan_desc *d, mms_flaw *flaw) {
  const mmscan_status status = mms_check_struct(d, sizeof *d);
  if (status == MMSCAN_OK) return status;
  if (!d) return refuse(flaw, status, "desc", 0, "it is NULL");
  return refuse(flaw, status, "struct_size", (ptrdiff_t)d->struct_size,
                status == MMSCAN_EINVAL ? "it has to be sizeof(mmscan_desc), as MMSCAN_DESC() makes it"
                                        : "there are fields that this version does not know, and they are not zero");
}

static mmscan_status check_values(const mmscan_desc *d, mms_flaw *flaw) {
  static const char no_type[] = "it is no mmscan_type, such as MMSCAN_F32";
  const mmscan_status wrong = MMSCAN_EINVAL;
  if (!mms_in_enum(d->x_type, MMS_TYPES - 1)) return refuse(flaw, wrong, "x_type", d->x_type, no_type);
  if (!mms_in_enum(d->y_type, MMS_TYPES - 1)) return refuse(flaw, wrong, "y_type", d->y_type, no_type);
  if (!mms_in_enum(d->op, MMS_OPS - 1))
    return refuse(flaw, wrong, "op", d->op, "it is no mmscan_op, such as MMSCAN_PLUS");
  if (!mms_in_enum(d->kind, MMSCAN_OFFSETS))
    return refuse(flaw, wrong, "kind", d->kind, "it is no mmscan_kind, such as MMSCAN_INCLUSIVE");
  if (d->y_stride == 0 && d->n > 1)
    return refuse(flaw, wrong, "y_stride", 0, "all results would be in one place; results that are neighbours have 1");
  return MMSCAN_OK;
}

/* What this header names, and this version does not do. */
static mmscan_status check_later(const mmscan_desc *d, mms_flaw *flaw) {
  static const char later[] = "this version does not do that";
  const mmscan_status status = MMSCAN_ENOTSUP;
  if (d->flags > 2 * MMSCAN_CHECKED - 1)
    return refuse(flaw, MMSCAN_EINVAL, "flags", (ptrdiff_t)d->flags,
                  "a bit of it is none of MMSCAN_SKIP_NAN to MMSCAN_CHECKED");
  if (d->kind == MMSCAN_OFFSETS) return refuse(flaw, status, "kind", d->kind, later);
  if (d->totals) return refuse(flaw, status, "totals", 0, later);
  if (d->flags) return refuse(flaw, status, "flags", (ptrdiff_t)d->flags, later);
  if (d->outer_rank) return refuse(flaw, status, "outer_rank", (ptrdiff_t)d->outer_rank, later);
  if (d->indices) return refuse(flaw, status, "indices", 0, later);
  return MMSCAN_OK;
}

/* By the arithmetic type; or of complex numbers by that of their parts, where the operator goes by parts. */
static mmscan_status find_algebra(const mmscan_desc *d, mms_problem *p, mms_flaw *flaw) {
  static const char no_pair[] = "x_type is not scanned into this type; mmscan.h, \"Types\", lists what is";
  p->storage = mms_storage_of(d->x_type, d->y_type);
  if (!p->storage) return refuse(flaw, MMSCAN_ENOTSUP, "y_type", d->y_type, no_pair);
  p->of_y = mms_storage_of(d->y_type, d->y_type);
  p->algebra = mms_algebra_of(d->op, p->storage->arithmetic);
  if (p->algebra) return MMSCAN_OK;
  p->storage = mms_storage_in_planes(d->x_type, d->y_type);
  p->of_y = mms_storage_in_planes(d->y_type, d->y_type);
  if (p->storage) p->algebra = mms_algebra_of(d->op, p->storage->arithmetic);
  if (p->algebra && p->algebra->by_parts) return MMSCAN_OK;
  return refuse(flaw, MMSCAN_ENOTSUP, "op", d->op, "it is not defined on y_type");
}

/* The elements from the lowest to the highest of all scans must be addressable. */
static bool is_addressable(size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist, size_t size) {
  const size_t most = PTRDIFF_MAX / size;
  size_t span, spans, count;
  return n <= most && batch <= most && !__builtin_mul_overflow(n - 1, mms_magnitude(stride), &span) &&
         !__builtin_mul_overflow(batch - 1, mms_magnitude(dist), &spans) &&
         !__builtin_add_overflow(span, spans, &count) && count < most;
}

static mmscan_status check_shape(const mms_problem *p, mms_flaw *flaw) {
  const size_t size = p->storage->y_size;
  if (p->n == 0 || p->batch == 0) return MMSCAN_OK;
  if (!is_addressable(p->n, p->x_stride, p->batch, p->x_dist, p->storage->x_size))
    return refuse(flaw, MMSCAN_EINVAL, "n", (ptrdiff_t)p->n, "x would take more memory than there can be");
  if (!is_addressable(p->n, p->y_stride, p->batch, p->y_dist, size))
    return refuse(flaw, MMSCAN_EINVAL, "n", (ptrdiff_t)p->n, "y would take more memory than there can be");
  if (p->batch == 1 || (p->y_stride == 1 && mms_magnitude(p->y_dist) >= p->n)) return MMSCAN_OK;
  const mms_lattice y = mms_lattice_of(NULL, size, p->n, p->y_stride, p->batch, p->y_dist);
  if (p->y_dist != 0 && mms_lattice_is_distinct(&y)) return MMSCAN_OK;
  return refuse(flaw, MMSCAN_EOVERLAP, "y_dist", p->y_dist, "results of different scans would be in one place");
}

/* A scan of neighbours towards lower addresses is one in the other direction towards higher ones, and contiguous. */
static void turn(mms_problem *p) {
  p->x_at = (ptrdiff_t)(p->n - 1) * p->x_stride;
  p->y_at = (ptrdiff_t)(p->n - 1) * p->y_stride;
  p->x_stride = -p->x_stride;
  p->y_stride = -p->y_stride;
  p->reverse = !p->reverse;
}

/* Without init an inclusive scan starts from the identity, so that its first result is its first element. */
static mms_value first_carry(const mms_problem *p, mmscan_kind kind, const void *init) {
  const void *start = kind == MMSCAN_INCLUSIVE ? p->algebra->identity : p->algebra->start;
  const size_t size = p->storage->size;
  mms_value first = {0};
  if (init && p->of_y->in)
    p->of_y->in(1, init, first.bytes, 1);
  else if (init)
    memcpy(first.bytes, init, size);
  else
    for (size_t plane = 0; plane < p->storage->planes; plane++) memcpy(first.bytes + plane * size, start, size);
  return first;
}

mmscan_status mms_problem_or_flaw(mms_problem *p, const mmscan_desc *d, mms_flaw *flaw) {
  mmscan_status status;
  if ((status = check_struct(d, flaw))) return status;
  if ((status = check_values(d, flaw))) return status;
  if ((status = check_later(d, flaw))) return status;
  *p = (mms_problem){.kind = d->kind,
                     .reverse = d->reverse != 0,
                     .n = d->n,
                     .whole = d->n,
                     .batch = d->n ? d->batch : 0,
                     .x_stride = d->n > 1 ? d->x_stride : 1,
                     .y_stride = d->n > 1 ? d->y_stride : 1,
                     .x_dist = d->batch > 1 ? d->x_dist : 0,
                     .y_dist = d->batch > 1 ? d->y_dist : 0};
  if ((status = find_algebra(d, p, flaw))) return status;
  p->first = first_carry(p, d->kind, d->init);
  if ((status = check_shape(p, flaw))) return status;
  if (p->x_stride == -1 && p->y_stride == -1) turn(p);
  return MMSCAN_OK;
}

mmscan_status mms_problem_from(mms_problem *p, const mmscan_desc *d) {
  mms_flaw flaw;
  return mms_problem_or_flaw(p, d, &flaw);
}

/* If there is nothing to scan, no carry is needed. */
mmscan_status mms_problem_block(mms_problem *p, const mmscan_desc *d, const void *carry) {
  mmscan_status status = mms_problem_from(p, d);
  if (status) return status;
  const bool is_half = p->of_y->out && p->algebra->kind == 'f' && p->of_y->planes == 1;
  p->carries = is_half ? mms_storage_of(p->algebra->type, p->algebra->type) : p->of_y;
  p->whole = SIZE_MAX;
  return d->init || (p->batch && !carry) ? MMSCAN_EINVAL : MMSCAN_OK;
}

/* ---- Arrays --------------------------------------------------------------------------------------------------- */

/* The bytes of an array from its lowest element to the end of its highest. */
typedef struct extent {
  uintptr_t from, bytes;
} extent;

static extent extent_of(const mms_problem *p, const void *base, ptrdiff_t stride, ptrdiff_t dist, size_t size) {
  const size_t along = (p->n - 1) * mms_magnitude(stride) * size, across = (p->batch - 1) * mms_magnitude(dist) * size;
  return (extent){(uintptr_t)base - (stride < 0 ? along : 0) - (dist < 0 ? across : 0), along + across + size};
}

/* Scans in place have the same elements for x and y; others share none. */
static mmscan_status check_strided(const mms_problem *p, const char *x, const char *y, size_t x_size, size_t y_size) {
  const bool are_same = x_size == y_size && !(p->storage->in && !p->storage->out);
  if (are_same && x == y && p->x_stride == p->y_stride && p->x_dist == p->y_dist) return MMSCAN_OK;
  const extent of_x = extent_of(p, x, p->x_stride, p->x_dist, x_size),
               of_y = extent_of(p, y, p->y_stride, p->y_dist, y_size);
  if (of_y.from - of_x.from >= of_x.bytes && of_x.from - of_y.from >= of_y.bytes) return MMSCAN_OK;
  const mms_lattice xs = mms_lattice_of(x, x_size, p->n, p->x_stride, p->batch, p->x_dist),
                    ys = mms_lattice_of(y, y_size, p->n, p->y_stride, p->batch, p->y_dist);
  return mms_lattice_meet(&xs, &ys) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

mmscan_status mms_check_arrays(const mms_problem *p, const void *x, const void *y) {
  const size_t x_size = p->storage->x_size, y_size = p->storage->y_size;
  if (p->batch == 0) return MMSCAN_OK;
  if (!mms_is_array(x, x_size) || !mms_is_array(y, y_size)) return MMSCAN_EINVAL;
  if (p->batch == 1 && mms_problem_is_direct(p)) return mms_check_pair(x, y, p->n * y_size);
  return check_strided(p, (const char *)x + p->x_at * (ptrdiff_t)x_size, (const char *)y + p->y_at * (ptrdiff_t)y_size,
                       x_size, y_size);
}
