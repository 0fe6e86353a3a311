/* test_leader.c: which thread has which tiles behind a leader, where threads are not equally fast.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine here reads and writes nothing. It counts: the total of a tile is 1, so the carry into a tile is the tile's
 * number. Each tile must be written once, with the right carry. */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/tuning.h"
#include "run/way.h"
#include "support/at_once.h"
#include "support/test.h"
#include "team/cluster.h"

enum { COUNT_OF_TILES = 600, TILE = 32768 }; /* elements */

static enum { NOBODY, THE_LEADER, FOLLOWERS } slow;
static unsigned nap = 400; /* microseconds for a tile: long, so a thread that has no core for a while loses few tiles */
static atomic_uint led, reduced, followed; /* tiles */
static atomic_bool written[COUNT_OF_TILES];
static atomic_uint wrong; /* tiles written twice, or from a wrong carry */
static char x[1], y[1];   /* tiles lie beyond these, but are never read or written */

static void write_tile(const mms_tile *t, const mms_value *carry) {
  const size_t index = ((uintptr_t)t->x - (uintptr_t)x) / (TILE * sizeof(int32_t));
  if (carry->i32 != (int32_t)index || atomic_exchange(&written[index], true)) atomic_fetch_add(&wrong, 1);
}

static void reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  (void)job, (void)work, (void)t;
  atomic_fetch_add(&reduced, 1);
  if (slow == FOLLOWERS) usleep(nap);
  *found = (mms_found){.total.i32 = 1};
}

static void advance(const mms_job *job, void *work, const mms_tile *t, const mms_found *found, mms_value *carry) {
  (void)job, (void)work, (void)t;
  carry->i32 += found->total.i32;
}

static void finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  (void)job, (void)work, (void)prefetch;
  atomic_fetch_add(&followed, 1);
  write_tile(t, carry);
}

/* Does not start before a follower is awake. */
static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  (void)job, (void)work;
  while (reduced == 0 && omp_get_num_threads() > 1) usleep(nap);
  if (slow == THE_LEADER) usleep(nap);
  atomic_fetch_add(&led, 1);
  write_tile(t, carry);
  carry->i32++;
}

/* Scans all tiles with `threads` threads. Returns how many of 1000 the leader has. */
static unsigned led_of(mms_where where, int threads) {
  static const mms_engine engine = {.reduce = reduce, .advance = advance, .finish = finish, .at_once = at_once};
  const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_I32),
                       .storage = mms_storage_of(MMSCAN_I32, MMSCAN_I32),
                       .uncached = true,
                       .tile = TILE};
  const mms_run run = {
      .engine = &engine,
      .job = &job,
      .where = where,
      .scans = {.n = (size_t)COUNT_OF_TILES * TILE, .count = 1, .x_stride = 1, .y_stride = 1, .x = x, .y = y}};
  mms_tiles tiles = mms_tiles_of(&run);
  assert_int_equal(tiles.count, COUNT_OF_TILES);
  tiles.sharing = (size_t)threads;
  mms_leader leader;
  mms_way_leader.begin(&leader, &tiles);
  led = reduced = followed = 0;
  for (size_t i = 0; i < COUNT_OF_TILES; i++) written[i] = false;
#pragma omp parallel num_threads(threads)
  mms_way_leader.take_part(&leader, &(mms_member){.index = (size_t)omp_get_thread_num()});
  assert_int_equal(wrong, 0);
  assert_int_equal(led + followed, COUNT_OF_TILES);
  return led * 1000 / COUNT_OF_TILES;
}

/* For data that comes from memory, a thread that has to wait has more of it in the next rounds. A slow follower may
 * also come too late for a group. */
TEST(test_slow_threads) {
  unsigned part[3];
  for (slow = THE_LEADER; slow <= FOLLOWERS; slow++) part[slow] = led_of(MMS_IN_MEMORY, 2);
  print_message("the leader has %u of 1000 tiles where it is slow, %u where its follower is\n", part[THE_LEADER],
                part[FOLLOWERS]);
  if (team_of(2) < 2) skip();
  assert_true(part[THE_LEADER] < 500); /* 600 with the part it has where no thread is slow */
  assert_true(part[FOLLOWERS] > 700);
}

/* Data in caches stays with the thread for which it was laid out, which may have it in its nearest cache. */
TEST(test_fixed_parts) {
  slow = THE_LEADER;
  const unsigned part = led_of(MMS_IN_CORES, 2);
  print_message("the leader has %u of 1000 tiles\n", part);
  if (team_of(2) < 2) skip();
  assert_true(part > 550); /* 11 of 19 */
}

TEST(test_many_threads) {
  nap = 20;
  for (int threads = 1; threads <= 9; threads++)
    for (slow = NOBODY; slow <= FOLLOWERS; slow++) led_of(threads % 2 ? MMS_IN_MEMORY : MMS_IN_CORES, threads);
}

/* Tiles of 128 KiB for two threads, out of place or in place. */
static void check_layout(size_t count, bool in_place, bool far, bool is_apart, size_t lead, size_t group) {
  const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F64),
                       .storage = mms_storage_of(MMSCAN_F64, MMSCAN_F64),
                       .uncached = far};
  const mms_run run = {.engine = &mms_engine_simd,
                       .job = &job,
                       .where = mms_run_where(count * 16384 * 8, in_place, 2),
                       .scans = {.x = x, .y = in_place ? x : y}};
  const mms_tiles tiles = {.run = &run, .element = 8, .most = 16384, .per_scan = count, .count = count, .sharing = 2};
  mms_cluster_record(is_apart ? 1e9 : 1);
  const mms_layout layout = mms_layout_of(&tiles);
  assert_int_equal(layout.lead, lead);
  assert_int_equal(layout.group, group);
}

/* As in the table of layout.c. */
TEST(test_layout) {
  const mms_tuning before = mms_tuning_here;
  mms_tuning_here = (mms_tuning){
      .has_dies = true, .long_groups = true, .half_cache = 512 << 10, .cluster = 8 << 20, .clusters = 32 << 20};
  check_layout(64, false, false, false, 11, 27);
  check_layout(100, false, false, false, 17, 42);
  mms_tuning_here.reduces_slowly = true;
  check_layout(64, false, false, false, 13, 24); /* 8 MiB each: all on a die */
  check_layout(65, false, false, false, 11, 27);
  check_layout(128, true, false, false, 26, 48);
  check_layout(129, true, false, false, 1, 2); /* no longer on a die; in place it would be read twice from memory */
  check_layout(600, false, true, false, 1, 2);
  check_layout(600, false, true, true, 1, 2);
  check_layout(600, true, true, false, 1, 2);
  check_layout(600, true, true, true, 2, 8);
  check_layout(1024, false, true, false, 2, 8);
  mms_tuning_here = before;
}

/* Where threads are on two dies, each has a share of what the caches of both hold; with a unit, only if its products go
 * to the caches too. */
TEST(test_shares_on_dies) {
  const mms_tuning before = mms_tuning_here;
  mms_tuning_here = (mms_tuning){.has_dies = true, .cluster = 8 << 20, .clusters = 32 << 20};
  for (int i = 0; i < 16; i++) {
    const bool is_apart = i & 1, streams = i & 2, has_unit = i & 4, is_long = i & 8;
    const size_t count = is_long ? 257 : 256; /* tiles of 128 KiB */
    const mms_job job = {.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32),
                         .storage = mms_storage_of(MMSCAN_F32, MMSCAN_F32),
                         .streams = streams};
    const mms_run run = {.engine = has_unit ? &mms_engine_gemm : &mms_engine_simd,
                         .job = &job,
                         .where = mms_run_where(count * TILE * 4, false, 4),
                         .scans = {.x = x, .y = y}};
    const mms_tiles tiles = {.run = &run, .element = 4, .most = TILE, .per_scan = count, .count = count, .sharing = 4};
    mms_cluster_record(is_apart ? 1e9 : 1);
    assert_int_equal(mms_way_shares.suits(&tiles), is_apart && !is_long && !(has_unit && streams));
  }
  mms_tuning_here = before;
}

/* The first tile is always the leader's, so a first group that started there would belong to no follower. */
TEST(test_lead) {
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

int main(void) { return run_all_tests(NULL, NULL); }
