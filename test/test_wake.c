/* test_wake.c: what is remembered of threads that slept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "test.h"
#include "wake.h"

static const double US = 1000, TOOK = 50e3, WAITED = 45e3;

static int awake(void **state) {
  (void)state;
  mms_wake_record(5 * US, 1 * US);
  mms_wake_record(5 * US, 1 * US);
  return 0;
}

static void see_sleep_twice(void) {
  mms_wake_record(TOOK, WAITED);
  mms_wake_record(TOOK, WAITED);
}

static void test_awake(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) assert_true(mms_wake_pays(i * US));
}

/* One wait is no sleep: a thread that was woken is awake the next time. */
static void test_once(void **state) {
  (void)state;
  mms_wake_record(TOOK, WAITED);
  assert_true(mms_wake_pays(1 * US));
  mms_wake_record(5 * US, 1 * US);
  mms_wake_record(TOOK, WAITED);
  assert_true(mms_wake_pays(1 * US));
}

/* A run that saves more than waking costs pays; one that saves less pays once four times that cost went unsaved. */
static void test_twice(void **state) {
  (void)state;
  for (int turn = 0; turn < 3; turn++) {
    see_sleep_twice();
    for (int i = 0; i < 180; i++) {
      assert_true(mms_wake_pays(46 * US));
      assert_false(mms_wake_pays(1 * US));
    }
    assert_true(mms_wake_pays(1 * US));
  }
}

/* The lower of the two costs counts. */
static void test_costs(void **state) {
  (void)state;
  mms_wake_record(TOOK, 30 * US);
  mms_wake_record(10 * TOOK, 10 * WAITED);
  assert_true(mms_wake_pays(31 * US));
  assert_false(mms_wake_pays(29 * US));
}

/* Threads that are awake again; or waits for something else: short ones, a part of a long run, and time slices of the
 * system. */
static void test_no_sleep(void **state) {
  (void)state;
  static const double runs[][2] = {{5e3, 1e3}, {12e3, 9e3}, {200e3, 90e3}, {9e6, 8e6}};
  for (size_t i = 0; i < COUNT(runs); i++) {
    see_sleep_twice();
    assert_false(mms_wake_pays(1 * US));
    mms_wake_record(runs[i][0], runs[i][1]);
    assert_true(mms_wake_pays(1 * US));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_awake, awake), cmocka_unit_test_setup(test_once, awake),
      cmocka_unit_test_setup(test_twice, awake), cmocka_unit_test_setup(test_costs, awake),
      cmocka_unit_test_setup(test_no_sleep, awake)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
