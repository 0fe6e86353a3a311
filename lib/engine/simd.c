/* simd.c: the engine whose matrices are in vector registers: the kernels of the instruction set, a tile at a time.
 *
 * A tile is read twice, the first time for its total: the carry out is known before the tile is scanned, and does not
 * depend on who scans it. Where the total may not be regrouped (kernel.h), or the carry is too large for it, the plain
 * loop says what the carry out is.
 */
#include "engine/engine.h"
#include "kernel/loop.h"
#include "kernel/stream.h"

#include <stdalign.h>

typedef struct simd_work {
  mms_value total;
  bool may_regroup;
} simd_work;

static void local(const mms_job *job, size_t m, const void *x, void *work) {
  simd_work *w = work;
  w->may_regroup = job->kernel->total(m, x, &w->total);
}

static void advance(const mms_job *job, size_t m, const void *x, void *work, mms_value *carry) {
  const simd_work *w = work;
  if (!w->may_regroup || !job->kernel->advance(carry, &w->total))
    mms_loop_of[job->type].fold[job->reverse](m, x, carry);
}

/* y is not aligned as streaming wants it: a piece at a time is made in the cache and copied. */
static void stream_pieces(const mms_job *job, size_t m, const char *x, char *y, mms_value *carry) {
  enum { PIECE = 8192 };
  alignas(64) char piece[PIECE];
  size_t size = mms_type_size(job->type), most = PIECE / size;
  for (size_t done = 0; done < m; done += most) {
    size_t count = m - done < most ? m - done : most, at = (job->reverse ? m - done - count : done) * size;
    mms_kernel_scan_of(job->kernel, job->kind, job->reverse)(count, x + at, piece, carry);
    mms_stream_copy(y + at, piece, count * size);
  }
}

/* Blocks are counted from where the scan starts. */
static bool starts_aligned(const mms_job *job, size_t m, const void *y) {
  uintptr_t start = (uintptr_t)y + (job->reverse ? m * mms_type_size(job->type) : 0);
  return start % MMS_KERNEL_ALIGN == 0;
}

static void finish(const mms_job *job, size_t m, const void *x, void *y, void *work, const mms_value *carry) {
  mms_value running = *carry;
  (void)work;
  if (!job->streams)
    mms_kernel_scan_of(job->kernel, job->kind, job->reverse)(m, x, y, &running);
  else if (starts_aligned(job, m, y))
    mms_kernel_stream_of(job->kernel, job->kind, job->reverse)(m, x, y, &running);
  else
    stream_pieces(job, m, x, y, &running);
  if (job->streams) mms_stream_fence();
}

static void scan(const mms_job *job, size_t m, const void *x, void *y, void *work, mms_value *carry) {
  mms_value before = *carry;
  local(job, m, x, work);
  advance(job, m, x, work, carry);
  finish(job, m, x, y, work, &before);
}

static size_t work_size(const mms_job *job) { return (void)job, sizeof(simd_work); }

/* Measured: doc/PERFORMANCE.md. */
static void defaults(mmscan_type type, size_t *s, size_t *tile) {
  enum { TILE_BYTES = 65536 };
  *s = 0;
  *tile = TILE_BYTES / mms_type_size(type);
}

const mms_engine mms_engine_simd = {.name = "simd",
                                    .description = "MatMulScan in vector registers",
                                    .scan = scan,
                                    .local = local,
                                    .advance = advance,
                                    .finish = finish,
                                    .finishes_alone = true,
                                    .has_isa = true,
                                    .work_size = work_size,
                                    .defaults = defaults};
