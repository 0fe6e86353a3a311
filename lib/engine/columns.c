/* columns.c: the columns of a matrix whose rows are contiguous: each row of y is the one before it, combined with a row
 * of x. So nothing is gathered, and results have the bits of the plain loop.
 *
 * A band of columns goes through all rows, some rows at a time. In these a line of each row after the other is scanned,
 * so that its carries stay close. */
#include "engine/engine.h"

#include "kernel/stream.h"
#include <stdalign.h>
#include <string.h>

/* Bytes of a band, whose carries stay in a core's first cache; bytes of a row that are streamed together; and rows that
 * are scanned together. */
enum { BAND = 8192, PIECE = 1024, ROWS = 4 };

/* A matrix of x and one of y, from the first row in the order of the scan; strides are in elements, steps in bytes. */
typedef struct band {
  size_t n, count, bytes; /* rows, columns, bytes of a row */
  const char *x;
  char *y;
  ptrdiff_t x_stride, y_stride, x_step, y_step;
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
  const ptrdiff_t x_stride = job->reverse ? -r->x_stride : r->x_stride, at = (ptrdiff_t)from * size;
  const ptrdiff_t y_stride = job->reverse ? -r->y_stride : r->y_stride;
  return (band){.n = r->n,
                .count = count,
                .bytes = count * (size_t)size,
                .x = (const char *)r->x + at + last * r->x_stride * size,
                .y = (char *)r->y + at + last * r->y_stride * size,
                .x_stride = x_stride,
                .y_stride = y_stride,
                .x_step = x_stride * size,
                .y_step = y_stride * size};
}

/* ---- Many columns --------------------------------------------------------------------------------------------- */

/* Scans `rows` rows of `bytes` bytes, a line of each row at a time, and prefetches the rows after these. */
static void scan_lines(const mms_job *job, size_t rows, size_t bytes, const char *x, ptrdiff_t x_stride, char *y,
                       ptrdiff_t y_stride, char *carry) {
  const size_t size = job->algebra->size;
  const ptrdiff_t step = x_stride * (ptrdiff_t)size;
  mms_loop_columns *scan = job->algebra->loop.columns[job->kind];
  for (size_t at = 0; at < bytes; at += MMS_COLUMNS) {
    const size_t left = bytes - at, line = left < MMS_COLUMNS ? left : MMS_COLUMNS;
    for (ptrdiff_t i = 0; i < ROWS; i++)
      __builtin_prefetch((const void *)((uintptr_t)x + at + (uintptr_t)((ROWS + i) * step)));
    scan(rows, line / size, x + at, x_stride, y + at, y_stride, carry + at);
  }
}

/* The same, past the caches: by a buffer, as long pieces of a row. */
static void stream_lines(const mms_job *job, size_t rows, const band *b, char *carry) {
  alignas(MMS_KERNEL_LINE) char buffer[ROWS][PIECE];
  for (size_t at = 0; at < b->bytes; at += PIECE) {
    const size_t left = b->bytes - at, bytes = left < PIECE ? left : PIECE;
    scan_lines(job, rows, bytes, b->x + at, b->x_stride, buffer[0], (ptrdiff_t)(PIECE / job->algebra->size),
               carry + at);
    for (size_t i = 0; i < rows; i++) mms_stream_copy(b->y + at + (ptrdiff_t)i * b->y_step, buffer[i], bytes);
  }
}

static void scan_many(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  alignas(MMS_KERNEL_LINE) char carry[BAND];
  take_carry(job, r, from, b, carry);
  for (size_t done = 0; done < b->n; done += ROWS, b->x += ROWS * b->x_step, b->y += ROWS * b->y_step) {
    const size_t rows = b->n - done < ROWS ? b->n - done : ROWS;
    if (job->streams)
      stream_lines(job, rows, b, carry);
    else
      scan_lines(job, rows, b->bytes, b->x, b->x_stride, b->y, b->y_stride, carry);
  }
  keep_carry(job, r, from, b, carry);
}

/* ---- Few columns ---------------------------------------------------------------------------------------------- */

enum { RUN = 4096 }; /* bytes of rows that are scanned, and streamed, together */

/* Rows that are neighbours in y go past the caches by a buffer. */
static void scan_few(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  alignas(MMS_KERNEL_LINE) char buffer[RUN], carry[MMS_COLUMNS];
  mms_loop_columns *scan = job->algebra->loop.columns[job->kind];
  const ptrdiff_t stride = (ptrdiff_t)(job->reverse ? -b->count : b->count);
  const bool streams = job->streams && b->y_stride == stride;
  const size_t most = RUN / b->bytes;
  take_carry(job, r, from, b, carry);
  for (size_t done = 0, m; done < b->n; done += m, b->x += (ptrdiff_t)m * b->x_step, b->y += (ptrdiff_t)m * b->y_step) {
    m = b->n - done < most ? b->n - done : most;
    const size_t last = job->reverse ? (m - 1) * b->bytes : 0;
    scan(m, b->count, b->x, b->x_stride, streams ? buffer + last : b->y, b->y_stride, carry);
    if (streams) mms_stream_copy(b->y - last, buffer, m * b->bytes);
  }
  keep_carry(job, r, from, b, carry);
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  const size_t most = BAND / job->algebra->size;
  (void)work;
  for (size_t from = 0; from < r->count; from += most) {
    const size_t count = r->count - from < most ? r->count - from : most;
    band b = band_of(job, r, from, count);
    (b.bytes <= MMS_COLUMNS ? scan_few : scan_many)(job, r, from, &b);
  }
}

const mms_engine mms_engine_columns = {
    .name = "serial", .description = "the columns of a matrix, row by row", .batch = scan_batch};
