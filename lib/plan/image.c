/* image.c: requests for integral images. They are described as rows that are scanned, and checked as these are. */
#include "plan/image.h"

#include "base/tuning.h"
#include "plan/check.h"
#include "plan/env.h"
#include "plan/problem.h"
#include "team/pays.h"
#include "team/team.h"
#include <math.h>

/* ---- Descriptions --------------------------------------------------------------------------------------------- */

/* Rows of so many elements; outer scans are images. */
static mmscan_desc rows_of(const mmscan_integral_desc *d, size_t n, size_t rows, const mmscan_dim *images) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = d->x_type,
                       .y_type = d->y_type,
                       .op = MMSCAN_PLUS,
                       .kind = MMSCAN_INCLUSIVE,
                       .n = n,
                       .x_stride = 1,
                       .y_stride = 1,
                       .batch = rows,
                       .x_dist = d->x_ld,
                       .y_dist = d->y_ld,
                       .outer_rank = 1,
                       .outer = images};
}

/* The rows of y with its border, to which some x is scanned. */
static mmscan_status bordered_from(mms_problem *p, const mmscan_integral_desc *d, size_t channels) {
  const mmscan_dim images = {d->batch, 0, d->y_dist};
  size_t n, rows;
  if (__builtin_add_overflow(d->rows, 1, &rows) || __builtin_add_overflow(d->columns, 1, &n)) return MMSCAN_EINVAL;
  if (__builtin_mul_overflow(n, channels, &n)) return MMSCAN_EINVAL;
  mmscan_desc desc = rows_of(d, n, rows, &images);
  desc.x_type = d->y_type;
  desc.x_stride = desc.x_dist = 0;
  return mms_problem_from(p, &desc);
}

/* Sums into F32 and C32 are of doubles. */
static mms_integral image_of(const mmscan_integral_desc *d, size_t channels) {
  const mms_storage *wide = mms_storage_wide(d->x_type, d->y_type);
  const mms_storage *storage = wide ? wide : mms_storage_of(d->x_type, d->y_type);
  const mms_algebra *multiplies = mms_algebra_of(MMSCAN_MUL, storage->arithmetic);
  const mms_storage *planes = mms_storage_in_planes(storage->arithmetic, storage->arithmetic);
  return (mms_integral){.x_type = d->x_type,
                        .storage = storage,
                        .algebra = mms_algebra_of(MMSCAN_PLUS, planes ? planes->arithmetic : storage->arithmetic),
                        .multiplies = d->squares ? multiplies : NULL,
                        .rows = d->rows,
                        .columns = d->columns,
                        .channels = channels,
                        .batch = d->batch,
                        .x_ld = d->x_ld,
                        .y_ld = d->y_ld,
                        .x_dist = d->batch > 1 ? d->x_dist : 0,
                        .y_dist = d->batch > 1 ? d->y_dist : 0,
                        .has_border = d->border != 0};
}

mmscan_status mms_image_from(mms_integral *image, const mmscan_integral_desc *d, const void *x, const void *y) {
  mms_problem p, bordered;
  size_t n;
  mmscan_status status = mms_check_struct(d, sizeof *d);
  if (status) return status;
  const size_t channels = d->channels > 0 ? d->channels : 1;
  const mmscan_dim images = {d->batch, d->x_dist, d->y_dist};
  if (__builtin_mul_overflow(d->columns, channels, &n)) return MMSCAN_EINVAL;
  const mmscan_desc desc = rows_of(d, n, d->rows, &images);
  if ((status = mms_problem_from(&p, &desc))) return status;
  if (d->border && (status = bordered_from(&bordered, d, channels))) return status;
  *image = image_of(d, channels);
  if (d->batch == 0) return MMSCAN_OK;
  return d->border ? mms_check_apart(&p, x, &bordered, y) : mms_check_arrays(&p, x, y);
}

/* ---- At work -------------------------------------------------------------------------------------------------- */

/* Nanoseconds that an element takes, and that a team must save. */
static const double ELEMENT = 0.3, TEAM = 2e4;

static int threads_for(const mms_integral *a, int asked) {
  const size_t parts = mms_images_parts(a);
  const int most = mms_team_available(asked), threads = parts < (size_t)most ? (int)parts : most;
  if (threads == 1 || mms_pays_contended()) return 1;
  const double all = ELEMENT * (double)a->rows * (double)(a->columns * a->channels) * (double)a->batch;
  const double saves = asked ? INFINITY : all - all / threads;
  return saves > TEAM ? mms_team_startable(threads, saves) : 1;
}

enum { STREAM_ROW = 2048 }; /* bytes of a row from which it may be streamed */

/* Whether an image goes past the caches. What is unpacked takes longer than memory does. */
static bool streams(const mms_integral *a, const void *x, const void *y) {
  const size_t row = a->columns * a->channels * a->storage->y_size;
  return x != y && !a->storage->out && row >= STREAM_ROW && a->rows * row > mms_tuning_here.clusters;
}

mmscan_status mms_image_execute(mms_integral *a, const void *x, void *y) {
  if (a->batch == 0 || (!a->has_border && (a->rows == 0 || a->columns == 0))) return MMSCAN_OK;
  const mms_env *env = mms_env_get();
  if (env->status) return env->status;
  mms_integral_choose(a, env->isa);
  if (env->engine == &mms_engine_gemm && mms_integral_may_multiply(a)) a->unit = mms_env_unit(env);
  a->streams = !a->unit && streams(a, x, y);
  mmscan_status status = mms_unit_hold_sound(a->unit, MMSCAN_F64);
  if (status) return status;
  status = mms_images_scan(a, x, y, threads_for(a, env->threads));
  mms_unit_drop(a->unit);
  return status;
}
