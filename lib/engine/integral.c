/* integral.c: strips of integral images. Where a pixel is one sum, a row is scanned and added to the row above in one
 * loop (image/raster.h), from a buffer only if elements are converted first, or squared. Some rows of others, piece by
 * piece, are packed, squared and scanned in a buffer in a core's first cache; they are then scanned as columns, of
 * which the carries are the row above. */
#include "engine/integral.h"

#include "base/arena.h"
#include "unit/matrix.h"
#include <string.h>

/* Rows that are scanned together; bytes of a piece, as its elements are combined. */
enum { ROWS = 4, PIECE = MMS_RASTER_PIECE, S = MMS_BY_UNIT_S };

_Static_assert(PIECE == MMS_BY_UNIT_COLUMNS * sizeof(double) && MMS_INTEGRAL_GROUP % S == 0, "units get whole pieces");

/* Sums in a pixel. */
static size_t sums_of(const mms_integral *a) { return a->channels * (a->storage->size / a->algebra->size); }

static size_t pixel_of(const mms_integral *a) { return a->channels * a->storage->size; }

size_t mms_integral_piece(const mms_integral *a) {
  const size_t piece = PIECE / pixel_of(a);
  return piece > 0 ? piece : 1;
}

/* A kernel's carry is more than an element. */
size_t mms_integral_carry_size(const mms_integral *a) {
  return pixel_of(a) > sizeof(mms_value) ? pixel_of(a) : sizeof(mms_value);
}

/* What reads x as it is stored; MMS_RASTER_SOURCES: nothing does. */
static mms_raster_source source_of(const mms_integral *a) {
  const bool is_32 = a->algebra->lanes == MMS_LANES_I32, is_f64 = a->algebra->lanes == MMS_LANES_F64;
  if (a->multiplies) return MMS_RASTER_SOURCES;
  if (!a->storage->in) return MMS_RASTER_SAME;
  if (is_32 && a->x_type == MMSCAN_U8) return MMS_RASTER_U8;
  if (is_32 && a->x_type == MMSCAN_U16) return MMS_RASTER_U16;
  return is_f64 && a->x_type == MMSCAN_F32 ? MMS_RASTER_F32 : MMS_RASTER_SOURCES;
}

void mms_integral_choose(mms_integral *a, const mms_isa *isa) {
  const mms_raster_source source = source_of(a);
  a->kernel = mms_kernel_of(isa, a->algebra);
  a->raster = NULL;
  a->unit = NULL;
  a->reads_x = false;
  if (sums_of(a) > 1) return;
  const mms_rasters *rasters = mms_rasters_of(isa);
  mms_raster_scan *const *scans = rasters->scan[a->algebra->lanes];
  if (source < MMS_RASTER_SOURCES) a->raster = scans[source];
  a->reads_x = a->raster != NULL;
  if (!a->raster) a->raster = scans[MMS_RASTER_SAME];
  a->raster_streams = rasters->streams;
}

bool mms_integral_may_multiply(const mms_integral *a) { return sums_of(a) == 1 && a->algebra->lanes == MMS_LANES_F64; }

/* ---- Workspace ------------------------------------------------------------------------------------------------ */

typedef struct workspace {
  char *above, *buffer, *carries;
  char *copy; /* of a piece of the row above */
  mms_raster_stream *stream;
  double *l, *x, *products, *y; /* of a unit: L_s, and its pieces */
} workspace;

static size_t lay_out(const mms_integral *a, size_t columns, void *work, workspace *w) {
  mms_arena arena = {.block = work};
  w->above = mms_arena_take(&arena, columns * pixel_of(a));
  w->buffer = mms_arena_take(&arena, ROWS * mms_integral_piece(a) * pixel_of(a));
  w->copy = mms_arena_take(&arena, mms_integral_piece(a) * pixel_of(a));
  w->stream = mms_arena_take(&arena, sizeof *w->stream);
  w->carries = mms_arena_take(&arena, MMS_INTEGRAL_GROUP * mms_integral_carry_size(a));
  if (a->unit) {
    w->l = mms_arena_take(&arena, S * S * sizeof *w->l);
    w->x = mms_arena_take(&arena, S * MMS_BY_UNIT_COLUMNS * sizeof *w->x);
    w->products = mms_arena_take(&arena, S * MMS_BY_UNIT_COLUMNS * sizeof *w->products);
    w->y = mms_arena_take(&arena, S * MMS_BY_UNIT_COLUMNS * sizeof *w->y);
  }
  return arena.used;
}

size_t mms_integral_work_size(const mms_integral *a, size_t columns) {
  workspace w;
  return lay_out(a, columns, NULL, &w);
}

void *mms_integral_carries(const mms_integral *a, size_t columns, void *work) {
  workspace w;
  lay_out(a, columns, work, &w);
  return w.carries;
}

/* ---- The border ----------------------------------------------------------------------------------------------- */

static void fill(const mms_integral *a, char *to, size_t count) {
  const mms_value identity = mms_algebra_value(a->algebra, a->algebra->identity);
  for (size_t i = 0; i < count; i++) memcpy(to + i * a->algebra->size, &identity, a->algebra->size);
}

/* Where column `from` of a row is; in y past the border. */
static const char *x_at(const mms_integral *a, const mms_strip *s, size_t row, size_t from) {
  const ptrdiff_t at = (ptrdiff_t)row * a->x_ld + (ptrdiff_t)(from * a->channels);
  return s->x + at * (ptrdiff_t)a->storage->x_size;
}

static char *y_at(const mms_integral *a, const mms_strip *s, size_t row, size_t from) {
  const ptrdiff_t at = (ptrdiff_t)(row + a->has_border) * a->y_ld + (ptrdiff_t)((from + a->has_border) * a->channels);
  return s->y + at * (ptrdiff_t)a->storage->y_size;
}

void mms_integral_begin(const mms_integral *a, const mms_strip *s, void *work) {
  const size_t corner = s->from == 0, pixel = a->channels * a->storage->y_size;
  workspace w;
  lay_out(a, s->count, work, &w);
  fill(a, w.above, s->count * sums_of(a));
  if (a->unit) mms_matrix_of(MMSCAN_F64, MMSCAN_MATRIX_L, S, w.l);
  if (a->has_border && s->first == 0) memset(s->y + (s->from + !corner) * pixel, 0, (s->count + corner) * pixel);
}

/* What a first strip does for the rows of a group. */
static void begin_rows(const mms_integral *a, const mms_strip *s, size_t first, size_t rows, char *carries) {
  const size_t carry_size = mms_integral_carry_size(a), pixel = a->channels * a->storage->y_size;
  memset(carries, 0, rows * carry_size);
  for (size_t i = 0; i < rows; i++) {
    fill(a, carries + i * carry_size, sums_of(a));
    if (a->has_border) memset(y_at(a, s, first + i, 0) - pixel, 0, pixel);
  }
}

/* ---- Rows ----------------------------------------------------------------------------------------------------- */

/* Scans columns, a line of each row at a time. */
static void scan_columns(const mms_algebra *algebra, size_t n, size_t count, const char *x, ptrdiff_t x_stride, char *y,
                         ptrdiff_t y_stride, char *carry) {
  const size_t line = MMS_COLUMNS / algebra->size;
  for (size_t from = 0, at = 0; from < count; from += line, at += MMS_COLUMNS)
    algebra->loop.columns[MMSCAN_INCLUSIVE](n, count - from < line ? count - from : line, x + at, x_stride, y + at,
                                            y_stride, carry + at, NULL);
}

/* Elements as they are added, in the buffer. */
static void pack(const mms_integral *a, size_t count, const char *x, char *buffer) {
  mms_pack(a->storage, count, x, 1, buffer, (mms_ahead){NULL, 0});
  if (a->multiplies) scan_columns(a->multiplies, 1, count, buffer, 0, buffer, 0, buffer); /* each is its own carry */
}

/* The same, left in x if they are so there. */
static const char *elements(const mms_integral *a, size_t count, const char *x, char *buffer) {
  if (!a->storage->in && !a->multiplies) return x;
  pack(a, count, x, buffer);
  return buffer;
}

/* Channels are columns of a matrix whose rows are pixels. */
static void scan_row(const mms_integral *a, size_t pixels, const char *from, char *to, char *carry) {
  const size_t sums = sums_of(a);
  if (sums == 1)
    a->kernel->scan[MMSCAN_INCLUSIVE][0](a->kernel, pixels, from, to, (mms_value *)(void *)carry, NULL);
  else
    scan_columns(a->algebra, pixels, sums, from, (ptrdiff_t)sums, to, (ptrdiff_t)sums, carry);
}

/* From the buffer to y. */
static void put(const mms_integral *a, size_t n, const char *buffer, char *y) {
  if (a->streams)
    mms_unpack_past(a->storage, n, buffer, y);
  else
    mms_unpack(a->storage, n, buffer, y, 1, (mms_ahead){NULL, 0});
}

/* Adds the row above to rows in the buffer, on their way to y. */
static void add_above(const mms_integral *a, size_t rows, size_t pixels, char *buffer, char *above, char *y) {
  const size_t sums = sums_of(a), count = pixels * sums, parts = sums / a->channels;
  const size_t row = mms_integral_piece(a) * sums;
  const ptrdiff_t step = a->y_ld * (ptrdiff_t)a->storage->y_size;
  const bool unpacks = a->storage->out || a->streams;
  mms_add_rows *add_rows = mms_storage_adder(a->algebra->lanes);
  if (unpacks)
    add_rows(rows, count, buffer, (ptrdiff_t)row, buffer, (ptrdiff_t)row, above);
  else
    add_rows(rows, count, buffer, (ptrdiff_t)row, y, a->y_ld * (ptrdiff_t)parts, above);
  for (size_t i = 0; unpacks && i < rows; i++, buffer += row * a->algebra->size, y += step)
    put(a, pixels * a->channels, buffer, y);
}

static void scan_some(const mms_integral *a, const mms_strip *s, const workspace *w, size_t first, size_t rows,
                      char *carries) {
  const size_t most = mms_integral_piece(a), pixel = pixel_of(a), carry_size = mms_integral_carry_size(a);
  for (size_t done = 0, m; done < s->count; done += m) {
    m = s->count - done < most ? s->count - done : most;
    for (size_t i = 0; i < rows; i++) {
      char *buffer = w->buffer + i * most * pixel;
      const char *from = elements(a, m * a->channels, x_at(a, s, first + i, s->from + done), buffer);
      scan_row(a, m, from, buffer, carries + i * carry_size);
    }
    add_above(a, rows, m, w->buffer, w->above + done * pixel, y_at(a, s, first, s->from + done));
  }
}

/* ---- Rows in one loop ------------------------------------------------------------------------------------------- */

/* What a raster scan leaves, as it may not be regrouped, up to the next piece: `at` is where the row is in its strip.
 * Not by the row above itself, which may be in y. */
static size_t scan_plainly(const mms_integral *a, const workspace *w, const mms_raster_row *row, size_t at) {
  const size_t piece = mms_integral_piece(a), left = piece - at % piece, n = row->n < left ? row->n : left;
  const size_t bytes = n * a->storage->size;
  char *scanned = w->buffer + piece * a->storage->size; /* beside the buffer's first row, which x and y may be in */
  const char *x = a->reads_x ? elements(a, n, row->x, scanned) : row->x;
  scan_row(a, n, x, scanned, (char *)row->carry);
  memcpy(w->copy, row->above, bytes);
  mms_storage_adder(a->algebra->lanes)(1, n, scanned, 0, row->y, 0, w->copy);
  if (row->below) memcpy(row->below, row->y, bytes);
  return n;
}

/* Where a raster scan does nothing, the plain one goes on. */
static void scan_part(const mms_integral *a, const workspace *w, mms_raster_row row, size_t at) {
  const size_t x_size = a->reads_x ? a->storage->x_size : a->storage->size, size = a->storage->size;
  for (size_t done; row.n > 0; row.n -= done, at += done) {
    done = a->raster(&row);
    if (done == 0) done = scan_plainly(a, w, &row, at);
    row.x += done * x_size;
    row.y += done * size;
    row.above += done * size;
    if (row.below) row.below += done * size;
  }
}

/* Lines that a streamed row shares with what is beside it are not streamed, and are fetched in time. */
static void fetch_ends(const mms_integral *a, const mms_strip *s, size_t row) {
  __builtin_prefetch(y_at(a, s, row, s->from + s->count) - 1, 1);
  if (row + 1 < a->rows) __builtin_prefetch(y_at(a, s, row + 1, s->from), 1);
}

/* By way of the buffer where y is of another type, or is to be streamed, and raster scans do not. The row above is read
 * from y, unless that goes by way of the buffer, or past the caches. */
static void scan_at_once(const mms_integral *a, const mms_strip *s, const workspace *w, size_t row, char *carry) {
  const bool buffers = a->storage->out || (a->streams && !a->raster_streams), keeps = buffers || a->streams;
  const size_t most = a->reads_x && !buffers ? s->count : mms_integral_piece(a), size = a->storage->size;
  if (a->streams) fetch_ends(a, s, row);
  for (size_t done = 0, m; done < s->count; done += m) {
    m = s->count - done < most ? s->count - done : most;
    const char *x = x_at(a, s, row, s->from + done);
    char *y = y_at(a, s, row, s->from + done), *above = w->above + done * size;
    const mms_raster_row part = {.n = m,
                                 .x = a->reads_x ? x : elements(a, m, x, w->buffer),
                                 .next = a->reads_x ? x_at(a, s, row + 1, s->from) : NULL,
                                 .y = buffers ? w->buffer : y,
                                 .above = keeps || row == s->first ? above : y_at(a, s, row - 1, s->from + done),
                                 .below = keeps ? above : NULL,
                                 .carry = (mms_value *)(void *)carry,
                                 .stream = a->streams && !buffers ? w->stream : NULL,
                                 .begins = done == 0,
                                 .ends = done + m == s->count};
    scan_part(a, w, part, done);
    if (buffers) put(a, m, w->buffer, y);
  }
}

/* ---- Rows by a unit --------------------------------------------------------------------------------------------- */

/* What may not be multiplied, by the plain path: to w->y, too. */
static void sum_plainly(const mms_integral *a, const workspace *w, size_t rows, size_t columns, char *carries,
                        char *above) {
  const size_t stride = mms_by_unit_stride(columns), carry_size = mms_integral_carry_size(a);
  for (size_t i = 0; i < rows; i++)
    scan_row(a, columns, (char *)(w->x + i * stride), (char *)(w->y + i * stride), carries + i * carry_size);
  mms_storage_adder(a->algebra->lanes)(rows, columns, w->y, (ptrdiff_t)stride, w->y, (ptrdiff_t)stride, above);
}

static void scan_by_unit(const mms_integral *a, const mms_strip *s, const workspace *w, size_t first, size_t rows,
                         char *carries) {
  const mms_by_unit by = {a->unit, a->kernel, w->l, w->x, w->products, w->y};
  const size_t most = mms_integral_piece(a), carry_size = mms_integral_carry_size(a);
  for (size_t done = 0, m; done < s->count; done += m) {
    char *above = w->above + done * sizeof(double);
    m = s->count - done < most ? s->count - done : most;
    const size_t stride = mms_by_unit_stride(m);
    for (size_t i = 0; i < rows; i++) pack(a, m, x_at(a, s, first + i, s->from + done), (char *)(w->x + i * stride));
    if (!mms_by_unit_sum(&by, rows, m, carries, carry_size, (double *)(void *)above))
      sum_plainly(a, w, rows, m, carries, above);
    for (size_t i = 0; i < rows; i++)
      mms_unpack(a->storage, m, w->y + i * stride, y_at(a, s, first + i, s->from + done), 1, (mms_ahead){NULL, 0});
  }
}

/* ---- Rows in any way -------------------------------------------------------------------------------------------- */

void mms_integral_rows(const mms_integral *a, const mms_strip *s, void *work, size_t first, size_t rows,
                       void *carries) {
  const size_t carry_size = mms_integral_carry_size(a);
  workspace w;
  lay_out(a, s->count, work, &w);
  if (s->from == 0) begin_rows(a, s, first, rows, carries);
  const size_t most = a->unit ? S : a->raster ? 1 : ROWS;
  for (size_t done = 0, m; done < rows; done += m) {
    m = rows - done < most ? rows - done : most;
    if (a->unit)
      scan_by_unit(a, s, &w, first + done, m, (char *)carries + done * carry_size);
    else if (a->raster)
      scan_at_once(a, s, &w, first + done, (char *)carries + done * carry_size);
    else
      scan_some(a, s, &w, first + done, m, (char *)carries + done * carry_size);
  }
}

/* ---- Bands ------------------------------------------------------------------------------------------------------ */

size_t mms_integral_total_size(const mms_integral *a) { return a->columns * pixel_of(a); }

/* Its columns are added up, and their sums are scanned. */
void mms_integral_total(const mms_integral *a, const mms_strip *band, void *work, void *total) {
  const size_t most = mms_integral_piece(a), pixel = pixel_of(a);
  mms_add_rows *add_rows = mms_storage_adder(a->algebra->lanes);
  workspace w;
  lay_out(a, band->count, work, &w);
  memset(w.carries, 0, mms_integral_carry_size(a));
  fill(a, w.carries, sums_of(a));
  fill(a, total, band->count * sums_of(a));
  for (size_t done = 0, m; done < band->count; done += m) {
    char *sums = (char *)total + done * pixel;
    m = band->count - done < most ? band->count - done : most;
    for (size_t i = 0; i < band->rows; i++) {
      const char *from = elements(a, m * a->channels, x_at(a, band, band->first + i, done), w.buffer);
      add_rows(1, m * sums_of(a), from, 0, w.copy, 0, sums);
    }
    scan_row(a, m, sums, sums, w.carries);
  }
}

void mms_integral_put_below(const mms_integral *a, const mms_strip *band, void *work, const void *total) {
  const size_t most = mms_integral_piece(a), pixel = pixel_of(a);
  workspace w;
  lay_out(a, band->count, work, &w);
  for (size_t done = 0, m; done < band->count; done += m) {
    m = band->count - done < most ? band->count - done : most;
    mms_storage_adder(a->algebra->lanes)(1, m * sums_of(a), (const char *)total + done * pixel, 0, w.copy, 0,
                                         w.above + done * pixel);
  }
}
