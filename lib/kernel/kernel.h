/* kernel.h: scans and sums in vector registers. Each instruction set has a table with one row of kernels per operator
 * and type.
 *
 * What differs between instruction sets is a vocabulary of vector operations. body.inc turns it into scans and sums,
 * and byrows.inc into the conversions between columns and rows that the engine gemm needs. An instruction set is added
 * as a file with that vocabulary and a line in the table in isa.c; doc/ADDING_A_KERNEL.md walks through it. */
#ifndef MMS_KERNEL_H
#define MMS_KERNEL_H

#include "kernel/loop.h"
#include <stdbool.h>

enum {
  MMS_KERNEL_MOST = MMSCAN_MAX_TILE, /* most elements per call of a kernel: sums of so many may be regrouped */
  MMS_KERNEL_IN_ORDER = 8,           /* a scan of no more elements, and less than a block, adds in the loop's order */
  MMS_KERNEL_LINE = 64,              /* bytes of a cache line */
  MMS_KERNEL_RUN = 16384,            /* bytes: a scan cut at multiples of this gives the same bits */
  /* Prefetch distances in bytes; measured, doc/PERFORMANCE.md, "Memory": */
  MMS_KERNEL_PREFETCH = 4096, /* data that is read once */
  MMS_KERNEL_STREAMED = 8192, /* x, where results are streamed */
  MMS_KERNEL_SOON = 1024,     /* data in a cache, on cores that gain by it */
  MMS_KERNEL_FAR = 16384,     /* data from memory, read as one stream */
  MMS_KERNEL_PAGES = 65536,   /* pages of what a streamed scan reads and writes, for the TLB */
  MMS_KERNEL_CHUNK = 32768,   /* data from memory, read as two streams: the halves of chunks of so many bytes */
};

/* The result of adding up elements. */
typedef struct mms_found {
  mms_value total;  /* of all elements; the order of additions depends only on their number and the direction */
  bool is_ordinary; /* no element is so large that a sum, however grouped, could overflow */
  bool is_finite;   /* the total is finite */
} mms_found;

/* Adds up n elements from x, in the direction of the scan. */
typedef void mms_kernel_total(size_t n, const void *x, bool reverse, mms_found *found);

/* What a scan does besides, on its way through its elements. */
typedef struct mms_aside {
  mms_found *found;  /* not NULL: adds up n elements, with the same bits as total(): */
  const void *ahead; /*   those from here on, which the scan does not write; NULL: its own, which are read only once */
  const void *prefetch; /* without `found`; not NULL: prefetches n elements from here on, which are likely to be read
                       next and need not exist */
  bool uncached; /* with `found` and without `ahead`: x comes from memory; prefetches it on cores that gain by it */
  bool paces;    /* holds streamed results back to the rate that some memory takes them at */
} mms_aside;

/* Scans n elements to y. x and y point to the element of lowest address; y is x or shares no memory with it. *carry
 * goes in and comes out. Each result is finite, infinite or NaN as that of the plain loop on the same carry. aside:
 * what the scan does besides; NULL: nothing. */
typedef void mms_kernel_scan(size_t n, const void *x, void *y, mms_value *carry, const mms_aside *aside);

/* The shortest path for a simple call: scans n elements forward from a carry, with the bits of the scan. Always returns
 * MMSCAN_OK, the status of the call, so that the call can end in a jump here. */
typedef mmscan_status mms_kernel_simple(size_t n, const void *x, void *y, mms_value carry);

/* *carry = *carry combined with *total. Returns false and changes nothing if the carry is finite but so large that
 * adding elements whose total is ordinary might overflow. */
typedef bool mms_kernel_advance(mms_value *carry, const mms_value *total);

/* A matrix whose columns are s neighbouring elements, stored by rows: element i of column j is number i * stride + j of
 * the plane. Numbers are of the unit's type for the elements (types.def). Integers are stored as unsigned ones; a
 * 64-bit integer has its low half in the first plane and its high half in the second. */
typedef struct mms_byrows {
  size_t s, columns, stride;
  void *plane[2];
  const void *before[2]; /* from_rows: the prefix before each column, in planes too; NULL: it is found on the way */
  mms_value carry;       /* from_rows: added to every element */
  const void *prefetch; /* as many elements to prefetch, which need not exist; NULL: none. to_rows: only if that pays */
} mms_byrows;

/* Fills the planes from the s * columns elements of x, and writes nothing between their rows; finds what total() would
 * find. */
typedef void mms_kernel_to_rows(const mms_byrows *, const void *x, mms_found *found);

/* y = the matrix with the carry, and the prefix before its column, added to each element. An exclusive scan is moved on
 * by one place in the direction of the scan; the first place of a column gets only the carry and the prefix.
 *
 * The prefix before a column is the sum of the totals of the columns before it, in the direction of the scan. The
 * totals are the last row in that direction. Where from_rows() scans them itself (before is NULL), two identities of
 * the operator must stand before that row, in the same direction. Sums of integers in a plane stay below 2^52. */
typedef void mms_kernel_from_rows(const mms_byrows *, void *y, mmscan_kind kind, bool reverse);

/* The kernels of one operator and type, by kind and then by direction: [1] is the reverse one. A streamed scan writes
 * past the caches: y is not x, and other threads see it after mms_stream_fence(). */
typedef struct mms_kernel {
  mms_kernel_scan *scan[MMS_KINDS][2], *stream[MMS_KINDS][2];
  mms_kernel_simple *simple[MMS_KINDS];
  mms_batch_scan *batch[MMS_KINDS][2];
  mms_kernel_total *total;
  mms_kernel_advance *advance;
  mms_kernel_to_rows *to_rows; /* this and the next two: NULL where no unit is exact */
  mms_kernel_from_rows *from_rows, *stream_rows;
  size_t few; /* up to so many elements a simple call takes the plain loop, which is as fast */
} mms_kernel;

typedef struct mms_isa {
  const char *name;
  mms_kernel kernels[MMS_OPS][MMS_TYPES];
} mms_isa;

#endif
