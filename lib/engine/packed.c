/* packed.c: the engine that packs, and has another one (job->inner) scan what it packed. So results have the bits of a
 * scan of contiguous elements of the arithmetic type.
 *
 * x is packed unless it is stored as it is combined: into y if that is, and is not streamed, or else into a buffer,
 * from which results are unpacked. What has two planes is scanned plane by plane, with a carry for each. Threads in a
 * chain read a tile once (prepare, complete), as packing takes longer than memory. Around the plain loop, which cuts no
 * tiles, scans are cut into runs of RUN bytes, whose buffer is on the stack. */
#include "engine/monotone.h"

#include "pack/indices.h"
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

static bool is_monotone(const mms_job *job) { return job->extras && job->extras->neutral; }

/* Where a tile is scanned whose results are looked at before they are written, after the inner workspace. */
static size_t inner_bytes(const mms_job *job) {
  return job->inner->work_size ? round_up(job->inner->work_size(job)) : 0;
}

static void *scanned_of(const mms_job *job, void *memory) { return (char *)inner_of(job, memory) + inner_bytes(job); }

static size_t work_size(const mms_job *job) {
  return HEAD + (is_monotone(job) ? 2 : 1) * buffer_bytes(job) + inner_bytes(job);
}

static void begin(const mms_job *job, void *memory) {
  *(work *)memory = (work){NULL, NULL};
  if (job->inner->begin) job->inner->begin(job, inner_of(job, memory));
}

/* ---- Packing -------------------------------------------------------------------------------------------------- */

/* Whether elements of x so far apart are packed, and those of y unpacked. */
static bool packs(const mms_job *job, ptrdiff_t x_stride) {
  return x_stride != 1 || job->storage->in || (job->extras && job->extras->instead);
}

static bool unpacks(const mms_job *job, ptrdiff_t y_stride) { return y_stride != 1 || job->storage->out; }

static bool finds(const mms_job *job) { return job->extras && job->extras->indices; }

/* Whether results that could be scanned to y are looked at before they go there, past the caches. */
static bool holds_back(const mms_job *job) { return job->streams && finds(job); }

/* Where results are written before they are unpacked. */
static void *target_of(const mms_job *job, const mms_tile *t, void *buffer) {
  return unpacks(job, t->y_stride) || holds_back(job) ? buffer : t->y;
}

/* In place nothing needs to be moved. */
static void pack_to(const mms_job *job, const mms_tile *t, void *to, mms_ahead ahead) {
  if (to != t->x) mms_pack(job->storage, t->m, t->x, t->x_stride, to, ahead);
  if (job->extras && job->extras->instead) mms_pack_without_nan(job->storage, t->m, to, job->extras->instead);
}

/* The elements of y that are written next: those of a tile, after its elements were packed; or after it, if results are
 * written where its elements are packed. */
static mms_ahead written_ahead(const mms_job *job, const mms_tile *t) {
  const size_t ahead = unpacks(job, t->y_stride) ? 0 : MMS_KERNEL_PREFETCH;
  const uintptr_t at = (uintptr_t)t->y + (job->reverse ? -ahead : ahead);
  return (mms_ahead){job->prefetches && !job->streams ? (const void *)at : NULL, t->y_stride};
}

/* The elements of a tile, packed. Where NaN are skipped in place, which of them were is still to be seen for indices.
 */
static const void *pack(const mms_job *job, const mms_tile *t, void *buffer) {
  if (!packs(job, t->x_stride)) return t->x;
  void *to = job->streams || finds(job) ? buffer : target_of(job, t, buffer);
  pack_to(job, t, to, written_ahead(job, t));
  return to;
}

/* next: the x that is likely to be packed next, or NULL. */
static void unpack(const mms_job *job, const mms_tile *t, const void *buffer, const void *next) {
  if ((job->streams && job->storage->out) || holds_back(job))
    mms_unpack_past(job->storage, t->m, buffer, t->y);
  else if (unpacks(job, t->y_stride))
    mms_unpack(job->storage, t->m, buffer, t->y, t->y_stride, (mms_ahead){next, t->x_stride});
}

/* The x after a tile, in the order of the scan, if it is worth prefetching. */
static const void *after(const mms_job *job, const mms_tile *t) {
  const ptrdiff_t bytes = (ptrdiff_t)(t->m * job->storage->x_size) * t->x_stride;
  return job->prefetches ? (const void *)((uintptr_t)t->x + (uintptr_t)(job->reverse ? -bytes : bytes)) : NULL;
}

/* The job of the inner engine, whose x is near, and whose y too unless it is the caller's. */
static mms_job inner_job(const mms_job *job, const mms_tile *t) {
  mms_job inner = *job;
  inner.streams = job->streams && !unpacks(job, t->y_stride) && !holds_back(job);
  inner.uncached = inner.paces = false;
  return inner;
}

/* next: as in unpack(). What is contiguous is prefetched as the tile is scanned. */
static mms_tile packed_tile(const mms_job *job, const mms_tile *t, const void *x, void *buffer, const void *next) {
  return (mms_tile){.m = t->m,
                    .x = x,
                    .y = target_of(job, t, buffer),
                    .x_stride = 1,
                    .y_stride = 1,
                    .scan = t->scan,
                    .at = t->at,
                    .is_last = t->is_last,
                    .next = t->x_stride == 1 ? next : NULL};
}

/* The tile with its elements packed, if they are not already. */
static mms_tile hold(const mms_job *job, void *memory, const mms_tile *t, const void *next) {
  work *w = memory;
  if (w->held != t->y) {
    w->at = pack(job, t, buffer_of(memory));
    w->held = t->y;
  }
  return packed_tile(job, t, w->at, buffer_of(memory), next);
}

/* ---- What is done besides ------------------------------------------------------------------------------------- */

/* Before a tile is scanned from a carry. The last result of an exclusive scan is without its last element. */
static void check(const mms_job *job, const mms_tile *packed, const mms_value *carry) {
  const mms_extras *e = job->extras;
  if (!e || !e->overflows) return;
  const bool is_less = job->kind == MMSCAN_EXCLUSIVE && packed->is_last;
  const char *x = packed->x;
  const size_t n = packed->m - is_less, from = job->reverse ? is_less : 0;
  if (e->overflows(n, x + from * job->storage->size, carry, job->reverse)) atomic_store(e->overflowed, true);
}

enum { LOOK = 64 };

/* In the order of the scan, the first element of a tile that is no NaN to be skipped; t->m: none. */
static size_t first_kept(const mms_job *job, const mms_tile *t) {
  alignas(HEAD) char packed[LOOK * sizeof(mms_value)], kept[sizeof packed];
  const size_t size = job->storage->size;
  if (!job->extras->instead) return 0;
  for (size_t done = 0, m; done < t->m; done += m) {
    m = t->m - done < LOOK ? t->m - done : LOOK;
    const ptrdiff_t from = (ptrdiff_t)(job->reverse ? t->m - done - m : done) * t->x_stride;
    mms_pack(job->storage, m, (const char *)t->x + from * (ptrdiff_t)job->storage->x_size, t->x_stride, packed,
             (mms_ahead){NULL, 0});
    memcpy(kept, packed, m * size);
    mms_pack_without_nan(job->storage, m, kept, job->extras->instead);
    for (size_t k = 0; k < m; k++) {
      const size_t i = (job->reverse ? m - 1 - k : k) * size;
      if (memcmp(packed + i, kept + i, size) == 0) return done + k;
    }
  }
  return t->m;
}

/* The element of a tile, before that is scanned, that is a result even if the carry is the same, from which the scan
 * starts. */
static size_t forced(const mms_job *job, const mms_tile *t, const mms_value *carry) {
  const bool begins = finds(job) && !job->extras->has_init && carry->found.index == -1;
  return begins ? first_kept(job, t) : t->m;
}

static int64_t index_at(const mms_job *job, const mms_tile *t, size_t i) {
  return job->extras->first + job->extras->step * (int64_t)(t->at + i);
}

/* After a tile `t` was scanned from a carry to results at y, and the carry became `after`, which gets its index. */
static void write_indices(const mms_job *job, const mms_tile *t, const void *y, size_t forced_one,
                          const mms_value *carry, mms_value *after) {
  const mms_extras *e = job->extras;
  if (!finds(job)) return;
  const ptrdiff_t place = ((const char *)t->y - e->y) / (ptrdiff_t)job->storage->y_size;
  const mms_indices of = {.size = job->storage->size,
                          .n = t->m,
                          .y = y,
                          .reverse = job->reverse,
                          .exclusive = job->kind == MMSCAN_EXCLUSIVE,
                          .forced = forced_one,
                          .at = index_at(job, t, 0),
                          .step = e->step,
                          .to = e->indices + place,
                          .to_stride = t->y_stride,
                          .streams = job->streams};
  after->found.index = mms_indices_write(&of, carry, carry->found.index, after);
}

/* ---- Planes --------------------------------------------------------------------------------------------------- */

static mms_tile plane_of(const mms_job *job, const mms_tile *packed, size_t p) {
  const size_t at = p * packed->m * job->storage->size;
  mms_tile t = *packed;
  t.x = (const char *)t.x + at;
  t.y = (char *)t.y + at;
  if (t.next) t.next = (const void *)((uintptr_t)t.next + at);
  return t;
}

static void put_found(const mms_job *job, mms_found *found, size_t p, const mms_found *of_plane) {
  mms_storage_put_plane(job->storage, &found->total, p, &of_plane->total);
  found->is_final = of_plane->is_final;
  *(p == 0 ? &found->is_ordinary : &found->second_is_ordinary) = of_plane->is_ordinary;
  *(p == 0 ? &found->is_finite : &found->second_is_finite) = of_plane->is_finite;
}

static void scan_planes(const mms_job *job, void *inner, const mms_tile *t, const mms_tile *packed, mms_value *carry) {
  const mms_job of_inner = inner_job(job, t);
  check(job, packed, carry);
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_tile plane = plane_of(job, packed, p);
    mms_value value = mms_storage_plane(job->storage, carry, p);
    job->inner->at_once(&of_inner, inner, &plane, &value);
    mms_storage_put_plane(job->storage, carry, p, &value);
  }
}

/* ---- The contract: tiles -------------------------------------------------------------------------------------- */

static void reduce(const mms_job *job, void *memory, const mms_tile *t, mms_found *found) {
  ((work *)memory)->held = NULL;
  const mms_tile packed = hold(job, memory, t, NULL);
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_tile plane = plane_of(job, &packed, p);
    mms_found of_plane;
    of_plane.is_final = false;
    job->inner->reduce(job, inner_of(job, memory), &plane, &of_plane);
    put_found(job, found, p, &of_plane);
  }
}

/* The index of a carry that was taken past a tile. Its elements are packed only if one of them is the carry. */
static void find_index(const mms_job *job, void *memory, const mms_tile *t, const mms_value *before, mms_value *carry) {
  const size_t size = job->storage->size;
  carry->found.index = before->found.index;
  if (memcmp(before, carry, size) != 0) {
    const mms_tile packed = hold(job, memory, t, NULL);
    carry->found.index = index_at(job, t, mms_indices_find(size, t->m, packed.x, job->reverse, carry));
    return;
  }
  const size_t first = forced(job, t, before);
  if (first < t->m) carry->found.index = index_at(job, t, job->reverse ? t->m - 1 - first : first);
}

/* Elements are packed only if the engine has to look at them. */
static void advance(const mms_job *job, void *memory, const mms_tile *t, const mms_found *found, mms_value *carry) {
  const mms_value before = *carry;
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_found of_plane = mms_found_plane(job, found, p);
    mms_value value = mms_storage_plane(job->storage, carry, p);
    if (!of_plane.is_ordinary || !job->kernel->advance(job->kernel, &value, &of_plane.total)) {
      const mms_tile packed = found->is_final ? *t : hold(job, memory, t, NULL), plane = plane_of(job, &packed, p);
      job->inner->advance(job, inner_of(job, memory), &plane, &of_plane, &value);
    }
    mms_storage_put_plane(job->storage, carry, p, &value);
  }
  if (finds(job)) find_index(job, memory, t, &before, carry);
}

static void finish(const mms_job *job, void *memory, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  const mms_tile packed = hold(job, memory, t, prefetch);
  const mms_job of_inner = inner_job(job, t);
  const size_t first = forced(job, t, carry);
  mms_value after = *carry;
  check(job, &packed, carry);
  if (is_monotone(job))
    mms_monotone_scan(&of_inner, inner_of(job, memory), scanned_of(job, memory), &packed,
                      job->adds_exactly ? carry->bounded.after : NULL, &after);
  for (size_t p = 0; p < job->storage->planes && !is_monotone(job); p++) {
    const mms_tile plane = plane_of(job, &packed, p);
    const mms_value value = mms_storage_plane(job->storage, carry, p);
    job->inner->finish(&of_inner, inner_of(job, memory), &plane, &value, plane.next);
  }
  ((work *)memory)->held = NULL;
  write_indices(job, t, packed.y, first, carry, &after);
  unpack(job, t, packed.y, prefetch);
}

static void at_once(const mms_job *job, void *memory, const mms_tile *t, mms_value *carry) {
  ((work *)memory)->held = NULL;
  const mms_tile packed = hold(job, memory, t, after(job, t));
  const size_t first = forced(job, t, carry);
  const mms_value before = *carry;
  if (is_monotone(job)) {
    const mms_job of_inner = inner_job(job, t);
    mms_monotone_scan(&of_inner, inner_of(job, memory), scanned_of(job, memory), &packed, NULL, carry);
  } else {
    scan_planes(job, inner_of(job, memory), t, &packed, carry);
  }
  ((work *)memory)->held = NULL;
  write_indices(job, t, packed.y, first, &before, carry);
  unpack(job, t, packed.y, after(job, t));
}

/* What is gathered is best read once; contiguous elements are packed faster than memory is. */
static bool prepares(const mms_job *job) { return job->gathers; }

/* ---- The contract: batches ------------------------------------------------------------------------------------ */

static mms_tile row_of(const mms_job *job, const mms_batch *r, size_t k) {
  const mms_storage *s = job->storage;
  return (mms_tile){.m = r->n,
                    .x = (const char *)r->x + (ptrdiff_t)k * r->x_dist * (ptrdiff_t)s->x_size,
                    .y = (char *)r->y + (ptrdiff_t)k * r->y_dist * (ptrdiff_t)s->y_size,
                    .x_stride = r->x_stride,
                    .y_stride = r->y_stride,
                    .is_last = true};
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
  const size_t first_one = forced(job, &first, &r->first);
  for (size_t k = 0; in && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    pack_to(job, &t, buffer + k * bytes, (mms_ahead){NULL, 0});
  }
  const ptrdiff_t x_dist = in ? (ptrdiff_t)bytes : r->x_dist * (ptrdiff_t)job->storage->x_size;
  const ptrdiff_t y_dist = out ? (ptrdiff_t)bytes : r->y_dist * (ptrdiff_t)job->storage->y_size;
  const char *x = in ? buffer : first.x;
  char *y = out ? buffer : first.y;
  for (size_t k = 0; job->extras && k < count; k++) {
    const mms_tile packed = {.m = r->n, .x = x + (ptrdiff_t)k * x_dist, .is_last = true};
    check(job, &packed, &r->first);
  }
  for (size_t p = 0; p < planes; p++) {
    const size_t at = p * r->n * job->storage->size;
    const mms_batch packed = {.n = r->n,
                              .count = count,
                              .x_stride = 1,
                              .y_stride = 1,
                              .x_dist = in ? (ptrdiff_t)(planes * r->n) : r->x_dist,
                              .y_dist = out ? (ptrdiff_t)(planes * r->n) : r->y_dist,
                              .x = x + at,
                              .y = y + at,
                              .first = mms_storage_plane(job->storage, &r->first, p)};
    scan_rows(job, inner, &packed);
  }
  for (size_t k = 0; job->extras && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    mms_value after = r->first;
    write_indices(job, &t, y + (ptrdiff_t)k * y_dist, first_one, &r->first, &after);
  }
  for (size_t k = 0; out && k < count; k++) {
    const mms_tile t = row_of(job, r, from + k);
    mms_unpack(job->storage, r->n, buffer + k * bytes, t.y, r->y_stride, (mms_ahead){NULL, 0});
  }
}

/* As many rows at a time as RUN bytes hold, and the buffer, which holds one at least. Rows in which elements are
 * skipped have their first ones at different places. */
static void pack_batch(const mms_job *job, void *inner, const mms_batch *r, char *buffer, size_t room) {
  const size_t run = RUN / packed_size(job), held = (run < room ? run : room) / r->n;
  const size_t most = held > 0 && !(finds(job) && job->extras->instead) ? held : 1;
  for (size_t k = 0; k < r->count; k += most)
    pack_rows(job, inner, r, k, r->count - k < most ? r->count - k : most, buffer);
}

static void batch(const mms_job *job, void *memory, const mms_batch *r) {
  if (!is_monotone(job)) {
    pack_batch(job, inner_of(job, memory), r, buffer_of(memory), job->tile);
    return;
  }
  for (size_t k = 0; k < r->count; k++) {
    mms_value carry = r->first;
    const mms_tile t = row_of(job, r, k);
    at_once(job, memory, &t, &carry);
  }
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
                          .y_stride = t->y_stride,
                          .at = t->at + (size_t)at,
                          .is_last = t->is_last && done + m == t->m};
    const mms_tile packed = packed_tile(job, &run, pack(job, &run, buffer), buffer, NULL);
    const size_t first = forced(job, &run, carry);
    const mms_value before = *carry;
    scan_planes(job, NULL, &run, &packed, carry);
    write_indices(job, &run, packed.y, first, &before, carry);
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
