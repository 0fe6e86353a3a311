/* number.c: the types of numbers that are timed, and their data.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "number.h"

#include <stdbool.h>
#include <string.h>

/* The last steps of MurmurHash3. The script in numpy.c computes the same values. */
static int value_at(size_t i) {
  uint32_t h = (uint32_t)i * 0x9E3779B1u;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h ^= h >> 13;
  return (int)(h % 9) - 4;
}

#define BODY "number_body.inc"
#include "each_type.inc"

const number numbers[NUMBERS] = {
    {"f32", MMSCAN_F32, 4, fill_f32, check_f32, check_by_rows_f32, checksum_f32, fill_inexact_f32, calls_f32,
     serial_f32, serial_rows_f32},
    {"f64", MMSCAN_F64, 8, fill_f64, check_f64, check_by_rows_f64, checksum_f64, fill_inexact_f64, calls_f64,
     serial_f64, serial_rows_f64},
    {"i32", MMSCAN_I32, 4, fill_i32, check_i32, check_by_rows_i32, checksum_i32, fill_inexact_i32, calls_i32,
     serial_i32, serial_rows_i32},
    {"i64", MMSCAN_I64, 8, fill_i64, check_i64, check_by_rows_i64, checksum_i64, fill_inexact_i64, calls_i64,
     serial_i64, serial_rows_i64},
};

const number *number_by_name(const char *name) {
  for (int i = 0; i < NUMBERS; i++)
    if (strcmp(numbers[i].name, name) == 0) return &numbers[i];
  return NULL;
}
