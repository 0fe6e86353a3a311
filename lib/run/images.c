/* images.c: strips that threads take in turn. */
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
  atomic_size_t taken;  /* strips that threads have taken */
  mms_notifier notifier;
  atomic_size_t *passed; /* of each group of rows, the strips that its carries have passed */
  char *carries;         /* of all rows; NULL: an image is one strip, which keeps its own */
} images;

static size_t groups_of(const mms_integral *a) { return (a->rows + MMS_INTEGRAL_GROUP - 1) / MMS_INTEGRAL_GROUP; }

static size_t pieces_of(const mms_integral *a) {
  const size_t piece = mms_integral_piece(a);
  return a->columns > piece ? (a->columns - 1) / piece + 1 : 1;
}

size_t mms_images_strips(const mms_integral *a) { return pieces_of(a) * a->batch; }

/* ---- A strip -------------------------------------------------------------------------------------------------- */

/* There may be no x, where there is only a border. */
static mms_strip strip_of(const images *s, size_t image, size_t index) {
  const mms_integral *a = s->a;
  const size_t from = index * s->width, left = a->columns - from;
  return (mms_strip){.from = from,
                     .count = left < s->width ? left : s->width,
                     .x = s->x ? s->x + (ptrdiff_t)image * a->x_dist * (ptrdiff_t)a->storage->x_size : NULL,
                     .y = s->y + (ptrdiff_t)image * a->y_dist * (ptrdiff_t)a->storage->y_size};
}

/* Only waits for a strip that another thread works on. */
static void scan_group(images *s, const mms_strip *strip, void *work, size_t image, size_t index, size_t group) {
  const mms_integral *a = s->a;
  const size_t first = group * MMS_INTEGRAL_GROUP, left = a->rows - first;
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

static void take_part(void *given, const mms_member *self) {
  images *s = given;
  const size_t strips = s->strips * s->a->batch, groups = groups_of(s->a);
  for (size_t i; (i = atomic_fetch_add(&s->taken, 1)) < strips;) {
    const size_t image = i / s->strips, index = i % s->strips;
    const mms_strip strip = strip_of(s, image, index);
    mms_integral_begin(s->a, &strip, self->work);
    for (size_t group = 0; group < groups; group++) scan_group(s, &strip, self->work, image, index, group);
  }
  if (s->a->streams) mms_stream_fence();
}

/* ---- A run ---------------------------------------------------------------------------------------------------- */

/* As wide as so many strips of an image are. */
static void cut(images *s, size_t strips) {
  const mms_integral *a = s->a;
  const size_t pieces = pieces_of(a), each = (pieces - 1) / strips + 1;
  s->width = each * mms_integral_piece(a);
  s->strips = (pieces - 1) / each + 1;
}

static size_t lay_out(images *s, void *block) {
  const mms_integral *a = s->a;
  mms_arena arena = {.block = block};
  s->passed = mms_arena_take(&arena, a->batch * groups_of(a) * sizeof *s->passed);
  s->carries = mms_arena_take(&arena, a->batch * a->rows * mms_integral_carry_size(a));
  return arena.used;
}

/* Images that are fewer than threads are cut, if there is memory for the carries. */
static void *share(images *s, int threads) {
  const size_t batch = s->a->batch, strips = ((size_t)threads - 1) / batch + 1;
  cut(s, strips);
  if (s->strips == 1) return NULL;
  void *block = mms_workspace_acquire(lay_out(s, NULL));
  if (block)
    lay_out(s, block);
  else
    cut(s, 1);
  for (size_t i = 0; block && i < batch * groups_of(s->a); i++) atomic_init(&s->passed[i], 0);
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
