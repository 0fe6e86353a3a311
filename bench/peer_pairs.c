/* peer_pairs.c: scans into another type, and copying into it, which bounds them: the loops that a compiler is given. */
#include "peer_pairs.h"
#include "narrow.h"

#include <stdint.h>
#include <string.h>

#ifdef __clang__ /* accepts the pragma, but warns that it cannot vectorise a scan */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define PASTE(a, b)      a##_##b
#define PASTED(a, b)     PASTE(a, b)
#define PASTED3(a, b, c) PASTED(a, PASTED(b, c))
#define TYPE_OF(x)       PASTED(TYPE, x)
#define CODE_OF(x)       PASTED(CODE, x)
#define VALUE_OF(x)      PASTED(VALUE, x)
#define NAME(f)          PASTED3(f, X, Y)
#define TEXT(x)          #x
#define TEXT_OF(x)       TEXT(x)

#define TYPE_i8   int8_t
#define TYPE_u8   uint8_t
#define TYPE_i16  int16_t
#define TYPE_u16  uint16_t
#define TYPE_i32  int32_t
#define TYPE_u32  uint32_t
#define TYPE_i64  int64_t
#define TYPE_u64  uint64_t
#define TYPE_f16  uint16_t
#define TYPE_bf16 uint16_t
#define TYPE_f32  float
#define TYPE_f64  double
#define TYPE_c32  float _Complex
#define TYPE_c64  double _Complex

/* Bits; of unsigned integers one more; of halves and floats 100 more, of complex numbers 200. */
#define CODE_i8   8
#define CODE_u8   9
#define CODE_i16  16
#define CODE_u16  17
#define CODE_i32  32
#define CODE_u32  33
#define CODE_i64  64
#define CODE_u64  65
#define CODE_f16  116
#define CODE_bf16 116
#define CODE_f32  132
#define CODE_f64  164
#define CODE_c32  264
#define CODE_c64  328

#define VALUE_i8
#define VALUE_u8
#define VALUE_i16
#define VALUE_u16
#define VALUE_i32
#define VALUE_u32
#define VALUE_i64
#define VALUE_u64
#define VALUE_f16  narrow_from_f16
#define VALUE_bf16 narrow_from_bf16
#define VALUE_f32
#define VALUE_f64

#define BODY "peer_pairs_body.inc"
#include "each_pair.inc"
#undef BODY

const peer peer_pairs_built = {.name = "loops that convert", .built = PEER_BUILT, .needs = PEER_NEEDS};

const peer_pair *peer_pair_of(const char *x, const char *y) {
  static const peer_pair pairs[] = {
#define BODY "peer_pairs_row.inc"
#include "each_pair.inc"
#undef BODY
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(pairs[i].x, x) == 0 && strcmp(pairs[i].y, y) == 0) return &pairs[i];
  return NULL;
}
