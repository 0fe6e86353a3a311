/* test_extremes.c: numbers that nobody means. Each is given to the library in a fresh process, which it must not end.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>

#include "child.h"

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { N = 4095, S = 4 };

static mmscan_matmul_desc letter_desc(mmscan_length_rule rule, int threads) {
  return (mmscan_matmul_desc){.struct_size = sizeof(mmscan_matmul_desc),
                              .type = MMSCAN_F64,
                              .n = N,
                              .s = S,
                              .form = MMSCAN_STACKED,
                              .length_rule = rule,
                              .traversal = MMSCAN_ITERATIVE,
                              .broadcast = MMSCAN_BROADCAST_MATRIX,
                              .threads = threads};
}

static bool scan_by_the_letter(mmscan_length_rule rule, int threads) {
  double x[N], y[N];
  const mmscan_matmul_desc desc = letter_desc(rule, threads);
  for (size_t i = 0; i < N; i++) x[i] = (double)(i % 7) - 3;
  bool right = mmscan_matmulscan(&desc, x, y, NULL) == MMSCAN_OK;
  double sum = 0;
  for (size_t i = 0; right && i < N; i++) right = y[i] == (sum += x[i]);
  return right;
}

static bool scan_by_plan(const char *engine, int threads) {
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .threads = threads};
  double x[N] = {1}, y[N];
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK &&
               mmscan_execute(plan, x, y) == MMSCAN_OK && y[N - 1] == 1;
  mmscan_plan_destroy(plan);
  return right;
}

/* Many segments, and one; an engine that is named, and the best. */
static int use_threads(void) {
  static const int threads[] = {30000, INT_MAX};
  for (size_t i = 0; i < COUNT(threads); i++) {
    if (!scan_by_the_letter(MMSCAN_DIGITS, threads[i]) || !scan_by_the_letter(MMSCAN_PADDED, threads[i])) return 1;
    if (!scan_by_plan("simd", threads[i]) || !scan_by_plan(NULL, threads[i])) return 2;
  }
  return 0;
}

static void check_child(const char *argument) {
  struct outcome o = ask_self(argument, NULL, 0);
  if (o.exit != 0) fail_msg("%s: the child ended with %d: %s", argument, o.exit, o.print);
}

static void test_threads(void **state) {
  (void)state;
  check_child("threads");
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"threads", use_threads}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
