/* test_unit_speed.c: threads that a library would start by itself do not fight with ours: a scan with it takes about as
 * long as one where it is told to start none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>

#include "support/child.h"
#include "support/clock.h"
#include "support/unit_list.h"
#include "toys/toy.h"

/* Threads that fight make a scan take tens of times as long. */
enum { N = 1 << 20, RUNS = 9, TRIES = 3, FAR_SLOWER = 4 };

/* Rows of matrices: the default, and so many that vendors would use more than one thread for the product of a block. */
static const size_t rows[] = {0, 64};

struct times {
  double least[COUNT(rows)]; /* seconds */
};

/* The least time of some scans, with as many threads as the plan chooses. */
static double time_scans(const char *unit, size_t s, const float *x, float *y) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .engine = "gemm", .unit = unit, .s = s};
  mmscan_plan *plan = plan_new(&desc, &asked, &used);
  double least = DBL_MAX;
  for (int i = 0; i < RUNS; i++) {
    double start = seconds();
    if (mmscan_execute(plan, x, y) != MMSCAN_OK) exit(11);
    double took = seconds() - start;
    if (took < least) least = took;
  }
  mmscan_plan_destroy(plan);
  return least;
}

static int child_time(void) {
  const char *unit = getenv("MMSCAN_TEST_LIBRARY");
  float *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y);
  struct times times;
  if (x == NULL || y == NULL) return 9;
  if (strchr(unit, '/') && mmscan_unit_open(unit, &unit, NULL, 0) != MMSCAN_OK) return 10;
  for (size_t i = 0; i < COUNT(rows); i++) times.least[i] = time_scans(unit, rows[i], x, y);
  free(x);
  free(y);
  return report_to_parent(&times, sizeof times);
}

/* `threads` is for the library only; ours are as many as there may be. */
static struct times times_with(const char *library, const char *threads) {
  const char *const variables[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"};
  char ours[16];
  struct setting settings[2 + COUNT(variables)] = {{"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_NUM_THREADS", ours}};
  struct times times;
  snprintf(ours, sizeof ours, "%d", mmscan_threads());
  for (size_t i = 0; threads != NULL && i < COUNT(variables); i++)
    settings[2 + i] = (struct setting){variables[i], threads};
  ask_report("time", settings, COUNT(settings), &times, sizeof times);
  return times;
}

static bool are_near(const struct times *by_default, const struct times *alone) {
  size_t i = 0;
  while (i < COUNT(rows) && by_default->least[i] < FAR_SLOWER * alone->least[i]) i++;
  return i == COUNT(rows);
}

/* Other processes may disturb either measurement: one good try is enough. */
static void check_speed(const char *library) {
  struct times by_default, alone;
  int tries = 0;
  do {
    by_default = times_with(library, NULL);
    alone = times_with(library, "1");
  } while (!are_near(&by_default, &alone) && ++tries < TRIES);
  print_message("ran:     %s: %.2f, %.2f ms by default; %.2f, %.2f ms where it starts no threads\n", library,
                1e3 * by_default.least[0], 1e3 * by_default.least[1], 1e3 * alone.least[0], 1e3 * alone.least[1]);
  if (tries == TRIES) fail_msg("%s: its threads fight with ours", library);
}

TEST(test_threads_do_not_fight) {
#ifdef MMS_SANITIZED
  bool is_fair = false;
#else
  bool is_fair = getenv("MMSCAN_TEST_WRAPPER") == NULL && emulator() == NULL;
#endif
  skip_if(!is_fair, "an instrument changes what is fast");
  check_speed("cblas");
  check_speed(toy("fights"));
  for (size_t i = 0; i < units_here()->count; i++) check_speed(units_here()->path[i]);
}

int main(int argc, char **argv) {
  static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS",
                                          "MKL_NUM_THREADS"};
  static const struct child children[] = {{"time", child_time}};
  int status;
  wait_passively(argv);
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  clear_settings();
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i]);
  return run_all_tests(NULL, NULL);
}
