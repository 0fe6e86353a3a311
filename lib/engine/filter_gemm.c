/* filter_gemm.c: filters by products of a unit.
 *
 * A zero times a sample that is not finite is NaN, and a sum may overflow that would not in the order of the plain
 * loop; so a block of which a result is not finite is filtered again, by the plain loop. */
#include "engine/filter_scan.h"

#include "base/arena.h"
#include "engine/toeplitz.h"
#include "unit/gate.h"
#include <string.h>

/* COLUMNS: of X, in one product. FEW: signals that are left and take less time one by one. */
enum { COLUMNS = MMS_FILTER_ROW, FEW = 4 };

_Static_assert((int)MMS_FILTER_BLOCK >= (int)MMS_FILTER_MOST, "a state is found in one block");

/* ROWS: of a block and of states, and up to a vector. */
enum { ROWS = MMS_FILTER_BLOCK + MMS_FILTER_MOST + MMS_FILTER_LANES };

/* What blocks of one length are multiplied by. */
typedef struct factor {
  size_t length, s;
  double *a;
} factor;

typedef struct workspace {
  double *t, *h;     /* h: of 1/A */
  factor whole, end; /* for signals side by side, and for their ends */
  double *x, *y;
} workspace;

static size_t lay_out(const mms_job *job, void *work, workspace *w) {
  const mms_filter *f = mms_filter_of(job);
  const size_t size = sizeof(double), states = (size_t)f->taps.states, left = f->n % job->s;
  mms_arena arena = {.block = work};
  w->t = mms_arena_take(&arena, job->s * job->s * size);
  w->h = mms_arena_take(&arena, job->s * size);
  w->whole = (factor){.length = job->s, .s = job->s + states};
  w->end = (factor){.length = left, .s = left + states};
  w->whole.a = mms_arena_take(&arena, w->whole.s * w->whole.s * size);
  w->end.a = mms_arena_take(&arena, w->end.s * w->end.s * size);
  w->x = mms_arena_take(&arena, ROWS * COLUMNS * size);
  w->y = mms_arena_take(&arena, ROWS * COLUMNS * size);
  return arena.used;
}

static size_t work_size(const mms_job *job) {
  workspace nowhere;
  return lay_out(job, NULL, &nowhere);
}

static void fill_toeplitz(const mms_job *job, const workspace *w) {
  const mms_filter_taps *c = &mms_filter_of(job)->taps;
  double response[MMS_FILTER_BLOCK] = {0};
  mms_filter_respond(c, job->s, w->h);
  for (size_t i = 0; i < job->s; i++)
    for (size_t k = 0; k <= (size_t)c->b_order && k <= i; k++) response[i] += w->h[i - k] * c->b[k];
  mms_toeplitz_make(MMSCAN_F64, job->s, response, false, w->t);
}

/* [T H; C M]: column k is what the plain loop makes of 1 in the place of a sample, or of a state: results, and the
 * state after. */
static void fill_factor(const mms_filter_taps *c, const factor *f) {
  double x[MMS_FILTER_BLOCK + MMS_FILTER_MOST] = {0};
  for (size_t k = 0; k < f->s; k++) {
    double *y = f->a + k * f->s, *z = y + f->length;
    memset(z, 0, (f->s - f->length) * sizeof *z);
    x[k] = 1;
    if (k >= f->length) z[k - f->length] = 1;
    mms_filter_plainly(c, f->length, x, y, z);
    x[k] = 0;
  }
}

static void begin(const mms_job *job, void *work) {
  workspace w;
  lay_out(job, work, &w);
  fill_toeplitz(job, &w);
  fill_factor(&mms_filter_of(job)->taps, &w.whole);
  fill_factor(&mms_filter_of(job)->taps, &w.end);
  memset(w.x, 0, ROWS * COLUMNS * sizeof *w.x);
}

/* ---- One signal ----------------------------------------------------------------------------------------------- */

/* Blocks of a signal are columns of X, and one product with T filters them all, each from zeros. What the state leaves
 * in a block, a product of the columns of H with z, is added to one block after the other: y is of a block that was
 * filtered from zeros. Returns whether all results are finite. */
static bool add_state(const mms_job *job, const double *h, const double *z, double *y) {
  const size_t states = (size_t)mms_filter_of(job)->taps.states;
  double off = 0;
  for (size_t k = 0; k < states; k++)
    for (size_t i = k; i < job->s; i++) y[i] += h[i - k] * z[k];
  for (size_t i = 0; i < job->s; i++) off += y[i] * 0;
  return off == 0;
}

static void piece_by_unit(const mms_job *job, void *work, size_t m, double *x, double *y, double *z,
                          mms_filter_ahead ahead) {
  const mms_filter_taps *c = &mms_filter_of(job)->taps;
  const size_t columns = m / job->s;
  workspace w;
  (void)ahead;
  lay_out(job, work, &w);
  if (columns > 0) mms_toeplitz_rows(job->unit, MMSCAN_F64, job->s, w.t, columns, w.x, w.y);
  for (size_t j = 0; j < columns; j++, x += job->s, y += job->s)
    if (!add_state(job, w.h, z, y) || !mms_filter_find_state(c, job->s, x, y, z))
      mms_filter_plainly(c, job->s, x, y, z);
  mms_filter_plainly(c, m % job->s, x, y, z);
}

static void scan_by_unit(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  workspace w;
  (void)carry;
  lay_out(job, work, &w);
  mms_filter_pieces(job, work, t, job->s * COLUMNS, w.x, w.y, piece_by_unit);
}

/* ---- Signals side by side ------------------------------------------------------------------------------------- */

/* In as many sums as there are lanes, none of which waits for another. */
static bool are_finite(size_t n, const double *y) {
  double off[MMS_FILTER_LANES] = {0}, all = 0;
  for (size_t i = 0; i < n; i += MMS_FILTER_LANES)
    for (int l = 0; l < MMS_FILTER_LANES; l++) off[l] += y[i + (size_t)l] * 0;
  for (int l = 0; l < MMS_FILTER_LANES; l++) all += off[l];
  return all == 0;
}

/* A column of X, which holds samples and a state, into one of W, if that is not finite. */
static void mend_column(const mms_filter_taps *c, const factor *f, size_t width, const double *x, double *y) {
  double in[MMS_FILTER_BLOCK], out[MMS_FILTER_BLOCK], z[MMS_FILTER_MOST], off = 0;
  for (size_t i = 0; i < f->s; i++) off += y[i * width] * 0;
  if (off == 0) return;
  for (size_t i = 0; i < f->length; i++) in[i] = x[i * width];
  for (size_t i = f->length; i < f->s; i++) z[i - f->length] = x[i * width];
  mms_filter_plainly(c, f->length, in, out, z);
  for (size_t i = 0; i < f->length; i++) y[i * width] = out[i];
  for (size_t i = f->length; i < f->s; i++) y[i * width] = z[i - f->length];
}

static void multiply(const mms_job *job, const workspace *w, const factor *f, size_t width) {
  const mms_product product = {.type = MMSCAN_F64,
                               .form = MMSCAN_PRODUCT_CHUNKED,
                               .s = f->s,
                               .columns = width,
                               .row_stride = width,
                               .a = f->a,
                               .x = w->x,
                               .w = w->y,
                               .elements = width * f->s};
  mms_gate_place *place = mms_gate_enter();
  mms_unit_multiply(job->unit, &product);
  mms_gate_leave(place);
}

/* The next block of each signal is a column of X, its state below, and one product filters them all. The state is
 * where the last product left it. */
static void do_block(const mms_job *job, const workspace *w, const factor *f, const mms_filter_group *g, size_t at,
                     const double *state) {
  mms_filter_gather(g, at, f->length, w->x);
  memcpy(w->x + f->length * g->width, state, (f->s - f->length) * g->width * sizeof *state);
  multiply(job, w, f, g->width);
  if (!are_finite(f->s * g->width, w->y))
    for (size_t j = 0; j < g->count; j++) mend_column(&g->filter->taps, f, g->width, w->x + j, w->y + j);
  mms_filter_scatter(g, at, f->length, w->y);
}

static void scan_group(const mms_job *job, const workspace *w, const mms_filter_group *g) {
  const factor *f = &w->whole;
  const size_t n = g->n;
  double *state = w->y + f->length * g->width;
  mms_filter_take_states(g, state);
  for (size_t at = 0; at < n; at += f->length, state = w->y + f->length * g->width) {
    if (n - at < f->length) f = &w->end;
    do_block(job, w, f, g, at, state);
  }
  mms_filter_put_states(g, state);
}

/* Groups are the same ones however threads share them, for the sake of bits. */
static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  workspace w;
  lay_out(job, work, &w);
  for (size_t from = 0, count; from < r->count; from += count) {
    count = r->count - from < COLUMNS ? r->count - from : COLUMNS;
    const mms_filter_group g = mms_filter_group_of(job, r, from, count);
    if (!mms_filter_of(job)->are_together || count < FEW)
      mms_filter_one_by_one(job, work, r, from, count);
    else
      scan_group(job, &w, &g);
  }
}

const mms_engine mms_filter_gemm = {.name = "gemm",
                                    .description = "a filter by products of a unit",
                                    .at_once = scan_by_unit,
                                    .batch = scan_batch,
                                    .has_unit = true,
                                    .work_size = work_size,
                                    .begin = begin};
