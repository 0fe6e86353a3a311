/* test_bits.c: the bits of a result depend neither on the number of threads nor on whether a run is left to one thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <float.h>
#include <omp.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/tuning.h"
#include "kernel/isa.h"
#include "support/at_once.h"
#include "support/clock.h"
#include "support/each_openblas.h"
#include "support/matmul.h"
#include "support/shot.h"
#include "support/watch.h"
#include "team/cluster.h"
#include "team/pays.h"

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

/* Tiles in a row, rows, and both, long enough for two threads even in a quick run. */
struct shape {
  size_t n, quick_n, batch, tile; /* tile 0: the library's */
};

static const struct shape shapes[] = {{767, 767, 30, 64},      {50000, 3125, 1, 1024},   {3000, 1000, 37, 0},
                                      {2500, 600, 7, 250},     {1 << 18, 1 << 16, 1, 0}, {100001, 12000, 3, 0},
                                      {360000, 360000, 3, 481}};

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

/* Counts of runs by several threads: all, those in which more than one thread had a tile, and those in which one came
 * to the way that was asked for. */
struct tally {
  size_t runs, shared, forced;
};

static void execute_with(const mmscan_desc *desc, mmscan_choice choice, int threads, const void *x, void *y) {
  mmscan_choice used;
  choice.threads = threads;
  mmscan_plan *plan = plan_new(desc, &choice, &used);
  watch_plan(plan);
  if (plan->way) watch_absence(plan);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
}

/* ---- Rounding afterwards ----------------------------------------------------------------------------------------- */

/* Shows how the vector unit rounds; fegetround() may report another unit's mode. Computed here, not at the place of
 * use. */
static double third(void) {
  const volatile double one = 1, three = 3;
  const volatile double result = one / three;
  return result;
}

/* In a later parallel region of the program, threads round as they did before a call that they took part in or were
 * started for. This test comes first, so its calls start the threads. */
TEST(test_rounding_of_threads_after) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1024};
  const size_t n = 20000;
  struct sample sample = sample_without_sums(type_at(0), RANDOM, n);
  struct buffer y = buffer_new(n * sizeof(float), 0);
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  const mmscan_matmul_desc letter = matmul_desc(MMSCAN_F32, 9999, 10, "model", 3);
  const double nearest = third();
  int other = 0;
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
  assert_int_equal(other, 0);
  buffer_free(&y);
  sample_free(&sample);
}

/* ---- The same bits, by any number -------------------------------------------------------------------------------- */

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
      fail_seeded("%s, n %zu, batch %zu, %s x %s, tile %zu, %s: %d threads give other bits than one",
                  sample->oracle.type->name, desc->n, desc->batch, choice->engine, part_of(choice), choice->tile,
                  text_or(choice->way, "as suits"), threads);
  }
  mms_tuning_here = here;
  buffer_free(&many);
}

/* The way of a turn: one of those that can be, or NULL, as suits. */
static const char *way_of_turn(const mmscan_desc *desc, mmscan_choice choice, int threads, unsigned turn) {
  const char *ways[] = {NULL, "shares", "leader", "chain", "scans"}, *way = ways[turn % COUNT(ways)];
  choice.threads = threads;
  return way && has_way(desc, choice, way) ? way : NULL;
}

enum { SMALL = 4096 }; /* bytes */

/* Compares one thread with two other numbers of threads, in two ways; both change from turn to turn. In every other
 * turn cores are on dies, threads are apart, and a leader has one round; in half of those turns a share exceeds what a
 * core's own cache holds. */
static void check_bits(const struct sample *sample, const mmscan_desc *desc, mmscan_choice choice, unsigned turn,
                       struct tally *tally) {
  static const int counts[] = {2, 3, 7, 16};
  static unsigned ways;
  const size_t size = desc->n * desc->batch * sample->oracle.type->size;
  const mms_tuning here = mms_tuning_here;
  struct buffer one = buffer_new(size, 0);
  execute_with(desc, choice, 1, sample->x, one.data);
  mms_tuning_here.has_dies = turn % 2 == 0;
  mms_cluster_record(turn % 2 == 0 ? 1e9 : 1);
  if (turn % 4 == 0 && !choice.unit) mms_tuning_here.half_cache = SMALL; /* a unit would have other blocks */
  if (turn % 4 == 1)                                                     /* x comes from memory */
    mms_tuning_here.stream_from = mms_tuning_here.cluster = mms_tuning_here.clusters = SMALL;
  for (unsigned i = turn; i < turn + 2; i++) {
    atomic_store(&watch_took_part, 0);
    atomic_store(&watch_parts, 0);
    const int threads = counts[i % sized(COUNT(counts), 3)];
    choice.way = way_of_turn(desc, choice, threads, ways++);
    check_same_bits(sample, desc, &choice, threads, &one);
    tally->runs++;
    tally->shared += watch_saw_several();
    tally->forced += watch_parts > 0;
  }
  mms_tuning_here = here;
  buffer_free(&one);
}

/* By half of the variants in each turn; in a quick run by one in turn. */
static void check_bits_of_shape(const struct sample *sample, struct shape shape, mmscan_choice choice, size_t turn,
                                struct tally *tally) {
  const size_t n = sized(shape.n, shape.quick_n) / (is_model(&choice) ? 8 : 1);
  if (cuts_tiles(&choice)) choice.tile = shape.tile;
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) {
    if (quick() ? variant != turn % (VARIANTS / 2) : !is_turn_of(variant, turn)) continue;
    struct shot shot = {.sample = sample};
    shot_set(&shot, variant, n);
    shot.desc.batch = shape.batch;
    shot.desc.x_dist = shot.desc.y_dist = (ptrdiff_t)n;
    check_bits(sample, &shot.desc, choice, variant, tally);
  }
}

/* With every engine; or with one unit only, and around it the best kernels, which are the same for any library. */
static bool is_asked_for(const mmscan_choice *choice, const char *unit) {
  return !unit || (same_text(choice->unit, unit) && same_text(choice->isa, mms_isa_best()->name));
}

static void check_bits_of_type(const struct type *type, const char *unit, struct tally *tallies) {
  const struct forced *forced = forced_all();
  struct sample sample = sample_without_sums(type, RANDOM, MOST);
  for (size_t c = 0; c < forced->count; c++)
    for (size_t i = 0; i < COUNT(shapes); i++)
      if (is_of_shape(type, &forced->choice[c], i) && is_asked_for(&forced->choice[c], unit))
        check_bits_of_shape(&sample, shapes[i], forced->choice[c], c + i + (size_t)type->type, &tallies[i]);
  sample_free(&sample);
}

static void check_tally(const struct tally *tally) {
  if (tally->shared == 0 || tally->forced == 0)
    fail_msg("in none of them a second thread had a tile, or came to a way");
}

/* A quick run takes a float and an integer type of each size; for one unit, one float and one integer type, whose runs
 * are too few for each shape to be judged by itself. */
static void check_all_bits(const char *unit) {
  struct tally tallies[COUNT(shapes)] = {{0}}, all = {0};
  const bool few = quick() && unit;
  const size_t types = quick() ? 4 : TYPES, step = few ? 3 : 1;
  for (size_t t = 0; t < types; t += step) check_bits_of_type(type_at(t), unit, tallies);
  for (size_t i = 0; i < COUNT(shapes); i++) {
    const struct tally *tally = &tallies[i];
    if (tally->runs == 0) continue;
    print_message("n %zu, batch %zu: %zu of %zu runs were shared, %zu in a way that was asked for\n",
                  sized(shapes[i].n, shapes[i].quick_n), shapes[i].batch, tally->shared, tally->runs, tally->forced);
    all.shared += tally->shared;
    all.forced += tally->forced;
    if (!few) check_tally(tally);
  }
  if (few) check_tally(&all);
}

TEST(test_same_bits) { check_all_bits(NULL); }

static void test_same_bits_of_the_blas(void **state) {
  (void)state;
  check_all_bits("cblas");
}

/* A run of three threads, some of which do not come. */
static void check_absent(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice,
                         unsigned missing, const struct buffer *one) {
  const size_t size = desc->n * desc->batch * sizeof(float);
  struct buffer few = buffer_new(size, 0);
  mmscan_choice used;
  memset(few.data, 0, size);
  atomic_store(&watch_took_part, 0);
  mmscan_plan *plan = plan_new(desc, choice, &used);
  watch_plan(plan);
  watch_absence(plan);
  watch_absent = missing;
  assert_mmscan_ok(mmscan_execute(plan, sample->x, few.data));
  mmscan_plan_destroy(plan);
  assert_int_equal(atomic_load(&watch_took_part) & missing, 0);
  assert_memory_equal(one->data, few.data, size);
  buffer_free(&few);
}

/* The threads that come do the work of those that do not, whichever they are, in every way. Where cores are on dies,
 * the last thread leads if it comes soon. */
TEST(test_absent_threads) {
  static const mmscan_choice choices[] = {
      {.struct_size = sizeof(mmscan_choice), .engine = "simd", .tile = 1024},
      {.struct_size = sizeof(mmscan_choice), .engine = "gemm", .unit = "cblas", .tile = 1024}};
  static const unsigned sets[] = {1, 2, 3, 4, 5, 6, 0};                /* of three */
  const size_t n = 33001, batch = 3, size = batch * n * sizeof(float); /* long enough for a thread a scan */
  const bool before = mms_tuning_here.has_dies;
  struct sample sample = sample_without_sums(type_at(0), RANDOM, batch * n);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  mmscan_part way = {.struct_size = sizeof way};
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  struct buffer one = buffer_new(size, 0);
  for (size_t c = 0; c < COUNT(choices); c++) {
    mmscan_choice choice = choices[c];
    execute_with(&desc, choice, 1, sample.x, one.data);
    choice.threads = 3;
    for (size_t w = 1; mmscan_get_way(w, &way) == MMSCAN_OK; w++) { /* but for the first, one thread alone */
      choice.way = way.name;
      if (!has_way(&desc, choice, way.name)) continue;
      print_message("absent threads: %s, %s\n", choice.engine, way.name);
      for (size_t i = 0; i < 2 * COUNT(sets); i++) {
        mms_tuning_here.has_dies = i % 2;
        check_absent(&sample, &desc, &choice, sets[i / 2], &one);
      }
    }
  }
  mms_tuning_here.has_dies = before;
  buffer_free(&one);
  sample_free(&sample);
}

/* In a chain all threads wait for each one, so each must have a core. Only tiles that fit in one block are prepared. */
TEST(test_who_has_a_chain) {
  const size_t cores = (size_t)mms_team_cpus();
  for (size_t block = 4096; block >= 4096 - 256; block -= 256) {
    const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32),
                         .storage = mms_storage_of(MMSCAN_F32, MMSCAN_F32),
                         .s = 4,
                         .tile = 1024,
                         .block = block};
    const mms_run run = {.engine = &mms_engine_gemm, .job = &job};
    mms_tiles tiles = {.run = &run, .sharing = cores};
    assert_int_equal(mms_way_chain.suits(&tiles), block == 4096);
    assert_int_equal(mms_way_chain.can(&tiles), block == 4096);
    tiles.sharing = cores + 1;
    assert_false(mms_way_chain.suits(&tiles));
  }
  const mms_run other = {.engine = &mms_engine_simd};
  assert_false(mms_way_chain.suits(&(mms_tiles){.run = &other, .sharing = 2}));
}

/* A race for shares: both threads are here, and the first one waits until a moment after the last share is taken. Gives
 * up after 10 ms. */
static atomic_int lined_up;  /* threads that have come */
static atomic_int had_first; /* the thread that has the first tile */
static const void *first_tile;

static void line_up(void *shared, const mms_member *self) {
  const mms_shares *shares = shared;
  const uint64_t last = (uint64_t)1 << (shares->tiles->sharing - 1);
  const double end = seconds() + 0.01;
  atomic_fetch_add(&lined_up, 1);
  while (lined_up < 2 && seconds() < end)
    ;
  while (self->index == 0 && !(shares->taken & last) && seconds() < end)
    ;
  for (int looks = 0; self->index == 0 && looks < 3000; looks++) (void)atomic_load(&shares->taken);
  mms_way_shares.take_part(shared, self);
}

static void note_first(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry,
                       const void *prefetch) {
  if (t->x == first_tile) had_first = omp_get_thread_num();
  mms_engine_simd.finish(job, work, t, carry, prefetch);
}

static void note_first_at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  if (t->x == first_tile) had_first = omp_get_thread_num();
  mms_engine_simd.at_once(job, work, t, carry);
}

/* The second thread has nothing to reduce, since no thread needs the carry out of its tile. It still leaves the first
 * tile to the first thread, which comes a moment later. */
TEST(test_each_its_own) {
  enum { N = 20000, ENOUGH = 50 };
  const mmscan_choice choice = {
      .struct_size = sizeof(mmscan_choice), .engine = "simd", .tile = N / 2, .threads = 2, .way = "shares"};
  struct sample sample = sample_without_sums(type_at(0), RANDOM, N);
  struct buffer y = buffer_new(N * sizeof(float), 0);
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  const bool at_once = are_two_at_once();
  const double end = seconds() + 30;
  mms_way race = mms_way_shares;
  mms_engine notes = mms_engine_simd;
  mmscan_choice used;
  mmscan_plan *plan = plan_new(&desc, &choice, &used);
  race.take_part = line_up;
  notes.finish = note_first;
  notes.at_once = note_first_at_once;
  plan->way = &race;
  plan->engine = &notes;
  first_tile = sample.x;
  int run = 0, own = 0;
  for (; own < ENOUGH && (run < 2 * ENOUGH || (at_once && seconds() < end)); run++) {
    lined_up = 0;
    had_first = -1;
    assert_mmscan_ok(mmscan_execute(plan, sample.x, y.data));
    own += had_first == 0;
  }
  mmscan_plan_destroy(plan);
  print_message("in %d of %d runs the first thread had the first tile\n", own, run);
  if (at_once) assert_int_equal(own, ENOUGH);
  buffer_free(&y);
  sample_free(&sample);
}

/* Where OpenMP gives fewer threads than it was asked for, those threads do all rows. */
TEST(test_fewer_threads) {
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
  usleep(1100000); /* where fewer came than were asked for, no team is started for a second */
  print_message("%d threads of %d\n", given, ASKED);
  buffer_free(&one);
  buffer_free(&many);
  sample_free(&sample);
}

/* Rows whose first carry is so large that sums may not be regrouped, until an element brings it down. One thread
 * streams them and two do not, or the other way round. */
TEST(test_heavy_rows) {
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
TEST(test_rounding_of_the_caller) {
  static const mmscan_choice choices[] = {
      {.struct_size = sizeof(mmscan_choice), .engine = "simd", .tile = 1024},
      {.struct_size = sizeof(mmscan_choice), .engine = "gemm", .unit = "cblas", .tile = 1024}};
  struct tally tally = {0};
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    const size_t n = sized(100000, 20000);
    struct sample sample = sample_without_sums(type_at(t), RANDOM, n);
    mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
    for (size_t c = 0; c < COUNT(choices); c++)
      for (unsigned turn = 0; turn < 5; turn++) {
        fesetround(FE_UPWARD);
        check_bits(&sample, &desc, choices[c], turn, &tally);
        fesetround(FE_TONEAREST);
      }
    sample_free(&sample);
  }
  assert_true(tally.shared > 0);
}

/* So do the threads of a run by the paper. */
TEST(test_rounding_by_the_letter) {
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

/* A team that was held up leaves runs to one thread for a while, with the bits of two threads. */
TEST(test_held_up) {
  struct sample sample = sample_without_sums(type_at(0), RANDOM, 200000);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 200000);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000};
  struct buffer alone = buffer_new(800000, 0), held_up = buffer_new(800000, 0);
  execute_with(&desc, choice, 1, sample.x, alone.data);
  bool seen = false; /* tries again if this thread itself is held up in between */
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_pays_record(100e6, 90e6);
    atomic_store(&watch_took_part, 0);
    for (int i = 0; i < 20; i++) execute_with(&desc, choice, 2, sample.x, held_up.data);
    seen = mms_pays_contended();
  }
  assert_true(seen);
  assert_int_equal(atomic_load(&watch_took_part), 1);
  assert_memory_equal(alone.data, held_up.data, 800000);
  while (mms_pays_contended()) usleep(1000);
  buffer_free(&alone);
  buffer_free(&held_up);
  sample_free(&sample);
}

/* Waits until no team is held up, and nothing is owed for one that was: till then one thread does all runs. */
static void wait_for_teams(void) {
  while (mms_pays_contended()) usleep(1000);
  while (mms_pays_owes()) mms_pays(1e6, (mms_pays_sort){.rested = false});
}

/* Whether more than one thread had a tile in any of `runs` runs, none of which is held up by other work. */
static bool is_shared(const mmscan_desc *desc, const mmscan_choice *choice, int runs, const void *x, void *y) {
  bool is = false;
  for (int run = 0; run < runs && !is; run++) {
    mmscan_choice used;
    mmscan_plan *plan = plan_new(desc, choice, &used);
    watch_plan(plan);
    wait_for_teams();
    atomic_store(&watch_took_part, 0);
    assert_mmscan_ok(mmscan_execute(plan, x, y));
    mmscan_plan_destroy(plan);
    is = watch_saw_several();
  }
  return is;
}

/* Has runs of a description that are free to take threads seem to take so long. A way that was faster so far is given
 * up only if it takes longer than the other was last seen to. */
static void teach(const mmscan_desc *desc, const mmscan_choice *any, double by_team, double by_one) {
  mmscan_choice used;
  mmscan_plan *plan = plan_new(desc, any, &used);
  wait_for_teams();
  for (int i = 0; i < 1000; i++) {
    const mms_pays_sort sort = {.rested = i % 2};
    const bool team = mms_pays(plan->saves, sort);
    mms_pays_learn(plan->saves, sort, team, 0, team ? by_team : by_one);
  }
  mmscan_plan_destroy(plan);
}

/* Teams that take longer than one thread are not called, unless they are asked for; bits stay the same. */
TEST(test_experience) {
  enum { N = 1 << 18, RUNS = 20, TRIES = 200 };
  const mmscan_choice any = {.struct_size = sizeof any, .engine = "simd"},
                      two = {.struct_size = sizeof two, .engine = "simd", .threads = 2};
  struct sample sample = sample_without_sums(type_at(0), RANDOM, N);
  struct buffer alone = buffer_new(N * sizeof(float), 0), y = buffer_new(N * sizeof(float), 0);
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  execute_with(&desc, any, 1, sample.x, alone.data);
  if (mmscan_threads() > 1) {
    teach(&desc, &any, 1e3, 1e9);
    assert_true(is_shared(&desc, &any, TRIES, sample.x, y.data));
    teach(&desc, &any, 1e12, 1e3);
  }
  assert_false(is_shared(&desc, &any, RUNS, sample.x, y.data));
  assert_memory_equal(alone.data, y.data, N * sizeof(float));
  assert_true(is_shared(&desc, &two, TRIES, sample.x, y.data));
  buffer_free(&alone);
  buffer_free(&y);
  sample_free(&sample);
}

/* Where one thread does as well, several share a scan only if they were asked for, if they were not found to share a
 * cache of late, or if the pages of y are new. */
TEST(test_one_does) {
  enum { TRIES = 200 };
  const size_t n = sized(1 << 22, 1 << 19);
  const mms_tuning here = mms_tuning_here;
  const mmscan_choice any = {.struct_size = sizeof any}, two = {.struct_size = sizeof two, .threads = 2};
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  float *x = calloc(n, sizeof *x), *y = malloc(n * sizeof *y);
  assert_true(x != NULL && y != NULL);
  memset(y, 1, n * sizeof *y);
  mms_tuning_here.has_dies = true;
  mms_tuning_here.alone_from = mms_tuning_here.stream_from = 1 << 20;
  for (int i = 0; i < 5; i++) {
    mms_cluster_record(1); /* which counts for a second */
    assert_false(is_shared(&desc, &any, 1, x, y));
  }
  assert_true(is_shared(&desc, &two, TRIES, x, y));
  if (mmscan_threads() > 1) {
    float *fresh = mmap(NULL, n * sizeof *fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(fresh != MAP_FAILED);
    bool is = false;
    for (int i = 0; i < TRIES && !is; i++) {
      mms_cluster_record(1);
      is = is_shared(&desc, &any, 1, x, fresh);
      madvise(fresh, n * sizeof *fresh, MADV_DONTNEED);
    }
    assert_true(is);
    munmap(fresh, n * sizeof *fresh);
    is = false;
    for (int i = 0; i < TRIES && !is; i++) {
      mms_cluster_record(1e9);
      is = is_shared(&desc, &any, 1, x, y);
    }
    assert_true(is);
  }
  mms_tuning_here = here;
  free(x);
  free(y);
}

/* ---- What is in no cache ----------------------------------------------------------------------------------------- */

/* Counts of 32-bit elements: more than any cache holds, and enough for products to go past the caches. */
enum { FAR = (32 << 20) / 4 + 1003, STREAMED = (9 << 20) / 4 + 1003 };

/* Out of place, and in place. */
static void check_far(const char *engine, const char *way, uint32_t n, uint32_t *x, uint32_t *y, int threads) {
  const mmscan_desc desc = plain_desc(MMSCAN_U32, MMSCAN_INCLUSIVE, 0, n);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .tile = 1024, .way = way};
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
TEST(test_what_is_far) {
  static const int counts[] = {1, 2, 3};
  const mms_tuning here = mms_tuning_here;
  uint32_t *x = malloc(FAR * sizeof *x), *y = malloc(FAR * sizeof *y);
  assert_true(x != NULL && y != NULL);
  size_t shared = 0;
  for (size_t i = sized(0, 2); i < 2 * COUNT(counts); i++) {
    atomic_store(&watch_took_part, 0);
    mms_tuning_here.paces = mms_tuning_here.long_groups = mms_tuning_here.two_streams = i % 2;
    mms_tuning_here.half_cache = i % 2 == 0 ? here.half_cache : i < COUNT(counts) ? 8192 : 0; /* groups are shorter */
    check_far("simd", "leader", FAR, x, y, counts[i / 2]);
    shared += watch_saw_several();
  }
  mms_tuning_here = here;
  check_far("gemm", "chain", STREAMED, x, y, 2);
  free(x);
  free(y);
  print_message("n %d: %zu of 4 pairs of runs by several threads were shared\n", FAR, shared);
  assert_true(shared > 0);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static int run_all(void) {
  print_message("the unit cblas is %s\n", unit_library());
  return run_all_tests(NULL, NULL);
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
