/* algebra.h: what is scanned: a row for each operator and type, which says everything about the two. Whatever asks
 * "which type, which operator" asks a row.
 *
 * A type is a file in type/ and a line of each_type.inc; an operator is a file in operator/ and a line of
 * each_operator.inc. doc/ADDING_A_TYPE.md and doc/ADDING_AN_OPERATOR.md walk through both. A type's file defines:
 *
 *   SUFFIX, TYPE    its name in calls and commands, and the public one
 *   KIND            'f', 'i', 'u' or 'c': a float, a signed or an unsigned integer, a complex number
 *   T, A            the C types of an element, and of sums of elements: unsigned for integers, which wrap
 *   LOWEST, GREATEST
 *   LANES           the kernels that serve it (mms_lanes)
 *   TIMES(a, b), TIMES_NONE   its product, and the identity of that; if it is not what C has
 *   UNIT, PLANES    the float type whose products serve it, and how many products an element takes
 *   PAIR, PAIR_OF(carry), PAIR_TO(carry, value), PAIR_TIMES(a, x)   what pairs of it are, in a carry too, and the
 *                   product of one and an element; if it is combined in pairs
 *
 * An operator's file defines, in terms of these:
 *
 *   OP, OPERATOR    its name, and the public one
 *   SCANS           whether it scans the type
 *   VALUE           A or T: as what it combines elements
 *   COMBINE(a, b)   of two such values, a before b
 *   IDENTITY, START its identity, an element; and what an exclusive scan without init starts from
 *   EXACT           whether a result is the same to the bit, however its elements are grouped
 *   KERNELS         the name of its kernels; NULL: it has none, and is scanned by the plain loop
 *   KEY             the bits of elements that these kernels flip before and after they combine them; SIGN is the sign
 *   BY_UNIT         whether products of units do what it does
 *   BY_PARTS        whether it combines the parts of complex numbers apart; may be left out
 *   HAS_PAIRS       whether its carries say what they are short of, too (mms_value); may be left out
 *
 * What MMSCAN_ACCURATE asks for are rows of their own, of the list each_accurate.inc:
 *
 *   IN_PAIRS        whether elements are combined in pairs of them (twice.h), and results are the first of each; may be
 *                   left out
 *   TYPES           the list of types; may be left out */
#ifndef MMS_ALGEBRA_H
#define MMS_ALGEBRA_H

#include "algebra/loop.h"
#include <string.h>

/* Halves of integers and of doubles are found by their place in memory, and a BLAS may read a 32-bit integer where a
 * 64-bit one is passed. */
_Static_assert(sizeof(void *) == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "64 bits, little-endian");

/* The Makefile refuses these options too, as some compilers define no macro for some of them. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "-ffast-math, -Ofast or a part of them: results, and what is finite and what is not, would be wrong"
#endif

/* What the lanes of a vector may hold: the arithmetic types, which alone have kernels. */
typedef enum mms_lanes { MMS_LANES_NONE, MMS_LANES_F32, MMS_LANES_F64, MMS_LANES_I32, MMS_LANES_I64 } mms_lanes;

/* One past the last of mms_lanes, of mmscan_type and of mmscan_op; the number of rows. */
enum {
  MMS_LANES = MMS_LANES_I64 + 1,
  MMS_TYPES = MMSCAN_BF16 + 1,
  MMS_OPS = MMSCAN_XOR + 1,
  MMS_ROWS = 0
#define BODY "algebra/count.inc"
#include "algebra/each_operator.inc"
  ,
  MMS_ALL_ROWS = MMS_ROWS /* with those for MMSCAN_ACCURATE, which come last */
#include "algebra/each_accurate.inc"
#undef BODY
};

typedef struct mms_algebra {
  mmscan_op op;
  mmscan_type type;
  const char *op_name, *type_name;
  char kind;
  size_t size;                  /* bytes of an element */
  const void *identity, *start; /* one element each */
  bool is_exact;
  const char *kernels; /* NULL: none */
  int64_t key;         /* bits that kernels flip */
  mms_lanes lanes;
  mmscan_type unit; /* the float type whose products serve the type */
  bool by_parts, has_pairs;
  bool is_accurate; /* a row for MMSCAN_ACCURATE: a carry is an element, and what it is short of; results are rounded
                       once */
  int planes;       /* products that an element takes; 0: none is exact for the operator */
  mms_loop loop;    /* the reference, the path of short scans, and what kernels use where they may not regroup */
  const struct mms_own *own; /* NULL in the table */
} mms_algebra;

/* What a row that is made for one call brings with it, such as that of an operator of the caller's. Of elements only
 * the size is known besides, and its engines take them from where they are. */
typedef struct mms_own {
  void *call;                                /* what its engines know of the call */
  const struct mms_engine *by_tiles, *alone; /* the engines of several threads, and of one, without a workspace */
  bool are_elsewhere; /* elements are bytes, and carries are where they are (mms_value.element): */
  bool (*take_slots)(void *call, size_t count); /*   makes so many places for these; false: there is no memory */
  void (*drop_slots)(void *call);               /*   gives them back */
  bool streams;                                 /* its engines store past the caches where a job says so */
  size_t together; /* scans that are shared by threads in groups of so many, each group by one; 0: of one */
} mms_own;

/* The index of a row in the table. And row `index`; NULL past its end. */
size_t mms_algebra_index(const mms_algebra *algebra);
const mms_algebra *mms_algebra_at(size_t index);

/* The row of an operator and a type, which are legal; NULL: the operator does not scan the type. By names: NULL too if
 * there are no such names. */
const mms_algebra *mms_algebra_of(mmscan_op op, mmscan_type type);
const mms_algebra *mms_algebra_find(const char *op, const char *type);

/* The row that combines pairs of elements; NULL: there is none. */
const mms_algebra *mms_algebra_accurate(mmscan_op op, mmscan_type type);

/* Scans many rows by the plain loop: mms_loop_batch, in either direction. */
void mms_algebra_batch(const mms_algebra *algebra, const mms_batch *batch, mmscan_kind kind, bool reverse);

/* Copies an element, without a call where it is small, as rows may be tiny. */
static inline void mms_copy(void *to, const void *from, size_t size) {
  if (size == 4)
    memcpy(to, from, 4);
  else if (size == 8)
    memcpy(to, from, 8);
  else if (size == 16)
    memcpy(to, from, 16);
  else if (size > 16)
    memcpy(to, from, size);
  else
    for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
}

/* One element as a carry. */
mms_value mms_algebra_value(const mms_algebra *algebra, const void *element);

#endif
