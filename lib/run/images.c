/* images.c: strips, or bands, that threads take in turn. */
#include "run/images.h"

#include "base/arena.h"
#include "base/stream.h"
#include "base/workspace.h"
#include "team/notifier.h"
#include "team/team.h"

typedef struct images {
  const mms_integral *a;
  const char *x;
  char *y;
  size_t width, strips; /* columns of a strip, and strips of an image */
  size_t height, bands; /* rows of a band, and bands of an image, where that is one strip */
  atomic_size_t taken;  /* strips, or totals and bands, that threads have taken */
  mms_notifier notifier;
  atomic_size_t *passed; /* of each group of rows, the strips that its carries have passed */
  char *carries;         /* of all rows; NULL: an image is one strip, which keeps its own */
  atomic_size_t *known;  /* of each band but the last ones of images: 1 once its total is known */
  char *totals;
} images;

static size_t divided(size_t n, size_t by) { return n > 0 ? (n - 1) / by + 1 : 0; }

static size_t groups_of(const mms_integral *a) { return divided(a->rows, MMS_INTEGRAL_GROUP); }

static size_t pieces_of(const mms_integral *a) {
  const size_t pieces = divided(a->columns, mms_integral_piece(a));
  return pieces > 1 ? pieces : 1;
}

/* Sums of floats are added in the order of the rows. */
static size_t bands_of(const mms_integral *a) {
  const size_t groups = groups_of(a);
  return a->algebra->is_exact && a->columns > 0 && groups > 1 ? groups : 1;
}

size_t mms_images_parts(const mms_integral *a) {
  const size_t pieces = pieces_of(a), bands = bands_of(a);
  return (pieces > bands ? pieces : bands) * a->batch;
}

/* ---- A strip -------------------------------------------------------------------------------------------------- */

/* There may be no x, where there is only a border. */
static mms_strip strip_of(const images *s, size_t image, size_t index, size_t band) {
  const mms_integral *a = s->a;
  const size_t from = index * s->width, left = a->columns - from;
  const size_t first = band * s->height, below = a->rows - first;
  return (mms_strip){.from = from,
                     .count = left < s->width ? left : s->width,
                     .first = first,
                     .rows = below < s->height ? below : s->height,
                     .x = s->x ? s->x + (ptrdiff_t)image * a->x_dist * (ptrdiff_t)a->storage->x_size : NULL,
                     .y = s->y + (ptrdiff_t)image * a->y_dist * (ptrdiff_t)a->storage->y_size};
}

/* Only waits for a strip that another thread works on. */
static void scan_group(images *s, const mms_strip *strip, void *work, size_t image, size_t index, size_t group) {
  const mms_integral *a = s->a;
  const size_t done = group * MMS_INTEGRAL_GROUP, first = strip->first + done, left = strip->rows - done;
  const size_t rows = left < MMS_INTEGRAL_GROUP ? left : MMS_INTEGRAL_GROUP;
  if (!s->carries) {
    mms_integral_rows(a, strip, work, first, rows, mms_integral_carries(a, strip->count, work));
    return;
  }
  atomic_size_t *passed = &s->passed[image * groups_of(a) + group];
  mms_notifier_wait(&s->notifier, passed, index);
  mms_integral_rows(a, strip, work, first, rows, s->carries + (image * a->rows + first) * mms_integral_carry_size(a));
  mms_notifier_set(&s->notifier, passed, index + 1);
}

static void take_strips(images *s, void *work) {
  const size_t strips = s->strips * s->a->batch;
  for (size_t i; (i = atomic_fetch_add(&s->taken, 1)) < strips;) {
    const size_t image = i / s->strips, index = i % s->strips;
    const mms_strip strip = strip_of(s, image, index, 0);
    mms_integral_begin(s->a, &strip, work);
    for (size_t group = 0; group < groups_of(s->a); group++) scan_group(s, &strip, work, image, index, group);
  }
}

/* ---- Bands ------------------------------------------------------------------------------------------------------ */

static char *total_of(const images *s, size_t index) { return s->totals + index * mms_integral_total_size(s->a); }

/* Only waits for totals that other threads work on, as all have been taken. */
static void scan_band(images *s, size_t image, size_t band, void *work) {
  const mms_strip strip = strip_of(s, image, 0, band);
  const size_t first = image * (s->bands - 1);
  mms_integral_begin(s->a, &strip, work);
  for (size_t i = first; i < first + band; i++) {
    mms_notifier_wait(&s->notifier, &s->known[i], 1);
    mms_integral_put_below(s->a, &strip, work, total_of(s, i));
  }
  for (size_t group = 0; group < divided(strip.rows, MMS_INTEGRAL_GROUP); group++)
    scan_group(s, &strip, work, image, 0, group);
}

/* First all totals, then all bands. In place, no band is written before its total is known. */
static void take_bands(images *s, void *work) {
  const size_t each = s->bands - 1, totals = each * s->a->batch, all = totals + s->bands * s->a->batch;
  for (size_t i; (i = atomic_fetch_add(&s->taken, 1)) < all;) {
    if (i >= totals) {
      const size_t image = (i - totals) / s->bands, band = (i - totals) % s->bands;
      if (band < each) mms_notifier_wait(&s->notifier, &s->known[image * each + band], 1);
      scan_band(s, image, band, work);
      continue;
    }
    const mms_strip band = strip_of(s, i / each, 0, i % each);
    mms_integral_total(s->a, &band, work, total_of(s, i));
    mms_notifier_set(&s->notifier, &s->known[i], 1);
  }
}

static void take_part(void *given, const mms_member *self) {
  images *s = given;
  if (s->bands > 1)
    take_bands(s, self->work);
  else
    take_strips(s, self->work);
  if (s->a->streams) mms_stream_fence();
}

/* ---- A run ---------------------------------------------------------------------------------------------------- */

/* As wide as so many strips of an image are; as high as so many bands. */
static void cut(images *s, size_t strips, size_t bands) {
  const mms_integral *a = s->a;
  const size_t pieces = pieces_of(a), each = divided(pieces, strips), groups = divided(groups_of(a), bands);
  s->width = each * mms_integral_piece(a);
  s->strips = divided(pieces, each);
  s->height = bands > 1 ? groups * MMS_INTEGRAL_GROUP : a->rows;
  s->bands = bands > 1 ? divided(groups_of(a), groups) : 1;
}

static size_t lay_out(images *s, void *block) {
  const mms_integral *a = s->a;
  mms_arena arena = {.block = block};
  if (s->strips > 1) {
    s->passed = mms_arena_take(&arena, a->batch * groups_of(a) * sizeof *s->passed);
    s->carries = mms_arena_take(&arena, a->batch * a->rows * mms_integral_carry_size(a));
  }
  if (s->bands > 1) {
    s->known = mms_arena_take(&arena, a->batch * (s->bands - 1) * sizeof *s->known);
    s->totals = mms_arena_take(&arena, a->batch * (s->bands - 1) * mms_integral_total_size(a));
  }
  return arena.used;
}

/* Images that are fewer than threads are cut, if there is memory for what parts pass on: into bands if there are too
 * few strips, as these read x only once. */
static void *share(images *s, int threads) {
  const mms_integral *a = s->a;
  const size_t wanted = divided((size_t)threads, a->batch), bands = bands_of(a) < wanted ? bands_of(a) : wanted;
  cut(s, wanted, 1);
  if (s->strips < bands) cut(s, 1, bands);
  if (s->strips == 1 && s->bands == 1) return NULL;
  void *block = mms_workspace_acquire(lay_out(s, NULL));
  if (block)
    lay_out(s, block);
  else
    cut(s, 1, 1);
  for (size_t i = 0; block && s->strips > 1 && i < a->batch * groups_of(a); i++) atomic_init(&s->passed[i], 0);
  for (size_t i = 0; block && i < a->batch * (s->bands - 1); i++) atomic_init(&s->known[i], 0);
  return block;
}

mmscan_status mms_images_scan(const mms_integral *a, const void *x, void *y, int threads) {
  images s = {.a = a, .x = x, .y = y, .notifier = MMS_NOTIFIER_READY};
  void *block = share(&s, threads);
  const size_t work_size = mms_integral_work_size(a, s.width < a->columns ? s.width : a->columns);
  const mmscan_status status = mms_team_run(threads, work_size, take_part, &s);
  mms_workspace_release(block);
  return status;
}
