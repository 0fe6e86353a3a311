/* test_segments.c: scans by segments (mmscan_scan_segments()), where test_random.c's are too short or too tame: at the
 * borders of what is held, vectors, blocks, tiles and threads; next to segments of NaN and infinities; and kernel by
 * kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>

#include "plan/segments.h"
#include "support/area.h"
#include "support/kernels.h"
#include "support/segments.h"

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

enum { SOME = 700, SIZE = 16 };

/* Elements of a row that are exact in any order: few that change a sum, a product or a maximum. */
static void draw_elements(struct rng *rng, const mms_algebra *a, size_t n, unsigned char *x, bool has_wild) {
  static const double wild[] = {NAN, INFINITY, -INFINITY, -0.0, 3e38, 1e308};
  const ref_type *type = ref_type_of(a->type);
  for (size_t i = 0; i < n; i++, x += a->size) {
    const double number = a->op == MMSCAN_MUL ? (draw(rng) % 8 ? 1 : draw(rng) % 2 ? -1 : 2) : (double)(draw(rng) % 16);
    const bool is_wild = has_wild && draw(rng) % 64 == 0;
    if (ref_is_whole(type))
      ref_put_whole(type, x, (wide)(draw(rng) % 4 ? (uint64_t)number : draw(rng)));
    else
      ref_put_real(type, x, 0, is_wild ? wild[draw_below(rng, COUNT(wild))] : number);
    if (type->kind == 'c') ref_put_real(type, x, 1, is_wild ? 0 : number);
  }
}

/* NaN are all alike. */
static bool is_same(const mms_algebra *a, const unsigned char *got, const unsigned char *want) {
  const ref_type *type = ref_type_of(a->type);
  if (memcmp(got, want, a->size) == 0) return true;
  return type->kind == 'f' && isnan(ref_get_real(type, got, 0)) && isnan(ref_get_real(type, want, 0));
}

typedef struct kernel_case {
  const mms_kernel *kernel;
  size_t n, at;
  mmscan_kind kind;
  bool reverse, is_in_place, has_wild;
} kernel_case;

static void check_kernel_case(struct rng *rng, const kernel_case *c) {
  static unsigned char x[SOME * SIZE + SIZE], y[SOME * SIZE + SIZE], want[SOME * SIZE];
  const mms_algebra *a = c->kernel->algebra;
  uint64_t heads[SOME / MMS_BITS_WORD + 4] = {0};
  const size_t sparse = (size_t)1 << draw_below(rng, 7);
  mms_value first = mms_algebra_value(a, a->start), in = first, carry;
  for (size_t i = 0; i <= c->n; i++)
    if (draw_below(rng, sparse) == 0) heads[(c->at + i) / MMS_BITS_WORD] |= UINT64_C(1) << (c->at + i) % MMS_BITS_WORD;
  draw_elements(rng, a, c->n, x, c->has_wild);
  draw_elements(rng, a, 1, in.bytes, c->has_wild && draw(rng) % 4 == 0);
  if (draw(rng) % 2) draw_elements(rng, a, 1, first.bytes, c->has_wild && draw(rng) % 4 == 0);
  const mms_cut cut = {heads, c->at, &first};
  carry = in;
  mms_kernel_segments_plainly(c->kernel, c->n, x, want, &cut, &carry, c->kind, c->reverse);
  memset(y, 0x5a, sizeof y);
  unsigned char *to = c->is_in_place ? x : y;
  mms_value out = in;
  c->kernel->segments[c->kind][c->reverse](c->kernel, c->n, x, to, &cut, &out);
  for (size_t i = 0; i < c->n; i++)
    if (!is_same(a, to + i * a->size, want + i * a->size))
      fail_msg("%s %s by %s, kind %d, reverse %d, n %zu, at %zu, in place %d, wild %d: element %zu is %g, not %g",
               a->op_name, a->type_name, c->kernel->origin[MMS_SLOT_SEGMENTS], c->kind, c->reverse, c->n, c->at,
               c->is_in_place, c->has_wild, i, ref_get_real(ref_type_of(a->type), to + i * a->size, 0),
               ref_get_real(ref_type_of(a->type), want + i * a->size, 0));
  assert_true(c->is_in_place || y[c->n * a->size] == 0x5a);
  assert_true(c->n == 0 || is_same(a, out.bytes, carry.bytes));
}

static void check_kernels(const mms_isa *isa) {
  struct rng rng = rng_of(1);
  for (size_t a = 0; a < MMS_ROWS; a++) {
    const mms_kernel *k = mms_kernel_of(isa, mms_algebra_at(a));
    const bool is_log = k->algebra->op == MMSCAN_LOGADDEXP;
    for (size_t i = 0; i < sized(400, 60) / (is_log ? 10 : 1); i++) {
      const kernel_case c = {.kernel = k,
                             .n = i < 80 ? i : draw_below(&rng, SOME),
                             .at = draw_below(&rng, 130),
                             .kind = draw(&rng) % 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE,
                             .reverse = draw(&rng) % 2,
                             .is_in_place = draw(&rng) % 2,
                             .has_wild = draw(&rng) % 2};
      check_kernel_case(&rng, &c);
    }
  }
}

/* Where the vectors of a row are native, so is this slot. */
static size_t count_native(const mms_isa *isa) {
  size_t native = 0;
  for (size_t a = 0; a < MMS_ROWS; a++)
    native += strcmp(mms_isa_at(0) == isa ? "avx512" : isa->name,
                     mms_kernel_of(isa, mms_algebra_at(a))->origin[MMS_SLOT_SEGMENTS]) == 0;
  return native;
}

TEST(test_kernels_as_the_plain_loop) {
  const char *name;
  for (size_t i = 0; (name = mms_isa_name(i)) != NULL; i++) {
    const mms_isa *isa = mms_isa_at(i);
    print_message("%s: %s\n", name, isa ? "checked" : "skipped, as it does not run here");
    if (!isa) continue;
    check_kernels(isa);
    assert_true(count_native(isa) > 0);
  }
}

/* ---- Borders ----------------------------------------------------------------------------------------------------- */

enum { LONGEST = 40000 };

/* Lengths of segments on both sides of everything that is cut: vectors, short segments, heads that are held, tiles. */
static size_t draw_length(struct rng *rng) {
  static const size_t edges[] = {1, 2, 8, 16, 64, 192, 255, 256, 257, 512, 3840, 4095, 4096, 4097, 8192, 1024, 2048};
  const size_t edge = edges[draw_below(rng, COUNT(edges))];
  return draw(rng) % 3 ? edge : draw(rng) % 2 ? edge + draw_below(rng, 3) : 1 + draw_below(rng, 20);
}

/* The scan of integers by the plain loop. */
static void scan_plainly(const mmscan_desc *d, const bool *heads, const int64_t *x, int64_t *y) {
  int64_t sum = 0;
  for (size_t k = 0; k < d->n; k++) {
    const size_t i = d->reverse ? d->n - 1 - k : k;
    if (heads[d->reverse ? i + 1 : i]) sum = 3;
    const int64_t next = (int64_t)((uint64_t)sum + (uint64_t)x[i]);
    y[i] = d->kind == MMSCAN_INCLUSIVE ? next : sum;
    sum = next;
  }
}

static void check_borders(struct rng *rng, mmscan_segment_form form, const mmscan_choice *choice, bool is_float) {
  static int64_t x[LONGEST], y[LONGEST], want[LONGEST], starts[LONGEST + 1];
  static double reals[LONGEST], sums[LONGEST];
  static uint8_t flags[LONGEST];
  static bool heads[LONGEST + 1];
  static const int64_t init = 3;
  static const double real_init = 3;
  mmscan_desc d = MMSCAN_DESC(is_float ? MMSCAN_F64 : MMSCAN_I64, MMSCAN_PLUS,
                              draw(rng) % 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE, 1 + draw_below(rng, LONGEST));
  mmscan_segments s = {sizeof s, form, MMSCAN_I64, 0, starts, NULL};
  d.reverse = draw(rng) % 2;
  d.init = is_float ? (const void *)&real_init : &init;
  memset(flags, 0, sizeof flags);
  memset(heads, 0, sizeof heads);
  for (size_t at = 0; at < d.n; at += draw_length(rng)) flags[at] = heads[at] = true, starts[s.count++] = (int64_t)at;
  heads[d.n] = true;
  starts[s.count] = (int64_t)d.n;
  if (form == MMSCAN_FLAGS) s.data = flags;
  for (size_t i = 0; i < d.n; i++) x[i] = (int64_t)(draw(rng) % 64) - 32, reals[i] = (double)x[i];
  scan_plainly(&d, heads, x, want);
  if (!is_float) {
    assert_mmscan_ok(mms_segments_scan(&d, &s, choice, x, y));
  } else {
    assert_mmscan_ok(mms_segments_scan(&d, &s, choice, reals, sums));
    for (size_t i = 0; i < d.n; i++) y[i] = (int64_t)sums[i];
  }
  for (size_t i = 0; i < d.n; i++)
    if (y[i] != want[i])
      fail_msg("form %d, n %zu, reverse %d, kind %d, tile %zu, way %s: element %zu is %lld, not %lld", form, d.n,
               d.reverse, d.kind, choice ? choice->tile : 0, choice ? text_or(choice->way, "any") : "any", i,
               (long long)y[i], (long long)want[i]);
}

TEST(test_borders) {
  static const char *const ways[] = {NULL, "shares", "leader", "alone"};
  static const size_t tiles[] = {0, 256, 1000, 4096, 8192};
  struct rng rng = rng_of(2);
  size_t taken = 0;
  for (size_t i = 0; i < sized(600, 120); i++) {
    mmscan_choice c = {.struct_size = sizeof c, .engine = "simd", .threads = 1 + (int)(i % 4)};
    c.tile = tiles[draw_below(&rng, COUNT(tiles))];
    c.way = ways[draw_below(&rng, COUNT(ways))];
    if (c.way && c.threads > 1 && c.tile == 0) c.way = NULL;
    if (same_text(c.way, "shares") && c.tile < 4096) c.tile = 4096;
    check_borders(&rng, i % 2 ? MMSCAN_FLAGS : MMSCAN_STARTS, i % 5 ? &c : NULL, i % 3 == 0);
    taken += c.way != NULL;
  }
  assert_true(taken > 20);
}

/* ---- Bits -------------------------------------------------------------------------------------------------------- */

/* The bits of floats do not depend on the number of threads, nor on how they share the tiles. */
TEST(test_bits_do_not_depend_on_threads) {
  enum { N = 200000 };
  static const char *const ways[] = {"alone", "shares", "leader"};
  float *x = segments_memory(N * sizeof *x), *y = segments_memory(N * sizeof *y),
        *again = segments_memory(N * sizeof *again);
  uint8_t *flags = segments_memory(N);
  struct rng rng = rng_of(3);
  for (size_t trial = 0; trial < 24; trial++) {
    const size_t sparse = (size_t)1 << draw_below(&rng, 16);
    for (size_t i = 0; i < N; i++) x[i] = (float)draw_unit(&rng), flags[i] = draw_below(&rng, sparse) == 0;
    mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, trial % 4 == 3 ? MMSCAN_MUL : MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
    d.reverse = trial % 2;
    d.flags = trial % 3 == 0 ? MMSCAN_REPRODUCIBLE : 0;
    const mmscan_segments s = {sizeof s, MMSCAN_FLAGS, (mmscan_type)0, 0, flags, NULL};
    mmscan_choice c = {.struct_size = sizeof c, .engine = "simd", .tile = d.flags ? 0 : 4096, .threads = 1};
    assert_mmscan_ok(mms_segments_scan(&d, &s, &c, x, y));
    for (size_t k = 0; k < COUNT(ways) * 3; k++) {
      c.threads = 2 + (int)(k / COUNT(ways));
      c.way = ways[k % COUNT(ways)];
      memset(again, 0x5a, N * sizeof *again);
      assert_mmscan_ok(mms_segments_scan(&d, &s, &c, x, again));
      assert_memory_equal(again, y, N * sizeof *y);
    }
  }
  free(x), free(y), free(again), free(flags);
}

/* With MMSCAN_REPRODUCIBLE every instruction set has the same bits. */
TEST(test_reproducible_segments) {
  enum { N = 60000 };
  static float x[N], y[N], again[N];
  static uint8_t flags[N];
  struct rng rng = rng_of(4);
  size_t checked = 0;
  for (size_t trial = 0; trial < 6; trial++) {
    for (size_t i = 0; i < N; i++) x[i] = (float)draw_unit(&rng), flags[i] = draw(&rng) % ((size_t)10 << trial) == 0;
    mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_EXCLUSIVE, N);
    d.flags = MMSCAN_REPRODUCIBLE;
    const mmscan_segments s = {sizeof s, MMSCAN_FLAGS, (mmscan_type)0, 0, flags, NULL};
    assert_mmscan_ok(mmscan_scan_segments(&d, &s, x, y));
    const char *name;
    for (size_t i = 0; (name = mms_isa_name(i)) != NULL; i++) {
      const mmscan_choice c = {.struct_size = sizeof c, .isa = name};
      if (mms_segments_scan(&d, &s, &c, x, again) != MMSCAN_OK) continue;
      assert_memory_equal(again, y, sizeof y);
      checked++;
    }
  }
  assert_true(checked > 0);
}

/* ---- Isolation --------------------------------------------------------------------------------------------------- */

/* Every other segment is of what would spoil its neighbours; the others have the bits that they have beside zeros. */
TEST(test_segments_are_isolated) {
  enum { N = 50000 };
  static const float wild[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e30f};
  static float x[N], clean[N], y[N], want[N];
  static uint8_t flags[N];
  struct rng rng = rng_of(5);
  for (size_t trial = 0; trial < sized(60, 12); trial++) {
    const size_t sparse = (size_t)2 << trial % 10;
    bool is_wild = false;
    for (size_t i = 0; i < N; i++) {
      flags[i] = draw_below(&rng, sparse) == 0;
      if (flags[i]) is_wild = !is_wild;
      clean[i] = is_wild ? 0 : (float)(draw(&rng) % 8);
      x[i] = is_wild ? wild[draw_below(&rng, COUNT(wild))] : clean[i];
    }
    mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, trial % 3 ? MMSCAN_PLUS : MMSCAN_MAX,
                                trial % 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE, N);
    d.reverse = trial % 4 > 1;
    const mmscan_segments s = {sizeof s, MMSCAN_FLAGS, (mmscan_type)0, 0, flags, NULL};
    assert_mmscan_ok(mmscan_scan_segments(&d, &s, clean, want));
    assert_mmscan_ok(mmscan_scan_segments(&d, &s, x, y));
    is_wild = false;
    for (size_t i = 0; i < N; i++) {
      if (flags[i]) is_wild = !is_wild;
      if (!is_wild && memcmp(&y[i], &want[i], sizeof *y) != 0) fail_msg("element %zu is %g, not %g", i, y[i], want[i]);
    }
  }
}

/* ---- Checked ----------------------------------------------------------------------------------------------------- */

/* A total that does not fit is none of an exclusive scan's results: here the last elements of segments that end with
 * tiles, and in between, are too large. */
TEST(test_checked_totals_are_no_results) {
  enum { N = 4096 };
  static int8_t x[N], y[N];
  static uint8_t flags[N];
  for (size_t every = 16; every <= 256; every *= 2)
    for (int reverse = 0; reverse < 2; reverse++)
      for (int threads = 1; threads <= 3; threads++) {
        for (size_t i = 0; i < N; i++) {
          flags[i] = i % every == 0;
          x[i] = i % every == (reverse ? 0 : every - 1) ? 100 : i % every == (reverse ? every - 1 : 0) ? 100 : 0;
        }
        mmscan_desc d = MMSCAN_DESC(MMSCAN_I8, MMSCAN_PLUS, MMSCAN_EXCLUSIVE, N);
        d.reverse = reverse;
        d.flags = MMSCAN_CHECKED;
        const mmscan_segments s = {sizeof s, MMSCAN_FLAGS, (mmscan_type)0, 0, flags, NULL};
        const mmscan_choice c = {.struct_size = sizeof c, .engine = "simd", .tile = 256, .threads = threads};
        assert_mmscan_ok(mms_segments_scan(&d, &s, &c, x, y));
        d.kind = MMSCAN_INCLUSIVE;
        assert_status(MMSCAN_EOVERFLOW, mms_segments_scan(&d, &s, &c, x, y));
      }
}

/* ---- Many segments, and few -------------------------------------------------------------------------------------- */

/* So many empty ones that any step from one to the next would show. */
TEST(test_empty_segments) {
  enum { N = 1000, COUNT_OF = 300000 };
  int32_t *starts = segments_memory((COUNT_OF + 1) * sizeof *starts),
          *totals = segments_memory(COUNT_OF * sizeof *totals);
  int32_t x[N], y[N];
  for (size_t k = 0; k <= COUNT_OF; k++) starts[k] = (int32_t)(k < COUNT_OF / 2 ? 0 : k == COUNT_OF ? N : N / 2);
  for (size_t i = 0; i < N; i++) x[i] = 1;
  mmscan_desc d = MMSCAN_DESC(MMSCAN_I32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  const int32_t init = 7;
  d.init = &init;
  const mmscan_segments s = {sizeof s, MMSCAN_STARTS, MMSCAN_I32, COUNT_OF, starts, totals};
  assert_mmscan_ok(mmscan_scan_segments(&d, &s, x, y));
  for (size_t i = 0; i < N; i++) assert_int_equal(y[i], 8 + (int32_t)(i % (N / 2)));
  for (size_t k = 0; k < COUNT_OF; k++) assert_int_equal(totals[k], starts[k + 1] > starts[k] ? 7 + N / 2 : 7);
  free(starts), free(totals);
}

/* A scan of no elements has totals all the same. */
TEST(test_no_elements) {
  const int64_t starts[] = {0, 0, 0};
  double totals[4] = {9, 9, 9, 9};
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0);
  mmscan_segments s = {sizeof s, MMSCAN_STARTS, MMSCAN_I64, 2, starts, totals};
  d.batch = 2;
  assert_mmscan_ok(mmscan_scan_segments(&d, &s, NULL, NULL));
  for (size_t k = 0; k < COUNT(totals); k++) assert_true(totals[k] == 0);
  s = (mmscan_segments){sizeof s, MMSCAN_FLAGS, (mmscan_type)0, 0, NULL, NULL};
  assert_mmscan_ok(mmscan_scan_segments(&d, &s, NULL, NULL));
}

/* ---- Public bug reports, by hand (test_reports.c) -----------------------------------------------------------------
 */

static void check_f32(const mmscan_desc *d, const mmscan_segments *s, const float *x, const float *want) {
  float y[16];
  assert_mmscan_ok(mmscan_scan_segments(d, s, x, y));
  for (size_t i = 0; i < d->n; i++)
    if (y[i] != want[i] && !(isnan(y[i]) && isnan(want[i]))) fail_msg("element %zu is %g, not %g", i, y[i], want[i]);
}

/* I1, tensorflow#58790: rows of which one has an infinity. */
TEST(test_report_rows) {
  const float x[] = {3, 1, 4, 1, INFINITY, 9, 2, 6, 5, 3}, inclusive[] = {3, 4, 8, 1, INFINITY, 9, 11, 6, 11, 14},
              back[] = {8, 5, 4, INFINITY, INFINITY, 11, 2, 14, 8, 3}, exclusive[] = {0, 3, 4, 0, 1, 0, 9, 0, 6, 11},
              exclusive_back[] = {5, 4, 0, INFINITY, 0, 2, 0, 8, 3, 0};
  const int32_t starts[] = {0, 3, 5, 7, 10};
  const mmscan_segments s = {sizeof s, MMSCAN_STARTS, MMSCAN_I32, 4, starts, NULL};
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 10);
  check_f32(&d, &s, x, inclusive);
  d.reverse = 1;
  check_f32(&d, &s, x, back);
  d.kind = MMSCAN_EXCLUSIVE;
  check_f32(&d, &s, x, exclusive_back);
  d.reverse = 0;
  check_f32(&d, &s, x, exclusive);
}

/* I2, pytorch#53095; I4, oneDPL#584. */
TEST(test_report_flags_and_keys) {
  const float a[] = {1, 20, 300, 4000, 50000}, b[] = {1, 2, 3, 4, 5, 6}, of_a[] = {1, 21, 321, 4000, 54000},
              of_b[] = {1, 3, 6, 4, 9, 15};
  const uint8_t flags[] = {1, 0, 0, 1, 0};
  const int64_t keys[] = {0, 0, 0, 1, 1, 1};
  const mmscan_segments by_flags = {sizeof by_flags, MMSCAN_FLAGS, (mmscan_type)0, 0, flags, NULL},
                        by_keys = {sizeof by_keys, MMSCAN_KEYS, MMSCAN_I64, 0, keys, NULL};
  const mmscan_desc five = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 5),
                    six = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 6);
  check_f32(&five, &by_flags, a, of_a);
  check_f32(&six, &by_keys, b, of_b);
}

/* I5, thrust#1587: one key, and every run has the same bits, which are those of the scan. */
TEST(test_report_one_key) {
  enum { N = 250000 };
  double *x = segments_memory(N * sizeof *x), *y = segments_memory(N * sizeof *y), *z = segments_memory(N * sizeof *z);
  int32_t *keys = segments_memory(N * sizeof *keys);
  const mmscan_segments s = {sizeof s, MMSCAN_KEYS, MMSCAN_I32, 0, keys, NULL};
  const mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  for (size_t i = 0; i < N; i++) x[i] = 0.1, keys[i] = 5;
  assert_mmscan_ok(mmscan_scan(&d, x, y));
  for (int run = 0; run < 5; run++) {
    assert_mmscan_ok(mmscan_scan_segments(&d, &s, x, z));
    assert_memory_equal(y, z, N * sizeof *y);
  }
  free(x), free(y), free(z), free(keys);
}

/* I9, collapse#237: 2.5e6 groups of two. */
TEST(test_report_groups_of_two) {
  const size_t n = sized(5000000, 500000);
  int64_t *x = segments_memory(n * sizeof *x);
  int32_t *keys = segments_memory(n * sizeof *keys);
  const mmscan_segments s = {sizeof s, MMSCAN_KEYS, MMSCAN_I32, 0, keys, NULL};
  const mmscan_desc d = MMSCAN_DESC(MMSCAN_I64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
  for (size_t i = 0; i < n; i++) x[i] = (int64_t)i, keys[i] = (int32_t)(i / 2);
  assert_mmscan_ok(mmscan_scan_segments(&d, &s, x, x));
  for (size_t i = 0; i < n; i++) assert_true(x[i] == (int64_t)(i % 2 ? 2 * i - 1 : i));
  free(x), free(keys);
}

/* I10, flox#91: (time, 50, 50) by labels of time. */
TEST(test_report_along_an_axis) {
  enum { T = 12, PLANE = 50 * 50 };
  static double x[T * PLANE], y[T * PLANE];
  const int8_t labels[T] = {1, 1, 1, 2, 2, 7, 7, 7, 7, 1, 1, 2};
  const mmscan_segments s = {sizeof s, MMSCAN_KEYS, MMSCAN_I8, 0, labels, NULL};
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, T);
  d.x_stride = d.y_stride = d.batch = PLANE;
  d.x_dist = d.y_dist = 1;
  for (size_t i = 0; i < T * PLANE; i++) x[i] = (double)(i % 97);
  assert_mmscan_ok(mmscan_scan_segments(&d, &s, x, y));
  for (size_t c = 0; c < PLANE; c++)
    for (size_t t = 0; t < T; t++) {
      const bool goes_on = t > 0 && labels[t] == labels[t - 1];
      assert_true(y[t * PLANE + c] == x[t * PLANE + c] + (goes_on ? y[(t - 1) * PLANE + c] : 0));
    }
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

TEST(test_refusals) {
  const int32_t good[] = {0, 2, 4}, falls[] = {0, 3, 2, 4}, late[] = {1, 4}, early[] = {0, 3};
  const uint8_t flags[4] = {0};
  const float x[4] = {1, 2, 3, 4};
  float y[4] = {0}, total;
  const mmscan_desc plain = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 4);
  const mmscan_segments by_starts = {sizeof by_starts, MMSCAN_STARTS, MMSCAN_I32, 2, good, NULL};
  mmscan_desc d = plain;
  mmscan_segments s = by_starts;
#define REFUSED(status, change)                                                                                        \
  d = plain, s = by_starts, (change), assert_status(status, mmscan_scan_segments(&d, &s, x, y)), assert_true(y[0] == 0)
  REFUSED(MMSCAN_EINVAL, s.struct_size = 8);
  REFUSED(MMSCAN_EINVAL, s.form = (mmscan_segment_form)0);
  REFUSED(MMSCAN_EINVAL, s.form = (mmscan_segment_form)4);
  REFUSED(MMSCAN_EINVAL, s.data = NULL);
  REFUSED(MMSCAN_EINVAL, s.type = MMSCAN_U32);
  REFUSED(MMSCAN_EINVAL, (s.data = falls, s.count = 3));
  REFUSED(MMSCAN_EINVAL, (s.data = late, s.count = 1));
  REFUSED(MMSCAN_EINVAL, (s.data = early, s.count = 1));
  REFUSED(MMSCAN_EINVAL, s.count = SIZE_MAX);
  REFUSED(MMSCAN_EINVAL, d.totals = &total);
  REFUSED(MMSCAN_EINVAL, (s.form = MMSCAN_FLAGS, s.data = flags, s.totals = &total));
  REFUSED(MMSCAN_EINVAL, (s.form = MMSCAN_KEYS, s.type = (mmscan_type)99));
  REFUSED(MMSCAN_ENOTSUP, d.kind = MMSCAN_OFFSETS);
  REFUSED(MMSCAN_EINVAL, d.struct_size = 1);
  REFUSED(MMSCAN_ENOTSUP, d.y_type = MMSCAN_I32);
#undef REFUSED
  d = plain;
  assert_status(MMSCAN_EINVAL, mmscan_scan_segments(NULL, &by_starts, x, y));
  assert_status(MMSCAN_EINVAL, mmscan_scan_segments(&d, NULL, x, y));
  assert_status(MMSCAN_EINVAL, mmscan_scan_segments(&d, &by_starts, NULL, y));
  assert_status(MMSCAN_EOVERLAP, mmscan_scan_segments(&d, &by_starts, y + 1, y));
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
