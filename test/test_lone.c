/* test_lone.c: scans that are left to one thread because memory is the limit: what is remembered of them, and which
 * threads do them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "apart.h"
#include "at_once.h"
#include "clock.h"
#include "kernel/isa.h"
#include "kernel/tuning.h"
#include "lone.h"
#include "runtime.h"
#include "test.h"

bool __wrap_mms_contended(void);
bool __wrap_mms_wake_pays(double saves);

/* The Makefile wraps these functions, so that nothing else leaves a scan to one thread. */
bool __wrap_mms_contended(void) { return false; }
bool __wrap_mms_wake_pays(double saves) { return (void)saves, true; }

/* Runs by several threads whose waits were judged. */
static int judged;

void __wrap_mms_contention_record(double took, double waited);
void __wrap_mms_contention_record(double took, double waited) {
  (void)took, (void)waited;
  judged++;
}

/* Whether a thread's first elements count as slow, whatever they take. */
static bool starts_slowly;

bool __real_mms_lone_is_slow(size_t bytes, double took);
bool __wrap_mms_lone_is_slow(size_t bytes, double took);
bool __wrap_mms_lone_is_slow(size_t bytes, double took) { return (void)bytes, (void)took, starts_slowly; }

/* If set, receives whether a run may be left to one thread; the run itself is then skipped. */
static bool *told;

mmscan_status __real_mms_runtime_scan(const mms_run *run);
mmscan_status __wrap_mms_runtime_scan(const mms_run *run);
mmscan_status __wrap_mms_runtime_scan(const mms_run *run) {
  if (!told) return __real_mms_runtime_scan(run);
  *told = run->lone;
  return MMSCAN_OK;
}

enum { MIB = 1 << 20, TILE = 131072, TILES = 64, FIRST = 3, AGAIN = 64 };

/* Reports times of both ways, each twice, so that nothing before counts. */
static void see(double lone, double shared) {
  for (int i = 0; i < 2; i++) {
    mms_lone_record(true, MIB, lone);
    mms_lone_record(false, MIB, shared);
  }
}

/* How many of so many scans are left to one thread. */
static int lone_of(int scans) {
  int lone = 0;
  for (int i = 0; i < scans; i++) lone += mms_lone_pays();
  return lone;
}

/* Reports times, and passes the next scan that is tried the other way. */
static void settle(double lone, double shared) {
  see(lone, shared);
  for (int i = 0; i < AGAIN && mms_lone_pays() == (lone < shared); i++)
    ;
}

static void test_both_are_tried(void **state) {
  (void)state;
  assert_false(mms_lone_pays());
  assert_false(mms_lone_pays()); /* no time has been reported */
  mms_lone_record(false, MIB, 1000);
  assert_true(mms_lone_pays());
  mms_lone_record(true, 2 * MIB, 4000);
  for (int scan = 1; scan < AGAIN; scan++)
    assert_int_equal(mms_lone_pays(), scan == 4 || scan == 8 || scan == 16 || scan == 32);
}

/* One in many is tried the other way. */
static void test_the_faster_way(void **state) {
  (void)state;
  see(1000, 2000);
  assert_int_equal(lone_of(10 * AGAIN), 10 * (AGAIN - 1));
  see(2000, 1000);
  assert_int_equal(lone_of(10 * AGAIN), 10);
  see(1050, 1000); /* as good as equal */
  assert_int_equal(lone_of(10 * AGAIN), 10 * (AGAIN - 1));
  see(0, 0); /* a clock that stands still */
  assert_int_equal(lone_of(10 * AGAIN), 10 * (AGAIN - 1));
}

/* A single slow scan of either way does not count. */
static void test_held_up(void **state) {
  (void)state;
  see(1000, 2000);
  mms_lone_record(true, MIB, 1e6);
  assert_int_equal(lone_of(10 * AGAIN), 10 * (AGAIN - 1));
  mms_lone_record(true, MIB, 1e6);
  assert_int_equal(lone_of(10 * AGAIN), 10);
  mms_lone_record(false, MIB, 1e9);
  assert_int_equal(lone_of(10 * AGAIN), 10);
  mms_lone_record(true, MIB, 1000); /* a faster one counts at once */
  assert_int_equal(lone_of(10 * AGAIN), 10 * (AGAIN - 1));
}

static void test_what_is_slow(void **state) {
  (void)state;
  assert_false(__real_mms_lone_is_slow(22000, 999));
  assert_true(__real_mms_lone_is_slow(22000, 1001));
}

/* An engine that reads and writes nothing. It counts the tiles of one thread and those of several, and tiles with a
 * wrong carry; the right one is FIRST plus the tile's number. */
static atomic_int by_one, by_some, wrong; /* tiles */
static char x[(size_t)TILES * TILE * sizeof(float)], y[sizeof x];

static void see_tile(const mms_job *job, const mms_tile *t, float carry) {
  const size_t at = (size_t)((const char *)t->x - x) / (TILE * sizeof(float));
  const size_t number = job->reverse ? TILES - 1 - at : at;
  if (carry != FIRST + (float)number || (const char *)t->y - y != (const char *)t->x - x) atomic_fetch_add(&wrong, 1);
  atomic_fetch_add(omp_in_parallel() ? &by_some : &by_one, 1);
}

static void reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  (void)job, (void)work, (void)t;
  *found = (mms_found){.total.f32 = 1};
}

static void advance(const mms_job *job, void *work, const mms_tile *t, const mms_found *found, mms_value *carry) {
  (void)job, (void)work, (void)t;
  carry->f32 += found->total.f32;
}

static void finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  (void)work, (void)prefetch;
  see_tile(job, t, carry->f32);
}

static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  (void)work;
  see_tile(job, t, carry->f32++);
}

/* Whether one thread had all tiles of a scan, and not just the first ones. */
static bool is_lone_of(bool may_be, bool reverse, bool has_carry) {
  static const mms_engine engine = {.reduce = reduce, .advance = advance, .finish = finish, .at_once = at_once};
  const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), .tile = TILE, .reverse = reverse};
  float carry = FIRST;
  mms_run run = {.engine = &engine,
                 .job = &job,
                 .scans = {.n = (size_t)TILES * TILE, .count = 1, .x = x, .y = y, .first.f32 = FIRST},
                 .carry = has_carry ? &carry : NULL,
                 .threads = 2,
                 .limit = 2,
                 .saves = 1e12,
                 .lone = may_be};
  by_one = by_some = wrong = 0;
  assert_int_equal(mms_runtime_scan(&run), MMSCAN_OK);
  assert_int_equal(by_one + by_some, TILES);
  assert_int_equal(wrong, 0);
  if (has_carry) assert_true(carry == FIRST + TILES);
  return by_one == TILES;
}

static bool is_lone(bool may_be) { return is_lone_of(may_be, false, false); }

static int with_dies(void **state) {
  (void)state;
  mms_tuning_here.has_dies = true;
  return 0;
}

/* Comes first, and ends such that no later run finds out where threads are. */
static void test_who_meets(void **state) {
  (void)state;
  if (mms_runtime_threads(2) < 2 || team_of(2) < 2) skip();
  settle(1000, 1e6);
  mms_apart_record(1);
  const double before = 1e9 * clock_of(CLOCK_MONOTONIC);
  assert_false(mms_apart_is_known(before));
  judged = 0;
  const bool is_one_threads = is_lone(true);
  assert_int_equal(judged, !is_one_threads); /* a run where threads only met is not judged */
  assert_true(mms_apart_is_known(before));
  assert_true(mms_apart_is_due(1e18));
}

static void test_who_scans(void **state) {
  (void)state;
  if (mms_runtime_threads(2) < 2 || team_of(2) < 2) skip();
  mms_apart_record(1);
  settle(1000, 1e6);
  assert_true(is_lone(true));
  assert_false(is_lone(false));
  settle(1e6, 1000);
  assert_false(is_lone(true));
  settle(1000, 1e6);
  mms_apart_record(1e9);
  assert_false(is_lone(true));
}

/* In both directions, and with a carry that goes in and comes out. */
static void test_carries(void **state) {
  (void)state;
  if (mms_runtime_threads(2) < 2 || team_of(2) < 2) skip();
  mms_apart_record(1);
  for (int i = 0; i < 8; i++) {
    if (i & 4)
      settle(1000, 1e6);
    else
      settle(1e6, 1000);
    assert_int_equal(is_lone_of(true, i & 1, i & 2), (i & 4) != 0);
  }
}

/* Slow first elements, say on pages that the system has yet to make: nothing is learned from them. */
static void test_slow_start(void **state) {
  (void)state;
  if (mms_runtime_threads(2) < 2 || team_of(2) < 2) skip();
  mms_apart_record(1);
  settle(1000, 1e6);
  starts_slowly = true;
  for (int i = 0; i < 3; i++) {
    assert_false(is_lone(true));
    assert_true(by_some > 0 && by_one > 0);
  }
  starts_slowly = false;
  assert_true(is_lone(true));
}

/* The times of two scans count for the next one. */
static void test_what_is_seen(void **state) {
  (void)state;
  if (mms_runtime_threads(2) < 2 || team_of(2) < 2) skip();
  mms_apart_record(1);
  settle(1, 1e15);
  for (int i = 0; i < 2; i++) assert_true(is_lone(true)); /* take longer than 1 and less than 1e15 */
  mms_lone_record(false, MIB, 1e-3);
  assert_false(is_lone(true));
  mms_lone_record(true, MIB, 1e-3);
  assert_true(is_lone(true));
}

/* Whether a plan leaves the choice to the run. Its arrays are never read. */
static bool plans_lone(size_t n, size_t batch, bool in_place, mmscan_choice choice) {
  enum { MOST = 256 * MIB };
  char *room = mmap(NULL, 2 * (size_t)MOST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_true(room != MAP_FAILED);
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, n);
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  bool is = false;
  mmscan_plan *plan;
  choice.struct_size = sizeof choice;
  assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice));
  told = &is;
  assert_mmscan_ok(mmscan_execute(plan, room, in_place ? room : room + MOST));
  told = NULL;
  mmscan_plan_destroy(plan);
  munmap(room, 2 * (size_t)MOST);
  return is;
}

static void test_what_is_planned(void **state) {
  (void)state;
  enum { LONG = 97 * MIB / 8, SHORT = 96 * MIB / 8 };
  const mmscan_choice best = {.engine = "simd", .isa = mms_isa_best()->name};
  const mms_isa *portable;
  if (mms_runtime_threads(0) < 2) skip();
  mms_tuning_here.one_core_suffices = true;
  assert_true(plans_lone(LONG, 1, false, best));
  assert_false(plans_lone(SHORT, 1, false, best));
  assert_false(plans_lone(LONG, 1, true, best));
  assert_false(plans_lone(LONG / 2, 2, false, best));
  assert_false(plans_lone(LONG, 1, false, (mmscan_choice){.engine = "simd", .isa = best.isa, .threads = 2}));
  assert_false(plans_lone(LONG, 1, false, (mmscan_choice){.engine = "gemm"}));
  assert_true(mms_isa_find("portable", &portable));
  assert_int_equal(plans_lone(LONG, 1, false, (mmscan_choice){.engine = "simd", .isa = "portable"}),
                   mms_isa_best() == portable);
  mms_tuning_here.one_core_suffices = false;
  assert_false(plans_lone(LONG, 1, false, best));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_are_tried), cmocka_unit_test(test_the_faster_way),
      cmocka_unit_test(test_held_up),        cmocka_unit_test(test_what_is_slow),
      cmocka_unit_test(test_who_meets),      cmocka_unit_test(test_who_scans),
      cmocka_unit_test(test_carries),        cmocka_unit_test(test_slow_start),
      cmocka_unit_test(test_what_is_seen),   cmocka_unit_test(test_what_is_planned),
  };
  return cmocka_run_group_tests(tests, with_dies, NULL);
}
