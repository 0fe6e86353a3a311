/* test_custom.c: operators of the caller's (mmscan_scan_with()), against a plain loop, however threads share the scans.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Most tests scan affine maps of 4 bits, one in each byte: they do not commute, and serve elements of any size.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "plan/operator.h"
#include "support/area.h"
#include "support/child.h"

enum { LARGEST = 65536, MOST_RANK = 3, MOST_DIMS = MOST_RANK + 2, MOST_ELEMENTS = 3000, MOST_BYTES = 2 << 20 };

/* ---- Allocations that fail --------------------------------------------------------------------------------------- */

static atomic_int made, failing; /* allocations since they were counted, and how many of them fail */
static atomic_int first_failing;

/* The linker prescribes the names. */
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  const int index = made++ - first_failing;
  return index >= 0 && index < failing ? NULL : __real_aligned_alloc(alignment, size);
}

/* ---- An operator for elements of any size ------------------------------------------------------------------------ */

/* What combine() is told, and what it sees. */
struct maps {
  size_t size, alignment;
  atomic_size_t calls;
  atomic_bool is_wrong; /* an address is not aligned, or the result is where an operand is */
};

static bool meet(const char *a, const char *b, size_t size) { return a < b + size && b < a + size; }

/* A byte is the map of t to (byte >> 4) t + byte, modulo 16. `a` comes first. */
static void combine_maps(void *context, const void *a, const void *b, void *result) {
  struct maps *m = context;
  const unsigned char *x = a, *y = b;
  unsigned char *r = result;
  const bool is_wrong = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)result) % m->alignment != 0;
  if (is_wrong || meet(a, result, m->size) || meet(b, result, m->size)) m->is_wrong = true;
  m->calls++;
  for (size_t i = 0; i < m->size; i++)
    r[i] = (unsigned char)((y[i] >> 4) * (x[i] >> 4) << 4 | (((y[i] >> 4) * x[i] + y[i]) & 15));
}

/* Maps with an inverse, so that no element is forgotten. */
static void draw_maps(struct rng *rng, unsigned char *x, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    const uint64_t maps = draw(rng) | UINT64_C(0x1010101010101010);
    memcpy(x + i, &maps, smaller(sizeof maps, bytes - i));
  }
}

static const unsigned char *no_map(void) {
  static unsigned char identity[LARGEST];
  memset(identity, 16, sizeof identity);
  return identity;
}

static mmscan_operator operator_of(struct maps *m, bool has_identity) {
  return (mmscan_operator){.struct_size = sizeof(mmscan_operator),
                           .size = m->size,
                           .combine = combine_maps,
                           .context = m,
                           .identity = has_identity ? no_map() : NULL};
}

static mmscan_desc desc_of(mmscan_kind kind, size_t n) { return (mmscan_desc)MMSCAN_DESC(0, 0, kind, n); }

/* ---- The plain loop ---------------------------------------------------------------------------------------------- */

/* One scan: x and y point to its first elements by index. acc: the operand from the left; NULL: none. */
static void scan_plainly(const mmscan_operator *op, const mmscan_desc *d, const char *x, char *y, char *total) {
  static char sum[2][LARGEST];
  const ptrdiff_t size = (ptrdiff_t)op->size, n = (ptrdiff_t)d->n;
  const bool is_exclusive = d->kind != MMSCAN_INCLUSIVE;
  const void *acc = d->init ? d->init : is_exclusive || n == 0 ? op->identity : NULL;
  char *to = y + (d->kind == MMSCAN_OFFSETS && d->reverse ? n * d->y_stride * size : 0);
  for (ptrdiff_t k = 0; k < n; k++) {
    const ptrdiff_t i = d->reverse ? n - 1 - k : k;
    const char *element = x + i * d->x_stride * size;
    if (d->kind == MMSCAN_OFFSETS)
      to = y + (d->reverse ? i + 1 : i) * d->y_stride * size;
    else
      to = y + i * d->y_stride * size;
    if (is_exclusive) memcpy(to, acc, op->size);
    if (acc)
      op->combine(op->context, acc, element, sum[k % 2]);
    else
      memcpy(sum[k % 2], element, op->size);
    acc = sum[k % 2];
    if (!is_exclusive) memcpy(to, acc, op->size);
  }
  if (d->kind == MMSCAN_OFFSETS) memcpy(y + (d->reverse ? 0 : n * d->y_stride * size), acc, op->size);
  if (total) memcpy(total, acc, op->size);
}

static void scan_all_plainly(const mmscan_operator *op, const mmscan_desc *d, const char *x, char *y, char *totals) {
  const ptrdiff_t size = (ptrdiff_t)op->size;
  size_t outer = 1;
  for (size_t k = 0; k < d->outer_rank; k++) outer *= d->outer[k].n;
  for (size_t scan = 0; scan < outer * d->batch; scan++) {
    const ptrdiff_t r = (ptrdiff_t)(scan % d->batch);
    ptrdiff_t at_x = r * d->x_dist, at_y = r * d->y_dist;
    size_t rest = scan / d->batch;
    for (size_t k = d->outer_rank; k-- > 0; rest /= d->outer[k].n) {
      at_x += (ptrdiff_t)(rest % d->outer[k].n) * d->outer[k].x_stride;
      at_y += (ptrdiff_t)(rest % d->outer[k].n) * d->outer[k].y_stride;
    }
    scan_plainly(op, d, x + at_x * size, y + at_y * size, totals ? totals + scan * op->size : NULL);
  }
}

/* ---- Random descriptions ----------------------------------------------------------------------------------------- */

/* An array whose dimensions lie within each other in any order, with gaps: the scan, the batch, and those around it. */
struct array {
  ptrdiff_t stride[MOST_DIMS], first;
  size_t span;
};

static struct array draw_array(struct rng *rng, const size_t *count, size_t dims) {
  struct array a = {.span = 1};
  size_t order[MOST_DIMS] = {0};
  for (size_t i = 0; i < dims; i++) {
    const size_t j = draw_below(rng, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  for (size_t i = 0; i < dims; i++) {
    const size_t k = order[i], stride = a.span + (draw_below(rng, 3) == 0);
    const bool goes_down = draw_below(rng, 4) == 0;
    a.stride[k] = goes_down ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    if (count[k] == 0) continue;
    if (goes_down) a.first += (ptrdiff_t)((count[k] - 1) * stride);
    a.span += (count[k] - 1) * stride;
  }
  return a;
}

struct trial {
  mmscan_desc d;
  mmscan_dim outer[MOST_RANK];
  size_t size, dims, x_count[MOST_DIMS], y_count[MOST_DIMS];
  struct array x, y;
  bool is_in_place, has_init_in_y;
};

static void draw_shape(struct rng *rng, struct trial *t) {
  const size_t most = smaller(MOST_ELEMENTS, MOST_BYTES / t->size);
  t->d.outer_rank = draw_below(rng, 3) ? 0 : 1 + draw_below(rng, MOST_RANK);
  t->d.batch = draw_below(rng, 2) ? 1 : 1 + draw_below(rng, 12);
  size_t scans = t->d.batch;
  for (size_t k = 0; k < t->d.outer_rank; k++) scans *= t->outer[k].n = 1 + draw_below(rng, 3);
  t->d.n = draw_below(rng, draw_below(rng, 3) ? most / scans + 1 : 5);
  t->dims = t->d.outer_rank + 2;
  t->x_count[0] = t->d.n;
  t->y_count[0] = t->d.n + (t->d.kind == MMSCAN_OFFSETS);
  t->x_count[1] = t->y_count[1] = t->d.batch;
  for (size_t k = 0; k < t->d.outer_rank; k++) t->x_count[k + 2] = t->y_count[k + 2] = t->outer[k].n;
}

static void draw_places(struct rng *rng, struct trial *t) {
  t->y = draw_array(rng, t->y_count, t->dims);
  t->is_in_place = draw_below(rng, 3) == 0;
  t->x = draw_array(rng, t->x_count, t->dims);
  if (draw_below(rng, 20) == 0) t->x.stride[draw_below(rng, 2)] = 0;
  if (t->is_in_place) t->x = t->y;
  t->d.x_stride = t->x.stride[0], t->d.y_stride = t->y.stride[0];
  t->d.x_dist = t->x.stride[1], t->d.y_dist = t->y.stride[1];
  t->d.outer = t->outer;
  for (size_t k = 0; k < t->d.outer_rank; k++)
    t->outer[k].x_stride = t->x.stride[k + 2], t->outer[k].y_stride = t->y.stride[k + 2];
}

/* Threads, tiles and a way; NULL: as the library chooses. */
static const mmscan_choice *draw_choice(struct rng *rng, mmscan_choice *choice) {
  static const char *const ways[] = {NULL, "scans", "shares", "leader"};
  if (draw_below(rng, 5) == 0) return NULL;
  *choice = (mmscan_choice){.struct_size = sizeof *choice,
                            .threads = 1 + (int)draw_below(rng, 4),
                            .tile = draw_below(rng, 2) ? 0 : 1 + draw_below(rng, 40),
                            .way = ways[draw_below(rng, COUNT(ways))]};
  return choice;
}

static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 24, 100, 300, 4096, LARGEST};

/* Returns whether the way that was drawn could be taken. */
static bool check_trial(size_t stream) {
  struct rng rng = rng_of(stream);
  struct trial t = {.size = sizes[draw_below(&rng, COUNT(sizes))]};
  const size_t largest = t.size & -t.size;
  struct maps maps = {.size = t.size, .alignment = largest};
  const bool has_identity = draw_below(&rng, 2), is_page = draw_below(&rng, 2);
  const mmscan_operator op = operator_of(&maps, has_identity);
  static unsigned char init[LARGEST + 1];
  mmscan_choice room;
  const mmscan_choice *choice = draw_choice(&rng, &room);
  t.d = desc_of((mmscan_kind)(1 + draw_below(&rng, 3)), 0);
  t.d.reverse = (int)draw_below(&rng, 2);
  t.d.flags = draw_below(&rng, 8) ? 0 : MMSCAN_REPRODUCIBLE;
  draw_shape(&rng, &t);
  draw_places(&rng, &t);
  const size_t size = t.size, scans = t.d.batch * (t.d.outer_rank > 0 ? t.outer[0].n : 1) *
                                      (t.d.outer_rank > 1 ? t.outer[1].n : 1) * (t.d.outer_rank > 2 ? t.outer[2].n : 1);
  /* Pages align elements of sizes that are powers of 2 at their ends, too. */
  const enum place place = is_page && size == largest && size <= 4096 ? 1 + draw_below(&rng, 2) : GUARDED;
  if (place == GUARDED && largest > 64) maps.alignment = 1; /* memory of the test is aligned to 64 */
  area x = area_new(place, t.x.span * size, 0), y = area_new(place, t.y.span * size, 0),
       totals = area_new(GUARDED, scans * size, 0);
  draw_maps(&rng, x.data, x.size);
  draw_maps(&rng, y.data, y.size);
  draw_maps(&rng, init, sizeof init);
  unsigned char *y0 = y.data + t.y.first * (ptrdiff_t)size;
  const bool wants_totals = draw_below(&rng, 2) && (t.d.n > 0 || has_identity);
  if (t.d.kind != MMSCAN_INCLUSIVE && !has_identity) t.d.init = init + 1;
  if (draw_below(&rng, 2)) t.d.init = init + 1;
  if (wants_totals) t.d.totals = totals.data;
  const unsigned char *x0 = t.is_in_place ? y0 : x.data + t.x.first * (ptrdiff_t)size;
  if (t.is_in_place && t.d.kind == MMSCAN_OFFSETS) x0 += t.d.y_stride * (ptrdiff_t)size;
  t.has_init_in_y = t.d.init && draw_below(&rng, 3) == 0;
  if (t.has_init_in_y) t.d.init = y.data + draw_below(&rng, t.y.span) * size;

  /* What is expected: of copies, as x and init may be in y. */
  const size_t room_size = x.size + y.size + size;
  unsigned char *want = malloc(y.size + 1), *want_totals = malloc(totals.size + 1), *from = malloc(room_size);
  memcpy(want, y.data, y.size);
  const unsigned char *source = t.is_in_place ? y.data : x.data;
  memcpy(from, source, t.is_in_place ? y.size : x.size);
  mmscan_desc d = t.d;
  if (t.d.init) d.init = memcpy(from + x.size + y.size, t.d.init, size);
  scan_all_plainly(&op, &d, (char *)from + (x0 - source), (char *)want + (y0 - y.data),
                   wants_totals ? (char *)want_totals : NULL);
  area_keep(&x, !t.is_in_place);
  maps.is_wrong = false; /* memory of the plain loop is aligned otherwise */

  mmscan_status status = mms_operator_scan(&op, &t.d, choice, x0, y0);
  const bool could = status != MMSCAN_EINVAL || !choice || !choice->way;
  if (!could) {
    room.way = NULL;
    status = mms_operator_scan(&op, &t.d, choice, x0, y0);
  }
  const bool right = status == MMSCAN_OK && memcmp(want, y.data, y.size) == 0 && !maps.is_wrong &&
                     (!wants_totals || memcmp(want_totals, totals.data, totals.size) == 0) &&
                     (t.is_in_place || area_is_kept(&x));
  if (!right)
    fail_seeded(
        "trial %zu: status %d, size %zu, kind %d, reverse %d, n %zu, strides %td %td, batch %zu, dists %td %td, "
        "rank %zu, init %d (in y %d), totals %d, in place %d, threads %d, tile %zu, way %s, wrong addresses %d",
        stream, status, size, t.d.kind, t.d.reverse, t.d.n, t.d.x_stride, t.d.y_stride, t.d.batch, t.d.x_dist,
        t.d.y_dist, t.d.outer_rank, t.d.init != NULL, t.has_init_in_y, wants_totals, t.is_in_place,
        choice ? choice->threads : 0, choice ? choice->tile : 0, choice ? text_or(choice->way, "any") : "any",
        (int)maps.is_wrong);
  free(want), free(want_totals), free(from);
  area_free(&x), area_free(&y), area_free(&totals);
  return could;
}

/* ---- Without memory: first, while nothing is kept for later calls ------------------------------------------------ */

/* Of small elements nothing is needed; of larger ones the call does nothing. */
static void check_no_memory(size_t size, int first, int count, const mmscan_choice *choice, bool may_fail) {
  struct rng rng = rng_of(size);
  struct maps maps = {.size = size, .alignment = 1};
  const mmscan_operator op = operator_of(&maps, true);
  const size_t n = 1000;
  unsigned char *x = malloc(n * size), *y = malloc(n * size), *want = malloc(n * size);
  mmscan_desc d = desc_of(MMSCAN_EXCLUSIVE, n);
  draw_maps(&rng, x, n * size);
  memset(y, 7, n * size);
  scan_all_plainly(&op, &d, (char *)x, (char *)want, NULL);
  made = 0;
  first_failing = first;
  failing = count;
  const mmscan_status status = mms_operator_scan(&op, &d, choice, x, y);
  failing = 0;
  if (status == MMSCAN_ENOMEM && may_fail)
    for (size_t i = 0; i < n * size; i++) assert_int_equal(y[i], 7);
  else
    assert_true(status == MMSCAN_OK && memcmp(y, want, n * size) == 0);
  if (may_fail && first == 0) assert_int_equal(status, MMSCAN_ENOMEM);
  free(x), free(y), free(want);
}

TEST(test_no_memory) {
  const mmscan_choice two = {.struct_size = sizeof two, .threads = 2, .way = "leader"};
  enum { ALL = 1000000 };
  check_no_memory(16, 0, ALL, NULL, false);
  check_no_memory(256, 0, ALL, NULL, false);
  check_no_memory(257, 0, ALL, NULL, true);
  for (int count = ALL; count > 0; count -= ALL - 1) /* at first all, while no workspace is kept */
    for (int first = 0; first < 5; first++) {
      check_no_memory(16, first, count, &two, false);
      check_no_memory(4096, first, count, &two, true);
    }
}

/* ---- Right, however it is done ----------------------------------------------------------------------------------- */

TEST(test_random) {
  const size_t count = sized(1500, 200);
  size_t taken = 0;
  for (size_t i = 0; i < count; i++) taken += check_trial(i);
  print_message("%zu of %zu in the way that was asked for\n", taken, count);
  assert_true(taken > count / 2);
}

/* Two-by-two matrices of integers modulo 2^64. */
struct matrix {
  uint64_t at[2][2];
};

static void multiply(void *context, const void *a, const void *b, void *result) {
  const struct matrix *x = a, *y = b;
  struct matrix *r = result;
  (void)context;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) r->at[i][j] = x->at[i][0] * y->at[0][j] + x->at[i][1] * y->at[1][j];
}

/* Long enough for any number of threads, tiles and ways. */
TEST(test_matrices) {
  static const char *const ways[] = {NULL, "shares", "leader"};
  const size_t n = sized(300000, 30000);
  const mmscan_operator op = {.struct_size = sizeof op, .size = sizeof(struct matrix), .combine = multiply};
  struct rng rng = rng_of(1);
  struct matrix *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *want = malloc(n * sizeof *y);
  for (size_t i = 0; i < 4 * n; i++) ((uint64_t *)x)[i] = draw(&rng);
  for (int reverse = 0; reverse <= 1; reverse++) {
    mmscan_desc d = desc_of(MMSCAN_INCLUSIVE, n);
    d.reverse = reverse;
    scan_all_plainly(&op, &d, (char *)x, (char *)want, NULL);
    assert_mmscan_ok(mmscan_scan_with(&op, &d, x, y));
    assert_memory_equal(y, want, n * sizeof *y);
    for (size_t w = 0; w < COUNT(ways); w++) {
      const mmscan_choice choice = {.struct_size = sizeof choice, .threads = 3, .way = ways[w], .tile = n / 300};
      memcpy(y, x, n * sizeof *y);
      assert_mmscan_ok(mms_operator_scan(&op, &d, &choice, y, y));
      assert_memory_equal(y, want, n * sizeof *y);
    }
  }
  free(x), free(y), free(want);
}

/* ---- Recurrences ------------------------------------------------------------------------------------------------- */

/* y[i] = a y[i - 1] + b */
struct affine {
  double a, b;
};

static void compose(void *context, const void *first, const void *then, void *result) {
  const struct affine *f = first, *g = then;
  (void)context;
  *(struct affine *)result = (struct affine){g->a * f->a, g->a * f->b + g->b};
}

/* From domainslib 116, by several threads and tiles of one element; cudf 1263; and a factor of 0, as of mamba 35. */
TEST(test_recurrences) {
  const mmscan_operator op = {.struct_size = sizeof op, .size = sizeof(struct affine), .combine = compose};
  const struct affine halves[] = {{0.5, 1}, {0.5, 0}, {0.5, 0}, {0.5, 0}}, start = {1, 5},
                      decay[] = {{0.8, 0}, {0.8, 0}, {0.8, 0}, {0.8, 0}, {0.8, 0}},
                      weights[] = {{0.9, 1}, {0.9, 1}, {0.9, 1}, {0.9, 1}}, reset[] = {{2, 3}, {0, 4}, {2, 1}};
  const double of_halves[] = {1, 0.5, 0.25, 0.125}, of_decay[] = {5, 4, 3.2, 2.56, 2.048, 1.6384},
               of_weights[] = {1, 1.9, 2.71, 3.439}, of_reset[] = {3, 4, 9};
  const mmscan_choice three = {.struct_size = sizeof three, .threads = 3, .tile = 1, .way = "leader"};
  struct affine y[6];
  mmscan_desc d = desc_of(MMSCAN_INCLUSIVE, 4);
  assert_mmscan_ok(mms_operator_scan(&op, &d, &three, halves, y));
  for (int i = 0; i < 4; i++) assert_true(y[i].b == of_halves[i]);
  assert_mmscan_ok(mmscan_scan_with(&op, &d, weights, y));
  for (int i = 0; i < 4; i++) assert_true(fabs(y[i].b - of_weights[i]) < 1e-12);
  d.n = 3;
  assert_mmscan_ok(mmscan_scan_with(&op, &d, reset, y));
  for (int i = 0; i < 3; i++) assert_true(y[i].b == of_reset[i]);
  d = desc_of(MMSCAN_OFFSETS, 5);
  d.init = &start;
  assert_mmscan_ok(mmscan_scan_with(&op, &d, decay, y));
  for (int i = 0; i < 6; i++) assert_true(fabs(y[i].b - of_decay[i]) < 1e-12);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static _Thread_local char here;

/* Threads that have called subtract(). */
static struct {
  pthread_mutex_t lock;
  const char *first;
  bool are_more;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Is not associative, so that its results tell in which order elements were combined; and takes some microseconds. */
static void subtract(void *context, const void *a, const void *b, void *result) {
  const size_t *turns = context;
  pthread_mutex_lock(&seen.lock);
  if (!seen.first) seen.first = &here;
  seen.are_more |= seen.first != &here;
  pthread_mutex_unlock(&seen.lock);
  for (volatile size_t i = 0; i < *turns; i++) {
  }
  *(int64_t *)result = *(const int64_t *)a - *(const int64_t *)b;
}

static bool has_plain_order(const mmscan_choice *choice, unsigned flags, size_t batch) {
  enum { N = 2000, ROWS = 4 };
  static int64_t x[ROWS * N], y[ROWS * N], want[ROWS * N];
  size_t turns = 300;
  const mmscan_operator op = {.struct_size = sizeof op, .size = sizeof *x, .combine = subtract, .context = &turns};
  mmscan_desc d = desc_of(MMSCAN_INCLUSIVE, N);
  d.flags = flags;
  d.batch = batch;
  d.x_dist = d.y_dist = N;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = (int64_t)i;
  scan_all_plainly(&op, &d, (char *)x, (char *)want, NULL);
  seen.first = NULL;
  seen.are_more = false;
  assert_mmscan_ok(mms_operator_scan(&op, &d, choice, x, y));
  return memcmp(y, want, batch * N * sizeof *x) == 0;
}

/* Threads that share a scan regroup elements; one does not, nor do those that share a batch where it is asked for. */
TEST(test_threads) {
  mmscan_choice choice = {.struct_size = sizeof choice, .threads = 1};
  assert_true(has_plain_order(&choice, 0, 1) && !seen.are_more);
  choice.threads = 2;
  assert_true(has_plain_order(&choice, MMSCAN_REPRODUCIBLE, 1) && !seen.are_more);
  bool are_shared = false, are_rows = false, has_order = true;
  for (int i = 0; i < 200 && !(are_shared && are_rows); i++) {
    has_order = has_plain_order(&choice, MMSCAN_REPRODUCIBLE, 4) && has_order;
    are_rows |= seen.are_more;
    are_shared |= !has_plain_order(&choice, 0, 1) && seen.are_more;
  }
  assert_true(has_order && are_rows && are_shared);
}

/* As the environment says: the status; or MANY, if threads shared a scan. */
enum { MANY = 100 };

static int scan_in_child(void) {
  struct maps maps = {.size = 3, .alignment = 1};
  const mmscan_operator op = operator_of(&maps, false);
  const mmscan_desc d = desc_of(MMSCAN_INCLUSIVE, 4);
  unsigned char x[12] = {16}, y[12];
  const mmscan_status status = mmscan_scan_with(&op, &d, x, y);
  for (int i = 0; i < 20 && status == MMSCAN_OK; i++)
    if (!has_plain_order(NULL, 0, 1) || seen.are_more) return MANY;
  return (int)status;
}

TEST(test_environment) {
  static const struct setting one[] = {{"MMSCAN_NUM_THREADS", "1"}, {"MMSCAN_ENGINE", "simd"}},
                              illegal[] = {{"MMSCAN_ENGINE", "custom"}};
  assert_int_equal(run_self("scan", one, COUNT(one)), MMSCAN_OK);
  assert_int_equal(run_self("scan", illegal, COUNT(illegal)), MMSCAN_EINVAL);
}

struct caller {
  uint64_t stream;
  bool is_right;
};

static void *scan_often(void *given) {
  struct caller *c = given;
  const size_t n = 20000;
  struct matrix *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *want = malloc(n * sizeof *y);
  const mmscan_operator op = {.struct_size = sizeof op, .size = sizeof(struct matrix), .combine = multiply};
  const mmscan_desc d = desc_of(MMSCAN_INCLUSIVE, n);
  struct rng rng = rng_of(c->stream);
  struct matrix sum, next;
  for (size_t i = 0; i < 4 * n; i++) ((uint64_t *)x)[i] = draw(&rng);
  for (size_t i = 0; i < n; i++, sum = next) {
    next = x[i];
    if (i > 0) multiply(NULL, &sum, &x[i], &next);
    want[i] = next;
  }
  c->is_right = true;
  for (int i = 0; i < 20; i++)
    c->is_right &= mmscan_scan_with(&op, &d, x, y) == MMSCAN_OK && memcmp(y, want, n * sizeof *y) == 0;
  free(x), free(y), free(want);
  return NULL;
}

TEST(test_callers) {
  pthread_t other;
  struct caller callers[] = {{1, false}, {2, false}};
  assert_int_equal(pthread_create(&other, NULL, scan_often, &callers[0]), 0);
  scan_often(&callers[1]);
  pthread_join(other, NULL);
  assert_true(callers[0].is_right && callers[1].is_right);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

/* A call with something wrong in it: `op` and `d`, which become right again. */
struct wrong {
  mmscan_operator op, right_op;
  mmscan_desc d, right_d;
  unsigned char x[12], y[24];
};

static void refuse(struct wrong *w, mmscan_status want, const char *what) {
  const mmscan_status got = mmscan_scan_with(&w->op, &w->d, w->x, w->y);
  if (got != want || w->y[0] != 7 || memcmp(w->y, w->y + 1, sizeof w->y - 1) != 0)
    fail_seeded("%s: status %d, not %d", what, got, want);
  w->op = w->right_op;
  w->d = w->right_d;
}

static void refuse_operators(struct wrong *w) {
  w->op.struct_size -= 8, refuse(w, MMSCAN_EINVAL, "a short operator");
  w->op.size = 0, refuse(w, MMSCAN_EINVAL, "a size of 0");
  w->op.size = LARGEST + 1, refuse(w, MMSCAN_EINVAL, "a size of 65,537");
  w->op.combine = NULL, refuse(w, MMSCAN_EINVAL, "no function");
}

static void refuse_descriptions(struct wrong *w) {
  w->d.struct_size -= 8, refuse(w, MMSCAN_EINVAL, "a short description");
  w->d.x_type = MMSCAN_F32, refuse(w, MMSCAN_EINVAL, "x_type");
  w->d.y_type = MMSCAN_F32, refuse(w, MMSCAN_EINVAL, "y_type");
  w->d.op = MMSCAN_PLUS, refuse(w, MMSCAN_EINVAL, "op");
  w->d.kind = (mmscan_kind)0, refuse(w, MMSCAN_EINVAL, "no kind");
  w->d.kind = MMSCAN_EXCLUSIVE, refuse(w, MMSCAN_EINVAL, "no start");
  w->d.kind = MMSCAN_OFFSETS, refuse(w, MMSCAN_EINVAL, "no start of offsets");
  w->d.indices = w->y, refuse(w, MMSCAN_EINVAL, "indices");
  w->d.flags = 64, refuse(w, MMSCAN_EINVAL, "an unknown flag");
  w->d.flags = MMSCAN_CHECKED, refuse(w, MMSCAN_ENOTSUP, "MMSCAN_CHECKED");
  w->d.flags = MMSCAN_SKIP_NAN, refuse(w, MMSCAN_ENOTSUP, "MMSCAN_SKIP_NAN");
  w->d.flags = MMSCAN_ACCURATE, refuse(w, MMSCAN_ENOTSUP, "MMSCAN_ACCURATE");
  w->d.flags = MMSCAN_MONOTONE, refuse(w, MMSCAN_ENOTSUP, "MMSCAN_MONOTONE");
  w->d.y_stride = 0, refuse(w, MMSCAN_EINVAL, "a y_stride of 0");
  w->d.n = PTRDIFF_MAX / 2, refuse(w, MMSCAN_EINVAL, "too many elements");
  w->d.batch = 2, refuse(w, MMSCAN_EOVERLAP, "rows in one place");
}

TEST(test_refusals) {
  struct maps maps = {.size = 3, .alignment = 1};
  struct wrong w = {.op = operator_of(&maps, false), .d = desc_of(MMSCAN_INCLUSIVE, 4), .x = {16}};
  w.right_op = w.op;
  w.right_d = w.d;
  memset(w.y, 7, sizeof w.y);
  refuse_operators(&w);
  refuse_descriptions(&w);
  assert_status(MMSCAN_EINVAL, mmscan_scan_with(NULL, &w.d, w.x, w.y));
  assert_status(MMSCAN_EINVAL, mmscan_scan_with(&w.op, NULL, w.x, w.y));
  assert_status(MMSCAN_EINVAL, mmscan_scan_with(&w.op, &w.d, NULL, w.y));
  assert_status(MMSCAN_EINVAL, mmscan_scan_with(&w.op, &w.d, w.x, NULL));
  assert_status(MMSCAN_EOVERLAP, mmscan_scan_with(&w.op, &w.d, w.y, w.y + 1));
}

/* A struct of a later version is taken if what is new in it is zero. */
TEST(test_longer_operator) {
  struct maps maps = {.size = 3, .alignment = 1};
  const mmscan_desc d = desc_of(MMSCAN_INCLUSIVE, 4);
  unsigned char x[12] = {16}, y[12];
  struct {
    mmscan_operator op;
    int64_t more;
  } longer = {operator_of(&maps, false), 0};
  longer.op.struct_size = sizeof longer;
  assert_mmscan_ok(mmscan_scan_with(&longer.op, &d, x, y));
  longer.more = 1;
  assert_status(MMSCAN_ENOTSUP, mmscan_scan_with(&longer.op, &d, x, y));
}

/* Scans of no elements write what they start from, or refuse to. */
TEST(test_empty) {
  struct maps maps = {.size = 3, .alignment = 1};
  const mmscan_operator op = operator_of(&maps, false), with = operator_of(&maps, true);
  unsigned char totals[6], y[6];
  mmscan_desc d = desc_of(MMSCAN_OFFSETS, 0);
  d.batch = 2;
  d.y_dist = 1;
  d.totals = totals;
  assert_mmscan_ok(mmscan_scan_with(&with, &d, NULL, y));
  assert_memory_equal(y, no_map(), 6);
  assert_memory_equal(totals, no_map(), 6);
  d.kind = MMSCAN_INCLUSIVE;
  assert_status(MMSCAN_EINVAL, mmscan_scan_with(&op, &d, NULL, NULL));
  d.init = "abc";
  assert_mmscan_ok(mmscan_scan_with(&op, &d, NULL, NULL));
  assert_memory_equal(totals, "abcabc", 6);
  d.totals = NULL;
  d.init = NULL;
  assert_mmscan_ok(mmscan_scan_with(&op, &d, NULL, NULL));
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"scan", scan_in_child}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
