/* test_cancel.c: a thread that is cancelled ends before a call or after it, never in the middle.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>

#include "support/child.h"
#include "support/matmul.h"
#include "support/wisdom_text.h"
#include "toys/toy.h"

enum { N = 1 << 22, TURNS = 200, PATIENCE = 60 /* seconds until an alarm ends a hang */ };

static float x[N], y[N];

static mmscan_status scan(void) { return mmscan_inclusive_f32(N, x, y); }

/* More threads than cores, so that some sleep until another has done its part. */
static mmscan_status scan_by_many(void) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .threads = 4};
  mmscan_plan *plan = NULL;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
  for (size_t turn = 0; status == MMSCAN_OK && turn < sized(TURNS, 5); turn++) status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status scan_by_the_letter(void) {
  mmscan_matmul_desc desc = matmul_desc(MMSCAN_F32, 1000, 4, NULL, 4);
  desc.form = MMSCAN_BATCHED;
  desc.broadcast = MMSCAN_BROADCAST_MATRIX;
  return mmscan_matmulscan(&desc, x, y, NULL);
}

static mmscan_status use_a_library(void) {
  const char *unit;
  mmscan_status status = mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0);
  if (status == MMSCAN_OK) status = product_status(unit, MMSCAN_PRODUCT_GEMM);
  return status ? status : mmscan_unit_close(unit);
}

/* The library sleeps while it multiplies, with its lock held. */
static mmscan_status scan_by_a_library(void) {
  const char *unit;
  mmscan_status status = mmscan_unit_open(getenv("MMSCAN_TEST_SERIAL"), &unit, NULL, 0);
  if (status != MMSCAN_OK) return status;
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, 5000, 1);
  status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status ? status : mmscan_unit_close(unit);
}

static mmscan_status multiply_by_a_library(void) {
  const char *unit;
  mmscan_status status = mmscan_unit_open(getenv("MMSCAN_TEST_SERIAL"), &unit, NULL, 0);
  if (status == MMSCAN_OK) status = product_status(unit, MMSCAN_PRODUCT_CHUNKED);
  return status ? status : mmscan_unit_close(unit);
}

static mmscan_status scan_by_the_letter_and_a_library(void) {
  mmscan_matmul_desc desc = matmul_desc(MMSCAN_F32, 1000, 4, NULL, 1);
  mmscan_status status = mmscan_unit_open(getenv("MMSCAN_TEST_SERIAL"), &desc.unit, NULL, 0);
  if (status == MMSCAN_OK) status = mmscan_matmulscan(&desc, x, y, NULL);
  return status ? status : mmscan_unit_close(desc.unit);
}

static mmscan_status use_wisdom(void) {
  const char *file = getenv("MMSCAN_TEST_FILE");
  mmscan_status status = mmscan_wisdom_write(file);
  return status ? status : mmscan_wisdom_read(file, NULL, 0);
}

static const struct trial {
  const char *name;
  mmscan_status (*call)(void);
} trials[] = {{"scan", scan},
              {"scan-by-many", scan_by_many},
              {"matmulscan", scan_by_the_letter},
              {"library", use_a_library},
              {"scan-by-library", scan_by_a_library},
              {"product-by-library", multiply_by_a_library},
              {"matmulscan-by-library", scan_by_the_letter_and_a_library},
              {"wisdom", use_wisdom}};

/* A thread that is already cancelled ends at the first cancellation point. */
static void *call_when_cancelled(void *argument) {
  const struct trial *trial = argument;
  static mmscan_status status;
  pthread_cancel(pthread_self());
  status = trial->call();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &(int){0});
  return &status;
}

/* After a call, a thread that is not cancelled can be cancelled as before the call. */
static void *call_and_look(void *argument) {
  const struct trial *trial = argument;
  static mmscan_status status;
  int cancel_state;
  status = trial->call();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  if (cancel_state != PTHREAD_CANCEL_ENABLE) status = MMSCAN_EIO;
  return &status;
}

/* What a thread returns that does a part of a trial; NULL if it cannot be started. */
static void *done_by_a_thread(void *part(void *trial), const struct trial *trial) {
  pthread_t thread;
  void *result = NULL;
  return pthread_create(&thread, NULL, part, (void *)(uintptr_t)trial) == 0 && pthread_join(thread, &result) == 0
             ? result
             : NULL;
}

/* Runs a trial as the first call of a fresh process, which can fork after it. */
static int run_one(const char *name) {
  const struct trial *trial = trials;
  alarm(PATIENCE);
  while (strcmp(trial->name, name) != 0) trial++;
  const mmscan_status *looked = done_by_a_thread(call_and_look, trial);
  if (!looked || *looked != MMSCAN_OK) return 8;
  void *const result = done_by_a_thread(call_when_cancelled, trial);
  const pid_t child = fork_mortal();
  if (child == 0) _exit(0);
  if (!result || exit_of(child) != 0) return 9;
  return result == PTHREAD_CANCELED ? 1 : *(const mmscan_status *)result == MMSCAN_OK ? 0 : 2;
}

TEST(test_each_call) {
  const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", toy("sound")},
                                     {"MMSCAN_TEST_SERIAL", toy("serial")},
                                     {"MMSCAN_TEST_FILE", in_scratch("wisdom")}};
  int failed = 0;
  for (size_t i = 0; i < COUNT(trials); i++) {
    struct outcome o = ask_self(trials[i].name, settings, COUNT(settings));
    if (o.exit != 0) print_error("%s: the child ended with %d: %s\n", trials[i].name, o.exit, o.print);
    failed += o.exit != 0;
  }
  assert_int_equal(failed, 0);
}

int main(int argc, char **argv) {
  wait_passively(argv);
  if (argc > 1) return run_one(argv[1]);
  clear_settings();
  return run_all_tests(make_scratch, remove_scratch);
}
