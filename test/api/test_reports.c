/* test_reports.c: inputs of public bug reports about other scans, and what is right, computed by hand. The reference of
 * the random tests must take it, and nothing else; the library must give it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows have the names under which the reports are collected, and the first of their threads.
 */
#include "support/not_yet.h"

enum { MOST = 17 };

typedef struct report {
  const char *id, *thread;
  mmscan_type x_type, y_type;
  mmscan_op op;
  mmscan_kind kind;
  int reverse;
  unsigned flags;
  bool in_place, has_init, has_total;
  quad init, total;
  size_t n;
  quad x[MOST], y[MOST]; /* of complex numbers, both parts */
  double off;            /* by how much y may differ; the sign of a zero may not */
} report;

#define F32  MMSCAN_F32
#define F64  MMSCAN_F64
#define I64  MMSCAN_I64
#define F16  MMSCAN_F16
#define C64  MMSCAN_C64
#define PLUS MMSCAN_PLUS
#define MUL  MMSCAN_MUL
#define LOG  MMSCAN_LOGADDEXP
#define MAX  MMSCAN_MAX
#define MIN  MMSCAN_MIN
#define INC  MMSCAN_INCLUSIVE
#define EXC  MMSCAN_EXCLUSIVE
#define SKIP .flags = MMSCAN_SKIP_NAN
#define INF  ((quad)INFINITY)
#define NOT  ((quad)NAN)

static const report reports[] = {
    {"A4", "NVIDIA/thrust#1896", I64, I64, PLUS, EXC, .has_init = true, .init = 0, .n = 3,
     .x = {9223372036854775806, 1, 0}, .y = {0, 9223372036854775806, 9223372036854775807}},
    {"B9", "pytorch#180155", F16, F16, MUL, INC, .n = 4, .x = {6.5, 6.5, 6.5, 6.5}, .y = {6.5, 42.25, 274.5, 1785}},
    {"C3", "mlx#4044", F32, F32, MAX, INC, .n = 5, .x = {1, 3, NOT, 5, 4}, .y = {1, 3, NOT, NOT, NOT}},
    {"C3, skipped", "mlx#4044", F32, F32, MAX, INC, SKIP, .n = 5, .x = {1, 3, NOT, 5, 4}, .y = {1, 3, 3, 5, 5}},
    {"C5", "pandas#41854", F64, F64, MAX, INC, .n = 3, .x = {1, NOT, 1}, .y = {1, NOT, NOT}},
    {"C5, least", "pandas#41854", F64, F64, MIN, INC, .n = 3, .x = {1, NOT, 1}, .y = {1, NOT, NOT}},
    {"C8", "pytorch#52213", F64, F64, LOG, INC, .n = 7, .x = {2, -INF, -INF, 1, -INF, -INF, 3},
     .y = {2, 2, 2, 2.3132617, 2.3132617, 2.3132617, 3.4076060}, .off = 6e-8},
    {"C8, after none", "pytorch#52213", F64, F64, LOG, INC, .n = 3, .x = {-INF, -INF, 0}, .y = {-INF, -INF, 0}},
    {"C10", "tensorflow#111383", F64, F64, LOG, INC, .n = 3, .x = {1, NOT, 2}, .y = {1, NOT, NOT}},
    {"C11", "tensorflow#115610", F64, F64, LOG, INC, .n = 3, .x = {INF, INF, 1}, .y = {INF, INF, INF}},
    {"C13", "CumulativeLogsumexp", F32, F32, LOG, EXC, .n = 2, .x = {1, 2}, .y = {-INF, 1}},
    {"C14", "pytorch#195851", F32, F32, PLUS, INC, .n = 3, .x = {-0.0, -0.0, 1}, .y = {-0.0, -0.0, 1}},
    {"C14, product", "pytorch#195851", F64, F64, MUL, INC, .n = 3, .x = {-0.0, -0.0, 1}, .y = {-0.0, 0.0, 0.0}},
    {"C14, complex", "julia#18336", C64, C64, PLUS, INC, .n = 2, .x = {1.5, -0.0, 3, -0.0},
     .y = {1.5, -0.0, 4.5, -0.0}},
    {"C16", "oneDPL#780", F64, F64, MAX, INC, .n = 3, .x = {-5, -3, -4}, .y = {-5, -3, -3}},
    {"C16, product", "oneDPL#780", F64, F64, MUL, INC, .n = 3, .x = {2, 3, 4}, .y = {2, 6, 24}},
    {"D3", "llvm-project#59810", F64, F64, PLUS, EXC, .in_place = true, .n = 10, .x = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     .y = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"D4", "oneDPL#514", I64, I64, PLUS, EXC, .in_place = true, .n = 8, .x = {3, 1, 4, 1, 5, 9, 2, 6},
     .y = {0, 3, 4, 8, 9, 14, 23, 25}},
    {"D9", "onnx#2030", F32, F32, PLUS, INC, .reverse = 1, .n = 3, .x = {1, 2, 3}, .y = {6, 5, 3}},
    {"D9, exclusive", "onnx#2030", F32, F32, PLUS, EXC, .reverse = 1, .n = 3, .x = {1, 2, 3}, .y = {5, 3, 0}},
    {"D16", "cupynumeric#584", I64, I64, PLUS, INC, .n = 1, .x = {0}, .y = {0}},
    {"D17", "numpy#6044", I64, I64, PLUS, EXC, .has_total = true, .total = 13, .n = 4, .x = {4, 3, 1, 5},
     .y = {0, 4, 7, 8}},
    {"D17, offsets", "numpy#6044", I64, I64, PLUS, MMSCAN_OFFSETS, .n = 4, .x = {4, 3, 1, 5}, .y = {0, 4, 7, 8, 13}},
};

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static size_t parts_of(const ref_type *t) { return t->kind == 'c' ? 2 : 1; }

static void put(const ref_type *t, void *to, const quad *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char *at = (char *)to + i * t->size;
    for (size_t p = 0; p < parts_of(t); p++)
      if (ref_is_whole(t))
        ref_put_whole(t, at, (wide)values[i]);
      else
        ref_put_real(t, at, p, (double)values[i * parts_of(t) + p]);
  }
}

static bool is_real(double got, double want, double off) {
  if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
  return want == 0 ? got == 0 && signbit(got) == signbit(want) : fabs(got - want) <= off;
}

static bool is_right(const ref_type *t, const void *y, size_t i, const quad *want, double off) {
  const char *at = (const char *)y + i * t->size;
  if (ref_is_whole(t)) return ref_get_whole(t, at) == (wide)want[i];
  for (size_t p = 0; p < parts_of(t); p++)
    if (!is_real(ref_get_real(t, at, p), (double)want[i * parts_of(t) + p], off)) return false;
  return true;
}

/* ---- The reference ----------------------------------------------------------------------------------------------- */

typedef struct judged {
  const ref_type *type;
  const char *y, *total;
  size_t wrong;
} judged;

static void judge_result(void *context, const ref_state *s, ptrdiff_t y_at) {
  judged *j = context;
  j->wrong += !ref_accepts(s, j->type, j->y + y_at * (ptrdiff_t)j->type->size, true);
}

static void judge_total(void *context, const ref_state *s, size_t scan) {
  judged *j = context;
  if (j->total) j->wrong += !ref_accepts(s, j->type, j->total + scan * j->type->size, true);
}

/* How many results, and totals, the reference does not take. */
static size_t judge(const mmscan_desc *d, const void *x, const void *y) {
  judged j = {ref_type_of(d->y_type), y, d->totals, 0};
  ref_visitor visitor = {judge_result, judge_total, &j, false, NULL, NULL};
  ref_walk(d, x, &visitor);
  return j.wrong;
}

/* ---- One report -------------------------------------------------------------------------------------------------- */

typedef struct arrays {
  _Alignas(16) char x[16 * MOST], y[16 * MOST], init[16], total[16];
} arrays;

static mmscan_desc desc_of(const report *r, arrays *a) {
  mmscan_desc d = MMSCAN_DESC(r->y_type, r->op, r->kind, r->n);
  const ref_type *y = ref_type_of(r->y_type);
  d.x_type = r->x_type;
  d.reverse = r->reverse;
  d.flags = r->flags;
  put(ref_type_of(r->x_type), a->x, r->x, r->n);
  if (!ref_is_whole(y) || r->has_init) put(y, a->init, &r->init, y->kind != 'c');
  if (r->has_init) d.init = a->init;
  if (r->has_total) d.totals = a->total;
  return d;
}

/* Takes what is right to eight digits, as rows have them; and of a result that is wrong, complains. */
static void check_reference(const report *r) {
  arrays a = {{0}, {0}, {0}, {0}};
  const mmscan_desc d = desc_of(r, &a);
  const ref_type *y = ref_type_of(r->y_type);
  const size_t count = r->n + (r->kind == MMSCAN_OFFSETS);
  put(y, a.y, r->y, count);
  if (r->has_total) put(y, a.total, &r->total, 1);
  if (r->off == 0 && judge(&d, a.x, a.y) != 0) fail_msg("%s (%s): the reference refuses it", r->id, r->thread);
  for (size_t i = 0; i < count; i++) {
    put(y, a.y, r->y, count);
    a.y[i * y->size + y->size - 1] ^= 0x40; /* an exponent, or a high bit */
    if (judge(&d, a.x, a.y) == 0) fail_msg("%s (%s): the reference takes what is wrong at %zu", r->id, r->thread, i);
  }
}

/* Whether the library may refuse it; then says so. */
static bool is_refused(const char *id, const mmscan_desc *d, mmscan_status status) {
  const char *refused = refused_of(d);
  const bool is = status == MMSCAN_ENOTSUP && refused;
  if (is) print_message("not yet: %s (%s)\n", id, refused);
  if (!is && status != MMSCAN_OK) fail_msg("%s: status %d (%s)", id, status, mmscan_strerror(status));
  return is;
}

static void check_library(const report *r) {
  arrays a = {{0}, {0}, {0}, {0}};
  const mmscan_desc d = desc_of(r, &a);
  const ref_type *y = ref_type_of(r->y_type);
  char *to = r->in_place ? a.x : a.y;
  const arrays before = a;
  if (is_refused(r->id, &d, mmscan_scan(&d, a.x, to))) return;
  for (size_t i = 0; i < r->n + (r->kind == MMSCAN_OFFSETS); i++)
    if (!is_right(y, to, i, r->y, r->off)) fail_msg("%s (%s): wrong at %zu", r->id, r->thread, i);
  if (r->has_total && !is_right(y, a.total, 0, &r->total, r->off)) fail_msg("%s: wrong total", r->id);
  if (judge(&d, before.x, to) != 0) fail_msg("%s (%s): the reference refuses it", r->id, r->thread);
}

TEST(test_reference) {
  for (size_t i = 0; i < COUNT(reports); i++) check_reference(&reports[i]);
}

TEST(test_reported) {
  for (size_t i = 0; i < COUNT(reports); i++) check_library(&reports[i]);
}

/* ---- Many ones --------------------------------------------------------------------------------------------------- */

/* Results are counts, as far as the type has them; those between are rounded once. */
static void check_ones(const char *id, mmscan_type x_type, mmscan_type y_type, size_t n, size_t distinct) {
  enum { LONGEST = 4096 };
  static _Alignas(16) char x[8 * LONGEST], y[8 * LONGEST];
  const ref_type *from = ref_type_of(x_type), *to = ref_type_of(y_type);
  mmscan_desc d = MMSCAN_DESC(y_type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
  const quad one = 1;
  d.x_type = x_type;
  for (size_t i = 0; i < n; i++) put(from, x + i * from->size, &one, 1);
  for (size_t i = 0; i < n; i++) {
    const quad count = (quad)(double)(i + 1);
    put(to, y + i * to->size, &count, 1);
  }
  if (judge(&d, x, y) != 0) fail_msg("%s: the reference refuses it", id);
  memset(y, 0, sizeof y);
  if (is_refused(id, &d, mmscan_scan(&d, x, y))) return;
  for (size_t i = 0; i < n; i++) {
    const double got =
        ref_is_whole(to) ? (double)ref_get_whole(to, y + i * to->size) : ref_get_real(to, y + i * to->size, 0);
    if ((i < distinct || i + 1 == n) && got != (double)(i + 1)) fail_msg("%s: %g instead of %zu", id, got, i + 1);
  }
}

TEST(test_ones) {
  check_ones("A1 (pytorch#3304)", MMSCAN_U8, MMSCAN_I64, 300, 300);
  check_ones("A3 (NVIDIA/cccl#880)", MMSCAN_U8, MMSCAN_U64, 260, 260);
  check_ones("B2 (numpy#24443)", MMSCAN_F16, MMSCAN_F16, 4096, 2048);
  check_ones("B3 (tensorflow#115731)", MMSCAN_BF16, MMSCAN_BF16, 512, 256);
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* E2 (numpy#10664): in place as out of place, by each operator. */
TEST(test_in_place_by_each_operator) {
  enum { N = 10000 };
  static int16_t x[N], y[N], both[N];
  for (int op = MMSCAN_PLUS; op <= MMSCAN_XOR; op++) {
    mmscan_desc d = MMSCAN_DESC(MMSCAN_I16, (mmscan_op)op, MMSCAN_INCLUSIVE, N);
    if (op == MMSCAN_LOGADDEXP) continue;
    for (int i = 0; i < N; i++) both[i] = x[i] = (int16_t)(i * 7919 ^ i >> 3);
    if (is_refused("E2", &d, mmscan_scan(&d, x, y))) continue;
    assert_mmscan_ok(mmscan_scan(&d, both, both));
    assert_memory_equal(both, y, sizeof y);
    if (judge(&d, x, y) != 0) fail_msg("E2 (numpy#10664), %s: wrong", op_names[op]);
  }
}

/* F2 (tilelang#2620): the distance of rows is not their width. */
TEST(test_part_of_rows) {
  enum { ROWS = 8, WIDTH = 64, N = 40 };
  float x[ROWS * WIDTH], y[ROWS * WIDTH];
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  d.batch = ROWS;
  d.x_dist = d.y_dist = WIDTH;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = 1, y[i] = -7;
  assert_mmscan_ok(mmscan_scan(&d, x, y));
  for (int i = 0; i < ROWS * WIDTH; i++)
    if (y[i] != (i % WIDTH < N ? (float)(i % WIDTH + 1) : -7.0f)) fail_msg("F2: wrong at %d", i);
}

/* F5 (FlagGems#4543): scans of nothing, and no scans. The axes of an array of 3 * 0 * 4, each one scanned. */
TEST(test_empty) {
  static const size_t shape[] = {3, 0, 4};
  for (size_t axis = 0; axis < 3; axis++) {
    double totals[12];
    const mmscan_dim outer = {shape[axis == 0], 0, 0};
    mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, shape[axis]);
    d.batch = shape[axis == 2 ? 1 : 2];
    d.x_dist = d.y_dist = d.batch > 1;
    d.outer_rank = 1;
    d.outer = &outer;
    d.totals = totals;
    for (size_t i = 0; i < COUNT(totals); i++) totals[i] = 7;
    if (is_refused("F5", &d, mmscan_scan(&d, NULL, NULL))) continue;
    for (size_t i = 0; i < COUNT(totals); i++)
      if (totals[i] != (axis == 1 ? 0 : 7)) fail_msg("F5: total %zu of axis %zu is %g", i, axis, totals[i]);
  }
}

/* F5: what stands before nothing is what remains of it. */
TEST(test_total_of_nothing) {
  static const int32_t init = 5;
  for (int has_init = 0; has_init < 2; has_init++) {
    int32_t totals[2] = {1, 1}, y[2] = {1, 1};
    mmscan_desc d = MMSCAN_DESC(MMSCAN_I32, MMSCAN_MAX, MMSCAN_EXCLUSIVE, 0);
    d.batch = 2;
    d.totals = totals;
    if (has_init) d.init = &init;
    if (!is_refused("F5, totals", &d, mmscan_scan(&d, NULL, NULL)))
      assert_true(totals[0] == (has_init ? 5 : INT32_MIN) && totals[1] == totals[0]);
    d.kind = MMSCAN_OFFSETS;
    d.totals = NULL;
    d.y_dist = 1;
    if (!is_refused("F5, offsets", &d, mmscan_scan(&d, NULL, y)))
      assert_true(y[0] == (has_init ? 5 : INT32_MIN) && y[1] == y[0]);
  }
}

/* F6 (apytypes#623) */
TEST(test_no_arrays) {
  for (int kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++) {
    const mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, (mmscan_kind)kind, 0);
    assert_mmscan_ok(mmscan_scan(&d, NULL, NULL));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
