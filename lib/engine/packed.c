/* packed.c: the engine that packs, and has another one (job->inner) scan what it packed. So results have the bits of a
 * scan of contiguous elements of the arithmetic type.
 *
 * x is packed unless it is stored as it is combined: into y if that is, and is not streamed, or else into a buffer,
 * from which results are unpacked. What has two planes is scanned plane by plane, with a carry for each. Threads in a
 * chain read a tile once (prepare, complete), as packing takes longer than memory. Around the plain loop, which cuts no
 * tiles, scans are cut into runs of RUN bytes, whose buffer is on the stack. */
#include "engine/engine.h"

#include <stdalign.h>
#include <string.h>

enum { RUN = 4096 };

/* A workspace: the buffer follows, and then the workspace of the inner engine. */
typedef struct work {
  const void *held; /* the y of the tile whose elements are packed, at `at`; NULL: none is */
  const void *at;
} work;

enum { HEAD = MMS_KERNEL_LINE };
_Static_assert(sizeof(work) <= HEAD, "the buffer is aligned");

/* Bytes of an element as it is combined, in all planes. */
static size_t packed_size(const mms_job *job) { return job->storage->planes * job->storage->size; }

static size_t round_up(size_t bytes) { return (bytes + HEAD - 1) / HEAD * HEAD; }
static size_t buffer_bytes(const mms_job *job) { return round_up(job->tile * packed_size(job)); }
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

/* Whether elements of x so far apart are packed, and those of y unpacked. */
static bool packs(const mms_job *job, ptrdiff_t x_stride) { return x_stride != 1 || job->storage->in; }
static bool unpacks(const mms_job *job, ptrdiff_t y_stride) { return y_stride != 1 || job->storage->out; }

/* Where results are written before they are unpacked. */
static void *target_of(const mms_job *job, const mms_tile *t, void *buffer) {
  return unpacks(job, t->y_stride) ? buffer : t->y;
}

/* The elements of a tile, packed. */
static const void *pack(const mms_job *job, const mms_tile *t, void *buffer) {
  if (!packs(job, t->x_stride)) return t->x;
  void *to = job->streams ? buffer : target_of(job, t, buffer);
  const bool writes_ahead = unpacks(job, t->y_stride) && job->prefetches;
  mms_pack(job->storage, t->m, t->x, t->x_stride, to, (mms_ahead){writes_ahead ? t->y : NULL, t->y_stride});
  return to;
}

/* next: the x that is likely to be packed next, or NULL. */
static void unpack(const mms_job *job, const mms_tile *t, const void *buffer, const void *next) {
  if (unpacks(job, t->y_stride))
    mms_unpack(job->storage, t->m, buffer, t->y, t->y_stride, (mms_ahead){next, t->x_stride});
}

/* The x after a tile, in the order of the scan, if it is worth prefetching. */
static const void *after(const mms_job *job, const mms_tile *t) {
  const ptrdiff_t bytes = (ptrdiff_t)(t->m * job->storage->x_size) * t->x_stride;
  return job->prefetches ? (const void *)((uintptr_t)t->x + (uintptr_t)(job->reverse ? -bytes : bytes)) : NULL;
}

static mms_tile packed_tile(const mms_job *job, const mms_tile *t, const void *x, void *buffer) {
  return (mms_tile){.m = t->m, .x = x, .y = target_of(job, t, buffer), .x_stride = 1, .y_stride = 1};
}

/* The tile with its elements packed, if they are not already. */
static mms_tile hold(const mms_job *job, void *memory, const mms_tile *t) {
  work *w = memory;
  if (w->held != t->y) {
    w->at = pack(job, t, buffer_of(memory));
    w->held = t->y;
  }
  return packed_tile(job, t, w->at, buffer_of(memory));
}

/* ---- Planes --------------------------------------------------------------------------------------------------- */

static mms_tile plane_of(const mms_job *job, const mms_tile *packed, size_t p) {
  const size_t at = p * packed->m * job->storage->size;
  mms_tile t = *packed;
  t.x = (const char *)t.x + at;
  t.y = (char *)t.y + at;
  return t;
}

/* A plane's number in a carry. */
static mms_value value_of(const mms_job *job, const mms_value *carry, size_t p) {
  const size_t size = job->storage->size;
  mms_value value = *carry;
  if (job->storage->planes > 1) memcpy(value.bytes, carry->bytes + p * size, size);
  return value;
}

static void put_value(const mms_job *job, mms_value *carry, size_t p, const mms_value *value) {
  const size_t size = job->storage->size;
  if (job->storage->planes > 1)
    memcpy(carry->bytes + p * size, value->bytes, size);
  else
    *carry = *value;
}

static void put_found(const mms_job *job, mms_found *found, size_t p, const mms_found *of_plane) {
  put_value(job, &found->total, p, &of_plane->total);
  found->is_ordinary = (p == 0 || found->is_ordinary) && of_plane->is_ordinary;
  found->is_finite = (p == 0 || found->is_finite) && of_plane->is_finite;
}

static mms_found found_of(const mms_job *job, const mms_found *found, size_t p) {
  mms_found of_plane = *found;
  of_plane.total = value_of(job, &found->total, p);
  return of_plane;
}

static void scan_planes(const mms_job *job, void *inner, const mms_tile *packed, mms_value *carry) {
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_tile t = plane_of(job, packed, p);
    mms_value value = value_of(job, carry, p);
    job->inner->at_once(job, inner, &t, &value);
    put_value(job, carry, p, &value);
  }
}

/* ---- The contract: tiles -------------------------------------------------------------------------------------- */

static void reduce(const mms_job *job, void *memory, const mms_tile *t, mms_found *found) {
  ((work *)memory)->held = NULL;
  const mms_tile packed = hold(job, memory, t);
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_tile plane = plane_of(job, &packed, p);
    mms_found of_plane;
    job->inner->reduce(job, inner_of(job, memory), &plane, &of_plane);
    put_found(job, found, p, &of_plane);
  }
}

/* Elements are packed only if the engine has to look at them. */
static void advance(const mms_job *job, void *memory, const mms_tile *t, const mms_found *found, mms_value *carry) {
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_found of_plane = found_of(job, found, p);
    mms_value value = value_of(job, carry, p);
    if (!found->is_ordinary || !job->kernel->advance(job->kernel, &value, &of_plane.total)) {
      const mms_tile packed = hold(job, memory, t), plane = plane_of(job, &packed, p);
      job->inner->advance(job, inner_of(job, memory), &plane, &of_plane, &value);
    }
    put_value(job, carry, p, &value);
  }
}

static void finish(const mms_job *job, void *memory, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  const mms_tile packed = hold(job, memory, t);
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_tile plane = plane_of(job, &packed, p);
    const mms_value value = value_of(job, carry, p);
    job->inner->finish(job, inner_of(job, memory), &plane, &value, NULL);
  }
  ((work *)memory)->held = NULL;
  unpack(job, t, packed.y, prefetch);
}

static void at_once(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  ((work *)memory)->held = NULL;
  const mms_tile packed = hold(job, memory, t);
  scan_planes(job, inner_of(job, memory), &packed, carry);
  ((work *)memory)->held = NULL;
  unpack(job, t, packed.y, after(job, t));
}

static bool prepares(const mms_job *job) { return (void)job, true; }

/* ---- The contract: batches ------------------------------------------------------------------------------------ */

static mms_tile row_of(const mms_job *job, const mms_batch *r, size_t k) {
  const mms_storage *s = job->storage;
  return (mms_tile){.m = r->n,
                    .x = (const char *)r->x + (ptrdiff_t)k * r->x_dist * (ptrdiff_t)s->x_size,
                    .y = (char *)r->y + (ptrdiff_t)k * r->y_dist * (ptrdiff_t)s->y_size,
                    .x_stride = r->x_stride,
                    .y_stride = r->y_stride};
}

static void scan_rows(const mms_job *job, void *inner, const mms_batch *r) {
  const ptrdiff_t size = (ptrdiff_t)job->storage->size;
  if (job->inner->batch) {
    job->inner->batch(job, inner, r);
    return;
  }
  for (size_t k = 0; k < r->count; k++) {
    mms_value carry = r->first;
    const mms_tile t = {.m = r->n,
                        .x = (const char *)r->x + (ptrdiff_t)k * r->x_dist * size,
                        .y = (char *)r->y + (ptrdiff_t)k * r->y_dist * size,
                        .x_stride = 1,
                        .y_stride = 1};
    job->inner->at_once(job, inner, &t, &carry);
  }
}

/* Some rows together, in a buffer that holds them. */
static void pack_rows(const mms_job *job, void *inner, const mms_batch *r, size_t from, size_t count, char *buffer) {
  const size_t planes = job->storage->planes, bytes = r->n * packed_size(job);
  const mms_tile first = row_of(job, r, from);
  const bool in = packs(job, r->x_stride), out = unpacks(job, r->y_stride);
  for (size_t k = 0; in && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    mms_pack(job->storage, r->n, t.x, r->x_stride, buffer + k * bytes, (mms_ahead){NULL, 0});
  }
  for (size_t p = 0; p < planes; p++) {
    const size_t at = p * r->n * job->storage->size;
    const mms_batch packed = {.n = r->n,
                              .count = count,
                              .x_stride = 1,
                              .y_stride = 1,
                              .x_dist = in ? (ptrdiff_t)(planes * r->n) : r->x_dist,
                              .y_dist = out ? (ptrdiff_t)(planes * r->n) : r->y_dist,
                              .x = in ? buffer + at : first.x,
                              .y = out ? buffer + at : first.y,
                              .first = value_of(job, &r->first, p)};
    scan_rows(job, inner, &packed);
  }
  for (size_t k = 0; out && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    mms_unpack(job->storage, r->n, buffer + k * bytes, t.y, r->y_stride, (mms_ahead){NULL, 0});
  }
}

/* As many rows at a time as RUN bytes hold, and the buffer, which holds one at least. */
static void pack_batch(const mms_job *job, void *inner, const mms_batch *r, char *buffer, size_t room) {
  const size_t run = RUN / packed_size(job), held = (run < room ? run : room) / r->n, most = held > 0 ? held : 1;
  for (size_t k = 0; k < r->count; k += most)
    pack_rows(job, inner, r, k, r->count - k < most ? r->count - k : most, buffer);
}

static void batch(const mms_job *job, void *memory, const mms_batch *r) {
  pack_batch(job, inner_of(job, memory), r, buffer_of(memory), job->tile);
}

/* ---- Around the plain loop ------------------------------------------------------------------------------------ */

static void at_once_in_runs(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  alignas(HEAD) char buffer[RUN];
  const mms_storage *s = job->storage;
  const size_t most = RUN / packed_size(job);
  (void)memory;
  for (size_t done = 0, m; done < t->m; done += m) {
    m = t->m - done < most ? t->m - done : most;
    const ptrdiff_t at = (ptrdiff_t)(job->reverse ? t->m - done - m : done);
    const mms_tile run = {.m = m,
                          .x = (const char *)t->x + at * t->x_stride * (ptrdiff_t)s->x_size,
                          .y = (char *)t->y + at * t->y_stride * (ptrdiff_t)s->y_size,
                          .x_stride = t->x_stride,
                          .y_stride = t->y_stride};
    const mms_tile packed = packed_tile(job, &run, pack(job, &run, buffer), buffer);
    scan_planes(job, NULL, &packed, carry);
    unpack(job, &run, packed.y, after(job, &run));
  }
}

static void batch_in_runs(const mms_job *job, void *memory, const mms_batch *r) {
  alignas(HEAD) char buffer[RUN];
  const size_t most = RUN / packed_size(job);
  if (r->n <= most) {
    pack_batch(job, NULL, r, buffer, r->n * (most / r->n));
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
