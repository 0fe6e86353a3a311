/* number.h: the types of numbers that are timed, and their data.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <mmscan.h>

/* One scan of n elements, out of place or in place (x == y), by at most `threads` threads. */
typedef void scan_function(size_t n, const void *x, void *y, int threads);

enum { NUMBERS = 4 };

/* A function whose type the caller knows. */
typedef void library_call(void);

typedef struct number {
  const char *name;
  mmscan_type type;
  size_t size;

  /* Whole numbers from -4 to 4, each a hash of its index, so that a short array is the beginning of a long one. Their
   * sums wander to some 2^16 at n = 2^28, so they are exact in every type, in any order of addition. */
  void (*fill)(size_t n, void *x);

  /* The index of the first element of y that is not the inclusive scan of x, which begins anew every `length` elements
   * (n: never); n if there is none. */
  size_t (*check)(size_t n, size_t length, const void *x, const void *y);

  /* The same for a row-major matrix whose columns are scanned. */
  size_t (*check_by_rows)(size_t rows, size_t columns, const void *x, const void *y);

  /* The sum of (i + 1) y[i] for that scan y of x, modulo 2^64, to compare with a process that has the same data. */
  uint64_t (*checksum)(size_t n, size_t length, const void *x);

  /* Numbers whose float sums are rounded and whose integer sums wrap around, so that the bits of a scan tell in which
   * order it adds. */
  void (*fill_inexact)(size_t n, void *x);

  /* `runs` calls of a library's mmscan_inclusive_* for this type. Returns the last status. */
  mmscan_status (*calls)(library_call *inclusive, size_t n, const void *x, void *y, long runs);

  scan_function *serial; /* y[i] = sum += x[i] */

  /* The same, beginning anew every `length` elements. */
  void (*serial_rows)(size_t n, size_t length, const void *x, void *y);
} number;

extern const number numbers[NUMBERS];

/* NULL if no type has that name. */
const number *number_by_name(const char *name);

#endif
