/* filter_matrix.h: filters as products of matrices: the matrices, and loops in vector registers that multiply by them.
 *
 * A filter is A(z) Y = B(z) X with a[0] = 1. It goes through x in blocks. With h, the impulse response of 1/A, and what
 * came before the block, L samples are
 *
 *   y[0 .. L-1] = H start + [T | S | R] [x[0 .. L-1], x[-1], x[-2], ..., y[-1], y[-2], ...]
 *
 * H and T are lower triangular Toeplitz matrices, of h and of the impulse response of B/A; S and R are what samples
 * before the block leave in it; start is the state, each number of which is added to the sums of one sample. A column
 * is multiplied by one number, in all lanes of a vector, and only those of R wait for the block before.
 *
 * Entries of R, which are rounded, grow with L where poles are close to each other and to the unit circle, and so do
 * rounding errors. Then a filter takes one sample after the other, and only the products with coefficients of B are of
 * many samples at once: H = I. */
#ifndef MMS_FILTER_MATRIX_H
#define MMS_FILTER_MATRIX_H

#include "kernel/isa.h"

enum {
  MMS_FILTER_MOST = 16,   /* coefficients */
  MMS_FILTER_LANES = 8,   /* at most */
  MMS_FILTER_BEFORE = 16, /* zeros in front of x and y */
  MMS_FILTER_GROUP = 32,  /* samples of which loops do a multiple */
};

/* Both have a[0] = 1, and zeros after the last coefficient. */
typedef struct mms_filter_taps {
  int b_order, order; /* of B and A */
  int states;         /* the larger one */
  double b[MMS_FILTER_MOST], a[MMS_FILTER_MOST];
} mms_filter_taps;

/* The impulse response of 1/A: n numbers. */
void mms_filter_respond(const mms_filter_taps *taps, size_t n, double *h);

/* Whether errors of blocks of so many samples are like those of the plain loop. */
bool mms_filter_has_blocks(const mms_filter_taps *taps, size_t length);

/* Entry (i, k) of a matrix of L rows is number k * L + i. */
typedef struct mms_filter_matrix {
  int order, b_order;         /* of A, which is the columns of R, and of B */
  size_t columns;             /* of T and S together; column k is of x[L - 1 - k] */
  double h[MMS_FILTER_LANES]; /* of H */
  double a[MMS_FILTER_MOST], b[MMS_FILTER_MOST];
  _Alignas(64) double x[(MMS_FILTER_LANES + MMS_FILTER_MOST) * MMS_FILTER_LANES];
  _Alignas(64) double y[MMS_FILTER_MOST * MMS_FILTER_LANES]; /* column k is of y[-1 - k] */
} mms_filter_matrix;

/* Fills it in, for so many lanes; if not by blocks, without T, S and R. */
void mms_filter_fill(mms_filter_matrix *matrix, const mms_filter_taps *taps, size_t lanes, bool by_blocks);

/* What is prefetched meanwhile, so many bytes for each number: where samples are read next, and where results go. */
typedef struct mms_filter_ahead {
  uintptr_t read, written;
  size_t size; /* 0: nothing */
} mms_filter_ahead;

/* Filters m numbers of x, a multiple of MMS_FILTER_GROUP, into y; they share no memory. start: H times the state, as
 * many as are in a group. Returns whether all results are finite. */
typedef bool mms_filter_loop(const mms_filter_matrix *, size_t m, const double *start, const double *x, double *y,
                             mms_filter_ahead ahead);

/* Filters m samples of each of `width` signals, a multiple of MMS_FILTER_LANES, by the plain loop. Sample i of signal j
 * is x[i * width + j], where its result goes, and state i is z[i * width + j]. */
typedef void mms_filter_sides(const mms_filter_taps *, size_t m, size_t width, double *x, double *z);

/* Transposes a matrix, into y[j * y_stride + i] from x[i * x_stride + j]. Rows and columns, of which all or some up to
 * a multiple of MMS_FILTER_LANES are written, have room for as many. */
typedef void mms_filter_transpose(size_t rows, size_t columns, const double *x, ptrdiff_t x_stride, double *y,
                                  ptrdiff_t y_stride);

/* Of one instruction set. */
typedef struct mms_filter_loops {
  bool is_built; /* the compiler has the instructions */
  size_t lanes;
  mms_filter_loop *by_blocks, *in_turn;
  mms_filter_sides *side_by_side;
  mms_filter_transpose *transpose;
} mms_filter_loops;

#define MMS_FILTER_CELL(isa) extern const mms_filter_loops mms_filter_loops_##isa;
#include "engine/filters.def"
#undef MMS_FILTER_CELL

/* Those of an instruction set, or of the next one that has some and runs here; there always are some. *origin: its
 * name; may be NULL. */
const mms_filter_loops *mms_filter_loops_of(const mms_isa *isa, const char **origin);

#endif
