/* loop.c: the plain loops, operator by operator. */
#include "kernel/loop.h"

#define OP            PLUS
#define COMBINE(a, b) ((a) + (b))
#define BODY          "kernel/loop_body.inc"
#include "each_type.inc"
#undef OP
#undef COMBINE

const mms_loop mms_loop_of[MMS_OPS][MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##op][MMSCAN_##ENUM] = {                                                                                     \
      .scan = {[MMSCAN_INCLUSIVE] = {inclusive_##op##_##suffix, inclusive_reverse_##op##_##suffix},                    \
               [MMSCAN_EXCLUSIVE] = {exclusive_##op##_##suffix, exclusive_reverse_##op##_##suffix}},                   \
      .batch = {[MMSCAN_INCLUSIVE] = {inclusive_batch_##op##_##suffix, inclusive_batch_reverse_##op##_##suffix},       \
                [MMSCAN_EXCLUSIVE] = {exclusive_batch_##op##_##suffix, exclusive_batch_reverse_##op##_##suffix}},      \
      .fold = {fold_##op##_##suffix, fold_reverse_##op##_##suffix}},
#include "types.def"
#undef MMS_TYPE
};
