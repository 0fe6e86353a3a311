/* element.c: the types of numbers the command reads and writes, by their kind and size. */
#include "element.h"
#include "half.h"

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

static bool is_half(const element *type) { return type->type == MMSCAN_F16 || type->type == MMSCAN_BF16; }

/* Of a float, or of one part of a complex number. */
static size_t part_size(const element *type) { return type->kind == 'c' ? type->size / 2 : type->size; }

static double real_at(const element *type, const void *value) {
  scalar number;
  memcpy(&number, value, part_size(type));
  if (is_half(type)) return (double)half_value(type->type, number.half);
  return part_size(type) == sizeof number.f32 ? (double)number.f32 : number.f64;
}

/* The nearest number of the type, in which *end is where the text of a number ends. */
static double round_text(const element *type, const char *text, char **end) {
  if (is_half(type)) return (double)half_value(type->type, half_of(type->type, strtod(text, end)));
  return part_size(type) == sizeof(float) ? (double)strtof(text, end) : strtod(text, end);
}

static void put_real(const element *type, double value, void *to) {
  scalar number = {.f64 = value};
  if (is_half(type))
    number.half = half_of(type->type, value);
  else if (part_size(type) == sizeof number.f32)
    number.f32 = (float)value;
  memcpy(to, &number, part_size(type));
}

/* strtod() rounds a tiny number to a subnormal or zero, which is right, and a huge one to infinity, which is not what
 * the file says. It also skips leading white space, which is refused here. */
static parsed parse_real(const element *type, const char *text, void *value) {
  char *end;
  errno = 0;
  const double wide = round_text(type, text, &end);
  const bool is_word = isalpha((unsigned char)text[*text == '+' || *text == '-']);
  put_real(type, wide, value);
  if (end == text || *end != '\0' || isspace((unsigned char)*text)) return NOT_A_NUMBER;
  if (isinf(wide) && !is_word) return OUT_OF_RANGE;
  const bool may_be_rounded = type->type == MMSCAN_F64 && fabs(wide) >= 0x1p53 && is_integer(text);
  return may_be_rounded && !is_exactly(text, wide) ? ROUNDED : PARSED;
}

/* Where the imaginary part begins in a text that ends with j: at the last sign that is none of an exponent. */
static size_t imaginary_at(const char *text, size_t length) {
  size_t at = length;
  while (at > 0 && !((text[at] == '+' || text[at] == '-') && (at == 0 || tolower((unsigned char)text[at - 1]) != 'e')))
    at--;
  return at;
}

/* "1.5-2j", "2j" or "1.5". */
static parsed parse_complex(const element *type, const char *text, char *value) {
  enum { LONGEST = 100 };
  char real[LONGEST], *imaginary = value + part_size(type);
  const size_t length = strlen(text);
  put_real(type, 0, imaginary);
  if (length == 0 || tolower((unsigned char)text[length - 1]) != 'j') return parse_real(type, text, value);
  if (length >= LONGEST) return NOT_A_NUMBER;
  const size_t at = imaginary_at(text, length);
  memcpy(real, text, length - 1);
  real[length - 1] = '\0';
  put_real(type, 0, value);
  const parsed second = parse_real(type, real + at, imaginary);
  real[at] = '\0';
  return second != PARSED || at == 0 ? second : parse_real(type, real, value);
}

/* The largest number of a signed integer of so many bytes. */
static int64_t highest(size_t size) { return (int64_t)(UINT64_MAX >> (65 - 8 * size)); }

static parsed parse_signed(const char *text, size_t size, scalar *value) {
  if (!is_integer(text)) return NOT_A_NUMBER;
  errno = 0;
  value->i64 = strtoll(text, NULL, 10);
  const bool fits = value->i64 >= -highest(size) - 1 && value->i64 <= highest(size);
  return errno == ERANGE || !fits ? OUT_OF_RANGE : PARSED;
}

static parsed parse_unsigned(const char *text, size_t size, scalar *value) {
  if (!is_integer(text)) return NOT_A_NUMBER;
  errno = 0;
  value->u64 = strtoull(text, NULL, 10);
  const bool negative = *text == '-' && value->u64 != 0;
  return errno == ERANGE || negative || value->u64 > UINT64_MAX >> (64 - 8 * size) ? OUT_OF_RANGE : PARSED;
}

/* This machine is little-endian: the low bytes of an integer are its first ones. */
parsed element_parse(const element *type, const char *text, scalar *value) {
  *value = (scalar){.c64 = {0, 0}};
  if (type->kind == 'c') return parse_complex(type, text, (char *)value);
  if (type->kind == 'f') return parse_real(type, text, value);
  return type->kind == 'i' ? parse_signed(text, type->size, value) : parse_unsigned(text, type->size, value);
}

/* ---- Numbers to text: the fewest digits that read back to the same value ----------------------------------------- */

/* From as many digits on as any number of so many keeps, up to those that tell all numbers of the type apart. */
static int print_real(const element *type, const void *value, char text[ELEMENT_TEXT / 2]) {
  const bool is_wide = part_size(type) == sizeof(double), is_float = part_size(type) == sizeof(float);
  const int least = is_wide ? 15 : is_float ? 6 : type->type == MMSCAN_F16 ? 3 : 2;
  const int most = is_wide ? 17 : is_float ? 9 : type->type == MMSCAN_F16 ? 5 : 4;
  const double wide = real_at(type, value);
  int length = 0;
  char *end;
  if (isnan(wide)) return snprintf(text, ELEMENT_TEXT / 2, "nan");
  for (int digits = least; digits <= most; digits++) {
    length = snprintf(text, ELEMENT_TEXT / 2, "%.*g", digits, wide);
    if (round_text(type, text, &end) == wide) break;
  }
  return length;
}

static int print_complex(const element *type, const char *value, char text[ELEMENT_TEXT]) {
  int length = print_real(type, value, text);
  char imaginary[ELEMENT_TEXT / 2];
  print_real(type, value + part_size(type), imaginary);
  const bool has_sign = imaginary[0] == '-';
  return length + snprintf(text + length, ELEMENT_TEXT - (size_t)length, "%s%sj", has_sign ? "" : "+", imaginary);
}

/* An integer of any size, with its sign extended. */
static int64_t wide(const void *value, size_t size, bool is_signed) {
  uint64_t number = 0;
  memcpy(&number, value, size);
  if (is_signed && number >> (8 * size - 1)) number |= ~(UINT64_MAX >> (64 - 8 * size));
  return (int64_t)number;
}

int element_print(const element *type, const void *value, char text[ELEMENT_TEXT]) {
  if (type->kind == 'c') return print_complex(type, value, text);
  if (type->kind == 'f') return print_real(type, value, text);
  const int64_t number = wide(value, type->size, type->kind == 'i');
  if (type->kind == 'i') return snprintf(text, ELEMENT_TEXT, "%" PRId64, number);
  return snprintf(text, ELEMENT_TEXT, "%" PRIu64, (uint64_t)number);
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* Rows of the library's table of what is scanned. */
static bool row_at(size_t index, mmscan_algebra *row) {
  row->struct_size = sizeof *row;
  return mmscan_get_algebra(index, row) == MMSCAN_OK;
}

/* The types in that table, each once. The command has one thread. */
const element *element_at(int index) {
  enum { MOST = 32 };
  static element types[MOST];
  static int count;
  mmscan_algebra row;
  for (size_t i = 0; count == 0 || i > 0; i++) {
    if (!row_at(i, &row)) break;
    int known = 0;
    while (known < count && types[known].type != row.type) known++;
    if (known == count && count < MOST) types[count++] = (element){row.type_name, row.type, (char)row.kind, row.size};
  }
  return index < count ? &types[index] : NULL;
}

const char *element_operator(int index, mmscan_op *op) {
  mmscan_algebra row;
  int seen = 0;
  mmscan_op last = (mmscan_op)0;
  for (size_t i = 0; row_at(i, &row); i++) {
    if (row.op == last) continue;
    last = *op = row.op;
    if (seen++ == index) return row.op_name;
  }
  return NULL;
}

const char *element_operator_name(mmscan_op op) {
  const char *name;
  mmscan_op at;
  for (int i = 0; (name = element_operator(i, &at)) != NULL && at != op; i++) continue;
  return name;
}

const element *element_by_name(const char *name) {
  const element *e;
  for (int i = 0; (e = element_at(i)) != NULL; i++)
    if (strcmp(e->name, name) == 0) return e;
  return NULL;
}

const element *element_by_kind(char kind, size_t size) {
  const element *e;
  for (int i = 0; (e = element_at(i)) != NULL; i++)
    if (e->kind == kind && e->size == size && element_has_dtype(e)) return e;
  return NULL;
}

bool element_has_dtype(const element *type) { return type->type != MMSCAN_BF16; }

const element *element_of_carry(const element *type) { return is_half(type) ? element_by_name("f32") : type; }

void element_to_carry(const element *type, const void *value, const element *carry_type, void *carry) {
  const float as_f32 = carry_type == type ? 0 : (float)real_at(type, value);
  memcpy(carry, carry_type == type ? value : &as_f32, carry_type->size);
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

bool element_fill(const element *type, mmscan_op op, mmscan_kind kind, void *data, size_t count) {
  mmscan_algebra row;
  size_t r = 0;
  while (row_at(r, &row) && (row.op != op || row.type != type->type)) r++;
  if (!row_at(r, &row)) return false;
  const void *from = kind == MMSCAN_EXCLUSIVE ? row.start : row.identity;
  for (size_t i = 0; i < count; i++) memcpy((char *)data + i * type->size, from, type->size);
  return true;
}

/* Inlined where the size is known, of which compilers make one instruction. */
static inline void swap_each(char *at, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++, at += size)
    for (size_t k = 0; k < size / 2; k++) {
      const char swapped = at[k];
      at[k] = at[size - 1 - k];
      at[size - 1 - k] = swapped;
    }
}

void element_swap(const element *type, void *data, size_t count) {
  const size_t size = part_size(type);
  if (type->kind == 'c') count *= 2;
  if (size == 4)
    swap_each(data, count, 4);
  else if (size == 8)
    swap_each(data, count, 8);
  else
    swap_each(data, count, size);
}
