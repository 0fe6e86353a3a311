/* test_order.c: MMSCAN_MAX and MMSCAN_MIN where they are unlike sums: NaN, zeros of both signs, the ends of each type,
 * and results whose bits depend on nothing but the elements.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <sys/mman.h>
#include <unistd.h>

#include "pack/storage.h"
#include "support/kernels.h"
#include "support/shot.h"

static const mmscan_op ops[] = {MMSCAN_MAX, MMSCAN_MIN};

static const char *name_of(mmscan_op op) { return op == MMSCAN_MAX ? "max" : "min"; }

static bool is_forced_here(const mmscan_choice *choice) { return !is_gemm(choice); }

/* ---- Public reports of other libraries --------------------------------------------------------------------------- */

/* The running maximum that a NaN enters; an accumulator that does not start at 0; reversed, from the end. */
TEST(test_reports) {
  const float x[] = {1, 3, NAN, 5, 4}, pair[] = {1, NAN, 1};
  const double low[] = {-5, -3, -4}, row[] = {1, 2, 3};
  float y[5];
  double z[3];
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 5);
  desc.op = MMSCAN_MAX;
  assert_mmscan_ok(mmscan_scan(&desc, x, y));
  assert_true(y[0] == 1 && y[1] == 3 && isnan(y[2]) && isnan(y[3]) && isnan(y[4]));
  desc.n = 3;
  assert_mmscan_ok(mmscan_scan(&desc, pair, y));
  assert_true(y[0] == 1 && isnan(y[1]) && isnan(y[2]));
  desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 3);
  desc.op = MMSCAN_MAX;
  assert_mmscan_ok(mmscan_scan(&desc, low, z));
  assert_true(z[0] == -5 && z[1] == -3 && z[2] == -3);
  desc.reverse = 1;
  desc.op = MMSCAN_MIN;
  assert_mmscan_ok(mmscan_scan(&desc, row, z));
  assert_true(z[0] == 1 && z[1] == 2 && z[2] == 3);
  desc.kind = MMSCAN_EXCLUSIVE;
  assert_mmscan_ok(mmscan_scan(&desc, row, z));
  assert_true(z[0] == 2 && z[1] == 3 && z[2] == (double)INFINITY);
}

/* ---- Every element as the first, and what came before ------------------------------------------------------------ */

/* Elements that a key might get wrong, and their neighbours. */
static size_t extremes_of(const struct type *type, unsigned char *to) {
  static const double f[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, -NAN, FLT_MAX, -FLT_MAX, 0x1p-149, -0x1p-149};
  static const uint64_t ends[] = {
      0,         1, UINT64_MAX,     UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, UINT64_C(0x80000000),
      INT32_MAX, 2, UINT64_MAX - 1, UINT32_MAX};
  const size_t count = is_float(type) ? COUNT(f) : COUNT(ends);
  for (size_t i = 0; i < count; i++) {
    if (is_float(type))
      put_float(type->type, to, i, f[i]);
    else
      memcpy(to + i * type->size, &ends[i], type->size);
  }
  return count;
}

enum { MOST_EXTREMES = 12, PAIRS_LENGTH = 3 };

/* All triples of such elements, as one batch: by every engine and instruction set, as the rule says; and y[0] of an
 * inclusive scan is x[0], bit for bit. */
static void check_triples(const struct type *type, mmscan_op op, const mmscan_choice *choice) {
  _Alignas(8) unsigned char values[MOST_EXTREMES * sizeof(double)];
  const size_t size = type->size, count = extremes_of(type, values), rows = count * count * count;
  unsigned char *x = test_memory(rows * PAIRS_LENGTH * size), *y = test_memory(rows * PAIRS_LENGTH * size);
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0, at = r; i < PAIRS_LENGTH; i++, at /= count)
      memcpy(x + (r * PAIRS_LENGTH + i) * size, values + at % count * size, size);
  struct oracle o = {.type = type, .n = rows * PAIRS_LENGTH, .x = x};
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, PAIRS_LENGTH);
  desc.op = op;
  desc.batch = rows;
  desc.x_dist = desc.y_dist = PAIRS_LENGTH;
  scan_with(&desc, choice, x, y);
  for (size_t r = 0; r < rows; r++) {
    const struct window w = {r * PAIRS_LENGTH, PAIRS_LENGTH, MMSCAN_INCLUSIVE, false, NULL, op};
    assert_scan(&o, &w, 0, y + r * PAIRS_LENGTH * size, part_of(choice));
    assert_memory_equal(y + r * PAIRS_LENGTH * size, x + r * PAIRS_LENGTH * size, size);
  }
  free(x);
  free(y);
}

TEST(test_triples) {
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    for (size_t t = 0; t < TYPES && is_forced_here(&all->choice[c]); t++)
      for (size_t k = 0; k < COUNT(ops); k++) check_triples(type_at(t), ops[k], &all->choice[c]);
}

/* ---- Many short rows, from any init ------------------------------------------------------------------------------ */

enum { ROWS = 40, LONGEST_ROW = 20, GAP = 2 };

/* Exclusive and inclusive rows from each of these elements, also NaN, by the batches of each instruction set: as by the
 * plain loop, bit for bit, in rows with gaps and without. */
static void check_rows_from(const mms_isa *isa, const mms_algebra *a, const void *init, size_t n, size_t gap,
                            mmscan_kind kind, const struct sample *sample) {
  const size_t size = a->size, count = ROWS * (LONGEST_ROW + GAP);
  unsigned char *y = test_memory(count * size), *want = test_memory(count * size);
  const mms_kernel *kernel = mms_kernel_of(isa, a);
  mms_batch rows = {.n = n,
                    .count = ROWS,
                    .x_dist = (ptrdiff_t)(n + gap),
                    .y_dist = (ptrdiff_t)(n + gap),
                    .x = sample->x,
                    .first = mms_algebra_value(a, init)};
  memset(y, 0x5a, count * size);
  memset(want, 0x5a, count * size);
  rows.y = want;
  mms_algebra_batch(a, &rows, kind, false);
  rows.y = y;
  kernel->batch[kind][0](kernel, &rows);
  if (memcmp(y, want, count * size) != 0)
    fail_seeded("%s, %s of %s: rows of %zu, gaps of %zu, from %Lg: not as by the plain loop", isa->name, a->op_name,
                a->type_name, n, gap, as_number(a->type, init));
  free(y);
  free(want);
}

static void check_each_row(const mms_isa *isa, const struct type *type, mmscan_op op) {
  _Alignas(8) unsigned char inits[MOST_EXTREMES * sizeof(double)];
  const size_t count = extremes_of(type, inits);
  struct sample sample = sample_new(type, RANDOM, ROWS * (LONGEST_ROW + GAP));
  for (size_t i = 0; i < count; i++)
    for (size_t n = 1; n <= LONGEST_ROW; n++)
      for (size_t gap = 0; gap <= GAP; gap += GAP)
        for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++)
          check_rows_from(isa, mms_algebra_of(op, type->type), inits + i * type->size, n, gap, kind, &sample);
  sample_free(&sample);
}

TEST(test_rows) {
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    for (size_t t = 0; mms_isa_at(i) != NULL && t < TYPES; t++)
      for (size_t k = 0; k < COUNT(ops); k++) check_each_row(mms_isa_at(i), type_at(t), ops[k]);
}

/* ---- Zeros of both signs ----------------------------------------------------------------------------------------- */

/* Elements that are all on one side of zero, but for zeros of either sign: the greatest, or the least, is the first
 * zero, and totals say so, whether found alone or beside a scan, streamed or not. */
static void check_zeros(const mms_isa *isa, const struct type *type, mmscan_op op, size_t first, size_t n) {
  const mms_kernel *kernel = kernel_of(isa, op, type->type);
  const size_t size = type->size;
  unsigned char *x = test_memory(n * size), *y = test_memory(n * size + 64);
  for (size_t i = 0; i < n; i++) put_float(type->type, x, i, op == MMSCAN_MAX ? -1 : 1);
  for (size_t i = first; i < n; i += 3 + i % 5) put_float(type->type, x, i, i == first ? -0.0 : 0.0);
  for (int streams = 0; streams < 2; streams++) {
    mms_kernel_scan *scan = (streams ? kernel->stream : kernel->scan)[MMSCAN_INCLUSIVE][0];
    mms_found alone, beside;
    mms_value carry = mms_algebra_value(kernel->algebra, kernel->algebra->identity);
    if (!scan) continue;
    kernel->total(kernel, n, x, false, &alone);
    scan(kernel, n, x, y, &carry, &(mms_aside){.found = &beside, .ahead = x});
    assert_memory_equal(&alone.total, x + first * size, size);
    assert_memory_equal(&beside.total, x + first * size, size);
    assert_memory_equal(&carry, x + first * size, size);
  }
  free(x);
  free(y);
}

/* The same by scans whose threads find totals ahead. */
static void check_zeros_shared(const struct type *type, mmscan_op op, size_t first) {
  const size_t n = sized((size_t)1 << 20, (size_t)1 << 19), size = type->size;
  unsigned char *x = test_memory(n * size), *y = test_memory(n * size);
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, n);
  desc.op = op;
  for (size_t i = 0; i < n; i++) put_float(type->type, x, i, i > first ? 0.0 : op == MMSCAN_MAX ? -1 : 1);
  put_float(type->type, x, first, -0.0);
  for (int threads = 1; threads <= 3; threads++) {
    const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 4096, .threads = threads};
    scan_with(&desc, &choice, x, y);
    for (size_t i = first; i < n; i++)
      if (memcmp(y + i * size, x + first * size, size) != 0) fail_msg("%d threads: y[%zu] is another zero", threads, i);
  }
  free(x);
  free(y);
}

TEST(test_zeros) {
  static const size_t places[] = {0, 1, 17, 40, 127, 128, 1000};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t k = 0; k < COUNT(ops); k++) {
      for (size_t i = 0; mms_isa_name(i) != NULL; i++)
        for (size_t p = 0; mms_isa_at(i) != NULL && p < COUNT(places); p++)
          check_zeros(mms_isa_at(i), type_at(t), ops[k], places[p], 2048);
      for (size_t first = 5000; first < 200000; first += 39001) check_zeros_shared(type_at(t), ops[k], first);
    }
}

/* ---- NaN anywhere ------------------------------------------------------------------------------------------------ */

enum { LONG = 3000 };

/* A NaN of either sign in any place: all before it are numbers, and all after it NaN. Other runs of the same scan, by
 * other engines, instruction sets and numbers of threads, have the same bits, that NaN included. */
static void check_nan(const struct type *type, mmscan_op op, bool reverse, size_t at, double nan) {
  struct sample sample = sample_new(type, RANDOM, LONG);
  put_float(type->type, sample.x, at, nan);
  void *y = test_memory(LONG * type->size), *first = NULL;
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, reverse, LONG);
  desc.op = op;
  const struct window w = {0, LONG, MMSCAN_INCLUSIVE, reverse, NULL, op};
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    for (int threads = 1; threads <= 3 && is_forced_here(&all->choice[c]); threads += 2) {
      mmscan_choice choice = all->choice[c];
      choice.threads = threads;
      if (cuts_tiles(&choice)) choice.tile = 700;
      scan_with(&desc, &choice, sample.x, y);
      assert_scan(&sample.oracle, &w, 0, y, part_of(&choice));
      if (first == NULL)
        first = memcpy(test_memory(LONG * type->size), y, LONG * type->size);
      else if (memcmp(first, y, LONG * type->size) != 0)
        fail_seeded("%s of %s by %s: other bits", name_of(op), type->name, part_of(&choice));
    }
  free(first);
  free(y);
  sample_free(&sample);
}

TEST(test_nan) {
  static const size_t places[] = {0, 1, 7, 31, 32, 127, 699, 700, 701, 2048, LONG - 1};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t k = 0; k < COUNT(ops); k++)
      for (size_t i = 0; i < COUNT(places); i++) {
        check_nan(type_at(t), ops[k], false, places[i], NAN);
        check_nan(type_at(t), ops[k], true, places[i], -NAN);
      }
}

/* ---- Blocks, and the caller's init ------------------------------------------------------------------------------- */

/* A scan in blocks of any lengths is the scan of the whole, bit for bit; the carry is its last result. */
static void check_blocks(const struct type *type, mmscan_op op, bool reverse, mmscan_kind kind) {
  const size_t size = type->size;
  struct sample sample = sample_new(type, RANDOM, LONG + 1);
  struct rng rng = rng_of((uint64_t)type->type * 8 + (uint64_t)op);
  unsigned char *whole = test_memory(LONG * size), *y = test_memory(LONG * size);
  const mms_algebra *a = mms_algebra_of(op, type->type);
  mms_value carry = {0}, last = {0};
  memcpy(&carry, kind == MMSCAN_EXCLUSIVE ? (const char *)sample.x + LONG * size : a->identity, size);
  mmscan_desc desc = plain_desc(type->type, kind, reverse, LONG);
  desc.op = op;
  if (kind == MMSCAN_EXCLUSIVE) desc.init = (const char *)sample.x + LONG * size;
  assert_mmscan_ok(mmscan_scan(&desc, sample.x, whole));
  for (size_t done = 0; done < LONG; done += desc.n) {
    desc.n = smaller(LONG - done, draw_below(&rng, 500) + 1);
    desc.init = NULL;
    const size_t at = (reverse ? LONG - done - desc.n : done) * size;
    assert_mmscan_ok(mmscan_scan_block(&desc, (char *)sample.x + at, y + at, &carry));
  }
  assert_memory_equal(y, whole, LONG * size);
  desc.kind = MMSCAN_INCLUSIVE;
  desc.n = LONG;
  assert_mmscan_ok(mmscan_scan(&desc, sample.x, whole));
  memcpy(&last, whole + (reverse ? 0 : LONG - 1) * size, size);
  if (kind == MMSCAN_EXCLUSIVE) combine_into(a, &last, (const char *)sample.x + LONG * size);
  assert_memory_equal(&carry, &last, size);
  free(whole);
  free(y);
  sample_free(&sample);
}

TEST(test_blocks) {
  for (size_t t = 0; t < TYPES; t++)
    for (size_t k = 0; k < COUNT(ops); k++)
      for (int reverse = 0; reverse < 2; reverse++)
        for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++)
          check_blocks(type_at(t), ops[k], reverse, kind);
}

/* ---- Long scans -------------------------------------------------------------------------------------------------- */

/* Around tiles, past the caches, read-only input up to the end of a page; results are those of the plain loop, bit for
 * bit, whatever is asked for. */
static void check_long(const struct type *type, mmscan_op op, size_t n, int threads, bool reverse, mmscan_kind kind) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = n * type->size, pages = (bytes / page + 2) * page;
  unsigned char *map = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(map != MAP_FAILED);
  unsigned char *x = map + pages - bytes, *y = test_memory(bytes);
  struct rng rng = rng_of(n);
  type->fill(&rng, RANDOM, n, x);
  assert_int_equal(mprotect(map, pages, PROT_READ), 0);
  assert_int_equal(mprotect(map + pages, page, PROT_NONE), 0);
  mmscan_desc desc = plain_desc(type->type, kind, reverse, n);
  desc.op = op;
  const mmscan_choice choice = {.struct_size = sizeof choice, .threads = threads};
  scan_with(&desc, &choice, x, y);
  const struct oracle o = {.type = type, .n = n, .x = x};
  const struct window w = {0, n, kind, reverse, NULL, op};
  assert_scan(&o, &w, 0, y, "long");
  free(y);
  munmap(map, pages + page);
}

TEST(test_long) {
  const size_t tile = 131072 / 4, most = sized((size_t)5 << 20, 1 << 18);
  const size_t lengths[] = {tile - 1, tile, tile + 1, 3 * tile + 7, most};
  for (size_t t = 0; t < TYPES; t++)
    for (size_t k = 0; k < COUNT(ops); k++)
      for (size_t i = 0; i < COUNT(lengths); i++)
        for (int threads = 1; threads <= 3; threads++) {
          if (lengths[i] == most && (t + k + (size_t)threads) % 3 != 0) continue; /* by each number in turn */
          check_long(type_at(t), ops[k], lengths[i], threads, (i + k) % 2, i % 3 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE);
        }
}

/* ---- What is chosen ---------------------------------------------------------------------------------------------- */

/* The engine gemm refuses the operators, asked for in whatever way; nothing else does. Measuring works, and is wisdom
 * of that operator alone. */
TEST(test_choices) {
  mmscan_choice used = {.struct_size = sizeof used}, gemm = {.struct_size = sizeof gemm, .engine = "gemm"};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 70000);
  mmscan_plan *plan;
  desc.op = MMSCAN_MIN;
  assert_int_equal(mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &gemm), MMSCAN_ENOTSUP);
  gemm.engine = NULL;
  gemm.unit = "model";
  assert_int_equal(mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &gemm), MMSCAN_ENOTSUP);
  const size_t before = mmscan_wisdom_count();
  assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE));
  assert_mmscan_ok(mmscan_plan_get_choice(plan, &used));
  assert_string_not_equal(used.engine, "gemm");
  mmscan_plan_destroy(plan);
  assert_int_equal(mmscan_wisdom_count(), before + 1);
  desc.op = MMSCAN_MAX;
  assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE));
  mmscan_plan_destroy(plan);
  assert_int_equal(mmscan_wisdom_count(), before + 2);
}

/* The public tables: every row is a legal scan, with the identity it states; every kernel has its parts. */
TEST(test_tables) {
  mmscan_algebra row = {.struct_size = sizeof row};
  size_t rows = 0;
  for (; mmscan_get_algebra(rows, &row) == MMSCAN_OK; rows++) {
    _Alignas(mms_value) unsigned char y[2 * sizeof(mms_value)], x[2 * sizeof(mms_value)] = {1};
    mmscan_desc desc = plain_desc(row.type, MMSCAN_EXCLUSIVE, 0, 2);
    desc.op = row.op;
    assert_mmscan_ok(mmscan_scan(&desc, x, y));
    assert_memory_equal(y, row.start, row.size);
    desc.init = row.identity;
    assert_mmscan_ok(mmscan_scan(&desc, x, y));
    assert_memory_equal(y + row.size, x, row.size);
    mmscan_kernel kernel = {.struct_size = sizeof kernel};
    size_t slots = 0;
    for (; mmscan_get_kernel(NULL, rows, slots, &kernel) == MMSCAN_OK; slots++) assert_non_null(kernel.slot);
    assert_int_equal(slots, MMS_SLOTS + 1);
  }
  assert_true(rows > MMS_ROWS);
  for (size_t i = 0; i < MMS_ROWS; i++) { /* both lists of types, pack/types.def and algebra/type/, say the same */
    const mms_algebra *a = mms_algebra_at(i);
    const mms_type *type = mms_type_of(a->type);
    assert_string_equal(a->type_name, type->name);
    assert_true(a->kind == type->kind && a->size == type->size);
  }
  mmscan_kernel kernel = {.struct_size = sizeof kernel}, wrong = {.struct_size = 1};
  assert_int_equal(mmscan_get_kernel("abacus", 0, 0, &kernel), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_kernel(NULL, rows, 0, &kernel), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_kernel(NULL, 0, 0, &wrong), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_kernel(NULL, 0, 0, NULL), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_algebra(0, NULL), MMSCAN_EINVAL);
  row.struct_size = 8;
  assert_int_equal(mmscan_get_algebra(0, &row), MMSCAN_EINVAL);
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    assert_int_equal(mmscan_get_kernel(mms_isa_name(i), 0, 0, &kernel), mms_isa_at(i) ? MMSCAN_OK : MMSCAN_ENOTSUP);
}

int main(void) { return run_all_tests(NULL, NULL); }
