/* problem.c: validates a request and writes it as a problem. */
#include "problem.h"

#include "paper/method.h"
#include "unit/matrix.h"
#include "unit/unit.h"
#include <float.h>
#include <string.h>

/* ---- Descriptions --------------------------------------------------------------------------------------------- */

enum { LONGEST = 1024 }; /* bytes of a struct in any version: a larger size is garbage, and none of it is read */

/* A caller built with a longer struct may use fields that are not known here; if all are zero, they mean the plain
 * scan. */
mmscan_status mms_check_struct(const void *desc, size_t known) {
  const unsigned char *bytes = desc;
  size_t given;
  memcpy(&given, desc, sizeof given);
  if (given < known || given > LONGEST) return MMSCAN_EINVAL;
  for (size_t i = known; i < given; i++)
    if (bytes[i]) return MMSCAN_ENOTSUP;
  return MMSCAN_OK;
}

static bool in_enum(int value, int last) { return value >= 1 && value <= last; }

static mmscan_status check_values(const mmscan_desc *d) {
  if (!in_enum(d->x_type, MMSCAN_U8) || !in_enum(d->y_type, MMSCAN_U8)) return MMSCAN_EINVAL;
  if (!in_enum(d->op, MMSCAN_MUL) || !in_enum(d->kind, MMSCAN_EXCLUSIVE)) return MMSCAN_EINVAL;
  if (d->init && d->kind == MMSCAN_INCLUSIVE) return MMSCAN_EINVAL;
  if (d->y_stride == 0 && d->n > 1) return MMSCAN_EINVAL;
  return MMSCAN_OK;
}

static mmscan_status check_supported(const mmscan_desc *d) {
  if (d->x_type != d->y_type || !mms_algebra_of(d->op, d->x_type)) return MMSCAN_ENOTSUP;
  if (d->n > 1 && (d->x_stride != 1 || d->y_stride != 1)) return MMSCAN_ENOTSUP;
  return MMSCAN_OK;
}

static size_t magnitude(ptrdiff_t d) { return d < 0 ? -(size_t)d : (size_t)d; }

/* The elements from the lowest to the highest of all rows must be addressable. */
static mmscan_status check_extent(size_t n, size_t batch, ptrdiff_t dist, size_t size) {
  size_t limit = PTRDIFF_MAX / size;
  if (n > limit) return MMSCAN_EINVAL;
  if (batch > 1 && magnitude(dist) > (limit - n) / (batch - 1)) return MMSCAN_EINVAL;
  return MMSCAN_OK;
}

static mmscan_status check_shape(const mms_problem *p) {
  size_t size = p->algebra->size;
  if (p->n == 0 || p->batch == 0) return MMSCAN_OK;
  if (check_extent(p->n, p->batch, p->x_dist, size) || check_extent(p->n, p->batch, p->y_dist, size))
    return MMSCAN_EINVAL;
  if (p->batch > 1 && magnitude(p->y_dist) < p->n) return MMSCAN_EOVERLAP;
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

/* Whether an array of numbers may be at an address. Those of 8 bytes may be at any multiple of 4, as in a packed
 * struct; kernels load and store them there. */
static bool is_array(const void *x, size_t size) {
  const size_t alignment = size < 4 ? size : 4;
  return x && (uintptr_t)x % alignment == 0;
}

static mmscan_status check_pair(const void *x, const void *y, size_t bytes) {
  return mms_problem_overlaps(x, y, bytes) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

/* The rows of one array, from the lowest address up. */
typedef struct rows {
  uintptr_t at; /* address of the row */
  size_t left;  /* rows from this one on, itself included */
  size_t step;  /* bytes to the next row */
  size_t bytes; /* bytes of each row */
} rows;

static rows rows_of(const void *base, ptrdiff_t dist, size_t batch, size_t n, size_t size) {
  uintptr_t first = (uintptr_t)base;
  size_t step = magnitude(dist) * size;
  if (dist < 0) first -= step * (batch - 1);
  return (rows){first, batch, step, n * size};
}

/* Both lists ascend: the lower of two rows that do not overlap cannot meet a later row of the other list. */
static bool rows_meet(rows x, rows y) {
  while (x.left && y.left) {
    rows *lower = x.at < y.at ? &x : &y;
    if ((x.at < y.at ? y.at - x.at : x.at - y.at) < lower->bytes) return true;
    lower->at += lower->step;
    lower->left--;
  }
  return false;
}

/* Bytes from the lowest of all rows to the end of the highest. */
static size_t extent(const rows *r) { return (r->left - 1) * r->step + r->bytes; }

/* Rows are compared one by one only if the extents of the two arrays overlap. */
static mmscan_status check_rows(rows x, rows y) {
  if (y.at - x.at >= extent(&x) && x.at - y.at >= extent(&y)) return MMSCAN_OK;
  return rows_meet(x, y) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

/* Rows of x at distance 0 are the same row. */
static mmscan_status check_batch(const mms_problem *p, const void *x, const void *y, size_t size) {
  if (x == y && p->x_dist == p->y_dist) return MMSCAN_OK;
  size_t x_batch = p->x_dist == 0 ? 1 : p->batch;
  return check_rows(rows_of(x, p->x_dist, x_batch, p->n, size), rows_of(y, p->y_dist, p->batch, p->n, size));
}

mmscan_status mms_check_arrays(const mms_problem *p, const void *x, const void *y) {
  size_t size = p->algebra->size;
  if (p->batch == 0) return MMSCAN_OK;
  if (!is_array(x, size) || !is_array(y, size)) return MMSCAN_EINVAL;
  return p->batch == 1 ? check_pair(x, y, p->n * size) : check_batch(p, x, y, size);
}

/* ---- The paper's algorithm ------------------------------------------------------------------------------------ */

static mmscan_status check_matmul_values(const mmscan_matmul_desc *d) {
  if (!in_enum(d->type, MMSCAN_U8) || !in_enum(d->form, MMSCAN_BATCHED)) return MMSCAN_EINVAL;
  if (!in_enum(d->length_rule, MMSCAN_PADDED) || !in_enum(d->traversal, MMSCAN_RECURSIVE)) return MMSCAN_EINVAL;
  if (d->length_rule == MMSCAN_DIGITS && !in_enum(d->broadcast, MMSCAN_BROADCAST_VECTOR)) return MMSCAN_EINVAL;
  if (d->s < 2 || d->s > MMSCAN_MAX_S || d->threads < 0) return MMSCAN_EINVAL;
  return d->type == MMSCAN_F32 || d->type == MMSCAN_F64 ? MMSCAN_OK : MMSCAN_ENOTSUP;
}

mmscan_status mms_check_matmul(const mmscan_matmul_desc *d, const void *x, const void *y, const mmscan_counts *counts) {
  mmscan_status status;
  if (!d) return MMSCAN_EINVAL;
  if (counts && counts->struct_size != sizeof *counts) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if ((status = check_matmul_values(d))) return status;
  if (d->n == 0) return MMSCAN_OK;
  const size_t size = mms_matrix_one(d->type)->size;
  if (!is_array(x, size) || !is_array(y, size) || d->n > PTRDIFF_MAX / size) return MMSCAN_EINVAL;
  return check_pair(x, y, d->n * size);
}

/* ---- Products ------------------------------------------------------------------------------------------------- */

/* A BLAS may hold the leading dimension, row_stride, in 32 bits. */
static mmscan_status check_product_values(const mmscan_product_desc *d) {
  if (!in_enum(d->type, MMSCAN_U8) || !in_enum(d->form, MMSCAN_PRODUCT_BF16)) return MMSCAN_EINVAL;
  if (!in_enum(d->matrix, MMSCAN_MATRIX_B) || d->s < 1 || d->s > MMSCAN_MAX_S) return MMSCAN_EINVAL;
  if (d->row_stride && (d->row_stride < d->columns || d->row_stride > INT32_MAX)) return MMSCAN_EINVAL;
  if (d->row_stride && mms_product_is_batch(d->form)) return MMSCAN_EINVAL;
  return mms_matrix_one(d->type)->size ? MMSCAN_OK : MMSCAN_ENOTSUP;
}

/* The rows of X or W; if column-major, they are one row. */
static rows rows_of_product(const mmscan_product_desc *d, const void *matrix, size_t size) {
  if (d->row_stride) return rows_of(matrix, (ptrdiff_t)d->row_stride, d->s, d->columns, size);
  return rows_of(matrix, 0, 1, d->s * d->columns, size);
}

static mmscan_status check_product_arrays(const mmscan_product_desc *d, const void *x, const void *w) {
  size_t size = mms_matrix_one(d->type)->size;
  size_t x_size = d->form == MMSCAN_PRODUCT_BF16 ? mms_matrix_one_bf16.size : size;
  if (!is_array(x, x_size) || !is_array(w, size) || d->columns > PTRDIFF_MAX / size / d->s) return MMSCAN_EINVAL;
  if (x == w) return d->form == MMSCAN_PRODUCT_TRMM ? MMSCAN_OK : MMSCAN_EOVERLAP;
  return check_rows(rows_of_product(d, x, x_size), rows_of_product(d, w, size));
}

mmscan_status mms_check_product(const mmscan_product_desc *d, const void *x, const void *w) {
  mmscan_status status;
  if (!d) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if ((status = check_product_values(d))) return status;
  return d->columns ? check_product_arrays(d, x, w) : MMSCAN_OK;
}

/* ---- The paper's model and its Table 1 ------------------------------------------------------------------------- */

mmscan_status mms_check_model(const mmscan_model_desc *d, const mmscan_model_result *result) {
  mmscan_status status;
  if (!d || !result || result->struct_size != sizeof *result) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if (d->s < 2 || d->s > MMSCAN_MAX_S || d->units == 0) return MMSCAN_EINVAL;
  return d->latency >= 0 && d->latency <= DBL_MAX ? MMSCAN_OK : MMSCAN_EINVAL;
}

static mmscan_status check_network_values(const mmscan_network_desc *d, const mms_method *method) {
  if (!d->combine || !d->identity || d->size == 0) return MMSCAN_EINVAL;
  if (method->about.has_s && (d->s < 2 || d->s > MMSCAN_MAX_S)) return MMSCAN_EINVAL;
  if (method->has_length_rule && !in_enum(d->length_rule, MMSCAN_PADDED)) return MMSCAN_EINVAL;
  return MMSCAN_OK;
}

mmscan_status mms_check_network(const mmscan_network_desc *d, const void *x, const void *y,
                                const mmscan_network_counts *counts, const mms_method **method) {
  mmscan_status status;
  if (!d) return MMSCAN_EINVAL;
  if (counts && counts->struct_size != sizeof *counts) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if (!d->method) return MMSCAN_EINVAL;
  *method = mms_method_find(d->method);
  if (!*method) return MMSCAN_EINVAL;
  if ((status = check_network_values(d, *method)) || d->n == 0) return status;
  if (!x || !y || d->n > PTRDIFF_MAX / d->size) return MMSCAN_EINVAL;
  return check_pair(x, y, d->n * d->size);
}
