/* columns.c: the columns of a matrix whose rows are contiguous: each row of y is the one before it, combined with a row
 * of x. So nothing is gathered, and results have the bits of the plain loop.
 *
 * A band of columns at a time goes through all rows, with its carries in two buffers, in turn the old and the new ones;
 * a few columns at most stay in registers (mms_loop_columns). */
#include "engine/engine.h"

#include "kernel/stream.h"
#include <stdalign.h>
#include <string.h>

/* Bytes of a band: the carries, what is read of x and what is written stay in a core's first cache; and rows of x that
 * are prefetched, as hardware does not see from row to row. */
enum { BAND = 8192, AHEAD = 2 };

/* A matrix of x and one of y, from the first row in the order of the scan; steps are in bytes. */
typedef struct band {
  size_t n, count, bytes; /* rows, columns, bytes of a row */
  const char *x;
  char *y;
  ptrdiff_t x_step, y_step;
} band;

/* The carries of a band that begins with column `from`. */
static void take_carry(const mms_job *job, const mms_batch *r, size_t from, const band *b, void *carry) {
  const size_t size = job->algebra->size;
  const char *kept = r->carry;
  for (size_t c = 0; c < b->count; c++)
    memcpy((char *)carry + c * size, kept ? kept + (from + c) * size : (const char *)&r->first, size);
}

static void keep_carry(const mms_job *job, const mms_batch *r, size_t from, const band *b, const void *carry) {
  if (r->carry) memcpy((char *)r->carry + from * job->algebra->size, carry, b->bytes);
}

static band band_of(const mms_job *job, const mms_batch *r, size_t from, size_t count) {
  const ptrdiff_t size = (ptrdiff_t)job->algebra->size, last = (ptrdiff_t)(job->reverse ? r->n - 1 : 0);
  const ptrdiff_t x_step = r->x_stride * size, y_step = r->y_stride * size, at = (ptrdiff_t)from * size;
  return (band){.n = r->n,
                .count = count,
                .bytes = count * (size_t)size,
                .x = (const char *)r->x + at + last * x_step,
                .y = (char *)r->y + at + last * y_step,
                .x_step = job->reverse ? -x_step : x_step,
                .y_step = job->reverse ? -y_step : y_step};
}

/* ---- A band
 * ----------------------------------------------------------------------------------------------------------- */

static void prefetch(const char *x, size_t bytes) {
  for (size_t at = 0; at < bytes; at += MMS_KERNEL_LINE) __builtin_prefetch((const void *)((uintptr_t)x + at));
}

static void scan_wide(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  alignas(MMS_KERNEL_LINE) char buffers[2][BAND];
  char *old = buffers[0], *new = buffers[1];
  take_carry(job, r, from, b, old);
  for (size_t i = 0; i < b->n; i++, b->x += b->x_step, b->y += b->y_step) {
    if (job->prefetches) prefetch((const char *)((uintptr_t)b->x + (uintptr_t)(AHEAD * b->x_step)), b->bytes);
    job->algebra->loop.combine(b->count, old, b->x, new);
    const char *row = job->kind == MMSCAN_EXCLUSIVE ? old : new;
    if (job->streams)
      mms_stream_copy(b->y, row, b->bytes);
    else
      memcpy(b->y, row, b->bytes);
    char *const was = old;
    old = new;
    new = was;
  }
  keep_carry(job, r, from, b, old);
}

/* ---- Few columns
 * ------------------------------------------------------------------------------------------------------ */

enum { RUN = 4096 }; /* bytes of rows that are streamed together */

/* Rows that are neighbours in y go past the caches by a buffer. */
static void stream_few(const mms_job *job, band *b, void *carry) {
  alignas(MMS_KERNEL_LINE) char buffer[RUN];
  const ptrdiff_t size = (ptrdiff_t)job->algebra->size,
                  step = job->reverse ? -(ptrdiff_t)b->bytes : (ptrdiff_t)b->bytes;
  const size_t most = RUN / b->bytes;
  for (size_t done = 0, m; done < b->n; done += m, b->x += (ptrdiff_t)m * b->x_step, b->y += (ptrdiff_t)m * b->y_step) {
    m = b->n - done < most ? b->n - done : most;
    const size_t last = job->reverse ? (m - 1) * b->bytes : 0;
    job->algebra->loop.columns[job->kind](m, b->count, b->x, b->x_step / size, buffer + last, step / size, carry);
    mms_stream_copy(b->y - last, buffer, m * b->bytes);
  }
}

static void scan_few(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  const ptrdiff_t size = (ptrdiff_t)job->algebra->size;
  mms_value carry[MMS_NARROW];
  take_carry(job, r, from, b, carry);
  if (job->streams && b->y_step == (job->reverse ? -(ptrdiff_t)b->bytes : (ptrdiff_t)b->bytes))
    stream_few(job, b, carry);
  else
    job->algebra->loop.columns[job->kind](b->n, b->count, b->x, b->x_step / size, b->y, b->y_step / size, carry);
  keep_carry(job, r, from, b, carry);
}

/* ---- The contract
 * ----------------------------------------------------------------------------------------------------- */

static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  const size_t most = BAND / job->algebra->size;
  (void)work;
  for (size_t from = 0; from < r->count; from += most) {
    const size_t count = r->count - from < most ? r->count - from : most;
    band b = band_of(job, r, from, count);
    (count <= MMS_NARROW ? scan_few : scan_wide)(job, r, from, &b);
  }
}

const mms_engine mms_engine_columns = {
    .name = "serial", .description = "the columns of a matrix, row by row", .batch = scan_batch};
