/* test_cluster.c: whether threads are apart: which threads find that out, when, and from what.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>
#include <unistd.h>

#include "base/tuning.h"
#include "support/at_once.h"
#include "support/clock.h"
#include "support/test.h"
#include "team/cluster.h"

static const double NEVER = 1e9, AT_ONCE = 1; /* nanoseconds */

static int with_dies(void **state) {
  (void)state;
  mms_tuning_here.has_dies = true;
  return 0;
}

static void test_what_is_found(void **state) {
  (void)state;
  assert_true(mms_cluster_apart()); /* nothing is found yet */
  assert_false(mms_cluster_apart_of_late());
  mms_cluster_record(AT_ONCE);
  assert_false(mms_cluster_apart());
  assert_false(mms_cluster_apart_of_late());
  mms_cluster_record(NEVER);
  assert_true(mms_cluster_apart());
  assert_true(mms_cluster_apart_of_late());
  mms_tuning_here.has_dies = false;
  assert_false(mms_cluster_apart());
  assert_false(mms_cluster_apart_of_late());
}

/* Threads that are found to be apart may leave all runs to one thread, and would then never find out that they are near
 * by now. So the finding only keeps them from runs for a limited time. */
static void test_for_how_long(void **state) {
  (void)state;
  mms_cluster_record(NEVER);
  const double start = clock_of(CLOCK_MONOTONIC);
  while (mms_cluster_apart_of_late() && clock_of(CLOCK_MONOTONIC) < start + 30) usleep(10000);
  const double took = clock_of(CLOCK_MONOTONIC) - start;
  if (took < 0.9 || took > 20) fail_msg("it counted for %g s", took);
  assert_true(mms_cluster_apart());
}

/* The threads find out once in a while. */
static void test_when(void **state) {
  (void)state;
  const double now = 1e15, soon = now + 1e6, later = now + 1e9;
  assert_true(mms_cluster_is_due(now));
  assert_false(mms_cluster_is_due(now));
  assert_false(mms_cluster_is_due(soon));
  assert_true(mms_cluster_is_due(later));
  mms_tuning_here.has_dies = false;
  assert_false(mms_cluster_is_due(2 * later));
}

/* Seconds that a meeting of threads takes, where thread `late` comes after another has left, and `absent` never
 * comes. */
static double meet(int threads, int late, int absent) {
  mms_meeting meeting = {0};
  atomic_bool left = false;
  const double start = clock_of(CLOCK_MONOTONIC);
#pragma omp parallel num_threads(threads)
  {
    const int self = omp_get_thread_num();
    while (self == late && omp_get_num_threads() > 1 && !atomic_load(&left)) usleep(100);
    if (self != absent) mms_cluster_meet(&meeting, omp_get_thread_num(), omp_get_num_threads());
    atomic_store(&left, true);
  }
  return clock_of(CLOCK_MONOTONIC) - start;
}

enum { NOBODY = -1 };

/* Two of any number of threads find out sooner or later. They must run at the same time, since neither waits as long
 * for the other as a thread may wait for a core. */
static void test_meetings(void **state) {
  (void)state;
  const bool at_once = are_two_at_once();
  const double end = clock_of(CLOCK_MONOTONIC) + 30;
  int found = 0, meetings = 0;
  while (meetings < 400 || (at_once && found == 0 && clock_of(CLOCK_MONOTONIC) < end)) {
    const bool far = meetings % 2 == 0;
    mms_cluster_record(far ? NEVER : AT_ONCE);
    assert_true(meet(2 + meetings / 100 % 3, NOBODY, NOBODY) < 10);
    found += mms_cluster_apart() != far;
    meetings++;
  }
  print_message("in %d of %d meetings it was found that it is otherwise\n", found, meetings);
  if (at_once) assert_true(found > 0);
}

/* A thread that is alone finds nothing out, and leaves. */
static void test_nobody_else(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    const int one = i % 2;
    mms_cluster_record(i % 4 < 2 ? NEVER : AT_ONCE);
    assert_true(meet(2, NOBODY, one) < 10);
    assert_true(meet(2, one, NOBODY) < 10);
    assert_true(meet(1, NOBODY, NOBODY) < 10);
    assert_int_equal(mms_cluster_apart(), i % 4 < 2);
  }
}

/* If one thread has left, the other finds nothing out, and does not call it back. */
static void test_who_left(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    mms_meeting meeting = {.ball = -1};
    mms_cluster_record(i % 2 ? NEVER : AT_ONCE);
#pragma omp parallel num_threads(2)
    mms_cluster_meet(&meeting, omp_get_thread_num(), omp_get_num_threads());
    assert_int_equal(mms_cluster_apart(), i % 2);
    assert_int_equal(meeting.ball, -1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_what_is_found, with_dies), cmocka_unit_test_setup(test_for_how_long, with_dies),
      cmocka_unit_test_setup(test_when, with_dies),          cmocka_unit_test_setup(test_meetings, with_dies),
      cmocka_unit_test_setup(test_nobody_else, with_dies),   cmocka_unit_test_setup(test_who_left, with_dies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
