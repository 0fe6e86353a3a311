/* packed.c: the engine that packs, and has another one (job->inner) scan what it packed. So results have the bits of a
 * scan of contiguous elements.
 *
 * x is gathered unless it is contiguous: into y if that is, and is not streamed, or else into a buffer, from which
 * results are scattered. Threads in a chain read a tile once (prepare, complete), as gathering takes longer than
 * memory. Around the plain loop, which cuts no tiles, scans are cut into runs of RUN bytes, whose buffer is on the
 * stack. */
#include "engine/engine.h"

#include "pack/pack.h"
#include <stdalign.h>

enum { RUN = 4096 };

/* A workspace: the buffer follows, and then the workspace of the inner engine. */
typedef struct work {
  const void *held; /* the y of the tile whose elements are packed, at `at`; NULL: none is */
  const void *at;
} work;

enum { HEAD = MMS_KERNEL_LINE };
_Static_assert(sizeof(work) <= HEAD, "the buffer is aligned");

static size_t round_up(size_t bytes) { return (bytes + HEAD - 1) / HEAD * HEAD; }
static size_t buffer_bytes(const mms_job *job) { return round_up(job->tile * job->algebra->size); }
static void *buffer_of(void *memory) { return (char *)memory + HEAD; }
static void *inner_of(const mms_job *job, void *memory) { return (char *)buffer_of(memory) + buffer_bytes(job); }

static size_t work_size(const mms_job *job) {
  const size_t inner = job->inner->work_size ? job->inner->work_size(job) : 0;
  return HEAD + buffer_bytes(job) + inner;
}

static void begin(const mms_job *job, void *memory) {
  *(work *)memory = (work){NULL, NULL};
  if (job->inner->begin) job->inner->begin(job, inner_of(job, memory));
}

/* ---- Packing -------------------------------------------------------------------------------------------------- */

/* Where results are written before they are scattered. */
static void *target_of(const mms_tile *t, void *buffer) { return t->y_stride == 1 ? t->y : buffer; }

/* The elements of a tile, contiguous. */
static const void *gather(const mms_job *job, const mms_tile *t, void *buffer) {
  if (t->x_stride == 1) return t->x;
  void *to = job->streams ? buffer : target_of(t, buffer);
  const bool scatters = t->y_stride != 1 && job->prefetches;
  mms_pack(job->algebra->size, t->m, t->x, t->x_stride, to, 1, (mms_ahead){scatters ? t->y : NULL, t->y_stride});
  return to;
}

/* next: the x that is likely to be gathered next, or NULL. */
static void scatter(const mms_job *job, const mms_tile *t, const void *buffer, const void *next) {
  if (t->y_stride != 1)
    mms_pack(job->algebra->size, t->m, buffer, 1, t->y, t->y_stride, (mms_ahead){next, t->x_stride});
}

/* The x after a tile, in the order of the scan, if it is worth prefetching. */
static const void *after(const mms_job *job, const mms_tile *t) {
  const ptrdiff_t bytes = (ptrdiff_t)(t->m * job->algebra->size) * t->x_stride;
  return job->prefetches ? (const void *)((uintptr_t)t->x + (uintptr_t)(job->reverse ? -bytes : bytes)) : NULL;
}

static mms_tile packed_tile(const mms_tile *t, const void *x, void *buffer) {
  return (mms_tile){.m = t->m, .x = x, .y = target_of(t, buffer), .x_stride = 1, .y_stride = 1};
}

/* The tile with its elements packed, if they are not already. */
static mms_tile hold(const mms_job *job, void *memory, const mms_tile *t) {
  work *w = memory;
  if (w->held != t->y) {
    w->at = gather(job, t, buffer_of(memory));
    w->held = t->y;
  }
  return packed_tile(t, w->at, buffer_of(memory));
}

/* ---- The contract: tiles -------------------------------------------------------------------------------------- */

static void reduce(const mms_job *job, void *memory, const mms_tile *t, mms_found *found) {
  ((work *)memory)->held = NULL;
  const mms_tile packed = hold(job, memory, t);
  job->inner->reduce(job, inner_of(job, memory), &packed, found);
}

/* Elements are gathered only if the engine has to look at them. */
static void advance(const mms_job *job, void *memory, const mms_tile *t, const mms_found *found, mms_value *carry) {
  if (found->is_ordinary && job->kernel->advance(job->kernel, carry, &found->total)) return;
  const mms_tile packed = hold(job, memory, t);
  job->inner->advance(job, inner_of(job, memory), &packed, found, carry);
}

static void finish(const mms_job *job, void *memory, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  const mms_tile packed = hold(job, memory, t);
  job->inner->finish(job, inner_of(job, memory), &packed, carry, NULL);
  ((work *)memory)->held = NULL;
  scatter(job, t, packed.y, prefetch);
}

static void at_once(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  ((work *)memory)->held = NULL;
  const mms_tile packed = hold(job, memory, t);
  job->inner->at_once(job, inner_of(job, memory), &packed, carry);
  ((work *)memory)->held = NULL;
  scatter(job, t, packed.y, after(job, t));
}

static bool prepares(const mms_job *job) { return (void)job, true; }

/* ---- The contract: batches ------------------------------------------------------------------------------------ */

static mms_tile row_of(const mms_job *job, const mms_batch *r, size_t k) {
  const ptrdiff_t size = (ptrdiff_t)job->algebra->size;
  return (mms_tile){.m = r->n,
                    .x = (const char *)r->x + (ptrdiff_t)k * r->x_dist * size,
                    .y = (char *)r->y + (ptrdiff_t)k * r->y_dist * size,
                    .x_stride = r->x_stride,
                    .y_stride = r->y_stride};
}

static void scan_rows(const mms_job *job, void *inner, const mms_batch *r) {
  if (job->inner->batch) {
    job->inner->batch(job, inner, r);
    return;
  }
  for (size_t k = 0; k < r->count; k++) {
    mms_value carry = r->first;
    const mms_tile t = row_of(job, r, k);
    job->inner->at_once(job, inner, &t, &carry);
  }
}

/* Some rows together, in a buffer that holds them. */
static void pack_rows(const mms_job *job, void *inner, const mms_batch *r, size_t from, size_t count, char *buffer) {
  const size_t size = job->algebra->size, bytes = r->n * size;
  const mms_tile first = row_of(job, r, from);
  const bool gathers = r->x_stride != 1, scatters = r->y_stride != 1;
  for (size_t k = 0; gathers && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    mms_pack(size, r->n, t.x, r->x_stride, buffer + k * bytes, 1, (mms_ahead){NULL, 0});
  }
  const mms_batch packed = {.n = r->n,
                            .count = count,
                            .x_stride = 1,
                            .y_stride = 1,
                            .x_dist = gathers ? (ptrdiff_t)r->n : r->x_dist,
                            .y_dist = scatters ? (ptrdiff_t)r->n : r->y_dist,
                            .x = gathers ? buffer : first.x,
                            .y = scatters ? buffer : first.y,
                            .first = r->first};
  scan_rows(job, inner, &packed);
  for (size_t k = 0; scatters && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    mms_pack(size, r->n, buffer + k * bytes, 1, t.y, r->y_stride, (mms_ahead){NULL, 0});
  }
}

/* As many rows at a time as RUN bytes hold, and the buffer, which holds one at least. */
static void pack_batch(const mms_job *job, void *inner, const mms_batch *r, char *buffer, size_t room) {
  const size_t run = RUN / job->algebra->size, held = (run < room ? run : room) / r->n, most = held > 0 ? held : 1;
  for (size_t k = 0; k < r->count; k += most)
    pack_rows(job, inner, r, k, r->count - k < most ? r->count - k : most, buffer);
}

static void batch(const mms_job *job, void *memory, const mms_batch *r) {
  pack_batch(job, inner_of(job, memory), r, buffer_of(memory), job->tile);
}

/* ---- Around the plain loop ------------------------------------------------------------------------------------ */

static void at_once_in_runs(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  alignas(HEAD) char buffer[RUN];
  const ptrdiff_t size = (ptrdiff_t)job->algebra->size;
  const size_t most = RUN / (size_t)size;
  (void)memory;
  for (size_t done = 0, m; done < t->m; done += m) {
    m = t->m - done < most ? t->m - done : most;
    const ptrdiff_t at = (ptrdiff_t)(job->reverse ? t->m - done - m : done) * size;
    const mms_tile run = {.m = m,
                          .x = (const char *)t->x + at * t->x_stride,
                          .y = (char *)t->y + at * t->y_stride,
                          .x_stride = t->x_stride,
                          .y_stride = t->y_stride};
    const mms_tile packed = packed_tile(&run, gather(job, &run, buffer), buffer);
    job->inner->at_once(job, NULL, &packed, carry);
    scatter(job, &run, packed.y, after(job, &run));
  }
}

static void batch_in_runs(const mms_job *job, void *memory, const mms_batch *r) {
  alignas(HEAD) char buffer[RUN];
  if (r->n <= RUN / job->algebra->size) {
    pack_batch(job, NULL, r, buffer, r->n * (RUN / job->algebra->size / r->n));
    return;
  }
  for (size_t k = 0; k < r->count; k++) {
    mms_value carry = r->first;
    const mms_tile t = row_of(job, r, k);
    at_once_in_runs(job, memory, &t, &carry);
  }
}

/* ---- The engine ----------------------------------------------------------------------------------------------- */

static mms_engine packed_engine(const mms_engine *inner) {
  if (!inner->reduce)
    return (mms_engine){.name = inner->name,
                        .description = inner->description,
                        .at_once = at_once_in_runs,
                        .batch = batch_in_runs,
                        .has_unit = inner->has_unit};
  return (mms_engine){.name = inner->name,
                      .description = inner->description,
                      .at_once = at_once,
                      .batch = batch,
                      .reduce = reduce,
                      .advance = advance,
                      .finish = finish,
                      .prepares = prepares,
                      .prepare = reduce,
                      .complete = finish,
                      .has_unit = inner->has_unit,
                      .work_size = work_size,
                      .begin = begin};
}

mms_engine mms_engine_strided(const mms_engine *engine, bool are_columns) {
  return are_columns && engine == &mms_engine_serial ? mms_engine_columns : packed_engine(engine);
}
