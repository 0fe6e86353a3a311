/* checked.c: steps of + and x that are looked at. What does not fit wraps, so that the first result that does not fit
 * is found at its own step. */
#include "algebra/checked.h"

#include <string.h>

/* Elements are of the type `arithmetic`, results of the type `result`. */
#define CHECKED(name, step, arithmetic, result)                                                                        \
  static bool name(size_t n, const void *from, const mms_value *carry, bool reverse) {                                 \
    const arithmetic *x = from;                                                                                        \
    arithmetic before;                                                                                                 \
    bool overflows = false;                                                                                            \
    memcpy(&before, carry, sizeof before);                                                                             \
    result sum = (result)before;                                                                                       \
    for (size_t i = 0; i < n; i++) overflows |= step(sum, (result)x[reverse ? n - 1 - i : i], &sum);                   \
    return overflows;                                                                                                  \
  }
#define CHECKED_BOTH(plus, mul, arithmetic, result)                                                                    \
  CHECKED(plus, __builtin_add_overflow, arithmetic, result)                                                            \
  CHECKED(mul, __builtin_mul_overflow, arithmetic, result)

CHECKED_BOTH(plus_i8, mul_i8, int32_t, int8_t)
CHECKED_BOTH(plus_u8, mul_u8, uint32_t, uint8_t)
CHECKED_BOTH(plus_i16, mul_i16, int32_t, int16_t)
CHECKED_BOTH(plus_u16, mul_u16, uint32_t, uint16_t)
CHECKED_BOTH(plus_i32, mul_i32, int32_t, int32_t)
CHECKED_BOTH(plus_u32, mul_u32, uint32_t, uint32_t)
CHECKED_BOTH(plus_i64, mul_i64, int64_t, int64_t)
CHECKED_BOTH(plus_u64, mul_u64, uint64_t, uint64_t)

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
