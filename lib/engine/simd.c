/* simd.c: the engine whose matrices are in vector registers: the kernels of the instruction set, a tile at a time.
 *
 * Threads that share a scan read a tile twice, the first time for its total: the carry out is known before the tile is
 * scanned, and does not depend on who scans it. A thread alone reads it once, and adds up the same total on the way.
 */
#include "engine/engine.h"
#include "kernel/stream.h"

#include <stdalign.h>

static mms_ahead look_at(const mms_job *job, const mms_tile *t) {
  return (mms_ahead){.n = t->m, .x = t->x, .then = job->fetches ? t->then : NULL, .reverse = job->reverse};
}

static void local(const mms_job *job, const mms_tile *t, void *work) {
  mms_ahead *found = work;
  *found = look_at(job, t);
  job->kernel->total(found);
}

/* ---- Scanning a tile ------------------------------------------------------------------------------------------ */

/* A run at a time is made in the cache, and copied to y where there is one. */
static void scan_runs(const mms_job *job, const mms_tile *t, mms_value *carry) {
  alignas(MMS_KERNEL_ALIGN) char run[MMS_KERNEL_RUN];
  size_t size = mms_type_size(job->type), most = MMS_KERNEL_RUN / size;
  for (size_t done = 0; done < t->m; done += most) {
    size_t count = t->m - done < most ? t->m - done : most, at = (job->reverse ? t->m - done - count : done) * size;
    mms_kernel_scan_of(job->kernel, job->kind, job->reverse)(count, (const char *)t->x + at, run, carry, NULL);
    if (t->y) mms_stream_copy((char *)t->y + at, run, count * size);
  }
}

/* Blocks are counted from where the scan starts. */
static bool starts_aligned(const mms_job *job, const mms_tile *t) {
  uintptr_t start = (uintptr_t)t->y + (job->reverse ? t->m * mms_type_size(job->type) : 0);
  return start % MMS_KERNEL_ALIGN == 0;
}

/* y is not aligned as streaming wants it. */
static void scan_unaligned(const mms_job *job, const mms_tile *t, mms_value *carry, mms_ahead *ahead) {
  scan_runs(job, t, carry);
  if (ahead) job->kernel->total(ahead);
}

static void scan_tile(const mms_job *job, const mms_tile *t, mms_value *carry, mms_ahead *ahead) {
  if (!job->streams)
    mms_kernel_scan_of(job->kernel, job->kind, job->reverse)(t->m, t->x, t->y, carry, ahead);
  else if (starts_aligned(job, t))
    mms_kernel_stream_of(job->kernel, job->kind, job->reverse)(t->m, t->x, t->y, carry, ahead);
  else
    scan_unaligned(job, t, carry, ahead);
  if (job->streams) mms_stream_fence();
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

/* Where the total cannot be relied on, the carry out is what the scan of the tile ends with. */
static void advance(const mms_job *job, const mms_tile *t, void *work, mms_value *carry) {
  const mms_ahead *found = work;
  const mms_tile nowhere = {.m = t->m, .x = t->x};
  if (!found->is_ordinary || !job->kernel->advance(carry, &found->total)) scan_runs(job, &nowhere, carry);
}

static void finish(const mms_job *job, const mms_tile *t, void *work, const mms_value *carry) {
  mms_value running = *carry;
  (void)work;
  scan_tile(job, t, &running, NULL);
}

static void finish_local(const mms_job *job, const mms_tile *t, void *work, const mms_value *carry,
                         const mms_tile *ahead, void *ahead_work) {
  mms_ahead *found = ahead_work;
  mms_value running = *carry;
  (void)work;
  *found = look_at(job, ahead);
  scan_tile(job, t, &running, found);
}

static void at_once(const mms_job *job, const mms_tile *t, mms_value *carry) {
  mms_ahead found = look_at(job, t);
  mms_value running = *carry;
  scan_tile(job, t, &running, &found);
  if (!found.is_ordinary || !job->kernel->advance(carry, &found.total)) *carry = running;
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
                                    .at_once = at_once,
                                    .finishes_alone = true,
                                    .has_isa = true,
                                    .work_size = work_size,
                                    .defaults = defaults};
