/* test_totals.c: blocks without y leave the carry, state and totals that blocks with y leave, to the bit; and carries
 * of neighbouring parts combine into that of both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/mixed.h"
#include "support/watch.h"

enum { BATCH = 3, MOST = 200000, ELEMENT = 16, STATE = 1024, TRIES = 6000 };

/* A block of random elements, and what goes with it. */
struct block {
  mmscan_desc desc;
  const mmscan_algebra *row;
  unsigned char *x, *y;
  size_t x_size, y_size;
  bool is_tame; /* no element is NaN, or so large that a sum may not be regrouped */
};

struct ends {
  unsigned char carry[BATCH * ELEMENT], totals[BATCH * ELEMENT], state[BATCH * STATE];
};

/* ---- Random blocks ----------------------------------------------------------------------------------------------- */

/* Returns whether the library has such scans. */
static bool draw_desc(struct block *b, struct rng *rng) {
  b->row = &mixed_rows[draw_below(rng, mixed_count)];
  b->desc = (mmscan_desc)MMSCAN_DESC(b->row->type, b->row->op, 1 + (mmscan_kind)draw_below(rng, 2), 0);
  if (draw(rng) & 1) b->desc.x_type = 1 + (mmscan_type)draw_below(rng, MMSCAN_BF16);
  b->desc.n = draw_below(rng, 4) ? 1 + draw_below(rng, 3000) : 1 + draw_below(rng, MOST / BATCH / 2);
  b->desc.reverse = (int)(draw(rng) & 1);
  b->desc.flags = mixed_flags(rng);
  b->desc.batch = draw_below(rng, 3) ? 1 : BATCH;
  b->desc.x_stride = draw_below(rng, 3) ? 1 : -2;
  b->desc.y_stride = draw_below(rng, 3) ? 1 : 2;
  b->desc.x_dist = b->desc.y_dist = (ptrdiff_t)(2 * b->desc.n);
  if (draw_below(rng, 8) == 0 && b->desc.batch > 1) {
    b->desc.x_stride = b->desc.y_stride = BATCH;
    b->desc.x_dist = b->desc.y_dist = 1;
  }
  return mmscan_desc_check(&b->desc, NULL, 0) == MMSCAN_OK;
}

static void fill(struct block *b, struct rng *rng) {
  const size_t most = 2 * b->desc.n * b->desc.batch;
  const bool is_wild = draw_below(rng, 4) == 0;
  b->x_size = mixed_size(b->desc.x_type), b->y_size = b->row->size;
  b->is_tame = !is_wild;
  for (size_t i = 0; i < most; i++) mixed_put(b->desc.x_type, b->x, i, rng, is_wild);
}

static void begin(const struct block *b, struct ends *e) {
  memset(e, 0, sizeof *e);
  const bool is_half = b->desc.y_type == MMSCAN_F16 || b->desc.y_type == MMSCAN_BF16;
  const mmscan_algebra *as = is_half ? mixed_row(b->desc.op, MMSCAN_F32) : b->row;
  for (size_t r = 0; r < b->desc.batch; r++) memcpy(e->carry + r * as->size, as->identity, as->size);
}

/* Scans elements from..to - 1, in the order of the scan. */
static mmscan_status scan(const struct block *b, struct ends *e, size_t from, size_t to, bool writes, bool has_totals) {
  mmscan_desc d = b->desc;
  const ptrdiff_t n = (ptrdiff_t)d.n, at = (ptrdiff_t)(d.reverse ? d.n - to : from);
  const ptrdiff_t first = d.x_stride < 0 ? -(n - 1) * d.x_stride : 0;
  d.n = to - from;
  d.state = e->state;
  d.totals = has_totals ? e->totals : NULL;
  return mmscan_scan_block(&d, b->x + (first + at * d.x_stride) * (ptrdiff_t)b->x_size,
                           writes ? b->y + at * d.y_stride * (ptrdiff_t)b->y_size : NULL, e->carry);
}

static void check_same(const struct block *b, const struct ends *want, const struct ends *got, const char *what) {
  if (memcmp(want, got, sizeof *want) == 0) return;
  fail_seeded("%s %s from type %d, kind %d, flags %u, n %zu, batch %zu, strides %td %td: %s", b->row->op_name,
              b->row->type_name, (int)b->desc.x_type, (int)b->desc.kind, b->desc.flags, b->desc.n, b->desc.batch,
              b->desc.x_stride, b->desc.y_stride, what);
}

static struct block block_new(void) {
  struct block b = {.x = malloc(MOST * ELEMENT), .y = malloc(MOST * ELEMENT)};
  if (!b.x || !b.y) fail_msg("no memory for the test");
  if (mixed_count == 0) mixed_find_rows();
  return b;
}

static void block_free(struct block *b) {
  free(b->x);
  free(b->y);
}

/* ---- Without y --------------------------------------------------------------------------------------------------- */

TEST(test_same_ends) {
  struct rng rng = rng_of(1);
  struct block b = block_new();
  for (size_t i = 0; i < sized(TRIES, 400); i++) {
    static struct ends with, without;
    if (!draw_desc(&b, &rng)) continue;
    fill(&b, &rng);
    begin(&b, &with), begin(&b, &without);
    const size_t cut = draw_below(&rng, b.desc.n + 1);
    const bool has_totals = draw_below(&rng, 4) == 0;
    assert_mmscan_ok(scan(&b, &without, 0, cut, false, has_totals));
    assert_mmscan_ok(scan(&b, &without, cut, b.desc.n, false, has_totals));
    assert_mmscan_ok(scan(&b, &with, 0, cut, true, has_totals));
    assert_mmscan_ok(scan(&b, &with, cut, b.desc.n, true, has_totals));
    check_same(&b, &with, &without, "other ends without y than with it");
  }
  block_free(&b);
}

/* Many tiles, of which threads take some in turn. A way that is asked for has threads even on a busy machine, and runs
 * without results have one of their own. */
TEST(test_threads) {
  enum { N = 1 << 20 };
  float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  if (!x || !y) fail_msg("no memory for the test");
  const mmscan_choice shared = {.struct_size = sizeof shared, .threads = 3, .way = "shares"};
  struct rng rng = rng_of(4);
  for (size_t i = 0; i < N; i++) x[i] = (float)ldexp(draw_unit(&rng), (int)draw_below(&rng, 20));
  for (unsigned i = 0; i < 2 * sized(40, 4); i++) {
    unsigned char kept[2][STATE] = {{0}};
    float carry[2] = {-0.0f, -0.0f};
    mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
    d.flags = i % 2 ? MMSCAN_REPRODUCIBLE : 0;
    for (int writes = 0; writes < 2; writes++) {
      d.state = kept[writes];
      assert_mmscan_ok(block_with(&d, &shared, x, writes ? y : NULL, &carry[writes]));
    }
    assert_memory_equal(&carry[0], &carry[1], sizeof *carry);
    assert_memory_equal(kept[0], kept[1], STATE);
  }
  free(x);
  free(y);
}

TEST(test_other_ends) {
  int32_t x[] = {1, INT32_MAX, 5, 7}, carry = 0, totals;
  int64_t indices[] = {9, 9, 9, 9};
  mmscan_desc d = plain_desc(MMSCAN_I32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  d.totals = &totals;
  d.flags = MMSCAN_CHECKED;
  assert_status(MMSCAN_EOVERFLOW, mmscan_scan_block(&d, x, NULL, &carry));
  assert_int_equal(carry, INT32_MIN + 12);
  assert_int_equal(totals, carry);
  d.op = MMSCAN_MAX;
  d.indices = indices;
  carry = INT32_MIN;
  assert_mmscan_ok(mmscan_scan_block(&d, x, NULL, &carry));
  assert_int_equal(carry, INT32_MAX);
  assert_int_equal(indices[3], 1);
  unsigned char kept[STATE] = {0};
  d.state = kept;
  carry = INT32_MIN;
  assert_mmscan_ok(mmscan_scan_block(&d, x, NULL, &carry));
  assert_mmscan_ok(mmscan_scan_block(&d, x, NULL, &carry));
  assert_int_equal(indices[3], -1); /* one of the block before */
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(&d, x, NULL, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(&d, NULL, NULL, &carry));
  assert_status(MMSCAN_EINVAL, mmscan_scan(&d, x, NULL));
}

/* ---- Combined ---------------------------------------------------------------------------------------------------- */

static bool has_doubles(const struct block *b) { return b->desc.y_type == MMSCAN_F64 || b->desc.y_type == MMSCAN_C64; }

/* Numbers in the carries: two of a complex one. */
static size_t numbers(const struct block *b) { return b->desc.batch * (b->row->kind == 'c' ? 2 : 1); }

static double number(const struct block *b, const struct ends *e, size_t i) {
  float f32;
  double f64;
  if (!has_doubles(b)) return memcpy(&f32, e->carry + i * sizeof f32, sizeof f32), (double)f32;
  return memcpy(&f64, e->carry + i * sizeof f64, sizeof f64), f64;
}

/* The bits of a NaN are nobody's promise. */
static bool are_finite(const struct block *b, const struct ends *e) {
  for (size_t i = 0; i < numbers(b); i++)
    if (!isfinite(number(b, e, i))) return false;
  return true;
}

/* Whether the carries that two parts leave are near each other, in any order of additions. */
static bool are_near(const struct block *b, const struct ends *want, const struct ends *got) {
  for (size_t i = 0; i < numbers(b); i++) {
    const double x = number(b, want, i), y = number(b, got, i), n = (double)b->desc.n;
    const double scale = b->desc.op == MMSCAN_PLUS ? n * mixed_largest(b->desc.x_type, !b->is_tame) : fabs(x) + 1;
    const double most = n * (has_doubles(b) ? 0x1p-51 : 0x1p-22) * scale;
    if (isfinite(x) && !(fabs(x - y) <= most)) return false;
    if (!isfinite(x) && isfinite(y)) return false;
  }
  return true;
}

/* Two parts, and the whole in blocks. Parts are whole tiles where bits matter. */
static void check_parts(struct block *b, size_t cut) {
  static struct ends whole, first, second;
  begin(b, &whole), begin(b, &first), begin(b, &second);
  assert_mmscan_ok(scan(b, &whole, 0, cut, false, false));
  assert_mmscan_ok(scan(b, &whole, cut, b->desc.n, false, false));
  assert_mmscan_ok(scan(b, &first, 0, cut, false, false));
  assert_mmscan_ok(scan(b, &second, cut, b->desc.n, false, false));
  const mmscan_status status = mmscan_carry_combine(&b->desc, first.carry, first.state, second.carry, second.state);
  const bool is_float = b->row->kind == 'f' || b->row->kind == 'c';
  const bool is_order = b->desc.op == MMSCAN_MAX || b->desc.op == MMSCAN_MIN;
  const bool has_bits = !is_float || is_order || b->desc.flags & MMSCAN_REPRODUCIBLE;
  if (status == MMSCAN_ENOTSUP) {
    const bool is_sum = b->desc.op == MMSCAN_PLUS, is_given = b->desc.flags & MMSCAN_REPRODUCIBLE;
    assert_true(is_float && !is_order);
    if (is_sum && !(is_given && b->desc.flags & MMSCAN_ACCURATE)) assert_false(b->is_tame);
    return;
  }
  assert_mmscan_ok(status);
  if (has_bits && (!is_float || are_finite(b, &whole)))
    check_same(b, &whole, &first, "combined carries have other bits");
  else if (is_float && !are_near(b, &whole, &first))
    check_same(b, &whole, &first, "combined carries are far away");
}

TEST(test_combined) {
  struct rng rng = rng_of(2);
  struct block b = block_new();
  for (size_t i = 0; i < sized(TRIES, 400); i++) {
    if (!draw_desc(&b, &rng)) continue;
    fill(&b, &rng);
    size_t cut = draw_below(&rng, b.desc.n + 1);
    if (b.desc.flags & MMSCAN_REPRODUCIBLE) cut -= cut % MMSCAN_BLOCK;
    check_parts(&b, cut);
  }
  block_free(&b);
}

/* Sums that cancel: which parts are combined first makes no difference to exact ones. */
TEST(test_associative) {
  enum { N = MMSCAN_BLOCK, PARTS = 5 };
  static double x[PARTS * N];
  static struct ends part[PARTS], left, right;
  struct rng rng = rng_of(3);
  struct block b = block_new();
  b.row = mixed_row(MMSCAN_PLUS, MMSCAN_F64);
  b.desc = (mmscan_desc)MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, PARTS * N);
  b.desc.flags = MMSCAN_REPRODUCIBLE;
  b.x_size = b.y_size = sizeof *x;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = ldexp(draw_unit(&rng), (int)draw_below(&rng, 200));
  memcpy(b.x, x, sizeof x);
  begin(&b, &left), begin(&b, &right);
  for (size_t p = 0; p < PARTS; p++) {
    begin(&b, &part[p]);
    assert_mmscan_ok(scan(&b, &part[p], p * N, (p + 1) * N, false, false));
    assert_mmscan_ok(mmscan_carry_combine(&b.desc, left.carry, left.state, part[p].carry, part[p].state));
  }
  for (size_t p = PARTS - 1; p-- > 0;)
    assert_mmscan_ok(mmscan_carry_combine(&b.desc, part[p].carry, part[p].state, part[p + 1].carry, part[p + 1].state));
  check_same(&b, &left, &part[0], "the order of parts makes a difference");
  assert_mmscan_ok(scan(&b, &right, 0, PARTS * N, false, false));
  check_same(&b, &right, &left, "other bits than one block");
  block_free(&b);
}

/* Elements so large that their sum is that of the plain loop, which depends on what comes before. */
TEST(test_large_elements) {
  const float x[] = {1, 1e36f, -1e36f, 2};
  float carry = 3, next = -0.0f, want = 3;
  unsigned char kept[3][STATE] = {{0}};
  mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  d.flags = MMSCAN_REPRODUCIBLE;
  d.state = kept[0];
  assert_mmscan_ok(mmscan_scan_block(&d, x, NULL, &next));
  assert_status(MMSCAN_ENOTSUP, mmscan_carry_combine(&d, &carry, kept[1], &next, kept[0]));
  assert_true(carry == 3);
  d.state = kept[1];
  assert_mmscan_ok(mmscan_scan_block(&d, x, NULL, &carry));
  d.state = kept[2];
  assert_mmscan_ok(mmscan_scan_block(&d, x, (float[COUNT(x)]){0}, &want));
  assert_true(carry == want);
  assert_memory_equal(kept[1], kept[2], STATE);
}

TEST(test_refused) {
  float carry = 1, next = 2;
  unsigned char kept[STATE] = {0};
  mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 0);
  assert_mmscan_ok(mmscan_carry_combine(&d, &carry, NULL, &next, NULL));
  assert_true(carry == 3);
  assert_status(MMSCAN_EINVAL, mmscan_carry_combine(&d, &carry, kept, &next, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_carry_combine(&d, &carry, NULL, NULL, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_carry_combine(&d, NULL, NULL, &next, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_carry_combine(NULL, &carry, NULL, &next, NULL));
  d.op = MMSCAN_MUL;
  d.flags = MMSCAN_REPRODUCIBLE;
  assert_status(MMSCAN_ENOTSUP, mmscan_carry_combine(&d, &carry, NULL, &next, NULL));
  d.kind = MMSCAN_OFFSETS;
  assert_status(MMSCAN_ENOTSUP, mmscan_carry_combine(&d, &carry, NULL, &next, NULL));
  assert_true(carry == 3);
}

int main(int argc, char **argv) {
  (void)argc;
  setenv("MMSCAN_NUM_THREADS", "3", 0);
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
