/* filter_cell.c: the loops of filters with one instruction set. The Makefile compiles it once for each line of
 * filters.def, with ISA as that line has it, and lets the compiler fuse multiplications and additions. */
#include "engine/filter_matrix.h"

#include "kernel/cell.h"

/* Whether the compiler has the instructions of a cell, and the bytes of its vectors. */
#if defined(__AVX512F__) && defined(__FMA__)
#define BUILT_avx512  true
#define VECTOR_avx512 64
#else
#define BUILT_avx512  false
#define VECTOR_avx512 16
#endif
#if defined(__AVX2__) && defined(__FMA__)
#define BUILT_avx2  true
#define VECTOR_avx2 32
#else
#define BUILT_avx2  false
#define VECTOR_avx2 16
#endif
#define BUILT_portable  true
#define VECTOR_portable 16
#define VECTOR          PASTED(VECTOR, ISA)

typedef double vec __attribute__((vector_size(VECTOR), may_alias));
typedef int64_t picks __attribute__((vector_size(VECTOR)));

/* Before the loop over samples, whose sums then change places without being moved. */
#ifdef __clang__
#define TURNS _Pragma("clang loop unroll_count(4)")
#else
#define TURNS _Pragma("GCC unroll 4")
#endif

enum { LANES = VECTOR / sizeof(double), BLOCKS = 4 };
_Static_assert(MMS_FILTER_GROUP % (BLOCKS * LANES) == 0, "");

static const double zeros[BLOCKS * LANES];

static INLINE vec column_of(const double *matrix, size_t k) { return *(const vec *)(matrix + k * LANES); }

/* Prefetches what is ahead of the BLOCKS blocks from i on. */
static INLINE void prefetch(mms_filter_ahead ahead, size_t i) {
  for (uintptr_t at = i * ahead.size; at < (i + BLOCKS * LANES) * ahead.size; at += MMS_KERNEL_LINE) {
    __builtin_prefetch((const void *)(ahead.read + at));
    __builtin_prefetch((const void *)(ahead.written + at), 1);
  }
}

/* ---- Of x ----------------------------------------------------------------------------------------------------- */

/* The products of T and S with the x of BLOCKS blocks, and what they start from. */
static INLINE void multiply_x(const mms_filter_matrix *f, const double *start, const double *x, vec sum[BLOCKS]) {
  UNROLL
  for (int j = 0; j < BLOCKS; j++) memcpy(&sum[j], start + j * LANES, sizeof sum[j]);
  for (size_t k = 0; k < f->columns; k++) {
    const vec column = column_of(f->x, k);
    const double *at = x + LANES - 1 - (ptrdiff_t)k;
    UNROLL
    for (int j = 0; j < BLOCKS; j++) sum[j] += column * at[j * LANES];
  }
}

/* The products of the coefficients of B, one after the other, with the x of BLOCKS blocks, and what they start from. */
static INLINE void multiply_b(const mms_filter_matrix *f, const double *start, const double *x, vec sum[BLOCKS]) {
  UNROLL
  for (int j = 0; j < BLOCKS; j++) memcpy(&sum[j], start + j * LANES, sizeof sum[j]);
  for (int k = f->b_order; k >= 0; k--) {
    UNROLL
    for (int j = 0; j < BLOCKS; j++) {
      vec shifted;
      memcpy(&shifted, x + j * LANES - k, sizeof shifted);
      sum[j] += f->b[k] * shifted;
    }
  }
}

/* ---- Results -------------------------------------------------------------------------------------------------- */

static bool are_finite(size_t m, const double *y) {
  vec off = {0};
  double all = 0;
  for (size_t i = 0; i < m; i += LANES) off += *(const vec *)(y + i) * 0;
  for (int l = 0; l < LANES; l++) all += off[l];
  return all == 0;
}

/* ---- By blocks ------------------------------------------------------------------------------------------------ */

/* y[-1 - k] in all lanes, of which the last LANES are in `last`, too. */
static INLINE vec last_of(vec last, const double *y, int k) {
  if (k >= LANES) return y[-1 - k] - (vec){0};
#ifdef __clang__
  return last[LANES - 1 - k] - (vec){0};
#else
  return __builtin_shuffle(last, (picks){0} + (LANES - 1 - k));
#endif
}

/* The sum of a block and of the products of R with the last results, in so many chains that these are not long. */
static INLINE vec add_last(const mms_filter_matrix *f, vec sum, vec last, const double *y, const int order) {
  const int chains = order < 3 ? 1 : order < 6 ? 2 : 4;
  vec chain[4] = {sum};
  UNROLL
  for (int k = 1; k < chains; k++) chain[k] = column_of(f->y, k) * last_of(last, y, k);
  UNROLL
  for (int k = order - 1; k >= 0; k--)
    if (k == 0 || k >= chains) chain[k % chains] += column_of(f->y, k) * last_of(last, y, k);
  if (chains == 4) chain[0] += chain[1], chain[1] = chain[2] + chain[3];
  if (chains > 1) chain[0] += chain[1];
  return chain[0];
}

static INLINE bool by_blocks_of(const mms_filter_matrix *f, size_t m, const double *start, const double *x, double *y,
                                mms_filter_ahead ahead, const int order) {
  vec last = {0};
  for (size_t i = 0; i < m; i += BLOCKS * LANES) {
    vec sum[BLOCKS];
    prefetch(ahead, i);
    multiply_x(f, i < MMS_FILTER_GROUP ? start + i : zeros, x + i, sum);
    UNROLL
    for (int j = 0; j < BLOCKS; j++) {
      double *at = y + i + j * LANES;
      *(vec *)at = last = add_last(f, sum[j], last, at, order);
    }
  }
  return are_finite(m, y);
}

/* ---- In turn -------------------------------------------------------------------------------------------------- */

/* Twice the same: GCC moves scalars between registers by instructions that merge, which take as long as an addition. */
typedef double number __attribute__((vector_size(16)));

static INLINE number number_of(double x) { return (number){x, x}; }

/* left[k]: what the results before the last leave for the result that is k after the next. The last result is used as
 * late as can be, since each one waits for the one before it. */
static INLINE bool in_turn_of(const mms_filter_matrix *f, size_t m, const double *start, const double *x, double *y,
                              mms_filter_ahead ahead, const int order) {
  number a[MMS_FILTER_MOST] = {{0}}, left[MMS_FILTER_MOST] = {{0}}, last = {0};
  UNROLL
  for (int k = 1; k <= order; k++) a[k] = number_of(f->a[k]);
  for (size_t i = 0; i < m; i += BLOCKS * LANES) {
    vec sum[BLOCKS];
    prefetch(ahead, i);
    multiply_b(f, i < MMS_FILTER_GROUP ? start + i : zeros, x + i, sum);
    UNROLL
    for (int j = 0; j < BLOCKS; j++) *(vec *)(y + i + j * LANES) = sum[j];
    TURNS
    for (double *at = y + i; at < y + i + BLOCKS * LANES; at++) {
      const number result = number_of(*at) + left[0] - a[1] * last;
      UNROLL
      for (int k = 0; k < order - 1; k++) left[k] = left[k + 1] - a[k + 2] * last;
      *at = result[0];
      last = result;
    }
  }
  return are_finite(m, y);
}

/* ---- By order ------------------------------------------------------------------------------------------------- */

typedef bool loop_of(const mms_filter_matrix *f, size_t m, const double *start, const double *x, double *y,
                     mms_filter_ahead ahead, const int order);

/* A loop for each order, which is then a constant. */
static INLINE bool by_order(loop_of *loop, const mms_filter_matrix *f, size_t m, const double *start, const double *x,
                            double *y, mms_filter_ahead ahead) {
  switch (f->order) {
  case 0:
    return by_blocks_of(f, m, start, x, y, ahead, 0);
  case 1:
    return loop(f, m, start, x, y, ahead, 1);
  case 2:
    return loop(f, m, start, x, y, ahead, 2);
  case 3:
    return loop(f, m, start, x, y, ahead, 3);
  case 4:
    return loop(f, m, start, x, y, ahead, 4);
  case 5:
    return loop(f, m, start, x, y, ahead, 5);
  case 6:
    return loop(f, m, start, x, y, ahead, 6);
  case 7:
    return loop(f, m, start, x, y, ahead, 7);
  case 8:
    return loop(f, m, start, x, y, ahead, 8);
  case 9:
    return loop(f, m, start, x, y, ahead, 9);
  case 10:
    return loop(f, m, start, x, y, ahead, 10);
  case 11:
    return loop(f, m, start, x, y, ahead, 11);
  case 12:
    return loop(f, m, start, x, y, ahead, 12);
  case 13:
    return loop(f, m, start, x, y, ahead, 13);
  case 14:
    return loop(f, m, start, x, y, ahead, 14);
  default:
    return loop(f, m, start, x, y, ahead, MMS_FILTER_MOST - 1);
  }
}

static bool by_blocks(const mms_filter_matrix *f, size_t m, const double *start, const double *x, double *y,
                      mms_filter_ahead ahead) {
  return by_order(by_blocks_of, f, m, start, x, y, ahead);
}

static bool in_turn(const mms_filter_matrix *f, size_t m, const double *start, const double *x, double *y,
                    mms_filter_ahead ahead) {
  return by_order(in_turn_of, f, m, start, x, y, ahead);
}

/* ---- Side by side --------------------------------------------------------------------------------------------- */

/* Signals of so many vectors, whose chains of additions then overlap. */
static INLINE void vectors_of(const mms_filter_taps *c, size_t m, size_t width, double *x, double *z, const int states,
                              const int vectors) {
  vec state[MMS_FILTER_MOST][2] = {{{0}}};
  UNROLL
  for (int k = 0; k < states; k++)
    for (int v = 0; v < vectors; v++) state[k][v] = *(const vec *)(z + (size_t)k * width + v * LANES);
  for (size_t i = 0; i < m; i++, x += width) {
    UNROLL
    for (int v = 0; v < vectors; v++) {
      vec *at = (vec *)(x + v * LANES), in = *at, out = state[0][v] + c->b[0] * in;
      UNROLL
      for (int k = 1; k <= states; k++) state[k - 1][v] = state[k][v] + c->b[k] * in - c->a[k] * out;
      *at = out;
    }
  }
  UNROLL
  for (int k = 0; k < states; k++)
    for (int v = 0; v < vectors; v++) *(vec *)(z + (size_t)k * width + v * LANES) = state[k][v];
}

/* Where there is an A, both have coefficients for every state, if only zeros. */
static INLINE void sides_of(const mms_filter_taps *c, size_t m, size_t width, double *x, double *z, const int states) {
  size_t j = 0;
  for (; j + 2 * LANES <= width; j += 2 * LANES) vectors_of(c, m, width, x + j, z + j, states, 2);
  for (; j < width; j += LANES) vectors_of(c, m, width, x + j, z + j, states, 1);
}

static void without_a(const mms_filter_taps *c, size_t m, size_t width, double *x, double *z) {
  const size_t states = (size_t)c->states;
  for (size_t i = 0; i < m; i++, x += width)
    for (size_t j = 0; j < width; j += LANES) {
      const vec in = *(const vec *)(x + j), zero = {0};
      *(vec *)(x + j) = (states > 0 ? *(const vec *)(z + j) : zero) + c->b[0] * in;
      for (size_t k = 1; k <= states; k++)
        *(vec *)(z + (k - 1) * width + j) = (k < states ? *(const vec *)(z + k * width + j) : zero) + c->b[k] * in;
    }
}

static void side_by_side(const mms_filter_taps *c, size_t m, size_t width, double *x, double *z) {
  if (c->order == 0) {
    without_a(c, m, width, x, z);
    return;
  }
  switch (c->states) {
  case 1:
    sides_of(c, m, width, x, z, 1);
    break;
  case 2:
    sides_of(c, m, width, x, z, 2);
    break;
  case 3:
    sides_of(c, m, width, x, z, 3);
    break;
  case 4:
    sides_of(c, m, width, x, z, 4);
    break;
  case 5:
    sides_of(c, m, width, x, z, 5);
    break;
  case 6:
    sides_of(c, m, width, x, z, 6);
    break;
  case 7:
    sides_of(c, m, width, x, z, 7);
    break;
  case 8:
    sides_of(c, m, width, x, z, 8);
    break;
  case 9:
    sides_of(c, m, width, x, z, 9);
    break;
  case 10:
    sides_of(c, m, width, x, z, 10);
    break;
  case 11:
    sides_of(c, m, width, x, z, 11);
    break;
  case 12:
    sides_of(c, m, width, x, z, 12);
    break;
  case 13:
    sides_of(c, m, width, x, z, 13);
    break;
  case 14:
    sides_of(c, m, width, x, z, 14);
    break;
  default:
    sides_of(c, m, width, x, z, MMS_FILTER_MOST - 1);
  }
}

/* ---- Transposed ----------------------------------------------------------------------------------------------- */

/* The first halves of two vectors, number by number in turn, and the second halves. */
#if VECTOR == 64
#define FIRST  0, 8, 1, 9, 2, 10, 3, 11
#define SECOND 4, 12, 5, 13, 6, 14, 7, 15
#elif VECTOR == 32
#define FIRST  0, 4, 1, 5
#define SECOND 2, 6, 3, 7
#else
#define FIRST  0, 2
#define SECOND 1, 3
#endif
#ifdef __clang__
#define IN_TURN(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define IN_TURN(a, b, ...) __builtin_shuffle(a, b, (picks){__VA_ARGS__})
#endif

/* A square of LANES rows: the bits of a place are those of its row and of its column, and each turn moves one. */
static INLINE void transpose_square(const double *x, ptrdiff_t x_stride, double *y, ptrdiff_t y_stride) {
  vec row[LANES], next[LANES];
  UNROLL
  for (int i = 0; i < LANES; i++) memcpy(&row[i], x + i * x_stride, sizeof row[i]);
  UNROLL
  for (int turn = 1; turn < LANES; turn *= 2) {
    UNROLL
    for (int i = 0; i < LANES / 2; i++) {
      next[2 * i] = IN_TURN(row[i], row[i + LANES / 2], FIRST);
      next[2 * i + 1] = IN_TURN(row[i], row[i + LANES / 2], SECOND);
    }
    UNROLL
    for (int i = 0; i < LANES; i++) row[i] = next[i];
  }
  UNROLL
  for (int i = 0; i < LANES; i++) memcpy(y + i * y_stride, &row[i], sizeof row[i]);
}

static void transpose(size_t rows, size_t columns, const double *x, ptrdiff_t x_stride, double *y, ptrdiff_t y_stride) {
  for (ptrdiff_t i = 0; i < (ptrdiff_t)rows; i += LANES)
    for (ptrdiff_t j = 0; j < (ptrdiff_t)columns; j += LANES)
      transpose_square(x + i * x_stride + j, x_stride, y + j * y_stride + i, y_stride);
}

const mms_filter_loops PASTED(mms_filter_loops, ISA) = {.is_built = PASTED(BUILT, ISA),
                                                        .lanes = LANES,
                                                        .by_blocks = by_blocks,
                                                        .in_turn = in_turn,
                                                        .side_by_side = side_by_side,
                                                        .transpose = transpose};
