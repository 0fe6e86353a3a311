/* convert.h: the conversions of storage.c. */
#ifndef MMS_CONVERT_H
#define MMS_CONVERT_H

#include "pack/storage.h"

/* Integers to wider ones; their sign goes with them. */
mms_convert mms_i8_to_32, mms_u8_to_32, mms_i16_to_32, mms_u16_to_32;
mms_convert mms_i8_to_64, mms_u8_to_64, mms_i16_to_64, mms_u16_to_64, mms_i32_to_64, mms_u32_to_64;

/* To narrower ones, which wrap. */
mms_convert mms_32_to_8, mms_32_to_16;

/* To floats, rounded as the program has it. */
mms_convert mms_i8_to_f32, mms_u8_to_f32, mms_i16_to_f32, mms_u16_to_f32, mms_i32_to_f32, mms_u32_to_f32,
    mms_i64_to_f32, mms_u64_to_f32;
mms_convert mms_i8_to_f64, mms_u8_to_f64, mms_i16_to_f64, mms_u16_to_f64, mms_i32_to_f64, mms_u32_to_f64,
    mms_i64_to_f64, mms_u64_to_f64;

/* Halves: exact to floats; and to halves rounded to nearest, ties to even, whatever the program has. A NaN stays one,
 * made quiet. */
mms_convert mms_f16_to_f32, mms_bf16_to_f32, mms_f16_to_f64, mms_bf16_to_f64, mms_f32_to_f64;
mms_convert mms_f32_to_f16, mms_f32_to_bf16;

/* Complex numbers, and their parts in planes; those of real numbers are +0. */
mms_convert mms_f32_to_c32, mms_f64_to_c64;
mms_convert mms_c32_to_planes, mms_c64_to_planes, mms_f32_to_planes, mms_f64_to_planes, mms_planes_to_c32,
    mms_planes_to_c64;

#endif
