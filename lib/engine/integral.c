/* integral.c: strips of integral images. Some rows of a piece are packed, squared and scanned in a buffer in a core's
 * first cache; they are then scanned as columns, of which the carries are the row above. */
#include "engine/integral.h"

#include "base/arena.h"
#include <string.h>

/* Rows that are scanned together; bytes of a piece, as its elements are combined. */
enum { ROWS = 4, PIECE = 2048 };

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

/* ---- Workspace ------------------------------------------------------------------------------------------------ */

typedef struct workspace {
  char *above, *buffer, *carries;
} workspace;

static size_t lay_out(const mms_integral *a, size_t columns, void *work, workspace *w) {
  mms_arena arena = {.block = work};
  w->above = mms_arena_take(&arena, columns * pixel_of(a));
  w->buffer = mms_arena_take(&arena, ROWS * mms_integral_piece(a) * pixel_of(a));
  w->carries = mms_arena_take(&arena, MMS_INTEGRAL_GROUP * mms_integral_carry_size(a));
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
  if (a->has_border) memset(s->y + (s->from + !corner) * pixel, 0, (s->count + corner) * pixel);
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

/* Elements as they are added: in the buffer, unless they are so in x. */
static const char *elements(const mms_integral *a, size_t count, const char *x, char *buffer) {
  if (!a->storage->in && !a->multiplies) return x;
  mms_pack(a->storage, count, x, 1, buffer, (mms_ahead){NULL, 0});
  if (a->multiplies) scan_columns(a->multiplies, 1, count, buffer, 0, buffer, 0, buffer); /* each is its own carry */
  return buffer;
}

/* Channels are columns of a matrix whose rows are pixels. */
static void scan_row(const mms_integral *a, size_t pixels, const char *x, char *buffer, char *carry) {
  const size_t sums = sums_of(a);
  const char *from = elements(a, pixels * a->channels, x, buffer);
  if (sums == 1)
    a->kernel->scan[MMSCAN_INCLUSIVE][0](a->kernel, pixels, from, buffer, (mms_value *)(void *)carry, NULL);
  else
    scan_columns(a->algebra, pixels, sums, from, (ptrdiff_t)sums, buffer, (ptrdiff_t)sums, carry);
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
    if (a->streams)
      mms_unpack_past(a->storage, pixels * a->channels, buffer, y);
    else
      mms_unpack(a->storage, pixels * a->channels, buffer, y, 1, (mms_ahead){NULL, 0});
}

static void scan_rows(const mms_integral *a, const mms_strip *s, const workspace *w, size_t first, size_t rows,
                      char *carries) {
  const size_t most = mms_integral_piece(a), pixel = pixel_of(a), carry_size = mms_integral_carry_size(a);
  for (size_t done = 0, m; done < s->count; done += m) {
    m = s->count - done < most ? s->count - done : most;
    for (size_t i = 0; i < rows; i++)
      scan_row(a, m, x_at(a, s, first + i, s->from + done), w->buffer + i * most * pixel, carries + i * carry_size);
    add_above(a, rows, m, w->buffer, w->above + done * pixel, y_at(a, s, first, s->from + done));
  }
}

void mms_integral_rows(const mms_integral *a, const mms_strip *s, void *work, size_t first, size_t rows,
                       void *carries) {
  const size_t carry_size = mms_integral_carry_size(a);
  workspace w;
  lay_out(a, s->count, work, &w);
  if (s->from == 0) begin_rows(a, s, first, rows, carries);
  for (size_t done = 0, m; done < rows; done += m) {
    m = rows - done < ROWS ? rows - done : ROWS;
    scan_rows(a, s, &w, first + done, m, (char *)carries + done * carry_size);
  }
}
