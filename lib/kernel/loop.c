/* loop.c: the plain loops. */
#include "kernel/loop.h"

#define BODY "kernel/loop_body.inc"
#include "each_type.inc"

const mms_loop mms_loop_of[MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##ENUM] = {{inclusive_##suffix, inclusive_reverse_##suffix},                                                 \
                     {exclusive_##suffix, exclusive_reverse_##suffix},                                                 \
                     {fold_##suffix, fold_reverse_##suffix}},
#include "types.def"
#undef MMS_TYPE
};
