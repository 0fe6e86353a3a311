/* test_spread.c: threads that start on one CPU, and leave it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "clock.h"
#include "spread.h"
#include "test.h"

enum { MOST = 4 };

static cpu_set_t allowed; /* to this program */

static void allow(const cpu_set_t *cpus) { assert_int_equal(sched_setaffinity(0, sizeof *cpus, cpus), 0); }

static bool may_go_anywhere(void) {
  cpu_set_t now;
  return sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &allowed);
}

typedef struct team {
  mms_spread spread;
  int threads;
  atomic_int kept; /* threads that may go afterwards where they could before */
} team;

/* A thread starts where the one is that starts it, which may be nowhere else until then. */
static void *come(void *given) {
  team *t = given;
  if (sched_setaffinity(0, sizeof allowed, &allowed) == 0) mms_spread_out(&t->spread, t->threads);
  t->kept += may_go_anywhere();
  return NULL;
}

/* CPUs that are taken by so many threads, some of which never come. */
static int spread_out(int threads, int absent) {
  team t = {.spread = MMS_SPREAD_READY, .threads = threads};
  const int come_too = threads - 1 - absent;
  pthread_t other[MOST];
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET((size_t)sched_getcpu(), &here);
  allow(&here);
  for (int i = 0; i < come_too; i++) assert_int_equal(pthread_create(&other[i], NULL, come, &t), 0);
  come(&t);
  for (int i = 0; i < come_too; i++) pthread_join(other[i], NULL);
  assert_int_equal(t.kept, come_too + 1);
  assert_int_equal(t.spread.here, come_too + 1);
  return CPU_COUNT(&t.spread.taken);
}

/* Each has its own, as long as there are any. */
static void test_all_come(void **state) {
  (void)state;
  const int cpus = CPU_COUNT(&allowed);
  print_message("CPUs: %d%s\n", cpus, cpus == 1 ? ", so there is nowhere to go" : "");
  for (int round = 0; round < 20; round++)
    for (int threads = 1; threads <= MOST; threads++)
      assert_int_equal(spread_out(threads, 0), threads < cpus ? threads : cpus);
}

/* Nobody waits long for a thread that the system has not started yet. */
static void test_who_does_not_come(void **state) {
  (void)state;
  const double start = clock_of(CLOCK_MONOTONIC);
  for (int absent = 1; absent < MOST; absent++) spread_out(MOST, absent);
  assert_true(clock_of(CLOCK_MONOTONIC) - start < 10);
}

/* Who may be on one CPU only stays there. */
static void test_bound(void **state) {
  (void)state;
  const cpu_set_t before = allowed;
  CPU_ZERO(&allowed);
  CPU_SET((size_t)sched_getcpu(), &allowed);
  assert_int_equal(spread_out(MOST, 0), 1);
  allowed = before;
  allow(&allowed);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_come), cmocka_unit_test(test_who_does_not_come),
                                     cmocka_unit_test(test_bound)};
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
