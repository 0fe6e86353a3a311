/* simd.c: the engine whose matrices are in vector registers: the kernels of the instruction set, one tile at a time.
 *
 * A thread that reduces a tile before it has the carry reads the tile twice, first for its total. So the carry out is
 * known before the tile is scanned, and does not depend on which thread scans it. A leader, and a thread on its own,
 * read the tile once and find the same total on the way (`at_once`). */
#include "engine/engine.h"

#include <stdalign.h>

static mms_kernel_scan *scan_of(const mms_job *job) {
  return (job->streams ? job->kernel->stream : job->kernel->scan)[job->kind][job->reverse];
}

/* Finds the carry out by scanning the tile, in runs, into a buffer that stays in the cache. Cutting it into runs makes
 * no difference to the carry. Not inlined, so that the buffer is on the stack only here. */
static __attribute__((noinline)) void scan_for_carry(const mms_job *job, const mms_tile *t, mms_value *carry) {
  alignas(MMS_KERNEL_LINE) char y[MMS_KERNEL_RUN];
  const size_t size = job->algebra->size, most = MMS_KERNEL_RUN / size;
  mms_kernel_scan *scan = job->kernel->scan[job->kind][job->reverse];
  for (size_t done = 0, m; done < t->m; done += m) {
    m = t->m - done < most ? t->m - done : most;
    scan(job->kernel, m, (const char *)t->x + (job->reverse ? t->m - done - m : done) * size, y, carry, NULL);
  }
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static void reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  (void)work;
  job->kernel->total(job->kernel, t->m, t->x, job->reverse, found);
}

static void advance(const mms_job *job, void *work, const mms_tile *t, const mms_found *found, mms_value *carry) {
  (void)work;
  if (found->is_ordinary && job->kernel->advance(job->kernel, carry, &found->total)) return;
  if (job->algebra->is_accurate) /* kernels of pairs need no results */
    job->kernel->scan[job->kind][job->reverse](job->kernel, t->m, t->x, NULL, carry, NULL);
  else
    scan_for_carry(job, t, carry);
}

static void finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  mms_value running = *carry;
  (void)work;
  scan_of(job)(job->kernel, t->m, t->x, t->y, &running,
               &(mms_aside){.prefetch = prefetch, .to_second = t->next != NULL, .paces = job->paces});
}

static void finish_and_reduce(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry,
                              const mms_tile *ahead, mms_found *found) {
  mms_value running = *carry;
  (void)work;
  const bool is_own = ahead->x == t->x;
  const mms_aside aside = {
      .found = found, .ahead = is_own ? NULL : ahead->x, .uncached = is_own && job->uncached, .paces = job->paces};
  scan_of(job)(job->kernel, t->m, t->x, t->y, &running, &aside);
}

/* Elements of a tile that two short steps, which start sooner, get through faster than one reading. Pairs take longer
 * to add up. */
enum { BRIEF = 64 };

static bool in_two_steps(const mms_job *job, const mms_tile *t, mms_value *carry) {
  mms_found found;
  mms_value out = *carry;
  job->kernel->total(job->kernel, t->m, t->x, false, &found);
  if (!found.is_ordinary || !job->kernel->advance(job->kernel, &out, &found.total)) return false;
  if (mms_kernel_is_in_order(job->kernel, t->m))
    job->algebra->loop.scan[job->kind][0](t->m, t->x, t->y, carry);
  else
    job->kernel->simple[job->kind](job->kernel, t->m, t->x, t->y, (mms_first){.u64 = carry->u64});
  *carry = out;
  return true;
}

/* What a tile in a buffer prefetches meanwhile it does by the last of the three steps alone; such a tile is soon read
 * twice, if only to be added up. An exact one has no need of the others. */
static void in_three_steps(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  const mms_value before = *carry;
  mms_found found;
  reduce(job, work, t, &found);
  advance(job, work, t, &found, carry);
  finish(job, work, t, &before, t->next);
}

static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  const bool are_pairs = job->algebra->has_pairs || job->algebra->is_accurate;
  if (t->m <= BRIEF && !are_pairs && !job->reverse && in_two_steps(job, t, carry)) return;
  if (t->next && job->algebra->has_pairs) {
    in_three_steps(job, work, t, carry);
    return;
  }
  mms_found found;
  mms_value running = *carry;
  const bool is_exact = job->algebra->is_exact; /* then the carry out is the same, however it was found */
  const bool far = is_exact && job->uncached && !job->streams;
  const mms_aside aside = {.found = is_exact ? NULL : &found,
                           .prefetch = far ? (const void *)((uintptr_t)t->x + MMS_KERNEL_FAR) : t->next,
                           .to_second = t->next != NULL,
                           .uncached = job->uncached,
                           .paces = job->paces};
  scan_of(job)(job->kernel, t->m, t->x, t->y, &running, &aside);
  if (is_exact || !found.is_ordinary || !job->kernel->advance(job->kernel, carry, &found.total)) *carry = running;
}

static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  (void)work;
  job->kernel->batch[job->kind][job->reverse](job->kernel, r);
}

/* How far from half of n the part of one of two threads is, if they share whole tiles. */
static size_t off_half(size_t n, size_t tile) {
  const size_t first = ((n - 1) / tile + 1) / 2 * tile, half = n / 2;
  return first > half ? first - half : half - first;
}

/* If two threads cannot share few tiles nearly evenly, tiles are halves or quarters of the usual one; all three divide
 * MMSCAN_MAX_TILE, as blocks of a longer scan need. That costs a single thread 2 to 3 percent. Measured:
 * doc/TUNING.md, "Sharing a scan". */
static size_t tile_of(const mms_algebra *algebra, size_t n) {
  const size_t whole = MMS_ENGINE_TILE / algebra->size;
  size_t tile = whole;
  while (n > whole && tile > whole / 4 && off_half(n, tile) > n / 16) tile /= 2;
  return tile;
}

const mms_engine mms_engine_simd = {.name = "simd",
                                    .description = "scans by matrices of ones, in vector registers",
                                    .reduce = reduce,
                                    .advance = advance,
                                    .finish = finish,
                                    .finish_and_reduce = finish_and_reduce,
                                    .at_once = at_once,
                                    .batch = scan_batch,
                                    .has_isa = true,
                                    .tile_of = tile_of};
