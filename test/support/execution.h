/* execution.h: one scan of contiguous elements, executed in one of many ways: by a plan or a call, at any stride, in
 * place, as one of several rows or columns, in blocks, or without memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library's workspaces are allocated by the function below, which the linker puts in place of aligned_alloc().
 */
#ifndef EXECUTION_H
#define EXECUTION_H

#include <stdatomic.h>

#include "base/workspace.h"
#include "reference.h"

enum { MOST_ROWS = 4, MOST_STATE = 1024 };

#define EXECUTION_DIFFERS ((mmscan_status)-1)

static const char *execution_error(mmscan_status status) {
  return status == EXECUTION_DIFFERS ? "rows differ" : mmscan_strerror(status);
}

typedef struct execution {
  mmscan_choice choice; /* of a plan; unless `plans`, nothing is chosen */
  bool plans, in_place, columns, in_blocks, has_state, lacks_memory;
  ptrdiff_t x_stride, y_stride; /* columns: their sign alone */
  size_t rows, offset;          /* offset: of x and y, in elements */
  size_t unit;                  /* blocks are multiples of it, but for the last one, */
  uint64_t cuts;                /*   and are drawn from this */
} execution;

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static atomic_bool execution_refuses;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return execution_refuses ? NULL : __real_aligned_alloc(alignment, size);
}

/* Takes what the library has kept of workspaces, and refuses more; or gives it back. */
static void execution_take_memory(bool takes) {
  enum { MOST = 100 };
  static void *taken[MOST];
  execution_refuses = takes;
  for (size_t i = 0; i < MOST && (takes || taken[i]); i++) {
    if (!takes) mms_workspace_release(taken[i]);
    taken[i] = takes ? mms_workspace_acquire(1) : NULL;
    if (takes && !taken[i]) break;
  }
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

typedef struct execution_array {
  ptrdiff_t stride, dist;
  char *memory, *first; /* first: element 0 of row 0 */
  size_t size, room;
} execution_array;

/* Room for n elements of so many rows. */
static execution_array execution_array_of(const execution *e, ptrdiff_t stride, size_t n, size_t size) {
  execution_array a = {.size = size};
  const size_t apart = (size_t)(stride < 0 ? -stride : stride), span = n * (e->columns ? e->rows : apart) + 3;
  a.stride = !e->columns ? stride : stride < 0 ? -(ptrdiff_t)e->rows : (ptrdiff_t)e->rows;
  a.dist = e->columns ? 1 : (ptrdiff_t)span;
  a.room = (span * (e->columns ? 1 : e->rows) + e->offset + e->rows) * size;
  a.memory = malloc(a.room);
  if (!a.memory) fail_msg("no memory for the test");
  memset(a.memory, 0x5a, a.room);
  a.first = a.memory + e->offset * size - (a.stride < 0 ? (ptrdiff_t)(n - 1) * a.stride * (ptrdiff_t)size : 0);
  return a;
}

static char *execution_at(const execution_array *a, size_t row, size_t i) {
  return a->first + ((ptrdiff_t)row * a->dist + (ptrdiff_t)i * a->stride) * (ptrdiff_t)a->size;
}

static bool execution_ignores_signs; /* of zeros */

/* Gives a NaN one pattern of bits. */
static void execution_plain(const ref_type *t, char *element) {
  const size_t parts = t->kind == 'c' ? 2 : 1, size = t->size / parts;
  for (size_t p = 0; p < parts && !ref_is_whole(t); p++) {
    const double value = ref_get_real(t, element, p);
    if (isnan(value)) memset(element + p * size, 0xff, size);
    if (value == 0 && execution_ignores_signs) memset(element + p * size, 0, size);
  }
}

/* ---- Scanning ---------------------------------------------------------------------------------------------------- */

static size_t execution_results(const mmscan_desc *d) { return d->n + (d->kind == MMSCAN_OFFSETS); }

/* What a scan with a carry starts from. */
static void execution_first(const mmscan_desc *d, char *carry) {
  const ref_type *y = ref_type_of(d->y_type), *as = ref_carry_of(d);
  const double none = d->op == MMSCAN_MUL ? 1 : d->kind == MMSCAN_EXCLUSIVE ? 0.0 : -0.0;
  for (size_t p = 0; p < (as->kind == 'c' ? 2 : 1); p++)
    ref_put_real(as, carry, p, d->init ? ref_get_real(y, d->init, p) : d->op == MMSCAN_MUL && p ? 0 : none);
}

static size_t execution_cut(const execution *e, struct rng *rng, size_t left) {
  const size_t most = left / e->unit, few = smaller(most, 3);
  if (most == 0 || draw_below(rng, 4) == 0) return left;
  return e->unit * (1 + draw_below(rng, draw_below(rng, 2) ? most : few));
}

/* d: that of all; x, y: of row 0, element 0. */
static mmscan_status execution_by_blocks(const execution *e, const mmscan_desc *all, const execution_array *x,
                                         const execution_array *y) {
  char carry[MOST_ROWS * 16], state[MOST_ROWS * MOST_STATE] = {0};
  struct rng rng = {e->cuts};
  mmscan_desc d = *all;
  const size_t size = ref_carry_of(&d)->size;
  for (size_t r = 0; r < e->rows; r++) execution_first(all, carry + r * size);
  d.init = NULL;
  d.state = e->has_state ? state : NULL;
  if (mmscan_state_size(&d) > MOST_STATE) fail_msg("mmscan_state_size() is %zu", mmscan_state_size(&d));
  for (size_t done = 0; done < all->n; done += d.n) {
    d.n = execution_cut(e, &rng, all->n - done);
    const size_t at = all->reverse ? all->n - done - d.n : done;
    const mmscan_status status = mmscan_scan_block(&d, execution_at(x, 0, at), execution_at(y, 0, at), carry);
    if (status != MMSCAN_OK) return status;
  }
  return MMSCAN_OK;
}

static mmscan_status execution_by_plan(const execution *e, const mmscan_desc *d, const void *x, void *y) {
  mmscan_plan *plan;
  mmscan_choice choice = e->choice;
  mmscan_status status = mmscan_plan_create_with(&plan, d, MMSCAN_ESTIMATE, &choice);
  choice.way = NULL; /* not every way suits every scan */
  if (status == MMSCAN_EINVAL && e->choice.way) status = mmscan_plan_create_with(&plan, d, MMSCAN_ESTIMATE, &choice);
  if (status != MMSCAN_OK) return status;
  execution_take_memory(e->lacks_memory);
  status = mmscan_execute(plan, x, y);
  execution_take_memory(false);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status execution_call(const execution *e, const mmscan_desc *d, const execution_array *x,
                                    const execution_array *y) {
  if (e->plans) return execution_by_plan(e, d, x->first, y->first);
  execution_take_memory(e->lacks_memory);
  const mmscan_status status = e->in_blocks ? execution_by_blocks(e, d, x, y) : mmscan_scan(d, x->first, y->first);
  execution_take_memory(false);
  return status;
}

/* Whether an execution fits a description. */
static bool execution_fits(const execution *e, const mmscan_desc *d) {
  return (!e->in_place || d->x_type == d->y_type) && (!e->in_blocks || d->kind != MMSCAN_OFFSETS);
}

static const char *execution_text(const execution *e) {
  static char text[300];
  snprintf(text, sizeof text, "%s%s%s%s%s, strides %td %td, %zu rows, offset %zu, by %s x %s, %d threads, way %s",
           e->in_place ? "in place" : "out of place", e->columns ? ", columns" : "", e->in_blocks ? ", in blocks" : "",
           e->has_state ? " with a state" : "", e->lacks_memory ? ", without memory" : "", e->x_stride, e->y_stride,
           e->rows, e->offset, e->plans ? text_or(e->choice.engine, "any") : "a call", part_of(&e->choice),
           e->choice.threads, text_or(e->choice.way, "any"));
  return text;
}

/* Puts the results of a row, one after the other, to y. */
static void execution_collect(const execution_array *from, size_t row, size_t count, const ref_type *type, char *y) {
  for (size_t i = 0; i < count; i++) {
    memcpy(y + i * type->size, execution_at(from, row, i), type->size);
    execution_plain(type, y + i * type->size);
  }
}

/* Scans contiguous elements x to contiguous results y, in which NaN have one pattern. total: NULL, or what becomes the
 * total. All rows have the same elements; returns EXECUTION_DIFFERS if not all have the same results. */
static mmscan_status execution_scan(const execution *e, const mmscan_desc *desc, const void *x, void *y, void *total) {
  const ref_type *x_type = ref_type_of(desc->x_type), *y_type = ref_type_of(desc->y_type);
  const size_t count = execution_results(desc);
  char totals[MOST_ROWS * 16], *const other = malloc(count * y_type->size);
  execution_array to = execution_array_of(e, e->y_stride, count, y_type->size);
  execution_array from = e->in_place ? to : execution_array_of(e, e->x_stride, count, x_type->size);
  mmscan_desc d = *desc;
  bool differ = false;
  if (e->in_place && d.kind == MMSCAN_OFFSETS) from.first += to.stride * (ptrdiff_t)to.size;
  d.x_stride = from.stride, d.y_stride = to.stride, d.x_dist = from.dist, d.y_dist = to.dist;
  d.batch = e->rows;
  d.totals = total ? totals : NULL;
  for (size_t r = 0; r < e->rows; r++)
    for (size_t i = 0; i < d.n; i++)
      memcpy(execution_at(&from, r, i), (const char *)x + i * x_type->size, x_type->size);
  const mmscan_status status = execution_call(e, &d, &from, &to);
  for (size_t r = 0; r < e->rows && status == MMSCAN_OK; r++) {
    execution_collect(&to, r, count, y_type, r ? other : y);
    if (total) execution_plain(y_type, totals + r * y_type->size);
    differ |= r && memcmp(y, other, count * y_type->size) != 0;
    differ |= r && total && memcmp(totals, totals + r * y_type->size, y_type->size) != 0;
  }
  if (total) memcpy(total, totals, y_type->size);
  free(to.memory);
  if (!e->in_place) free(from.memory);
  free(other);
  return differ ? EXECUTION_DIFFERS : status;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

static execution execution_plain_one(void) {
  return (execution){.x_stride = 1, .y_stride = 1, .rows = 1, .unit = 1, .choice.struct_size = sizeof(mmscan_choice)};
}

/* The name of a part that runs, or NULL. */
static const char *execution_draw_part(struct rng *rng, mmscan_status get(size_t, mmscan_part *)) {
  mmscan_part part = {.struct_size = sizeof part};
  size_t count = 0;
  while (get(count, &part) == MMSCAN_OK) count++;
  if (get(draw_below(rng, count + 1), &part) != MMSCAN_OK) return NULL;
  return part.status == MMSCAN_OK ? part.name : NULL;
}

/* Any execution by the engines that go with MMSCAN_REPRODUCIBLE. unit: of blocks; 0: there are none. */
static execution execution_draw(struct rng *rng, const mmscan_desc *d, size_t unit) {
  static const ptrdiff_t strides[] = {1, 1, 1, 2, 3, -1, -1, -2, 17};
  execution e = execution_plain_one();
  do {
    e.in_place = draw_below(rng, 3) == 0;
    e.in_blocks = unit > 0 && draw_below(rng, 3) == 0;
  } while (!execution_fits(&e, d));
  e.columns = draw_below(rng, 6) == 0;
  e.rows = draw_below(rng, 3) && !e.columns ? 1 : 1 + draw_below(rng, MOST_ROWS);
  e.offset = draw_below(rng, 20);
  e.x_stride = draw_below(rng, 2) ? 1 : strides[draw_below(rng, COUNT(strides))];
  e.y_stride = draw_below(rng, 2) ? e.x_stride : strides[draw_below(rng, COUNT(strides))];
  e.unit = unit > 0 ? unit : 1;
  e.cuts = draw(rng);
  e.has_state = e.in_blocks;
  e.lacks_memory = draw_below(rng, 8) == 0;
  e.plans = !e.in_blocks && draw_below(rng, 4) != 0;
  e.choice.threads = (int)draw_below(rng, 5);
  e.choice.engine = draw_below(rng, 4) ? NULL : draw_below(rng, 2) ? "simd" : "serial";
  if (!same_text(e.choice.engine, "serial")) e.choice.isa = execution_draw_part(rng, mmscan_get_isa);
  if (draw_below(rng, 2)) e.choice.way = execution_draw_part(rng, mmscan_get_way);
  if (e.choice.engine || e.choice.isa) e.lacks_memory = false; /* what is asked for by name gets MMSCAN_ENOMEM */
  return e;
}

#endif /* EXECUTION_H */
