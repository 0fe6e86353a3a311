/* vector.c: loops over floats or doubles. */
#include "paper/vector.h"

#define T              float
#define NAME(function) function##_f32
#include "paper/vector_body.inc"
#undef T
#undef NAME

#define T              double
#define NAME(function) function##_f64
#include "paper/vector_body.inc"
#undef T
#undef NAME

void mms_vector_add(mmscan_type type, size_t n, const void *carry, void *x) {
  if (type == MMSCAN_F32)
    add_f32(n, *(const float *)carry, x);
  else
    add_f64(n, *(const double *)carry, x);
}
