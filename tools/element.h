/* element.h: the types of numbers the command reads and writes, as one table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <mmscan.h>
#include <stdint.h>

typedef union scalar {
  float f32;
  double f64;
  int32_t i32;
  int64_t i64;
  uint32_t u32;
  uint64_t u64;
} scalar;

/* ROUNDED: an integer that f64 cannot represent; other types never return it. */
typedef enum parsed { PARSED, ROUNDED, NOT_A_NUMBER, OUT_OF_RANGE } parsed;

#define ELEMENT_TEXT 32 /* bytes for any number as printed, with its terminating zero */

typedef struct element {
  const char *name; /* as --type takes it */
  mmscan_type type;
  char kind; /* the letter before the size in the dtype of a .npy file */
  size_t size;
  parsed (*parse)(const char *text, scalar *value);
  int (*print)(const void *value, char text[ELEMENT_TEXT]); /* returns the length */
  scalar identity[MMSCAN_MUL + 1];                          /* indexed by mmscan_op */
} element;

/* Row `index` of the table; NULL past its end. */
const element *element_at(int index);

/* NULL if there is no such type. */
const element *element_by_name(const char *name);
const element *element_by_kind(char kind, size_t size);

/* Describes an inclusive + scan of n contiguous numbers. */
mmscan_desc element_plain_scan(mmscan_type type, size_t n);

/* Sets count values at data to the identity of op. */
void element_fill(const element *type, mmscan_op op, void *data, size_t count);

/* Reverses the byte order of count values of size 4 or 8. */
void element_swap(void *data, size_t count, size_t size);

#endif
