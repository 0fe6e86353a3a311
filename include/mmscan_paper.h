/* mmscan_paper.h: the laboratory of libmmscan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Here the algorithm of "A Parallel Scan Algorithm in the Tensor Core Unit Model" (Zouzias and McColl) is studied,
 * counted and compared, and so are the libraries that multiply. The calls for work are in mmscan.h; its rules for every
 * call, environment and fine print hold here, too. One library, libmmscan, serves both headers.
 *
 * This file reads in order: the paper's algorithm, its model of time, the methods it is compared with, products of
 * units.
 */
#ifndef MMSCAN_PAPER_H
#define MMSCAN_PAPER_H

#include "mmscan.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what follows is exported; the rest of the library is built hidden */
#endif

/* ---- The paper's algorithm, as written ------------------------------------------------------------------------- */

/* MatMulScan to the letter: sweeps over the whole array, with no tiles and no rule for non-finite input (0 * Inf = NaN
 * spreads backwards). It is here to be studied, counted and compared; for work use mmscan.h.
 * L_s: the s-by-s lower triangular matrix of ones. B_s: the identity with its first column all ones. */

/* A trace reports each step of a run as it is taken: a product W = A X, or W = A X + C, or one use of the operator.
 * Entry (row, column) of W combines, in the order of k, those X(k, column) for which A(row, k) is one; a row of zeros
 * gives the identity. Entries are named by position: 0 to n - 1 are the elements of the array, and those from n on are
 * temporaries of the run, each with a place of its own.
 *
 * Replaying the steps in the order of the events, by positions alone, gives the scan; a step reads all of X and C
 * before it writes W. */

typedef enum mmscan_matrix {
  MMSCAN_MATRIX_L = 1,    /* L_s: lower triangular ones */
  MMSCAN_MATRIX_B,        /* B_s: the identity, with its first column all ones */
  MMSCAN_MATRIX_L_STRICT, /* L_s without its diagonal */
  MMSCAN_MATRIX_ONES      /* all ones */
} mmscan_matrix;

/* 1 where A(row, column) is one, else 0. */
int mmscan_matrix_entry(mmscan_matrix matrix, size_t row, size_t column);

typedef enum mmscan_phase {
  MMSCAN_UP_SWEEP = 1,
  MMSCAN_DOWN_SWEEP,
  MMSCAN_COMBINE,  /* a level of a method that does not have two sweeps */
  MMSCAN_GATHER,   /* elements are copied to temporaries, or a place is set to the identity */
  MMSCAN_BROADCAST /* a prefix is added to all that follows it */
} mmscan_phase;

#define MMSCAN_NO_ELEMENT SIZE_MAX

typedef struct mmscan_event {
  size_t struct_size; /* sizeof(mmscan_event) */
  int step;           /* of Section 3.2: 1 segments, 2 gather w, 3 scan w, 4 broadcast; 1 where there are no segments */
  size_t segment;     /* in steps 1 and 4, from 0; else 0 */
  mmscan_phase phase;
  size_t level; /* t of Algorithm 1; elsewhere the level in the phase, from 0 */
  size_t depth; /* 1 to the depth of the run; steps of one depth do not wait for each other. A gather computes nothing
                   and is no level: its depth is that of the step it waits for, or 0 */
  mmscan_matrix matrix;
  int is_product;    /* nonzero: a product by the unit; 0: a copy of an element (s is 1), or the operator applied once
                        (s is 2, the matrix L) */
  size_t s, columns; /* X, C and W are s-by-columns; a square is s of the columns, the last one maybe fewer */
  size_t positions;  /* every position is below this; the same in all events of a run */
  const size_t *in;  /* positions of X, column-major; MMSCAN_NO_ELEMENT: padding, the identity */
  const size_t *add; /* positions of C; NULL: there is none */
  const size_t *out; /* positions of W; MMSCAN_NO_ELEMENT: not stored, being padding or there already */
} mmscan_event;

/* Term k of entry `entry` of W, in the order in which they are combined: X(k, column) for k < s, C for k = s. Returns 1
 * and sets *position to the position of the term (MMSCAN_NO_ELEMENT: padding); returns 0 where A has a zero, or there
 * is no C, or where event or position is NULL. */
int mmscan_event_term(const mmscan_event *event, size_t entry, size_t k, size_t *position);

/* Called once for each event, on the thread that called the library. The event and its arrays last until it returns. It
 * may call the library, but x and y are in use. It must return: it may not leave by longjmp() or a C++ exception, or
 * end the thread. */
typedef void mmscan_trace(void *context, const mmscan_event *event);

typedef enum mmscan_form {
  /* a level is one GEMM, s-by-s times s-by-ceil(m/s) (Theorem 1) */
  MMSCAN_STACKED = 1,
  /* a level is ceil(m/s^2) GEMMs, s-by-s times s-by-s (Algorithm 1, BatchMatMul): one call of gemm_batch_strided or
   * gemm_batch if the unit has either, which may use the unit's own threads; else a loop */
  MMSCAN_BATCHED
} mmscan_form;

typedef enum mmscan_length_rule {
  MMSCAN_DIGITS = 1, /* segments by the base-s digits of n (Section 3.2) */
  MMSCAN_PADDED      /* every level zero-padded (Listing 1) */
} mmscan_length_rule;

typedef enum mmscan_traversal {
  MMSCAN_ITERATIVE = 1, /* Algorithm 1 */
  MMSCAN_RECURSIVE      /* Algorithm 2 (appendix); the same bits as MMSCAN_ITERATIVE, but not the same counts */
} mmscan_traversal;

typedef enum mmscan_broadcast {
  MMSCAN_BROADCAST_MATRIX = 1, /* step 4 of Section 3.2 as a product with B_s */
  MMSCAN_BROADCAST_VECTOR      /* step 4 as a vector add (Section 3.3) */
} mmscan_broadcast;

typedef struct mmscan_matmul_desc {
  size_t struct_size; /* sizeof(mmscan_matmul_desc) */
  mmscan_type type;   /* MMSCAN_F32 or MMSCAN_F64 */
  size_t n;           /* any length */
  size_t s;           /* 2 to MMSCAN_MAX_S */
  mmscan_form form;
  mmscan_length_rule length_rule;
  mmscan_traversal traversal;
  mmscan_broadcast broadcast; /* looked at with MMSCAN_DIGITS only */
  const char *unit;           /* a name from mmscan_get_unit(); NULL: that of MMSCAN_UNIT, or cblas */
  int threads;                /* for the segments of MMSCAN_DIGITS; 0: as everywhere; one where there is a trace */
  mmscan_trace *trace;        /* called for every product; NULL: no trace */
  void *trace_context;        /* its first argument */
} mmscan_matmul_desc;

/* What a run did. Additions are those of a multiplication that skips the zeros of L_s and B_s. */
typedef struct mmscan_counts {
  size_t struct_size;          /* sizeof(mmscan_counts), set by the caller */
  uint64_t depth;              /* levels on the longest chain of levels; step 4 is one level in either form */
  uint64_t multiplications;    /* products of two s-by-s matrices, a padded one counted whole (Lemma 1) */
  uint64_t gemms;              /* by the unit: one a level when stacked, one a square when batched */
  uint64_t additions;          /* including those on padding: batched, as the paper counts; stacked, on real columns */
  uint64_t additions_unpadded; /* those whose operands and result are all elements, not padding */
  uint64_t gathered;           /* elements read by gathers */
  uint64_t scattered;          /* elements written by scatters */
  uint64_t segments;           /* of Section 3.2; 1 with MMSCAN_PADDED */
} mmscan_counts;

/* y = inclusive scan of x, by MatMulScan as *desc says; counts may be NULL. In place: x == y. In a trace, the
 * temporaries are the entries of w (Section 3.2, step 2); entry i has position n + i.
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value; x or y is NULL and n > 0; counts has a wrong struct_size
 * MMSCAN_EOVERLAP  x and y share memory and x != y
 * MMSCAN_ENOMEM    no memory for a BLAS, or for the workspace: some 4 n + 2 s^3 elements, 2 s^2 more for each segment
 *                  with MMSCAN_BATCHED on several threads, and as many positions for a trace
 * MMSCAN_ENOTSUP   a type other than f32 and f64
 * MMSCAN_EBLAS     the library behind the unit is not here, or gives wrong products
 * and, where the environment is illegal, the status given under ENVIRONMENT in mmscan.h
 */
mmscan_status mmscan_matmulscan(const mmscan_matmul_desc *desc, const void *x, void *y, mmscan_counts *counts);

/* ---- The paper's model of time --------------------------------------------------------------------------------- */

/* In the (s^2, l)-TCU model (Section 1) a tensor unit multiplies an s-by-s matrix by an s-by-c one in time c s + l,
 * where c >= s; a narrower product takes as long as one of c = s. All else is free: gathers, scatters, reshaping
 * (Section 3.1). Times are in units of one element of the s-by-c matrix, not in seconds. */
typedef struct mmscan_model_desc {
  size_t struct_size; /* sizeof(mmscan_model_desc) */
  size_t n;           /* any length, cut by its base-s digits (Section 3.2) */
  size_t s;           /* 2 to MMSCAN_MAX_S */
  double latency;     /* l: 0 or more, and finite */
  size_t units;       /* p: 1 or more tensor units */
  size_t lanes;       /* 0: no vector units. Otherwise a vector unit beside each tensor unit does the products with B_s
                         (Section 3.3), `lanes` additions in a unit of time, without latency */
} mmscan_model_desc;

/* What was counted, and the paper's bound: the sum in its proof, before anything is absorbed by an O(). NAN where the
 * paper gives none, which is for times with vector units. */
typedef struct mmscan_figure {
  double counted, bound;
} mmscan_figure;

typedef struct mmscan_model_result {
  size_t struct_size; /* sizeof(mmscan_model_result), set by the caller */
  double segments;    /* of Section 3.2 */

  /* Levels on the longest chain of levels; that of multiplications may be shorter. The bound is 2 k - 1 for n = s^k
   * (Lemma 1), else 2 floor(log_s n) (Corollary 1), which is too low where steps 2 and 3 of Section 3.2 do not fit
   * under the down-sweep of step 1. */
  mmscan_figure depth;

  /* Products of two s-by-s matrices, a padded one counted whole, and their additions (Lemma 1, Section 3.2). */
  mmscan_figure multiplications, additions;
  double additions_unpadded; /* those whose operands and result are all elements, not padding */

  /* Time on one unit, where a level of a segment is one product (Theorem 1, Corollary 1). */
  mmscan_figure one_unit;

  /* Time of the s-by-s multiplications on p units (end of Section 3.2), by list scheduling: a free unit starts the
   * ready multiplication that heads the longest chain of dependent ones. The bound is (s^2 + l) (multiplications / p +
   * depth), from the bounds above, and too low where that of the depth is. */
  mmscan_figure p_units;
  double work, vector_work; /* total time on tensor units, and on vector units; no schedule beats work / p */
  double critical_path;     /* the longest chain, which no schedule beats either */
  double brent;             /* what no such schedule exceeds: critical_path (1 - 1/p) + work / p; with vector units
                               critical_path + (work + vector_work) / p */

  /* The fraction of the additions of a dense s-by-s multiplication that is needed, for L_s and for B_s: at most 1/2 and
   * 1/s (Section 3.3). 0 where there are no multiplications. */
  mmscan_figure utilisation_l, utilisation_b;
} mmscan_model_result;

/* Prices MatMulScan in the model, on the calling thread. The multiplications and their dependences come from runs of
 * mmscan_matmulscan() with MMSCAN_DIGITS, MMSCAN_ITERATIVE, MMSCAN_BROADCAST_MATRIX and a unit that does not multiply.
 * Takes up to 90 bytes of memory an element for s = 2, 45 for s = 3, less for larger s, and up to twice that of address
 * space; and some seconds for n = 2^24 and s = 2.
 *
 * MMSCAN_EINVAL  desc or result is NULL, has a wrong struct_size or holds an illegal value
 * MMSCAN_ENOTSUP desc is of a later header and asks for more than this version does
 * MMSCAN_ENOMEM  no memory, or more than 2^32 - 1 multiplications or dependences; *result is untouched
 */
mmscan_status mmscan_model(const mmscan_model_desc *desc, mmscan_model_result *result);

/* ---- The methods of the paper's Table 1 ------------------------------------------------------------------------ */

/* Every method of Table 1, on elements of any kind and with any associative operator, commutative or not (Section 1:
 * "can be extended to any arbitrary associative operator"). All run on the calling thread, one step after another. They
 * are here to be studied, counted, drawn and compared. */

/* A row of the table of methods. All strings are static. */
typedef struct mmscan_method {
  size_t struct_size;      /* sizeof(mmscan_method), set by the caller */
  const char *name;        /* as mmscan_network_desc takes it */
  const char *description; /* one line */
  mmscan_kind kind;        /* of the scan it gives */
  int has_s;               /* nonzero: it multiplies s-by-s matrices */
  int needs_commutative;   /* nonzero: for commutative operators only */
} mmscan_method;

/* Row `index` of the table. MMSCAN_EINVAL: past the last row, method is NULL or has a wrong struct_size.
 *
 *   sklansky        Sklansky 1960
 *   hillis-steele   Hillis and Steele 1986, also called Kogge-Stone
 *   blelloch        Blelloch 1990; exclusive. Its trace has temporaries: n is padded to a power of two
 *   brent-kung      Brent and Kung 1980
 *   dakkak-warp     Dakkak et al. 2019, Algorithm 6: n <= s^2, as an s-by-s matrix A by rows: A U + (L A) 1, U upper
 *                   triangular ones, L strictly lower, 1 all ones. L A adds down the columns before the product with 1
 *                   adds across, so x is not combined in its order: commutative operators only. In the trace, a
 *                   product from the right is its transpose from the left
 *   dakkak-block    Dakkak et al. 2019, Algorithm 7: blocks of s^3, one after the other: s tiles by Algorithm 6, an
 *                   exclusive scan of their totals behind the carry of the block before, a broadcast
 *   matmulscan      Zouzias and McColl, Algorithm 1 in its batched form, and Section 3.2
 */
mmscan_status mmscan_get_method(size_t index, mmscan_method *method);

/* Zero the struct, then set what you mean. */
typedef struct mmscan_network_desc {
  size_t struct_size;        /* sizeof(mmscan_network_desc) */
  const char *method;        /* a name from mmscan_get_method() */
  size_t n;                  /* any length; dakkak-warp: at most s^2 */
  size_t s;                  /* 2 to MMSCAN_MAX_S; looked at only by methods that have one */
  const mmscan_operator *op; /* with an identity; arguments of its function are aligned as in an array of elements */
  int commutative;           /* nonzero: the caller states that a op b = b op a */
  mmscan_length_rule length_rule; /* looked at by matmulscan only */
  mmscan_trace *trace;            /* called for every step; NULL: no trace */
  void *trace_context;            /* its first argument */
} mmscan_network_desc;

/* What a run did, as Table 1 counts it: zeros of a matrix cost nothing. Where n is a power of two (of s), depth and
 * work are the table's. An adder is a node of the circuit, and combines two elements or more. */
typedef struct mmscan_network_counts {
  size_t struct_size;       /* sizeof(mmscan_network_counts), set by the caller */
  uint64_t depth;           /* levels: of operators (PRAM); of products, broadcasts and scans of totals (TCU) */
  uint64_t work;            /* uses of the binary operator, including those on padding */
  uint64_t work_unpadded;   /* those whose operands and result are all elements */
  uint64_t multiplications; /* products of two s-by-s matrices */
  uint64_t adders;          /* without those that combine one element with padding */
  uint64_t path;            /* adders on the longest chain: at most depth, as levels do not always wait */
  uint64_t fan_in;          /* the most elements an adder combines */
  uint64_t fan_out;         /* the most uses of a value in one level, by adders or passed on unchanged */
  uint64_t reads;           /* the most adders a value goes to, in all levels (in Brent-Kung's network: log2 n) */
} mmscan_network_counts;

/* y = the scan of x by the method, of the kind that the method gives; counts may be NULL. In place: x == y.
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value (op is NULL or has no identity, say); x or y is NULL and n >
 * 0; counts has a wrong struct_size MMSCAN_EOVERLAP  x and y share memory and x != y MMSCAN_ENOMEM    no memory for the
 * workspace, which is many times as large as x MMSCAN_ENOTSUP   the method is for commutative operators and
 * desc->commutative is 0; n is more than the method does
 */
mmscan_status mmscan_network(const mmscan_network_desc *desc, const void *x, void *y, mmscan_network_counts *counts);

/* ---- Products of units ----------------------------------------------------------------------------------------- */

/* How a unit is asked for a product. X has s rows and `columns` columns; a "square" is s of its columns. */
typedef enum mmscan_product_form {
  MMSCAN_PRODUCT_CHUNKED = 1, /* gemm on so few columns at a time that the library starts no thread, as in a scan */
  MMSCAN_PRODUCT_GEMM,        /* one gemm; the library may use the threads it is set to */
  MMSCAN_PRODUCT_TRMM,        /* one trmm, in place; it may use its threads */
  MMSCAN_PRODUCT_BATCH, /* gemm_batch on up to 1024 squares at a time, gemm for the rest; it may use its threads */
  MMSCAN_PRODUCT_BATCH_STRIDED, /* the same by one gemm_batch_strided */
  MMSCAN_PRODUCT_BF16           /* one sbgemm (in MKL gemm_bf16bf16f32): X of bfloat16, sums and W of float */
} mmscan_product_form;

typedef struct mmscan_product_desc {
  size_t struct_size; /* sizeof(mmscan_product_desc) */
  const char *unit;   /* a name from mmscan_get_unit(); NULL: that of MMSCAN_UNIT, or cblas */
  mmscan_type type;   /* of W, and of X but for MMSCAN_PRODUCT_BF16: MMSCAN_F32, F64, C32 or C64 */
  mmscan_product_form form;
  mmscan_matrix matrix;
  int transposed;    /* nonzero: A^T in place of A */
  size_t s, columns; /* s: 1 to MMSCAN_MAX_S */
  size_t row_stride; /* 0: X and W are column-major with leading dimension s, as in the paper. Else they are row-major
                        with this leading dimension, at least `columns` and below 2^31; not for batches */
} mmscan_product_desc;

/* W = A X by one unit in one form, where A is L_s or B_s: a level of Algorithm 1 without its gather and scatter, to
 * time and compare units. x and w have s * columns elements; row-major ones have (s - 1) * row_stride + columns, of
 * which those between rows are not touched. A bfloat16 is a uint16_t, the upper half of a float. In place (x == w) is
 * for MMSCAN_PRODUCT_TRMM only, which otherwise copies X first. Each call makes A anew, s * s elements. Floats are
 * multiplied as they come: 0 * Inf is NaN. BLIS 0.9.0 reads, and does not use, up to 8 bytes past the end of W.
 *
 * MMSCAN_EINVAL    desc is NULL or holds an illegal value, or an unknown unit; x or w is NULL and there are columns;
 *                  or the environment is illegal (its status is returned, whatever it is)
 * MMSCAN_EOVERLAP  X and W share an element, and are not in place or may not be
 * MMSCAN_ENOTSUP   the unit lacks the form for the type (all lack it for integers), or its routine is not used (see
 *                  mmscan_get_routine())
 * MMSCAN_EBLAS     the unit cannot be used here
 * MMSCAN_ENOMEM    no memory for a BLAS, or for A
 */
mmscan_status mmscan_product(const mmscan_product_desc *desc, const void *x, void *w);

typedef enum mmscan_routine_state {
  MMSCAN_ROUTINE_USED = 1, /* passed its test */
  MMSCAN_ROUTINE_ABSENT,   /* the library does not have it */
  MMSCAN_ROUTINE_FAILED,   /* gave wrong results */
  MMSCAN_ROUTINE_OFF       /* not tried: it has crashed in some versions and is not known to be good in this one */
} mmscan_routine_state;

/* A routine of a library. Strings are static. */
typedef struct mmscan_routine {
  size_t struct_size;       /* sizeof(mmscan_routine), set by the caller */
  const char *name;         /* "sgemm_batch" */
  mmscan_type type;         /* of W, and except with MMSCAN_PRODUCT_BF16 of A and X */
  mmscan_product_form form; /* MMSCAN_PRODUCT_GEMM stands for MMSCAN_PRODUCT_CHUNKED too */
  mmscan_routine_state state;
  const char *remark; /* a line about the state */
} mmscan_routine;

/* Routine `index` of a unit, tested now if it was not before. MMSCAN_EINVAL: index is past the last (a unit that is not
 * a library has none); there is no such unit, or its library is not here; routine is NULL or has a wrong struct_size.
 * MMSCAN_ENOMEM: no memory for a BLAS, so nothing is tested. */
mmscan_status mmscan_get_routine(const char *unit, size_t index, mmscan_routine *routine);

/* Tests a routine that is off; if it passes it is used from then on, and mmscan_wisdom_write() records that. The
 * library may crash: try it first in a process that can be spared, as `mmscan tune` does.
 *
 * MMSCAN_EINVAL   no such unit or routine, or the library of the unit is not here
 * MMSCAN_ENOTSUP  the library does not have the routine
 * MMSCAN_EBLAS    it failed its test, now or before
 * MMSCAN_ENOMEM   no memory for a BLAS, so the routine was not tried; or none to record that it passed: it is used all
 *                 the same
 */
mmscan_status mmscan_routine_try(const char *unit, const char *routine);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* MMSCAN_PAPER_H */
