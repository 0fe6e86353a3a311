/* filter_scan.c: the plain loop of filters, one signal in pieces, and many gathered side by side. */
#include "engine/filter_scan.h"

#include <stdalign.h>
#include <string.h>

/* ---- The plain loop ------------------------------------------------------------------------------------------- */

/* Where there is an A, both have coefficients for every state, if only zeros, as they have in SciPy: the product with a
 * sample that is not finite is NaN. */
void mms_filter_plainly(const mms_filter_taps *c, size_t m, const double *x, double *y, double *z) {
  const int outputs = c->order > 0 ? c->states : 0;
  for (size_t i = 0; i < m; i++) {
    const double in = x[i], out = c->states > 0 ? z[0] + c->b[0] * in : c->b[0] * in;
    for (int k = 1; k <= c->states; k++) z[k - 1] = (k < c->states ? z[k] : 0) + c->b[k] * in;
    for (int k = 1; k <= outputs; k++) z[k - 1] -= c->a[k] * out;
    y[i] = out;
  }
}

bool mms_filter_find_state(const mms_filter_taps *c, size_t m, const double *x, const double *y, double *z) {
  const ptrdiff_t end = (ptrdiff_t)m;
  double after[MMS_FILTER_MOST] = {0}, off = 0;
  for (ptrdiff_t i = 0; i < c->states; i++) {
    for (ptrdiff_t k = c->states; k > i; k--) after[i] += c->b[k] * x[end + i - k] - c->a[k] * y[end + i - k];
    off += after[i] * 0;
  }
  if (off == 0) memcpy(z, after, (size_t)c->states * sizeof *z);
  return off == 0;
}

/* ---- One signal ----------------------------------------------------------------------------------------------- */

static const mms_ahead nowhere;

static char *state_of(const mms_filter *f, size_t scan) {
  return f->state + scan * (size_t)f->taps.states * f->storage->x_size;
}

/* While m samples are filtered, the next ones are read, and lines for the results. */
static mms_filter_ahead ahead_of(const char *x, const char *y, size_t m, size_t size) {
  return (mms_filter_ahead){.read = (uintptr_t)x + m * size, .written = (uintptr_t)y, .size = size};
}

void mms_filter_pieces(const mms_job *job, void *work, const mms_tile *t, size_t most, double *x, double *y,
                       mms_filter_piece *piece) {
  const mms_filter *f = mms_filter_of(job);
  const mms_storage *s = f->storage;
  const size_t states = (size_t)f->taps.states;
  const ptrdiff_t x_stride = job->reverse ? -t->x_stride : t->x_stride;
  const ptrdiff_t y_stride = job->reverse ? -t->y_stride : t->y_stride;
  const ptrdiff_t first = job->reverse ? (ptrdiff_t)t->m - 1 : 0;
  const char *from = (const char *)t->x + first * t->x_stride * (ptrdiff_t)s->x_size;
  char *to = (char *)t->y + first * t->y_stride * (ptrdiff_t)s->y_size;
  const bool are_neighbours = job->prefetches && x_stride == 1 && y_stride == 1;
  double z[MMS_FILTER_MOST] = {0};
  if (f->state && states > 0) mms_pack(s, states, state_of(f, t->scan), 1, z, nowhere);
  for (size_t left = t->m, m; left > 0; left -= m) {
    m = left < most ? left : most;
    mms_pack(s, m, from, x_stride, x, nowhere);
    piece(job, work, m, x, y, z, are_neighbours ? ahead_of(from, to, m, s->x_size) : (mms_filter_ahead){0});
    mms_unpack(s, m, y, to, y_stride, nowhere);
    from += (ptrdiff_t)m * x_stride * (ptrdiff_t)s->x_size;
    to += (ptrdiff_t)m * y_stride * (ptrdiff_t)s->y_size;
  }
  if (f->state && states > 0) mms_unpack(s, states, z, state_of(f, t->scan), 1, nowhere);
}

void mms_filter_one_by_one(const mms_job *job, void *work, const mms_batch *r, size_t from, size_t count) {
  const ptrdiff_t size = (ptrdiff_t)mms_filter_of(job)->storage->x_size;
  for (size_t j = from; j < from + count; j++) {
    const mms_tile t = {.m = r->n,
                        .x = (const char *)r->x + (ptrdiff_t)j * r->x_dist * size,
                        .y = (char *)r->y + (ptrdiff_t)j * r->y_dist * size,
                        .x_stride = r->x_stride,
                        .y_stride = r->y_stride,
                        .scan = r->scan + j,
                        .is_last = true};
    mms_filter_of(job)->own.by_tiles->at_once(job, work, &t, NULL);
  }
}

/* ---- Signals side by side ------------------------------------------------------------------------------------- */

/* ROWS: that are prefetched ahead. LINE: samples of one signal that are gathered at a time. */
enum { ROWS = 8, LINE = 32 };

mms_filter_group mms_filter_group_of(const mms_job *job, const mms_batch *r, size_t from, size_t count) {
  const mms_filter *f = mms_filter_of(job);
  const ptrdiff_t first = job->reverse ? (ptrdiff_t)r->n - 1 : 0, sign = job->reverse ? -1 : 1, j = (ptrdiff_t)from;
  return (mms_filter_group){.filter = f,
                            .n = r->n,
                            .scan = r->scan + from,
                            .count = count,
                            .x = (const char *)r->x +
                                 (first * r->x_stride + j * r->x_dist) * (ptrdiff_t)f->storage->x_size,
                            .y = (char *)r->y + (first * r->y_stride + j * r->y_dist) * (ptrdiff_t)f->storage->y_size,
                            .x_stride = sign * r->x_stride,
                            .y_stride = sign * r->y_stride,
                            .x_dist = r->x_dist,
                            .y_dist = r->y_dist,
                            .prefetches = r->prefetches,
                            .width = (count + MMS_FILTER_LANES - 1) / MMS_FILTER_LANES * MMS_FILTER_LANES};
}

static const char *x_of(const mms_filter_group *g, size_t signal, size_t at) {
  return g->x + ((ptrdiff_t)signal * g->x_dist + (ptrdiff_t)at * g->x_stride) * (ptrdiff_t)g->filter->storage->x_size;
}

static char *y_of(const mms_filter_group *g, size_t signal, size_t at) {
  return g->y + ((ptrdiff_t)signal * g->y_dist + (ptrdiff_t)at * g->y_stride) * (ptrdiff_t)g->filter->storage->y_size;
}

/* Hardware does not see what follows in so many places: samples, the lines of which need not exist, where those of one
 * signal, or of one row, are neighbours. */
static void prefetch(const mms_filter_group *g, uintptr_t at, size_t count, const bool writes) {
  const size_t size = g->filter->storage->x_size;
  for (uintptr_t line = at & -(uintptr_t)MMS_KERNEL_LINE; g->prefetches && line < at + count * size;
       line += MMS_KERNEL_LINE)
    if (writes)
      __builtin_prefetch((const void *)line, 1);
    else
      __builtin_prefetch((const void *)line);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Rows of so many samples, of MMS_FILTER_LANES signals, that are doubles and go from or to where they are. */
static bool is_square(const mms_filter_group *g, ptrdiff_t stride, size_t rows, size_t count) {
  const bool are_doubles = g->filter->storage->x_size == sizeof(double);
  return are_doubles && stride == 1 && rows % MMS_FILTER_LANES == 0 && count == MMS_FILTER_LANES;
}

/* Of MMS_FILTER_LANES signals, or less, from `first` on. */
static void gather_rows(const mms_filter_group *g, size_t first, size_t at, size_t m, double *x) {
  alignas(MMS_KERNEL_LINE) double lines[MMS_FILTER_LANES * LINE];
  const size_t count = least(g->count - first, MMS_FILTER_LANES);
  const bool is_direct = is_square(g, g->x_stride, m, count);
  if (!is_direct) memset(lines, 0, sizeof lines);
  for (size_t k = 0; k < count; k++) {
    const char *from = x_of(g, first + k, at);
    if (!is_direct) mms_pack(g->filter->storage, m, from, g->x_stride, lines + k * LINE, nowhere);
    if (g->x_stride == 1) prefetch(g, (uintptr_t)from + m * g->filter->storage->x_size, m, false);
    if (g->y_stride == 1) prefetch(g, (uintptr_t)y_of(g, first + k, at), m, true);
  }
  if (is_direct)
    g->filter->loops->transpose(count, m, (const double *)(const void *)x_of(g, first, at), g->x_dist, x, g->width);
  else
    g->filter->loops->transpose(MMS_FILTER_LANES, m, lines, LINE, x, g->width);
}

static void scatter_rows(const mms_filter_group *g, size_t first, size_t at, size_t m, const double *y) {
  alignas(MMS_KERNEL_LINE) double lines[MMS_FILTER_LANES * LINE];
  const size_t count = least(g->count - first, MMS_FILTER_LANES);
  if (is_square(g, g->y_stride, m, count)) {
    g->filter->loops->transpose(m, count, y, g->width, (double *)(void *)y_of(g, first, at), g->y_dist);
    return;
  }
  g->filter->loops->transpose(m, MMS_FILTER_LANES, y, g->width, lines, LINE);
  for (size_t k = 0; k < count; k++)
    mms_unpack(g->filter->storage, m, lines + k * LINE, y_of(g, first + k, at), g->y_stride, nowhere);
}

void mms_filter_gather(const mms_filter_group *g, size_t at, size_t m, double *x) {
  const mms_storage *s = g->filter->storage;
  const uintptr_t ahead = ROWS * (uintptr_t)g->x_stride * s->x_size;
  for (size_t i = 0; g->x_dist == 1 && i < m; i++) {
    prefetch(g, (uintptr_t)x_of(g, 0, at + i) + ahead, g->count, false);
    mms_pack(s, g->count, x_of(g, 0, at + i), 1, x + i * g->width, nowhere);
  }
  for (size_t i = 0; g->x_dist != 1 && i < m; i += LINE)
    for (size_t j = 0; j < g->count; j += MMS_FILTER_LANES)
      gather_rows(g, j, at + i, least(m - i, LINE), x + i * g->width + j);
}

void mms_filter_scatter(const mms_filter_group *g, size_t at, size_t m, const double *y) {
  const mms_storage *s = g->filter->storage;
  for (size_t i = 0; g->y_dist == 1 && i < m; i++)
    mms_unpack(s, g->count, y + i * g->width, y_of(g, 0, at + i), 1, nowhere);
  for (size_t i = 0; g->y_dist != 1 && i < m; i += LINE)
    for (size_t j = 0; j < g->count; j += MMS_FILTER_LANES)
      scatter_rows(g, j, at + i, least(m - i, LINE), y + i * g->width + j);
}

void mms_filter_take_states(const mms_filter_group *g, double *z) {
  const size_t states = (size_t)g->filter->taps.states, size = g->filter->storage->x_size;
  memset(z, 0, states * g->width * sizeof *z);
  for (size_t k = 0; g->filter->state && k < states; k++)
    mms_pack(g->filter->storage, g->count, state_of(g->filter, g->scan) + k * size, (ptrdiff_t)states, z + k * g->width,
             nowhere);
}

void mms_filter_put_states(const mms_filter_group *g, const double *z) {
  const size_t states = (size_t)g->filter->taps.states, size = g->filter->storage->x_size;
  for (size_t k = 0; g->filter->state && k < states; k++)
    mms_unpack(g->filter->storage, g->count, z + k * g->width, state_of(g->filter, g->scan) + k * size,
               (ptrdiff_t)states, nowhere);
}
