/* storage.c: the table of pairs of types. */
#include "pack/storage.h"

#include "pack/convert.h"

/* ---- Types ---------------------------------------------------------------------------------------------------- */

/* Name, kind and bytes: X(name, public name, kind, size). */
#define EACH_TYPE(X)                                                                                                   \
  X(f32, MMSCAN_F32, 'f', 4)                                                                                           \
  X(f64, MMSCAN_F64, 'f', 8)                                                                                           \
  X(i32, MMSCAN_I32, 'i', 4)                                                                                           \
  X(i64, MMSCAN_I64, 'i', 8)                                                                                           \
  X(u32, MMSCAN_U32, 'u', 4)                                                                                           \
  X(u64, MMSCAN_U64, 'u', 8)                                                                                           \
  X(c32, MMSCAN_C32, 'c', 8)                                                                                           \
  X(c64, MMSCAN_C64, 'c', 16)                                                                                          \
  X(i8, MMSCAN_I8, 'i', 1)                                                                                             \
  X(u8, MMSCAN_U8, 'u', 1)                                                                                             \
  X(i16, MMSCAN_I16, 'i', 2)                                                                                           \
  X(u16, MMSCAN_U16, 'u', 2)                                                                                           \
  X(f16, MMSCAN_F16, 'f', 2)                                                                                           \
  X(bf16, MMSCAN_BF16, 'f', 2)

enum {
#define TYPE(name, type, kind, size) TYPE_##name = type, SIZE_##name = size,
  EACH_TYPE(TYPE)
#undef TYPE
};

static const mms_type types[] = {
#define TYPE(name, type, kind, size) [type] = {#name, kind, size},
    EACH_TYPE(TYPE)
#undef TYPE
};
enum { TYPES = sizeof types / sizeof *types };

const mms_type *mms_type_of(mmscan_type type) { return &types[type]; }

/* ---- Pairs of types ------------------------------------------------------------------------------------------- */

/* SAME(type): x and y are what is combined. PAIR(x, y, arithmetic, in, out): they are converted. PLANES(x, y, part, in,
 * out): so are two parts. */
#define ROW(x, y, a, p, i, o)                                                                                          \
  [TYPE_##x][TYPE_##y] = {.arithmetic = (mmscan_type)TYPE_##a,                                                         \
                          .x_size = SIZE_##x,                                                                          \
                          .y_size = SIZE_##y,                                                                          \
                          .size = SIZE_##a,                                                                            \
                          .planes = (p),                                                                               \
                          .in = (i),                                                                                   \
                          .out = (o)}
#define SAME(t)             ROW(t, t, t, 1, NULL, NULL)
#define PAIR(x, y, a, i, o) ROW(x, y, a, 1, i, o)

static const mms_storage table[TYPES][TYPES] = {
    SAME(f32),
    SAME(f64),
    SAME(i32),
    SAME(i64),
    SAME(u32),
    SAME(u64),
    SAME(c32),
    SAME(c64),
    /* Results are narrower than what is combined. */
    PAIR(i8, i8, i32, mms_i8_to_32, mms_32_to_8),
    PAIR(u8, u8, u32, mms_u8_to_32, mms_32_to_8),
    PAIR(i16, i16, i32, mms_i16_to_32, mms_32_to_16),
    PAIR(u16, u16, u32, mms_u16_to_32, mms_32_to_16),
    PAIR(i8, i16, i32, mms_i8_to_32, mms_32_to_16),
    PAIR(u8, i16, i32, mms_u8_to_32, mms_32_to_16),
    PAIR(u8, u16, u32, mms_u8_to_32, mms_32_to_16),
    PAIR(f16, f16, f32, mms_f16_to_f32, mms_f32_to_f16),
    PAIR(bf16, bf16, f32, mms_bf16_to_f32, mms_f32_to_bf16),
    /* To wider integers: a signed one never to an unsigned one. */
    PAIR(i8, i32, i32, mms_i8_to_32, NULL),
    PAIR(u8, i32, i32, mms_u8_to_32, NULL),
    PAIR(u8, u32, u32, mms_u8_to_32, NULL),
    PAIR(i16, i32, i32, mms_i16_to_32, NULL),
    PAIR(u16, i32, i32, mms_u16_to_32, NULL),
    PAIR(u16, u32, u32, mms_u16_to_32, NULL),
    PAIR(i8, i64, i64, mms_i8_to_64, NULL),
    PAIR(u8, i64, i64, mms_u8_to_64, NULL),
    PAIR(u8, u64, u64, mms_u8_to_64, NULL),
    PAIR(i16, i64, i64, mms_i16_to_64, NULL),
    PAIR(u16, i64, i64, mms_u16_to_64, NULL),
    PAIR(u16, u64, u64, mms_u16_to_64, NULL),
    PAIR(i32, i64, i64, mms_i32_to_64, NULL),
    PAIR(u32, i64, i64, mms_u32_to_64, NULL),
    PAIR(u32, u64, u64, mms_u32_to_64, NULL),
    /* To floats. */
    PAIR(i8, f32, f32, mms_i8_to_f32, NULL),
    PAIR(u8, f32, f32, mms_u8_to_f32, NULL),
    PAIR(i16, f32, f32, mms_i16_to_f32, NULL),
    PAIR(u16, f32, f32, mms_u16_to_f32, NULL),
    PAIR(i32, f32, f32, mms_i32_to_f32, NULL),
    PAIR(u32, f32, f32, mms_u32_to_f32, NULL),
    PAIR(i64, f32, f32, mms_i64_to_f32, NULL),
    PAIR(u64, f32, f32, mms_u64_to_f32, NULL),
    PAIR(f16, f32, f32, mms_f16_to_f32, NULL),
    PAIR(bf16, f32, f32, mms_bf16_to_f32, NULL),
    PAIR(i8, f64, f64, mms_i8_to_f64, NULL),
    PAIR(u8, f64, f64, mms_u8_to_f64, NULL),
    PAIR(i16, f64, f64, mms_i16_to_f64, NULL),
    PAIR(u16, f64, f64, mms_u16_to_f64, NULL),
    PAIR(i32, f64, f64, mms_i32_to_f64, NULL),
    PAIR(u32, f64, f64, mms_u32_to_f64, NULL),
    PAIR(i64, f64, f64, mms_i64_to_f64, NULL),
    PAIR(u64, f64, f64, mms_u64_to_f64, NULL),
    PAIR(f16, f64, f64, mms_f16_to_f64, NULL),
    PAIR(bf16, f64, f64, mms_bf16_to_f64, NULL),
    PAIR(f32, f64, f64, mms_f32_to_f64, NULL),
    /* To complex numbers. */
    PAIR(f32, c32, c32, mms_f32_to_c32, NULL),
    PAIR(f64, c64, c64, mms_f64_to_c64, NULL),
};

#define PLANES(x, y, a, i, o) ROW(x, y, a, 2, i, o)

static const mms_storage planes[TYPES][TYPES] = {
    PLANES(c32, c32, f32, mms_c32_to_planes, mms_planes_to_c32),
    PLANES(c64, c64, f64, mms_c64_to_planes, mms_planes_to_c64),
    PLANES(f32, c32, f32, mms_f32_to_planes, mms_planes_to_c32),
    PLANES(f64, c64, f64, mms_f64_to_planes, mms_planes_to_c64),
};

static const mms_storage *row(const mms_storage *s) { return s->arithmetic ? s : NULL; }

const mms_storage *mms_storage_of(mmscan_type x_type, mmscan_type y_type) { return row(&table[x_type][y_type]); }

const mms_storage *mms_storage_in_planes(mmscan_type x_type, mmscan_type y_type) {
  return row(&planes[x_type][y_type]);
}
