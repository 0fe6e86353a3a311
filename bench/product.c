/* product.c: times one product W = L_s X by a unit, the first level of a scan. */
#include "product.h"
#include "blas.h"
#include "lineup.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The elements of a tile. By rows, a tile has SHORTER fewer columns: rows that are a power of two apart would share a
 * set of the cache. */
enum { TILE = 65536, SHORTER = 16 };

const product products[PRODUCTS] = {
    [PRODUCT_TILES] = {"tiles", .form = MMSCAN_PRODUCT_CHUNKED, .tiles = true},
    [PRODUCT_TILES_BY_ROWS] = {"tiles by rows", .form = MMSCAN_PRODUCT_CHUNKED, .tiles = true, .by_rows = true},
    [PRODUCT_WHOLE] = {"whole", .form = MMSCAN_PRODUCT_GEMM},
    [PRODUCT_WHOLE_ONE_THREAD] = {"whole, 1 thread", .form = MMSCAN_PRODUCT_GEMM, .one_thread = true},
    [PRODUCT_TRMM] = {"trmm", .form = MMSCAN_PRODUCT_TRMM},
    [PRODUCT_BATCH] = {"batch", .form = MMSCAN_PRODUCT_BATCH},
    [PRODUCT_BATCH_STRIDED] = {"strided batch", .form = MMSCAN_PRODUCT_BATCH_STRIDED},
    [PRODUCT_BF16] = {"bfloat16", .form = MMSCAN_PRODUCT_BF16},
};

/* ---- The product ------------------------------------------------------------------------------------------------- */

static bool in_place(const product *p) { return p->form == MMSCAN_PRODUCT_TRMM; }

static const void *source(const contender *c) {
  const product *p = &products[c->form];
  return in_place(p) ? c->race->y : p->form == MMSCAN_PRODUCT_BF16 ? c->race->bf16 : c->race->x;
}

static mmscan_product_desc describe(const contender *c) {
  return (mmscan_product_desc){.struct_size = sizeof(mmscan_product_desc),
                               .unit = c->unit->name,
                               .type = c->race->number->type,
                               .form = products[c->form].form,
                               .matrix = MMSCAN_MATRIX_L,
                               .s = c->s};
}

/* The elements of the tile that begins at `at`. */
static size_t tile_at(const contender *c, size_t at) {
  const product *p = &products[c->form];
  const size_t left = c->race->n - at, tile = p->by_rows ? TILE - SHORTER * c->s : TILE;
  return p->tiles && tile < left ? tile : left;
}

static mmscan_status multiply(const contender *c) {
  mmscan_product_desc desc = describe(c);
  const size_t size = c->race->number->size;
  const char *x = source(c);
  char *w = c->race->y;
  mmscan_status status = MMSCAN_OK;
  for (size_t at = 0, tile; at < c->race->n && status == MMSCAN_OK; at += tile) {
    tile = tile_at(c, at);
    desc.columns = tile / c->s;
    desc.row_stride = products[c->form].by_rows ? desc.columns : 0;
    status = mmscan_product(&desc, x + at * size, w + at * size);
  }
  return status;
}

/* ---- The unit's own threads -------------------------------------------------------------------------------------- */

static bool is_batch(const product *p) {
  return p->form == MMSCAN_PRODUCT_BATCH || p->form == MMSCAN_PRODUCT_BATCH_STRIDED;
}

/* What they are set to. 0: they are left as they are, since a product in chunks starts none, and BLIS would start them
 * for every square of a batch. */
static int threads_to_set(const contender *c) {
  const product *p = &products[c->form];
  return p->tiles || is_batch(p) ? 0 : p->one_thread ? 1 : c->unit->threads;
}

/* How many threads the unit then uses; 1 if that is not known. */
static int threads_used(const bench_unit *unit, const product *p) {
  const int own = is_batch(p) ? unit->part.threads : unit->threads;
  return p->tiles || p->one_thread || own < 1 ? 1 : own;
}

/* ---- As a contender ---------------------------------------------------------------------------------------------- */

/* trmm works in place: its products soon become Inf and NaN, which take no longer; some libraries would skip zeros. */
static double run(const contender *c, long runs) {
  mmscan_status status = MMSCAN_OK;
  if (in_place(&products[c->form])) memcpy(c->race->y, c->race->data, c->race->n * c->race->number->size);
  const own_threads set = own_threads_set(c->unit->part.library, threads_to_set(c));
  const double start = timing_now();
  for (long i = 0; i < runs && status == MMSCAN_OK; i++) status = multiply(c);
  const double seconds = timing_now() - start;
  own_threads_restore(c->unit->part.library, set);
  return status == MMSCAN_OK ? seconds : NAN;
}

static size_t check_by_rows(const contender *c) {
  const race *r = c->race;
  const number_pair pair = race_pair(r);
  const char *x = r->data, *y = r->y;
  for (size_t at = 0, tile; at < r->n; at += tile) {
    tile = tile_at(c, at);
    const size_t from = at * r->number->size;
    const number_layout columns = {1, c->s, tile / c->s, tile / c->s};
    const size_t place = number_check(&pair, columns, x + from, y + from, NULL);
    if (place < tile) return at + place;
  }
  return r->n;
}

/* Fills W with NaN first, so that no earlier product can pass for this one; in place, with the data. A product that
 * fails is not wrong, but refused. */
static size_t verify(contender *c) {
  const race *r = c->race;
  const size_t bytes = r->n * r->number->size;
  if (in_place(&products[c->form]))
    memcpy(r->y, r->data, bytes);
  else
    memset(r->y, 0xFF, bytes);
  const own_threads set = own_threads_set(c->unit->part.library, threads_to_set(c));
  const mmscan_status status = multiply(c);
  own_threads_restore(c->unit->part.library, set);
  if (status != MMSCAN_OK) lineup_refuse(c, mmscan_strerror(status));
  if (status != MMSCAN_OK) return r->n;
  if (products[c->form].by_rows) return check_by_rows(c);
  const number_pair pair = race_pair(r);
  return number_check(&pair, (number_layout){r->n / c->s, c->s, 1, 1}, r->data, r->y, NULL);
}

/* ---- Adding contenders ------------------------------------------------------------------------------------------- */

/* What the unit reports of the routine behind the form; "" if nothing. */
static const char *remark_on(const contender *c) {
  mmscan_routine routine = {.struct_size = sizeof routine};
  const mmscan_product_form form = products[c->form].form;
  const mmscan_product_form as = form == MMSCAN_PRODUCT_CHUNKED ? MMSCAN_PRODUCT_GEMM : form;
  for (size_t i = 0; mmscan_get_routine(c->unit->name, i, &routine) == MMSCAN_OK; i++)
    if (routine.form == as && routine.type == c->race->number->type) return routine.remark;
  return "";
}

/* Tries one column, which is enough to tell whether the unit has the form. */
static void try_one(contender *c) {
  mmscan_product_desc desc = describe(c);
  desc.columns = 1;
  const mmscan_status status = mmscan_product(&desc, source(c), c->race->y);
  const char *remark = status != MMSCAN_OK ? remark_on(c) : "";
  if (status == MMSCAN_ENOTSUP)
    lineup_refuse(c, remark[0] != '\0' ? remark : "not in this library");
  else if (status != MMSCAN_OK)
    lineup_refuse(c, mmscan_strerror(status));
}

void product_add(race *r, const bench_unit *unit, product_kind kind) {
  const product *p = &products[kind];
  if (r->count == MOST_CONTENDERS) return;
  contender *c = &r->contenders[r->count++];
  *c = (contender){.role = ROLE_LIBRARY,
                   .threads = threads_used(unit, p),
                   .run = run,
                   .verify = verify,
                   .race = r,
                   .s = r->s,
                   .form = kind,
                   .unit = unit};
  snprintf(c->name, sizeof c->name, "%s", unit->label);
  c->settle = c->threads > 1;
  if (p->form == MMSCAN_PRODUCT_BF16 && r->bf16 == NULL)
    lineup_refuse(c, "f32 only");
  else
    try_one(c);
  if (c->refusal[0] == '\0' && p->one_thread && unit->threads <= 1)
    lineup_refuse(c, "has one thread, or does not let the number be set");
  if (c->refusal[0] == '\0') lineup_refuse_slow(c, unit->name);
}
