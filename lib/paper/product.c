/* product.c: one product by a unit. */
#include "paper/product.h"

#include "cancel.h"
#include "unit/matrix.h"
#include <stdlib.h>

mmscan_status mms_product_run(const mmscan_product_desc *d, const mms_unit *unit, const void *x, void *w) {
  if (!mms_unit_has(unit, d->type, d->form)) return MMSCAN_ENOTSUP;
  if (d->columns == 0) return MMSCAN_OK;
  const mms_one *one = d->form == MMSCAN_PRODUCT_BF16 ? &mms_matrix_one_bf16 : mms_matrix_one(d->type);
  void *a = malloc(d->s * d->s * one->size);
  if (!a) return MMSCAN_ENOMEM;
  mms_matrix_make(d->matrix, one, d->s, a);
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
  free(a);
  return MMSCAN_OK;
}
