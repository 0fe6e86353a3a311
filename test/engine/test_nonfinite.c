/* test_nonfinite.c: a result is finite, infinite or NaN exactly where the plain loop's is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/adding.h"
#include "support/shot.h"
#include "support/watch.h"

/* ---- How threads share ------------------------------------------------------------------------------------------- */

/* Runs by several threads share tiles in each way in turn, where they can be. */
static const char *const ways[] = {"shares", "chain", "leader"};
static size_t runs[COUNT(ways)];

static const char *next_way(const mmscan_desc *desc, const mmscan_choice *choice) {
  static size_t next;
  const size_t i = next++ % COUNT(ways);
  if (choice->threads < 2 || !has_way(desc, *choice, ways[i])) return NULL;
  runs[i]++;
  return ways[i];
}

/* ---- Trials ------------------------------------------------------------------------------------------------------ */

/* What the scan starts from: the init of an exclusive scan, or the carry of a block. */
enum start { FROM_ZERO, FROM_INF, FROM_MINUS_INF, FROM_NAN, FROM_LARGEST, FROM_MINUS_LARGEST, FROM_HALF, STARTS };

struct trial {
  const struct type *type;
  const char *pattern;
  mmscan_choice choice;
  mmscan_kind kind;
  bool reverse, in_place;
  size_t n;
  enum start start;
};

static const char *trial_text(const struct trial *t) {
  static char text[256];
  static const char *const starts[] = {
      "0", "Inf", "-Inf", "NaN", "the largest", "minus the largest", "half the largest"};
  snprintf(text, sizeof text, "%s, %s, %s%s, %s, from %s, n %zu, %s x %s, s %zu, tile %zu", t->type->name, t->pattern,
           t->reverse ? "reverse " : "", t->kind == MMSCAN_INCLUSIVE ? "inclusive" : "exclusive",
           t->in_place ? "in place" : "out of place", starts[t->start], t->n, text_or(t->choice.engine, "default"),
           part_of(&t->choice), t->choice.s, t->choice.tile);
  return text;
}

/* What is put at each place in turn, in arrays of up to MOST_PLACES elements. */
enum { INF_HERE, MINUS_INF_HERE, NAN_HERE, OVER_LIMIT, SWING, SWING_AND_NAN, CASES, MOST_PLACES = 200 };

#define T       float
#define SUFFIX  f32
#define LARGEST FLT_MAX
#define DIGITS  FLT_MANT_DIG
#define WIDE    double
#include "nonfinite_body.inc"
#define T       double
#define SUFFIX  f64
#define LARGEST DBL_MAX
#define DIGITS  DBL_MANT_DIG
#define WIDE    long double
#include "nonfinite_body.inc"

/* Fills x in scan order; a tile has `tile` elements. */
typedef void filler(struct rng *rng, size_t n, size_t tile, void *x);

#define PATTERN(name)                                                                                                  \
  {                                                                                                                    \
#name, { fill_##name##_f32, fill_##name##_f64 }                                                                    \
  }
static const struct {
  const char *name;
  filler *fill[FLOAT_TYPES];
} patterns[] = {
    PATTERN(inf),       PATTERN(minus_inf),   PATTERN(nan),       PATTERN(nan_first),    PATTERN(nan_last),
    PATTERN(specials),  PATTERN(swings),      PATTERN(one_swing), PATTERN(edge_swings),  PATTERN(overflow),
    PATTERN(halves),    PATTERN(tile_totals), PATTERN(climb),     PATTERN(quarter_ulps), PATTERN(tie),
    PATTERN(tile_ends), PATTERN(wild),        PATTERN(at_limit),  PATTERN(before_nan),
};

static void turn_round(void *x, size_t n, size_t size) {
  for (size_t i = 0; i < n / 2; i++) {
    char *a = (char *)x + i * size, *b = (char *)x + (n - 1 - i) * size, c[8];
    memcpy(c, a, size);
    memcpy(a, b, size);
    memcpy(b, c, size);
  }
}

static void put_start(const struct trial *t, void *to) {
  (t->type->type == MMSCAN_F32 ? put_start_f32 : put_start_f64)(t->start, to);
}

static void assert_as_plain(const struct trial *t, const void *x, const void *y, const void *carry) {
  (t->type->type == MMSCAN_F32 ? assert_as_plain_f32 : assert_as_plain_f64)(t, x, y, carry);
}

static void try_plan(const struct trial *t, const mmscan_desc *desc, const void *from, const void *x, void *y) {
  mmscan_choice choice = t->choice;
  choice.way = next_way(desc, &choice);
  scan_with(desc, &choice, from, y);
  assert_as_plain(t, x, y, NULL);
}

static void try_block(const struct trial *t, const mmscan_desc *desc, const void *from, const void *x, void *y) {
  double carry;
  put_start(t, &carry);
  assert_mmscan_ok(mmscan_scan_block(desc, from, y, &carry));
  assert_as_plain(t, x, y, &carry);
}

/* Scans elements given in scan order, with a plan for the trial's choice or, as a block, with the default. */
static void try_values(const struct trial *t, const void *values, bool block) {
  struct buffer x = buffer_new(t->n * t->type->size, 0), y = buffer_new(x.size, 0);
  memcpy(x.data, values, x.size);
  if (t->reverse) turn_round(x.data, t->n, t->type->size);
  memcpy(y.data, x.data, x.size);

  mmscan_desc desc = plain_desc(t->type->type, t->kind, t->reverse, t->n);
  double init;
  put_start(t, &init);
  if (t->kind == MMSCAN_EXCLUSIVE && !block) desc.init = &init;
  (block ? try_block : try_plan)(t, &desc, t->in_place ? y.data : x.data, x.data, y.data);
  if (!buffer_intact(&x) || !buffer_intact(&y)) fail_seeded("%s: wrote outside of y", trial_text(t));
  buffer_free(&y);
  buffer_free(&x);
}

static void try_pattern(struct trial *t, size_t pattern, size_t tile, bool block) {
  struct rng rng = rng_of(pattern * 1000003 + t->n);
  void *values = test_memory(t->n * t->type->size);
  t->pattern = patterns[pattern].name;
  patterns[pattern].fill[t->type->type == MMSCAN_F64](&rng, t->n, tile, values);
  try_values(t, values, block);
  free(values);
}

static void set_variant(struct trial *t, size_t variant, size_t start) {
  t->kind = variant & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  t->reverse = (variant & 2) != 0;
  t->in_place = (variant & 4) != 0;
  t->start = (enum start)(start % STARTS);
}

/* Every pattern at one length, in half of the variants. */
static void try_length(struct trial *t, size_t n, size_t tile) {
  t->n = n;
  for (size_t p = 0; p < COUNT(patterns); p++)
    for (size_t variant = 0; variant < VARIANTS; variant++) {
      if (!is_turn_of((unsigned)variant, n + p)) continue;
      set_variant(t, variant, variant & 1 ? n + p : FROM_ZERO);
      try_pattern(t, p, tile, false);
    }
}

/* The tile that the choice uses for n elements, or 64 where it cuts none. */
static size_t tile_of(const struct type *type, const mmscan_choice *choice, size_t n) {
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice used;
  mmscan_plan_destroy(plan_new(&desc, choice, &used));
  return used.tile >= 4 ? used.tile : 64;
}

TEST(test_short) {
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t c = 0; c < forced->count; c++) {
      struct trial trial = {.type = type_at(t), .choice = forced->choice[c]};
      for (size_t n = 1; n <= sized(70, 20); n++) try_length(&trial, n, 16);
    }
}

TEST(test_many_small_tiles) {
  static const struct {
    size_t s, tile, n;
    int threads;
  } cuts[] = {{4, 64, 1000, 3},  {8, 256, 2500, 2}, {3, 100, 1234, 1}, {2, 4, 61, 4},     {16, 20, 333, 2},
              {8, 100, 1500, 2}, {7, 69, 700, 1},   {5, 625, 4000, 3}, {4, 1100, 9000, 2}};
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t c = 0; c < forced->count; c++)
      for (size_t i = 0; cuts_tiles(&forced->choice[c]) && i < COUNT(cuts); i++) {
        struct trial trial = {.type = type_at(t), .choice = forced->choice[c]};
        trial.choice.s = is_gemm(&trial.choice) ? cuts[i].s : 0;
        trial.choice.tile = cuts[i].tile;
        trial.choice.threads = cuts[i].threads;
        try_length(&trial, quick() ? cuts[i].n / 4 : cuts[i].n, cuts[i].tile);
      }
}

/* Several tiles of the size that the library chooses, on several threads. */
TEST(test_tiles_of_the_library) {
  const struct forced *forced = forced_all();
  skip_if(quick(), "takes long");
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t c = 0; c < forced->count; c++) {
      struct trial trial = {.type = type_at(t), .choice = forced->choice[c]};
      trial.choice.threads = 3;
      size_t tile = tile_of(trial.type, &trial.choice, 1 << 20);
      trial.n = 3 * tile + 7;
      for (size_t p = 0; p < COUNT(patterns); p++) {
        const size_t variant = (p + c + t) % VARIANTS;
        set_variant(&trial, variant, variant & 1 ? p : FROM_ZERO);
        try_pattern(&trial, p, tile, false);
      }
    }
}

TEST(test_blocks_from_any_carry) {
  const size_t lengths[] = {1, 2, 5, 31, 1000, sized(100000, 1500)};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t i = 0; i < COUNT(lengths); i++)
      for (size_t p = 0; p < COUNT(patterns); p++)
        for (size_t turn = 0; turn < (lengths[i] > 5000 ? 5 : STARTS * VARIANTS); turn++) {
          struct trial trial = {.type = type_at(t), .n = lengths[i]};
          set_variant(&trial, turn + p, turn / VARIANTS + turn);
          try_pattern(&trial, p, 1000, true);
        }
}

/* ---- Each place in a block --------------------------------------------------------------------------------------- */

/* One special element, or a few, from element `at` on; small ones elsewhere. NaNs after a swing come `gap` elements
 * later. */
static void put_case(const struct trial *t, size_t which, size_t at, size_t gap, void *x) {
  (t->type->type == MMSCAN_F32 ? put_case_f32 : put_case_f64)(which, at, gap, t->n, x);
}

static void try_case(struct trial *t, size_t which, size_t at, size_t gap) {
  static const char *const names[CASES] = {"Inf", "-Inf", "NaN", "over the limit", "swing", "swing, NaN"};
  double values[MOST_PLACES] = {0};
  t->pattern = names[which];
  put_case(t, which, at, gap, values);
  try_values(t, values, false);
}

/* Places in blocks of the widest vectors, at their borders and those of tiles, and in a tail. */
TEST(test_each_place) {
  const struct forced *forced = forced_all();
  size_t turn = 0;
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t c = 0; c < forced->count; c++)
      for (size_t which = 0; which < CASES; which++)
        for (size_t at = 0; at < MOST_PLACES - 3; at += sized(1, 7), turn++) {
          struct trial trial = {.type = type_at(t), .choice = forced->choice[c], .n = MOST_PLACES - turn % 3};
          if (is_model(&trial.choice) && at % 16 != 0) continue;
          if (cuts_tiles(&trial.choice)) {
            trial.choice.tile = turn % 2 ? 70 : 128;
            trial.choice.threads = 1 + (int)(turn / 2 % 4);
          }
          set_variant(&trial, turn / 3, FROM_ZERO);
          try_case(&trial, which, at, 0);
        }
}

/* A NaN at any distance after a swing hides nothing that came before it. */
TEST(test_nan_hides_nothing) {
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t c = 0; c < forced->count; c++)
      for (size_t at = 0; at < 70 && !is_model(&forced->choice[c]); at += sized(1, 3))
        for (size_t gap = 0; gap < 70; gap++) {
          struct trial trial = {.type = type_at(t), .choice = forced->choice[c], .n = 150};
          set_variant(&trial, at + gap, FROM_ZERO);
          try_case(&trial, SWING_AND_NAN, at, gap);
        }
}

/* ---- The sign of zero -------------------------------------------------------------------------------------------- */

/* A running sum of only -0.0 stays -0.0 in the plain loop, and in kernels that pad with the identity. The header
 * promises no sign of zero, and the engine gemm adds products with 0. */
static void check_zeros(const struct type *type, const mmscan_choice *choice, size_t n, bool reverse) {
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, reverse, n);
  unsigned char *x = test_memory(n * type->size), *y = test_memory(n * type->size);
  for (size_t i = 0; i < n; i++) put_float(type->type, x, i, -0.0);
  scan_with(&desc, choice, x, y);
  if (memcmp(x, y, n * type->size) != 0)
    fail_seeded("%s, %s x %s, n %zu: -0.0 became +0.0", type->name, choice->engine, part_of(choice), n);
  free(x);
  free(y);
}

TEST(test_minus_zero) {
  const size_t lengths[] = {1, 2, 8, 9, 63, 64, 65, 200, sized(100001, 2001)};
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t c = 0; c < forced->count; c++)
      for (size_t i = 0; i < COUNT(lengths); i++)
        for (int reverse = 0; reverse < 2 && !is_gemm(&forced->choice[c]); reverse++)
          check_zeros(type_at(t), &forced->choice[c], lengths[i], reverse);
}

/* The tests so far used each way. */
TEST(test_all_ways) {
  for (size_t i = 0; i < COUNT(ways); i++) {
    print_message("%s: %zu runs\n", ways[i], runs[i]);
    assert_true(runs[i] > 0);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
