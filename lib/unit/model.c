/* model.c: the unit that counts. It multiplies by plain loops that skip the zeros of A, and counts each addition as it
 * is done. For other units the same counts are computed from the entries of A; tests compare the two. */
#include "unit/model.h"

#include "unit/matrix.h"

void mms_model_count_product(const mms_product *p) {
  uint64_t squares = (p->columns + p->s - 1) / p->s;
  p->counts->gemms += mms_product_is_batch(p->form) ? squares : 1;
  p->counts->multiplications += squares;
}

/* Additions of one column whose first `elements` entries are data: a row with k nonzeros among them takes k - 1. */
static uint64_t column_additions(const mms_product *p, size_t elements) {
  uint64_t additions = 0;
  for (size_t row = 0; row < elements; row++) {
    size_t nonzeros = 0;
    for (size_t k = 0; k < elements; k++) {
      size_t at = p->transposed ? row * p->s + k : k * p->s + row;
      nonzeros += mms_matrix_entry(p->type, p->a, at) != 0;
    }
    additions += nonzeros - 1;
  }
  return additions;
}

void mms_model_count_additions(const mms_product *p) {
  uint64_t whole = column_additions(p, p->s);
  p->counts->additions += p->columns * whole;
  p->counts->additions_unpadded += p->elements / p->s * whole + column_additions(p, p->elements % p->s);
}

#define T              float
#define NAME(function) function##_f32
#include "unit/model_body.inc"
#undef T
#undef NAME

#define T              double
#define NAME(function) function##_f64
#include "unit/model_body.inc"
#undef T
#undef NAME

static void multiply(const mms_unit *self, const mms_product *p) {
  (void)self;
  if (p->type == MMSCAN_F32)
    multiply_f32(p);
  else
    multiply_f64(p);
}

const mms_unit mms_unit_model = {.name = "model",
                                 .description = "plain loops that count what the paper counts",
                                 .multiply = multiply,
                                 .counts = true};
