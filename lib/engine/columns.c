/* columns.c: the columns of a matrix whose rows are contiguous: each row of y is the one before it, combined with a row
 * of x. So nothing is gathered, and results have the bits of the plain loop; but sums of floats are kept in twice the
 * precision from some rows to the next (algebra/paired_columns.inc).
 *
 * A band of columns goes through all rows, some rows at a time. In these a line of each row after the other is scanned,
 * so that its carries stay close. What is stored otherwise than it is combined is packed piece by piece. */
#include "engine/engine.h"

#include <stdalign.h>
#include <string.h>

/* Bytes of a band, whose carries stay in a core's first cache; and how rows are scanned: so many together, of which so
 * many bytes are streamed or packed at a time. PAIRED: where sums become pairs after these rows. Bytes count elements
 * as they are combined. */
enum { BAND = 8192, ROWS = 4, PIECE = 1024, PAIRED_ROWS = 16, PAIRED_PIECE = 256 };

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

/* What goes from row to row of a band: carries, and, where sums are kept in pairs, what these are short of, or NULL. */
typedef struct carries {
  char *carry, *low;
} carries;

/* Those of a band that begins with column `from`, in memory for them. */
static carries take_carries(const mms_job *job, const mms_batch *r, size_t from, const band *b, char *carry,
                            char *low) {
  const size_t at = from * job->algebra->size;
  if (r->carry)
    memcpy(carry, (const char *)r->carry + at, b->bytes);
  else
    fill(carry, &r->first, job->algebra->size, b->count);
  if (!job->keeps_pairs) return (carries){carry, NULL};
  if (r->low)
    memcpy(low, (const char *)r->low + at, b->bytes);
  else
    memset(low, 0, b->bytes);
  return (carries){carry, low};
}

static void keep_carries(const mms_job *job, const mms_batch *r, size_t from, const band *b, const carries *of) {
  const size_t at = from * job->algebra->size;
  if (r->carry) memcpy((char *)r->carry + at, of->carry, b->bytes);
  if (r->low && of->low) memcpy((char *)r->low + at, of->low, b->bytes);
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

static size_t rows_of(const mms_job *job) { return job->keeps_pairs ? PAIRED_ROWS : ROWS; }
static size_t piece_of(const mms_job *job) { return job->keeps_pairs ? PAIRED_PIECE : PIECE; }

/* Scans `rows` rows of `bytes` bytes, a line of each row at a time, and prefetches the rows after these. */
static void scan_lines(const mms_job *job, size_t rows, size_t bytes, const char *x, ptrdiff_t x_stride, char *y,
                       ptrdiff_t y_stride, const carries *c, size_t from) {
  const size_t size = job->algebra->size;
  const ptrdiff_t step = x_stride * (ptrdiff_t)size, ahead = (ptrdiff_t)rows_of(job);
  mms_loop_columns *scan = job->algebra->loop.columns[job->kind];
  for (size_t at = 0; at < bytes; at += MMS_COLUMNS) {
    const size_t left = bytes - at, line = left < MMS_COLUMNS ? left : MMS_COLUMNS;
    for (ptrdiff_t i = 0; i < ahead; i++)
      __builtin_prefetch((const void *)((uintptr_t)x + at + (uintptr_t)((ahead + i) * step)));
    scan(rows, line / size, x + at, x_stride, y + at, y_stride, c->carry + from + at,
         c->low ? c->low + from + at : NULL);
  }
}

/* The same by pieces of rows in buffers: of x where it is packed, and of y where it is unpacked or streamed. */
static void scan_pieces(const mms_job *job, size_t rows, const band *b, const carries *c) {
  alignas(MMS_KERNEL_LINE) char buffer[PAIRED_ROWS * PAIRED_PIECE];
  const mms_storage *s = job->storage;
  const size_t piece = piece_of(job);
  const ptrdiff_t stride = (ptrdiff_t)(piece / s->size);
  const bool in = packs(job), out = s->out || job->streams;
  for (size_t at = 0; at < b->bytes; at += piece) {
    const size_t left = b->bytes - at, bytes = left < piece ? left : piece, count = bytes / s->size,
                 from = at / s->size;
    const char *x = b->x + from * s->x_size;
    char *y = b->y + from * s->y_size;
    for (size_t i = 0; in && i < rows; i++) pack(job, count, x + (ptrdiff_t)i * b->x_step, buffer + i * piece);
    scan_lines(job, rows, bytes, in ? buffer : x, in ? stride : b->x_stride, out ? buffer : y,
               out ? stride : b->y_stride, c, at);
    for (size_t i = 0; out && i < rows; i++) unpack(job, count, buffer + i * piece, y + (ptrdiff_t)i * b->y_step);
  }
}

_Static_assert(ROWS *PIECE <= PAIRED_ROWS * PAIRED_PIECE, "the buffer serves both");

static void scan_many(const mms_job *job, const mms_batch *r, size_t from, band *b) {
  alignas(MMS_KERNEL_LINE) char kept[BAND];
  const bool in_pieces = packs(job) || job->storage->out || job->streams;
  const carries c = take_carries(job, r, from, b, kept, kept + BAND / 2);
  const size_t most = rows_of(job);
  for (size_t done = 0, rows; done < b->n; done += rows) {
    rows = b->n - done < most ? b->n - done : most;
    if (in_pieces)
      scan_pieces(job, rows, b, &c);
    else
      scan_lines(job, rows, b->bytes, b->x, b->x_stride, b->y, b->y_stride, &c, 0);
    b->x += (ptrdiff_t)rows * b->x_step, b->y += (ptrdiff_t)rows * b->y_step;
  }
  keep_carries(job, r, from, b, &c);
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
  alignas(MMS_KERNEL_LINE) char buffer[RUN], carry[MMS_COLUMNS], low[MMS_COLUMNS];
  mms_loop_columns *scan = job->algebra->loop.columns[job->kind];
  const ptrdiff_t stride = stride_of(job, b);
  const bool in = packs(job), out = job->storage->out || (job->streams && b->y_stride == stride);
  const size_t most = RUN / b->bytes;
  const carries c = take_carries(job, r, from, b, carry, low);
  for (size_t done = 0, m; done < b->n; done += m, b->x += (ptrdiff_t)m * b->x_step, b->y += (ptrdiff_t)m * b->y_step) {
    m = b->n - done < most ? b->n - done : most;
    char *first = buffer + (job->reverse ? (m - 1) * b->bytes : 0);
    if (in) pack_rows(job, b, m, buffer);
    scan(m, b->count, in ? first : b->x, in ? stride : b->x_stride, out ? first : b->y, out ? stride : b->y_stride,
         c.carry, c.low);
    if (out) unpack_rows(job, b, m, buffer);
  }
  keep_carries(job, r, from, b, &c);
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  const size_t most = BAND / (job->keeps_pairs ? 2 : 1) / job->algebra->size;
  (void)work;
  for (size_t from = 0; from < r->count; from += most) {
    const size_t count = r->count - from < most ? r->count - from : most;
    band b = band_of(job, r, from, count);
    (b.bytes <= MMS_COLUMNS ? scan_few : scan_many)(job, r, from, &b);
  }
}

const mms_engine mms_engine_columns = {
    .name = "serial", .description = "the columns of a matrix, row by row", .batch = scan_batch};
