/* test_pays.c: what is remembered of threads that slept, and of those that were held up.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "support/clock.h"
#include "support/test.h"
#include "team/pays.h"

static const double US = 1000, TOOK = 50e3, WAITED = 45e3;

static int awake(void **state) {
  (void)state;
  mms_pays_record(5 * US, 1 * US);
  mms_pays_record(5 * US, 1 * US);
  return 0;
}

static void see_sleep_twice(void) {
  mms_pays_record(TOOK, WAITED);
  mms_pays_record(TOOK, WAITED);
}

static void test_awake(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) assert_true(mms_pays(i * US));
}

/* One wait is no sleep: a thread that was woken is awake the next time. */
static void test_once(void **state) {
  (void)state;
  mms_pays_record(TOOK, WAITED);
  assert_true(mms_pays(1 * US));
  mms_pays_record(5 * US, 1 * US);
  mms_pays_record(TOOK, WAITED);
  assert_true(mms_pays(1 * US));
}

/* A run that saves more than waking costs pays; one that saves less pays once four times that cost went unsaved. */
static void test_twice(void **state) {
  (void)state;
  for (int turn = 0; turn < 3; turn++) {
    see_sleep_twice();
    for (int i = 0; i < 180; i++) {
      assert_true(mms_pays(46 * US));
      assert_false(mms_pays(1 * US));
    }
    assert_true(mms_pays(1 * US));
  }
}

/* The lower of the two costs counts. */
static void test_costs(void **state) {
  (void)state;
  mms_pays_record(TOOK, 30 * US);
  mms_pays_record(10 * TOOK, 10 * WAITED);
  assert_true(mms_pays(31 * US));
  assert_false(mms_pays(29 * US));
}

/* Threads that are awake again; or waits for something else: short ones, and a part of a long run. */
static void test_no_sleep(void **state) {
  (void)state;
  static const double runs[][2] = {{5e3, 1e3}, {12e3, 9e3}, {200e3, 90e3}};
  for (size_t i = 0; i < COUNT(runs); i++) {
    see_sleep_twice();
    assert_false(mms_pays(1 * US));
    mms_pays_record(runs[i][0], runs[i][1]);
    assert_true(mms_pays(1 * US));
  }
}

/* A short wait, or one no longer than the work besides, is no time slice of other work. After a long one no team pays,
 * for a while. */
static void test_held_up(void **state) {
  (void)state;
  while (mms_pays_contended()) usleep(1000);
  mms_pays_record(500 * US, 500 * US);
  mms_pays_record(5000 * US, 2000 * US);
  assert_false(mms_pays_contended());
  bool seen = false; /* tries again if this thread itself is held up in between */
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_pays_record(5000 * US, 4000 * US);
    seen = mms_pays_contended() && !mms_pays(INFINITY);
  }
  assert_true(seen);
  while (mms_pays_contended()) usleep(1000);
}

/* Teams that were held up by 8 ms pay again, but those that save less only after seconds. */
static void test_debt(void **state) {
  (void)state;
  mms_pays_record(9e6, 8e6);
  while (mms_pays_contended()) usleep(1000);
  assert_true(mms_pays(INFINITY));
  assert_true(mms_pays(1e9));
  assert_false(mms_pays(1 * US));
  bool seen = false; /* half of it in a second; another thread may be held up in between */
  for (int tries = 0; tries < 30 && !seen; tries++) {
    usleep(1000000);
    seen = mms_pays(4100 * US);
  }
  assert_true(seen);
  assert_false(mms_pays(1 * US));
}

/* The wait of a stopped process does not count for as long as it lasted. */
static void test_stopped(void **state) {
  (void)state;
  bool seen = false;
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_pays_record(3600e9, 3600e9);
    seen = mms_pays_contended();
  }
  assert_true(seen);
  const double end = clock_of(CLOCK_MONOTONIC) + 60;
  while (mms_pays_contended() && clock_of(CLOCK_MONOTONIC) < end) usleep(1000);
  assert_false(mms_pays_contended());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_awake, awake),
                                     cmocka_unit_test_setup(test_once, awake),
                                     cmocka_unit_test_setup(test_twice, awake),
                                     cmocka_unit_test_setup(test_costs, awake),
                                     cmocka_unit_test_setup(test_no_sleep, awake),
                                     cmocka_unit_test(test_debt),
                                     cmocka_unit_test(test_held_up),
                                     cmocka_unit_test(test_stopped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
