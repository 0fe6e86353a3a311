/* sweep.c: gather, multiply, scatter. */
#include "paper/sweep.h"

#include <string.h>

/* A level, or a broadcast: which entries of x it takes. */
typedef struct level {
  mmscan_phase phase;
  size_t t;             /* of Algorithm 1 */
  size_t start, stride; /* x[start], x[start + stride], ... */
  size_t m;             /* number of entries */
  size_t data;          /* how many of them are data: the first ones */
  size_t total;         /* number of entries once padded */
} level;

/* ---- Moving elements ------------------------------------------------------------------------------------------ */

static void copy_steps(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t m, size_t size) {
  for (size_t i = 0; i < m; i++, to += to_step, from += from_step) memcpy(to, from, size);
}

/* to[i * to_stride] = from[i * from_stride] for i in [0, m), strides in elements; the two share no memory. The usual
 * element sizes have loops of their own, in which each copy is a single move. */
static void copy_strided(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t m,
                         size_t size) {
  ptrdiff_t step = (ptrdiff_t)size;
  if (to_stride == 1 && from_stride == 1)
    memcpy(to, from, m * size);
  else if (size == 4)
    copy_steps(to, 4 * to_stride, from, 4 * from_stride, m, 4);
  else if (size == 8)
    copy_steps(to, 8 * to_stride, from, 8 * from_stride, m, 8);
  else
    copy_steps(to, step * to_stride, from, step * from_stride, m, size);
}

static void gather(const mms_sweep *w, void *to, const void *from, size_t stride, size_t m) {
  copy_strided(to, 1, from, (ptrdiff_t)stride, m, w->size);
  w->counts->gathered += m;
}

static void scatter(const mms_sweep *w, void *to, const void *from, size_t stride, size_t m) {
  copy_strided(to, (ptrdiff_t)stride, from, 1, m, w->size);
  w->counts->scattered += m;
}

void mms_sweep_fill(const mms_sweep *w, void *to, size_t m) {
  if (w->monoid)
    copy_strided(to, 1, w->monoid->identity, 0, m, w->size);
  else
    memset(to, 0, m * w->size);
}

/* ---- Trace events --------------------------------------------------------------------------------------------- */

void mms_trace_tell(const mms_trace *t, size_t from, mmscan_event event) {
  event.struct_size = sizeof event;
  event.step = t->step;
  event.segment = t->segment;
  event.depth += t->depth;
  event.positions = t->positions;
  event.in = t->work + from;
  event.out = t->work + t->half + from;
  t->call(t->context, &event);
}

/* Row 0 of L_s and of B_s leaves an element as it is, so the trace shows no store. */
static void place(const mms_sweep *w, size_t i, size_t position) {
  mms_trace_place(&w->trace, i, position, i % w->s ? position : MMSCAN_NO_ELEMENT);
}

static void place_level(const mms_sweep *w, const level *v) {
  if (!w->trace.call) return;
  for (size_t i = 0; i < v->total; i++)
    place(w, i, i < v->data ? w->trace.first + v->start + i * v->stride : MMSCAN_NO_ELEMENT);
}

/* Columns of s - 1 elements under the carry. */
static void place_broadcast(const mms_sweep *w, const level *v, size_t carry) {
  if (!w->trace.call) return;
  for (size_t i = 0; i < v->total; i++) {
    size_t row = i % w->s, position = row ? w->trace.first + i / w->s * (w->s - 1) + row - 1 : carry;
    place(w, i, i < v->data ? position : MMSCAN_NO_ELEMENT);
  }
}

/* Tells the trace of one product, of the entries from `from` on. */
static void tell(const mms_sweep *w, const level *v, mmscan_matrix matrix, size_t from, size_t columns) {
  if (!w->trace.call) return;
  mms_trace_tell(&w->trace, from,
                 (mmscan_event){.phase = v->phase,
                                .level = v->t,
                                .depth = w->counts->depth + 1,
                                .matrix = matrix,
                                .is_product = 1,
                                .s = w->s,
                                .columns = columns});
}

/* ---- One level: BatchMatMul ----------------------------------------------------------------------------------- */

/* The size of m elements as a matrix of s rows: padded to whole columns when stacked, to whole squares when batched. */
static size_t padded(size_t s, mmscan_form form, size_t m) {
  size_t unit = form == MMSCAN_BATCHED ? s * s : s;
  return (m + unit - 1) / unit * unit;
}

/* A broadcast of n elements has ceil(n / (s-1)) columns. */
size_t mms_sweep_padded(size_t s, mmscan_form form, size_t n) {
  size_t broadcast = (n + s - 2) / (s - 1) * s;
  return padded(s, form, broadcast > n ? broadcast : n);
}

/* The form in which the unit multiplies squares: its batched call, if it has one. */
static mmscan_product_form form_of_squares(const mms_sweep *w) {
  static const mmscan_product_form forms[] = {MMSCAN_PRODUCT_BATCH_STRIDED, MMSCAN_PRODUCT_BATCH};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (mms_unit_has(w->unit, w->type, forms[i])) return forms[i];
  return MMSCAN_PRODUCT_CHUNKED;
}

/* Counts the products of a level, the last square whole even if narrower, and their additions if the unit does not. */
static void count(const mms_sweep *w, const level *v, mmscan_matrix matrix) {
  const uint64_t columns = v->total / w->s, squares = (columns + w->s - 1) / w->s;
  w->counts->multiplications += squares;
  w->counts->gemms += w->form == MMSCAN_BATCHED ? squares : 1;
  if (w->unit->counts) return;
  const uint64_t whole = mms_sweep_additions(matrix, w->s);
  w->counts->additions += columns * whole;
  w->counts->additions_unpadded += v->data / w->s * whole + mms_sweep_additions(matrix, v->data % w->s);
}

/* z = A y for a padded level: one GEMM, or one GEMM per square, or one batch of squares. */
static void batch_matmul(const mms_sweep *w, const level *v, const char *y, char *z) {
  mmscan_matrix matrix = v->phase == MMSCAN_UP_SWEEP ? MMSCAN_MATRIX_L : MMSCAN_MATRIX_B;
  mmscan_product_form form = w->form == MMSCAN_BATCHED ? form_of_squares(w) : MMSCAN_PRODUCT_CHUNKED;
  bool is_loop = w->form == MMSCAN_BATCHED && form == MMSCAN_PRODUCT_CHUNKED;
  size_t step = is_loop ? w->s * w->s : v->total;
  for (size_t from = 0; from < v->total; from += step) {
    size_t data = v->data > from ? v->data - from : 0;
    mms_unit_multiply(w->unit, &(mms_product){.type = w->type,
                                              .form = form,
                                              .monoid = w->monoid,
                                              .s = w->s,
                                              .columns = step / w->s,
                                              .a = matrix == MMSCAN_MATRIX_L ? w->l : w->b,
                                              .x = y + from * w->size,
                                              .w = z + from * w->size,
                                              .elements = data < step ? data : step,
                                              .counts = w->counts});
    tell(w, v, matrix, from, step / w->s);
  }
  count(w, v, matrix);
}

/* Elements of x[start::stride] when x has n. */
static size_t strided_length(size_t n, size_t start, size_t stride) {
  return n > start ? (n - start - 1) / stride + 1 : 0;
}

/* x[start::stride], of an x of n elements, becomes A times itself. */
static void sweep_level(const mms_sweep *w, char *x, size_t n, level v) {
  v.m = strided_length(n, v.start, v.stride);
  v.data = strided_length(n - w->padding, v.start, v.stride);
  v.total = padded(w->s, w->form, v.m);
  if (v.m == 0) return;
  char *y = w->work, *z = y + v.total * w->size, *from = x + v.start * w->size;
  place_level(w, &v);
  gather(w, y, from, v.stride, v.m);
  mms_sweep_fill(w, y + v.m * w->size, v.total - v.m);
  batch_matmul(w, &v, y, z);
  scatter(w, from, z, v.stride, v.m);
  w->counts->depth++;
}

/* ---- Algorithm 1 ---------------------------------------------------------------------------------------------- */

unsigned mms_sweep_levels(size_t s, size_t n) {
  unsigned k = 0;
  for (size_t left = n; left > 1; left = left / s + (left % s != 0)) k++;
  return k;
}

void mms_sweep_up(const mms_sweep *w, void *x, size_t n, unsigned k) {
  size_t power = 1;
  for (unsigned t = 0; t < k; t++, power *= w->s)
    sweep_level(w, x, n, (level){.phase = MMSCAN_UP_SWEEP, .t = t, .start = power - 1, .stride = power});
}

void mms_sweep_down(const mms_sweep *w, void *x, size_t n, unsigned k) {
  size_t power = 1;
  for (unsigned t = 1; t < k; t++) power *= w->s;
  for (unsigned t = k; t-- > 1; power /= w->s)
    sweep_level(w, x, n, (level){.phase = MMSCAN_DOWN_SWEEP, .t = t, .start = power - 1, .stride = power / w->s});
}

void mms_sweep_scan(const mms_sweep *w, void *x, size_t n) {
  unsigned k = mms_sweep_levels(w->s, n);
  mms_sweep_up(w, x, n, k);
  mms_sweep_down(w, x, n, k);
}

/* ---- Algorithm 2 ---------------------------------------------------------------------------------------------- */

/* z, every stride-th element of x, holds local prefix sums of groups of s, t levels up; the last of each group is one
 * element of the same problem, s times smaller. */
static void recurse(const mms_sweep *w, char *x, size_t n, size_t stride, unsigned t) {
  size_t start = stride - 1, last = w->s * stride - 1;
  if (strided_length(n, start, stride) <= w->s) return;
  sweep_level(w, x, n, (level){.phase = MMSCAN_UP_SWEEP, .t = t, .start = last, .stride = w->s * stride});
  recurse(w, x, n, w->s * stride, t + 1);
  sweep_level(w, x, n, (level){.phase = MMSCAN_DOWN_SWEEP, .t = t, .start = last, .stride = stride});
}

void mms_sweep_scan_recursive(const mms_sweep *w, void *x, size_t n) {
  if (n <= 1) return;
  sweep_level(w, x, n, (level){.phase = MMSCAN_UP_SWEEP, .stride = 1});
  recurse(w, x, n, 1, 1);
}

/* ---- Step 4 of Section 3.2 ------------------------------------------------------------------------------------ */

/* Moves m elements of x into a matrix whose columns have s - 1 elements under a row 0 that is left alone, or back. */
static void move_columns(const mms_sweep *w, char *matrix, char *x, size_t m, bool back) {
  const size_t size = w->size, rows = w->s - 1;
  for (size_t at = 0; at < m; at += rows, matrix += w->s * size, x += rows * size)
    memcpy(back ? x : matrix + size, back ? matrix + size : x, (m - at < rows ? m - at : rows) * size);
}

void mms_sweep_broadcast(const mms_sweep *w, void *x, size_t n, const void *carry, size_t position) {
  size_t columns = (n + w->s - 2) / (w->s - 1);
  level v = {.phase = MMSCAN_BROADCAST, .data = n + columns, .total = padded(w->s, w->form, columns * w->s)};
  char *y = w->work, *z = y + v.total * w->size;
  place_broadcast(w, &v, position);
  mms_sweep_fill(w, y, v.total);
  copy_strided(y, (ptrdiff_t)w->s, carry, 0, columns, w->size);
  move_columns(w, y, x, n, false);
  batch_matmul(w, &v, y, z);
  move_columns(w, z, x, n, true);
  w->counts->depth++;
  w->counts->gathered += n;
  w->counts->scattered += n;
}
