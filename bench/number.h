/* number.h: the types of numbers that are timed, their data, and what operators make of it. */
#ifndef NUMBER_H
#define NUMBER_H

#include <mmscan.h>
#include <stdbool.h>

/* One scan of n elements, out of place or in place (x == y), by at most `threads` threads. */
typedef void scan_function(size_t n, const void *x, void *y, int threads);

/* A function whose type the caller knows. */
typedef void library_call(void);

/* What is known here of an operator and a type, independently of the library. */
typedef struct number_rule {
  mmscan_op op;

  /* Whole numbers, each a hash of its index, so that a short array is the beginning of a long one. For +: from -4 to 4;
   * their sums wander to some 2^16 at n = 2^28, so they are exact in every type of 32 bits or more, in any order of
   * addition. For the maximum: a slow rise, as far as the type has all whole numbers, and a hash upon it; the minimum
   * has the same upside down. For products of floats: powers of two whose products return to 1, and so are exact; of
   * integers: odd numbers. For logarithms of sums a rise that lets each element count for a while. For and, or: now
   * and then another bit. */
  void (*fill)(size_t n, void *x);

  /* The index of the first element of y that is not the inclusive scan of x, which begins anew every `length` elements
   * (n: never); n if there is none. */
  size_t (*check)(size_t n, size_t length, const void *x, const void *y);

  scan_function *serial; /* y[i] = sum += x[i] */

  /* The same, beginning anew every `length` elements. */
  void (*serial_rows)(size_t n, size_t length, const void *x, void *y);
} number_rule;

enum { NUMBER_RULES = 8, MOST_NUMBERS = 32 };

typedef struct number {
  const char *name;
  mmscan_type type;
  char kind; /* as that of mmscan_algebra */
  size_t size;
  number_rule rules[NUMBER_RULES];

  /* As the check of +, for a row-major matrix whose columns are scanned. */
  size_t (*check_by_rows)(size_t rows, size_t columns, const void *x, const void *y);

  /* The sum of (i + 1) y[i] for the + scan y of x, modulo 2^64, to compare with a process that has the same data. */
  uint64_t (*checksum)(size_t n, size_t length, const void *x);

  /* Numbers whose float sums are rounded and whose integer sums wrap around, so that the bits of a scan tell in which
   * order it adds. */
  void (*fill_inexact)(size_t n, void *x);

  /* `runs` calls of a library's mmscan_inclusive_* for this type. Returns the last status. */
  mmscan_status (*calls)(library_call *inclusive, size_t n, const void *x, void *y, long runs);
} number;

/* The types that the library scans and of which there is data here, in the library's order; NULL past the last. */
const number *number_at(int index);

/* NULL if no such type has that name. */
const number *number_by_name(const char *name);

/* NULL: the operator has no rule here. Its data is then that of +. */
const number_rule *number_rule_of(const number *type, mmscan_op op);

/* Whether the library of this command scans the type by op. */
bool number_is_scanned(const number *type, mmscan_op op);

/* The arrays of one type, long enough for the longest race, aligned to 64 bytes. */
typedef struct arrays {
  void *data, *y;
} arrays;

/* Whether memory suffices for both arrays, and for a third that some contenders need while they run. */
bool arrays_fit(const number *type, size_t n);

/* Allocates both arrays, fills data for the operator and touches every page, so that no page fault is timed. False
 * where memory does not suffice; call arrays_free() in either case. */
bool arrays_make(arrays *a, const number *type, mmscan_op op, size_t n);

void arrays_free(arrays *a);

#endif
