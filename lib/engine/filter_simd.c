/* filter_simd.c: filters in vector registers: one signal, or many side by side.
 *
 * Where blocks are multiplied by matrices, a zero times a sample that is not finite is NaN, and a sum may overflow that
 * would not in the order of the plain loop; so a piece of which a result is not finite is filtered again, by the plain
 * loop. Side by side, each lane is a plain loop. */
#include "engine/filter_scan.h"

#include <stdalign.h>
#include <string.h>

/* ---- One signal ----------------------------------------------------------------------------------------------- */

/* PIECE: samples, whose x and y are on the stack; signals that are no longer have the order, and errors, of the plain
 * loop. FEW: samples that take less time by that than in a group. */
enum { PIECE = 512, FEW = 16 };

_Static_assert((int)FEW >= (int)MMS_FILTER_MOST, "a state is found in one group");

/* The state's part in the first group of results, as loops want it: H z. */
static void find_start(const mms_filter *f, const double *z, double *start) {
  const size_t states = (size_t)f->taps.states, lanes = f->loops->lanes;
  memset(start, 0, MMS_FILTER_GROUP * sizeof *start);
  for (size_t k = 0; k < states; k++)
    for (size_t i = k; i < k / lanes * lanes + lanes; i++) start[i] += f->matrix.h[i - k] * z[k];
}

static void piece_in_registers(const mms_job *job, void *work, size_t m, double *x, double *y, double *z,
                               mms_filter_ahead ahead) {
  const mms_filter *f = mms_filter_of(job);
  const size_t all = (m + MMS_FILTER_GROUP - 1) / MMS_FILTER_GROUP * MMS_FILTER_GROUP;
  double start[MMS_FILTER_GROUP];
  (void)work;
  if (m > FEW && f->n > PIECE) {
    memset(x + m, 0, (all - m) * sizeof *x);
    find_start(f, z, start);
    if (f->loop(&f->matrix, all, start, x, y, ahead) && mms_filter_find_state(&f->taps, m, x, y, z)) return;
  }
  mms_filter_plainly(&f->taps, m, x, y, z);
}

static void scan_in_registers(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  alignas(MMS_KERNEL_LINE) double x[MMS_FILTER_BEFORE + PIECE], y[MMS_FILTER_BEFORE + PIECE];
  (void)carry;
  memset(x, 0, MMS_FILTER_BEFORE * sizeof *x);
  memset(y, 0, MMS_FILTER_BEFORE * sizeof *y);
  mms_filter_pieces(job, work, t, PIECE, x + MMS_FILTER_BEFORE, y + MMS_FILTER_BEFORE, piece_in_registers);
}

/* ---- Side by side --------------------------------------------------------------------------------------------- */

/* ROWS: samples of each signal in a buffer, which stays in a core's first cache; more of them take longer to come from
 * memory. ALONE: signals that take less time one by one. */
enum { ROWS = 32, ALONE = 3 };

_Static_assert(ROWS % MMS_FILTER_LANES == 0, "");

static void scan_group(const mms_filter_group *g) {
  alignas(MMS_KERNEL_LINE) double x[ROWS * MMS_FILTER_ROW], z[(MMS_FILTER_MOST - 1) * MMS_FILTER_ROW];
  const mms_filter *f = g->filter;
  memset(x, 0, ROWS * g->width * sizeof *x); /* of signals that are not there */
  mms_filter_take_states(g, z);
  for (size_t at = 0, m; at < g->n; at += m) {
    m = g->n - at < ROWS ? g->n - at : ROWS;
    mms_filter_gather(g, at, m, x);
    f->loops->side_by_side(&f->taps, m, g->width, x, z);
    mms_filter_scatter(g, at, m, x);
  }
  mms_filter_put_states(g, z);
}

/* Signals that go one by one: all, or those that are left and too few for a vector. Which they are does not depend on
 * how threads share the others, for the sake of bits. */
static size_t alone_of(const mms_filter *f, const mms_batch *r) {
  const size_t few = r->count % MMS_FILTER_VECTOR;
  return !f->are_together ? r->count : few <= ALONE ? few : 0;
}

/* A row of a matrix has many columns, in few lines. As many signals in as many places come slowly from memory. */
static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  const mms_filter *f = mms_filter_of(job);
  const size_t alone = alone_of(f, r), others = r->count - alone;
  const size_t most = f->are_columns ? MMS_FILTER_ROW : MMS_FILTER_VECTOR;
  for (size_t from = 0; from < others; from += most) {
    const mms_filter_group g = mms_filter_group_of(job, r, from, others - from < most ? others - from : most);
    scan_group(&g);
  }
  mms_filter_one_by_one(job, work, r, others, alone);
}

const mms_engine mms_filter_simd = {
    .name = "simd", .description = "a filter in vector registers", .at_once = scan_in_registers, .batch = scan_batch};
