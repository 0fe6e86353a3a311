/* model.c: the unit that counts. It multiplies by plain loops that skip the zeros of A, and counts each addition as it
 * is done. For other units the same counts are computed from the entries of A (sweep.c); tests compare the two. */
#include "unit/unit.h"

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
