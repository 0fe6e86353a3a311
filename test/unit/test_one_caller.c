/* test_one_caller.c: two threads are never at the same time in a library that cannot bear it, an OpenBLAS for one
 * thread. Toys report that they are one, and count the calls that overlap.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "toys/toy.h"

enum { CALLERS = 2, N = 40000 };

struct caller {
  const char *unit;
  int products;
  atomic_bool *stop; /* NULL: makes all products */
  mmscan_status status;
};

static void *call_often(void *argument) {
  struct caller *c = argument;
  for (int i = 0; i < c->products && c->status == MMSCAN_OK && !(c->stop != NULL && atomic_load(c->stop)); i++)
    c->status = product_status(c->unit, i % 2 ? MMSCAN_PRODUCT_GEMM : MMSCAN_PRODUCT_CHUNKED);
  return NULL;
}

static void start_callers(pthread_t thread[CALLERS], struct caller callers[CALLERS], struct caller like) {
  for (size_t i = 0; i < CALLERS; i++) {
    callers[i] = like;
    assert_int_equal(pthread_create(&thread[i], NULL, call_often, &callers[i]), 0);
  }
}

static void join_callers(pthread_t thread[CALLERS], const struct caller callers[CALLERS]) {
  for (size_t i = 0; i < CALLERS; i++) {
    pthread_join(thread[i], NULL);
    assert_mmscan_ok(callers[i].status);
  }
}

static int (*counter_of(const char *unit))(void) {
  int (*met)(void);
  *(void **)&met = in_toy(unit, "toy_met");
  return met;
}

/* With threads of the caller, and with those of one scan. */
TEST(test_never_two_at_once) {
  const char *unit = open_toy("serial");
  int (*met)(void) = counter_of(unit);
  pthread_t thread[CALLERS];
  struct caller callers[CALLERS];
  start_callers(thread, callers, (struct caller){.unit = unit, .products = (int)sized(400, 100)});
  join_callers(thread, callers);
  assert_int_equal(met(), 0);

  float *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y);
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, N, 4);
  assert_true(x != NULL && y != NULL);
  for (size_t i = 0; i < N; i++) x[i] = 1;
  for (size_t i = 0; i < sized(10, 2); i++) assert_mmscan_ok(mmscan_execute(plan, x, y));
  for (size_t i = 0; i < N; i++) assert_true(y[i] == (float)(i + 1));
  assert_int_equal(met(), 0);
  mmscan_plan_destroy(plan);
  free(x);
  free(y);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Callers of a library with locks of its own do not wait for each other: they meet, which also shows that a toy would
 * notice it. */
TEST(test_locks_of_its_own) {
  const char *unit = open_toy("locking");
  int (*met)(void) = counter_of(unit);
  pthread_t thread[CALLERS];
  struct caller callers[CALLERS];
  atomic_bool stop = false;
  time_t end = time(NULL) + 30;
  start_callers(thread, callers, (struct caller){.unit = unit, .products = 100000000, .stop = &stop});
  while (met() == 0 && time(NULL) < end) usleep(1000);
  atomic_store(&stop, true);
  join_callers(thread, callers);
  assert_true(met() > 0);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

int main(int argc, char **argv) { return run_or_be(NULL, 0, argc, argv, NULL, NULL); }
