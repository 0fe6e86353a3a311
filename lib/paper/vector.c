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

void mms_vector_add_groups(mmscan_type type, size_t s, size_t groups, const void *z, const void *totals, void *y) {
  if (type == MMSCAN_F32)
    add_groups_f32(s, groups, z, totals, y);
  else
    add_groups_f64(s, groups, z, totals, y);
}

void mms_vector_scan(mmscan_type type, size_t n, const void *carry, void *x) {
  if (type == MMSCAN_F32)
    scan_f32(n, *(const float *)carry, x);
  else
    scan_f64(n, *(const double *)carry, x);
}
