/* number.h: the types of numbers that are timed, their data, and what operators make of it. */
#ifndef NUMBER_H
#define NUMBER_H

#include <mmscan.h>
#include <stdbool.h>

/* One scan of n elements, out of place or in place (x == y), by at most `threads` threads. */
typedef void scan_function(size_t n, const void *x, void *y, int threads);

/* A function whose type the caller knows. */
typedef void library_call(void);

/* The loops of an operator and a type, independently of the library. */
typedef struct number_rule {
  mmscan_op op;
  scan_function *serial; /* y[i] = sum += x[i] */

  /* The same, beginning anew every `length` elements; and with the indices of maxima or minima. */
  void (*serial_rows)(size_t n, size_t length, const void *x, void *y);
  void (*serial_indices)(size_t n, size_t length, const void *x, void *y, int64_t *indices);
} number_rule;

enum { NUMBER_RULES = 8, MOST_NUMBERS = 32 };

typedef struct number {
  const char *name;
  mmscan_type type;
  char kind; /* as that of mmscan_algebra */
  size_t size, parts;
  int summit; /* the highest that data for maxima rises */
  number_rule rules[NUMBER_RULES];

  /* n parts as whole numbers, or as they are, and the reverse of the first. */
  void (*read)(size_t n, const void *x, int64_t *to);
  void (*reals)(size_t n, const void *x, double *to);
  void (*write)(size_t n, const int64_t *from, void *y);

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

/* NULL: the operator has no loop here; unless number_checks(), its data is that of +. */
const number_rule *number_rule_of(const number *type, mmscan_op op);

/* What is scanned into what. */
typedef struct number_pair {
  const number *x, *y;
  mmscan_op op;
} number_pair;

/* Whether the library of this command does that. */
bool number_is_scanned(const number_pair *pair);

/* Where scans lie: in `outer` matrices, one after the other, of `length` lines of `inner` elements, of which the first
 * `columns` are of a scan each. */
typedef struct number_layout {
  size_t outer, length, inner, columns;
} number_layout;

/* Whether the next can check the operator. */
bool number_checks(mmscan_op op);

/* The first element of y, as they lie, that is not the inclusive scan of x; the number of
 * all elements if there is none. indices: NULL, or those of y, which are looked at too. */
size_t number_check(const number_pair *pair, number_layout layout, const void *x, const void *y,
                    const int64_t *indices);

/* The sum of (i + 1) times part i of that scan, modulo 2^64, to compare with a process that has the same data. */
uint64_t number_checksum(const number_pair *pair, number_layout layout, const void *x);

/* Whether data is such that sums to floats stay small: of unsigned integers, which do not cancel out. */
bool number_is_sparse(const number_pair *pair);

/* The arrays of one type, long enough for the longest race, aligned to 64 bytes. */
typedef struct arrays {
  void *data, *y;
  int64_t *indices, *numbers; /* NULL; or room for indices, and as many numbers to copy there */
} arrays;

/* Whether memory suffices for the arrays, and for one more that some contenders need while they run. */
bool arrays_fit(const number_pair *pair, size_t n, bool indices);

/* Allocates the arrays, fills data for the operator and touches every page, so that no page fault is timed. False where
 * memory does not suffice; call arrays_free() in either case. */
bool arrays_make(arrays *a, const number_pair *pair, size_t n, bool indices);

void arrays_free(arrays *a);

/* One more of so many bytes, not touched yet, for the caller to free; NULL if memory does not suffice. */
void *array_make(size_t size);

#endif
