/* loop.c: the plain loops. */
#include "kernel/loop.h"

/* Instantiates loop_body.inc for every line of types.def. */

#define T      float
#define A      float
#define SUFFIX f32
#include "kernel/loop_body.inc"

#define T      double
#define A      double
#define SUFFIX f64
#include "kernel/loop_body.inc"

#define T      int32_t
#define A      uint32_t
#define SUFFIX i32
#include "kernel/loop_body.inc"

#define T      int64_t
#define A      uint64_t
#define SUFFIX i64
#include "kernel/loop_body.inc"

#define T      uint32_t
#define A      uint32_t
#define SUFFIX u32
#include "kernel/loop_body.inc"

#define T      uint64_t
#define A      uint64_t
#define SUFFIX u64
#include "kernel/loop_body.inc"

const mms_loop mms_loop_of[MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##ENUM] = {{inclusive_##suffix, inclusive_reverse_##suffix},                                                 \
                     {exclusive_##suffix, exclusive_reverse_##suffix},                                                 \
                     {fold_##suffix, fold_reverse_##suffix}},
#include "types.def"
#undef MMS_TYPE
};
