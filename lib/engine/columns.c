/* columns.c: the columns of a matrix whose rows are contiguous: each row of y is the one before it, combined with a row
 * of x. So nothing is gathered, and results have the bits of the plain loop.
 *
 * A band of columns goes through all rows, some rows at a time. In these a line of each row after the other is scanned,
 * so that its carries stay close. What is stored otherwise than it is combined is packed piece by piece. */
#include "engine/engine.h"

#include <stdalign.h>
#include <string.h>

/* Bytes of a band, whose carries stay in a core's first cache; bytes of a row that are streamed or packed together; and
 * rows that are scanned together. Bytes count elements as they are combined. */
enum { BAND = 8192, PIECE = 1024, ROWS = 4 };

/* A matrix of x and one of y, from the first row in the order of the scan; strides are in elements, steps in bytes. */
typedef struct band {
  size_t n, count, bytes; /* rows, columns, bytes of a row */
  const char *x;
  char *y;
  ptrdiff_t x_stride, y_stride, x_step, y_step;
} band;

/* `count` times the same element. A loop for each of the usual sizes, as a band may be tiny. */
static void fill(void *to, const mms_value *value, size_t size, size_t count) {
  if (size == 4)
    for (size_t c = 0; c < count; c++) ((uint32_t *)to)[c] = value->u32;
  else if (size == 8)
    for (size_t c = 0; c < count; c++) ((uint64_t *)to)[c] = value->u64;
  else
    for (size_t c = 0; c < count; c++) memcpy((char *)to + c * size, value, size);
}

/* The carries of a band that begins with column `from`. */
static void take_carry(const mms_job *job, const mms_batch *r, size_t from, const band *b, void *carry) {
  const char *kept = r->carry;
  if (kept)
    memcpy(carry, kept + from * job->algebra->size, b->bytes);
  else
    fill(carry, &r->first, job->algebra->size, b->count);
}

static void keep_carry(const mms_job *job, const mms_batch *r, size_t from, const band *b, const void *carry) {
  if (r->carry) memcpy((char *)r->carry + from * job->algebra->size, carry, b->bytes);
}

static band band_of(const mms_job *job, const mms_batch *r, size_t from, size_t count) {
  const ptrdiff_t x_size = (ptrdiff_t)job->storage->x_size, y_size = (ptrdiff_t)job->storage->y_size;
  const ptrdiff_t last = (ptrdiff_t)(job->reverse ? r->n - 1 : 0), at = (ptrdiff_t)from;
  const ptrdiff_t x_stride = job->reverse ? -r->x_stride : r->x_stride;
  const ptrdiff_t y_stride = job->reverse ? -r->y_stride : r->y_stride;
  return (band){.n = r->n,
                .count = count,
                .bytes = count * job->algebra->size,
                .x = (const char *)r->x + (at + last * r->x_stride) * x_size,
                .y = (char *)r->y + (at + last * r->y_stride) * y_size,
                .x_stride = x_stride,
                .y_stride = y_stride,
                .x_step = x_stride * x_size,
                .y_step = y_stride * y_size};
}

/* ---- Packing -------------------------------------------------------------------------------------------------- */

static bool packs(const mms_job *job) { return job->storage->in || (job->extras && job->extras->instead); }

static void pack(const mms_job *job, size_t count, const void *x, void *to) {
  mms_pack(job->storage, count, x, 1, to, (mms_ahead){NULL, 0});
  if (job->extras && job->extras->instead) mms_pack_without_nan(job->storage, count, to, job->extras->instead);
}

/* Contiguous results go to y as it is stored, past the caches or not. */
static void unpack(const mms_job *job, size_t count, const char *from, char *to) {
  if (job->streams)
    mms_unpack_past(job->storage, count, from, to);
  else
    mms_unpack(job->storage, count, from, to, 1, (mms_ahead){NULL, 0});
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

/* The same by pieces of rows in buffers: of x where it is packed, and of y where it is unpacked or streamed. */
static void scan_pieces(const mms_job *job, size_t rows, const band *b, char *carry) {
  alignas(MMS_KERNEL_LINE) char buffer[ROWS][PIECE];
  const mms_storage *s = job->storage;
  const ptrdiff_t stride = (ptrdiff_t)(PIECE / s->size);
  const bool in = packs(job), out = s->out || job->streams;
  for (size_t at = 0; at < b->bytes; at += PIECE) {
    const size_t left = b->bytes - at, bytes = left < PIECE ? left : PIECE, count = bytes / s->size,
                 from = at / s->size;
    const char *x = b->x + from * s->x_size;
    char *y = b->y + from * s->y_size;
    for (size_t i = 0; in && i < rows; i++) pack(job, count, x + (ptrdiff_t)i * b->x_step, buffer[i]);
    scan_lines(job, rows, bytes, in ? buffer[0] : x, in ? stride : b->x_stride, out ? buffer[0] : y,
               out ? stride : b->y_stride, carry + at);
    for (size_t i = 0; out && i < rows; i++) unpack(job, count, buffer[i], y + (ptrdiff_t)i * b->y_step);
  }
}

static void scan_many(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  alignas(MMS_KERNEL_LINE) char carry[BAND];
  const bool in_pieces = packs(job) || job->storage->out || job->streams;
  take_carry(job, r, from, b, carry);
  for (size_t done = 0; done < b->n; done += ROWS, b->x += ROWS * b->x_step, b->y += ROWS * b->y_step) {
    const size_t rows = b->n - done < ROWS ? b->n - done : ROWS;
    if (in_pieces)
      scan_pieces(job, rows, b, carry);
    else
      scan_lines(job, rows, b->bytes, b->x, b->x_stride, b->y, b->y_stride, carry);
  }
  keep_carry(job, r, from, b, carry);
}

/* ---- Few columns ---------------------------------------------------------------------------------------------- */

enum { RUN = 4096 }; /* bytes of rows that are scanned, packed and streamed together */

/* From row to row in a buffer, in which a reverse scan begins with the last row. */
static ptrdiff_t stride_of(const mms_job *job, const band *b) {
  return job->reverse ? -(ptrdiff_t)b->count : (ptrdiff_t)b->count;
}

/* Rows of x in the buffer; all at once if they are neighbours in x as they are there. */
static void pack_rows(const mms_job *job, const band *b, size_t rows, char *buffer) {
  const ptrdiff_t low = job->reverse ? (ptrdiff_t)(rows - 1) : 0;
  if (b->x_stride == stride_of(job, b)) {
    pack(job, rows * b->count, b->x + low * b->x_step, buffer);
    return;
  }
  for (size_t i = 0; i < rows; i++)
    pack(job, b->count, b->x + (ptrdiff_t)i * b->x_step, buffer + (job->reverse ? rows - 1 - i : i) * b->bytes);
}

static void unpack_rows(const mms_job *job, const band *b, size_t rows, const char *buffer) {
  const ptrdiff_t low = job->reverse ? (ptrdiff_t)(rows - 1) : 0;
  if (b->y_stride == stride_of(job, b)) {
    unpack(job, rows * b->count, buffer, b->y + low * b->y_step);
    return;
  }
  for (size_t i = 0; i < rows; i++)
    unpack(job, b->count, buffer + (job->reverse ? rows - 1 - i : i) * b->bytes, b->y + (ptrdiff_t)i * b->y_step);
}

static void scan_few(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  alignas(MMS_KERNEL_LINE) char buffer[RUN], carry[MMS_COLUMNS];
  mms_loop_columns *scan = job->algebra->loop.columns[job->kind];
  const ptrdiff_t stride = stride_of(job, b);
  const bool in = packs(job), out = job->storage->out || (job->streams && b->y_stride == stride);
  const size_t most = RUN / b->bytes;
  take_carry(job, r, from, b, carry);
  for (size_t done = 0, m; done < b->n; done += m, b->x += (ptrdiff_t)m * b->x_step, b->y += (ptrdiff_t)m * b->y_step) {
    m = b->n - done < most ? b->n - done : most;
    char *first = buffer + (job->reverse ? (m - 1) * b->bytes : 0);
    if (in) pack_rows(job, b, m, buffer);
    scan(m, b->count, in ? first : b->x, in ? stride : b->x_stride, out ? first : b->y, out ? stride : b->y_stride,
         carry);
    if (out) unpack_rows(job, b, m, buffer);
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
