/* element.h: the types of numbers the command reads and writes: those of the library's table of what is scanned. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <mmscan.h>
#include <stdbool.h>
#include <stdint.h>

typedef union scalar {
  uint16_t half;
  float f32, c32[2];
  double f64, c64[2];
  int32_t i32;
  int64_t i64;
  uint32_t u32;
  uint64_t u64;
} scalar;

/* ROUNDED: an integer that f64 cannot represent; other types never return it. */
typedef enum parsed { PARSED, ROUNDED, NOT_A_NUMBER, OUT_OF_RANGE } parsed;

#define ELEMENT_TEXT 64 /* bytes for any number as printed, with its terminating zero */

typedef struct element {
  const char *name; /* as --type takes it */
  mmscan_type type;
  char kind; /* the letter before the size in the dtype of a .npy file */
  size_t size;
} element;

/* The types that the library scans, in its order; NULL past the last. */
const element *element_at(int index);

/* What the sums of a type are passed on in: of halves f32. Turns a number of the type into one of that. */
const element *element_of_carry(const element *type);
void element_to_carry(const element *type, const void *value, const element *carry_type, void *carry);

/* Reads a number of the type, and prints one: at most ELEMENT_TEXT bytes, of which it returns the length. */
parsed element_parse(const element *type, const char *text, scalar *value);
int element_print(const element *type, const void *value, char text[ELEMENT_TEXT]);

/* NULL if there is no such type. By the kind and size of a dtype: no bf16, which NumPy does not have. */
const element *element_by_name(const char *name);
const element *element_by_kind(char kind, size_t size);
bool element_has_dtype(const element *type);

/* Describes an inclusive + scan of n contiguous numbers. */
mmscan_desc element_plain_scan(mmscan_type type, size_t n);

/* The name of an operator that the library scans some type by; NULL past the last. */
const char *element_operator(int index, mmscan_op *op);
const char *element_operator_name(mmscan_op op);

/* Sets count values at data to what a scan starts from; false if the library does not scan the type by op. */
bool element_fill(const element *type, mmscan_op op, mmscan_kind kind, void *data, size_t count);

/* Reverses the byte order of count values. */
void element_swap(const element *type, void *data, size_t count);

#endif
