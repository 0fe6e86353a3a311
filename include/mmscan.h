/* mmscan.h: prefix sums (scans) whose arithmetic is matrix multiplication.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A scan turns x[0..n-1] into its running totals. With the operator +:
 *
 *   inclusive   y[i] = x[0] + x[1] + ... + x[i]
 *   exclusive   y[i] = init + x[0] + ... + x[i-1]          so y[0] = init
 *
 * In order: version, status, simple calls, the general call, segments, operators of one's own, recurrences, plans,
 * blocks, filters, images, wisdom, units, the inside, rules for every call, environment, fine print. */
#ifndef MMSCAN_H
#define MMSCAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what follows is exported; the rest of the library is built hidden */
#endif

/* ---- Version and status ------------------------------------------------------------------------------------------ */

#define MMSCAN_VERSION_MAJOR 0
#define MMSCAN_VERSION_MINOR 1
#define MMSCAN_VERSION_PATCH 0
/* The version of the library that runs, as "MAJOR.MINOR.PATCH". A static string. */
const char *mmscan_version(void);
typedef enum mmscan_status {
  MMSCAN_OK = 0,
  MMSCAN_EINVAL,   /* an argument or an environment variable has an illegal value */
  MMSCAN_EOVERLAP, /* x and y, or the rows of y, share memory and are not exactly in place */
  MMSCAN_ENOMEM,   /* no memory, and no way to do without */
  MMSCAN_ENOTSUP,  /* legal, but this library does not do it (yet) */
  MMSCAN_EBLAS,    /* a BLAS could not be used */
  MMSCAN_EIO,      /* a file could not be read or written */
  MMSCAN_EOVERFLOW /* only with MMSCAN_CHECKED: an integer did not fit; y is written */
} mmscan_status;

/* What a status means: one line in English, without a newline. A static string, also for a number that is no status. */
const char *mmscan_strerror(mmscan_status status);

/* ---- Simple calls: one scan with + of n contiguous elements ---------------------------------------------------- */

/* y[i] = x[0] + ... + x[i]; and y[i] = init + x[0] + ... + x[i-1]; for i in [0, n). Errors: below. */
mmscan_status mmscan_inclusive_f32(size_t n, const float *x, float *y);
mmscan_status mmscan_inclusive_f64(size_t n, const double *x, double *y);
mmscan_status mmscan_inclusive_i32(size_t n, const int32_t *x, int32_t *y);
mmscan_status mmscan_inclusive_i64(size_t n, const int64_t *x, int64_t *y);
mmscan_status mmscan_inclusive_u32(size_t n, const uint32_t *x, uint32_t *y);
mmscan_status mmscan_inclusive_u64(size_t n, const uint64_t *x, uint64_t *y);
mmscan_status mmscan_exclusive_f32(size_t n, float init, const float *x, float *y);
mmscan_status mmscan_exclusive_f64(size_t n, double init, const double *x, double *y);
mmscan_status mmscan_exclusive_i32(size_t n, int32_t init, const int32_t *x, int32_t *y);
mmscan_status mmscan_exclusive_i64(size_t n, int64_t init, const int64_t *x, int64_t *y);
mmscan_status mmscan_exclusive_u32(size_t n, uint32_t init, const uint32_t *x, uint32_t *y);
mmscan_status mmscan_exclusive_u64(size_t n, uint64_t init, const uint64_t *x, uint64_t *y);

/* Unless MMSCAN_ENGINE names an engine, a simple call on up to 128 KiB is one plain loop or one kernel: no lock, no
 * allocation, no thread, no plan. (The first call of the process reads the environment first.)
 *
 * MMSCAN_EINVAL    x or y is NULL, or n elements are more than memory can hold
 * MMSCAN_EOVERLAP  x and y share memory and x != y
 * MMSCAN_ENOMEM    only with MMSCAN_ENGINE=gemm: no memory for its workspace, or for a BLAS
 * MMSCAN_EBLAS     only with MMSCAN_ENGINE=gemm: its unit cannot be used, or gives wrong products
 * and, where the environment is illegal, the status given under ENVIRONMENT */

/* ---- The general call ------------------------------------------------------------------------------------------ */

/* The types of elements. x is converted to y_type, and scanned in that. Pairs of different types are
 *
 *   an integer to a wider one, but no signed one to an unsigned one
 *   any integer to F32 or F64
 *   F16 and BF16 to F32 or F64, and F32 to F64
 *   F32 to C32, and F64 to C64
 *
 * and all others MMSCAN_ENOTSUP. Integers of 64 bits are rounded as they become floats. Results of type F16 and BF16
 * are accumulated in F32, and each is rounded once, to nearest; nothing is read back from y. Conversions are done tile
 * by tile, with a buffer of a few KiB a thread, or in y itself. */
typedef enum mmscan_type {
  MMSCAN_F32 = 1,
  MMSCAN_F64,
  MMSCAN_I32,
  MMSCAN_I64,
  MMSCAN_U32,
  MMSCAN_U64,
  MMSCAN_C32, /* complex: two F32, the real part first */
  MMSCAN_C64, /* two F64 */
  MMSCAN_I8,
  MMSCAN_U8, /* also for a C or NumPy bool, whose elements are 0 and 1 */
  MMSCAN_I16,
  MMSCAN_U16,
  MMSCAN_F16, /* IEEE binary16 */
  MMSCAN_BF16 /* bfloat16: the upper half of an F32 */
} mmscan_type;

/* What an exclusive scan without init starts from, and which types an operator scans:
 *
 *   MMSCAN_PLUS, MMSCAN_MUL    0, 1; all types. Integers wrap around
 *   MMSCAN_MAX, MMSCAN_MIN     the least and the greatest value of the type, of floats -Inf and +Inf; all but C32, C64
 *   MMSCAN_LOGADDEXP           -Inf; floats
 *   MMSCAN_AND, _OR, _XOR      all ones, 0, 0; integers
 *
 * Under MMSCAN_MAX and MMSCAN_MIN a NaN propagates from where it stands on, as in NumPy's maximum.accumulate. A result
 * is an element (or init), bit for bit, whatever the engine, instruction set and number of threads: of equal ones, such
 * as zeros of both signs, the first in the order of the scan; and the first NaN. (Where a CPU takes tiny operands for
 * zeros, DAZ, a tiny element may come out as a zero; and a signalling NaN of 16 bits becomes quiet.)
 *
 * MMSCAN_MUL of floats regroups only factors whose products are all normal numbers far from both ends of the range, and
 * otherwise follows the plain loop: a result is finite, infinite, NaN or zero where that loop's is (see Results).
 * Complex numbers are multiplied by the four products of their parts, as in NumPy, in the order of the plain loop.
 *
 * MMSCAN_LOGADDEXP is computed as m + log(1 + exp(d)), where m is the greater of both and d <= 0, so that nothing
 * overflows. A NaN propagates from where it stands on; +Inf beside anything else is +Inf; and -Inf beside -Inf is -Inf.
 */
typedef enum mmscan_op {
  MMSCAN_PLUS = 1,
  MMSCAN_MAX,
  MMSCAN_MIN,
  MMSCAN_MUL,
  MMSCAN_LOGADDEXP, /* log(exp(a) + exp(b)) */
  MMSCAN_AND,
  MMSCAN_OR,
  MMSCAN_XOR
} mmscan_op;

typedef enum mmscan_kind {
  MMSCAN_INCLUSIVE = 1,
  MMSCAN_EXCLUSIVE,
  MMSCAN_OFFSETS /* n + 1 results: init, then the inclusive scan; in a reverse scan y[n] is init, and y[0] the total */
} mmscan_kind;

/* Bits of mmscan_desc.flags. One without meaning for the types is ignored. */
#define MMSCAN_SKIP_NAN     1u  /* a NaN in x, or a complex number with one, counts as what scans start from: 0 for + */
#define MMSCAN_ACCURATE     2u  /* + and MUL have twice the digits, and are rounded once */
#define MMSCAN_REPRODUCIBLE 4u  /* + and MUL of floats have the same bits everywhere; LOGADDEXP: MMSCAN_ENOTSUP */
#define MMSCAN_MONOTONE     8u  /* + of floats >= 0, and MUL of floats >= 1, never fall */
#define MMSCAN_CHECKED      16u /* MMSCAN_EOVERFLOW if an integer result does not fit, or a total that is asked for */

/* A dimension around the batch: n times what is inside it, so many elements apart. */
typedef struct mmscan_dim {
  size_t n;
  ptrdiff_t x_stride, y_stride;
} mmscan_dim;

/* Describes `batch` scans of n elements each. Element i of scan r is x[r * x_dist + i * x_stride], and
 * y[r * y_dist + i * y_stride]. MMSCAN_DESC() makes one; or zero the struct, then set what you mean, always including
 * struct_size, x_type, y_type, op, kind, n, both strides and batch: a field that is zero means the plain scan. Strides
 * are not looked at where there is one element (or result), distances not when batch <= 1, nor those of a dimension
 * with n = 1.
 *
 * Strides and distances may be negative: x and y point to element 0 of scan 0, which need not be the lowest in memory.
 * An x_stride or x_dist of 0 repeats an element, or a scan. Bytes between the elements of y are never written, nor
 * those between the elements of x read. Elements that are not neighbours are gathered, tile by tile, and scanned as if
 * they were, with the bits of a scan of neighbours by the same engine and tile; the tile is smaller by default.
 *
 * The columns of a row-major matrix of rows * columns elements: n = rows, x_stride = y_stride = columns, batch =
 * columns, x_dist = y_dist = 1. They are done row by row without gathering, unless an engine, instruction set or tile
 * is asked for, or indices, MMSCAN_CHECKED, MMSCAN_REPRODUCIBLE, MMSCAN_MONOTONE, MMSCAN_ACCURATE into other types than
 * F32, or complex numbers with init or state, from real ones or with MMSCAN_SKIP_NAN, which is slower. The order is
 * that of the plain loop; but floats are added up from zero in every 16 rows, and the sum of the rows before these is
 * kept in twice the precision.
 *
 * An array of any rank is scanned along an axis with the other axes as outer dimensions, in any order: they are sorted
 * and merged, so that it makes no difference which of them is called the batch. For scans of different lengths, make a
 * call for each. */
typedef struct mmscan_desc {
  size_t struct_size;         /* sizeof(mmscan_desc) */
  mmscan_type x_type, y_type; /* a pair as listed there */
  mmscan_op op;
  mmscan_kind kind;
  int reverse;                  /* nonzero: from the last element to the first */
  size_t n;                     /* elements in one scan */
  ptrdiff_t x_stride, y_stride; /* between neighbours of one scan; a y_stride of 0 is illegal */
  size_t batch;                 /* how many scans; 0: nothing to do, which is no error */
  ptrdiff_t x_dist, y_dist;     /* between the first elements of neighbouring scans */
  const void *init;             /* one element of y_type, which comes before the first element of each scan, in the
                                   order of the scan; read before y is written. NULL: the identity of op, which for +
                                   is +0 in an exclusive scan (mmscan_algebra.start) */
  void *totals;                 /* NULL, or room for an element of y_type for each scan, the batch fastest, then outer
                                   dimensions as in C: init and all elements combined, with the bits of the last result
                                   of an inclusive scan; of no elements init, or else mmscan_algebra.start */
  unsigned flags;               /* MMSCAN_SKIP_NAN, ... */
  size_t outer_rank;            /* dimensions around the batch, 8 at most */
  const mmscan_dim *outer;      /* outer_rank of them, the slowest first; read during the call */
  void *indices;                /* MMSCAN_MAX and MMSCAN_MIN: NULL, or int64_t laid out as y is, with its strides: which
                                   element of its scan each result is, counted from 0 by index, of equal ones the first
                                   in the order of the scan; -1: none, but init or the identity, or one of an earlier
                                   block. A NaN that is skipped is none */
  void *state;                  /* of mmscan_scan_block() alone: NULL, or what it keeps besides the carry */
} mmscan_desc;

/* Initialises a description of one contiguous scan of n elements: mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS,
 * MMSCAN_INCLUSIVE, n). Its fields may be changed afterwards. */
#define MMSCAN_DESC(type, op, kind, n)                                                                                 \
  { sizeof(mmscan_desc), (type), (type), (op), (kind), 0, (n), 1, 1, 1, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL }

/* Whether a call would take *desc; nothing is scanned, and the environment is not read. why: NULL, or room for why_size
 * bytes, to which a text is written that names the field which is wrong, its value, and why; of what is legal, n and
 * batch if they are 0; else an empty one. It is cut off where it does not fit. May be called by any number of threads.
 *
 * MMSCAN_OK, MMSCAN_EINVAL, MMSCAN_EOVERLAP, MMSCAN_ENOTSUP: as mmscan_scan() on arrays that are as they should be */
mmscan_status mmscan_desc_check(const mmscan_desc *desc, char *why, size_t why_size);

/* Whether a scan would take these arrays, too; nothing is scanned, and x and y are not looked into. Any number of
 * threads may call. Statuses: as of mmscan_scan() before it looks for memory, a BLAS or the environment. */
mmscan_status mmscan_arrays_check(const mmscan_desc *desc, const void *x, const void *y);

/* Scans x into y as *desc says. In place: x == y, with equal types, strides and distances; for MMSCAN_OFFSETS
 * x == y + y_stride. Elements of x may share memory with each other, elements of y may not; x and y may lie between
 * each other's elements. totals and indices may share memory with nothing (not checked).
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value; x or y is NULL; the shape is more than memory can hold
 * MMSCAN_EOVERLAP  as under "In place", below; or elements of y share memory, or are in so many dimensions that
 *                  reach into each other that it would take too long to tell
 * MMSCAN_ENOMEM    no memory for the workspace, or for the BLAS, of an engine that was asked for by name; or of a scan
 *                  with MMSCAN_REPRODUCIBLE and MMSCAN_MONOTONE
 * MMSCAN_EBLAS     only with the engine gemm: its unit cannot be used, or gives wrong products
 * MMSCAN_ENOTSUP   no such pair of types, no such op on y_type; a flag that does not go with them; the engine gemm with
 *                  any op but MMSCAN_PLUS, with MMSCAN_REPRODUCIBLE, or with MMSCAN_ACCURATE into F64 or C64
 * MMSCAN_EOVERFLOW only with MMSCAN_CHECKED: a result does not fit; all results are written, and are wrapped
 * and, where the environment is illegal, the status given under ENVIRONMENT
 */
mmscan_status mmscan_scan(const mmscan_desc *desc, const void *x, void *y);

/* ---- Segments -------------------------------------------------------------------------------------------------- */

/* How it is said where the segments of a scan begin. */
typedef enum mmscan_segment_form {
  MMSCAN_FLAGS = 1, /* uint8_t[n]: one other than 0 begins a segment; element 0 always does */
  MMSCAN_STARTS,    /* I32 or I64 [count + 1], as of rows in CSR: segment k is elements s[k] to s[k + 1] - 1, and may be
                       empty; s[0] = 0, none is less than the one before it, s[count] = n */
  MMSCAN_KEYS       /* `type` [n]: a key unlike (!=) the one before it begins a segment, and so does a NaN */
} mmscan_segment_form;

/* Where the segments of scans begin. Zero the struct, then set what you mean. */
typedef struct mmscan_segments {
  size_t struct_size; /* sizeof(mmscan_segments) */
  mmscan_segment_form form;
  mmscan_type type; /* of keys, any; of starts, I32 or I64; not looked at with flags */
  size_t count;     /* segments, with starts; else not looked at */
  const void *data; /* contiguous, for all scans the same; shares no memory with what is written (not checked) */
  void *totals;     /* NULL, or, with starts, `count` elements of y_type for each scan, scan after scan, the batch
                       fastest, then outer dimensions as in C: init and all elements of a segment combined, with the bits
                       of its last result in an inclusive scan; of no elements init, or else mmscan_algebra.start. Shares
                       memory with nothing (not checked) */
} mmscan_segments;

/* As mmscan_scan(), but each segment is scanned by itself: every one starts from init, or from what a scan without init
 * starts from; in a reverse scan, from its end. A segment is isolated: neither an Inf, a NaN, a rounding error nor an
 * overflow of another one gets into it. All scans of the batch, and of outer dimensions, have the same segments: along
 * an axis. Operators, types, flags, strides, in place and threads are as in mmscan_scan(); indices count in the scan.
 *
 * Threads share elements, not segments: one segment of 10^8 elements and 10^8 segments of one take as long. Segments of
 * 256 elements and more are scanned as scans are; of shorter ones many at a time, by masks: what comes before an
 * element is combined with it, unless one of both, or one between, begins a segment (Blelloch, "Prefix sums and their
 * applications", 1990, 1.5). Those by the plain loop are operators on pairs (MMSCAN_ACCURATE into F64 or C64),
 * MMSCAN_LOGADDEXP, products of complex numbers, and what MMSCAN_REPRODUCIBLE, MMSCAN_CHECKED, MMSCAN_MONOTONE or
 * indices are asked of: which takes some nanoseconds, or tens of them, for each segment. c of "Accuracy" is 68 in a
 * segment of fewer than 256 elements, where it is 32 in a scan.
 *
 * Totals of segments, and with them exclusive results, are written by one thread in a second pass. Where a batch has
 * more than one scan, and its scans are single tiles or columns, segments of all of them are scanned one after the
 * other: many scans with few segments are faster than few scans with many.
 *
 * MMSCAN_EINVAL    desc or segments is NULL or holds an illegal value; data or x or y is NULL; starts do not ascend
 *                  from 0 to n; totals of segments that are not given by starts; desc->totals is not NULL
 * MMSCAN_ENOTSUP   MMSCAN_OFFSETS; and as of mmscan_scan()
 * and all else as of mmscan_scan()
 */
mmscan_status mmscan_scan_segments(const mmscan_desc *desc, const mmscan_segments *segments, const void *x, void *y);

/* ---- Operators of one's own ------------------------------------------------------------------------------------ */

/* An associative operator: *result = *a op *b, where a comes before b. The three do not overlap. It must return. */
typedef void mmscan_combine(void *context, const void *a, const void *b, void *result);

/* Any associative operator; it need not commute. Zero the struct, then set what you mean. */
typedef struct mmscan_operator {
  size_t struct_size; /* sizeof(mmscan_operator) */
  size_t size;        /* bytes of an element, 1 to 65,536; elements are moved as bytes */
  mmscan_combine *combine;
  void *context;        /* its first argument */
  const void *identity; /* an element e with e op a = a op e = a; NULL: there is none, or it is not needed */
} mmscan_operator;

/* Scans x into y as *desc says, by an operator of one's own. x_type, y_type and op of *desc are 0, and strides and
 * distances count elements of op->size bytes. All else is as in mmscan_scan(): kinds, directions, batches, outer
 * dimensions, init, totals, in place. *op is only read, and need not outlive the call.
 *
 * a is always what comes first in the order of the scan. So a reverse scan gives what a scan of the elements in reverse
 * order gives, in reverse order: y[i] = ((init op x[n-1]) op x[n-2]) op ... op x[i].
 *
 * An exclusive scan, and MMSCAN_OFFSETS, start from init, or else from the identity; an inclusive scan without init
 * starts from its first element. A total of no elements is init, or else the identity.
 *
 * Where x and y are aligned as the type of the elements wants it, so is all that combine is given: parts of x and y,
 * and memory of the library's own at a multiple of 64 bytes, or of more if the size of an element is a multiple of a
 * larger power of 2. init and the identity may be at any address.
 *
 * combine may be called by several threads at once (MMSCAN_NUM_THREADS=1 forbids it), and for the same elements twice:
 * of threads that share a scan all but one find the totals of their parts first; and some neighbours are combined to
 * see how long it takes. It may call this library, but must not end by longjmp(), an exception or the end of its
 * thread.
 *
 * One thread combines elements in the order of the plain loop. Threads that share a scan group them otherwise, and not
 * always alike. So an operator that is not quite associative, as it rounds, is best scanned with MMSCAN_REPRODUCIBLE:
 * each scan then has the order of the plain loop, and threads share the scans of a batch alone.
 *
 * MMSCAN_EINVAL    op or desc is NULL or holds an illegal value; x_type, y_type or op of *desc is not 0; something
 *                  starts from the identity, and there is neither that nor init; indices are asked for; x or y is NULL;
 *                  the shape is more than memory can hold
 * MMSCAN_EOVERLAP  as of mmscan_scan()
 * MMSCAN_ENOMEM    no memory for a few elements, which have more than 256 bytes each
 * MMSCAN_ENOTSUP   a flag other than MMSCAN_REPRODUCIBLE
 * and, where the environment is illegal, the status given under ENVIRONMENT; else it makes no difference which engine,
 * unit and instruction set that names
 */
mmscan_status mmscan_scan_with(const mmscan_operator *op, const mmscan_desc *desc, const void *x, void *y);

/* ---- Recurrences ----------------------------------------------------------------------------------------------- */

/* Describes `batch` recurrences of n elements each:
 *
 *   y[i] = a[i] y[i-1] + x[i], where y[-1] is init; in reverse y[i] = a[i] y[i+1] + x[i], where y[n] is init
 *
 * Element i of recurrence r is x[r * x_dist + i * x_stride], and alike in a and y, whose strides and distances are as
 * in mmscan_desc. An a_stride of 0 is a constant a, of each recurrence, or with an a_dist of 0 of all: exponential
 * smoothing, say. Zero the struct, then set what you mean. */
typedef struct mmscan_recurrence_desc {
  size_t struct_size; /* sizeof(mmscan_recurrence_desc) */
  mmscan_type type;   /* of all: MMSCAN_F32, F64, C32 or C64 */
  int reverse;        /* nonzero: from the last element to the first */
  size_t n;
  ptrdiff_t a_stride, x_stride, y_stride; /* a y_stride of 0 is illegal */
  size_t batch;                           /* 0: nothing to do, which is no error */
  ptrdiff_t a_dist, x_dist, y_dist;
  const void *init; /* NULL: 0; else one element for each recurrence, scan after scan */
  void *last;       /* NULL, or one for each: the y that was computed last; init, or 0, if n is 0. May be init */
} mmscan_recurrence_desc;

/* Computes y as *desc says. In place: x == y, with equal strides and distances. a shares no memory with y; it may with
 * x. init and last may share memory with each other if they are the same, and with nothing else (not checked).
 *
 * Elements are composed as the affine maps y -> a y + x, in registers and from thread to thread: nothing is divided,
 * and with a constant a the matrix L_s of the engine holds a^(i-j). The engines simd, serial and, for a constant a,
 * gemm do it. The bits of y do not depend on the number of threads; on the engine and instruction set they do. Columns
 * of row-major matrices, side by side in x and y, and in a or with one a, are done row by row, in the order of the
 * plain loop, unless MMSCAN_ENGINE names an engine.
 *
 * A result is finite, infinite or NaN where the plain loop's is, except within its error of overflowing, for every a: 0
 * times Inf is NaN, as in the loop; nothing that is not finite reaches a result before it; and powers, or products, of
 * a that overflow leave a zero what it is. Blocks of some vectors for which that takes the plain loop are done by it,
 * at its speed. So are those in which some |a[i]| > 1, and one is over 3.5 or under 1 / 3.5, of F64 10^9 (of complex
 * numbers, its square). Threads gain little of one recurrence where a varies, and some |a[i]| > 1 in most tiles.
 *
 * Where rounding is to nearest, nothing overflows, c u < 1 and u is 2^-24, or 2^-53, y[i] is off by at most
 * c u / (1 - c u) times the sum of |a[i] ... a[j+1]| |x[j]| over all j <= i, in which init counts as x[-1], and the
 * products of C32 and C64 four times as much: c is 2 (i + 1) + 32, of which the plain loop has 2 (i + 1). Besides,
 * products of a that are less than the least normal number may vanish: that is as if each x[j] were off by up to
 * 2^-124, or 2^-1020, of the largest such sum so far.
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value; a, x or y is NULL; the shape is more than memory can hold
 * MMSCAN_EOVERLAP  x and y share memory and are not exactly in place; a and y share memory; results of different
 *                  recurrences do
 * MMSCAN_ENOTSUP   another type; the engine gemm, where MMSCAN_ENGINE names it, and an a that varies
 * MMSCAN_ENOMEM    only with the engine gemm: no memory for its workspace, or for a BLAS
 * MMSCAN_EBLAS     only with the engine gemm: its unit cannot be used, or gives wrong products
 * and, where the environment is illegal, the status given under ENVIRONMENT
 */
mmscan_status mmscan_recurrence(const mmscan_recurrence_desc *desc, const void *a, const void *x, void *y);

/* ---- Plans: choose once, scan often ---------------------------------------------------------------------------- */

/* A description and all choices made for it. Immutable: many threads may execute one plan at a time, unless it has
 * totals or indices, which each execution writes. */
typedef struct mmscan_plan mmscan_plan;

#define MMSCAN_ESTIMATE 0u /* choose from a table */
#define MMSCAN_MEASURE  1u /* time the candidates */

/* What a plan uses, or is asked to use. Zero or NULL asks the library to choose. */
typedef struct mmscan_choice {
  size_t struct_size; /* sizeof(mmscan_choice) */
  const char *engine; /* a name from mmscan_get_engine(); NULL: as MMSCAN_ENGINE says */
  const char *unit;   /* a name from mmscan_get_unit(); only for the engine gemm */
  size_t s;           /* size of the square matrices, 2 to MMSCAN_MAX_S; only for the engine gemm */
  size_t tile;        /* elements in a tile, at least s, given or the library's own, at most MMSCAN_MAX_TILE; only for
                         engines that cut tiles */
  int threads;        /* 1 or more; at most 256, or 16 for each CPU, and one for each tile or scan, are used */
  const char *isa;    /* a name from mmscan_get_isa(); only for the engines simd and gemm */
  const char *way;    /* a name from mmscan_get_way(): how threads share the work; one that the engine, or so many tiles
                         and threads, cannot be shared in gives MMSCAN_EINVAL. NULL: each execution takes the one that
                         suits it, as it does where fewer threads run than were planned */
} mmscan_choice;

#define MMSCAN_MAX_S    512    /* L_s times one column is s^2 multiply-adds, up to which OpenBLAS starts no threads */
#define MMSCAN_MAX_TILE 131072 /* no regrouped sum of so many floats up to max / 2^20 overflows */
#define MMSCAN_BLOCK    4096   /* elements: blocks of a scan with MMSCAN_REPRODUCIBLE are multiples of it */

/* Makes a plan for *desc, which need not outlive the call: init and outer dimensions are copied. The plan keeps the
 * pointers totals and indices, to which each execution writes. On MMSCAN_OK the caller owns *plan and gives it back by
 * mmscan_plan_destroy(); otherwise *plan is NULL.
 *
 * With MMSCAN_MEASURE the plan uses what was fastest on arrays of the problem's shape, out of place: engines, units, s,
 * tiles and numbers of threads take turns for some tenths of a second (longer for large n). A BLAS is among what is
 * timed, though only the engine gemm uses one. The arrays are the library's own and have at most 256 MiB each and 2^17
 * rows; a larger problem is measured at that size, strided scans as what is gathered of them, columns not at all.
 *
 * The result is kept as wisdom if the choice was free: neither *choice nor MMSCAN_ENGINE, MMSCAN_UNIT or
 * MMSCAN_NUM_THREADS fixed any part of it, and the caller may use all of OpenMP's threads (it is not inside a parallel
 * region, say). A free choice for a shape that is in wisdom is not measured again, unless more threads are possible
 * now than when it was measured; "the same shape" means the same op and type, and the same log2 of n and of batch.
 *
 * MMSCAN_EINVAL   plan or desc is NULL or desc holds an illegal value; the shape is more than memory can hold; flags
 *                 has an unknown bit
 * MMSCAN_EOVERLAP rows of y share memory
 * MMSCAN_ENOMEM   no memory
 * MMSCAN_EBLAS    only with the engine gemm: its unit cannot be used, or gives wrong products
 * MMSCAN_ENOTSUP  no such pair of types, no such op on y_type; a flag that does not go with them; the engine gemm,
 *                 asked for in whatever way, with any op but MMSCAN_PLUS, with MMSCAN_REPRODUCIBLE, or with
 *                 MMSCAN_ACCURATE into F64 or C64
 * and, where the environment is illegal, the status given under ENVIRONMENT
 */
mmscan_status mmscan_plan_create(mmscan_plan **plan, const mmscan_desc *desc, unsigned flags);

/* As mmscan_plan_create(), but uses what *choice names, which outranks the environment. choice == NULL names nothing.
 * Where it names no engine, a unit or s implies the engine gemm; a tile or an instruction set without either implies
 * simd, unless MMSCAN_ENGINE names an engine that has them.
 *
 * MMSCAN_EINVAL   what *choice names does not fit (an unknown name, a unit for the engine serial, s out of range)
 * MMSCAN_EBLAS    the library of the unit is not here, or gives wrong products
 * MMSCAN_ENOTSUP  the instruction set is not one of this machine and build
 * and as mmscan_plan_create()
 */
mmscan_status mmscan_plan_create_with(mmscan_plan **plan, const mmscan_desc *desc, unsigned flags,
                                      const mmscan_choice *choice);

/* Writes what the plan uses, and the most threads it may use, to *choice, whose struct_size the caller has set. Its
 * strings are static. Fields that do not apply (s of the engine serial, say) are zero or NULL. MMSCAN_EINVAL: an
 * argument is NULL, or struct_size is wrong. */
mmscan_status mmscan_plan_get_choice(const mmscan_plan *plan, mmscan_choice *choice);

/* Scans x into y as the plan's description says. Statuses as of mmscan_scan(); MMSCAN_EINVAL if plan is NULL. */
mmscan_status mmscan_execute(const mmscan_plan *plan, const void *x, void *y);

/* Frees a plan, which no thread may be executing. NULL is fine. */
void mmscan_plan_destroy(mmscan_plan *plan);

/* ---- Blocks of a longer scan ----------------------------------------------------------------------------------- */

/* As mmscan_scan(), for one block of a scan that comes in blocks. `carry` holds one element of y_type, or of F32 if
 * that is F16 or BF16, for each scan of the batch: on entry the prefix of everything before the block, on return that
 * of everything up to and including it, which for floats need not have the bits of the last y. Before the first block
 * set it to init for an exclusive scan, and to the identity of op for an inclusive one (mmscan_algebra.identity); that
 * of + on floats is -0.0, not 0.0, as 0.0 + -0.0 is 0.0. A reverse scan takes its blocks from the last to the first.
 * desc->init must be NULL. carry and state may not share memory with x or y, or each other (not checked). Totals are of
 * all blocks so far; indices count in the block. MMSCAN_CHECKED looks at the carry out of an exclusive block, the first
 * result of the next one, only if totals are asked for. MMSCAN_OFFSETS and outer dimensions are MMSCAN_ENOTSUP.
 *
 * An element does not hold all that is carried on of floats that are added, or combined as MMSCAN_ACCURATE and
 * MMSCAN_REPRODUCIBLE say. desc->state keeps the rest: mmscan_state_size() bytes for each scan, at any address, which
 * the caller sets to zero before the first block, and passes on from block to block as it is. NULL: the rest is lost at
 * the end of each block, which rounds an element of it once more (c of "Accuracy" is 1 more for each block).
 *
 * The bits are those of one call over everything, where floats are added with a state (and, if exclusively, without
 * totals), if the n of every block but the one scanned last is a multiple of MMSCAN_MAX_TILE; everything is more than 2
 * * MMSCAN_MAX_TILE; and blocks and the whole get the same engine and tile (wisdom may have others for the shape of a
 * block). A block is scanned as a part of a long scan, however short it is. With MMSCAN_REPRODUCIBLE they are if all n
 * but that are multiples of MMSCAN_BLOCK.
 *
 * y NULL: results go nowhere; carry, state, totals and indices become what they would be with a y laid out as desc
 * says, to the bit. x is read once, and nothing else is needed, except with totals, indices or MMSCAN_CHECKED, and for
 * columns that are done row by row: these take memory for a y during the call.
 *
 * Statuses as of mmscan_scan(); MMSCAN_EINVAL if carry is NULL and there are elements; MMSCAN_ENOMEM too if y is NULL,
 * and there is no memory for one that is needed. On failure carry and state are untouched, but for MMSCAN_EOVERFLOW.
 */
mmscan_status mmscan_scan_block(const mmscan_desc *desc, const void *x, void *y, void *carry);

/* Bytes of desc->state for each scan: the same for every description of the same types, op and flags; less than 1 KiB.
 * 0: desc is one that mmscan_desc_check() refuses. */
size_t mmscan_state_size(const mmscan_desc *desc);

/* Combines the carries of two neighbouring parts of a scan, of which neither need know the other: `carry`, of
 * everything before a part, becomes that of everything up to and including it. next_carry: what mmscan_scan_block()
 * made, over the part, of the identity (mmscan_algebra.identity); over no elements it is that. Both have an element for
 * each scan of the batch, as there. state and next_state are desc->state of either, the latter zero before its part; or
 * both NULL, and the rest is lost as there. They share no memory (not checked), and next_carry and next_state are only
 * read. Of *desc only types, op, kind, flags and batch matter, the direction does not: `next` is what comes later in
 * the order of the scan. Any number of threads may call, on different carries.
 *
 * What is exact in any grouping (integers, maxima and minima) has the bits of the blocks one after the other. So have,
 * with a state, sums of floats with MMSCAN_REPRODUCIBLE, if the parts begin at multiples of MMSCAN_BLOCK elements:
 * their exact sums are added, so that it makes no difference which parts are combined first. Other sums and products
 * are rounded once more; sums with a state, in twice the precision, by no more than mmscan_scan_block() does.
 *
 * MMSCAN_EINVAL   carry or next_carry is NULL, or one of both states; and as of mmscan_scan_block()
 * MMSCAN_ENOTSUP  the part has to be scanned from the carry before it. So have to be products of complex numbers, which
 *                 have the order of the plain loop; with MMSCAN_REPRODUCIBLE, all products of floats, and sums in pairs
 *                 (MMSCAN_ACCURATE into F64 or C64); sums of floats where one of both is not finite, or over max / 2,
 *                 or, with MMSCAN_REPRODUCIBLE and states, elements were not finite, or over max / 2^20; products of
 *                 floats where one of both is 0, or so far from 1 that another might leave the normal range
 * and as of mmscan_scan_block(). On failure carry and state are untouched.
 */
mmscan_status mmscan_carry_combine(const mmscan_desc *desc, void *carry, void *state, const void *next_carry,
                                   const void *next_state);

/* ---- Filters --------------------------------------------------------------------------------------------------- */

/* Describes `batch` signals of n samples, and the filter they all go through, that of scipy.signal.lfilter: with
 * a[0] = 1, by which all coefficients are divided first,
 *
 *   y[i] = b[0] x[i] + b[1] x[i-1] + ... - a[1] y[i-1] - a[2] y[i-2] - ...
 *
 * in direct form II transposed. Its state is z[0] to z[m-1], where m is max(b_count, a_count) - 1:
 *
 *   y[i] = b[0] x[i] + z[0],   and then   z[k-1] = b[k] x[i] - a[k] y[i] + z[k]   for k = 1 to m, with z[m] = 0
 *
 * Sample i of signal j is x[j * x_dist + i * x_stride], and alike in y. Strides and distances may be negative, those of
 * x may be 0. Zero the struct, then set what you mean. */
typedef struct mmscan_filter_desc {
  size_t struct_size; /* sizeof(mmscan_filter_desc) */
  mmscan_type type;   /* MMSCAN_F32 or MMSCAN_F64: of x, y and state */
  size_t n;
  size_t b_count, a_count; /* coefficients, 1 to 16 of each */
  const double *b, *a;     /* finite, and so is each one divided by a[0]; a[0] is not 0 */
  ptrdiff_t x_stride, y_stride;
  size_t batch;             /* signals; 0: nothing to do, which is no error */
  ptrdiff_t x_dist, y_dist; /* elements from one signal to the next */
  void *state; /* NULL: zeros go in; else m elements for each signal, signal after signal: they go in and come out, so
                  that the next call goes on where this one ends. If n is 0 they stay as they are */
} mmscan_filter_desc;

/* Filters x into y as *desc says. In place: x == y, with equal strides and distances. b, a and *desc are only read, and
 * need not outlive the call. state shares no memory with x or y.
 *
 * Samples are filtered as doubles, those of type F32, too, with coefficients that are not rounded to F32; each result,
 * and the state at the end, is rounded once. Errors are those of direct form II transposed, which a filter of a high
 * order with poles close to each other amplifies, however it is computed: such a filter had better be several ones of
 * order 2, one after the other. Blocks of L samples are filtered at once as
 *
 *   y = T x + S (samples of x before) + R (samples of y before)
 *
 * where T, lower triangular and Toeplitz, has the impulse response of B/A (Burrus, "Block realization of digital
 * filters", IEEE Transactions on Audio and Electroacoustics, 1972); by the engine gemm such blocks, of 32 samples, are
 * the columns of one product, or of one for each block of up to 64 signals, in which a column holds a signal's samples
 * and its state:
 *
 *   [ y      ]   [ T  H ] [ x ]
 *   [ z after] = [ C  M ] [ z ]
 *
 * That is done only in calls on 16,384 samples or more, or by gemm, and for filters whose R is not larger than that of
 * a double pole at 1, nor very large times the gain of 1/A, the response of which has to be over after 1,024 samples.
 * All others go sample by sample. So do, except by gemm, 32 or more signals, unless A is 1, and 16 or more if x_dist
 * and y_dist are 1: side by side, a vector of them at a time, which takes less time than one by one. Other signals of
 * up to 512 samples, and with MMSCAN_ENGINE=serial all, are filtered by the loop above.
 *
 * An unstable filter is filtered as the loop above does it, sample by sample: results grow until they are infinite, and
 * then NaN. Where A is 1, an Inf or a NaN in x reaches b_count results; else all from there on, and the state, are
 * infinite or NaN, as coefficients that are not given count as zeros and 0 times Inf is NaN. Where a result of the loop
 * is finite, so is this one; where a sum of the loop overflows on the way to a result, that may be finite, and results
 * of type F32 may be infinite and then finite again, as a double was not.
 *
 * Threads share the signals of a batch; one signal is one thread's. Bits do not depend on the number of threads, but on
 * where blocks begin: filtering in several calls, with a state, may round otherwise than one call.
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value, such as a count of 0 or 17, a[0] = 0, or a coefficient that
 *                  is not finite; x or y is NULL, or state not aligned; the shape is more than memory can hold
 * MMSCAN_EOVERLAP  as of mmscan_scan(); or state shares memory with x or y
 * MMSCAN_ENOMEM    only with the engine gemm: no memory for its workspace, or for a BLAS
 * MMSCAN_EBLAS     only with the engine gemm: its unit cannot be used, or gives wrong products
 * MMSCAN_ENOTSUP   another type
 * and, where the environment is illegal, the status given under ENVIRONMENT. On failure y and the state are untouched.
 */
mmscan_status mmscan_filter(const mmscan_filter_desc *desc, const void *x, void *y);

/* ---- Integral images ------------------------------------------------------------------------------------------- */

/* Describes `batch` images of rows * columns pixels. Without a border y has as many pixels as x:
 *
 *   y[r][c] = sum of x[i][j] over all i <= r and j <= c
 *
 * so that the sum over any rectangle takes four of them (Crow, "Summed-area tables for texture mapping", SIGGRAPH
 * 1984): it is L X L^T, with the matrix of ones L of the engine. With a border y has rows + 1 rows of columns + 1
 * pixels, of which the first ones are 0, and y[r + 1][c + 1] is that sum: then S(r1 to r2 - 1, c1 to c2 - 1) =
 * y[r2][c2] - y[r1][c2] - y[r2][c1] + y[r1][c1], also where r1 or c1 is 0. Take a signed or a wide y_type for such
 * differences.
 *
 * Channel k of pixel (r, c) of image i is x[i * x_dist + r * x_ld + c * channels + k], and alike in y, whose first
 * pixel is of the border if it has one. Leading dimensions and distances may be negative, those of x may be 0, and they
 * are not looked at where there is one row, or one image. Zero the struct, then set what you mean. */
typedef struct mmscan_integral_desc {
  size_t struct_size;         /* sizeof(mmscan_integral_desc) */
  mmscan_type x_type, y_type; /* a pair of types that MMSCAN_PLUS scans: U8 to U32, say, or F32 to F64 */
  int squares;                /* nonzero: sums of squares of x, which is converted first */
  int border;                 /* nonzero: y has a row of zeros, and a column of zeros, before it */
  size_t rows, columns;
  size_t channels;          /* elements of a pixel, each of which has its own sums; 0 is 1 */
  ptrdiff_t x_ld, y_ld;     /* elements from one row to the next */
  size_t batch;             /* images; 0: nothing to do, which is no error */
  ptrdiff_t x_dist, y_dist; /* elements from one image to the next */
} mmscan_integral_desc;

/* Sums x into y as *desc says, in one pass: rows are scanned, piece by piece, and added to the row above. In place:
 * x == y, with equal types, leading dimensions and distances, and no border. What lies between the rows of y is not
 * written. For sums over more dimensions scan the result along each further axis by mmscan_scan(), in place. So sums
 * over a volume, from its first element on, are those of its slices, a batch, scanned across the slices: with slices of
 * rows * columns elements one after the other, by n = slices, x_stride = y_stride = rows * columns, batch = rows *
 * columns, and x_dist = y_dist = 1.
 *
 * Threads share the images of a batch, the columns of an image whose rows have more than 2 KiB of sums, and the rows of
 * a narrower one of integers; bits do not depend on their number. An Inf or a NaN at x[r][c] reaches only results from
 * row r and from column c on.
 *
 * MMSCAN_ENGINE=gemm has images with one channel whose sums are of doubles (y_type is F64, or F32 of any x_type) made
 * by two products of the unit with L, block by block; blocks with an element that is not finite, or nearly too large,
 * are left to additions. Such an image with few columns is made by one thread, and a sum of -0.0 may be 0.0. For all
 * other images, and whatever else MMSCAN_ENGINE names, additions in vector registers do all.
 *
 * Integers wrap around. Into F32 and C32 everything is added as doubles, and each result is rounded once; into F16 and
 * BF16 as F32. Before that rounding y[r][j] is off by at most c u / (1 - c u) times the sum of magnitudes, with c and u
 * as under "Accuracy" below: c is r + 33 with one channel, and r + j + 2 with several, or complex numbers; and 3 more
 * for squares.
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value; x or y is NULL; the shape is more than memory can hold
 * MMSCAN_EOVERLAP  x and y share memory and are not in place; or rows, or images, of y do, or are in so many dimensions
 *                  that reach into each other that it would take too long to tell
 * MMSCAN_ENOMEM    no memory for a workspace, which has room for a row of sums; or for a BLAS
 * MMSCAN_EBLAS     only with MMSCAN_ENGINE=gemm: its unit cannot be used, or gives wrong products
 * MMSCAN_ENOTSUP   no such pair of types
 * and, where the environment is illegal, the status given under ENVIRONMENT. On failure y is untouched. */
mmscan_status mmscan_integral(const mmscan_integral_desc *desc, const void *x, void *y);

/* ---- Wisdom: measured choices ---------------------------------------------------------------------------------------
 *
 * What MMSCAN_MEASURE found is used by every later call and plan of the process that leaves the choice to the library,
 * except simple calls on up to 128 KiB, which use one kernel. It can be written to a file and read by another process,
 * by the calls below or by MMSCAN_WISDOM=file.
 *
 * A file is good only for the version of the library, the CPU and the instruction set it was made with, and for the
 * BLAS if a choice in it uses one. A BLAS that tells no version (LIBXSMM, ATLAS, the reference BLAS) is taken for the
 * same one, so measure again when it has changed. A number of threads in a file is the best of those possible when it
 * was measured, by OMP_NUM_THREADS and the CPUs the process might run on. Where fewer are possible, a call uses fewer;
 * where more are, it estimates the number, and uses all else as measured. */

/* Reads wisdom from a file and adds it to what is known; where both have a shape, the file's replaces it. `why` is as
 * in mmscan_unit_open().
 *
 * MMSCAN_EINVAL  file is NULL; or the environment is illegal (its status is returned, whatever it is)
 * MMSCAN_EIO     the file cannot be read, is damaged, or is of another machine; nothing is added, and no library is
 *                loaded, unless one that the file names is not here or of another version
 * MMSCAN_ENOMEM  no memory; no choice is added
 */
mmscan_status mmscan_wisdom_read(const char *file, char *why, size_t why_size);

/* Writes all wisdom to a file, by way of a new file beside it that then takes its place. Symbolic links are followed
 * and stay. MMSCAN_EIO also if the file exists and is not a regular one. Statuses as above; if one is not MMSCAN_OK the
 * file is as it was. Past a limit on the size of files (RLIMIT_FSIZE) that is MMSCAN_EIO, and no SIGXFSZ. */
mmscan_status mmscan_wisdom_write(const char *file);

/* The number of shapes that wisdom holds. */
size_t mmscan_wisdom_count(void);

/* ---- Units: libraries that multiply ----------------------------------------------------------------------------
 *
 * A unit forms W = A X, where A is s-by-s and X is wide. Some are built in (mmscan_get_unit() lists them); LIBXSMM and
 * any library with the C interface of BLAS can be opened at run time. Each routine of a library is tested on small
 * products before its first use, and not used if its results are wrong.
 *
 * The unit cblas is the BLAS that this library was built for (make BLAS=...). It is opened when it is first needed, and
 * stays open: by a product or a plan of the engine gemm that leaves the unit to the library or names it, by
 * MMSCAN_MEASURE, by wisdom that chooses it, by MMSCAN_UNIT=cblas, and by mmscan_get_unit() and the calls that ask for
 * its routines. A process that does none of this has nothing of a BLAS: no code, no threads, no handlers of fork() or
 * exit(). Not so with LINK_BLAS=1, which has the BLAS loaded as the program starts. Where it cannot be opened, or the
 * library was built with BLAS=none, products that name no other unit give MMSCAN_EBLAS; all else works.
 *
 * mmscan_paper.h has single products by a unit, and tells which routines of a library are used. */

/* Opens a library and adds it to the units. `library` is what dlopen() takes, a path or a soname, and from then on the
 * unit's name: in mmscan_choice, mmscan_matmul_desc, mmscan_product_desc and MMSCAN_UNIT. Names of its routines may end
 * in _64 or 64_ and may begin with scipy_, and its integers may have 32 or 64 bits. Its symbols are not visible to
 * other libraries, and with glibc it prefers its own to theirs, unless the process runs under a sanitizer.
 *
 * A library may be opened several times; each mmscan_unit_open() is undone by one mmscan_unit_close(). *name (name may
 * be NULL) is set to a string that lasts as long as the process, or to NULL if the call fails. `why` (may be NULL) gets
 * the reason for a failure, at most why_size bytes with the terminating null; else an empty string. Any number of
 * threads may call at once.
 *
 * MMSCAN_EINVAL  library is NULL or empty, or is the name of a built-in unit
 * MMSCAN_EBLAS   it cannot be loaded, is neither a BLAS nor LIBXSMM, lacks sgemm or dgemm, or they give wrong products
 * MMSCAN_ENOMEM  no memory
 */
mmscan_status mmscan_unit_open(const char *library, const char **name, char *why, size_t why_size);

/* Undoes one mmscan_unit_open(). The library is unloaded once all are undone and no plan, running call, wisdom or
 * environment variable uses it. A plan outlives the close, and while one does the unit can be asked for by name.
 *
 * Some libraries do not free all they took when unloaded, and stay loaded to the end of the process: BLIS, LIBXSMM,
 * MKL, whatever uses OpenMP, an OpenBLAS of pthreads whose own threads had a part in a product, and any OpenBLAS in a
 * process that runs under a sanitizer. Opening one again finds it as it was.
 *
 * MMSCAN_EINVAL  name is NULL or not of a unit that mmscan_unit_open() has opened and nobody has closed
 */
mmscan_status mmscan_unit_close(const char *name);

/* Names worth trying with mmscan_unit_open(), by index: paths and sonames that vendors and distributions use. Most are
 * absent on most machines, and several may be the same library. NULL past the last. A static string. */
const char *mmscan_unit_candidate(size_t index);

/* ---- What is inside -------------------------------------------------------------------------------------------------
 *
 * libmmscan cuts x into tiles that fit in a core's cache, scans each tile with an engine, and passes a carry (the
 * prefix of everything before the tile) from tile to tile. There are three engines:
 *
 *   simd        the default: multiplies by matrices of ones in vector registers
 *   gemm        MatMulScan, from "A Parallel Scan Algorithm in the Tensor Core Unit Model" (Zouzias and McColl): a BLAS
 *               does the first level, one product for each block of a tile, and vector registers do those above it
 *   serial      the plain loop
 *
 * Which of them serves what, by op and y_type, whatever x_type is. What is not here for gemm is MMSCAN_ENOTSUP, but for
 * what it leaves to simd:
 *
 *   mmscan_scan(), simple calls, plans, blocks, mmscan_scan_segments()
 *     simd, serial   every op on every y_type; complex MMSCAN_MUL by simd, too, is the plain loop
 *     gemm           MMSCAN_PLUS on every y_type: integers and what is accumulated in F32 or F64 as products of floats,
 *                    those of 64 bits in two halves, complex numbers in two planes. It leaves segments of fewer than
 * 256 elements to simd mmscan_recurrence() simd, serial   F32, F64, C32, C64, with an a that is constant or varies gemm
 * the same with a constant a, complex numbers as matrices of their parts mmscan_filter() simd, serial   F32 and F64, as
 * doubles gemm           the same; it leaves filters that blocks are too inaccurate for to simd mmscan_integral() simd
 * every pair of types that MMSCAN_PLUS scans; serial is taken for simd gemm           images with one channel whose
 * sums are of doubles; it leaves others to simd mmscan_scan_with() custom         elements of any type, by the caller's
 * function; it is no choice, and not in the table of engines */

/* A row of the table of engines, of units (the built-in ones, then the open ones), of instruction sets, or of ways in
 * which threads share work. Its strings last as long as the process. */
typedef struct mmscan_part {
  size_t struct_size;      /* sizeof(mmscan_part), set by the caller */
  const char *name;        /* as MMSCAN_ENGINE, MMSCAN_UNIT and mmscan_choice take it */
  const char *description; /* one line; if status is not MMSCAN_OK, the reason */
  const char *library;     /* units: the file of the BLAS behind it; NULL if there is none */
  const char *version;     /* units: the version that BLAS tells; NULL if it tells none */
  int threads;             /* units: the threads that BLAS is set to use; 0 if it does not tell */
  mmscan_status status;    /* MMSCAN_OK; MMSCAN_EBLAS for a unit whose library cannot be found or opened (whether its
                              products are right, mmscan_get_routine() tells), MMSCAN_ENOMEM where there is no memory
                              for it; MMSCAN_ENOTSUP for an instruction set that this machine or build lacks */
} mmscan_part;

/* Row `index` of the table, whatever the environment says. MMSCAN_EINVAL: past the last row, part is NULL or has a
 * wrong struct_size. */
mmscan_status mmscan_get_engine(size_t index, mmscan_part *part);
mmscan_status mmscan_get_unit(size_t index, mmscan_part *part);
mmscan_status mmscan_get_isa(size_t index, mmscan_part *part);
mmscan_status mmscan_get_way(size_t index, mmscan_part *part);

/* What is scanned: a row for each operator and y_type, operator after operator. Its pointers last as long as the
 * process. */
typedef struct mmscan_algebra {
  size_t struct_size; /* sizeof(mmscan_algebra), set by the caller */
  mmscan_op op;
  mmscan_type type;
  const char *op_name, *type_name; /* "plus", "f32": as the command has them */
  int kind;                        /* of the type, as NumPy's dtype.kind: 'f', 'i', 'u' or 'c' */
  size_t size;                     /* bytes of an element */
  const void *identity;            /* of the operator, one element: what an inclusive scan starts from. Of complex
                                      products, of which no number is one to the bit, a NaN that stands for nothing */
  const void *start;               /* one element: what an exclusive scan without init starts from */
  mmscan_type combined_as;         /* the type in which elements are combined: of sums of complex numbers that of their
                                      parts */
} mmscan_algebra;

/* Row `index`, whatever the environment says. MMSCAN_EINVAL: past the last row, algebra is NULL or has a wrong
 * struct_size. */
mmscan_status mmscan_get_algebra(size_t index, mmscan_algebra *algebra);

/* A part of the kernel by which an instruction set scans a row: native, or inherited from the next instruction set that
 * runs here, or in the end the plain loop. Its strings last as long as the process. */
typedef struct mmscan_kernel {
  size_t struct_size; /* sizeof(mmscan_kernel), set by the caller */
  const char *slot;   /* what the part is for: "scan", "stream" (past the caches), "batch" (many short rows), ... */
  const char *origin; /* the instruction set that it comes from; "loop": the plain loop; "scan": it is made of the slot
                         "scan"; NULL: there is none */
} mmscan_kernel;

/* Slot `index` of an instruction set's kernel for row `row` of what is scanned; isa NULL: of mmscan_isa().
 * MMSCAN_EINVAL: there is no such instruction set, row or slot, kernel is NULL or has a wrong struct_size.
 * MMSCAN_ENOTSUP: the instruction set does not run here. */
mmscan_status mmscan_get_kernel(const char *isa, size_t row, size_t index, mmscan_kernel *kernel);

/* The CPU's name for itself, or "unknown". A static string. */
const char *mmscan_cpu(void);

/* The instruction set of the library's own loops: what MMSCAN_ISA asks for if that is here, else the best that this
 * CPU, its system and this build have. A static string. */
const char *mmscan_isa(void);

/* How many threads a call made here and now may use, if the system will start that many. */
int mmscan_threads(void);

/* NULL if the environment is legal, else a line that names the variable, its value and what is wrong with it. A static
 * string. */
const char *mmscan_environment_error(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

/* clang-format off: these lists stay as they are */
/* ---- Rules for every call -------------------------------------------------------------------------------------------
 *
 * Units      Lengths, strides and distances count elements, never bytes.
 * Ownership  The caller owns x and y. The library keeps no pointer to them after a call returns.
 * In place   x == y is allowed, by descriptions with equal types, strides and distances; for MMSCAN_OFFSETS x == y +
 *            y_stride instead. Where x and y share a byte in any other way the call returns MMSCAN_EOVERLAP.
 * Alignment  That of the element type is enough. An address that is no multiple of 4 (of its size, for a smaller
 *            element) gives MMSCAN_EINVAL, except in a simple call on up to 128 KiB, and in mmscan_scan_with() and
 *            mmscan_network(), which do not look. totals have the alignment of y, and indices that of int64_t.
 * n == 0     A scan of no elements returns MMSCAN_OK if its description is legal and supported, whatever the pointers
 *            are, but that it writes totals and the one result of MMSCAN_OFFSETS. It need not read the environment, so
 *            an illegal variable may go unnoticed; plans and products do read it.
 * Size       A scan of more than PTRDIFF_MAX bytes is larger than memory can hold.
 * Errors     Every call that can fail returns a status; the library never prints, aborts or exits, but a BLAS may (see
 *            the fine print at the end). A call that fails leaves y untouched, unless it is
 *            MMSCAN_EOVERFLOW, by which everything is written. A scan that finds no memory falls back
 *            to the plain loop, which needs none (with MMSCAN_REPRODUCIBLE, to one thread), unless its engine was
 *            asked for by name, or it is both reproducible and monotone: then it returns MMSCAN_ENOMEM.
 * Threads    Any number of threads may call at once, also on one plan. A call may use as many threads as
 *            MMSCAN_NUM_THREADS allows, or else OpenMP's own rules, and never more than OMP_THREAD_LIMIT. It runs on
 *            the calling thread alone inside an OpenMP parallel region; in a forked child of a process that had
 *            threads, whoever started them; and where the system starts no more threads, or gives them stacks of less
 *            than 320 KiB (OMP_STACKSIZE).
 * Results    The bits of y do not depend on the number of threads, except for the sign and payload of a NaN, and except
 *            where a CPU flushes tiny results to zero but not tiny operands (FTZ without DAZ). Integers wrap around
 *            (two's complement), as in NumPy. Floats are added, or multiplied, in the order the plan chose, which is
 *            not that of the plain loop. Even so y[i] is finite, infinite or NaN exactly where the plain loop's is, and
 *            a product is zero where that is, except where a sum or product is within its error (see Accuracy) of
 *            overflowing or vanishing: it may then do so earlier or later than there, with all that follows. y[0] of
 *            an inclusive scan is x[0], and a sum of nothing but -0.0 is -0.0, except where rounding is downward.
 *            What the plain loop has and this has not, unless MMSCAN_MONOTONE is asked for: a sum of elements >= 0 may
 *            be a rounding error less than the one before it; and an element that is 0 may change the sum by as much,
 *            so that a search among sums of weights may find an item whose weight is 0.
 * Accuracy   Where no sum is beyond the largest float, and c u < 1, a float y[i] is off by at most c u / (1 - c u)
 *            times |init| + |x[0]| + ... + |x[i]|, where c bounds the roundings of an element on its way into y[i], and
 *            u is 2^-24 for float, 2^-53 for double, and twice that where rounding is not to nearest (Higham, "Accuracy
 *            and Stability of Numerical Algorithms", 2002, Chapter 4). The same holds for both parts of a complex sum;
 *            results of F16 and BF16 are rounded once more, and integers of 64 bits as they become floats.
 *            In any order of additions c is i + 1. With the engine simd it is min(i + 1, 32): a group of at most 256
 *            elements is added up from zero, which rounds an element 4 times in its window of a vector and at most 17
 *            times on the way through the vectors of its group; the sum of the groups before it is kept in twice the
 *            precision, rounded to an element twice, and added once. (2^36 elements add 2 to c, and each block that is
 *            scanned without a state adds 1.) With gemm it is s + 2 more, where s is the size of the matrices. In
 *            columns of a matrix it is min(i + 1, 32), too. It is i + 1 wherever the plain loop may take over: by the
 *            engine serial; without memory; where an element is NaN or larger than max / 2^20, or a sum larger than max
 *            / 2. In a reverse scan i counts from the end; in blocks (mmscan_scan_block()) from the start of the first
 *            block. The bound does not cover mmscan_matmulscan() and mmscan_network().
 *            With MMSCAN_ACCURATE a sum or product of type F32 or C32 is one of type F64 or C64, with the bound of
 *            that, rounded once: where rounding is to nearest, a sum is one of the two floats next to the exact one if
 *            the sum of magnitudes is at most 2^20 times as large. It is finite where the exact one is; the plain
 *            loop's stays infinite once it was. Into F64 and C64 it is kept as a pair of doubles (Joldes, Muller and
 *            Popescu, "Tight and Rigorous Error Bounds for Basic Building Blocks of Double-Word Arithmetic", 2017).
 *            With u = 2^-53, where rounding is to nearest, a sum y[i] is off by at most u |y[i]| + 2 (n + 32) u^2
 *            (|init| + |x[0]| + ... + |x[i]|), where n counts from the start of the first block, if a state goes from
 *            block to block; without one a carry is rounded to a double. So it is the double next to the exact sum
 *            nearly always, where the sum of magnitudes is up to 10^12 times as large. Another rounding keeps fewer
 *            digits, but more than a double. Products, of which all magnitudes are from 2^-968 to 2^1020: by at most u
 *            + 8 (i + 1) u^2 of y[i], complex ones by u + 9 (i + 1) u^2 of |y[i]|; where a product is less, or 0, by as
 *            much as one of doubles. All are finite, infinite or NaN where a plain loop of doubles is. Products of C64
 *            are a plain loop. Beside numbers over max / 2^20, infinities, and products
 *            over 2^128 or under 2^-128 in a tile, a plain loop of pairs does the rest of the tile, at a tenth of the
 *            speed.
 *            A product y[i] of floats, where no product up to it is other than a normal number, has a relative error of
 *            at most c u / (1 - c u), where c is 2 i + 1. A step of MMSCAN_LOGADDEXP, where rounding is to nearest, is
 *            off by at most two units in the last place of the largest of both operands, of the result and of log 2;
 *            errors of steps add up, and do not grow.
 * Reproducible  With MMSCAN_REPRODUCIBLE a sum or product of floats has the same bits for every number of threads,
 *            instruction set and machine; for every plan and way; with memory for a workspace or without; for every
 *            stride, alignment, batch and place, in place too; and for every cut into blocks at multiples of
 *            MMSCAN_BLOCK elements from the start of the scan, if a state goes from block to block. Exceptions are the
 *            sign and payload of a NaN, and that both runs have to round, and flush tiny numbers, in the same way. The
 *            order of additions is written down in doc/ACCURACY.md and will not change within a soname: tiles of 16
 *            KiB, as elements are combined, are scanned in vectors of 32 bytes (so avx512vl stands for avx512, and
 *            portable does as if it had them); the carry into a tile is the exact sum of init and the totals of all
 *            tiles before it, rounded once (of products, their product, tile by tile). With MMSCAN_ACCURATE into F64 or
 *            C64 it is a pair. The bound on errors is that of the engine simd, or of MMSCAN_ACCURATE. The engine gemm
 *            gives MMSCAN_ENOTSUP, another tile than this MMSCAN_EINVAL, and the engine serial stands for simd.
 *            Products of complex numbers have the order of the plain loop anyway, and maxima, minima and integers one
 *            result in any.
 * Monotone   With MMSCAN_MONOTONE, where all elements of a scan are >= 0 and added, or are >= 1 and multiplied from an
 *            init >= 0: no result is less than the one before it in the order of the scan; and an element that is 0 (of
 *            products, 1) leaves the result as it was, bit for bit: inclusive results i - 1 and i are the same, and
 *            exclusive ones i and i + 1. That holds for every engine, number of threads, direction, kind and rounding
 *            mode, across the ends of tiles and of blocks (mmscan_scan_block(), with a state or without), and for
 *            totals, which are not less than any result. The bound on errors is the same. A sum of zeros is 0.0, also
 *            of negative ones (but where rounding is downward, by the plain loop). Products that overflow, and are
 *            rounded otherwise than to nearest, may fall with MMSCAN_ACCURATE. In a tile in which an element is less
 *            than that, or NaN, results are what they are without the flag. Other operators and types have the property
 *            anyway, or ignore the flag. With MMSCAN_REPRODUCIBLE, scans without memory for a workspace give
 *            MMSCAN_ENOMEM.
 * Structs    begin with struct_size, which the caller sets to the sizeof it was built with. They only grow, at their
 *            end, so a program runs on with later libraries of the same soname. A struct_size below that of version
 *            0.1, or above 1024, gives MMSCAN_EINVAL. A description or choice longer than this library's, from a later
 *            header, is accepted if the bytes beyond are zero, and otherwise gives MMSCAN_ENOTSUP. A struct that a call
 *            fills in must have a size this library knows: a longer one gives MMSCAN_EINVAL.
 */

/* ---- Environment ----------------------------------------------------------------------------------------------------
 *
 * Read once, at first use. An empty variable counts as unset. A program that runs with more rights than its user
 * (setuid, say) reads none.
 *
 *   MMSCAN_ENGINE       auto (default), gemm, simd, serial; gemm multiplies integers as doubles, those of 64 bits in
 *                       two halves, exactly
 *   MMSCAN_UNIT         for the gemm engine: cblas (default, the BLAS this library was built for), xsmm (LIBXSMM, found
 *                       at run time), model, or the path or soname of a library to load, with a / or .so in it
 *                       (mmscan_unit_open() needs neither; see UNITS). What is named is opened at once, whatever the
 *                       engine. One that cannot be used gives MMSCAN_EBLAS
 *   MMSCAN_ISA          avx512, avx512vl (AVX-512 in vectors of 32 bytes), avx2, neon, portable; default: the fastest
 *                       that CPU, system and build have. One that they lack gives MMSCAN_ENOTSUP. Conversions of types
 *                       are by the fastest all the same: they have the same bits by any
 *   MMSCAN_NUM_THREADS  1 to 2^20, of which 256, or 16 for each CPU, are used; default: OpenMP's own rules, and no more
 *                       than the CPUs a container is allowed, unless OMP_NUM_THREADS is set
 *   MMSCAN_WISDOM       a file of measured choices (see WISDOM); one that cannot be used gives MMSCAN_EIO
 *
 * A value that cannot be honoured is never ignored: every call that scans elements, except mmscan_network(), then
 * fails. It returns MMSCAN_EINVAL for an illegal value, MMSCAN_ENOTSUP for what is not here, MMSCAN_EBLAS for a unit or
 * MMSCAN_EIO for wisdom that cannot be used, and MMSCAN_ENOMEM where there is no memory for either.
 * mmscan_environment_error() names the variable. "The environment is illegal" stands for any of these.
 */

/* ---- Fine print: processes, threads and BLAS libraries --------------------------------------------------------------
 *
 * Starting   The system may start a thread on the CPU of its parent although another is idle; the first calls on
 *            several threads then take milliseconds. OMP_PROC_BIND=true prevents it, where no other process binds its
 *            threads.
 *            OpenMP ends the process when it cannot start a thread, so the library first tests that the threads can be
 *            started, and watches those of each calling thread. Gaps remain: others take the threads between the test
 *            and the start; OMP_STACKSIZE is not what it was when OpenMP was loaded, and this library was opened since;
 *            or a smaller parallel region of the program has just made OpenMP let go of threads that have not ended
 *            yet. A thread's first calls start no team until one would have saved what it takes to start it. While a
 *            thread of a team may be asleep, a call changes on which CPUs it may run (sched_setaffinity), and changes
 *            that back; not where the process has a filter of system calls, as in most containers.
 * fork()     waits until no call of this library is in a BLAS: a lock that the BLAS holds would stay locked in the
 *            child for ever. In a signal handler that interrupts such a call it may wait for a lock of the interrupted
 *            thread, for ever. A handler of pthread_atfork() must not call the library, which may wait for ever there.
 * Cancelling Scans, products and calls on units and wisdom are no cancellation points (pthread_cancel).
 * Loading    A call that first needs a unit, and mmscan_unit_open(), load libraries; the first call may, if the
 *            environment names a unit, or wisdom that chooses one. A constructor of a library that another thread is
 *            loading at that time, or that the first call loads, must not call this one. With a glibc before 2.36 no
 *            other thread may fork then, if what is loaded registers fork handlers, as OpenBLAS does: both might wait
 *            for ever.
 *            A program that is linked with -static must not do so: glibc crashes, as its linker warns.
 * Exit       A thread that is in a BLAS while the process exits may crash it, or keep it from ending.
 * Stacks     A call takes at most 48 KiB of the stack of its thread, or 64 KiB where it opens or uses an OpenBLAS,
 *            where it is reproducible and finds no memory, or where it is the first and wisdom chooses one. Thread-
 *            local variables of the program, and of the libraries that it is linked with, come off the stack of each
 *            thread besides: 61 KiB of an OpenBLAS 0.3.21, which a program is linked with by LINK_BLAS=1.
 * Traps      Floating-point exception flags mean nothing after a call. Where a program makes exceptions trap, data with
 *            an Inf, a NaN or sums that overflow may trap where the plain loop would not; where inexact results trap,
 *            any data may.
 * OpenBLAS   may start threads while it is loaded, print if it lacks resources then, and hang as the process ends where
 *            memory is short (none of this with OPENBLAS_NUM_THREADS=1). By LINK_BLAS=1 it is loaded as the program
 *            starts.
 * Memory     OpenBLAS and BLIS may crash, hang or end the process when memory runs out during a product. So a BLAS is
 *            used only if 160 MiB can be had at its first use; otherwise the engine gemm gives MMSCAN_ENOMEM, and
 *            MMSCAN_MEASURE leaves it out.
 *            LLVM's OpenMP crashes where a thread has no memory for its first call of this library. It also crashes in
 *            a program that calls clearenv() before its first call.
 * LIBXSMM    needs stacks of 256 KiB in threads that the program starts, to make kernels.
 *            It puts OMP_PROC_BIND into the environment when it is first used; the library takes it out again if it was
 *            not there. No other thread should change the environment while a LIBXSMM is opened, or while
 *            MMSCAN_MEASURE or mmscan_get_unit() first looks for one.
 */

#endif /* MMSCAN_H */
