/* filter_matrix.c: the matrices of filters, whether they are as good as the plain loop, and which instruction set's
 * loops multiply by them. */
#include "engine/filter_matrix.h"

#include "base/cpu.h"
#include <math.h>
#include <string.h>

/* ---- Responses ------------------------------------------------------------------------------------------------ */

/* The newest number comes last, as it is known last. */
static double next_response(const mms_filter_taps *c, const double *h, size_t i) {
  double sum = 0;
  for (size_t k = (size_t)c->order < i ? (size_t)c->order : i; k >= 1; k--) sum -= c->a[k] * h[i - k];
  return sum;
}

void mms_filter_respond(const mms_filter_taps *c, size_t n, double *h) {
  h[0] = 1;
  for (size_t i = 1; i < n; i++) h[i] = next_response(c, h, i);
}

/* What a sample leaves in sample i of a block, where `at` is the sample's place, less than 0 before the block; taps
 * are those that its neighbours have of it. */
static double left_at(const double *h, const double *taps, int order, int at, int i) {
  double sum = 0;
  const int first = at > 0 ? at : 0, last = at + order < i ? at + order : i;
  for (int j = first; j <= last; j++) sum += h[i - j] * taps[j - at];
  return sum;
}

void mms_filter_fill(mms_filter_matrix *f, const mms_filter_taps *c, size_t lanes, bool by_blocks) {
  const int rows = (int)lanes;
  f->order = c->order;
  f->b_order = c->b_order;
  f->columns = lanes + (size_t)c->b_order;
  memcpy(f->a, c->a, sizeof f->a);
  memcpy(f->b, c->b, sizeof f->b);
  memset(f->h, 0, sizeof f->h);
  f->h[0] = 1;
  if (!by_blocks) return;
  mms_filter_respond(c, lanes, f->h);
  for (size_t k = 0; k < f->columns; k++)
    for (int i = 0; i < rows; i++) f->x[k * lanes + (size_t)i] = left_at(f->h, c->b, c->b_order, rows - 1 - (int)k, i);
  for (int k = 0; k < c->order; k++)
    for (int i = 0; i < rows; i++) f->y[k * rows + i] = -left_at(f->h, c->a, c->order, -1 - k, i);
}

/* ---- Errors of blocks ----------------------------------------------------------------------------------------- */

/* LONGEST: of a block. FAR: how long the response of 1/A may last. */
enum { LONGEST = 64, FAR = 1024 };

/* GAIN: the most that errors of blocks, of L roundings each, may add up to. LEFT: of the response after FAR samples. */
static const double GAIN = 1024, LEFT = 0x1p-20;

static double norm_of(const mms_filter_taps *c) {
  double sum = 0;
  for (int k = 0; k <= c->order; k++) sum += fabs(c->a[k]);
  return sum;
}

/* The largest sum of magnitudes in a row of R. */
static double row_of(const mms_filter_taps *c, int length) {
  double h[LONGEST], most = 0;
  mms_filter_respond(c, (size_t)length, h);
  for (int i = 0; i < length; i++) {
    double sum = 0;
    for (int k = 0; k < c->order; k++) sum += fabs(left_at(h, c->a, c->order, -1 - k, i));
    most = sum > most || isnan(sum) ? sum : most;
  }
  return most;
}

/* The sum of magnitudes of the response of 1/A, by which errors are amplified; infinite if that lasts long. */
static double gain_of(const mms_filter_taps *c) {
  double h[FAR] = {1}, sum = 1, last = 1;
  for (size_t i = 1; i < FAR && last > LEFT * sum; i++) {
    h[i] = next_response(c, h, i);
    sum += fabs(h[i]);
    last += fabs(h[i]) - (i >= (size_t)c->order ? fabs(h[i - (size_t)c->order]) : 0);
  }
  return last <= LEFT * sum ? sum : INFINITY;
}

/* A row may have what that of a double pole at 1 has, and rounding errors of blocks, in places by the gain of 1/A
 * larger than the plain loop's, have to be far below results. */
bool mms_filter_has_blocks(const mms_filter_taps *c, size_t length) {
  if (c->order == 0) return true;
  const double row = row_of(c, (int)length), samples = (double)length;
  return row <= norm_of(c) * (1 + samples / 2) && row * gain_of(c) <= GAIN * samples;
}

/* ---- Instruction sets ----------------------------------------------------------------------------------------- */

static const struct cell {
  const char *isa;
  const mms_filter_loops *loops;
} cells[] = {
#define MMS_FILTER_CELL(isa) {#isa, &mms_filter_loops_##isa},
#include "engine/filters.def"
#undef MMS_FILTER_CELL
};

/* The cells of x86-64 multiply and add in one instruction. */
static bool runs(const struct cell *cell) {
  const bool is_portable = cell == &cells[sizeof cells / sizeof *cells - 1];
  return cell->loops->is_built && (is_portable || mms_cpu_runs_fma());
}

/* By the beginning of the name, which is that of avx512 in avx512vl. */
static const struct cell *own_of(const char *isa) {
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    if (strncmp(cells[i].isa, isa, strlen(cells[i].isa)) == 0) return runs(&cells[i]) ? &cells[i] : NULL;
  return NULL;
}

const mms_filter_loops *mms_filter_loops_of(const mms_isa *isa, const char **origin) {
  const struct cell *cell = NULL;
  size_t i = 0;
  while (mms_isa_at(i) != isa) i++;
  for (; !cell; i++) cell = mms_isa_at(i) ? own_of(mms_isa_name(i)) : NULL;
  if (origin) *origin = cell->isa;
  return cell->loops;
}
