/* test_pays.c: what is learned from what runs took, and from teams that were held up.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/clock.h"
#include "support/clock.h"
#include "support/test.h"
#include "team/pays.h"

static const double US = 1000;

/* A world in which runs take so long by a team and by one thread: what is chosen in it, run after run. */
struct world {
  double saves; /* of a class of its own in each test, as nothing is forgotten */
  bool rested;
  double by_team, by_one;
  bool streams;
};

static mms_pays_sort sort_of(const struct world *w) {
  return (mms_pays_sort){.rested = w->rested, .streams = w->streams};
}

/* Returns how many of the runs were a team's. Nothing is held up here, unless this process is. */
static int runs_of_teams(const struct world *w, int runs) {
  int teams = 0;
  for (int i = 0; i < runs; i++) {
    while (mms_pays_contended()) usleep(1000);
    const bool team = mms_pays(w->saves, sort_of(w));
    mms_pays_learn(w->saves, sort_of(w), team, 0, team ? w->by_team : w->by_one);
    teams += team;
  }
  return teams;
}

/* The faster way is found soon, and then does nearly all runs; the other is tried. */
static void test_faster_way(void **state) {
  (void)state;
  for (int rested = 0; rested <= 1; rested++) {
    const int learns = rested ? 100 : 500;
    const struct world team = {2 * US, rested, 10 * US, 13 * US, false},
                       one = {5 * US, rested, 13 * US, 10 * US, false};
    runs_of_teams(&team, learns);
    runs_of_teams(&one, learns);
    assert_in_range(runs_of_teams(&team, 10000), 9500, 9990);
    assert_in_range(runs_of_teams(&one, 10000), 10, 500);
  }
}

/* Runs after a pause and others, and those that save more, have nothing to do with each other. */
static void test_apart(void **state) {
  (void)state;
  const struct world busy = {17 * US, false, 1 * US, 2 * US, false}, rested = {17 * US, true, 2 * US, 1 * US, false},
                     longer = {34 * US, true, 1 * US, 2 * US, false}, streams = {17 * US, false, 2 * US, 1 * US, true};
  runs_of_teams(&busy, 500);
  runs_of_teams(&rested, 500);
  runs_of_teams(&longer, 500);
  runs_of_teams(&streams, 500);
  assert_true(runs_of_teams(&busy, 100) > 50);
  assert_true(runs_of_teams(&rested, 100) < 50);
  assert_true(runs_of_teams(&longer, 100) > 50);
  assert_true(runs_of_teams(&streams, 100) < 50);
}

/* A world that changes is noticed. */
static void test_change(void **state) {
  (void)state;
  struct world w = {70 * US, true, 10 * US, 12 * US, false};
  runs_of_teams(&w, 1000);
  w.by_one = 5 * US;
  runs_of_teams(&w, 1000);
  assert_true(runs_of_teams(&w, 1000) < 100);
  w.by_team = 4 * US;
  runs_of_teams(&w, 5000);
  assert_true(runs_of_teams(&w, 1000) > 900);
}

/* One thread in place of 64: a few runs show it, and it is seldom tried again. */
static void test_hopeless(void **state) {
  (void)state;
  const struct world w = {140 * US, false, 5 * US, 140 * US, false};
  assert_true(runs_of_teams(&w, 100000) >= 100000 - 5);
}

/* No pause makes a difference to a long run; and a way that was asked for is taken. */
static void test_long_runs(void **state) {
  (void)state;
  const struct world slow = {2000 * US, true, 9000 * US, 5000 * US, false};
  assert_int_equal(runs_of_teams(&slow, 1000), 1000);
  assert_true(mms_pays(INFINITY, (mms_pays_sort){.rested = true}));
}

/* A single slow run of many, as of a thread that lost its core for a while, changes nothing. */
static void test_outlier(void **state) {
  (void)state;
  const struct world w = {200 * US, true, 100 * US, 120 * US, false};
  runs_of_teams(&w, 500);
  mms_pays_learn(w.saves, sort_of(&w), true, 0, 900 * US);
  runs_of_teams(&w, 100); /* which makes up for it */
  assert_true(runs_of_teams(&w, 1000) > 900);
}

static void test_pause(void **state) {
  (void)state;
  bool at_once = false; /* tries again if this thread is held up in between */
  for (int tries = 0; tries < 100 && !at_once; tries++) {
    mms_pays_learn(10 * US, (mms_pays_sort){.rested = false}, true, 0, mms_clock());
    at_once = !mms_pays_rested();
  }
  assert_true(at_once);
  usleep(5000);
  assert_true(mms_pays_rested());
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
    seen = mms_pays_contended() && !mms_pays(INFINITY, (mms_pays_sort){.rested = false});
  }
  assert_true(seen);
  while (mms_pays_contended()) usleep(1000);
}

/* And then none until four times as much was forgone; but those that are asked for are. */
static void test_debt(void **state) {
  (void)state;
  mms_pays_record(90000 * US, 80000 * US); /* of which a time slice counts */
  while (mms_pays_contended()) usleep(1000);
  assert_true(mms_pays(INFINITY, (mms_pays_sort){.rested = false}));
  for (int i = 0; i < 4 * 5; i++) {
    assert_true(mms_pays_owes());
    assert_false(mms_pays(1000 * US, (mms_pays_sort){.rested = false}));
  }
  assert_false(mms_pays_owes());
  assert_true(mms_pays(1100 * US, (mms_pays_sort){.rested = false}));
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_faster_way), cmocka_unit_test(test_apart),
                                     cmocka_unit_test(test_change),     cmocka_unit_test(test_hopeless),
                                     cmocka_unit_test(test_long_runs),  cmocka_unit_test(test_outlier),
                                     cmocka_unit_test(test_pause),      cmocka_unit_test(test_held_up),
                                     cmocka_unit_test(test_debt),       cmocka_unit_test(test_stopped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
