/* cell.h: what every cell of kernels is compiled with. */
#ifndef MMS_CELL_H
#define MMS_CELL_H

#include "base/tuning.h"
#include "kernel/isa.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define PASTE(a, b)         a##_##b
#define PASTED(a, b)        PASTE(a, b)
#define NAMED(function, of) PASTED(PASTED(function, OPERATORS), of)
#define NAME(function)      NAMED(function, SUFFIX)
#define QUOTE(text)         #text
#define QUOTED(text)        QUOTE(text)
/* A path, without blanks: */
/* clang-format off */
#define KERNEL_FILE(name) QUOTED(kernel/name.inc)
/* clang-format on */

/* What kind of scan it is. Constants to the compiler, which makes a loop of its own for each. */
typedef struct way {
  mmscan_kind kind;
  enum {
    ALONE,
    OWN,
    AHEAD,
    PREFETCH
  } look; /* besides: nothing; adds up its own elements, or others; prefetches others */
  bool reverse, streams;
} way;

/* Where a line is prefetched to: L1 to be read, L1 to be written, L2, L1 only. */
typedef enum fetch_to { TO_READ, TO_WRITE, TO_SECOND, TO_FIRST } fetch_to;

/* For the steps of a loop, for which a call would cost more than the work; and for loops, which gain nothing by it, and
 * of which some cells leave some out. */
#define INLINE   inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline, unused))

/* For what is long: GCC would make a copy of it for each constant argument. SHORT: for what is called once in many
 * elements, too, and had better be short than fast: compilers take it for that if they are told that it is cold. */
#ifdef __clang__
#define ONE_COPY __attribute__((noinline, hot))
#else
#define ONE_COPY __attribute__((noinline, noclone, hot))
#endif
#define SHORT __attribute__((noinline, cold))

/* Before a loop over a constant few vectors. Unrolls all of it at once: clang unrolls by a number too late, and would
 * leave the vectors in memory. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
