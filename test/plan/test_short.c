/* test_short.c: a short block that is scanned without a plan has the bits that its plan gives it; a first short call
 * reads no file and starts no thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <stdatomic.h>

#include "plan/short.h"
#include "plan/wisdom.h"
#include "support/child.h"
#include "support/test.h"

enum { MOST = 300 };

/* A description from a later header, which is looked at closer and gets a plan. */
struct later {
  mmscan_desc desc;
  char more[16];
};

/* An array of an element's type, whose sums are rounded; and the same bytes for every length. */
static void fill(const mms_algebra *a, void *x, uint64_t stream) {
  struct rng rng = rng_of(stream);
  const size_t parts = a->kind == 'c' ? 2 : 1, size = a->size / parts;
  for (size_t i = 0; i < MOST * parts; i++) {
    mms_value v = {0};
    if (a->kind == 'i' || a->kind == 'u')
      v.u64 = draw(&rng);
    else if (size == 4)
      v.f32 = (float)draw_unit(&rng);
    else
      v.f64 = draw_unit(&rng);
    memcpy((char *)x + i * size, &v, size);
  }
}

/* Two blocks in succession, the second one on the carry out of the first. */
static void scan_two(const mmscan_desc *desc, const mms_algebra *a, const char *x, char *y, void *carry) {
  memcpy(carry, a->start, a->size);
  for (int i = 0; i < 2; i++)
    assert_int_equal(mmscan_scan_block(desc, x + (size_t)i * a->size, y + (size_t)i * desc->n * a->size, carry),
                     MMSCAN_OK);
}

static void compare(const mms_algebra *a, mmscan_kind kind, int reverse, size_t n) {
  enum { SIZE = sizeof(mms_value) };
  _Alignas(SIZE) char x[SIZE * MOST], at_once[SIZE * 2 * MOST] = {0}, planned[SIZE * 2 * MOST] = {0};
  mms_value carry[2] = {0};
  struct later later = {.desc = plain_desc(a->type, kind, reverse, n)};
  later.desc.op = a->op;
  const mmscan_desc desc = later.desc;
  later.desc.struct_size = sizeof later;
  fill(a, x, n);
  scan_two(&later.desc, a, x, planned, &carry[0]);
  mms_value into = mms_algebra_value(a, a->start);
  if (!mms_short_block(&desc, x, at_once, &into)) fail_msg("%s %s, n = %zu: has a plan", a->op_name, a->type_name, n);
  scan_two(&desc, a, x, at_once, &carry[1]);
  if (memcmp(at_once, planned, sizeof planned) != 0 || memcmp(&carry[0], &carry[1], a->size) != 0)
    fail_msg("%s %s, kind %d, reverse %d, n = %zu: other bits", a->op_name, a->type_name, (int)kind, reverse, n);
}

static void test_bits(void **state) {
  (void)state;
  for (size_t row = 0; row < MMS_ROWS; row++)
    for (size_t n = 1; n < MOST; n += n < 70 ? 1 : 29)
      for (int which = 0; which < 4; which++)
        compare(mms_algebra_at(row), which / 2 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, which % 2, n);
}

/* What is wrong with a block is found as ever, and nothing is written. */
static void test_refused(void **state) {
  (void)state;
  float x[128] = {1}, y[128] = {2}, carry = 3;
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 16);
  assert_int_equal(mmscan_scan_block(&desc, x, y, &carry), MMSCAN_OK);
  y[0] = 2, carry = 3;
  assert_int_equal(mmscan_scan_block(NULL, x, y, &carry), MMSCAN_EINVAL);
  assert_int_equal(mmscan_scan_block(&desc, NULL, y, &carry), MMSCAN_EINVAL);
  assert_int_equal(mmscan_scan_block(&desc, x, y, NULL), MMSCAN_EINVAL);
  assert_int_equal(mmscan_scan_block(&desc, (char *)x + 1, y, &carry), MMSCAN_EINVAL);
  assert_int_equal(mmscan_scan_block(&desc, y + 1, y, &carry), MMSCAN_EOVERLAP);
  desc.init = x;
  assert_int_equal(mmscan_scan_block(&desc, x, y, &carry), MMSCAN_EINVAL);
  desc.init = NULL;
  for (int value = -1; value < 40; value++) {
    mmscan_desc odd[4] = {desc, desc, desc, desc};
    odd[0].x_type = odd[0].y_type = (mmscan_type)value;
    odd[1].op = (mmscan_op)value;
    odd[2].kind = (mmscan_kind)value;
    odd[3].x_type = (mmscan_type)value;
    for (size_t i = 0; i < COUNT(odd); i++) {
      float to[128] = {0};
      const mmscan_status status = mmscan_scan_block(&odd[i], x, to, &(mms_value){0});
      assert_true(status == MMSCAN_OK || status == MMSCAN_EINVAL || status == MMSCAN_ENOTSUP);
      assert_true(status == MMSCAN_OK || to[0] == 0);
    }
  }
  assert_true(y[0] == 2 && carry == 3);
}

/* Wisdom of the shape outranks what was kept. */
static void test_wisdom(void **state) {
  (void)state;
  float x[100] = {1}, y[100], carry = 0;
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  const mms_wise wise = {&mms_engine_serial, NULL, 0, 0, 1, 1};
  assert_int_equal(mmscan_scan_block(&desc, x, y, &carry), MMSCAN_OK);
  assert_true(mms_short_block(&desc, x, y, &carry));
  assert_int_equal(mms_wisdom_keep((mms_shape){mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), COUNT(x), 1}, &wise),
                   MMSCAN_OK);
  assert_false(mms_short_block(&desc, x, y, &carry));
  assert_int_equal(mmscan_scan_block(&desc, x, y, &carry), MMSCAN_OK);
}

/* ---- The first call ---------------------------------------------------------------------------------------------- */

static atomic_uint files, threads;

FILE *__real_fopen(const char *, const char *);
FILE *__wrap_fopen(const char *, const char *);
FILE *__wrap_fopen(const char *path, const char *mode) {
  atomic_fetch_add(&files, 1);
  return __real_fopen(path, mode);
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *as, void *(*start)(void *), void *argument) {
  atomic_fetch_add(&threads, 1);
  return __real_pthread_create(thread, as, start, argument);
}

static int call_first(void) {
  float x[1000], y[1000];
  for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
  if (mmscan_inclusive_f32(COUNT(x), x, y) != MMSCAN_OK || y[COUNT(x) - 1] != COUNT(x)) return 1;
  return atomic_load(&files) + atomic_load(&threads) == 0 ? 0 : 2;
}

static void test_first_call(void **state) {
  (void)state;
  const struct outcome o = ask_self("first", NULL, 0);
  if (o.exit != 0) fail_msg("ended with %d, and printed: %s", o.exit, o.print);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"first", call_first}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_first_call), cmocka_unit_test(test_wisdom)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
