/* test_notifier.c: threads that wait for each other sleep meanwhile, and are woken by what they wait for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/test.h"
#include "team/notifier.h"

/* ---- One waiting thread ------------------------------------------------------------------------------------------ */

enum { TURN = 7 };

struct waiter {
  mms_notifier *notifier;
  const atomic_size_t *what;
  const int *left_behind; /* written before the notifier is set */
  atomic_bool *here;
  double waited, worked; /* seconds of wall time, and of CPU time */
  int found;
};

static void *wait_for_turn(void *argument) {
  struct waiter *w = argument;
  double start = clock_of(CLOCK_MONOTONIC), own = clock_of(CLOCK_THREAD_CPUTIME_ID);
  atomic_store(w->here, true);
  mms_notifier_wait(w->notifier, w->what, TURN);
  w->worked = clock_of(CLOCK_THREAD_CPUTIME_ID) - own;
  w->waited = clock_of(CLOCK_MONOTONIC) - start;
  w->found = *w->left_behind;
  return NULL;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

enum { WAITERS = 3 };

/* Keeps the waiters waiting for this long, once all are there. Values before TURN do not release them. */
static void keep_waiting(struct waiter waiters[WAITERS], unsigned microseconds) {
  mms_notifier notifier = MMS_NOTIFIER_READY;
  atomic_size_t what = 0;
  atomic_bool here[WAITERS] = {false};
  pthread_t thread[WAITERS];
  int left_behind = 0;
  for (size_t i = 0; i < WAITERS; i++) {
    waiters[i] = (struct waiter){.notifier = &notifier, .what = &what, .left_behind = &left_behind, .here = &here[i]};
    assert_int_equal(pthread_create(&thread[i], NULL, wait_for_turn, &waiters[i]), 0);
  }
  for (size_t i = 0; i < WAITERS; i++)
    while (!atomic_load(&here[i])) usleep(100);
  for (size_t value = 1; value < TURN; value++) {
    usleep(microseconds / TURN);
    mms_notifier_set(&notifier, &what, value);
  }
  usleep(microseconds / TURN);
  left_behind = 42;
  mms_notifier_set(&notifier, &what, TURN);
  for (size_t i = 0; i < WAITERS; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(waiters[i].found, 42);
  }
}

/* A thread looks for less than a millisecond before it sleeps, somewhat longer under an instrument. */
static void test_a_long_wait_is_slept(void **state) {
  (void)state;
  struct waiter waiters[WAITERS];
  keep_waiting(waiters, 350000);
  for (size_t i = 0; i < WAITERS; i++) {
    print_message("waited %.3f s, worked %.3f s\n", waiters[i].waited, waiters[i].worked);
    if (waiters[i].worked > 0.1 * waiters[i].waited) fail_msg("a thread that waits works");
  }
}

static void test_short_waits(void **state) {
  (void)state;
  struct waiter waiters[WAITERS];
  for (size_t i = 0; i < sized(200, 20); i++) keep_waiting(waiters, (unsigned)(i % 20));
}

/* ---- Two threads in turn ----------------------------------------------------------------------------------------- */

struct turns {
  mms_notifier notifier;
  atomic_size_t there, back;
  size_t count;
};

static void *answer(void *argument) {
  struct turns *t = argument;
  for (size_t i = 1; i <= t->count; i++) {
    mms_notifier_wait(&t->notifier, &t->there, i);
    mms_notifier_set(&t->notifier, &t->back, i);
  }
  return NULL;
}

/* Works for up to 1, 2, 4, ..., 512 microseconds: as a thread looks for some time between before it sleeps, many are
 * about to sleep when what they wait for is so. A wake-up that is lost then is waited for until the time limit of the
 * tests. */
static void test_none_sleeps_through(void **state) {
  (void)state;
  struct turns t = {.notifier = MMS_NOTIFIER_READY, .count = sized(10000, 3000)};
  struct rng rng = {1};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, answer, &t), 0);
  for (size_t i = 1; i <= t.count; i++) {
    const double end = clock_of(CLOCK_MONOTONIC) + (double)draw_below(&rng, (size_t)2 << draw_below(&rng, 10)) * 0.5e-6;
    while (clock_of(CLOCK_MONOTONIC) < end)
      ;
    mms_notifier_set(&t.notifier, &t.there, i);
    mms_notifier_wait(&t.notifier, &t.back, i);
  }
  pthread_join(thread, NULL);
}

static void test_what_is_so_already(void **state) {
  (void)state;
  mms_notifier notifier = MMS_NOTIFIER_READY;
  atomic_size_t what = TURN;
  mms_notifier_wait(&notifier, &what, TURN);
  mms_notifier_set(&notifier, &what, 8);
  mms_notifier_wait(&notifier, &what, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_long_wait_is_slept),
      cmocka_unit_test(test_short_waits),
      cmocka_unit_test(test_none_sleeps_through),
      cmocka_unit_test(test_what_is_so_already),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
