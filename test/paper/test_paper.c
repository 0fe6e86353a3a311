/* test_paper.c: MatMulScan exactly as in the paper: the same results in all its forms, and the paper's counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <unistd.h>

#include "support/flaw.h"
#include "support/matmul.h"
#include "support/powers.h"
#include "support/scratch.h"
#include "support/shot.h"

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* Three bits: form, length rule and broadcast. Traversals are compared to the bit. */
enum { FORMS = 8 };

static mmscan_matmul_desc paper_desc(mmscan_type type, size_t s, size_t n, unsigned form, const char *unit) {
  mmscan_matmul_desc d = matmul_desc(type, n, s, unit, 1);
  if (form & 1) d.form = MMSCAN_BATCHED;
  if (form & 2) d.length_rule = MMSCAN_PADDED;
  if (!(form & 4)) d.broadcast = MMSCAN_BROADCAST_MATRIX;
  return d;
}

static const char *paper_text(const mmscan_matmul_desc *d) {
  static char text[160];
  snprintf(text, sizeof text, "s %zu, %s, %s, %s, broadcast by a %s, unit %s, %d threads", d->s,
           d->form == MMSCAN_STACKED ? "stacked" : "batched", d->length_rule == MMSCAN_DIGITS ? "digits" : "padded",
           d->traversal == MMSCAN_ITERATIVE ? "iterative" : "recursive",
           d->broadcast == MMSCAN_BROADCAST_MATRIX ? "matrix" : "vector", d->unit, d->threads);
  return text;
}

/* The most additions that an element passes: in the levels of the segments, in those of w, and in step 4. */
static double paper_roundings(const mmscan_matmul_desc *d) {
  return (double)smaller(d->n, 2 * d->s * levels_of(d->s, d->n) + 1) + 8;
}

/* One run in tight buffers, checked against the oracle; returns its y, for the caller to free. */
static struct buffer paper_run(const struct sample *sample, const mmscan_matmul_desc *d, bool in_place,
                               mmscan_counts *counts) {
  const struct oracle *o = &sample->oracle;
  struct buffer x = buffer_new(d->n * o->type->size, 0), y = in_place ? x : buffer_new(x.size, o->type->size);
  struct window w = {0, d->n, MMSCAN_INCLUSIVE, false, NULL, MMSCAN_PLUS};
  memcpy(x.data, sample->x, x.size);
  if (counts) memset(counts, 0x5a, sizeof *counts);
  if (counts) counts->struct_size = sizeof *counts;
  mmscan_status status = mmscan_matmulscan(d, x.data, y.data, counts);
  if (status != MMSCAN_OK) fail_seeded("%s, n %zu: %s", paper_text(d), d->n, mmscan_strerror(status));
  assert_scan(o, &w, paper_roundings(d), y.data, paper_text(d));
  if (!in_place && memcmp(x.data, sample->x, x.size) != 0) fail_seeded("%s: x changed", paper_text(d));
  if (!buffer_intact(&x) || !buffer_intact(&y)) fail_seeded("%s: wrote outside of y", paper_text(d));
  if (!in_place) buffer_free(&x);
  return y;
}

static void assert_same_bits(const mmscan_matmul_desc *d, const struct buffer *a, const struct buffer *b,
                             const char *than) {
  if (memcmp(a->data, b->data, a->size) != 0) fail_seeded("%s, n %zu: other bits than %s", paper_text(d), d->n, than);
}

/* ---- All forms agree --------------------------------------------------------------------------------------------- */

/* In place for half of the lengths, since each has its own. */
static void check_variation(const struct sample *sample, const mmscan_matmul_desc *d, const struct buffer *plain,
                            const char *than) {
  struct buffer y = paper_run(sample, d, d->n % 2 != 0, NULL);
  assert_same_bits(d, &y, plain, than);
  buffer_free(&y);
}

/* Recursive, in place and with more threads, a run has the bits of the plain run, which is returned. A team of threads
 * takes longer to start than a short scan does, so only some of the lengths have one. */
static struct buffer check_form(const struct sample *sample, mmscan_matmul_desc d) {
  struct buffer plain = paper_run(sample, &d, false, NULL);
  d.traversal = MMSCAN_RECURSIVE;
  check_variation(sample, &d, &plain, "iterative");
  d.traversal = MMSCAN_ITERATIVE;
  d.threads = 2 + (int)(d.n / 8 % 3);
  if (d.n % 64 == 39 || d.n > 10000) check_variation(sample, &d, &plain, "one thread");
  return plain;
}

/* The model does every product in the only order there is, so stacked and batched agree to the bit. A BLAS may use
 * another kernel for another shape; its results agree where sums are exact, which is checked against the oracle. */
static void check_forms(const struct sample *sample, size_t s, size_t n, const char *unit) {
  for (unsigned form = 0; form < FORMS; form += 2) {
    mmscan_matmul_desc d = paper_desc(sample->oracle.type->type, s, n, form, unit);
    struct buffer stacked = check_form(sample, d);
    d = paper_desc(sample->oracle.type->type, s, n, form + 1, unit);
    struct buffer batched = check_form(sample, d);
    if (strcmp(unit, "model") == 0) assert_same_bits(&d, &batched, &stacked, "stacked");
    buffer_free(&stacked);
    buffer_free(&batched);
  }
}

/* The names of the units that are available. */
static const char *unit_at(size_t index) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (part.status == MMSCAN_OK && index-- == 0) return part.name;
  return NULL;
}

TEST(test_all_short_lengths) {
  static const size_t sizes[] = {2, 3, 4, 5, 8};
  const size_t most = sized(300, 40);
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (enum data data = EXACT; data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, most + 1);
      for (size_t u = 0; unit_at(u) != NULL; u++)
        for (size_t i = 0; i < COUNT(sizes); i++)
          for (size_t n = 0; n <= most; n += data == EXACT ? 1 : 7) check_forms(&sample, sizes[i], n, unit_at(u));
      sample_free(&sample);
    }
}

static size_t digit_sum(size_t s, size_t n) { return n == 0 ? 0 : n % s + digit_sum(s, n / s); }

/* A batched run makes a product of two s-by-s matrices at least for each segment, however short. */
static bool is_cheap(size_t s, size_t n) {
  return digit_sum(s, n) * s * s * s <= sized((size_t)1 << 27, (size_t)1 << 21);
}

/* With s - 1, s and s + 1 of everything: lengths around powers, and below s. */
TEST(test_all_sizes_of_matrices) {
  static const size_t more[] = {33, 64, 100, MMSCAN_MAX_S};
  const size_t most = sized(5000, 300);
  struct rng rng = rng_of(1);
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct sample sample = sample_new(type_at(t), EXACT, most + 1);
    for (size_t i = 2; i <= 32 + COUNT(more); i++) {
      const size_t s = i <= 32 ? i : more[i - 33];
      const size_t lengths[] = {1, s - 1, s, s + 1, 2 * s + 1, s * s - 1, s * s, s * s + 1, draw_below(&rng, most)};
      for (size_t k = 0; k < COUNT(lengths); k++)
        if (lengths[k] <= most && is_cheap(s, lengths[k]))
          check_forms(&sample, s, lengths[k], s <= 32 && lengths[k] < 1000 ? unit_at(k % 2) : "cblas");
    }
    sample_free(&sample);
  }
}

TEST(test_long_lengths) {
  static const size_t sizes[] = {2, 3, 4, 5, 7, 8, 10, 16, 27, 32, 33, 64, 100, 512};
  const size_t most = sized((size_t)1 << 16, 3000);
  struct rng rng = rng_of(2);
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (enum data data = EXACT; data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, most + 1);
      for (size_t i = 0; i < COUNT(sizes); i++)
        for (unsigned form = 0; form < FORMS; form += 1 + (unsigned)draw_below(&rng, 3)) {
          size_t n = draw_below(&rng, most + 1);
          if (!is_cheap(sizes[i], n)) n = sizes[i] + draw_below(&rng, 3);
          if (!is_cheap(sizes[i], n)) continue;
          struct buffer y = check_form(&sample, paper_desc(type_at(t)->type, sizes[i], n, form, "cblas"));
          buffer_free(&y);
        }
      sample_free(&sample);
    }
}

/* Three segments, where the paper's bound on the entries of w, k_1 (s - 1), is two. */
TEST(test_more_segments_than_the_paper_allows) {
  static const float x[] = {1, 2, 3, 4, 5, 6, 7}, sums[] = {1, 3, 6, 10, 15, 21, 28};
  for (unsigned form = 0; form < FORMS; form++) {
    float y[7];
    mmscan_counts counts = {.struct_size = sizeof counts};
    mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 2, 7, form, NULL);
    assert_mmscan_ok(mmscan_matmulscan(&d, x, y, &counts));
    assert_memory_equal(y, sums, sizeof sums);
    assert_int_equal(counts.segments, d.length_rule == MMSCAN_DIGITS ? 3 : 1);
  }
}

/* An empty scan needs no unit, but the unit it names must be in the table. */
TEST(test_nothing_to_scan) {
  static const char *const units[] = {NULL, "cblas", "xsmm", "model"};
  for (size_t u = 0; u < COUNT(units); u++) {
    mmscan_counts counts = {.struct_size = sizeof counts, .segments = 7};
    mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 4, 0, 0, units[u]);
    assert_mmscan_ok(mmscan_matmulscan(&d, NULL, NULL, &counts));
    assert_int_equal(counts.segments, 0);
  }
  mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 4, 0, 0, "nobody");
  assert_status(MMSCAN_EINVAL, mmscan_matmulscan(&d, NULL, NULL, NULL));
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

static size_t ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }

/* Adds a level of m elements. A column of r elements has r (r - 1) / 2 additions where the matrix is L, and r - 1 where
 * it is B; columns are padded to r = s. */
static void count_level(mmscan_counts *c, const mmscan_matmul_desc *d, bool is_l, size_t m) {
  const size_t s = d->s, squares = ceil_div(m, s * s), rest = m % s;
  const size_t columns = d->form == MMSCAN_STACKED ? ceil_div(m, s) : s * squares;
  c->depth++;
  c->multiplications += squares;
  c->gemms += d->form == MMSCAN_STACKED ? 1 : squares;
  c->additions += columns * (is_l ? s * (s - 1) / 2 : s - 1);
  c->additions_unpadded += m / s * (is_l ? s * (s - 1) / 2 : s - 1);
  if (rest > 0) c->additions_unpadded += is_l ? rest * (rest - 1) / 2 : rest - 1;
  c->gathered += m;
  c->scattered += m;
}

/* The levels of Listing 1, for any n; for n = s^k they are those of Algorithm 1. The indices that are gathered are
 * start, start + step, and so on below n. */
static mmscan_counts count_listing(const mmscan_matmul_desc *d) {
  mmscan_counts c = {.struct_size = sizeof c, .segments = 1};
  const size_t k = ceil_log(d->s, d->n);
  for (size_t t = 0; t < k; t++) count_level(&c, d, true, d->n / power_of(d->s, t));
  for (size_t t = k; t-- > 1;) {
    size_t start = power_of(d->s, t) - 1, step = power_of(d->s, t - 1);
    count_level(&c, d, false, ceil_div(d->n - start, step));
  }
  return c;
}

static void assert_count(const mmscan_matmul_desc *d, const char *what, uint64_t got, uint64_t want) {
  if (got != want)
    fail_seeded("%s, n %zu: %s %llu, not %llu", paper_text(d), d->n, what, (unsigned long long)got,
                (unsigned long long)want);
}

static void assert_counts(const mmscan_matmul_desc *d, const mmscan_counts *got, const mmscan_counts *want) {
  assert_count(d, "depth", got->depth, want->depth);
  assert_count(d, "multiplications", got->multiplications, want->multiplications);
  assert_count(d, "gemms", got->gemms, want->gemms);
  assert_count(d, "additions", got->additions, want->additions);
  assert_count(d, "additions_unpadded", got->additions_unpadded, want->additions_unpadded);
  assert_count(d, "gathered", got->gathered, want->gathered);
  assert_count(d, "scattered", got->scattered, want->scattered);
  assert_count(d, "segments", got->segments, want->segments);
}

static mmscan_counts counts_of(const struct sample *sample, const mmscan_matmul_desc *d) {
  mmscan_counts counts;
  struct buffer y = paper_run(sample, d, false, &counts);
  buffer_free(&y);
  return counts;
}

/* Lemma 1. */
static void assert_lemma(const mmscan_matmul_desc *d, size_t k, const mmscan_counts *c) {
  const double n = (double)d->n, s = (double)d->s;
  assert_count(d, "depth", c->depth, 2 * k - 1);
  assert_true(c->multiplications <= ceil_div(2 * d->n, d->s * (d->s - 1)) + 2 * k - 2);
  assert_true((double)c->additions <= ceil(n * (1 + s / 2)) + s * s * s * (double)k);
  if (d->form == MMSCAN_STACKED) assert_count(d, "gemms", c->gemms, 2 * k - 1);
  if (d->s == 2) assert_count(d, "Brent-Kung's additions", c->additions_unpadded, 2 * d->n - k - 2);
}

static void check_counts_of_power(const struct sample *sample, size_t s, size_t k) {
  const size_t n = power_of(s, k);
  for (unsigned form = 0; form < FORMS / 2; form++)
    for (size_t u = 0; unit_at(u) != NULL; u++) {
      mmscan_matmul_desc d = paper_desc(sample->oracle.type->type, s, n, form, unit_at(u));
      if (n > ((size_t)1 << 14) && strcmp(d.unit, "model") == 0) continue;
      mmscan_counts want = count_listing(&d), got = counts_of(sample, &d);
      assert_counts(&d, &got, &want);
      assert_lemma(&d, k, &got);
      if (n > ((size_t)1 << 14)) continue;
      d.traversal = MMSCAN_RECURSIVE;
      got = counts_of(sample, &d);
      assert_counts(&d, &got, &want);
    }
}

TEST(test_lemma_1) {
  const size_t most = sized((size_t)1 << 20, (size_t)1 << 10);
  struct sample sample = sample_new(type_at(0), EXACT, most + 1);
  for (size_t s = 2; s <= 32; s++)
    for (size_t k = 1; power_of(s, k) <= most; k++) check_counts_of_power(&sample, s, k);
  sample_free(&sample);
}

/* Square multiplications and their bound, counted by hand. */
TEST(test_table_of_counts) {
  static const struct {
    size_t s, k;
    uint64_t counted, bound;
  } rows[] = {{2, 4, 15, 22},   {2, 8, 255, 270},   {3, 6, 243, 253},  {4, 3, 11, 15},
              {4, 6, 683, 693}, {8, 5, 1171, 1179}, {16, 4, 547, 553}, {16, 5, 8739, 8747}};
  const size_t most = (size_t)1 << 20;
  struct sample sample = sample_new(type_at(0), EXACT, most + 1);
  for (size_t i = 0; i < COUNT(rows); i++) {
    const size_t s = rows[i].s, k = rows[i].k, n = power_of(s, k);
    if (quick() && n > 5000) continue;
    mmscan_matmul_desc d = paper_desc(MMSCAN_F32, s, n, 1, "cblas");
    mmscan_counts c = counts_of(&sample, &d);
    assert_count(&d, "multiplications", c.multiplications, rows[i].counted);
    assert_int_equal(ceil_div(2 * n, s * (s - 1)) + 2 * k - 2, rows[i].bound);
  }
  sample_free(&sample);
}

/* For any n, padded with zeros level by level. */
TEST(test_counts_of_listing) {
  const size_t most = sized(3000, 60);
  struct sample sample = sample_new(type_at(1), EXACT, most + 1);
  for (size_t s = 2; s <= 9; s++)
    for (size_t n = 1; n <= most; n += 1 + n / 50)
      for (unsigned form = 2; form <= 3; form++) {
        mmscan_matmul_desc d = paper_desc(MMSCAN_F64, s, n, form, unit_at(n % 2));
        mmscan_counts want = count_listing(&d), got = counts_of(&sample, &d);
        assert_counts(&d, &got, &want);
      }
  sample_free(&sample);
}

/* ---- Counts by digits -------------------------------------------------------------------------------------------- */

/* Levels of a run on s^k elements. */
static size_t depth_of_power(size_t k) { return k == 0 ? 0 : 2 * k - 1; }

/* Section 3.2: the scan of w waits for the up-sweep of the longest segments, and runs beside their down-sweep; step 4
 * waits for both. A recursive run finishes its segments first. */
static size_t depth_by_digits(const mmscan_matmul_desc *d, size_t entries) {
  const size_t k = floor_log(d->s, d->n), w = depth_of_power(ceil_log(d->s, entries));
  if (digit_sum(d->s, d->n) == 1) return depth_of_power(k);
  if (d->traversal == MMSCAN_RECURSIVE) return depth_of_power(k) + w + 1;
  return (depth_of_power(k) > k + w ? depth_of_power(k) : k + w) + 1;
}

static void check_counts_by_digits(const struct sample *sample, mmscan_matmul_desc d) {
  const size_t segments = digit_sum(d.s, d.n);
  mmscan_counts c = counts_of(sample, &d);
  assert_count(&d, "segments", c.segments, segments);
  assert_count(&d, "depth", c.depth, depth_by_digits(&d, segments));
  assert_true(c.additions_unpadded <= c.additions);
  assert_true(c.additions_unpadded >= d.n - 1);
  assert_count(&d, "gathered", c.gathered, c.scattered + (segments > 1 ? segments : 0)); /* w is gathered, too */
  if (d.form == MMSCAN_BATCHED) assert_count(&d, "gemms", c.gemms, c.multiplications);
}

TEST(test_counts_by_digits) {
  const size_t most = sized(3000, 60);
  struct sample sample = sample_new(type_at(0), EXACT, most + 1);
  for (size_t s = 2; s <= 9; s++)
    for (size_t n = 1; n <= most; n += 1 + n / 50)
      for (unsigned form = 0; form < FORMS; form += form % 2 ? 3 : 1) /* by digits */
        for (mmscan_traversal traversal = MMSCAN_ITERATIVE; traversal <= MMSCAN_RECURSIVE; traversal++) {
          mmscan_matmul_desc d = paper_desc(MMSCAN_F32, s, n, form, unit_at(n % 2));
          d.traversal = traversal;
          check_counts_by_digits(&sample, d);
        }
  sample_free(&sample);
}

/* Counts tell what was done, whatever did it. */
TEST(test_counts_do_not_depend_on_the_run) {
  const size_t most = sized(5000, 200);
  struct sample sample = sample_new(type_at(0), EXACT, most + 1);
  struct rng rng = rng_of(3);
  for (size_t i = 0; i < sized(300, 30); i++) {
    mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 2 + draw_below(&rng, 31), 1 + draw_below(&rng, most),
                                      (unsigned)draw_below(&rng, FORMS), "cblas");
    mmscan_counts one = counts_of(&sample, &d);
    d.threads = 4;
    mmscan_counts four = counts_of(&sample, &d);
    assert_counts(&d, &four, &one);
    d.unit = "model";
    mmscan_counts model = counts_of(&sample, &d);
    assert_counts(&d, &model, &one);
  }
  sample_free(&sample);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define D(field, value) SET(mmscan_matmul_desc, field, value)

TEST(test_flaws) {
  const struct flaw flaws[] = {
      {MMSCAN_EINVAL, {D(struct_size, sizeof(mmscan_matmul_desc) - 1)}},
      {MMSCAN_EINVAL, {D(type, 0)}},
      {MMSCAN_EINVAL, {D(type, 99)}},
      {MMSCAN_ENOTSUP, {D(type, MMSCAN_I32)}},
      {MMSCAN_ENOTSUP, {D(type, MMSCAN_U64)}},
      {MMSCAN_ENOTSUP, {D(type, MMSCAN_C32)}},
      {MMSCAN_EINVAL, {D(s, 0)}},
      {MMSCAN_EINVAL, {D(s, 1)}},
      {MMSCAN_EINVAL, {D(s, MMSCAN_MAX_S + 1)}},
      {MMSCAN_EINVAL, {D(form, 0)}},
      {MMSCAN_EINVAL, {D(form, 3)}},
      {MMSCAN_EINVAL, {D(length_rule, 0)}},
      {MMSCAN_EINVAL, {D(length_rule, 3)}},
      {MMSCAN_EINVAL, {D(traversal, 0)}},
      {MMSCAN_EINVAL, {D(traversal, 3)}},
      {MMSCAN_EINVAL, {D(broadcast, 0)}},
      {MMSCAN_EINVAL, {D(broadcast, 3)}},
      {MMSCAN_EINVAL, {D(unit, (uintptr_t) "nonsense")}},
      {MMSCAN_EINVAL, {D(threads, -1)}},
  };
  float x[10] = {1}, y[10] = {7};
  for (size_t i = 0; i < COUNT(flaws); i++) {
    mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 3, 10, 0, NULL);
    spoil(&d, &flaws[i]);
    check_flaw(&flaws[i], mmscan_matmulscan(&d, x, y, NULL), "matmulscan");
    assert_true(y[0] == 7);
  }
}

/* More than memory can hold: an illegal value, or no memory for a workspace. */
TEST(test_impossible_lengths) {
  static const size_t lengths[] = {SIZE_MAX, (size_t)PTRDIFF_MAX / sizeof(float) + 1};
  float x[10] = {1}, y[10] = {7};
  for (size_t i = 0; i < COUNT(lengths); i++)
    for (unsigned form = 0; form < FORMS; form++) {
      mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 3, lengths[i], form, NULL);
      mmscan_status status = mmscan_matmulscan(&d, x, x, NULL);
      assert_true(status == MMSCAN_EINVAL || status == MMSCAN_ENOMEM);
      assert_true(x[0] == 1 && y[0] == 7);
    }
}

TEST(test_arguments) {
  float x[20] = {1}, y[20] = {7};
  mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 3, 10, 0, NULL);
  mmscan_counts counts = {.struct_size = sizeof counts - 1};
  assert_status(MMSCAN_EINVAL, mmscan_matmulscan(NULL, x, y, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_matmulscan(&d, NULL, y, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_matmulscan(&d, x, NULL, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_matmulscan(&d, x, y, &counts));
  for (int offset = -9; offset <= 9; offset++)
    if (offset != 0) assert_status(MMSCAN_EOVERLAP, mmscan_matmulscan(&d, x + 10, x + 10 + offset, NULL));
  assert_true(y[0] == 7 && x[0] == 1);
  assert_mmscan_ok(mmscan_matmulscan(&d, x, x + 10, NULL));
  d.n = 0;
  counts.struct_size = sizeof counts;
  assert_mmscan_ok(mmscan_matmulscan(&d, NULL, NULL, NULL));
  assert_mmscan_ok(mmscan_matmulscan(&d, NULL, NULL, &counts));
  assert_true(counts.depth == 0 && counts.multiplications == 0 && counts.additions == 0);
}

/* Fields that are not read, and defaults. */
TEST(test_fields_not_looked_at) {
  float x[10] = {1}, y[10] = {7};
  mmscan_matmul_desc d = paper_desc(MMSCAN_F32, 3, 10, 2, NULL);
  d.broadcast = (mmscan_broadcast)0;
  assert_mmscan_ok(mmscan_matmulscan(&d, x, y, NULL));
  d = paper_desc(MMSCAN_F32, 3, 10, 0, NULL);
  d.threads = 0;
  assert_mmscan_ok(mmscan_matmulscan(&d, x, y, NULL));
  assert_true(y[0] == 1 && y[9] == 1);
}

/* ---- The NumPy listing ------------------------------------------------------------------------------------------- */

/* The command that runs the listing, which lies beside this source, with a Python that has NumPy; NULL if none has. */
static const char *numpy_command(char *command, size_t size) {
  static const char *const pythons[] = {"OPENBLAS_NUM_THREADS=1 python3", "OPENBLAS_NUM_THREADS=1 /usr/bin/python3"};
  const char *source = __FILE__, *slash = strrchr(source, '/');
  int folder = slash ? (int)(slash - source) : 1;
  for (size_t i = 0; i < COUNT(pythons); i++) {
    snprintf(command, size, "%s %.*s/listing.py --check 2>/dev/null", pythons[i], folder, slash ? source : ".");
    if (system(command) != 0) continue;
    snprintf(command, size, "%s %.*s/listing.py", pythons[i], folder, slash ? source : ".");
    return command;
  }
  return NULL;
}

static const struct {
  size_t s, n;
} listings[] = {{2, 1},  {2, 2},  {2, 16},   {2, 7},   {2, 1000}, {3, 27},  {3, 100}, {3, 729},  {4, 4},   {4, 64},
                {4, 50}, {5, 25}, {5, 3000}, {7, 343}, {8, 512},  {8, 513}, {10, 99}, {16, 256}, {16, 17}, {32, 1024}};

static void write_listings(const char *name, const double *x) {
  FILE *file = fopen(name, "w");
  if (file == NULL) fail_msg("cannot write %s", name);
  for (size_t i = 0; i < COUNT(listings); i++) {
    fprintf(file, "%zu %zu", listings[i].s, ceil_log(listings[i].s, listings[i].n));
    for (size_t k = 0; k < listings[i].n; k++) fprintf(file, " %.0f", x[k]);
    fputc('\n', file);
  }
  fclose(file);
}

static void compare_listing(FILE *results, size_t s, size_t n, const double *x) {
  double *y = test_memory(n * sizeof *y);
  for (unsigned form = 0; form < FORMS; form++) {
    mmscan_matmul_desc d = paper_desc(MMSCAN_F64, s, n, form, NULL);
    long start = ftell(results);
    assert_mmscan_ok(mmscan_matmulscan(&d, x, y, NULL));
    for (size_t k = 0; k < n; k++) {
      double want;
      assert_int_equal(fscanf(results, "%lf", &want), 1);
      if (y[k] != want) fail_seeded("s %zu, n %zu: y[%zu] is %g, in NumPy %g", s, n, k, y[k], want);
    }
    if (form + 1 < FORMS) fseek(results, start, SEEK_SET);
  }
  free(y);
}

TEST(test_numpy_agrees) {
  char command[1024], line[4096];
  const char *input = in_scratch("listing"), *output = in_scratch("result");
  skip_if(numpy_command(command, sizeof command) == NULL, "the listing in NumPy: no python3 with NumPy");
  struct sample sample = sample_new(type_at(1), EXACT, 4000);
  write_listings(input, sample.x);
  snprintf(line, sizeof line, "%s < %s > %s", command, input, output);
  assert_int_equal(system(line), 0);
  FILE *results = fopen(output, "r");
  assert_non_null(results);
  for (size_t i = 0; i < COUNT(listings); i++) compare_listing(results, listings[i].s, listings[i].n, sample.x);
  fclose(results);
  sample_free(&sample);
}

int main(void) { return run_all_tests(make_scratch, remove_scratch); }
