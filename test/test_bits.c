/* test_bits.c: the bits of a result depend neither on the number of threads nor on whether a run is left to one thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <float.h>
#include <omp.h>
#include <stdatomic.h>

#include "apart.h"
#include "at_once.h"
#include "chain.h"
#include "clock.h"
#include "contention.h"
#include "each_openblas.h"
#include "kernel/isa.h"
#include "kernel/tuning.h"
#include "leader.h"
#include "shares.h"
#include "shot.h"
#include "tiles.h"
#include "wake.h"

/* ---- Which threads take part ------------------------------------------------------------------------------------- */

/* The library calls these functions for each tile (the Makefile wraps them), which shows which threads of a run had
 * one. The first of several threads to have a tile waits for the second: left alone, it would often be done before the
 * others are awake. With is_contention_hidden, no run is left to one thread because another was held up. */
static atomic_uint took_part; /* one bit per thread */
static bool is_contention_hidden, is_contention_made_up;

/* How threads share tiles: in the way that suits them; in a chain if they can, whatever the number of cores; or behind
 * a leader. */
static enum { AS_SUITS, CHAINED, LED } way;
static atomic_size_t had_shares, had_chain; /* runs */
static unsigned absent;                     /* threads that do not come, one bit each */
static bool is_race;                        /* thread 0 comes just after thread 1 has taken its share */
static atomic_int lined_up;                 /* threads that have come */
static int had_first;                       /* the thread that has the first tile */
static bool are_apart;

mms_place __real_mms_tiles_at(const mms_tiles *tiles, size_t index);
mms_place __real_mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan);
void __real_mms_tiles_batch(const mms_tiles *tiles, void *work, size_t from, size_t to);
bool __real_mms_contended(void);
mms_place __wrap_mms_tiles_at(const mms_tiles *tiles, size_t index);
mms_place __wrap_mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan);
void __wrap_mms_tiles_batch(const mms_tiles *tiles, void *work, size_t from, size_t to);
bool __wrap_mms_contended(void);
bool __real_mms_shares_suit(const mms_tiles *tiles);
bool __wrap_mms_shares_suit(const mms_tiles *tiles);
void __real_mms_shares_take_part(void *shares, void *work);
void __wrap_mms_shares_take_part(void *shares, void *work);
void __real_mms_leader_take_part(void *leader, void *work);
void __wrap_mms_leader_take_part(void *leader, void *work);
bool __real_mms_chain_suits(const mms_tiles *tiles);
bool __wrap_mms_chain_suits(const mms_tiles *tiles);
void __real_mms_chain_take_part(void *chain, void *work);
void __wrap_mms_chain_take_part(void *chain, void *work);
bool __wrap_mms_apart(void);

static void take_part(void) {
  const unsigned self = 1u << omp_get_thread_num();
  bool is_first = atomic_fetch_or(&took_part, self) == 0 && omp_get_num_threads() > 1;
  for (int turn = 0; is_first && turn < 50 && atomic_load(&took_part) == self; turn++) usleep(20);
}

mms_place __wrap_mms_tiles_at(const mms_tiles *tiles, size_t index) {
  if (!is_race)
    take_part();
  else if (index == 0)
    had_first = omp_get_thread_num();
  return __real_mms_tiles_at(tiles, index);
}

mms_place __wrap_mms_tiles_in_scan(const mms_tiles *tiles, size_t scan, size_t in_scan) {
  take_part();
  return __real_mms_tiles_in_scan(tiles, scan, in_scan);
}

void __wrap_mms_tiles_batch(const mms_tiles *tiles, void *work, size_t from, size_t to) {
  take_part();
  __real_mms_tiles_batch(tiles, work, from, to);
}

bool __wrap_mms_contended(void) { return is_contention_made_up || (!is_contention_hidden && __real_mms_contended()); }

bool __wrap_mms_shares_suit(const mms_tiles *tiles) {
  if (way != AS_SUITS || !__real_mms_shares_suit(tiles)) return false;
  atomic_fetch_add(&had_shares, 1);
  return true;
}

/* Waits until both threads are here; then the first one waits until a moment after the last share is taken. Gives up
 * after 10 ms. */
static void line_up(const mms_shares *shares) {
  const uint64_t last = (uint64_t)1 << (shares->tiles->sharing - 1);
  const double end = seconds() + 0.01;
  atomic_fetch_add(&lined_up, 1);
  while (lined_up < 2 && seconds() < end)
    ;
  if (omp_get_thread_num() != 0) return;
  while (!(shares->taken & last) && seconds() < end)
    ;
  for (int looks = 0; looks < 3000; looks++) (void)atomic_load(&shares->taken);
}

void __wrap_mms_shares_take_part(void *shares, void *work) {
  if (is_race) line_up(shares);
  if (!(absent & 1u << omp_get_thread_num())) __real_mms_shares_take_part(shares, work);
}

void __wrap_mms_leader_take_part(void *leader, void *work) {
  if (!(absent & 1u << omp_get_thread_num())) __real_mms_leader_take_part(leader, work);
}

bool __wrap_mms_chain_suits(const mms_tiles *tiles) {
  if (way == LED || !mms_tiles_can_prepare(tiles)) return false;
  atomic_fetch_add(&had_chain, 1);
  return true;
}

void __wrap_mms_chain_take_part(void *chain, void *work) {
  if (!(absent & 1u << omp_get_thread_num())) __real_mms_chain_take_part(chain, work);
}

bool __wrap_mms_apart(void) { return are_apart; }

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

/* Tiles in a row, rows, and both, long enough for two threads even in a quick run. */
struct shape {
  size_t n, quick_n, batch, tile; /* tile 0: the library's */
};

static const struct shape shapes[] = {{50000, 3125, 1, 1024},   {3000, 1000, 37, 0},   {2500, 600, 7, 250},
                                      {1 << 18, 1 << 16, 1, 0}, {100001, 12000, 3, 0}, {360000, 360000, 3, 481}};

enum { MOST = 3 * 360000 }; /* elements of any shape */

/* The 64-bit elements of the last shape take more than 8 MiB: the next elements are prefetched, results go past the
 * caches, and a few threads have groups of the greatest length. None of its tiles ends between blocks. The best
 * instruction set scans all elements in it, and those of 64 bits are scanned by all. A quick run scans it at full
 * length, but only those of 64 bits by the best. */
static bool is_of_shape(const struct type *type, const mmscan_choice *choice, size_t shape) {
  if (shape < COUNT(shapes) - 1) return true;
  const bool is_best = same_text(choice->isa, mms_isa_best()->name), is_long = type->size == 8;
  return same_text(choice->engine, "simd") && (quick() ? is_best && is_long : is_best || is_long);
}

/* Counts of runs by several threads: all, those in which more than one thread had a tile, those in shares, and those in
 * a chain. */
struct tally {
  size_t runs, shared, in_shares, in_chain;
};

static void execute_with(const mmscan_desc *desc, mmscan_choice choice, int threads, const void *x, void *y) {
  mmscan_choice used;
  choice.threads = threads;
  mmscan_plan *plan = plan_new(desc, &choice, &used);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
}

/* Scans of more than 8 MiB are run with both values of the setting `fetches`, and with results that go past the caches
 * and results that do not. */
static void check_same_bits(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice,
                            int threads, const struct buffer *one) {
  const size_t size = desc->n * desc->batch * sample->oracle.type->size;
  const mms_tuning here = mms_tuning_here;
  struct buffer many = buffer_new(size, 0);
  for (int other = 0; other < (size > (size_t)8 << 20 ? 2 : 1); other++) {
    mms_tuning_here.fetches = here.fetches != other;
    mms_tuning_here.stream_from = (size_t)(other ? 16 : 8) << 20;
    execute_with(desc, *choice, threads, sample->x, many.data);
    if (memcmp(one->data, many.data, size) != 0)
      fail_seeded("%s, n %zu, batch %zu, %s x %s, tile %zu: %d threads give other bits than one",
                  sample->oracle.type->name, desc->n, desc->batch, choice->engine, part_of(choice), choice->tile,
                  threads);
  }
  mms_tuning_here = here;
  buffer_free(&many);
}

enum { SMALL = 4096 }; /* bytes */

/* Compares one thread with two other numbers of threads, which change from turn to turn; the second number runs in a
 * chain or with a leader. In every other turn cores are on dies, threads are apart, and a leader has one round; in half
 * of those turns a share exceeds what a core's own cache holds. */
static void check_bits(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice, unsigned turn,
                       struct tally *tally) {
  static const int counts[] = {2, 3, 7, 16};
  const size_t size = desc->n * desc->batch * sample->oracle.type->size;
  const mms_tuning here = mms_tuning_here;
  struct buffer one = buffer_new(size, 0);
  execute_with(desc, *choice, 1, sample->x, one.data);
  mms_tuning_here.has_dies = are_apart = turn % 2 == 0;
  if (turn % 4 == 0 && !choice->unit) mms_tuning_here.half_cache = SMALL; /* a unit would have other blocks */
  for (unsigned i = turn; i < turn + 2; i++) {
    const int threads = counts[i % sized(COUNT(counts), 3)];
    atomic_store(&took_part, 0);
    atomic_store(&had_shares, 0);
    atomic_store(&had_chain, 0);
    way = i == turn ? AS_SUITS : turn % 3 == 0 ? CHAINED : LED;
    check_same_bits(sample, desc, choice, threads, &one);
    way = AS_SUITS;
    unsigned bits = atomic_load(&took_part);
    tally->runs++;
    tally->shared += (bits & (bits - 1)) != 0;
    tally->in_shares += atomic_load(&had_shares) > 0;
    tally->in_chain += atomic_load(&had_chain) > 0;
  }
  are_apart = false;
  mms_tuning_here = here;
  buffer_free(&one);
}

static void check_bits_of_shape(const struct sample *sample, struct shape shape, mmscan_choice choice,
                                struct tally *tally) {
  const size_t n = sized(shape.n, shape.quick_n) / (is_model(&choice) ? 8 : 1);
  if (cuts_tiles(&choice)) choice.tile = shape.tile;
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) {
    struct shot shot = {.sample = sample};
    shot_set(&shot, variant, n);
    shot.desc.batch = shape.batch;
    shot.desc.x_dist = shot.desc.y_dist = (ptrdiff_t)n;
    check_bits(sample, &shot.desc, &choice, variant, tally);
  }
}

/* With every engine, or with one unit only. */
static void check_bits_of_type(const struct type *type, const char *unit, struct tally *tallies) {
  const struct forced *forced = forced_all();
  struct sample sample = sample_without_sums(type, RANDOM, MOST);
  for (size_t c = 0; c < forced->count; c++)
    for (size_t i = 0; i < COUNT(shapes); i++)
      if (is_of_shape(type, &forced->choice[c], i) && (!unit || same_text(forced->choice[c].unit, unit)))
        check_bits_of_shape(&sample, shapes[i], forced->choice[c], &tallies[i]);
  sample_free(&sample);
}

/* A quick run takes a float and an integer type of each size; for one unit, one float and one integer type. */
static void check_all_bits(const char *unit) {
  struct tally tallies[COUNT(shapes)] = {{0}};
  const size_t types = quick() ? 4 : TYPES, step = quick() && unit ? 3 : 1;
  is_contention_hidden = true;
  for (size_t t = 0; t < types; t += step) check_bits_of_type(type_at(t), unit, tallies);
  is_contention_hidden = false;
  for (size_t i = 0; i < COUNT(shapes); i++) {
    const struct tally *tally = &tallies[i];
    if (tally->runs == 0) continue;
    print_message("n %zu, batch %zu: %zu of %zu runs were shared, %zu in shares, %zu in a chain\n",
                  sized(shapes[i].n, shapes[i].quick_n), shapes[i].batch, tally->shared, tally->runs, tally->in_shares,
                  tally->in_chain);
    if (tally->shared == 0) fail_msg("in none of them a second thread had a tile");
  }
}

static void test_same_bits(void **state) {
  (void)state;
  check_all_bits(NULL);
}

static void test_same_bits_of_the_blas(void **state) {
  (void)state;
  check_all_bits("cblas");
}

/* A run of three threads, some of which do not come. */
static void check_absent(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice,
                         unsigned missing, const struct buffer *one) {
  const size_t size = desc->n * desc->batch * sizeof(float);
  struct buffer few = buffer_new(size, 0);
  memset(few.data, 0, size);
  atomic_store(&had_shares, 0);
  atomic_store(&had_chain, 0);
  atomic_store(&took_part, 0);
  absent = missing;
  execute_with(desc, *choice, 3, sample->x, few.data);
  absent = 0;
  assert_int_equal(atomic_load(&had_shares), way == AS_SUITS);
  assert_int_equal(atomic_load(&had_chain), way == CHAINED && same_text(choice->engine, "gemm"));
  assert_int_equal(atomic_load(&took_part) & missing, 0);
  assert_memory_equal(one->data, few.data, size);
  buffer_free(&few);
}

/* The threads that come do the work of those that do not, whichever they are: shares, tiles of a chain, or tiles behind
 * a leader. Where cores are on dies, the last thread leads if it comes soon. */
static void test_absent_threads(void **state) {
  (void)state;
  static const mmscan_choice choices[] = {
      {.struct_size = sizeof(mmscan_choice), .engine = "simd", .tile = 1024},
      {.struct_size = sizeof(mmscan_choice), .engine = "gemm", .unit = "cblas", .tile = 1024}};
  static const unsigned sets[] = {1, 2, 3, 4, 5, 6, 0}; /* of three */
  const size_t n = 7001, batch = 3, size = batch * n * sizeof(float);
  const bool before = mms_tuning_here.has_dies;
  struct sample sample = sample_without_sums(type_at(0), RANDOM, batch * n);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  struct buffer one = buffer_new(size, 0);
  is_contention_hidden = true;
  for (size_t c = 0; c < COUNT(choices); c++) {
    execute_with(&desc, choices[c], 1, sample.x, one.data);
    for (size_t i = 0; i < 4 * COUNT(sets); i++) {
      way = i % 4 == 0 ? AS_SUITS : i % 4 == 1 ? CHAINED : LED;
      mms_tuning_here.has_dies = i % 4 == 3;
      check_absent(&sample, &desc, &choices[c], sets[i / 4], &one);
    }
  }
  way = AS_SUITS;
  is_contention_hidden = false;
  mms_tuning_here.has_dies = before;
  buffer_free(&one);
  sample_free(&sample);
}

/* In a chain all threads wait for each one, so each must have a core. Only tiles that fit in one block are prepared. */
static void test_who_has_a_chain(void **state) {
  (void)state;
  const size_t cores = (size_t)omp_get_num_procs();
  for (size_t block = 4096; block >= 4096 - 256; block -= 256) {
    const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), .s = 4, .tile = 1024, .block = block};
    const mms_run run = {.engine = &mms_engine_gemm, .job = &job};
    mms_tiles tiles = {.run = &run, .sharing = cores};
    assert_int_equal(__real_mms_chain_suits(&tiles), block == 4096);
    tiles.sharing = cores + 1;
    assert_false(__real_mms_chain_suits(&tiles));
  }
  const mms_run other = {.engine = &mms_engine_simd};
  assert_false(__real_mms_chain_suits(&(mms_tiles){.run = &other, .sharing = 2}));
}

/* The second thread has nothing to reduce, since no thread needs the carry out of its tile. It still leaves the first
 * tile to the first thread, which comes a moment later. */
static void test_each_its_own(void **state) {
  (void)state;
  enum { N = 20000, ENOUGH = 50 };
  const mmscan_choice choice = {.struct_size = sizeof(mmscan_choice), .engine = "simd", .tile = N / 2};
  struct sample sample = sample_without_sums(type_at(0), RANDOM, N);
  struct buffer y = buffer_new(N * sizeof(float), 0);
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  const bool at_once = are_two_at_once();
  const double end = seconds() + 30;
  int run = 0, own = 0;
  is_contention_hidden = is_race = true;
  for (; own < ENOUGH && (run < 2 * ENOUGH || (at_once && seconds() < end)); run++) {
    lined_up = 0;
    had_first = -1;
    execute_with(&desc, choice, 2, sample.x, y.data);
    own += had_first == 0;
  }
  is_contention_hidden = is_race = false;
  print_message("in %d of %d runs the first thread had the first tile\n", own, run);
  if (at_once) assert_int_equal(own, ENOUGH);
  buffer_free(&y);
  sample_free(&sample);
}

/* The first tile is always the leader's, so a first group that started there would belong to no follower. */
static void test_lead(void **state) {
  (void)state;
  const mms_tuning before = mms_tuning_here;
  const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32)};
  const mms_run run = {.engine = &mms_engine_simd, .job = &job};
  for (size_t count = 2; count < 300; count++)
    for (size_t sharing = 2; sharing <= 9; sharing++) {
      const mms_tiles tiles = {
          .run = &run, .element = 4, .most = 1024, .per_scan = count, .count = count, .sharing = sharing};
      mms_tuning_here.has_dies = count % 2 == 0;
      mms_tuning_here.reduces_slowly = count % 4 == 0;
      const mms_layout layout = mms_layout_of(&tiles);
      assert_true(layout.lead > 0 && layout.lead < count && layout.group > 0);
    }
  mms_tuning_here = before;
}

/* Where OpenMP gives fewer threads than it was asked for, those threads do all rows. */
static void test_fewer_threads(void **state) {
  (void)state;
  enum { ASKED = 16, N = 1000, BATCH = 130 };
  const size_t size = BATCH * N * sizeof(float);
  const mmscan_choice choice = {.struct_size = sizeof(mmscan_choice), .engine = "simd"};
  struct sample sample = sample_without_sums(type_at(0), RANDOM, BATCH * N);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  desc.batch = BATCH;
  desc.x_dist = desc.y_dist = N;
  struct buffer one = buffer_new(size, 0), many = buffer_new(size, 0);
  int given = 0;
  execute_with(&desc, choice, 1, sample.x, one.data);
  is_contention_hidden = true;
  omp_set_dynamic(1);
#pragma omp parallel num_threads(ASKED)
#pragma omp single
  given = omp_get_num_threads();
  for (int i = 0; i < 20; i++) {
    memset(many.data, 0, size);
    execute_with(&desc, choice, ASKED, sample.x, many.data);
    assert_memory_equal(one.data, many.data, size);
  }
  omp_set_dynamic(0);
  is_contention_hidden = false;
  print_message("%d threads of %d\n", given, ASKED);
  buffer_free(&one);
  buffer_free(&many);
  sample_free(&sample);
}

/* Rows whose first carry is so large that sums may not be regrouped, until an element brings it down. One thread
 * streams them and two do not, or the other way round. */
static void test_heavy_rows(void **state) {
  (void)state;
  enum { N = 30000, BATCH = 100 };
  static const float init = FLT_MAX;
  const mmscan_choice choice = {.struct_size = sizeof(mmscan_choice), .engine = "simd"};
  struct sample sample = sample_without_sums(type_at(0), RANDOM, BATCH * N);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_EXCLUSIVE, 0, N);
  desc.batch = BATCH;
  desc.x_dist = desc.y_dist = N;
  desc.init = &init;
  for (size_t row = 0; row < BATCH; row++) ((float *)sample.x)[row * N] = -FLT_MAX;
  struct buffer one = buffer_new(BATCH * N * sizeof(float), 0);
  execute_with(&desc, choice, 1, sample.x, one.data);
  check_same_bits(&sample, &desc, &choice, 2, &one);
  buffer_free(&one);
  sample_free(&sample);
}

/* ---- Other processes --------------------------------------------------------------------------------------------- */

/* Threads round as their caller does. */
static void test_rounding_of_the_caller(void **state) {
  (void)state;
  static const mmscan_choice choices[] = {
      {.struct_size = sizeof(mmscan_choice), .engine = "simd", .tile = 1024},
      {.struct_size = sizeof(mmscan_choice), .engine = "gemm", .unit = "cblas", .tile = 1024}};
  struct tally tally = {0};
  is_contention_hidden = true;
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    const size_t n = sized(100000, 20000);
    struct sample sample = sample_without_sums(type_at(t), RANDOM, n);
    mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
    for (size_t c = 0; c < COUNT(choices); c++)
      for (unsigned turn = 0; turn < 5; turn++) {
        fesetround(FE_UPWARD);
        check_bits(&sample, &desc, &choices[c], turn, &tally);
        fesetround(FE_TONEAREST);
      }
    sample_free(&sample);
  }
  is_contention_hidden = false;
  assert_true(tally.shared > 0);
}

/* So do the threads of a run by the paper. */
static void test_rounding_by_the_letter(void **state) {
  (void)state;
  const size_t n = 99999;
  struct sample sample = sample_without_sums(type_at(0), RANDOM, n);
  struct buffer y[2] = {buffer_new(n * sizeof(float), 0), buffer_new(n * sizeof(float), 0)};
  for (int many = 0; many <= 1; many++) {
    const mmscan_matmul_desc d = matmul_desc(MMSCAN_F32, n, 10, "model", many ? 4 : 1);
    fesetround(FE_UPWARD);
    assert_mmscan_ok(mmscan_matmulscan(&d, sample.x, y[many].data, NULL));
    fesetround(FE_TONEAREST);
  }
  assert_memory_equal(y[0].data, y[1].data, n * sizeof(float));
  buffer_free(&y[0]);
  buffer_free(&y[1]);
  sample_free(&sample);
}

/* Shows how the vector unit rounds; fegetround() may report another unit's mode. Computed here, not at the place of
 * use. */
static double third(void) {
  const volatile double one = 1, three = 3;
  const volatile double result = one / three;
  return result;
}

/* In a later parallel region of the program, threads round as they did before a call that they took part in or were
 * started for. This test comes first, so its calls start the threads. */
static void test_rounding_of_threads_after(void **state) {
  (void)state;
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1024};
  const size_t n = 20000;
  struct sample sample = sample_without_sums(type_at(0), RANDOM, n);
  struct buffer y = buffer_new(n * sizeof(float), 0);
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  const mmscan_matmul_desc letter = matmul_desc(MMSCAN_F32, 9999, 10, "model", 3);
  const double nearest = third();
  int other = 0;
  is_contention_hidden = true;
  for (int by_letter = 0; by_letter <= 1; by_letter++) {
    fesetround(FE_UPWARD);
    if (by_letter)
      assert_mmscan_ok(mmscan_matmulscan(&letter, sample.x, y.data, NULL));
    else
      execute_with(&desc, choice, 3, sample.x, y.data);
    fesetround(FE_TONEAREST);
#pragma omp parallel num_threads(3) reduction(+ : other)
    other += third() != nearest;
  }
  is_contention_hidden = false;
  assert_int_equal(other, 0);
  buffer_free(&y);
  sample_free(&sample);
}

/* A short wait, or one no longer than the work besides, does not count. A long one leaves runs to one thread, with the
 * bits of two threads. This passes after a while. */
static void test_held_up(void **state) {
  (void)state;
  const double MILLISECOND = 1e6;
  struct sample sample = sample_without_sums(type_at(0), RANDOM, 200000);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 200000);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000};
  struct buffer alone = buffer_new(800000, 0), held_up = buffer_new(800000, 0);
  execute_with(&desc, choice, 1, sample.x, alone.data);
  while (mms_contended()) continue;
  mms_contention_record(MILLISECOND / 2, MILLISECOND / 2);
  mms_contention_record(5 * MILLISECOND, 2 * MILLISECOND);
  assert_false(mms_contended());
  bool seen = false; /* tries again if this thread itself is held up in between */
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_contention_record(5 * MILLISECOND, 4 * MILLISECOND);
    seen = mms_contended();
  }
  assert_true(seen);
  is_contention_made_up = true;
  atomic_store(&took_part, 0);
  for (int tries = 0; tries < 20; tries++) execute_with(&desc, choice, 2, sample.x, held_up.data);
  is_contention_made_up = false;
  assert_int_equal(atomic_load(&took_part), 1);
  assert_memory_equal(alone.data, held_up.data, 800000);
  while (mms_contended()) continue;
  buffer_free(&alone);
  buffer_free(&held_up);
  sample_free(&sample);
}

/* The wait of a stopped process does not count for as long as it lasted. */
static void test_stopped(void **state) {
  (void)state;
  bool seen = false;
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_contention_record(3600e9, 3600e9);
    seen = mms_contended();
  }
  assert_true(seen);
  const double end = clock_of(CLOCK_MONOTONIC) + 60;
  while (mms_contended() && clock_of(CLOCK_MONOTONIC) < end) usleep(1000);
  assert_false(mms_contended());
}

/* Whether more than one thread had a tile in any of `runs` runs. */
static bool is_shared(const mmscan_desc *desc, const mmscan_choice *choice, int runs, const void *x, void *y) {
  bool is = false;
  for (int run = 0; run < runs && !is; run++) {
    mmscan_choice used;
    mmscan_plan *plan = plan_new(desc, choice, &used);
    atomic_store(&took_part, 0);
    assert_mmscan_ok(mmscan_execute(plan, x, y));
    mmscan_plan_destroy(plan);
    const unsigned bits = atomic_load(&took_part);
    is = (bits & (bits - 1)) != 0;
  }
  return is;
}

/* Threads that twice had to be woken are not called for runs that save less time than waking takes, unless they are
 * asked for; bits stay the same. Once they are awake again, they are called. */
static void test_asleep(void **state) {
  (void)state;
  enum { N = 1 << 18, RUNS = 20, TRIES = 200 };
  const mmscan_choice any = {.struct_size = sizeof any, .engine = "simd"},
                      two = {.struct_size = sizeof two, .engine = "simd", .threads = 2};
  struct sample sample = sample_without_sums(type_at(0), RANDOM, N);
  struct buffer alone = buffer_new(N * sizeof(float), 0), y = buffer_new(N * sizeof(float), 0);
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  execute_with(&desc, any, 1, sample.x, alone.data);
  is_contention_hidden = true;
  for (int i = 0; i < 2; i++) mms_wake_record(950e3, 900e3);
  assert_false(is_shared(&desc, &any, RUNS, sample.x, y.data));
  assert_memory_equal(alone.data, y.data, N * sizeof(float));
  assert_true(is_shared(&desc, &two, TRIES, sample.x, y.data));
  for (int i = 0; i < 2; i++) mms_wake_record(5e3, 1e3);
  if (mmscan_threads() > 1) assert_true(is_shared(&desc, &any, TRIES, sample.x, y.data));
  is_contention_hidden = false;
  buffer_free(&alone);
  buffer_free(&y);
  sample_free(&sample);
}

/* ---- What is in no cache ----------------------------------------------------------------------------------------- */

/* Counts of 32-bit elements: more than any cache holds, and enough for products to go past the caches. */
enum { FAR = (32 << 20) / 4 + 1003, STREAMED = (9 << 20) / 4 + 1003 };

/* Out of place, and in place. */
static void check_far(const char *engine, uint32_t n, uint32_t *x, uint32_t *y, int threads) {
  const mmscan_desc desc = plain_desc(MMSCAN_U32, MMSCAN_INCLUSIVE, 0, n);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .tile = 1024};
  uint32_t *const to[] = {y, x};
  for (uint32_t i = 0; i < n; i++) x[i] = i * i;
  for (size_t in_place = 0; in_place < 2; in_place++) {
    uint32_t sum = 0;
    execute_with(&desc, choice, threads, x, to[in_place]);
    for (uint32_t i = 0; i < n; i++)
      if (to[in_place][i] != (sum += i * i))
        fail_msg("%s, %d threads, paces %d: wrong at %u", engine, threads, mms_tuning_here.paces, i);
  }
}

/* On cores that gain by it and on cores that do not: results are held back on their way past the caches, and groups are
 * long and reduced while writing, in place too. In a chain the next tile is prefetched. */
static void test_what_is_far(void **state) {
  (void)state;
  static const int counts[] = {1, 2, 3};
  const mms_tuning here = mms_tuning_here;
  uint32_t *x = malloc(FAR * sizeof *x), *y = malloc(FAR * sizeof *y);
  assert_true(x != NULL && y != NULL);
  size_t shared = 0;
  is_contention_hidden = true;
  for (size_t i = sized(0, 2); i < 2 * COUNT(counts); i++) {
    atomic_store(&took_part, 0);
    mms_tuning_here.paces = mms_tuning_here.long_groups = mms_tuning_here.two_streams = i % 2;
    mms_tuning_here.half_cache = i % 2 == 0 ? here.half_cache : i < COUNT(counts) ? 8192 : 0; /* groups are shorter */
    check_far("simd", FAR, x, y, counts[i / 2]);
    const unsigned bits = atomic_load(&took_part);
    shared += (bits & (bits - 1)) != 0;
  }
  mms_tuning_here = here;
  atomic_store(&had_chain, 0);
  check_far("gemm", STREAMED, x, y, 2);
  assert_int_equal(atomic_load(&had_chain), 2);
  is_contention_hidden = false;
  free(x);
  free(y);
  print_message("n %d: %zu of 4 pairs of runs by several threads were shared\n", FAR, shared);
  assert_true(shared > 0);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static int run_all(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounding_of_threads_after),
      cmocka_unit_test(test_who_has_a_chain),
      cmocka_unit_test(test_each_its_own),
      cmocka_unit_test(test_lead),
      cmocka_unit_test(test_fewer_threads),
      cmocka_unit_test(test_heavy_rows),
      cmocka_unit_test(test_rounding_by_the_letter),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_absent_threads),
      cmocka_unit_test(test_rounding_of_the_caller),
      cmocka_unit_test(test_held_up),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_asleep),
      cmocka_unit_test(test_what_is_far),
  };
  print_message("the unit cblas is %s\n", unit_library());
  return cmocka_run_group_tests(tests, NULL, NULL);
}

static int run_with_the_blas(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_of_the_blas)};
  print_message("the unit cblas is %s\n", unit_library());
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"tests", run_with_the_blas}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  /* Many spinning threads would keep few cores from the threads they wait for. OpenMP reads the policy when it is
   * loaded. */
  if (getenv("OMP_WAIT_POLICY") == NULL) become_self("all", &(struct setting){"OMP_WAIT_POLICY", "passive"}, 1);
  int failed = run_all();
  return failed + run_with_each_openblas();
}
