/* filter.c: filters by the plain loop, and which engine filters. */
#include "engine/filter_scan.h"

/* ---- serial --------------------------------------------------------------------------------------------------- */

enum { PIECE = 512 }; /* samples, whose x and y are on the stack */

static void piece_plainly(const mms_job *job, void *work, size_t m, double *x, double *y, double *z,
                          mms_filter_ahead ahead) {
  (void)work, (void)ahead;
  mms_filter_plainly(&mms_filter_of(job)->taps, m, x, y, z);
}

static void scan_plainly(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  double x[PIECE], y[PIECE];
  (void)carry;
  mms_filter_pieces(job, work, t, PIECE, x, y, piece_plainly);
}

static const mms_engine in_order = {
    .name = "serial", .description = "a filter by the plain loop", .at_once = scan_plainly};

/* ---- One call ------------------------------------------------------------------------------------------------- */

/* WORTH: samples for which it pays to find out whether blocks are good. COLUMNS, ROWS: signals of a matrix from which
 * they are filtered side by side. Fewer rows are better shared by many threads, and take the same way for few ones. */
enum { WORTH = 16384, COLUMNS = 16, ROWS = 32 };

/* Rows without an A are best taken one by one, by blocks, except by a unit. */
static bool are_together(const mms_filter *f, bool multiplies) {
  return f->count >= (f->are_columns ? COLUMNS : ROWS) && (f->are_columns || multiplies || f->taps.order > 0);
}

static void take_engine(mms_filter *f, const mms_engine *engine, size_t together) {
  f->own = (mms_own){.call = f, .by_tiles = engine, .alone = engine, .together = f->are_together ? together : 1};
}

static void take_loops(mms_filter *f) {
  const bool is_worth = f->n * f->count >= WORTH;
  const bool has_blocks = f->taps.order == 0 || (is_worth && mms_filter_has_blocks(&f->taps, f->loops->lanes));
  f->loop = has_blocks ? f->loops->by_blocks : f->loops->in_turn;
  mms_filter_fill(&f->matrix, &f->taps, f->loops->lanes, has_blocks);
}

size_t mms_filter_choose(mms_filter *f, const mms_engine *engine, const mms_isa *isa) {
  const bool multiplies = engine->has_unit && mms_filter_has_blocks(&f->taps, MMS_FILTER_BLOCK);
  const bool is_plain = !engine->has_unit && !engine->has_isa;
  f->loops = mms_filter_loops_of(isa, NULL);
  f->are_together = !is_plain && are_together(f, multiplies);
  take_engine(f,
              multiplies ? &mms_filter_gemm
              : is_plain ? &in_order
                         : &mms_filter_simd,
              multiplies ? MMS_FILTER_ROW : MMS_FILTER_VECTOR);
  if (!multiplies && !is_plain) take_loops(f);
  return multiplies ? MMS_FILTER_BLOCK : 0;
}
