/* element.c: the types of numbers the command reads and writes, as one table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "element.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text to numbers --------------------------------------------------------------------------------------------- */

/* An optional sign, then decimal digits only: strtoll() would also skip white space, and strtoull() would wrap -1. */
static bool is_integer(const char *text) {
  if (*text == '+' || *text == '-') text++;
  const size_t digits = strspn(text, "0123456789");
  return digits > 0 && text[digits] == '\0';
}

/* Whether the digits of text, an integer, are exactly those of value, apart from leading zeros. Signs are ignored. */
static bool is_exactly(const char *text, double value) {
  char digits[512]; /* the largest double has 309 */
  snprintf(digits, sizeof digits, "%.0f", fabs(value));
  return strcmp(text + strspn(text, "+-0"), digits) == 0;
}

/* strtod() rounds a tiny number to a subnormal or zero, which is right, and a huge one to infinity, which is not what
 * the file says. It also skips leading white space, which is refused here. */
static parsed judge_real(const char *text, const char *end, bool overflowed) {
  if (end == text || *end != '\0' || isspace((unsigned char)*text)) return NOT_A_NUMBER;
  return overflowed ? OUT_OF_RANGE : PARSED;
}

static parsed parse_f32(const char *text, scalar *value) {
  char *end;
  errno = 0;
  value->f32 = strtof(text, &end);
  return judge_real(text, end, errno == ERANGE && isinf(value->f32));
}

static parsed parse_f64(const char *text, scalar *value) {
  char *end;
  errno = 0;
  value->f64 = strtod(text, &end);
  const parsed result = judge_real(text, end, errno == ERANGE && isinf(value->f64));
  const bool may_be_rounded = result == PARSED && fabs(value->f64) >= 0x1p53 && is_integer(text);
  return may_be_rounded && !is_exactly(text, value->f64) ? ROUNDED : result;
}

static parsed parse_signed(const char *text, int64_t lowest, int64_t highest, int64_t *value) {
  if (!is_integer(text)) return NOT_A_NUMBER;
  errno = 0;
  *value = strtoll(text, NULL, 10);
  return errno == ERANGE || *value < lowest || *value > highest ? OUT_OF_RANGE : PARSED;
}

static parsed parse_unsigned(const char *text, uint64_t highest, uint64_t *value) {
  if (!is_integer(text)) return NOT_A_NUMBER;
  errno = 0;
  *value = strtoull(text, NULL, 10);
  const bool negative = *text == '-' && *value != 0;
  return errno == ERANGE || negative || *value > highest ? OUT_OF_RANGE : PARSED;
}

static parsed parse_i32(const char *text, scalar *value) {
  int64_t wide = 0;
  const parsed result = parse_signed(text, INT32_MIN, INT32_MAX, &wide);
  value->i32 = (int32_t)wide;
  return result;
}

static parsed parse_i64(const char *text, scalar *value) {
  return parse_signed(text, INT64_MIN, INT64_MAX, &value->i64);
}

static parsed parse_u32(const char *text, scalar *value) {
  uint64_t wide = 0;
  const parsed result = parse_unsigned(text, UINT32_MAX, &wide);
  value->u32 = (uint32_t)wide;
  return result;
}

static parsed parse_u64(const char *text, scalar *value) { return parse_unsigned(text, UINT64_MAX, &value->u64); }

/* ---- Numbers to text: the fewest digits that read back to the same value ----------------------------------------- */

static int print_f32(const void *value, char text[ELEMENT_TEXT]) {
  float number;
  memcpy(&number, value, sizeof number);
  if (isnan(number)) return snprintf(text, ELEMENT_TEXT, "nan");
  int length = 0;
  for (int digits = 6; digits <= 9; digits++) {
    length = snprintf(text, ELEMENT_TEXT, "%.*g", digits, (double)number);
    if (strtof(text, NULL) == number) break;
  }
  return length;
}

static int print_f64(const void *value, char text[ELEMENT_TEXT]) {
  double number;
  memcpy(&number, value, sizeof number);
  if (isnan(number)) return snprintf(text, ELEMENT_TEXT, "nan");
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, ELEMENT_TEXT, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  return length;
}

static int print_i32(const void *value, char text[ELEMENT_TEXT]) {
  int32_t number;
  memcpy(&number, value, sizeof number);
  return snprintf(text, ELEMENT_TEXT, "%" PRId32, number);
}

static int print_i64(const void *value, char text[ELEMENT_TEXT]) {
  int64_t number;
  memcpy(&number, value, sizeof number);
  return snprintf(text, ELEMENT_TEXT, "%" PRId64, number);
}

static int print_u32(const void *value, char text[ELEMENT_TEXT]) {
  uint32_t number;
  memcpy(&number, value, sizeof number);
  return snprintf(text, ELEMENT_TEXT, "%" PRIu32, number);
}

static int print_u64(const void *value, char text[ELEMENT_TEXT]) {
  uint64_t number;
  memcpy(&number, value, sizeof number);
  return snprintf(text, ELEMENT_TEXT, "%" PRIu64, number);
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* The identity of + is the zero of its type, which integers need not name; for floats it is -0.0, as 0.0 + -0.0 is
 * 0.0. */
static const element table[] = {
    {"f32",
     MMSCAN_F32,
     'f',
     4,
     parse_f32,
     print_f32,
     {[MMSCAN_PLUS] = {.f32 = -0.0},
      [MMSCAN_MAX] = {.f32 = -INFINITY},
      [MMSCAN_MIN] = {.f32 = INFINITY},
      [MMSCAN_MUL] = {.f32 = 1}}},
    {"f64",
     MMSCAN_F64,
     'f',
     8,
     parse_f64,
     print_f64,
     {[MMSCAN_PLUS] = {.f64 = -0.0},
      [MMSCAN_MAX] = {.f64 = -INFINITY},
      [MMSCAN_MIN] = {.f64 = INFINITY},
      [MMSCAN_MUL] = {.f64 = 1}}},
    {"i32",
     MMSCAN_I32,
     'i',
     4,
     parse_i32,
     print_i32,
     {[MMSCAN_MAX] = {.i32 = INT32_MIN}, [MMSCAN_MIN] = {.i32 = INT32_MAX}, [MMSCAN_MUL] = {.i32 = 1}}},
    {"i64",
     MMSCAN_I64,
     'i',
     8,
     parse_i64,
     print_i64,
     {[MMSCAN_MAX] = {.i64 = INT64_MIN}, [MMSCAN_MIN] = {.i64 = INT64_MAX}, [MMSCAN_MUL] = {.i64 = 1}}},
    {"u32",
     MMSCAN_U32,
     'u',
     4,
     parse_u32,
     print_u32,
     {[MMSCAN_MAX] = {.u32 = 0}, [MMSCAN_MIN] = {.u32 = UINT32_MAX}, [MMSCAN_MUL] = {.u32 = 1}}},
    {"u64",
     MMSCAN_U64,
     'u',
     8,
     parse_u64,
     print_u64,
     {[MMSCAN_MAX] = {.u64 = 0}, [MMSCAN_MIN] = {.u64 = UINT64_MAX}, [MMSCAN_MUL] = {.u64 = 1}}},
};
enum { ROWS = sizeof table / sizeof table[0] };

const element *element_at(int index) { return index < ROWS ? &table[index] : NULL; }

const element *element_by_name(const char *name) {
  for (int i = 0; i < ROWS; i++)
    if (strcmp(table[i].name, name) == 0) return &table[i];
  return NULL;
}

const element *element_by_kind(char kind, size_t size) {
  for (int i = 0; i < ROWS; i++)
    if (table[i].kind == kind && table[i].size == size) return &table[i];
  return NULL;
}

mmscan_desc element_plain_scan(mmscan_type type, size_t n) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = type,
                       .y_type = type,
                       .op = MMSCAN_PLUS,
                       .kind = MMSCAN_INCLUSIVE,
                       .n = n,
                       .x_stride = 1,
                       .y_stride = 1,
                       .batch = 1};
}

void element_fill(const element *type, mmscan_op op, void *data, size_t count) {
  for (size_t i = 0; i < count; i++) memcpy((char *)data + i * type->size, &type->identity[op], type->size);
}

void element_swap(void *data, size_t count, size_t size) {
  if (size == 4) {
    uint32_t *word = data;
    for (size_t i = 0; i < count; i++) word[i] = __builtin_bswap32(word[i]);
  } else {
    uint64_t *word = data;
    for (size_t i = 0; i < count; i++) word[i] = __builtin_bswap64(word[i]);
  }
}
