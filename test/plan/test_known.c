/* test_known.c: what is known of a shape is replaced, without a lock for those who look, and without more memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "plan/wisdom.h"
#include "support/test.h"

static mms_shape shape_of(size_t n) {
  return (mms_shape){.algebra = mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), .n = n, .batch = 1};
}

/* All numbers of a choice follow from one. */
static mms_wise wise_of(int number) {
  return (mms_wise){.engine = mms_engine_find(number % 2 ? "simd" : "serial"),
                    .s = (size_t)number,
                    .tile = (size_t)number * 2,
                    .threads = number + 3,
                    .possible = number + 4};
}

static bool is_wise(const mms_wise *w) {
  const mms_wise same = wise_of((int)w->s);
  return w->engine == same.engine && w->unit == NULL && w->tile == same.tile && w->threads == same.threads &&
         w->possible == same.possible;
}

static void keep(size_t n, int number) {
  const mms_wise wise = wise_of(number);
  assert_mmscan_ok(mms_wisdom_keep(shape_of(n), &wise));
}

/* Bytes in use. */
static size_t heap(void) { return mallinfo2().uordblks; }

static void test_replaced_without_more_memory(void **state) {
  (void)state;
  enum { TIMES = 40000, MOST = 4096 };
  mms_wise found;
  keep(1 << 20, 0);
  const size_t count = mmscan_wisdom_count(), before = heap();
  for (int i = 1; i <= TIMES; i++) keep(1 << 20, i);
  assert_true(mms_wisdom_find(&(mms_shape){shape_of(1 << 20).algebra, 1 << 20, 1}, &found));
  assert_int_equal(found.s, TIMES);
  assert_true(is_wise(&found));
  assert_int_equal(mmscan_wisdom_count(), count);
  if (heap() > before + MOST) fail_msg("%zu bytes more for one shape", heap() - before);
}

/* ---- By several threads ------------------------------------------------------------------------------------------ */

enum { FIRST = 21, SHAPES = 3, WRITERS = 3, READERS = 3 };

struct worker {
  pthread_t thread;
  int index;
  bool right;
};

static atomic_bool stop;

/* Each writer's numbers only grow; what is kept last is the greatest of one of them. */
static void *write_choices(void *argument) {
  struct worker *w = argument;
  w->right = true;
  for (int i = 1; i <= (int)sized(20000, 2000); i++) {
    const mms_wise wise = wise_of(i * WRITERS + w->index);
    const mms_shape shape = shape_of((size_t)1 << (FIRST + i % SHAPES));
    w->right = mms_wisdom_keep(shape, &wise) == MMSCAN_OK && w->right;
  }
  return NULL;
}

static void *read_choices(void *argument) {
  struct worker *w = argument;
  w->right = true;
  for (size_t i = 0; !atomic_load(&stop); i++) {
    mms_wise found;
    const mms_shape shape = shape_of((size_t)1 << (FIRST + i % SHAPES));
    w->right = mms_wisdom_find(&shape, &found) && is_wise(&found) && w->right;
  }
  return NULL;
}

/* A reader sees one choice of one writer, never parts of two. */
static void test_read_meanwhile(void **state) {
  (void)state;
  struct worker workers[WRITERS + READERS];
  for (size_t k = 0; k < SHAPES; k++) keep((size_t)1 << (FIRST + k), 0);
  const size_t count = mmscan_wisdom_count();
  for (int i = 0; i < WRITERS + READERS; i++) {
    workers[i].index = i;
    void *(*work)(void *) = i < WRITERS ? write_choices : read_choices;
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < WRITERS + READERS; i++) {
    if (i == WRITERS) atomic_store(&stop, true);
    pthread_join(workers[i].thread, NULL);
    if (!workers[i].right) fail_msg("%s %d saw what is wrong", i < WRITERS ? "writer" : "reader", i);
  }
  assert_int_equal(mmscan_wisdom_count(), count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_replaced_without_more_memory),
      cmocka_unit_test(test_read_meanwhile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
