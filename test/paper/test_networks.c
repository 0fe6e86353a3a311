/* test_networks.c: the methods of Table 1: right with any operator they take, and with the counts of the table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/flaw.h"
#include "support/powers.h"
#include "support/recording.h"

/* ---- Operators --------------------------------------------------------------------------------------------------- */

static void add_wrapping(void *context, const void *a, const void *b, void *result) {
  (void)context;
  *(uint64_t *)result = *(const uint64_t *)a + *(const uint64_t *)b;
}

static void largest(void *context, const void *a, const void *b, void *result) {
  (void)context;
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  *(int32_t *)result = x > y ? x : y;
}

/* Elements of three bytes, so without alignment. */
static void add_bytes(void *context, const void *a, const void *b, void *result) {
  (void)context;
  for (size_t i = 0; i < 3; i++) ((uint8_t *)result)[i] = (uint8_t)(((const uint8_t *)a)[i] + ((const uint8_t *)b)[i]);
}

/* Two-by-two matrices of wrapping integers; their product is not commutative. */
struct matrix {
  uint32_t at[2][2];
};

static void multiply_matrices(void *context, const void *a, const void *b, void *result) {
  (void)context;
  const struct matrix *x = a, *y = b;
  struct matrix *r = result;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) r->at[i][j] = x->at[i][0] * y->at[0][j] + x->at[i][1] * y->at[1][j];
}

/* Strings under concatenation. Only a hash is kept, and a weight for the length. */
struct string {
  uint64_t hash, weight;
};

static void concatenate(void *context, const void *a, const void *b, void *result) {
  (void)context;
  const struct string *x = a, *y = b;
  *(struct string *)result = (struct string){x->hash * y->weight + y->hash, x->weight * y->weight};
}

/* Stretches of the array. Two that do not meet make a broken one, and anything joined to that is broken too. */
struct stretch {
  long from, to;
};

static void join(void *context, const void *a, const void *b, void *result) {
  (void)context;
  const struct stretch *x = a, *y = b, broken = {-1, -2};
  const bool x_is_empty = x->from == x->to, y_is_empty = y->from == y->to;
  *(struct stretch *)result = x_is_empty         ? *y
                              : y_is_empty       ? *x
                              : x->to == y->from ? (struct stretch){x->from, y->to}
                                                 : broken;
}

static const uint64_t zero = 0;
static const int32_t least = INT32_MIN;
static const struct matrix identity = {{{1, 0}, {0, 1}}};
static const struct string empty = {0, 1};
static const struct stretch nowhere = {0, 0};

static const struct operation operations[] = {
    {"wrapping sum", {sizeof(mmscan_operator), sizeof zero, add_wrapping, NULL, &zero}, true},
    {"maximum", {sizeof(mmscan_operator), sizeof least, largest, NULL, &least}, true},
    {"sum of bytes", {sizeof(mmscan_operator), 3, add_bytes, NULL, &zero}, true},
    {"product of matrices", {sizeof(mmscan_operator), sizeof identity, multiply_matrices, NULL, &identity}, false},
    {"concatenation", {sizeof(mmscan_operator), sizeof empty, concatenate, NULL, &empty}, false},
    {"joined stretches", {sizeof(mmscan_operator), sizeof nowhere, join, NULL, &nowhere}, false},
};
enum { STRETCHES = 5 };

/* n elements: random bytes, or neighbouring stretches. */
static char *elements(const struct operation *op, size_t n) {
  struct rng rng = rng_of(n + op->of.size);
  char *x = recording_memory(NULL, n * op->of.size);
  for (size_t i = 0; i < n * op->of.size; i++) x[i] = (char)draw(&rng);
  for (size_t i = 0; i < n && op == &operations[STRETCHES]; i++)
    memcpy(x + i * op->of.size, &(struct stretch){(long)i, (long)i + 1}, op->of.size);
  return x;
}

/* The plain loop. */
static char *expected(const struct operation *op, mmscan_kind kind, size_t n, const char *x) {
  char *y = recording_memory(NULL, n * op->of.size);
  _Alignas(max_align_t) char sum[OPERATOR_SIZE], next[OPERATOR_SIZE];
  memcpy(sum, op->of.identity, op->of.size);
  for (size_t i = 0; i < n; i++) {
    if (kind == MMSCAN_EXCLUSIVE) memcpy(y + i * op->of.size, sum, op->of.size);
    op->of.combine(NULL, sum, x + i * op->of.size, next);
    memcpy(sum, next, op->of.size);
    if (kind == MMSCAN_INCLUSIVE) memcpy(y + i * op->of.size, sum, op->of.size);
  }
  return y;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static mmscan_method method_at(size_t index) {
  mmscan_method m = {.struct_size = sizeof m};
  return mmscan_get_method(index, &m) == MMSCAN_OK ? m : (mmscan_method){.name = NULL};
}

static mmscan_method method_called(const char *name) {
  for (size_t i = 0; method_at(i).name != NULL; i++)
    if (strcmp(method_at(i).name, name) == 0) return method_at(i);
  fail_msg("no method %s", name);
  return method_at(0);
}

static bool is_warp(const mmscan_method *m) { return strcmp(m->name, "dakkak-warp") == 0; }

static mmscan_network_desc network_desc(const mmscan_method *m, const struct operation *op, size_t s, size_t n) {
  return (mmscan_network_desc){.struct_size = sizeof(mmscan_network_desc),
                               .method = m->name,
                               .n = n,
                               .s = s,
                               .op = &op->of,
                               .commutative = op->commutes,
                               .length_rule = MMSCAN_DIGITS};
}

static void check_same(const char *what, const mmscan_network_desc *d, uint64_t got, uint64_t want) {
  if (got != want)
    fail_seeded("%s, s %zu, n %zu: %s %llu, not %llu", d->method, d->s, d->n, what, (unsigned long long)got,
                (unsigned long long)want);
}

static void check_counts(const mmscan_network_desc *d, const struct recording *r, const mmscan_network_counts *c) {
  struct totals t = add_up(r);
  check_same("depth", d, c->depth, t.depth);
  check_same("work", d, c->work, t.additions);
  check_same("work without padding", d, c->work_unpadded, t.additions_unpadded);
  check_same("multiplications", d, c->multiplications, t.squares);
  check_same("adders", d, c->adders, t.adders);
  check_same("fan-in", d, c->fan_in, t.fan_in);
  check_same("path", d, c->path, t.path);
  assert_true(c->path <= c->depth && c->work_unpadded <= c->work);
}

/* Runs with a trace and checks the result; replays the events and checks again. Returns the counts. */
static mmscan_network_counts check_run(mmscan_network_desc d, const struct operation *op, mmscan_kind kind) {
  struct recording r = {0};
  mmscan_network_counts c = {.struct_size = sizeof c};
  struct buffer x = buffer_new(d.n * op->of.size, 0), y = d.n % 2 ? x : buffer_new(x.size, 16);
  char *data = elements(op, d.n), *want = expected(op, kind, d.n, data);
  memcpy(x.data, data, x.size);
  d.trace = record;
  d.trace_context = &r;
  assert_mmscan_ok(mmscan_network(&d, x.data, y.data, &c));
  if (memcmp(y.data, want, x.size) != 0) fail_seeded("%s, s %zu, n %zu: wrong %s", d.method, d.s, d.n, op->name);
  if (!buffer_intact(&x) || !buffer_intact(&y)) fail_seeded("%s, n %zu: wrote outside of y", d.method, d.n);
  check_recording(&r);
  play(&r, op, d.n, data, data);
  if (memcmp(data, want, x.size) != 0) fail_seeded("%s, s %zu, n %zu: another trace", d.method, d.s, d.n);
  check_counts(&d, &r, &c);
  recording_free(&r);
  free(data);
  free(want);
  if (y.base != x.base) buffer_free(&y);
  buffer_free(&x);
  return c;
}

static void check_refused(mmscan_network_desc d, const struct operation *op) {
  char *x = elements(op, d.n), *before = elements(op, d.n);
  mmscan_network_counts c = {.struct_size = sizeof c, .depth = 7};
  assert_status(MMSCAN_ENOTSUP, mmscan_network(&d, x, x, &c));
  assert_memory_equal(x, before, d.n * op->of.size);
  assert_int_equal(c.depth, 7);
  free(x);
  free(before);
}

static void check_lengths(const mmscan_method *m, const struct operation *op, size_t s) {
  const size_t around[] = {s - 1, s * s - 1, s * s, s * s + 1, s * s * s - 1, s * s * s, s * s * s + 1};
  for (size_t i = 0; i < sized(70, 20) + COUNT(around); i++) {
    size_t n = i < COUNT(around) ? around[i] : i - COUNT(around);
    mmscan_network_desc d = network_desc(m, op, s, n);
    if (n > sized(600, 130) || n == 0) continue;
    if ((m->needs_commutative && !op->commutes) || (is_warp(m) && n > s * s)) {
      check_refused(d, op);
      continue;
    }
    check_run(d, op, m->kind);
    d.length_rule = MMSCAN_PADDED;
    if (strcmp(m->name, "matmulscan") == 0) check_run(d, op, m->kind);
  }
}

TEST(test_right_with_every_operator) {
  for (size_t i = 0; method_at(i).name != NULL; i++) {
    const mmscan_method m = method_at(i);
    for (size_t k = 0; k < COUNT(operations); k++)
      for (size_t s = 2; s <= (m.has_s ? 8 : 2); s++) check_lengths(&m, &operations[k], s);
  }
}

TEST(test_large_matrices) {
  static const size_t sizes[] = {16, 31, 64};
  for (size_t i = 0; method_at(i).name != NULL; i++)
    for (size_t k = 0; k < sized(COUNT(sizes), 1); k++) {
      const mmscan_method m = method_at(i);
      const size_t n = is_warp(&m) ? sizes[k] * sizes[k] : sized(9000, 900);
      if (m.has_s) check_run(network_desc(&m, &operations[0], sizes[k], n), &operations[0], m.kind);
    }
}

/* ---- Table 1 ----------------------------------------------------------------------------------------------------- */

static mmscan_network_counts counts_of(const char *method, size_t s, size_t n) {
  const mmscan_method m = method_called(method);
  mmscan_network_desc d = network_desc(&m, &operations[0], s, n);
  mmscan_network_counts c = {.struct_size = sizeof c};
  char *x = elements(&operations[0], n);
  assert_mmscan_ok(mmscan_network(&d, x, x, &c));
  free(x);
  return c;
}

/* Exact where n = 2^k. */
TEST(test_networks_of_the_table) {
  for (size_t k = 1; k <= sized(16, 8); k++) {
    const size_t n = power_of(2, k);
    mmscan_network_counts c = counts_of("sklansky", 0, n);
    assert_true(c.depth == k && c.path == k && c.work == n * k / 2 && c.work_unpadded == c.work);
    assert_true(c.fan_in == 2 && c.fan_out == n / 2 + 1 && c.multiplications == 0);
    c = counts_of("hillis-steele", 0, n);
    assert_true(c.depth == k && c.path == k && c.work == n * k - n + 1 && c.work_unpadded == c.work);
    assert_true(c.fan_in == 2 && c.fan_out == 2);
    c = counts_of("blelloch", 0, n);
    assert_true(c.depth == 2 * k && c.work == 2 * (n - 1) && c.fan_in == 2);
    c = counts_of("brent-kung", 0, n);
    assert_true(c.depth == 2 * k - 1 && c.work == 2 * n - k - 2 && c.work_unpadded == c.work);
    assert_true(c.fan_in == 2 && c.fan_out == 2 && c.reads == k);
    /* The first level of the down-sweep does not wait for the last of the up-sweep. */
    assert_int_equal(c.path, k == 1 ? 1 : 2 * k - 2);
  }
}

TEST(test_networks_of_any_length) {
  for (size_t n = 1; n <= sized(1100, 140); n++) {
    const size_t k = ceil_log(2, n), whole = power_of(2, k);
    mmscan_network_counts c = counts_of("sklansky", 0, n);
    assert_true(c.depth == k && c.work <= whole * k / 2);
    c = counts_of("hillis-steele", 0, n);
    assert_true(c.depth == k && c.work == n * k - (whole - 1));
    c = counts_of("blelloch", 0, n);
    assert_true(c.depth == 2 * k && c.work <= 2 * (whole - 1) && c.work_unpadded <= 2 * n);
    c = counts_of("brent-kung", 0, n);
    assert_true(c.depth <= 2 * k && c.work <= 2 * n);
  }
}

/* 5 ceil(n / s^3) levels. In each block of s^3 elements, the additions of A U, L A, (L A) 1 with A U, of the scan of s
 * totals, and of the broadcast: O(n s). */
TEST(test_dakkak_of_the_table) {
  for (size_t s = 2; s <= 8; s++)
    for (size_t n = 1; n <= sized(3 * s * s * s + 1, 300); n += 1 + n / 7) {
      mmscan_network_counts c = counts_of("dakkak-block", s, n);
      assert_int_equal(c.depth, 5 * ((n - 1) / (s * s * s) + 1));
      assert_int_equal(c.multiplications, 3 * ((n - 1) / (s * s) + 1));
    }
  for (size_t s = 2; s <= 8; s++) {
    const size_t blocks = 2, n = blocks * s * s * s;
    const size_t tile = s * (s * (s - 1) / 2) + s * ((s - 1) * (s - 2) / 2) + s * s * s + s * s;
    mmscan_network_counts c = counts_of("dakkak-block", s, n);
    assert_int_equal(c.work, blocks * (s * tile + s * (s + 1) / 2));
    assert_true(c.work <= n * (2 * s + 3));
  }
}

/* Lemma 1, with any operator. */
TEST(test_matmulscan_of_the_table) {
  for (size_t s = 2; s <= 32; s++)
    for (size_t k = 1; power_of(s, k) <= sized(20000, 1100); k++) {
      const size_t n = power_of(s, k), bound = (2 * n - 1) / (s * (s - 1)) + 1 + 2 * k - 2;
      mmscan_network_counts c = counts_of("matmulscan", s, n);
      assert_int_equal(c.depth, 2 * k - 1);
      assert_true(c.multiplications <= bound);
      assert_true(c.work <= n + n * s / 2 + 1 + s * s * s * k);
      assert_true(c.fan_in == s && c.fan_out == s);
      /* The last of the first s^(k-1) elements goes to s - 1 others once on the way up, and k - 1 times on the way
       * down: the fan-out of s holds for each level only. */
      assert_int_equal(c.reads, k * (s - 1));
      assert_int_equal(c.path, s == 2 && k > 1 ? 2 * k - 2 : 2 * k - 1);
    }
}

/* Step 1 has 2k - 1 levels, and step 4 one. The levels of step 3 start after level k. */
TEST(test_depth_of_any_length) {
  size_t fits = 0, does_not = 0;
  for (size_t s = 2; s <= 9; s++)
    for (size_t n = s; n <= sized(3000, 300); n += 1 + n / 40) {
      const size_t k = floor_log(s, n);
      size_t segments = 0;
      for (size_t rest = n; rest > 0; rest /= s) segments += rest % s;
      if (segments == 1) continue;
      const size_t w = 2 * ceil_log(s, segments) - 1;
      const uint64_t depth = counts_of("matmulscan", s, n).depth;
      w <= k - 1 ? fits++ : does_not++;
      assert_int_equal(depth, w <= k - 1 ? 2 * k : k + w + 1);
    }
  assert_true(fits > 0 && does_not > 0);
}

/* ---- s = 2 is Brent-Kung ----------------------------------------------------------------------------------------- */

struct adder {
  size_t depth, a, b, out;
};

static int by_place(const void *a, const void *b) {
  const struct adder *x = a, *y = b;
  if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
  return (x->out > y->out) - (x->out < y->out);
}

/* The adders of a circuit of pairs, level by level, from left to right. */
static size_t adders_of(const char *method, size_t n, struct adder *adders) {
  struct recording r = {0};
  const mmscan_method m = method_called(method);
  mmscan_network_desc d = network_desc(&m, &operations[0], 2, n);
  char *x = elements(&operations[0], n);
  size_t count = 0;
  d.length_rule = MMSCAN_PADDED;
  d.trace = record;
  d.trace_context = &r;
  assert_mmscan_ok(mmscan_network(&d, x, x, NULL));
  for (size_t i = 0; i < r.count; i++)
    for (size_t at = 0; at < 2 * r.events[i].columns; at += 2) {
      const mmscan_event *e = &r.events[i];
      if (e->in[at + 1] == MMSCAN_NO_ELEMENT) continue;
      assert_int_equal(e->out[at], MMSCAN_NO_ELEMENT);
      adders[count++] = (struct adder){e->depth, e->in[at], e->in[at + 1], e->out[at + 1]};
    }
  qsort(adders, count, sizeof *adders, by_place);
  recording_free(&r);
  free(x);
  return count;
}

static void check_is_brent_kung(size_t n) {
  struct adder *theirs = recording_memory(NULL, 2 * n * sizeof *theirs);
  struct adder *ours = recording_memory(NULL, 2 * n * sizeof *ours);
  const size_t count = adders_of("brent-kung", n, theirs);
  assert_int_equal(adders_of("matmulscan", n, ours), count);
  if ((n & (n - 1)) == 0) assert_int_equal(count, 2 * n - floor_log(2, n) - 2);
  for (size_t i = 0; i < count; i++)
    if (theirs[i].a != ours[i].a || theirs[i].b != ours[i].b || theirs[i].out != ours[i].out)
      fail_msg("n %zu: adder %zu is another", n, i);
  free(theirs);
  free(ours);
}

/* For powers of two, Section 3.2 has a single segment, and the two length rules are the same. */
TEST(test_s_2_is_brent_kung) {
  for (size_t n = 1; n <= sized(300, 70); n++) check_is_brent_kung(n);
  for (size_t k = 1; k <= sized(14, 8); k++) {
    check_is_brent_kung(power_of(2, k));
    mmscan_network_counts c = counts_of("matmulscan", 2, power_of(2, k));
    assert_int_equal(c.work_unpadded, 2 * power_of(2, k) - k - 2);
    assert_int_equal(c.adders, c.work_unpadded);
  }
}

/* Brent and Kung's own construction for n = 8: the table below is theirs, not the library's. */
TEST(test_brent_kung_of_8) {
  static const struct adder want[] = {{1, 0, 1, 1}, {1, 2, 3, 3}, {1, 4, 5, 5}, {1, 6, 7, 7},
                                      {2, 1, 3, 3}, {2, 5, 7, 7}, {3, 3, 7, 7}, {4, 3, 5, 5},
                                      {5, 1, 2, 2}, {5, 3, 4, 4}, {5, 5, 6, 6}};
  struct adder got[32];
  assert_int_equal(adders_of("brent-kung", 8, got), COUNT(want));
  for (size_t i = 0; i < COUNT(want); i++) assert_memory_equal(&got[i], &want[i], sizeof want[i]);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define D(field, value) SET(mmscan_network_desc, field, value)

TEST(test_flaws) {
  const struct flaw flaws[] = {
      {MMSCAN_EINVAL, {D(struct_size, sizeof(mmscan_network_desc) - 1)}},
      {MMSCAN_EINVAL, {D(method, 0)}},
      {MMSCAN_EINVAL, {D(method, (uintptr_t) "nonsense")}},
      {MMSCAN_EINVAL, {D(op, 0)}},
      {MMSCAN_EINVAL, {D(s, 0)}},
      {MMSCAN_EINVAL, {D(s, 1)}},
      {MMSCAN_EINVAL, {D(s, MMSCAN_MAX_S + 1)}},
      {MMSCAN_EINVAL, {D(length_rule, 0)}},
      {MMSCAN_EINVAL, {D(length_rule, 3)}},
      {MMSCAN_EINVAL, {D(n, SIZE_MAX)}},
  };
  const mmscan_method m = method_called("matmulscan");
  uint64_t x[10] = {1}, y[10] = {7};
  for (size_t i = 0; i < COUNT(flaws); i++) {
    mmscan_network_desc d = network_desc(&m, &operations[0], 3, 10);
    spoil(&d, &flaws[i]);
    check_flaw(&flaws[i], mmscan_network(&d, x, y, NULL), "network");
    assert_true(y[0] == 7);
  }
}

#define O(field, value) SET(mmscan_operator, field, value)

TEST(test_flaws_of_operators) {
  const struct flaw flaws[] = {{MMSCAN_EINVAL, {O(struct_size, sizeof(mmscan_operator) - 1)}},
                               {MMSCAN_EINVAL, {O(size, 0)}},
                               {MMSCAN_EINVAL, {O(combine, 0)}},
                               {MMSCAN_EINVAL, {O(identity, 0)}}};
  const mmscan_method m = method_called("sklansky");
  uint64_t x[10] = {1}, y[10] = {7};
  for (size_t i = 0; i < COUNT(flaws); i++) {
    struct operation op = operations[0];
    const mmscan_network_desc d = network_desc(&m, &op, 0, 10);
    spoil(&op.of, &flaws[i]);
    check_flaw(&flaws[i], mmscan_network(&d, x, y, NULL), "network");
    assert_true(y[0] == 7);
  }
}

TEST(test_arguments) {
  const mmscan_method m = method_called("sklansky");
  uint64_t x[20] = {1}, y[20] = {7};
  mmscan_network_desc d = network_desc(&m, &operations[0], 0, 10);
  mmscan_network_counts c = {.struct_size = sizeof c - 1};
  assert_status(MMSCAN_EINVAL, mmscan_network(NULL, x, y, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_network(&d, NULL, y, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_network(&d, x, NULL, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_network(&d, x, y, &c));
  for (int offset = -9; offset <= 9; offset++)
    if (offset != 0) assert_status(MMSCAN_EOVERLAP, mmscan_network(&d, x + 10, x + 10 + offset, NULL));
  d.n = SIZE_MAX / 128 / sizeof *x;
  assert_status(MMSCAN_ENOMEM, mmscan_network(&d, x, x, NULL));
  assert_true(y[0] == 7 && x[0] == 1);
}

/* Only matmulscan reads the length rule, and only methods with an s read s. */
TEST(test_fields_not_looked_at) {
  const mmscan_method m = method_called("sklansky");
  uint64_t x[10] = {1}, y[10];
  mmscan_network_desc d = network_desc(&m, &operations[0], 0, 10);
  d.length_rule = (mmscan_length_rule)0;
  assert_mmscan_ok(mmscan_network(&d, x, y, NULL));
}

TEST(test_no_elements) {
  for (size_t i = 0; method_at(i).name != NULL; i++) {
    const mmscan_method m = method_at(i);
    mmscan_network_desc d = network_desc(&m, &operations[0], 3, 0);
    mmscan_network_counts c = {.struct_size = sizeof c};
    assert_mmscan_ok(mmscan_network(&d, NULL, NULL, &c));
    assert_true(c.depth == 0 && c.work == 0);
  }
}

/* Elements that are aligned to more than any of C's own types. */
struct vector {
  _Alignas(256) double at[4];
};

/* *context: whether all elements were where they may be. */
static void add_vectors(void *context, const void *a, const void *b, void *result) {
  const uintptr_t all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)result;
  if (all % _Alignof(struct vector) != 0) *(bool *)context = false;
  memcpy(result, a, sizeof(struct vector));
}

TEST(test_alignment_of_elements) {
  enum { N = 63 };
  static struct vector x[N], y[N], none;
  struct operation op = {"sum of vectors", {sizeof(mmscan_operator), sizeof none, add_vectors, NULL, &none}, true};
  for (size_t i = 0; method_at(i).name != NULL; i++) {
    const mmscan_method m = method_at(i);
    bool are_aligned = true;
    for (size_t s = 2; s <= 8; s += 3) {
      mmscan_network_desc d = network_desc(&m, &op, s, is_warp(&m) ? s * s - 1 : N);
      op.of.context = &are_aligned;
      assert_mmscan_ok(mmscan_network(&d, x, y, NULL));
    }
    if (!are_aligned) fail_msg("%s gives its operator elements that are not aligned", m.name);
  }
}

TEST(test_table_of_methods) {
  mmscan_method m = {.struct_size = sizeof m - 1};
  assert_status(MMSCAN_EINVAL, mmscan_get_method(0, &m));
  assert_status(MMSCAN_EINVAL, mmscan_get_method(0, NULL));
  m.struct_size = sizeof m;
  assert_status(MMSCAN_EINVAL, mmscan_get_method(99, &m));
  for (size_t i = 0; method_at(i).name != NULL; i++) assert_non_null(method_at(i).description);
  assert_true(method_called("blelloch").kind == MMSCAN_EXCLUSIVE);
}

int main(void) { return run_all_tests(NULL, NULL); }
