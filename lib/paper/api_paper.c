/* api_paper.c: the public calls of mmscan_paper.h, but for those of method.c and tcu.c. Descriptions and their arrays
 * are checked there and here, and nowhere below. */
#include "base/cancel.h"
#include "paper/segments.h"
#include "plan/check.h"
#include "plan/env.h"
#include "plan/lattice.h"
#include "team/team.h"
#include "unit/matrix.h"
#include <math.h>
#include <stdlib.h>

/* ---- Units by name -------------------------------------------------------------------------------------------- */

/* The unit called `name`; if name is NULL, that of the environment, or the default. NULL: there is no unit of that
 * name. */
static const mms_unit *named_unit(const char *name) {
  const mms_env *env = mms_env_get(); /* MMSCAN_UNIT may open the library of that name */
  return name ? mms_unit_find(name) : mms_env_unit(env);
}

/* The same unit, held. */
static mmscan_status hold_named_unit(const char *name, const mms_unit **unit) {
  *unit = named_unit(name);
  if (!*unit) return MMSCAN_EINVAL;
  return mms_unit_hold(*unit) ? MMSCAN_OK : mms_unit_fault(*unit);
}

/* ---- The paper's algorithm ------------------------------------------------------------------------------------ */

int mmscan_matrix_entry(mmscan_matrix matrix, size_t row, size_t column) {
  return mms_matrix_entry(matrix, row, column);
}

static int term_of(const mmscan_event *e, size_t entry, size_t k, size_t *position) {
  if (k >= e->s) {
    *position = e->add ? e->add[entry] : MMSCAN_NO_ELEMENT;
    return e->add && k == e->s;
  }
  *position = e->in[entry / e->s * e->s + k];
  return mms_matrix_entry(e->matrix, entry % e->s, k);
}

int mmscan_event_term(const mmscan_event *event, size_t entry, size_t k, size_t *position) {
  return event && position && term_of(event, entry, k, position);
}

static mmscan_status check_matmul_values(const mmscan_matmul_desc *d) {
  if (!mms_in_enum(d->type, MMSCAN_BF16) || !mms_in_enum(d->form, MMSCAN_BATCHED)) return MMSCAN_EINVAL;
  if (!mms_in_enum(d->length_rule, MMSCAN_PADDED) || !mms_in_enum(d->traversal, MMSCAN_RECURSIVE)) return MMSCAN_EINVAL;
  if (d->length_rule == MMSCAN_DIGITS && !mms_in_enum(d->broadcast, MMSCAN_BROADCAST_VECTOR)) return MMSCAN_EINVAL;
  if (d->s < 2 || d->s > MMSCAN_MAX_S || d->threads < 0) return MMSCAN_EINVAL;
  return d->type == MMSCAN_F32 || d->type == MMSCAN_F64 ? MMSCAN_OK : MMSCAN_ENOTSUP;
}

static mmscan_status check_matmul(const mmscan_matmul_desc *d, const void *x, const void *y,
                                  const mmscan_counts *counts) {
  mmscan_status status;
  if (counts && counts->struct_size != sizeof *counts) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if ((status = check_matmul_values(d))) return status;
  if (d->n == 0) return MMSCAN_OK;
  const size_t size = mms_matrix_one(d->type)->size;
  if (!mms_is_array(x, size) || !mms_is_array(y, size) || d->n > PTRDIFF_MAX / size) return MMSCAN_EINVAL;
  return mms_check_pair(x, y, d->n * size);
}

static mmscan_status run_matmulscan(const mmscan_matmul_desc *desc, const void *x, void *y, mmscan_counts *found) {
  const mms_env *env = mms_env_get();
  const mms_unit *unit;
  if (env->status) return env->status;
  mmscan_status status = hold_named_unit(desc->unit, &unit);
  if (status) return status;
  int most = mms_team_available(desc->threads ? desc->threads : env->threads);
  status = MMSCAN_EBLAS;
  if (mms_unit_has(unit, desc->type, MMSCAN_PRODUCT_CHUNKED))
    status =
        mms_matmulscan(desc, unit, NULL, mms_team_startable(mms_matmulscan_threads(desc, most), INFINITY), x, y, found);
  mms_unit_drop(unit);
  return status;
}

mmscan_status mmscan_matmulscan(const mmscan_matmul_desc *desc, const void *x, void *y, mmscan_counts *counts) {
  mmscan_counts found = {.struct_size = sizeof found};
  mmscan_status status = check_matmul(desc, x, y, counts);
  if (status == MMSCAN_OK && !named_unit(desc->unit)) status = MMSCAN_EINVAL;
  if (status == MMSCAN_OK && desc->n > 0) status = run_matmulscan(desc, x, y, &found);
  if (counts && status == MMSCAN_OK) *counts = found;
  return status;
}

/* ---- Products of units ---------------------------------------------------------------------------------------- */

/* A BLAS may hold the leading dimension, row_stride, in 32 bits. */
static mmscan_status check_product_values(const mmscan_product_desc *d) {
  if (!mms_in_enum(d->type, MMSCAN_BF16) || !mms_in_enum(d->form, MMSCAN_PRODUCT_BF16)) return MMSCAN_EINVAL;
  if (!mms_in_enum(d->matrix, MMSCAN_MATRIX_B) || d->s < 1 || d->s > MMSCAN_MAX_S) return MMSCAN_EINVAL;
  if (d->row_stride && (d->row_stride < d->columns || d->row_stride > INT32_MAX)) return MMSCAN_EINVAL;
  if (d->row_stride && mms_product_is_batch(d->form)) return MMSCAN_EINVAL;
  return mms_matrix_one(d->type)->size ? MMSCAN_OK : MMSCAN_ENOTSUP;
}

/* The rows of X or W, of which an element is `parts` parts of `size` bytes; if column-major, they are one row. */
static mms_lattice rows_of(const mmscan_product_desc *d, const void *matrix, size_t size, size_t parts) {
  mms_lattice rows = {.at = (uintptr_t)matrix, .size = size};
  mms_lattice_add(&rows, d->columns * parts, 1);
  mms_lattice_add(&rows, d->s, (ptrdiff_t)((d->row_stride ? d->row_stride : d->columns) * parts));
  return rows;
}

/* The one of A and of X. */
static const mms_one *one_of(const mmscan_product_desc *d) {
  return d->form == MMSCAN_PRODUCT_BF16 ? &mms_matrix_one_bf16 : mms_matrix_one(d->type);
}

static mmscan_status check_product_arrays(const mmscan_product_desc *d, const void *x, const void *w) {
  size_t size = mms_matrix_one(d->type)->size, x_size = one_of(d)->size;
  if (!mms_is_array(x, x_size) || !mms_is_array(w, size) || d->columns > PTRDIFF_MAX / size / d->s)
    return MMSCAN_EINVAL;
  if (x == w) return d->form == MMSCAN_PRODUCT_TRMM ? MMSCAN_OK : MMSCAN_EOVERLAP;
  const mms_lattice xs = rows_of(d, x, x_size, 1), ws = rows_of(d, w, x_size, size / x_size);
  return mms_lattice_meet(&xs, &ws) ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

static mmscan_status check_product(const mmscan_product_desc *d, const void *x, const void *w) {
  mmscan_status status;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if ((status = check_product_values(d))) return status;
  return d->columns ? check_product_arrays(d, x, w) : MMSCAN_OK;
}

static void multiply(const mmscan_product_desc *d, const mms_unit *unit, const void *a, const void *x, void *w) {
  int before = mms_cancel_disable();
  mms_unit_multiply(unit, &(mms_product){.type = d->type,
                                         .form = d->form,
                                         .transposed = d->transposed != 0,
                                         .s = d->s,
                                         .columns = d->columns,
                                         .row_stride = d->row_stride,
                                         .a = a,
                                         .x = x,
                                         .w = w,
                                         .elements = d->s * d->columns});
  mms_cancel_restore(before);
}

static mmscan_status run_product(const mmscan_product_desc *d, const mms_unit *unit, const void *x, void *w) {
  if (!mms_unit_has(unit, d->type, d->form)) return MMSCAN_ENOTSUP;
  if (d->columns == 0) return MMSCAN_OK;
  void *a = malloc(d->s * d->s * one_of(d)->size);
  if (!a) return MMSCAN_ENOMEM;
  mms_matrix_make(d->matrix, one_of(d), d->s, a);
  multiply(d, unit, a, x, w);
  free(a);
  return MMSCAN_OK;
}

mmscan_status mmscan_product(const mmscan_product_desc *desc, const void *x, void *w) {
  const mms_unit *unit;
  mmscan_status status = check_product(desc, x, w);
  if (status) return status;
  if (mms_env_get()->status) return mms_env_get()->status;
  if ((status = hold_named_unit(desc->unit, &unit))) return status;
  status = run_product(desc, unit, x, w);
  mms_unit_drop(unit);
  return status;
}

/* ---- Routines of units ---------------------------------------------------------------------------------------- */

/* As hold_named_unit(), but a unit whose library is not here has no routines. */
static mmscan_status hold_for_routines(const char *name, const mms_unit **unit) {
  const mmscan_status status = hold_named_unit(name, unit);
  return status == MMSCAN_EBLAS ? MMSCAN_EINVAL : status;
}

mmscan_status mmscan_get_routine(const char *name, size_t index, mmscan_routine *routine) {
  const mms_unit *unit;
  mmscan_status status;
  if (!name || !routine || routine->struct_size != sizeof *routine) return MMSCAN_EINVAL;
  if ((status = hold_for_routines(name, &unit))) return status;
  bool found = unit->routine && unit->routine(unit, index, routine);
  mms_unit_drop(unit);
  return found ? MMSCAN_OK : MMSCAN_EINVAL;
}

mmscan_status mmscan_routine_try(const char *name, const char *routine) {
  const mms_unit *unit;
  mmscan_status status;
  if (!name || !routine) return MMSCAN_EINVAL;
  if ((status = hold_for_routines(name, &unit))) return status;
  status = unit->try_routine ? unit->try_routine(unit, routine) : MMSCAN_EINVAL;
  mms_unit_drop(unit);
  return status;
}
