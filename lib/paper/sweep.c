/* sweep.c: gather, multiply, scatter. */
#include "paper/sweep.h"

#include "types.h"
#include <string.h>

/* ---- Moving elements ------------------------------------------------------------------------------------------ */

static void copy_steps(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t m, size_t size) {
  for (size_t i = 0; i < m; i++, to += to_step, from += from_step) memcpy(to, from, size);
}

/* to[i * to_stride] = from[i * from_stride] for i in [0, m). Elements are of 4 or 8 bytes, strides in elements; the two
 * share no memory. The moves are the same for every type of that size. */
static void copy_strided(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, size_t m,
                         size_t size) {
  if (to_stride == 1 && from_stride == 1)
    memcpy(to, from, m * size);
  else if (size == 4)
    copy_steps(to, 4 * to_stride, from, 4 * from_stride, m, 4);
  else
    copy_steps(to, 8 * to_stride, from, 8 * from_stride, m, 8);
}

static void gather(const mms_sweep *w, void *to, const void *from, size_t stride, size_t m) {
  copy_strided(to, 1, from, (ptrdiff_t)stride, m, mms_type_size(w->type));
  if (w->counts) w->counts->gathered += m;
}

static void scatter(const mms_sweep *w, void *to, const void *from, size_t stride, size_t m) {
  copy_strided(to, (ptrdiff_t)stride, from, 1, m, mms_type_size(w->type));
  if (w->counts) w->counts->scattered += m;
}

/* ---- One level: BatchMatMul ----------------------------------------------------------------------------------- */

/* Elements of m as a matrix of s rows: padded to whole columns when stacked, to whole squares when batched. */
static size_t padded(size_t s, mmscan_form form, size_t m) {
  size_t unit = form == MMSCAN_BATCHED ? s * s : s;
  return (m + unit - 1) / unit * unit;
}

/* Two dense vectors, y and z, of the longest padded level. A broadcast of n elements has ceil(n / (s-1)) columns. */
size_t mms_sweep_room(mmscan_type type, size_t s, mmscan_form form, size_t n) {
  size_t broadcast = (n + s - 2) / (s - 1) * s;
  return 2 * padded(s, form, broadcast > n ? broadcast : n) * mms_type_size(type);
}

/* How squares are asked of the unit: by its batched call, where it has one. */
static mmscan_product_form form_of_squares(const mms_sweep *w) {
  static const mmscan_product_form forms[] = {MMSCAN_PRODUCT_BATCH_STRIDED, MMSCAN_PRODUCT_BATCH};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (mms_unit_has(w->unit, w->type, forms[i])) return forms[i];
  return MMSCAN_PRODUCT_CHUNKED;
}

/* z = A y for `total` padded elements of which m are data: one GEMM, or one a square, or one batch of squares. */
static void batch_matmul(const mms_sweep *w, const void *a, const char *y, char *z, size_t m, size_t total) {
  mmscan_product_form form = w->form == MMSCAN_BATCHED ? form_of_squares(w) : MMSCAN_PRODUCT_CHUNKED;
  bool is_loop = w->form == MMSCAN_BATCHED && form == MMSCAN_PRODUCT_CHUNKED;
  size_t size = mms_type_size(w->type), step = is_loop ? w->s * w->s : total;
  for (size_t from = 0; from < total; from += step) {
    size_t data = m > from ? m - from : 0;
    mms_unit_multiply(w->unit, &(mms_product){.type = w->type,
                                              .form = form,
                                              .s = w->s,
                                              .columns = step / w->s,
                                              .a = a,
                                              .x = y + from * size,
                                              .w = z + from * size,
                                              .elements = data < step ? data : step,
                                              .counts = w->counts});
  }
}

/* x[0], x[stride], ... (m of them) become A times themselves. */
static void level(const mms_sweep *w, const void *a, char *x, size_t stride, size_t m) {
  size_t size = mms_type_size(w->type), total = padded(w->s, w->form, m);
  char *y = w->room, *z = y + total * size;
  gather(w, y, x, stride, m);
  memset(y + m * size, 0, (total - m) * size);
  batch_matmul(w, a, y, z, m, total);
  scatter(w, x, z, stride, m);
  if (w->counts) w->counts->depth++;
}

/* Elements of x[start::stride] when x has n. */
static size_t strided_length(size_t n, size_t start, size_t stride) {
  return n > start ? (n - start - 1) / stride + 1 : 0;
}

static void level_at(const mms_sweep *w, const void *a, char *x, size_t n, size_t start, size_t stride) {
  size_t m = strided_length(n, start, stride);
  if (m) level(w, a, x + start * mms_type_size(w->type), stride, m);
}

/* ---- Algorithm 1 ---------------------------------------------------------------------------------------------- */

unsigned mms_sweep_levels(size_t s, size_t n) {
  unsigned k = 0;
  for (size_t left = n; left > 1; left = left / s + (left % s != 0)) k++;
  return k;
}

void mms_sweep_up(const mms_sweep *w, void *x, size_t n, unsigned k) {
  size_t power = 1;
  for (unsigned t = 0; t < k; t++, power *= w->s) level_at(w, w->l, x, n, power - 1, power);
}

void mms_sweep_down(const mms_sweep *w, void *x, size_t n, unsigned k) {
  size_t power = 1;
  for (unsigned t = 1; t < k; t++) power *= w->s;
  for (unsigned t = k; t-- > 1; power /= w->s) level_at(w, w->b, x, n, power - 1, power / w->s);
}

void mms_sweep_scan(const mms_sweep *w, void *x, size_t n) {
  unsigned k = mms_sweep_levels(w->s, n);
  mms_sweep_up(w, x, n, k);
  mms_sweep_down(w, x, n, k);
}

/* ---- Algorithm 2 ---------------------------------------------------------------------------------------------- */

/* z[0], z[stride], ... (n of them) holds local prefix sums of groups of s; the last of each group is one element of the
 * same problem, s times smaller. */
static void recurse(const mms_sweep *w, char *z, size_t stride, size_t n) {
  if (n <= w->s) return;
  char *last = z + (w->s - 1) * stride * mms_type_size(w->type);
  size_t groups = strided_length(n, w->s - 1, w->s);
  level(w, w->l, last, stride * w->s, groups);
  recurse(w, last, stride * w->s, groups);
  level(w, w->b, last, stride, n - (w->s - 1));
}

void mms_sweep_scan_recursive(const mms_sweep *w, void *x, size_t n) {
  if (n <= 1) return;
  level(w, w->l, x, 1, n);
  recurse(w, x, 1, n);
}

/* ---- Step 4 of Section 3.2 ------------------------------------------------------------------------------------ */

/* Moves m elements between x and a matrix whose columns are a row 0, left alone, and s - 1 elements. */
static void move_columns(const mms_sweep *w, char *matrix, char *x, size_t m, bool into) {
  size_t size = mms_type_size(w->type), rows = w->s - 1;
  for (size_t at = 0; at < m; at += rows, matrix += w->s * size) {
    size_t bytes = (m - at < rows ? m - at : rows) * size;
    char *column = matrix + size, *piece = x + at * size;
    memcpy(into ? column : piece, into ? piece : column, bytes);
  }
}

void mms_sweep_broadcast(const mms_sweep *w, void *x, size_t n, const void *carry) {
  size_t size = mms_type_size(w->type), columns = (n + w->s - 2) / (w->s - 1);
  size_t total = padded(w->s, w->form, columns * w->s);
  char *y = w->room, *z = y + total * size;
  memset(y, 0, total * size);
  copy_strided(y, (ptrdiff_t)w->s, carry, 0, columns, size);
  move_columns(w, y, x, n, true);
  batch_matmul(w, w->b, y, z, n + columns, total);
  move_columns(w, z, x, n, false);
  if (!w->counts) return;
  w->counts->depth++;
  w->counts->gathered += n;
  w->counts->scattered += n;
}
