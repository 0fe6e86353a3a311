/* recurrence.c: recurrences tile by tile. What is not contiguous goes through a buffer, a run at a time. */
#include "engine/recurrence.h"

#include "engine/toeplitz.h"
#include "unit/gate.h"

#include <string.h>

/* RUN: bytes of a run that is gathered. PRODUCT: of one that is multiplied. */
enum { RUN = 4096, PRODUCT = 16384 };

static const struct cell {
  const char *isa;
  const mms_recurrences *const *by_type;
} cells[] = {
#define MMS_RECURRENCE_CELL(isa) {#isa, mms_recurrences_##isa},
#include "engine/recurrence.def"
#undef MMS_RECURRENCE_CELL
};
enum { CELLS = sizeof cells / sizeof *cells };

const mms_recurrences *mms_recurrences_of(const mms_isa *isa, mmscan_type type) {
  size_t i = 0;
  while (i < CELLS - 1 && strcmp(cells[i].isa, isa->name) != 0) i++;
  while (!cells[i].by_type[type]) i++;
  return cells[i].by_type[type];
}

static const mms_recurrence *call_of(const mms_job *job) { return job->algebra->own->call; }

/* ---- A tile --------------------------------------------------------------------------------------------------- */

typedef struct buffers {
  alignas(MMS_KERNEL_LINE) char powers[MMS_RECURRENCE_POWERS], a[RUN], x[RUN], y[RUN];
} buffers;

/* A tile to be done: by what, and what of its stretches is alike. */
typedef struct walk {
  const mms_recurrence *r;
  const mms_tile *tile;
  void (*stretch)(const struct walk *, const mms_stretch *);
  const mms_job *job;
  void *work;
  const char *a; /* of the tile's first element in memory */
  size_t most;   /* elements of a run; whole blocks */
  mms_stretch all;
} walk;

static bool is_first(const mms_job *job, const mms_tile *t) {
  return job->reverse ? t->at + t->m == call_of(job)->n : t->at == 0;
}

/* Where a scan begins, its carry is init. */
static void begin(const mms_job *job, const mms_tile *t, mms_value *carry) {
  const mms_recurrence *r = call_of(job);
  const size_t size = r->algebra.size;
  if (is_first(job, t) && r->init) memcpy(carry, r->init + t->scan * size, size);
}

static const char *a_of(const mms_recurrence *r, const mms_tile *t) {
  const ptrdiff_t at = (ptrdiff_t)t->scan * r->a_dist + (ptrdiff_t)t->at * r->a_stride;
  return r->a + at * (ptrdiff_t)r->algebra.size;
}

static void by_kernel(const walk *w, const mms_stretch *s) { w->r->kernel->scan(s); }
static void by_loop(const walk *w, const mms_stretch *s) { w->r->kernel->plain(s); }

/* m elements from number `from` on, in memory. */
static void do_run(const walk *w, buffers *b, size_t from, size_t m) {
  const mms_tile *t = w->tile;
  const mms_storage *storage = &w->r->storage;
  const ptrdiff_t size = (ptrdiff_t)storage->size, first = (ptrdiff_t)from * size;
  const char *a = w->a + w->r->a_stride * first, *x = (const char *)t->x + t->x_stride * first;
  char *y = (char *)t->y + t->y_stride * first;
  mms_stretch s = w->all;
  const bool writes = s.y != NULL, gathers = t->x_stride != 1, scatters = writes && t->y_stride != 1;
  if (!s.powers && w->r->a_stride != 1) mms_pack(storage, m, a, w->r->a_stride, b->a, (mms_ahead){0}), a = b->a;
  if (gathers) mms_pack(storage, m, x, t->x_stride, b->x, (mms_ahead){0}), x = b->x;
  s.n = m;
  s.a = a;
  s.x = x;
  s.y = scatters ? b->y : writes ? y : NULL;
  w->stretch(w, &s);
  if (scatters) mms_unpack(storage, m, b->y, y, t->y_stride, (mms_ahead){0});
}

static bool is_contiguous(const walk *w) {
  const bool is_a = w->all.powers || w->r->a_stride == 1;
  return is_a && w->tile->x_stride == 1 && (!w->all.y || w->tile->y_stride == 1);
}

/* From run to run a carry and a total are as they are from block to block. Not inlined, so that the buffers are on the
 * stack only here. */
static __attribute__((noinline)) void do_tile(walk *w) {
  buffers b;
  const mms_recurrence *r = w->r;
  const size_t m = w->tile->m;
  if (r->a_stride == 0) w->all.powers = r->is_shared ? r->powers : b.powers;
  if (r->a_stride == 0 && !r->is_shared) r->kernel->raise(w->a, w->all.reverse, b.powers);
  const size_t most = is_contiguous(w) ? w->most : RUN / r->storage.size;
  for (size_t done = 0, now; done < m; done += now) {
    now = m - done < most ? m - done : most;
    do_run(w, &b, w->all.reverse ? m - done - now : done, now);
  }
}

static walk walk_of(const mms_job *job, const mms_tile *t) {
  const mms_recurrence *r = call_of(job);
  return (walk){.r = r,
                .tile = t,
                .stretch = by_kernel,
                .job = job,
                .a = a_of(r, t),
                .most = SIZE_MAX,
                .all = {.reverse = job->reverse}};
}

/* ---- The steps ------------------------------------------------------------------------------------------------ */

/* found->total holds both elements of a map. */
static void put_found(const mms_recurrence *r, const mms_affine *map, mms_found *found) {
  *found = (mms_found){.is_ordinary = map->is_ordinary};
  memcpy(found->total.bytes, &map->a, r->algebra.size);
  memcpy(found->total.bytes + r->algebra.size, &map->b, r->algebra.size);
}

static mms_affine map_of(const mms_recurrence *r, const mms_found *found) {
  mms_affine map = {.is_ordinary = found->is_ordinary};
  memcpy(&map.a, found->total.bytes, r->algebra.size);
  memcpy(&map.b, found->total.bytes + r->algebra.size, r->algebra.size);
  return map;
}

static void reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  walk w = walk_of(job, t);
  mms_affine map = w.r->kernel->identity;
  (void)work;
  w.all.total = &map;
  do_tile(&w);
  put_found(w.r, &map, found);
}

static void advance(const mms_job *job, void *work, const mms_tile *t, const mms_found *found, mms_value *carry) {
  walk w = walk_of(job, t);
  const mms_affine map = map_of(w.r, found);
  (void)work;
  begin(job, t, carry);
  if (w.r->kernel->advance(&map, carry)) return;
  w.all.carry = carry;
  do_tile(&w);
}

static void finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  walk w = walk_of(job, t);
  mms_value running = *carry;
  (void)work, (void)prefetch;
  begin(job, t, &running);
  w.all.carry = &running;
  w.all.y = t->y;
  w.all.streams = job->streams;
  do_tile(&w);
}

static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  walk w = walk_of(job, t);
  mms_affine map = w.r->kernel->identity;
  (void)work;
  begin(job, t, carry);
  mms_value running = *carry;
  w.all.carry = &running;
  w.all.total = &map;
  w.all.y = t->y;
  w.all.streams = job->streams;
  do_tile(&w);
  if (!w.r->kernel->advance(&map, carry)) *carry = running;
}

static size_t tile_of(const mms_algebra *algebra, size_t n) {
  (void)n;
  return MMS_ENGINE_TILE / algebra->size;
}

const mms_engine mms_recurrence_simd = {.name = "simd",
                                        .description = "recurrences in vector registers",
                                        .reduce = reduce,
                                        .advance = advance,
                                        .finish = finish,
                                        .at_once = at_once,
                                        .tile_of = tile_of};

/* ---- In the order of the plain loop --------------------------------------------------------------------------- */

static void in_order(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  walk w = walk_of(job, t);
  (void)work;
  begin(job, t, carry);
  w.stretch = by_loop;
  w.all.carry = carry;
  w.all.y = t->y;
  do_tile(&w);
}

const mms_engine mms_recurrence_serial = {
    .name = "serial", .description = "recurrences by the plain loop", .at_once = in_order};

/* ---- By products of a unit ------------------------------------------------------------------------------------ */

/* Where these are in a thread's workspace. */
typedef struct products {
  char *rows, *matrix, *response;
} products;

/* The s of the matrices: rows of real numbers have S, those of complex ones half of it. */
enum { S = 16 };

static size_t row_of(const mms_recurrence *r) { return r->algebra.kind == 'c' ? S / 2 : S; }

static size_t matrix_size(const mms_recurrence *r) { return mms_toeplitz_size(r->algebra.type, row_of(r)); }

/* The response has room for a^0 to a^s, and, in the order of memory, for what a row takes of the carry. */
static products products_of(const mms_recurrence *r, void *work) {
  char *rows = work, *matrix = rows + PRODUCT;
  return (products){.rows = rows, .matrix = matrix, .response = matrix + matrix_size(r)};
}

static size_t work_size(const mms_job *job) {
  const mms_recurrence *r = call_of(job);
  return PRODUCT + matrix_size(r) + 2 * (row_of(r) + 1) * r->algebra.size;
}

/* One row, whose results from zero are there. */
static void finish_row(const walk *w, const mms_stretch *s, size_t from, const char *response, char *row) {
  const size_t size = w->r->algebra.size, count = row_of(w->r);
  mms_stretch part = *s;
  part.n = count;
  part.x = (const char *)s->x + from * size;
  part.y = (char *)s->y + from * size;
  if (w->r->kernel->respond(count, response, row, s->reverse, s->carry))
    memcpy(part.y, row, count * size);
  else
    w->r->kernel->plain(&part);
}

/* Rows in the order of the scan. */
static void do_rows(const walk *w, const mms_stretch *s, size_t from, size_t rows) {
  const products p = products_of(w->r, w->work);
  const size_t size = w->r->algebra.size, count = row_of(w->r);
  const char *response = p.response + (count + 1) * size;
  mms_toeplitz_rows(w->job->unit, w->r->algebra.type, count, p.matrix, rows, (const char *)s->x + from * size, p.rows);
  for (size_t i = 0; i < rows; i++) {
    const size_t k = s->reverse ? rows - 1 - i : i;
    finish_row(w, s, from + k * count, response, p.rows + k * count * size);
  }
}

/* Whole rows, a run that stays in the cache at a time; then, in the order of the scan, the rest. */
static void by_products(const walk *w, const mms_stretch *s) {
  const size_t size = w->r->algebra.size, count = row_of(w->r), left = s->n % count, rows = s->n / count;
  const size_t most = PRODUCT / (count * size), first = s->reverse ? left : 0;
  for (size_t done = 0, now; done < rows; done += now) {
    now = rows - done < most ? rows - done : most;
    do_rows(w, s, first + (s->reverse ? rows - done - now : done) * count, now);
  }
  const size_t at = s->reverse ? 0 : rows * count;
  mms_stretch rest = *s;
  rest.n = left;
  rest.x = (const char *)s->x + at * size;
  rest.y = (char *)s->y + at * size;
  w->r->kernel->plain(&rest);
}

/* a^0 to a^s; the matrix; and the powers by which a row takes the carry, in the order of memory. */
static void make_products(const walk *w) {
  const mms_recurrence *r = w->r;
  const products p = products_of(r, w->work);
  const size_t s = row_of(r), size = r->algebra.size;
  r->kernel->list(w->a, s + 1, p.response);
  mms_toeplitz_make(r->algebra.type, s, p.response, w->all.reverse, p.matrix);
  for (size_t i = 0; i < s; i++)
    memcpy(p.response + (s + 1 + i) * size, p.response + (w->all.reverse ? s - i : i + 1) * size, size);
}

static void finish_by_products(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry,
                               const void *prefetch) {
  walk w = walk_of(job, t);
  mms_value running = *carry;
  (void)prefetch;
  begin(job, t, &running);
  w.stretch = by_products;
  w.work = work;
  w.all.carry = &running;
  w.all.y = t->y;
  make_products(&w);
  do_tile(&w);
}

/* The carry out, by vector registers, and then the results, in two passes. */
static void at_once_by_products(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  const mms_value into = *carry;
  mms_found found;
  reduce(job, work, t, &found);
  advance(job, work, t, &found, carry);
  finish_by_products(job, work, t, &into, NULL);
}

const mms_engine mms_recurrence_gemm = {.name = "gemm",
                                        .description = "recurrences by products of a unit, row by row",
                                        .reduce = reduce,
                                        .advance = advance,
                                        .finish = finish_by_products,
                                        .at_once = at_once_by_products,
                                        .has_unit = true,
                                        .work_size = work_size,
                                        .tile_of = tile_of};

/* ---- One call ------------------------------------------------------------------------------------------------- */

void mms_recurrence_begin(mms_recurrence *r, const mms_engine *engine, mmscan_type type, bool reverse) {
  const mms_type *of = mms_type_of(type);
  static const double zero[2];
  r->algebra = (mms_algebra){.op = MMSCAN_PLUS,
                             .type = type,
                             .kind = of->kind,
                             .size = of->size,
                             .identity = zero,
                             .start = zero,
                             .unit = mms_toeplitz_unit(type),
                             .own = &r->own};
  r->storage = (mms_storage){.arithmetic = type, .x_size = of->size, .y_size = of->size, .size = of->size, .planes = 1};
  r->own = (mms_own){.call = r, .by_tiles = engine, .alone = engine, .streams = !engine->has_unit};
  r->is_shared = r->a_stride == 0 && r->a_dist == 0;
  if (r->is_shared) r->kernel->raise(r->a, reverse, r->powers);
}
