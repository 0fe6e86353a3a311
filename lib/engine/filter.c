/* filter.c: filters by the plain loop, in vector registers, and by a unit.
 *
 * All go through a scan in pieces, in each of which samples are doubles, from the state before it to the state after
 * it: the numbers z of direct form II transposed. Where blocks are multiplied by matrices, a zero times a sample that
 * is not finite is NaN, and a sum may overflow that would not in the order of the plain loop; so a piece of which a
 * result is not finite is filtered again, by the plain loop. */
#include "engine/filter.h"

#include "base/arena.h"
#include "unit/gate.h"
#include <stdalign.h>
#include <string.h>

static mms_filter *call_of(const mms_job *job) { return job->algebra->own->call; }

/* ---- The plain loop ------------------------------------------------------------------------------------------- */

/* Direct form II transposed. Where there is an A, both have coefficients for every state, if only zeros, as they have
 * in SciPy: the product with a sample that is not finite is NaN. */
static void filter_plainly(const mms_filter_taps *c, size_t m, const double *x, double *y, double *z) {
  const int outputs = c->order > 0 ? c->states : 0;
  for (size_t i = 0; i < m; i++) {
    const double in = x[i], out = c->states > 0 ? z[0] + c->b[0] * in : c->b[0] * in;
    for (int k = 1; k <= c->states; k++) z[k - 1] = (k < c->states ? z[k] : 0) + c->b[k] * in;
    for (int k = 1; k <= outputs; k++) z[k - 1] -= c->a[k] * out;
    y[i] = out;
  }
}

/* What it has in z after m samples, in front of which there are zeros if they are fewer than states. All are finite,
 * but sums of them may not be: then z is as it was, and the result false. */
static bool find_state(const mms_filter_taps *c, size_t m, const double *x, const double *y, double *z) {
  const ptrdiff_t end = (ptrdiff_t)m;
  double after[MMS_FILTER_MOST], off = 0;
  for (ptrdiff_t i = 0; i < c->states; i++) {
    after[i] = i + end < c->states ? z[i + end] : 0;
    for (ptrdiff_t k = c->states; k > i; k--) after[i] += c->b[k] * x[end + i - k] - c->a[k] * y[end + i - k];
    off += after[i] * 0;
  }
  if (off == 0) memcpy(z, after, (size_t)c->states * sizeof *z);
  return off == 0;
}

/* ---- Scans ---------------------------------------------------------------------------------------------------- */

/* Filters m samples; z goes in and comes out. */
typedef void filter_piece(const mms_job *, void *work, size_t m, double *x, double *y, double *z, mms_filter_ahead);

static char *state_of(const mms_filter *f, size_t scan) {
  return f->state + scan * (size_t)f->taps.states * f->storage->x_size;
}

/* While m samples are filtered, the next ones are read, and lines for the results. */
static mms_filter_ahead ahead_of(const char *x, const char *y, size_t m, size_t size) {
  return (mms_filter_ahead){.read = (uintptr_t)x + m * size, .written = (uintptr_t)y, .size = size};
}

/* In pieces of so many samples at most, for which x and y have room. */
static void filter_scan(const mms_job *job, void *work, const mms_tile *t, size_t most, double *x, double *y,
                        filter_piece *piece) {
  const mms_filter *f = call_of(job);
  const mms_storage *s = f->storage;
  const size_t states = (size_t)f->taps.states;
  const ptrdiff_t x_stride = job->reverse ? -t->x_stride : t->x_stride;
  const ptrdiff_t y_stride = job->reverse ? -t->y_stride : t->y_stride;
  const ptrdiff_t first = job->reverse ? (ptrdiff_t)t->m - 1 : 0;
  const char *from = (const char *)t->x + first * t->x_stride * (ptrdiff_t)s->x_size;
  char *to = (char *)t->y + first * t->y_stride * (ptrdiff_t)s->y_size;
  const bool are_neighbours = job->prefetches && x_stride == 1 && y_stride == 1;
  double z[MMS_FILTER_MOST] = {0};
  if (f->state && states > 0) mms_pack(s, states, state_of(f, t->scan), 1, z, (mms_ahead){NULL, 0});
  for (size_t left = t->m, m; left > 0; left -= m) {
    m = left < most ? left : most;
    mms_pack(s, m, from, x_stride, x, (mms_ahead){NULL, 0});
    piece(job, work, m, x, y, z, are_neighbours ? ahead_of(from, to, m, s->x_size) : (mms_filter_ahead){0});
    mms_unpack(s, m, y, to, y_stride, (mms_ahead){NULL, 0});
    from += (ptrdiff_t)m * x_stride * (ptrdiff_t)s->x_size;
    to += (ptrdiff_t)m * y_stride * (ptrdiff_t)s->y_size;
  }
  if (f->state && states > 0) mms_unpack(s, states, z, state_of(f, t->scan), 1, (mms_ahead){NULL, 0});
}

enum { PIECE = 512 }; /* samples, whose x and y are on the stack */

/* ---- serial --------------------------------------------------------------------------------------------------- */

static void piece_plainly(const mms_job *job, void *work, size_t m, double *x, double *y, double *z,
                          mms_filter_ahead ahead) {
  (void)work, (void)ahead;
  filter_plainly(&call_of(job)->taps, m, x, y, z);
}

static void scan_plainly(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  double x[PIECE], y[PIECE];
  (void)carry;
  filter_scan(job, work, t, PIECE, x, y, piece_plainly);
}

static const mms_engine in_order = {
    .name = "serial", .description = "a filter by the plain loop", .at_once = scan_plainly};

/* ---- simd ----------------------------------------------------------------------------------------------------- */

enum { FEW = 16 }; /* samples that take less time by the plain loop than in a group */

/* The state's part in the first group of results, as loops want it: H z. */
static void find_start(const mms_filter *f, const double *z, double *start) {
  const size_t states = (size_t)f->taps.states, lanes = f->lanes;
  memset(start, 0, MMS_FILTER_GROUP * sizeof *start);
  for (size_t k = 0; k < states; k++)
    for (size_t i = k; i < k / lanes * lanes + lanes; i++) start[i] += f->matrix.h[i - k] * z[k];
}

static void piece_in_registers(const mms_job *job, void *work, size_t m, double *x, double *y, double *z,
                               mms_filter_ahead ahead) {
  const mms_filter *f = call_of(job);
  const size_t all = (m + MMS_FILTER_GROUP - 1) / MMS_FILTER_GROUP * MMS_FILTER_GROUP;
  double start[MMS_FILTER_GROUP];
  (void)work;
  if (m > FEW) {
    memset(x + m, 0, (all - m) * sizeof *x);
    find_start(f, z, start);
    if (f->loop(&f->matrix, all, start, x, y, ahead) && find_state(&f->taps, m, x, y, z)) return;
  }
  filter_plainly(&f->taps, m, x, y, z);
}

static void scan_in_registers(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  alignas(MMS_KERNEL_LINE) double x[MMS_FILTER_BEFORE + PIECE], y[MMS_FILTER_BEFORE + PIECE];
  (void)carry;
  memset(x, 0, MMS_FILTER_BEFORE * sizeof *x);
  memset(y, 0, MMS_FILTER_BEFORE * sizeof *y);
  filter_scan(job, work, t, PIECE, x + MMS_FILTER_BEFORE, y + MMS_FILTER_BEFORE, piece_in_registers);
}

static const mms_engine in_registers = {
    .name = "simd", .description = "a filter in vector registers", .at_once = scan_in_registers};

/* ---- gemm ----------------------------------------------------------------------------------------------------- */

/* Blocks of a scan are columns of X, and one product with T filters them all, each from zeros. What the state leaves in
 * a block, a product of the columns of H with z, is added to one block after the other.
 *
 * SIZE: s. COLUMNS: of X, of which as many samples stay in a core's own cache. */
enum { SIZE = 32, COLUMNS = 64 };

_Static_assert((int)SIZE >= (int)MMS_FILTER_MOST, "a state is found in one block");

typedef struct workspace {
  double *t, *x, *y, *h; /* h: of 1/A */
} workspace;

static size_t lay_out(const mms_job *job, void *work, workspace *w) {
  const size_t size = sizeof(double);
  mms_arena arena = {.block = work};
  w->t = mms_arena_take(&arena, job->s * job->s * size);
  w->x = mms_arena_take(&arena, job->s * COLUMNS * size);
  w->y = mms_arena_take(&arena, job->s * COLUMNS * size);
  w->h = mms_arena_take(&arena, job->s * size);
  return arena.used;
}

static size_t work_size(const mms_job *job) {
  workspace nowhere;
  return lay_out(job, NULL, &nowhere);
}

static void begin(const mms_job *job, void *work) {
  const mms_filter_taps *c = &call_of(job)->taps;
  workspace w;
  lay_out(job, work, &w);
  mms_filter_respond(c, job->s, w.h);
  for (size_t i = 0; i < job->s; i++) {
    double response = 0;
    for (size_t k = 0; k <= (size_t)c->b_order && k <= i; k++) response += w.h[i - k] * c->b[k];
    for (size_t column = 0; column < job->s; column++)
      w.t[column * job->s + (column + i) % job->s] = column + i < job->s ? response : 0;
  }
}

static void multiply(const mms_job *job, const workspace *w, size_t columns) {
  const mms_product product = {.type = MMSCAN_F64,
                               .form = MMSCAN_PRODUCT_CHUNKED,
                               .s = job->s,
                               .columns = columns,
                               .a = w->t,
                               .x = w->x,
                               .w = w->y,
                               .elements = columns * job->s};
  mms_gate_place *place = mms_gate_enter();
  mms_unit_multiply(job->unit, &product);
  mms_gate_leave(place);
}

/* y: of a block that was filtered from zeros. Returns whether all results are finite. */
static bool add_state(const mms_job *job, const double *h, const double *z, double *y) {
  const size_t states = (size_t)call_of(job)->taps.states;
  double off = 0;
  for (size_t k = 0; k < states; k++)
    for (size_t i = k; i < job->s; i++) y[i] += h[i - k] * z[k];
  for (size_t i = 0; i < job->s; i++) off += y[i] * 0;
  return off == 0;
}

static void piece_by_unit(const mms_job *job, void *work, size_t m, double *x, double *y, double *z,
                          mms_filter_ahead ahead) {
  const mms_filter_taps *c = &call_of(job)->taps;
  const size_t columns = m / job->s;
  workspace w;
  (void)ahead;
  lay_out(job, work, &w);
  if (columns > 0) multiply(job, &w, columns);
  for (size_t j = 0; j < columns; j++, x += job->s, y += job->s)
    if (!add_state(job, w.h, z, y) || !find_state(c, job->s, x, y, z)) filter_plainly(c, job->s, x, y, z);
  filter_plainly(c, m % job->s, x, y, z);
}

static void scan_by_unit(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  workspace w;
  (void)carry;
  lay_out(job, work, &w);
  filter_scan(job, work, t, job->s * COLUMNS, w.x, w.y, piece_by_unit);
}

static const mms_engine by_unit = {.name = "gemm",
                                   .description = "a filter by products of a unit",
                                   .at_once = scan_by_unit,
                                   .has_unit = true,
                                   .work_size = work_size,
                                   .begin = begin};

/* ---- One call ------------------------------------------------------------------------------------------------- */

enum { WORTH = 16384 }; /* samples for which it pays to find out whether blocks are good */

static void take_engine(mms_filter *f, const mms_engine *engine) {
  f->own = (mms_own){.call = f, .by_tiles = engine, .alone = engine};
}

static void take_loops(mms_filter *f, const mms_isa *isa, size_t samples) {
  const mms_filter_loops *loops = mms_filter_loops_of(isa, NULL);
  const bool has_blocks = f->taps.order == 0 || (samples >= WORTH && mms_filter_has_blocks(&f->taps, loops->lanes));
  f->lanes = loops->lanes;
  f->loop = has_blocks ? loops->by_blocks : loops->in_turn;
  mms_filter_fill(&f->matrix, &f->taps, f->lanes, has_blocks);
}

size_t mms_filter_choose(mms_filter *f, const mms_engine *engine, const mms_isa *isa, size_t samples) {
  const bool multiplies = engine->has_unit && mms_filter_has_blocks(&f->taps, SIZE);
  const bool is_plain = !engine->has_unit && !engine->has_isa;
  take_engine(f, multiplies ? &by_unit : is_plain ? &in_order : &in_registers);
  if (!multiplies && !is_plain) take_loops(f, isa, samples);
  return multiplies ? SIZE : 0;
}
