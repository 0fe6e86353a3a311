/* checked.c: steps of + and x that are looked at. What does not fit wraps, so that the first result that does not fit
 * is found at its own step. */
#include "algebra/checked.h"

#include <string.h>

#define ELEMENT int32_t
#define RESULT  int8_t
#define NAME(f) f##_i8
#include "algebra/checked_body.inc"

#define ELEMENT uint32_t
#define RESULT  uint8_t
#define NAME(f) f##_u8
#include "algebra/checked_body.inc"

#define ELEMENT int32_t
#define RESULT  int16_t
#define NAME(f) f##_i16
#include "algebra/checked_body.inc"

#define ELEMENT uint32_t
#define RESULT  uint16_t
#define NAME(f) f##_u16
#include "algebra/checked_body.inc"

#define ELEMENT int32_t
#define RESULT  int32_t
#define NAME(f) f##_i32
#include "algebra/checked_body.inc"

#define ELEMENT uint32_t
#define RESULT  uint32_t
#define NAME(f) f##_u32
#include "algebra/checked_body.inc"

#define ELEMENT int64_t
#define RESULT  int64_t
#define NAME(f) f##_i64
#include "algebra/checked_body.inc"

#define ELEMENT uint64_t
#define RESULT  uint64_t
#define NAME(f) f##_u64
#include "algebra/checked_body.inc"

mms_overflows *mms_checked_of(mmscan_op op, mmscan_type y_type) {
  static mms_overflows *const table[MMS_OPS][MMS_TYPES] = {[MMSCAN_PLUS] = {[MMSCAN_I8] = plus_i8,
                                                                            [MMSCAN_U8] = plus_u8,
                                                                            [MMSCAN_I16] = plus_i16,
                                                                            [MMSCAN_U16] = plus_u16,
                                                                            [MMSCAN_I32] = plus_i32,
                                                                            [MMSCAN_U32] = plus_u32,
                                                                            [MMSCAN_I64] = plus_i64,
                                                                            [MMSCAN_U64] = plus_u64},
                                                           [MMSCAN_MUL] = {[MMSCAN_I8] = mul_i8,
                                                                           [MMSCAN_U8] = mul_u8,
                                                                           [MMSCAN_I16] = mul_i16,
                                                                           [MMSCAN_U16] = mul_u16,
                                                                           [MMSCAN_I32] = mul_i32,
                                                                           [MMSCAN_U32] = mul_u32,
                                                                           [MMSCAN_I64] = mul_i64,
                                                                           [MMSCAN_U64] = mul_u64}};
  return table[op][y_type];
}
