/* kernel.h: scans and sums in vector registers, a row of kernels an operator and type, a table of rows an instruction
 * set.
 *
 * What differs by instruction set is a vocabulary of vector moves, which body.inc turns into scans and sums, and
 * byrows.inc into the moves between columns and rows that the engine gemm needs. To add an instruction set: a file with
 * that vocabulary, and its line in the table in isa.c; doc/ADDING_A_KERNEL.md walks through it.
 */
#ifndef MMS_KERNEL_H
#define MMS_KERNEL_H

#include "kernel/loop.h"
#include <stdbool.h>

enum {
  MMS_KERNEL_MOST = MMSCAN_MAX_TILE, /* elements a kernel is given at a time: sums of so many may be regrouped */
  MMS_KERNEL_IN_ORDER = 8,           /* elements: so few, where there are no others, are added in the loop's order */
  MMS_KERNEL_LINE = 64,              /* bytes of a line of the cache */
  MMS_KERNEL_RUN = 16384,            /* bytes: a scan cut between such runs of x gives the same bits */
  /* Bytes ahead at which x is prefetched; measured, doc/PERFORMANCE.md: */
  MMS_KERNEL_PREFETCH = 4096, /* what is read a single time */
  MMS_KERNEL_STREAMED = 8192, /* where results go past the caches */
  MMS_KERNEL_SOON = 1024,     /* what is in a cache, where cores gain by that */
  MMS_KERNEL_FAR = 16384,     /* what comes from memory, in one stream */
  MMS_KERNEL_PAGES = 65536,   /* where its pages are looked up, and those of results that go past the caches */
  MMS_KERNEL_CHUNK = 32768,   /* what comes from it in two streams: they are the halves of so many bytes */
};

/* What is found of elements that are added up. */
typedef struct mms_found {
  mms_value total;  /* of all of them, in an order that their number and the direction alone decide */
  bool is_ordinary; /* none is so large that sums of them, however grouped, could overflow */
  bool is_finite;   /* the total is */
} mms_found;

/* Adds up n elements from x, as they are scanned. */
typedef void mms_kernel_total(size_t n, const void *x, bool reverse, mms_found *found);

/* What a scan does on its way through its elements. */
typedef struct mms_aside {
  mms_found *found;  /* not NULL: adds elements up, with the same bits as by total(): */
  const void *ahead; /*   as many from there, which it does not write; NULL: its own, which are read a single time */
  const void *then; /* without `found`; not NULL: prefetches as many from there on, which are likely to be read next and
                       need not exist */
  bool far;   /* with `found`, of its own elements: x comes from memory, and is prefetched where cores gain by it */
  bool paces; /* streamed results come no faster than some memory takes them */
} mms_aside;

/* Scans n elements from x, at its element of lowest address, to y. y is x or shares no memory with it. *carry goes in
 * and comes out. Every result is finite, infinite or NaN as the plain loop's is on that carry. aside: NULL, or what it
 * does besides. */
typedef void mms_kernel_scan(size_t n, const void *x, void *y, mms_value *carry, const mms_aside *aside);

/* Scans n elements forward from a carry, with the bits of the scan and nothing besides: soonest, for a simple call,
 * whose status it returns, so that the call ends in a jump here: always MMSCAN_OK. */
typedef mmscan_status mms_kernel_simple(size_t n, const void *x, void *y, mms_value carry);

/* Many scans, short ones too, with the bits of one after the other; in place, where x and y have the same distances, or
 * where none of x shares memory with y. */
typedef mms_rows_scan mms_kernel_rows;

/* *carry = *carry combined with *total. False, and nothing done, where the carry is finite but so large that sums of
 * elements that the total calls ordinary might overflow on it. */
typedef bool mms_kernel_advance(mms_value *carry, const mms_value *total);

/* A matrix whose columns are s neighbouring elements, by rows: element i of column j is number i * stride + j of the
 * plane, a number of the type that multiplies for the elements (types.def). Integers are there as unsigned ones; a
 * 64-bit one has its low half in the first plane and its high half in the second. */
typedef struct mms_byrows {
  size_t s, columns, stride;
  void *plane[2];
  const void *before[2]; /* from_rows: what comes before each column, in planes too; NULL: it is found on the way */
  mms_value carry;       /* and what is added to all; */
  const void *then; /* as many elements to prefetch, which need not exist; NULL: none. to_rows: if it gains by that */
} mms_byrows;

/* Fills the planes from the s * columns elements of x, and nothing between their rows; and finds what total() would. */
typedef void mms_kernel_to_rows(const mms_byrows *, const void *x, mms_found *found);

/* y = the matrix, each column with the carry and what comes before it added; where exclusive, moved on by a place in
 * the direction of the scan, the first place of a column getting only these. What comes before a column is the totals
 * of those before it, in that direction: the last row, in that direction, in front of which are two numbers, the
 * identity of the operator, where it is found on the way. Sums of integers in a plane stay below 2^52. */
typedef void mms_kernel_from_rows(const mms_byrows *, void *y, mmscan_kind kind, bool reverse);

/* The kernels of one operator and type, by kind and then by direction: [1] is the reverse one. A streamed scan writes
 * past the caches: y is not x, and is seen by other threads after mms_stream_fence(). */
typedef struct mms_kernel {
  mms_kernel_scan *scan[MMS_KINDS][2], *stream[MMS_KINDS][2];
  mms_kernel_simple *simple[MMS_KINDS];
  mms_kernel_rows *rows[MMS_KINDS][2];
  mms_kernel_total *total;
  mms_kernel_advance *advance;
  mms_kernel_to_rows *to_rows; /* these three: NULL where no unit is exact */
  mms_kernel_from_rows *from_rows, *stream_rows;
  size_t few; /* elements up to which a simple call is left to the plain loop, which is as fast */
} mms_kernel;

typedef struct mms_isa {
  const char *name;
  mms_kernel kernels[MMS_OPS][MMS_TYPES];
} mms_isa;

#endif
