/* test_reproducible.c: MMSCAN_REPRODUCIBLE adds and multiplies in the order that is written down, by whatever machine,
 * plan, call and arrays.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * order_body.inc is that order, in plain loops. The hashes at the end are of results that no commit may change within a
 * soname. Where one is meant to, MMSCAN_RECORD=1 build/test/test_reproducible prints new ones.
 */
#include "base/exact.h"
#include "support/execution.h"
#include "support/float_mode.h"
#include "support/tallies.h"

enum { GROUP = 128, MOST_IN_GROUP = 4096, TILE_BYTES = 16384, MOST_RESULTS = 50000 };

/* ---- The order, in plain loops ----------------------------------------------------------------------------------- */

struct order {
  bool times, exclusive, mirrored;
  size_t tile;
};

static double exactly(double s, double low) { return low != 0 && isfinite(low) ? s + low : s; }

/* Within a tile the sum of groups is kept as a double, or as two of them. */
typedef struct kept_f32 {
  double sum, none;
} kept_f32;

static float value_of_f32(const kept_f32 *kept) { return (float)kept->sum; }

static float keep_next_f32(kept_f32 *kept, float x, bool is_whole) {
  (void)is_whole;
  kept->sum += (double)x;
  return value_of_f32(kept);
}

typedef struct kept_f64 {
  double high, low;
} kept_f64;

static double value_of_f64(const kept_f64 *kept) { return exactly(kept->high, kept->low); }

/* After a whole group the value is without what this addition lost. */
static double keep_next_f64(kept_f64 *kept, double x, bool is_whole) {
  const double sum = kept->high + x, part = sum - kept->high, next = exactly(sum, kept->low);
  kept->low += (kept->high - (sum - part)) + (x - part);
  kept->high = sum;
  return is_whole ? next : value_of_f64(kept);
}

static float exact_f32(const mms_exact *sum) { return mms_exact_f32(sum); }
static double exact_f64(const mms_exact *sum) { return mms_exact_f64(sum); }

#define PASTE(a, b)  a##_##b
#define PASTED(a, b) PASTE(a, b)
#define NAMED(name)  PASTED(name, SUFFIX)

#define T       float
#define SUFFIX  f32
#define LARGEST FLT_MAX
#define HOP     1
#include "order_body.inc"
#define T       double
#define SUFFIX  f64
#define LARGEST DBL_MAX
#define HOP     2
#include "order_body.inc"

/* How often something is done; an emulator takes long for each. */
static size_t times(size_t full, size_t reduced) { return emulator() ? (reduced + 4) / 5 : sized(full, reduced); }

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* What is combined: float or double. */
static bool is_wide(const mmscan_desc *d) {
  return d->y_type == MMSCAN_F64 || d->y_type == MMSCAN_C64 || d->flags & MMSCAN_ACCURATE;
}

static size_t parts_of(const mmscan_desc *d) { return ref_type_of(d->y_type)->kind == 'c' ? 2 : 1; }
static size_t tile_of(const mmscan_desc *d) { return TILE_BYTES / (is_wide(d) ? 8 : 4) / parts_of(d); }

/* One element, or one part, as it is combined. */
static double element(const mmscan_desc *d, const void *x, size_t i, size_t part) {
  const ref_type *t = ref_type_of(d->x_type);
  const char *at = (const char *)x + i * t->size;
  if (!ref_is_whole(t)) return part == 0 || t->kind == 'c' ? ref_get_real(t, at, part) : 0;
  const wide value = ref_get_whole(t, at);
  if (is_wide(d)) return t->kind == 'i' ? (double)(int64_t)value : (double)(uint64_t)value;
  return t->kind == 'i' ? (double)(float)(int64_t)value : (double)(float)(uint64_t)value;
}

static double init_of(const mmscan_desc *d, size_t part) {
  if (d->init) return ref_get_real(ref_type_of(d->y_type), d->init, part);
  return d->op == MMSCAN_MUL ? 1 : d->kind == MMSCAN_EXCLUSIVE ? 0.0 : -0.0;
}

/* One part of all results, in the order of the scan. */
static void order_part(const mmscan_desc *d, const void *x, size_t part, const struct order *o, double *results) {
  static double x64[MOST_RESULTS];
  static float x32[MOST_RESULTS], y32[MOST_RESULTS];
  const double init = init_of(d, part);
  for (size_t i = 0; i < d->n; i++) {
    x64[i] = element(d, x, d->reverse ? d->n - 1 - i : i, part);
    x32[i] = is_wide(d) ? 0 : (float)x64[i];
  }
  if (is_wide(d)) {
    (o->times ? order_products_f64 : order_sums_f64)(o, d->n, x64, init, results);
    return;
  }
  (o->times ? order_products_f32 : order_sums_f32)(o, d->n, x32, (float)init, y32);
  for (size_t i = 0; i < d->n; i++) results[i] = (double)y32[i];
}

/* Results, and the total, the last result of an inclusive scan; where one is wanted of an exclusive scan, that has
 * init.
 */
static void order_scan(const mmscan_desc *d, const void *x, void *y, bool has_total, void *total) {
  static double inclusive[MOST_RESULTS], results[MOST_RESULTS];
  const ref_type *t = ref_type_of(d->y_type);
  const bool is_reverse_offsets = d->kind == MMSCAN_OFFSETS && d->reverse;
  const size_t ahead = d->kind == MMSCAN_OFFSETS && !d->reverse, count = execution_results(d);
  struct order o = {.times = d->op == MMSCAN_MUL, .mirrored = d->reverse, .tile = tile_of(d)};
  for (size_t part = 0; part < parts_of(d); part++) {
    o.exclusive = false;
    order_part(d, x, part, &o, inclusive);
    o.exclusive = d->kind == MMSCAN_EXCLUSIVE || is_reverse_offsets;
    order_part(d, x, part, &o, results + ahead);
    if (ahead) results[0] = init_of(d, part);
    if (is_reverse_offsets) results[d->n] = inclusive[d->n - 1];
    for (size_t i = 0; i < count; i++)
      ref_put_real(t, (char *)y + (d->reverse ? count - 1 - i : i) * t->size, part, results[i]);
    if (has_total) ref_put_real(t, total, part, inclusive[d->n - 1]);
  }
  for (size_t i = 0; i < count; i++) execution_plain(t, (char *)y + i * t->size);
  if (has_total) execution_plain(t, total);
}

/* ---- What is scanned --------------------------------------------------------------------------------------------- */

static const struct pair {
  const char *name;
  mmscan_type x_type, y_type;
  unsigned flags;
} pairs[] = {
    {"f32", MMSCAN_F32, MMSCAN_F32, 0},
    {"f64", MMSCAN_F64, MMSCAN_F64, 0},
    {"c32", MMSCAN_C32, MMSCAN_C32, 0},
    {"c64", MMSCAN_C64, MMSCAN_C64, 0},
    {"accurate f32", MMSCAN_F32, MMSCAN_F32, MMSCAN_ACCURATE},
    {"f16", MMSCAN_F16, MMSCAN_F16, 0},
    {"bf16", MMSCAN_BF16, MMSCAN_BF16, 0},
    {"f16 to f64", MMSCAN_F16, MMSCAN_F64, 0},
    {"i32 to f32", MMSCAN_I32, MMSCAN_F32, 0},
    {"u64 to f64", MMSCAN_U64, MMSCAN_F64, 0},
    {"f32 to c32", MMSCAN_F32, MMSCAN_C32, 0},
    {"i16 to accurate f32", MMSCAN_I16, MMSCAN_F32, MMSCAN_ACCURATE},
};

/* WIDE_RANGE: of many exponents. CANCELLING: sums come back to nearly nothing. LARGE: some elements are so large that
 * the plain loop takes over. ONE_PART: so is one part of a complex number, in a lane in which a NaN comes soon. */
enum fill { NUMBERS, WIDE_RANGE, CANCELLING, ZEROS, LARGE, NONFINITE, ONE_PART, FILLS };
static const char *const fill_names[] = {"numbers", "wide", "cancelling", "zeros", "large", "nonfinite", "one_part"};

/* A number of so many binary digits, its sign included, from -1 to 1. No arithmetic but with whole numbers. */
static double digits_of(struct rng *rng, int digits) {
  return (double)((int64_t)draw(rng) >> (64 - digits)) / (double)((int64_t)1 << (digits - 1));
}

static double scaled(double x, int exponent) {
  for (; exponent > 0; exponent--) x *= 2;
  for (; exponent < 0; exponent++) x /= 2;
  return x;
}

static double number(struct rng *rng, enum fill fill, size_t i, const ref_type *t, size_t part) {
  const double x = digits_of(rng, t->digits), most = t->most;
  const size_t chance = draw_below(rng, 700);
  switch (fill) {
  case WIDE_RANGE:
    return scaled(x, (int)draw_below(rng, t->size == 2 ? 10 : 60) - (t->size == 2 ? 10 : 30));
  case CANCELLING:
    return i % 2 ? -0.75 + x / 1024 : 0.75;
  case ZEROS:
    return chance < 650 ? (i < 3000 || chance % 2 ? -0.0 : 0.0) : x;
  case LARGE:
    return chance == 0 ? most / 4 * x : chance == 1 ? most : x;
  case NONFINITE:
    return chance == 0 && i > 5000 ? (double)NAN : chance == 1 && i > 40 ? copysign(INFINITY, x) : x;
  case ONE_PART:
    return part == 1 || t->kind != 'c' ? x : i == 1 ? most / 2 : i == (t->size == 8 ? 17 : 9) ? (double)NAN : x;
  default:
    return x;
  }
}

/* Of products: factors near 1. */
static double factor(struct rng *rng, const ref_type *t) { return 1 + digits_of(rng, t->digits) / 512; }

static void fill_with(const mmscan_desc *d, enum fill fill, uint64_t from, char *x) {
  const ref_type *t = ref_type_of(d->x_type);
  struct rng rng = {from};
  for (size_t i = 0; i < d->n; i++, x += t->size) {
    const uint64_t whole = draw(&rng) >> (d->op == MMSCAN_MUL ? 62 : 20);
    if (ref_is_whole(t)) ref_put_whole(t, x, d->op == MMSCAN_MUL ? (wide)(whole == 3 ? 2 : 1) : (wide)whole);
    for (size_t part = 0; !ref_is_whole(t) && part < (t->kind == 'c' ? 2 : 1); part++)
      ref_put_real(t, x, part, d->op == MMSCAN_MUL ? factor(&rng, t) : number(&rng, fill, i, t, part));
  }
}

static mmscan_desc desc_of(const struct pair *pair, mmscan_op op, mmscan_kind kind, int reverse, size_t n) {
  mmscan_desc d = plain_desc(pair->x_type, kind, reverse, n);
  d.y_type = pair->y_type;
  d.op = op;
  d.flags = pair->flags | MMSCAN_REPRODUCIBLE;
  return d;
}

/* Complex products have the order of the plain loop anyway. */
static bool has_order(const struct pair *pair, mmscan_op op) {
  return op == MMSCAN_PLUS || ref_type_of(pair->y_type)->kind == 'f';
}

static const char *text_of(const mmscan_desc *d, const char *input) {
  static char text[200];
  snprintf(text, sizeof text, "%s to %s%s, op %d, kind %d%s, n %zu, %s%s", ref_type_of(d->x_type)->name,
           ref_type_of(d->y_type)->name, d->flags & MMSCAN_ACCURATE ? " accurate" : "", (int)d->op, (int)d->kind,
           d->reverse ? " reverse" : "", d->n, input, d->init ? ", init" : "");
  return text;
}

static char x[MOST_RESULTS * 16], want[MOST_RESULTS * 16], got[MOST_RESULTS * 16];

/* Compares results, and totals. */
static void compare(const mmscan_desc *d, const char *input, const char *how, const void *total,
                    const void *got_total) {
  const ref_type *t = ref_type_of(d->y_type);
  const size_t count = execution_results(d);
  size_t i = 0;
  while (i < count && memcmp(want + i * t->size, got + i * t->size, t->size) == 0) i++;
  if (i < count)
    fail_seeded("%s: %s: y[%zu] is %a instead of %a", text_of(d, input), how, i, ref_get_real(t, got + i * t->size, 0),
                ref_get_real(t, want + i * t->size, 0));
  if (total && memcmp(total, got_total, t->size) != 0)
    fail_seeded("%s: %s: the total is %a instead of %a", text_of(d, input), how, ref_get_real(t, got_total, 0),
                ref_get_real(t, total, 0));
}

static void put_init(mmscan_desc *d, char *init, double value) {
  const ref_type *t = ref_type_of(d->y_type);
  for (size_t part = 0; part < parts_of(d); part++) ref_put_real(t, init, part, part ? -2 * value : value);
  d->init = init;
}

/* ---- The order --------------------------------------------------------------------------------------------------- */

/* Around the ends of vectors, blocks, groups and tiles. */
static size_t draw_length(struct rng *rng, size_t most) {
  static const size_t ends[] = {8, 16, 32, 64, 128, 256, 1024, 2048, 4096};
  const size_t end = ends[draw_below(rng, COUNT(ends))] * (1 + draw_below(rng, 4)), off = draw_below(rng, 20);
  const size_t n = draw_below(rng, 3) == 0 ? 1 + draw_below(rng, most) : end + off < 10 ? 1 : end + off - 9;
  return n < most ? n : most;
}

static void check_order(struct rng *rng, const struct pair *pair, mmscan_op op, enum fill fill) {
  char init[16], total[16], got_total[16];
  const execution plain = execution_plain_one();
  for (int kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_OFFSETS; kind++)
    for (int reverse = 0; reverse < 2; reverse++) {
      mmscan_desc d = desc_of(pair, op, (mmscan_kind)kind, reverse, draw_length(rng, 14000));
      const bool has_total = draw_below(rng, 2);
      fill_with(&d, fill, draw(rng), x);
      if (kind != MMSCAN_INCLUSIVE || draw_below(rng, 2)) put_init(&d, init, op == MMSCAN_MUL ? 1.125 : draw_unit(rng));
      order_scan(&d, x, want, has_total, total);
      assert_mmscan_ok(execution_scan(&plain, &d, x, got, has_total ? got_total : NULL));
      compare(&d, fill_names[fill], "in the order that is written down", has_total ? total : NULL, got_total);
    }
}

TEST(test_order_of_sums) {
  struct rng rng = rng_of(1);
  for (size_t k = times(6, 2); k > 0; k--)
    for (size_t p = 0; p < COUNT(pairs); p++)
      for (int fill = 0; fill < FILLS; fill++) check_order(&rng, &pairs[p], MMSCAN_PLUS, (enum fill)fill);
}

TEST(test_order_of_products) {
  struct rng rng = rng_of(2);
  for (size_t k = times(15, 6); k > 0; k--)
    for (size_t p = 0; p < COUNT(pairs); p++)
      if (has_order(&pairs[p], MMSCAN_MUL)) check_order(&rng, &pairs[p], MMSCAN_MUL, NUMBERS);
}

/* Every length up to some blocks, where ends are close together; then lengths around ends of tiles. */
TEST(test_order_at_every_length) {
  const execution plain = execution_plain_one();
  char init[16], total[16], got_total[16];
  for (size_t p = 0; p < 2; p++)
    for (size_t n = 1; n < 9000; n += n % 2048 < 40 || n % 2048 > 2000 || n < sized(600, 150) ? 1 : 89)
      for (int kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++) {
        mmscan_desc d = desc_of(&pairs[p], MMSCAN_PLUS, (mmscan_kind)kind, n % 3 == 0, n);
        fill_with(&d, NUMBERS, n, x);
        put_init(&d, init, 1000.1);
        order_scan(&d, x, want, n % 2, total);
        assert_mmscan_ok(execution_scan(&plain, &d, x, got, n % 2 ? got_total : NULL));
        compare(&d, "numbers", "in the order that is written down", n % 2 ? total : NULL, got_total);
      }
}

/* ---- The same bits, however it is done --------------------------------------------------------------------------- */

/* A scan, and what a call without further ado makes of it. */
static mmscan_desc draw_scan(struct rng *rng, char *init, enum fill *fill, size_t most, bool has_total, char *total) {
  const struct pair *pair = &pairs[draw_below(rng, COUNT(pairs))];
  const mmscan_op op = draw_below(rng, 4) ? MMSCAN_PLUS : MMSCAN_MUL;
  const mmscan_kind kind = (mmscan_kind)(1 + draw_below(rng, 3));
  const execution plain = execution_plain_one();
  mmscan_desc d = desc_of(pair, op, kind, (int)draw_below(rng, 2), draw_length(rng, most));
  *fill = (enum fill)draw_below(rng, FILLS);
  fill_with(&d, *fill, draw(rng), x);
  if (draw_below(rng, 2)) put_init(&d, init, op == MMSCAN_MUL ? 1.125 : draw_unit(rng));
  assert_mmscan_ok(execution_scan(&plain, &d, x, want, has_total ? total : NULL));
  return d;
}

static void count_execution(const mmscan_desc *d, const execution *e) {
  char name[48];
  snprintf(name, sizeof name, "types %s-%s", ref_type_of(d->x_type)->name, ref_type_of(d->y_type)->name);
  count_if(true, name);
  snprintf(name, sizeof name, "isa %s", e->plans ? text_or(e->choice.isa, "any") : "any");
  count_if(true, name);
  snprintf(name, sizeof name, "way %s", e->plans ? text_or(e->choice.way, "any") : "any");
  count_if(true, name);
  count_if(e->in_place, "done in_place");
  count_if(e->in_blocks, "done in_blocks");
  count_if(e->columns, "done as_columns");
  count_if(e->rows > 1, "done as_rows");
  count_if(e->lacks_memory, "done without_memory");
  count_if(e->plans && same_text(e->choice.engine, "serial"), "done by_serial");
  count_if(e->x_stride != 1 || e->y_stride != 1, "done strided");
}

static void check_executions(struct rng *rng, size_t most, size_t times) {
  char init[16], total[16], got_total[16];
  const bool has_total = draw_below(rng, 3) == 0;
  enum fill fill;
  const mmscan_desc d = draw_scan(rng, init, &fill, most, has_total, total);
  for (size_t k = 0; k < times; k++) {
    const execution e = execution_draw(rng, &d, d.kind == MMSCAN_OFFSETS ? 0 : MMSCAN_BLOCK);
    count_execution(&d, &e);
    const mmscan_status status = execution_scan(&e, &d, x, got, has_total ? got_total : NULL);
    if (status != MMSCAN_OK)
      fail_seeded("%s: %s: %s", text_of(&d, fill_names[fill]), execution_text(&e), execution_error(status));
    compare(&d, fill_names[fill], execution_text(&e), has_total ? total : NULL, got_total);
  }
}

TEST(test_executions) {
  struct rng rng = rng_of(3);
  for (size_t k = times(600, 150); k > 0; k--) check_executions(&rng, 40000, 4);
  for (size_t k = times(1500, 300); k > 0; k--) check_executions(&rng, 300, 4);
  print_tallies();
}

/* As many rows of a few elements as are scanned together. */
TEST(test_short_rows) {
  enum { ROWS = 100, MOST = 60 };
  struct rng rng = rng_of(4);
  for (size_t p = 0; p < 2; p++)
    for (size_t n = 1; n <= MOST; n++)
      for (int kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++) {
        mmscan_desc d = desc_of(&pairs[p], MMSCAN_PLUS, (mmscan_kind)kind, 0, n * ROWS);
        const size_t bytes = n * ref_type_of(d.y_type)->size;
        fill_with(&d, NUMBERS, draw(&rng), x);
        d.n = n;
        for (size_t r = 0; r < ROWS; r++) assert_mmscan_ok(mmscan_scan(&d, x + r * bytes, want + r * bytes));
        d.batch = ROWS;
        d.x_dist = d.y_dist = (ptrdiff_t)n;
        assert_mmscan_ok(mmscan_scan(&d, x, got));
        assert_memory_equal(want, got, ROWS * bytes);
        assert_mmscan_ok(mmscan_scan(&d, x, x));
        assert_memory_equal(want, x, ROWS * bytes);
      }
}

/* In every rounding mode, too, two executions agree; but for signs of zeros, as 0.0 + -0.0 may be -0.0. */
TEST(test_rounding_modes) {
  struct rng rng = rng_of(5);
  for (size_t mode = 0; mode < FLOAT_MODES; mode++) {
    const struct float_mode before = float_mode_set(mode);
    execution_ignores_signs = fegetround() == FE_DOWNWARD;
    for (size_t k = times(100, 20); k > 0; k--) check_executions(&rng, 20000, 3);
    float_mode_restore(before);
  }
  execution_ignores_signs = false;
}

/* Past the caches, by several threads, and in blocks. */
TEST(test_long_scans) {
  const size_t n = ((size_t)1 << sized(25, 20)) + 4321;
  const size_t half = n / 2 / MMSCAN_BLOCK * MMSCAN_BLOCK;
  float *from = malloc(n * sizeof *from), *first = malloc(n * sizeof *from), *second = malloc(n * sizeof *from);
  mmscan_desc d = desc_of(&pairs[0], MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0, n);
  struct rng rng = {7};
  char kept[MOST_STATE] = {0};
  float carry = -0.0f;
  assert_true(from && first && second);
  for (size_t i = 0; i < n; i++) from[i] = (float)digits_of(&rng, 24);
  for (int threads = 1; threads <= 3; threads++) {
    const mmscan_choice choice = {.struct_size = sizeof choice, .threads = threads};
    scan_with(&d, &choice, from, threads == 1 ? first : second);
    if (threads > 1) assert_memory_equal(first, second, n * sizeof *from);
  }
  d.state = kept;
  d.n = half;
  assert_mmscan_ok(mmscan_scan_block(&d, from, second, &carry));
  d.n = n - half;
  assert_mmscan_ok(mmscan_scan_block(&d, from + half, second + half, &carry));
  assert_memory_equal(first, second, n * sizeof *from);
  free(from), free(first), free(second);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

TEST(test_refused) {
  const mmscan_choice gemm = {.struct_size = sizeof gemm, .engine = "gemm", .unit = "model"},
                      tile = {.struct_size = sizeof tile, .engine = "simd", .tile = 8192},
                      own = {.struct_size = sizeof own, .engine = "simd", .tile = 4096};
  mmscan_desc d = desc_of(&pairs[0], MMSCAN_PLUS, MMSCAN_INCLUSIVE, 0, 100000);
  mmscan_plan *plan;
  assert_status(MMSCAN_ENOTSUP, mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &gemm));
  assert_status(MMSCAN_EINVAL, mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &tile));
  assert_mmscan_ok(mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &own));
  mmscan_plan_destroy(plan);
  d.op = MMSCAN_LOGADDEXP;
  assert_status(MMSCAN_ENOTSUP, mmscan_desc_check(&d, NULL, 0));
}

/* ---- Recorded ---------------------------------------------------------------------------------------------------- */

static const struct record {
  mmscan_op op;
  const char *pair;
  uint64_t hash;
} records[] = {
#include "reproducible.def"
};

/* FNV-1a. */
static uint64_t mixed(uint64_t hash, const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Whether bits are asked of it; of several in a quick run, by types in turn. */
static bool is_asked(size_t isa, const mmscan_part *part, const struct pair *pair) {
  return part->status == MMSCAN_OK && (!quick() || isa % 4 == pair->x_type % 4 || same_text(part->name, "portable"));
}

/* Results in `got`: those of the first instruction set, which each other one has to the bit. */
static void scan_by_each(const struct pair *pair, const mmscan_desc *d, int threads, const char *input) {
  mmscan_part isa = {.struct_size = sizeof isa};
  execution e = execution_plain_one();
  bool is_first = true;
  e.plans = true;
  e.choice.threads = threads;
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++) {
    if (!is_asked(i, &isa, pair)) continue;
    e.choice.isa = isa.name;
    assert_mmscan_ok(execution_scan(&e, d, x, got, NULL));
    if (is_first)
      memcpy(want, got, execution_results(d) * ref_type_of(d->y_type)->size);
    else
      compare(d, input, isa.name, NULL, NULL);
    is_first = false;
  }
}

/* Of all kinds and directions, at lengths around ends. */
static uint64_t hash_of(const struct pair *pair, mmscan_op op) {
  static const size_t lengths[] = {1, 7, 8, 9, 31, 32, 100, 128, 129, 1000, 4096, 4097, 4200, 20011};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  char init[16];
  for (size_t i = 0; i < COUNT(lengths); i++)
    for (int way = 0; way < 4; way++)
      for (int fill = 0; fill < (op == MMSCAN_MUL ? 1 : FILLS); fill++) {
        mmscan_desc d = desc_of(pair, op, way < 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE, way % 2, lengths[i]);
        fill_with(&d, (enum fill)fill, 1000 * i + 10 * (size_t)way + (size_t)fill, x);
        if (way >= 2) put_init(&d, init, 1.125);
        scan_by_each(pair, &d, 1 + way % 2, fill_names[fill]);
        hash = mixed(hash, got, d.n * ref_type_of(d.y_type)->size);
      }
  return hash;
}

static uint64_t recorded(const struct pair *pair, mmscan_op op) {
  for (size_t i = 0; i < COUNT(records); i++)
    if (records[i].op == op && same_text(records[i].pair, pair->name)) return records[i].hash;
  return 0;
}

static void check_hash(const struct pair *pair, mmscan_op op, bool records_it) {
  const uint64_t hash = hash_of(pair, op), was = recorded(pair, op);
  if (records_it)
    printf("{%s, \"%s\", UINT64_C(0x%016llx)},\n", op == MMSCAN_MUL ? "MMSCAN_MUL" : "MMSCAN_PLUS", pair->name,
           (unsigned long long)hash);
  else if (hash != was)
    fail_msg("%s, op %d: other bits than before (MMSCAN_RECORD=1): 0x%016llx", pair->name, (int)op,
             (unsigned long long)hash);
}

static void check_hashes(bool records_them) {
  for (size_t p = 0; p < COUNT(pairs); p++)
    for (int op = MMSCAN_PLUS; op <= MMSCAN_MUL; op += MMSCAN_MUL - MMSCAN_PLUS)
      check_hash(&pairs[p], (mmscan_op)op, records_them);
}

TEST(test_bits_are_those_recorded) { check_hashes(false); }

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  if (getenv("MMSCAN_RECORD") != NULL) return check_hashes(true), 0;
  return run_all_tests(NULL, NULL);
}
