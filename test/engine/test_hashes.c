/* test_hashes.c: the bits of results are those of an earlier commit: hashes of a fixed list of scans, by each engine on
 * each instruction set, beside those in hashes.def.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hashes were recorded from commit 744ae0a. Integers are exact, so theirs never change. Those of floats change
 * where sums are added in another order: to be done on purpose only, in a commit that says so, by
 *
 *     MMSCAN_RECORD=1 build/test/test_hashes >new && mv new test/engine/hashes.def
 *
 * which keeps the lines of instruction sets that do not run here. Those of neon come from an emulator (make check-neon;
 * the line above with QEMU_CPU, QEMU_LD_PREFIX and MMSCAN_TEST_EMULATOR as there, and qemu-aarch64 before the program).
 * The order in which an instruction set adds follows from the length of its vectors alone. So the lines of avx512vl are
 * those of avx2; and those of avx512 were recorded, without such a CPU, from the kernels of portable with VECTOR set to
 * 64 and moves of as many lanes, which had the hashes of avx2 with VECTOR set to 32.
 *
 * What depends on the machine is fixed: the unit of gemm is the model, and tiles, matrices and threads are given. NaN
 * counts as one value, as neither its sign nor its payload is promised. */
#include <math.h>

#include "support/child.h"
#include "support/oracle.h"

/* ---- What is scanned --------------------------------------------------------------------------------------------- */

/* Sorts of numbers. Integers have the first two. */
enum sort { ORDINARY, SMALL, LARGE, NONFINITE, ZEROS, SORTS };
static const char *const sorts[SORTS] = {"ordinary", "small", "large", "nonfinite", "zeros"};

static int sorts_of(size_t t) { return is_float(type_at(t)) ? SORTS : SMALL + 1; }

/* A hash is of all ways to scan one sort of numbers of one type: inclusive, the same in reverse, and exclusive. */
enum { WAYS = 4 };
static mmscan_kind kind_of(int way) { return way < 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE; }
static int is_reverse(int way) { return way % 2; }

/* Only ordinary numbers are scanned at the greatest length, by plans. */
enum { LONGEST = (1 << 20) + 17, ROOM = LONGEST + 64, OTHERS_LONGEST = 25000, OTHERS_ROOM = OTHERS_LONGEST + 64 };

/* A number of so many binary digits, its sign included, up to 2^6. */
static double ordinary(struct rng *rng, int digits) {
  const int64_t whole = (int64_t)draw(rng) >> (64 - digits);
  const uint64_t scale = draw(rng) % 16;
  return (double)whole * (double)(1 << scale) / (double)((int64_t)1 << (digits + 8));
}

/* Some numbers are so large that sums of others with them must not be regrouped, or are no numbers, or zeros; `most` is
 * the largest float, or near it. */
static double float_at(struct rng *rng, enum sort sort, size_t i, int digits, double most) {
  const double value = sort == SMALL ? (double)(draw(rng) % 9) - 4 : ordinary(rng, digits);
  const uint64_t chance = draw(rng) % 512;
  switch (sort) {
  case LARGE:
    return chance == 0 ? most / 64 * value : value;
  case NONFINITE:
    return chance == 0 && i > 40 ? (value > 0 ? INFINITY : -INFINITY) : chance == 1 && i > 9000 ? NAN : value;
  case ZEROS:
    return i < 70 || chance < 400 ? -0.0 : chance < 410 ? value / most : value;
  default:
    return value;
  }
}

static uint64_t integer_at(struct rng *rng, enum sort sort) { return sort == SMALL ? draw(rng) % 9 - 4 : draw(rng); }

static void fill(size_t t, enum sort sort, size_t count, unsigned char *x) {
  const struct type *type = type_at(t);
  struct rng rng = {(uint64_t)sort};
  for (size_t i = 0; i < count; i++) {
    if (type->type == MMSCAN_F32) {
      put_float(type->type, x, i, float_at(&rng, sort, i, 24, 0x1p127));
    } else if (type->type == MMSCAN_F64) {
      put_float(type->type, x, i, float_at(&rng, sort, i, 53, 0x1p1023));
    } else {
      const uint64_t value = integer_at(&rng, sort);
      memcpy(x + type->size * i, &value, type->size);
    }
  }
}

/* ---- Hashes ------------------------------------------------------------------------------------------------------ */

static uint64_t bits_at(size_t t, const unsigned char *y, size_t i) {
  uint32_t half;
  uint64_t whole;
  if (type_at(t)->size == 4) {
    memcpy(&half, y + 4 * i, 4);
    return type_at(t)->type == MMSCAN_F32 && (half & INT32_MAX) > 0x7f800000 ? 0x7fc00000 : half;
  }
  memcpy(&whole, y + 8 * i, 8);
  const bool is_nan = type_at(t)->type == MMSCAN_F64 && (whole & INT64_MAX) > UINT64_C(0x7ff) << 52;
  return is_nan ? UINT64_C(0x7ff8) << 48 : whole;
}

/* FNV-1a, by elements. */
static const uint64_t START = UINT64_C(0xcbf29ce484222325);

static uint64_t mix(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 32;
}

static uint64_t hash_of(uint64_t hash, size_t t, const unsigned char *y, size_t n) {
  for (size_t i = 0; i < n; i++) hash = mix(hash, bits_at(t, y, i));
  return hash;
}

/* ---- The list ---------------------------------------------------------------------------------------------------- */

/* What all scans in one way have in common, and their hash so far. */
struct hashed {
  size_t t;
  int way;
  enum sort sort;
  const unsigned char *x;
  unsigned char *y;
  uint64_t hash;
  size_t turn; /* scans done: each has another offset, number of threads, s and tile, and is in place or not */
};

/* Scans n elements, or `batch` rows of them that are dist apart. Offsets are in elements, so that x and y are aligned
 * to their type and to nothing else. */
struct job {
  size_t n, batch, dist;
};

static size_t elements_of(const struct job *job) { return (job->batch - 1) * job->dist + job->n; }

static mmscan_desc desc_of(const struct hashed *h, const struct job *job, const void *init) {
  mmscan_desc desc = plain_desc(type_at(h->t)->type, kind_of(h->way), is_reverse(h->way), job->n);
  desc.batch = job->batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)job->dist;
  desc.init = kind_of(h->way) == MMSCAN_EXCLUSIVE ? init : NULL;
  return desc;
}

/* Where the scan of this turn reads and writes. In place, y is a copy of x first. */
static const unsigned char *place(struct hashed *h, size_t count, unsigned char **y) {
  const size_t size = type_at(h->t)->size, offset = h->turn * 5 % 16 * size;
  const bool in_place = h->turn % 2;
  *y = h->y + offset;
  if (!in_place) memset(*y, 0, count * size);
  if (!in_place) return h->x + h->turn * 3 % 16 * size;
  memcpy(*y, h->x, count * size);
  return *y;
}

static void finish(struct hashed *h, const unsigned char *y, size_t count) {
  h->hash = hash_of(h->hash, h->t, y, count);
  h->turn++;
}

/* A tile of 0 is the default one, whose elements are the same everywhere. */
static void scan_planned(struct hashed *h, struct job job) {
  static const size_t tiles[] = {0, 1024, 0, 4096, 1000}, sizes[] = {4, 16, 2, 8, 7};
  const bool is_serial = same_text(getenv("MMSCAN_ENGINE"), "serial"),
             is_gemm = same_text(getenv("MMSCAN_ENGINE"), "gemm");
  const mmscan_choice choice = {.struct_size = sizeof choice,
                                .s = is_gemm ? sizes[h->turn % COUNT(sizes)] : 0,
                                .tile = is_serial ? 0 : tiles[h->turn / 2 % COUNT(tiles)],
                                .threads = 1 + (int)(h->turn / 3 % 3)};
  const mmscan_desc desc = desc_of(h, &job, h->x + type_at(h->t)->size);
  mmscan_plan *plan;
  unsigned char *y;
  assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice));
  const unsigned char *x = place(h, elements_of(&job), &y);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  finish(h, y, elements_of(&job));
  mmscan_plan_destroy(plan);
}

/* Three blocks of n elements of one scan, with a carry. */
static void scan_blocks(struct hashed *h, size_t n) {
  const size_t size = type_at(h->t)->size;
  const mmscan_desc desc = desc_of(h, &(struct job){n, 1, 0}, NULL);
  unsigned char carry[8], *y;
  const unsigned char *x = place(h, 3 * n, &y);
  memcpy(carry, h->x + size, size);
  for (size_t i = 0; i < 3; i++) {
    const size_t at = (is_reverse(h->way) ? 2 - i : i) * n * size;
    assert_mmscan_ok(mmscan_scan_block(&desc, x + at, y + at, carry));
  }
  h->hash = hash_of(h->hash, h->t, carry, 1);
  finish(h, y, 3 * n);
}

static const size_t lengths[] = {0,   1,   2,   3,    4,    5,    7,    8,     9,     15,    16,   17,  23,  24,
                                 31,  32,  33,  47,   48,   49,   50,   51,    52,    53,    60,   61,  62,  63,
                                 64,  65,  66,  79,   80,   81,   95,   96,    97,    112,   127,  128, 129, 130,
                                 255, 256, 257, 1000, 4095, 4096, 4097, 16383, 16384, 16385, 20000};

static void hash_planned(struct hashed *h) {
  static const size_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33, 64, 65, 100}, blocks[] = {1, 9, 100, 5000};
  for (size_t i = 0; i < 2 * COUNT(lengths); i++) scan_planned(h, (struct job){lengths[i / 2], 1, 0});
  for (size_t i = 0; i < 4 * COUNT(rows); i++)
    scan_planned(h, (struct job){rows[i / 4], 45, rows[i / 4] + (i % 4 < 2 ? 0 : 3)});
  scan_planned(h, (struct job){5000, 5, 5000});
  for (size_t i = 0; i < 2 * COUNT(blocks); i++) scan_blocks(h, blocks[i / 2]);
  if (h->sort != ORDINARY) return;
  scan_planned(h, (struct job){100003, 1, 0});
  scan_planned(h, (struct job){LONGEST, 1, 0});
}

/* ---- Simple calls ------------------------------------------------------------------------------------------------ */

/* As long as they need no plan. They have no reverse. */
static void hash_simple(struct hashed *h) {
  const struct type *type = type_at(h->t);
  _Alignas(8) unsigned char init[8] = {3};
  if (is_float(type)) put_float(type->type, init, 0, 3);
  for (size_t i = 0; i < 2 * COUNT(lengths) && !is_reverse(h->way); i++) {
    const size_t n = lengths[i / 2];
    unsigned char *y;
    if (n * type->size > 128 << 10) continue;
    const unsigned char *x = place(h, n, &y);
    assert_mmscan_ok(kind_of(h->way) == MMSCAN_INCLUSIVE ? type->inclusive(n, x, y) : type->exclusive(n, init, x, y));
    finish(h, y, n);
  }
}

/* ---- Children: an environment each ------------------------------------------------------------------------------- */

/* Without an engine, simple calls. */
static const char *const engines[] = {"simple", "simd", "gemm", "serial"};

/* Unsigned integers have the hashes of signed ones; a quick run leaves them out. */
enum { RECORDED = 4 };
static size_t recorded_as(size_t t) { return t < RECORDED ? t : t - 2; }
static size_t types_hashed(void) { return sized(TYPES, RECORDED); }

/* By sort and type; where there is none, 0. */
typedef uint64_t all_hashes[SORTS][TYPES];

static int hash_all(void) {
  all_hashes hashes = {{0}};
  unsigned char *x = malloc(ROOM * 8), *y = malloc(ROOM * 8);
  const bool by_plans = getenv("MMSCAN_ENGINE") != NULL;
  if (x == NULL || y == NULL) return 1;
  for (size_t t = 0; t < types_hashed(); t++)
    for (int sort = 0; sort < sorts_of(t); sort++) {
      uint64_t *hash = &hashes[sort][t];
      *hash = START;
      fill(t, (enum sort)sort, by_plans && sort == ORDINARY ? ROOM : OTHERS_ROOM, x);
      for (int way = 0; way < WAYS; way++) {
        struct hashed h = {.t = t, .way = way, .sort = (enum sort)sort, .x = x, .y = y, .hash = START};
        if (by_plans)
          hash_planned(&h);
        else
          hash_simple(&h);
        *hash = mix(*hash, h.hash);
      }
    }
  free(x);
  free(y);
  return report_to_parent(hashes, sizeof hashes);
}

static const struct child children[] = {{"hash", hash_all}};

/* All hashes of an engine and an instruction set. */
static void ask(const char *engine, const char *isa, all_hashes hashes) {
  const bool is_gemm = same_text(engine, "gemm");
  const struct setting settings[] = {{"MMSCAN_ISA", isa},
                                     {same_text(engine, "simple") ? NULL : "MMSCAN_ENGINE", engine},
                                     {is_gemm ? "MMSCAN_UNIT" : NULL, "model"}};
  ask_report("hash", settings, COUNT(settings), hashes, sizeof(all_hashes));
}

/* An emulator would take long for the model, around which it runs what this machine has of its own. */
static bool takes_long(const char *isa, const char *engine) {
  return emulator() != NULL && same_text(engine, "gemm") && !same_text(isa, mmscan_isa());
}

/* The plain loop has no instruction set. */
static bool is_listed(const char *isa, const char *engine) {
  return !same_text(engine, "serial") || same_text(isa, "portable");
}

static bool runs_here(const char *isa) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_isa(i, &part) == MMSCAN_OK; i++)
    if (same_text(part.name, isa)) return part.status == MMSCAN_OK;
  return false;
}

/* ---- What was recorded ------------------------------------------------------------------------------------------- */

struct record {
  const char *isa, *engine, *sort;
  uint64_t hashes[RECORDED];
};

#define HASHES(isa, engine, sort, f32, f64, i32, i64) {#isa, #engine, #sort, {f32, f64, i32, i64}},
static const struct record records[] = {
#include "hashes.def"
};

static const struct record *recorded(const char *isa, const char *engine, int sort) {
  for (const struct record *r = records; r < records + COUNT(records); r++)
    if (same_text(r->isa, isa) && same_text(r->engine, engine) && same_text(r->sort, sorts[sort])) return r;
  return NULL;
}

static size_t compare(const char *isa, const char *engine) {
  all_hashes hashes;
  size_t wrong = 0;
  ask(engine, isa, hashes);
  for (int sort = 0; sort < SORTS; sort++) {
    const struct record *r = recorded(isa, engine, sort);
    if (r == NULL) fail_msg("%s %s %s: not in test/engine/hashes.def", isa, engine, sorts[sort]);
    for (size_t t = 0; t < types_hashed(); t++) {
      if (r->hashes[recorded_as(t)] == hashes[sort][t]) continue;
      print_error("%s on %s: other bits: %s, %s numbers\n", engine, isa, type_at(t)->name, sorts[sort]);
      wrong++;
    }
  }
  return wrong;
}

TEST(hashes_are_those_recorded) {
  mmscan_part isa = {.struct_size = sizeof isa};
  size_t wrong = 0;
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++) {
    print_message("%s %s\n", runs_here(isa.name) ? "hashed: " : "skipped:", isa.name);
    for (size_t e = 0; runs_here(isa.name) && e < COUNT(engines); e++)
      if (is_listed(isa.name, engines[e]) && !takes_long(isa.name, engines[e])) wrong += compare(isa.name, engines[e]);
  }
  if (wrong > 0) fail_msg("%zu hashes differ", wrong);
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

static void print_part(const char *isa, const char *engine) {
  all_hashes hashes;
  if (runs_here(isa)) ask(engine, isa, hashes);
  for (int sort = 0; sort < SORTS; sort++) {
    const struct record *old = recorded(isa, engine, sort);
    const uint64_t *row = runs_here(isa) ? hashes[sort] : old ? old->hashes : NULL;
    if (row == NULL) continue;
    printf("HASHES(%s, %s, %s", isa, engine, sorts[sort]);
    for (size_t t = 0; t < RECORDED; t++)
      printf(sort < sorts_of(t) ? ", 0x%016llx" : ", %llu", (unsigned long long)row[t]);
    puts(")");
  }
}

static int record(void) {
  mmscan_part isa = {.struct_size = sizeof isa};
  puts("/* hashes.def: of results, recorded by test_hashes.c, which says how: HASHES(instruction set, engine, sort of "
       "numbers,\n * f32, f64, i32, i64) */");
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++)
    for (size_t e = 0; e < COUNT(engines); e++)
      if (is_listed(isa.name, engines[e])) print_part(isa.name, engines[e]);
  return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  unsetenv("MMSCAN_ENGINE"); /* children have it, or not */
  wait_passively(argv);
  return getenv("MMSCAN_RECORD") != NULL ? record() : run_all_tests(NULL, NULL);
}
