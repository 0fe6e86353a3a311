/* test_blocks.c: a scan that comes in blocks equals the scan of the whole, to the bit where the header says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/child.h"
#include "support/shot.h"

/* A scan of `batch` rows of n elements, row r at r * n, that comes in blocks. */
struct blocks {
  const struct sample *sample;
  mmscan_kind kind;
  bool reverse, in_place, keeps_state;
  size_t n, batch, calls;
  struct buffer x, y, carry, state;
};

/* The carry that leaves every element as it is. */
static void set_identity(const struct type *type, void *carry) {
  if (is_float(type)) put_float(type->type, carry, 0, -0.0);
}

static void blocks_begin(struct blocks *b, unsigned variant) {
  const size_t size = b->sample->oracle.type->size;
  b->kind = variant & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  b->reverse = (variant & 2) != 0;
  b->in_place = (variant & 4) != 0;
  b->x = buffer_new(b->n * b->batch * size, 0);
  b->y = b->in_place ? b->x : buffer_new(b->n * b->batch * size, 0);
  b->carry = buffer_new(b->batch * size, 0);
  memcpy(b->x.data, b->sample->x, b->x.size);
  memset(b->carry.data, 0, b->carry.size);
  const mmscan_desc desc = plain_desc(b->sample->oracle.type->type, b->kind, b->reverse, 1);
  b->state = buffer_new(b->batch * mmscan_state_size(&desc), 0);
  memset(b->state.data, 0, b->state.size);
  for (size_t r = 0; r < b->batch; r++)
    if (b->kind == MMSCAN_EXCLUSIVE)
      memcpy(b->carry.data + r * size, shot_init(b->sample), size);
    else
      set_identity(b->sample->oracle.type, b->carry.data + r * size);
}

/* Scans the next `n` elements of every row, after the first `done` in scan order. */
static void blocks_next(struct blocks *b, size_t done, size_t n) {
  const struct type *type = b->sample->oracle.type;
  const size_t at = (b->reverse ? b->n - done - n : done) * type->size;
  mmscan_desc desc = plain_desc(type->type, b->kind, b->reverse, n);
  desc.batch = b->batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)b->n;
  desc.state = b->keeps_state ? b->state.data : NULL;
  assert_mmscan_ok(mmscan_scan_block(&desc, b->x.data + at, b->y.data + at, b->carry.data));
  b->calls++;
}

/* Checks the rows, and the carries, which are the sums of whole rows. Each block is one more addition. */
static void blocks_check(const struct blocks *b) {
  const struct oracle *o = &b->sample->oracle;
  const double rounds = roundings(NULL, b->n + b->calls);
  for (size_t r = 0; r < b->batch; r++) {
    const void *init = b->kind == MMSCAN_EXCLUSIVE ? shot_init(b->sample) : NULL;
    struct window row = {r * b->n, b->n, b->kind, b->reverse, init, MMSCAN_PLUS};
    struct window whole = {r * b->n, b->n, MMSCAN_EXCLUSIVE, false, init, MMSCAN_PLUS};
    assert_scan(o, &row, rounds, b->y.data + r * b->n * o->type->size, "in blocks");
    if (!o->type->is_right(o, &whole, b->n, o->data == EXACT ? 0 : rounds, b->carry.data + r * o->type->size))
      fail_seeded("%s: the carry of row %zu of %zu elements is wrong", o->type->name, r, b->n);
  }
  if (!buffer_intact(&b->x) || !buffer_intact(&b->y) || !buffer_intact(&b->carry))
    fail_seeded("wrote outside of y and carry");
}

static void blocks_end(struct blocks *b) {
  if (!b->in_place) buffer_free(&b->y);
  buffer_free(&b->x);
  buffer_free(&b->carry);
  buffer_free(&b->state);
}

/* ---- Cut anywhere ------------------------------------------------------------------------------------------------ */

/* Cuts at random places; some blocks have 0 elements. */
static void cut_anywhere(struct blocks *b, struct rng *rng, unsigned variant) {
  blocks_begin(b, variant);
  for (size_t done = 0, n; done < b->n; done += n) {
    n = smaller(b->n - done, draw_below(rng, 3) == 0 ? draw_below(rng, 4) : draw_below(rng, b->n / 3 + 2));
    blocks_next(b, done, n);
  }
  blocks_check(b);
  blocks_end(b);
}

TEST(test_cut_anywhere) {
  const struct {
    size_t n, batch;
  } shapes[] = {{1, 1},     {2, 1},      {10, 1},    {10, 7},   {333, 1}, {1000, 20},
                {30000, 1}, {300000, 1}, {50000, 5}, {1, 5000}, {3, 5000}};
  struct rng rng = rng_of(1);
  for (size_t t = 0; t < TYPES; t++)
    for (enum data data = EXACT; data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, 300001);
      for (size_t i = 0; i < COUNT(shapes); i++)
        for (unsigned variant = 0; variant < VARIANTS; variant++) {
          struct blocks b = {.sample = &sample, .n = shapes[i].n, .batch = shapes[i].batch};
          if (quick() && b.n * b.batch > 1000) b.n = b.n / 60 + 1;
          cut_anywhere(&b, &rng, variant);
        }
      sample_free(&sample);
    }
}

TEST(test_element_by_element) {
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), EXACT, 200);
    for (unsigned variant = 0; variant < VARIANTS; variant++) {
      struct blocks b = {.sample = &sample, .n = 50, .batch = 3};
      blocks_begin(&b, variant);
      for (size_t done = 0; done < b.n; done++) blocks_next(&b, done, 1);
      blocks_check(&b);
      blocks_end(&b);
    }
    sample_free(&sample);
  }
}

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

/* Compares such blocks, as `parts` gives them, with one call. The last is `less` shorter. */
static int same_bits(const struct sample *sample, unsigned variant, const size_t *parts, size_t count, size_t less) {
  const size_t unit = MMSCAN_MAX_TILE;
  struct blocks b = {.sample = sample, .n = 4 * unit - less, .batch = 1, .keeps_state = true};
  blocks_begin(&b, variant);
  size_t done = 0;
  for (size_t i = 0; i < count; done += parts[i++] * unit) blocks_next(&b, done, smaller(parts[i] * unit, b.n - done));

  struct buffer whole = buffer_new(b.y.size, 0);
  mmscan_desc desc = plain_desc(sample->oracle.type->type, b.kind, b.reverse, b.n);
  if (b.kind == MMSCAN_EXCLUSIVE) desc.init = shot_init(sample);
  assert_mmscan_ok(mmscan_scan(&desc, sample->x, whole.data));
  int different = memcmp(whole.data, b.y.data, whole.size) != 0;
  if (different)
    print_error("%s, variant %u, %zu blocks, %zu less: other bits than one call\n", sample->oracle.type->name, variant,
                count, less);
  buffer_free(&whole);
  blocks_end(&b);
  return different;
}

/* Runs in processes whose environment names the engine; each type has half of the cuts in each variant. A quick run
 * takes f32 and i64. */
static void test_same_bits(void **state) {
  (void)state;
  static const size_t cuts[][4] = {{1, 1, 1, 1}, {1, 3}, {3, 1}, {2, 2}, {1, 2, 1}, {4}};
  static const size_t less[] = {
      0, 12345, MMSCAN_MAX_TILE - 700, MMSCAN_MAX_TILE - 60, MMSCAN_MAX_TILE - 30, MMSCAN_MAX_TILE - 3};
  int different = 0;
  for (size_t t = 0; t < TYPES; t += quick() ? 3 : 1) {
    struct sample sample = sample_without_sums(type_at(t), RANDOM, 4 * MMSCAN_MAX_TILE + 1);
    for (unsigned variant = 0; variant < VARIANTS; variant++)
      for (size_t c = quick() ? 0 : (t + variant) % 2; c < (quick() ? 1 : COUNT(cuts)); c += 2) {
        const size_t *cut = cuts[c];
        size_t count = 0;
        while (count < 4 && cut[count] != 0) count++;
        different += same_bits(&sample, variant, cut, count, less[(variant + c / 2) % COUNT(less)]);
      }
    sample_free(&sample);
  }
  assert_int_equal(different, 0);
}

/* A reproducible block, the first of the process, leaves nothing behind for those without flags. */
static void scan_reproducibly(void) {
  float x[20] = {1}, carry = -0.0f;
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  desc.flags = MMSCAN_REPRODUCIBLE;
  mmscan_scan_block(&desc, x, x, &carry);
}

static int run_same_bits(void) {
  scan_reproducibly();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
  return cmocka_run_group_tests_name(text_or(getenv("MMSCAN_ENGINE"), "default engine"), tests, NULL, NULL);
}

TEST(test_same_bits_with_each_engine) {
  mmscan_part engine = {.struct_size = sizeof engine};
  assert_int_equal(run_self("same-bits", NULL, 0), 0);
  assert_int_equal(run_self("same-bits", &(struct setting){"MMSCAN_ISA", "portable"}, 1), 0);
  for (size_t i = 0; mmscan_get_engine(i, &engine) == MMSCAN_OK; i++) {
    bool is_blas = strcmp(engine.name, "gemm") == 0;
    const struct setting settings[] = {
        {"MMSCAN_ENGINE", engine.name}, {is_blas ? "MMSCAN_UNIT" : NULL, "cblas"}, {"MMSCAN_NUM_THREADS", "3"}};
    if (!quick()) assert_int_equal(run_self("same-bits", settings, 2), 0);
    assert_int_equal(run_self("same-bits", settings, 3), 0);
  }
}

/* A block of no elements leaves states and totals as they were. */
TEST(test_empty_block) {
  enum { BATCH = 5, N = 300 };
  double x[BATCH * N], carry[BATCH], totals[2][BATCH];
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N);
  desc.flags = MMSCAN_REPRODUCIBLE;
  desc.batch = BATCH;
  desc.x_dist = desc.y_dist = N;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = (double)(i / N + 1);
  for (size_t r = 0; r < BATCH; r++) carry[r] = -0.0;
  desc.state = test_memory(BATCH * mmscan_state_size(&desc));
  memset(desc.state, 0, BATCH * mmscan_state_size(&desc));
  desc.totals = totals[0];
  assert_mmscan_ok(mmscan_scan_block(&desc, x, x, carry));
  desc.n = 0;
  desc.totals = totals[1];
  assert_mmscan_ok(mmscan_scan_block(&desc, x, x, carry));
  assert_memory_equal(totals[0], totals[1], sizeof totals[0]);
  free(desc.state);
}

/* A scan of -0.0 elements is -0.0 to its end, in blocks too. */
TEST(test_zeros_below) {
  float x[300], y[300], carry = -0.0f;
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100);
  for (size_t i = 0; i < COUNT(x); i++) x[i] = -0.0f;
  for (size_t done = 0; done < COUNT(x); done += desc.n)
    assert_mmscan_ok(mmscan_scan_block(&desc, x + done, y + done, &carry));
  assert_memory_equal(x, y, sizeof x);
  assert_mmscan_ok(mmscan_inclusive_f32(COUNT(x), x, y));
  assert_memory_equal(x, y, sizeof x);
  assert_true(signbit(carry));
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return run_same_bits();
  return run_all_tests(NULL, NULL);
}
