/* simd.c: the engine whose matrices are in vector registers: the kernels of the instruction set, a tile at a time.
 *
 * A tile is read twice, the first time for its total: the carry out is known before the tile is scanned, and does not
 * depend on who scans it. Where the total may not be regrouped (kernel.h), or the carry is too large for it, the plain
 * loop says what the carry out is.
 */
#include "engine/engine.h"
#include "kernel/stream.h"

#include <stdalign.h>

static void local(const mms_job *job, const mms_tile *t, void *work) {
  mms_ahead *found = work;
  *found = (mms_ahead){.n = t->m, .x = t->x};
  job->kernel->total(found);
}

static void advance(const mms_job *job, const mms_tile *t, void *work, mms_value *carry) {
  mms_engine_advance(job, t, work, carry);
}

/* Blocks are counted from where the scan starts. */
static bool starts_aligned(const mms_job *job, size_t m, const void *y) {
  uintptr_t start = (uintptr_t)y + (job->reverse ? m * mms_type_size(job->type) : 0);
  return start % MMS_KERNEL_ALIGN == 0;
}

/* y is not aligned as streaming wants it: a piece at a time is made in the cache and copied. */
static void stream_pieces(const mms_job *job, const mms_tile *t, mms_value *carry) {
  enum { PIECE = 8192 };
  alignas(MMS_KERNEL_ALIGN) char piece[PIECE];
  size_t size = mms_type_size(job->type), most = PIECE / size;
  for (size_t done = 0; done < t->m; done += most) {
    size_t count = t->m - done < most ? t->m - done : most, at = (job->reverse ? t->m - done - count : done) * size;
    mms_kernel_scan_of(job->kernel, job->kind, job->reverse)(count, (const char *)t->x + at, piece, carry, NULL);
    mms_stream_copy((char *)t->y + at, piece, count * size);
  }
}

/* ahead is NULL, or what local() is wanted of. */
static void scan_tile(const mms_job *job, const mms_tile *t, mms_value carry, mms_ahead *ahead) {
  if (!job->streams) {
    mms_kernel_scan_of(job->kernel, job->kind, job->reverse)(t->m, t->x, t->y, &carry, ahead);
    return;
  }
  if (starts_aligned(job, t->m, t->y)) {
    mms_kernel_stream_of(job->kernel, job->kind, job->reverse)(t->m, t->x, t->y, &carry, ahead);
  } else {
    stream_pieces(job, t, &carry);
    if (ahead) job->kernel->total(ahead);
  }
  mms_stream_fence();
}

static void finish(const mms_job *job, const mms_tile *t, void *work, const mms_value *carry) {
  (void)work;
  scan_tile(job, t, *carry, NULL);
}

static void finish_local(const mms_job *job, const mms_tile *t, void *work, const mms_value *carry,
                         const mms_tile *ahead, void *ahead_work) {
  mms_ahead *found = ahead_work;
  (void)work;
  *found = (mms_ahead){.n = ahead->m, .x = ahead->x, .then = job->is_large ? ahead->then : NULL};
  scan_tile(job, t, *carry, found);
}

static size_t work_size(const mms_job *job) { return (void)job, sizeof(mms_ahead); }

/* Measured: doc/PERFORMANCE.md. */
static void defaults(mmscan_type type, size_t *s, size_t *tile) {
  enum { TILE_BYTES = 131072 };
  *s = 0;
  *tile = TILE_BYTES / mms_type_size(type);
}

const mms_engine mms_engine_simd = {.name = "simd",
                                    .description = "MatMulScan in vector registers",
                                    .local = local,
                                    .advance = advance,
                                    .finish = finish,
                                    .finish_local = finish_local,
                                    .finishes_alone = true,
                                    .has_isa = true,
                                    .work_size = work_size,
                                    .defaults = defaults};
