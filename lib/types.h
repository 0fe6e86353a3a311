/* types.h: what every layer knows of element types. The facts are in types.def. */
#ifndef MMS_TYPES_H
#define MMS_TYPES_H

#include "mmscan.h"
#include <stdbool.h>

/* Halves of integers and of doubles are found by their place in memory, and a BLAS may read a 32-bit integer where a
 * 64-bit one is passed. */
_Static_assert(sizeof(void *) == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "64 bits, little-endian");

/* The Makefile refuses these options too, as some compilers define no macro for some of them. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "-ffast-math, -Ofast or a part of them: results, and what is finite and what is not, would be wrong"
#endif

/* One element of any type. */
typedef union mms_value {
  float f32;
  double f64;
  int32_t i32;
  int64_t i64;
  uint32_t u32;
  uint64_t u64;
} mms_value;

/* Lengths of tables indexed by mmscan_type, by mmscan_op and by mmscan_kind. */
enum { MMS_TYPES = MMSCAN_U8 + 1, MMS_OPS = MMSCAN_MUL + 1, MMS_KINDS = MMSCAN_EXCLUSIVE + 1 };

/* Bytes of an element; 0 for a type that is not scanned yet, or is no type. */
size_t mms_type_size(mmscan_type type);

/* The suffix of a type in names of calls; NULL for a type that is not scanned yet. And the type of a suffix. */
const char *mms_type_name(mmscan_type type);
bool mms_type_find(const char *name, mmscan_type *type);

/* Whether the operator scans the type, and its identity there. */
bool mms_type_is_scanned(mmscan_op op, mmscan_type type);
mms_value mms_type_identity(mmscan_op op, mmscan_type type);

/* The float type whose products serve the type; and how many products an element takes: 0 if none is exact. */
mmscan_type mms_type_unit(mmscan_type type);
int mms_type_planes(mmscan_op op, mmscan_type type);

#endif
