/* problem.c: validates a request and writes it as a problem. */
#include "plan/problem.h"

#include "plan/axes.h"
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

static mmscan_status check_row(const mmscan_desc *d, mms_flaw *flaw) {
  static const char no_type[] = "it is no mmscan_type, such as MMSCAN_F32";
  const mmscan_status wrong = MMSCAN_EINVAL;
  if (!mms_in_enum(d->x_type, MMS_TYPES - 1)) return refuse(flaw, wrong, "x_type", d->x_type, no_type);
  if (!mms_in_enum(d->y_type, MMS_TYPES - 1)) return refuse(flaw, wrong, "y_type", d->y_type, no_type);
  if (!mms_in_enum(d->op, MMS_OPS - 1))
    return refuse(flaw, wrong, "op", d->op, "it is no mmscan_op, such as MMSCAN_PLUS");
  return MMSCAN_OK;
}

/* Of an operator of the caller's nothing is known but the size of elements. */
static mmscan_status check_no_row(const mmscan_desc *d, mms_flaw *flaw) {
  static const char is_own[] = "it has to be 0, as the operator and its elements are the caller's own";
  if (d->x_type) return refuse(flaw, MMSCAN_EINVAL, "x_type", d->x_type, is_own);
  if (d->y_type) return refuse(flaw, MMSCAN_EINVAL, "y_type", d->y_type, is_own);
  if (d->op) return refuse(flaw, MMSCAN_EINVAL, "op", d->op, is_own);
  return MMSCAN_OK;
}

static mmscan_status check_values(const mmscan_desc *d, mms_flaw *flaw) {
  const mmscan_status wrong = MMSCAN_EINVAL;
  if (!mms_in_enum(d->kind, MMSCAN_OFFSETS))
    return refuse(flaw, wrong, "kind", d->kind, "it is no mmscan_kind, such as MMSCAN_INCLUSIVE");
  if (d->y_stride == 0 && d->n > (d->kind != MMSCAN_OFFSETS))
    return refuse(flaw, wrong, "y_stride", 0, "all results would be in one place; results that are neighbours have 1");
  return MMSCAN_OK;
}

static mmscan_status check_outer(const mmscan_desc *d, mms_flaw *flaw) {
  const mmscan_status wrong = MMSCAN_EINVAL;
  if (d->outer_rank > MMS_OUTER)
    return refuse(flaw, wrong, "outer_rank", (ptrdiff_t)d->outer_rank, "there are 8 outer dimensions at most");
  if (d->outer_rank > 0 && !d->outer) return refuse(flaw, wrong, "outer", 0, "it is NULL, and outer_rank is not 0");
  return MMSCAN_OK;
}

static mmscan_status check_flags(const mmscan_desc *d, mms_flaw *flaw) {
  const bool is_order = d->op == MMSCAN_MAX || d->op == MMSCAN_MIN;
  if (d->flags > 2 * MMSCAN_CHECKED - 1)
    return refuse(flaw, MMSCAN_EINVAL, "flags", (ptrdiff_t)d->flags,
                  "a bit of it is none of MMSCAN_SKIP_NAN to MMSCAN_CHECKED");
  if (d->indices && !is_order)
    return refuse(flaw, MMSCAN_EINVAL, "indices", 0, "only MMSCAN_MAX and MMSCAN_MIN have them; else it is NULL");
  return MMSCAN_OK;
}

/* What has no meaning for the types is left out. */
static void set_extras(mms_problem *p, const mmscan_desc *d) {
  const char kind = mms_type_of(d->x_type)->kind;
  p->skips_nan = d->flags & MMSCAN_SKIP_NAN && (kind == 'f' || kind == 'c');
  p->is_reproducible = d->flags & MMSCAN_REPRODUCIBLE && !p->algebra->is_exact && p->algebra->kernels;
  p->is_monotone = d->flags & MMSCAN_MONOTONE && p->algebra->kind == 'f' && p->storage->planes == 1 &&
                   (d->op == MMSCAN_PLUS || d->op == MMSCAN_MUL);
  p->state = NULL;
  p->overflows = d->flags & MMSCAN_CHECKED ? mms_checked_of(d->op, d->y_type) : NULL;
  p->indices = d->indices;
  p->index_at = 0;
  p->index_step = 1;
  p->has_init = d->init != NULL;
}

/* The vectors of MMSCAN_LOGADDEXP have other bits where there are fused multiply-adds. */
static mmscan_status check_order(const mms_problem *p, const mmscan_desc *d, mms_flaw *flaw) {
  if (!p->is_reproducible || d->op != MMSCAN_LOGADDEXP) return MMSCAN_OK;
  return refuse(flaw, MMSCAN_ENOTSUP, "flags", (ptrdiff_t)d->flags,
                "logaddexp is computed otherwise on some machines, so no order would give the same bits everywhere");
}

/* Whether sums or products of floats are to be combined in more digits than they have. Halves are anyway. */
static bool is_accurate(const mmscan_desc *d) {
  const mms_type *y = mms_type_of(d->y_type);
  const bool rounds = d->op == MMSCAN_PLUS || d->op == MMSCAN_MUL;
  return d->flags & MMSCAN_ACCURATE && rounds && (y->kind == 'c' || (y->kind == 'f' && y->size >= sizeof(float)));
}

/* A way to store elements of x and y, and what combines what they are then: in more digits than y has, or in pairs. */
typedef struct combination {
  const mms_storage *(*of)(mmscan_type x_type, mmscan_type y_type);
  const mms_algebra *(*by)(mmscan_op op, mmscan_type type);
} combination;

static bool find_combination(const combination *c, const mmscan_desc *d, mms_problem *p) {
  p->storage = c->of(d->x_type, d->y_type);
  p->of_y = c->of(d->y_type, d->y_type);
  p->algebra = p->storage ? c->by(d->op, p->storage->arithmetic) : NULL;
  return p->algebra && (p->storage->planes == 1 || p->algebra->by_parts);
}

/* The first of them that there is. */
static bool find_one(const combination *all, size_t count, const mmscan_desc *d, mms_problem *p) {
  for (size_t i = 0; i < count; i++)
    if (find_combination(&all[i], d, p)) return true;
  return false;
}

/* By the arithmetic type; or of complex numbers by that of their parts, where the operator goes by parts. */
static mmscan_status find_algebra(const mmscan_desc *d, mms_problem *p, mms_flaw *flaw) {
  static const char no_pair[] = "x_type is not scanned into this type; mmscan.h, \"Types\", lists what is";
  static const combination plain[] = {{mms_storage_of, mms_algebra_of}, {mms_storage_in_planes, mms_algebra_of}},
                           accurate[] = {{mms_storage_wide, mms_algebra_of},
                                         {mms_storage_wide_in_planes, mms_algebra_of},
                                         {mms_storage_of, mms_algebra_accurate},
                                         {mms_storage_in_planes, mms_algebra_accurate}};
  if (!mms_storage_of(d->x_type, d->y_type)) return refuse(flaw, MMSCAN_ENOTSUP, "y_type", d->y_type, no_pair);
  const bool is_found = is_accurate(d) ? find_one(accurate, sizeof accurate / sizeof *accurate, d, p)
                                       : find_one(plain, sizeof plain / sizeof *plain, d, p);
  return is_found ? MMSCAN_OK : refuse(flaw, MMSCAN_ENOTSUP, "op", d->op, "it is not defined on y_type");
}

/* What is written besides results of elements starts from somewhere. */
static mmscan_status take_custom(const mmscan_desc *d, mms_problem *p, mms_custom *custom, mms_flaw *flaw) {
  const bool starts = d->kind != MMSCAN_INCLUSIVE || (d->totals && d->n == 0);
  if (d->flags & ~MMSCAN_REPRODUCIBLE)
    return refuse(flaw, MMSCAN_ENOTSUP, "flags", (ptrdiff_t)d->flags,
                  "an operator of the caller's has no other than MMSCAN_REPRODUCIBLE");
  if (starts && !d->init && !custom->op->identity)
    return refuse(flaw, MMSCAN_EINVAL, "init", 0, "it is NULL, and the operator has no identity");
  if (d->flags & MMSCAN_REPRODUCIBLE) mms_custom_keep_order(custom);
  p->algebra = &custom->algebra;
  p->storage = p->of_y = &custom->storage;
  return MMSCAN_OK;
}

/* ---- Shapes --------------------------------------------------------------------------------------------------- */

/* Results of a scan. */
static size_t results(const mms_problem *p) { return p->n + p->is_offsets; }

/* The elements of x from the lowest to the highest of all scans, or those of y, must be addressable. */
static bool is_addressable(const mms_problem *p, bool is_y) {
  const size_t size = is_y ? p->storage->y_size : p->storage->x_size, n = is_y ? results(p) : p->n > 0 ? p->n : 1;
  size_t span, more, count, bytes;
  if (n > PTRDIFF_MAX || p->batch > PTRDIFF_MAX) return false;
  if (__builtin_mul_overflow(n - 1, mms_magnitude(is_y ? p->y_stride : p->x_stride), &span)) return false;
  if (__builtin_mul_overflow(p->batch - 1, mms_magnitude(is_y ? p->y_dist : p->x_dist), &more)) return false;
  if (__builtin_add_overflow(span, more, &count)) return false;
  for (const mms_axis *axis = p->outer; axis < p->outer + p->rank; axis++) {
    if (__builtin_mul_overflow(axis->n - 1, mms_magnitude(is_y ? axis->y : axis->x), &more)) return false;
    if (__builtin_add_overflow(count, more, &count)) return false;
  }
  return count < PTRDIFF_MAX && !__builtin_mul_overflow(count + 1, size, &bytes) && bytes <= PTRDIFF_MAX;
}

static mms_lattice lattice_of_x(const mms_problem *p, const void *x) {
  const ptrdiff_t size = (ptrdiff_t)p->storage->x_size;
  mms_lattice a = {.at = (uintptr_t)x + (uintptr_t)(p->x_at * size), .size = p->storage->x_size};
  mms_lattice_add(&a, p->n, p->x_stride);
  mms_lattice_add(&a, p->batch, p->x_dist);
  for (const mms_axis *axis = p->outer; axis < p->outer + p->rank; axis++) mms_lattice_add(&a, axis->n, axis->x);
  return a;
}

/* With the results that offsets have more. */
static mms_lattice lattice_of_y(const mms_problem *p, const void *y) {
  const bool extra_is_first = (p->extra_at < 0) == (p->y_stride > 0);
  const ptrdiff_t size = (ptrdiff_t)p->storage->y_size, at = p->y_at + (extra_is_first ? p->extra_at : 0);
  mms_lattice a = {.at = (uintptr_t)y + (uintptr_t)(at * size), .size = p->storage->y_size};
  mms_lattice_add(&a, results(p), p->y_stride);
  mms_lattice_add(&a, p->batch, p->y_dist);
  for (const mms_axis *axis = p->outer; axis < p->outer + p->rank; axis++) mms_lattice_add(&a, axis->n, axis->y);
  return a;
}

/* Whether results of different scans are in one place. Rows that do not reach into each other are no work to see. */
static bool is_crowded(const mms_problem *p) {
  if (p->count == 1) return false;
  if (p->batch > 1 && p->y_dist == 0) return true;
  for (size_t i = 0; i < p->rank; i++)
    if (p->outer[i].y == 0) return true;
  if (p->rank == 0 && p->y_stride == 1 && mms_magnitude(p->y_dist) >= results(p)) return false;
  const mms_lattice y = lattice_of_y(p, NULL);
  return !mms_lattice_is_distinct(&y);
}

static mmscan_status check_totals(const mms_problem *p, mms_flaw *flaw) {
  if (!p->totals || p->count <= PTRDIFF_MAX / p->of_y->y_size) return MMSCAN_OK;
  return refuse(flaw, MMSCAN_EINVAL, "totals", 0, "they would take more memory than there can be");
}

static mmscan_status check_shape(const mms_problem *p, mms_flaw *flaw) {
  static const char *const too_much[] = {"x would take more memory than there can be",
                                         "y would take more memory than there can be"};
  for (int is_y = 0; is_y <= 1; is_y++)
    if (!is_addressable(p, is_y)) return refuse(flaw, MMSCAN_EINVAL, "n", (ptrdiff_t)p->n, too_much[is_y]);
  if (!is_crowded(p)) return MMSCAN_OK;
  return refuse(flaw, MMSCAN_EOVERLAP, "y_dist", p->y_dist, "results of different scans would be in one place");
}

/* A scan of neighbours towards lower addresses is one in the other direction towards higher ones, and contiguous. */
static void turn(mms_problem *p) {
  const ptrdiff_t last = (ptrdiff_t)(p->n - 1);
  p->x_at += last * p->x_stride;
  p->y_at += last * p->y_stride;
  p->extra_at -= last * p->y_stride;
  p->index_at = last;
  p->index_step = -1;
  p->x_stride = -p->x_stride;
  p->y_stride = -p->y_stride;
  p->reverse = !p->reverse;
}

/* Results of offsets are y[1] and those after it, by an inclusive scan; in a reverse one, where y[0] is the total, by
 * an exclusive scan. */
static void set_kind(mms_problem *p, const mmscan_desc *d) {
  p->is_offsets = d->kind == MMSCAN_OFFSETS;
  p->kind = !p->is_offsets ? d->kind : d->reverse ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  p->reverse = d->reverse != 0;
  p->y_at = p->is_offsets && d->n > 0 ? d->y_stride : 0;
  p->extra_at = (ptrdiff_t) - (size_t)p->y_at;
}

/* Field by field, as it takes time to fill all of it. A dimension of 0 leaves no scans. */
static mmscan_status set_shape(mms_problem *p, const mmscan_desc *d, mms_flaw *flaw) {
  p->n = p->whole = d->n;
  p->count = p->batch = d->batch;
  p->x_stride = d->n > 1 ? d->x_stride : 1;
  p->y_stride = d->n > (d->kind != MMSCAN_OFFSETS) ? d->y_stride : 1;
  p->x_dist = d->batch > 1 && d->n > 0 ? d->x_dist : 0;
  p->y_dist = d->batch > 1 && results(p) > 0 ? d->y_dist : 0;
  p->x_at = p->total_at = 0;
  p->has_parts = false;
  p->totals = d->totals;
  p->total_dist = d->totals ? 1 : 0;
  p->rank = 0;
  for (size_t i = 0; i < d->outer_rank; i++) p->count = d->outer[i].n == 0 ? 0 : p->count;
  if (p->count == 0 || d->outer_rank == 0 || mms_axes_set(p, d)) return MMSCAN_OK;
  return refuse(flaw, MMSCAN_EINVAL, "outer", (ptrdiff_t)d->outer_rank,
                "there are more scans, or they are further apart, than memory can hold");
}

/* What an operator starts from is an element of y, such as the least one for a maximum. */
static void put_in_range(const mms_problem *p, mms_value *value) {
  const int bits = 8 * (int)p->storage->y_size;
  if (!p->storage->out || p->algebra->kind == 'f' || p->algebra->kind == 'c') return;
  const int64_t most = INT64_MAX >> (64 - bits), natural = INT64_MAX >> (63 - bits), i32 = value->i32, u32 = value->u32;
  if (p->algebra->kind == 'u')
    value->u32 = (uint32_t)(u32 > natural ? natural : u32);
  else
    value->i32 = (int32_t)(i32 > most ? most : i32 < -most - 1 ? -most - 1 : i32);
}

/* Columns of complex numbers are twice as many columns of their parts, unless the parts start from different numbers,
 * or what is kept of them between blocks is kept together. */
static void take_parts(mms_problem *p, const mmscan_desc *d) {
  const bool are_columns = p->x_dist == 1 && p->y_dist == 1 && !mms_problem_is_contiguous(p);
  const bool are_stored = p->storage->planes == 2 && p->storage->x_size == p->storage->y_size;
  const bool are_together = d->init || d->state || p->skips_nan || p->is_reproducible || is_accurate(d);
  if (mms_problem_is_empty(p) || !are_columns || !are_stored || are_together) return;
  p->storage = p->of_y = mms_storage_of(p->algebra->type, p->algebra->type);
  p->has_parts = true;
  p->batch *= 2, p->count *= 2;
  p->x_stride *= 2, p->y_stride *= 2;
  p->x_at *= 2, p->y_at *= 2, p->extra_at *= 2, p->total_at *= 2;
  for (mms_axis *axis = p->outer; axis < p->outer + p->rank; axis++) axis->x *= 2, axis->y *= 2, axis->total *= 2;
}

static mms_value to_all_planes(const mms_problem *p, const void *element) {
  const size_t size = p->storage->size;
  mms_value value = {0};
  for (size_t plane = 0; plane < p->storage->planes; plane++) memcpy(value.bytes + plane * size, element, size);
  put_in_range(p, &value);
  return value;
}

static mms_value from_init(const mms_problem *p, const void *init) {
  mms_value value = {0};
  if (!p->of_y->in) return mms_algebra_value(p->algebra, init);
  p->of_y->in(1, init, value.bytes, 1);
  return value;
}

static mms_value from_none(const mms_problem *p, const void *element) {
  const bool is_plain = p->storage->planes == 1 && !p->storage->out;
  return is_plain ? mms_algebra_value(p->algebra, element) : to_all_planes(p, element);
}

/* Without init an inclusive scan starts from the identity, so that its first result is its first element; and so does
 * one that has both sorts of results (run/ends.h). */
static void set_carry(mms_problem *p, const void *init) {
  /* 1 times a complex number is not that number to the bit. */
  p->restarts = p->kind == MMSCAN_EXCLUSIVE && !init && p->algebra->kind == 'c';
  const bool has_ends = mms_problem_has_ends(p);
  const bool is_inclusive = (p->kind == MMSCAN_INCLUSIVE || has_ends) && !p->is_monotone;
  p->first = init ? from_init(p, init) : from_none(p, is_inclusive ? p->algebra->identity : p->algebra->start);
  if (p->is_monotone && mms_storage_number(p->storage, &p->first) == 0)
    p->first = (mms_value){0}; /* all zeros have one sign */
  if (has_ends) p->start = init ? p->first : from_none(p, p->algebra->start);
  if (p->skips_nan) p->nothing = from_none(p, p->algebra->start);
  if (p->indices) p->first.found.index = -1;
}

/* The first element of an inclusive scan without init is its first result. */
static void set_custom_carry(mms_problem *p, const mmscan_desc *d) {
  p->restarts = false;
  p->start.element = (void *)(d->init ? d->init : p->algebra->identity);
  p->first.element = d->init || p->kind == MMSCAN_EXCLUSIVE ? p->start.element : NULL;
}

/* custom: NULL, or an operator of the caller's. heads: NULL, or where segments begin. */
static mmscan_status describe(mms_problem *p, const mmscan_desc *d, mms_custom *custom, const mms_heads *heads,
                              mms_flaw *flaw) {
  mmscan_status status;
  if ((status = check_struct(d, flaw))) return status;
  if ((status = custom ? check_no_row(d, flaw) : check_row(d, flaw))) return status;
  if ((status = check_values(d, flaw))) return status;
  if ((status = check_outer(d, flaw))) return status;
  if ((status = check_flags(d, flaw))) return status;
  if ((status = custom ? take_custom(d, p, custom, flaw) : find_algebra(d, p, flaw))) return status;
  set_kind(p, d);
  set_extras(p, d);
  if ((status = check_order(p, d, flaw))) return status;
  if ((status = set_shape(p, d, flaw))) return status;
  if ((status = check_totals(p, flaw))) return status;
  if (p->count > 0 && results(p) > 0 && (status = check_shape(p, flaw))) return status;
  take_parts(p, d);
  if (custom)
    set_custom_carry(p, d);
  else
    set_carry(p, d->init);
  p->heads = heads;
  if (mms_problem_is_empty(p)) return MMSCAN_OK;
  if (p->x_stride == -1 && p->y_stride == -1 && !p->is_reproducible && !heads) turn(p);
  return MMSCAN_OK;
}

mmscan_status mms_problem_or_flaw(mms_problem *p, const mmscan_desc *d, mms_flaw *flaw) {
  return describe(p, d, NULL, NULL, flaw);
}

mmscan_status mms_problem_custom(mms_problem *p, const mmscan_desc *d, mms_custom *custom) {
  mms_flaw flaw;
  return describe(p, d, custom, NULL, &flaw);
}

/* What an exclusive one starts with is there anyway, and no first result needs to be put right. */
mmscan_status mms_problem_segmented(mms_problem *p, const mmscan_desc *d, const mms_heads *heads) {
  mms_flaw flaw;
  const mmscan_status status = describe(p, d, NULL, heads, &flaw);
  if (status) return status;
  if (p->restarts) p->first = p->start;
  p->restarts = false;
  return MMSCAN_OK;
}

mmscan_status mms_problem_from(mms_problem *p, const mmscan_desc *d) {
  mms_flaw flaw;
  return mms_problem_or_flaw(p, d, &flaw);
}

/* If there is nothing to scan, no carry is needed. What comes out of a block is the total of all blocks so far. */
mmscan_status mms_problem_block(mms_problem *p, const mmscan_desc *d, const void *carry) {
  mmscan_status status = mms_problem_from(p, d);
  if (status) return status;
  if (p->is_offsets || d->outer_rank > 0) return MMSCAN_ENOTSUP;
  const bool is_half = d->y_type == MMSCAN_F16 || d->y_type == MMSCAN_BF16;
  p->carries = is_half ? mms_storage_of(p->algebra->type, p->algebra->type) : p->of_y;
  p->state = d->state;
  p->start = p->first;
  p->restarts = false;
  p->has_init = true;
  p->whole = SIZE_MAX;
  return d->init || (!mms_problem_is_empty(p) && !carry) ? MMSCAN_EINVAL : MMSCAN_OK;
}

/* ---- Arrays --------------------------------------------------------------------------------------------------- */

/* Bytes from one end of an array of at most two dimensions to the other, and where its lowest element is. */
typedef struct extent {
  uintptr_t from, bytes;
} extent;

static extent extent_of(const void *base, size_t size, size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist) {
  const size_t along = (n - 1) * mms_magnitude(stride) * size, across = (batch - 1) * mms_magnitude(dist) * size;
  return (extent){(uintptr_t)base - (stride < 0 ? along : 0) - (dist < 0 ? across : 0), along + across + size};
}

/* Whether the arrays are seen at once to be apart. */
static bool are_apart(const mms_problem *p, const void *x, const void *y) {
  if (p->rank > 0 || p->is_offsets) return false;
  const extent of_x = extent_of(x, p->storage->x_size, p->n, p->x_stride, p->batch, p->x_dist),
               of_y = extent_of(y, p->storage->y_size, p->n, p->y_stride, p->batch, p->y_dist);
  return of_y.from - of_x.from >= of_x.bytes && of_x.from - of_y.from >= of_y.bytes;
}

/* Whether x and y have the same elements. */
static bool are_in_place(const mms_problem *p, const void *x, const void *y) {
  const mms_storage *s = p->storage;
  if (x != y || s->x_size != s->y_size || (s->in && !s->out)) return false;
  if ((p->n > 1 && p->x_stride != p->y_stride) || p->x_dist != p->y_dist) return false;
  for (size_t i = 0; i < p->rank; i++)
    if (p->outer[i].x != p->outer[i].y) return false;
  return true;
}

/* Others than scans in place share no elements. */
static mmscan_status check_strided(const mms_problem *p, const char *x, const char *y) {
  const char *x0 = x + p->x_at * (ptrdiff_t)p->storage->x_size, *y0 = y + p->y_at * (ptrdiff_t)p->storage->y_size;
  if (are_in_place(p, x0, y0) || are_apart(p, x0, y0)) return MMSCAN_OK;
  const mms_lattice xs = lattice_of_x(p, x), ys = lattice_of_y(p, y);
  return mms_lattice_meet(&xs, &ys) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

/* Offsets of no elements are written, too. How elements of a caller's operator are aligned is not known. */
mmscan_status mms_check_arrays(const mms_problem *p, const void *x, const void *y) {
  const bool are_bytes = mms_problem_is_elsewhere(p);
  const size_t x_size = are_bytes ? 1 : p->storage->x_size, y_size = are_bytes ? 1 : p->storage->y_size;
  if (p->count == 0) return MMSCAN_OK;
  if (p->totals && !mms_is_array(p->totals, y_size)) return MMSCAN_EINVAL;
  if (p->indices && (uintptr_t)p->indices % sizeof *p->indices != 0) return MMSCAN_EINVAL;
  if (p->n == 0) return p->is_offsets && !mms_is_array(y, y_size) ? MMSCAN_EINVAL : MMSCAN_OK;
  if (!mms_is_array(x, x_size)) return MMSCAN_EINVAL;
  if (!y && p->whole == SIZE_MAX) return MMSCAN_OK; /* of a block the carries may be wanted alone */
  if (!mms_is_array(y, y_size)) return MMSCAN_EINVAL;
  if (p->count == 1 && mms_problem_is_direct(p) && !p->is_offsets)
    return mms_check_pair(x, y, p->n * p->storage->y_size);
  return check_strided(p, x, y);
}

mmscan_status mms_check_apart(const mms_problem *of_x, const void *x, const mms_problem *of_y, const void *y) {
  if (!mms_is_array(y, of_y->storage->y_size)) return MMSCAN_EINVAL;
  if (mms_problem_is_empty(of_x)) return MMSCAN_OK;
  if (!mms_is_array(x, of_x->storage->x_size)) return MMSCAN_EINVAL;
  const mms_lattice xs = lattice_of_x(of_x, x), ys = lattice_of_y(of_y, y);
  return mms_lattice_meet(&xs, &ys) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}
