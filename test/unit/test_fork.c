/* test_fork.c: fork() while other threads are in the library. Its child can call everything; where the parent had
 * threads, on the calling thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_ALONE __libc_single_threaded
#endif
#endif
#ifndef IS_ALONE
#define IS_ALONE 0
#endif

#include <stdatomic.h>

#include "support/child.h"
#include "support/matmul.h"
#include "support/unit_list.h"
#include "toys/toy.h"
#include "unit/selftest.h"

enum { PATIENCE = 60 /* seconds until an alarm ends a hang */ };

/* ---- A fork in the middle of a call ------------------------------------------------------------------------------ */

static bool open_and_close(void) {
  const char *unit, *library = getenv("MMSCAN_TEST_LIBRARY");
  return mmscan_unit_open(library, &unit, NULL, 0) == MMSCAN_OK && mmscan_unit_close(unit) == MMSCAN_OK;
}

static bool try_cblas(void) { return mmscan_routine_try("cblas", "sgemm") == MMSCAN_OK; }

/* Repeated so often that forks come while the library's own locks are held. */
static bool multiply_in(mmscan_product_form form) {
  const char *unit = getenv("MMSCAN_TEST_LIBRARY");
  bool right = true;
  for (int i = 0; i < 100 && right; i++) right = product_status(unit, form) == MMSCAN_OK;
  return right;
}

static bool multiply(void) { return multiply_in(MMSCAN_PRODUCT_CHUNKED); }
static bool multiply_by_threads(void) { return multiply_in(MMSCAN_PRODUCT_GEMM); }

/* What a thread does until it is told to stop, with pauses in which a fork() that waits for a lock can take it. */
struct busy {
  bool (*call)(void);
  _Atomic bool stop, failed;
};

static void *call_on_and_on(void *argument) {
  struct busy *b = argument;
  while (!b->stop) {
    if (!b->call()) b->failed = true;
    usleep(100);
  }
  return NULL;
}

/* Forks children that make the very call that another thread of their parent is in. One-time initialisation is done
 * before: not every pthread_once() survives a fork(). */
static int fork_amid(bool (*call)(void)) {
  struct busy b = {.call = call};
  pthread_t thread;
  int failed = 0;
  alarm(PATIENCE);
  if (!call() || pthread_create(&thread, NULL, call_on_and_on, &b) != 0) return 9;
  for (size_t i = 0; i < sized(60, 20) && failed == 0; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(PATIENCE);
      _exit(call() ? 0 : 1);
    }
    failed = exit_of(pid);
  }
  b.stop = true;
  pthread_join(thread, NULL);
  return b.failed ? 8 : failed;
}

static bool scan_by_gemm(void) {
  static float x[1 << 16];
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "gemm", .unit = "cblas", .threads = 1};
  mmscan_plan *plan = NULL;
  float *y = malloc(sizeof x);
  const bool right = y != NULL && mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK &&
                     mmscan_execute(plan, x, y) == MMSCAN_OK;
  mmscan_plan_destroy(plan);
  free(y);
  return right;
}

static int fork_amid_scans(void) { return fork_amid(scan_by_gemm); }

static int fork_amid_opening(void) { return fork_amid(open_and_close); }
static int fork_amid_trying(void) { return fork_amid(try_cblas); }
static int fork_amid_products(void) {
  const char *unit = getenv("MMSCAN_TEST_LIBRARY");
  if (strchr(unit, '/') && mmscan_unit_open(unit, &unit, NULL, 0) != MMSCAN_OK) return 10;
  return fork_amid(multiply);
}

/* The BLAS has fork handlers of its own, registered after ours. They run while no product is computed. */
static int fork_amid_threads(void) {
  const char *unit;
  int (*disturbed)(void);
  mmscan_threads(); /* one-time initialisation */
  if (mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0) != MMSCAN_OK) return 10;
  *(void **)&disturbed = in_toy(unit, "toy_disturbed");
  const int failed = fork_amid(multiply_by_threads);
  return failed ? failed : disturbed() ? 12 : 0;
}

static int fork_again(void) {
  alarm(PATIENCE / 4);
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  return exit_of(pid);
}

/* A fork inside a product, as a signal handler may do: the thread does not wait for itself, nor does it in the child
 * after the product. */
static int fork_inside(void) {
  const char *unit;
  const pid_t self = getpid();
  alarm(PATIENCE);
  if (mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0) != MMSCAN_OK) return 10;
  bool *forks = in_toy(unit, "toy_forks");
  const int *forked = in_toy(unit, "toy_forked");
  *forks = true;
  if (product_status(unit, MMSCAN_PRODUCT_CHUNKED) != MMSCAN_OK) return 11;
  if (getpid() != self) _exit(fork_again());
  return *forked ? 12 : fork_again();
}

/* A fork() waits until another thread has finished testing a routine, and the child can test others. */
static atomic_int tested; /* products */
static atomic_bool stops;

static void multiply_slowly(const void *self, const mms_product *product) {
  (void)self, (void)product;
  if (atomic_fetch_add(&tested, 1) == 0) usleep(100000);
}

static void test_once(void) { mms_selftest(multiply_slowly, NULL, MMSCAN_F32, MMSCAN_PRODUCT_GEMM); }

static void *test_and_stay(void *argument) {
  test_once();
  while (!atomic_load(&stops)) usleep(100);
  return argument;
}

static int fork_amid_a_test(void) {
  pthread_t thread;
  alarm(PATIENCE);
  if (pthread_create(&thread, NULL, test_and_stay, NULL) != 0) return 9;
  while (atomic_load(&tested) == 0) usleep(100);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(PATIENCE / 4);
    test_once();
    _exit(0);
  }
  const int failed = exit_of(pid);
  atomic_store(&stops, true);
  pthread_join(thread, NULL);
  return failed;
}

/* A thread that forks in a test of a routine, while another thread opens libraries. */
static atomic_int forked;

static void multiply_and_fork(const void *self, const mms_product *product) {
  (void)self, (void)product;
  if (fork() == 0) _exit(0);
  wait(NULL);
  atomic_fetch_add(&forked, 1);
}

static int fork_in_a_test(void) {
  struct busy b = {.call = open_and_close};
  pthread_t thread;
  alarm(PATIENCE);
  if (pthread_create(&thread, NULL, call_on_and_on, &b) != 0) return 9;
  for (size_t i = 0; i < sized(60, 20); i++) mms_selftest(multiply_and_fork, NULL, MMSCAN_F32, MMSCAN_PRODUCT_GEMM);
  b.stop = true;
  pthread_join(thread, NULL);
  return b.failed ? 8 : atomic_load(&forked) == 0;
}

static void check_child(const char *argument, const struct setting *settings, size_t count) {
  struct outcome o = ask_self(argument, settings, count);
  if (o.exit != 0) fail_msg("%s: the child ended with %d: %s", argument, o.exit, o.print);
}

/* An emulator forks while other threads hold its own locks; so, for a long time, did the address sanitizer's
 * malloc(). */
static void skip_where_locks_stay(void) {
#ifndef MMS_SANITIZED_ADDRESSES
  if (emulator() == NULL) return;
#endif
  print_message("skipped: a fork while another thread is in a library, by an emulator or the address sanitizer\n");
  skip();
}

TEST(test_opening) {
  skip_where_locks_stay();
  check_child("opening", &(struct setting){"MMSCAN_TEST_LIBRARY", toy("sound")}, 1);
}

TEST(test_trying) {
  skip_where_locks_stay();
  check_child("trying", NULL, 0);
}

TEST(test_testing) {
  skip_where_locks_stay();
  check_child("testing", NULL, 0);
  check_child("forking", &(struct setting){"MMSCAN_TEST_LIBRARY", toy("sound")}, 1);
}

static void check_products(const char *library) {
  check_child("products", &(struct setting){"MMSCAN_TEST_LIBRARY", library}, 1);
  print_message("ran:     %s\n", library);
}

TEST(test_products) {
  skip_where_locks_stay();
  check_products("cblas");
  check_products(toy("blis_pthread"));
  for (size_t i = 0; i < units_here()->count; i++) check_products(units_here()->path[i]);
}

TEST(test_threads_of_a_library) {
  skip_where_locks_stay();
  check_child("threads", &(struct setting){"MMSCAN_TEST_LIBRARY", toy("openblas_pthread")}, 1);
}

TEST(test_scans) {
  skip_where_locks_stay();
  check_child("scans", NULL, 0);
}

TEST(test_inside) { check_child("inside", &(struct setting){"MMSCAN_TEST_LIBRARY", toy("forks")}, 1); }

/* ---- After threads ----------------------------------------------------------------------------------------------- */

enum { N = 1 << 17 };

static bool scan_with_two(void) {
  static float x[N], y[N];
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1024, .threads = 2};
  mmscan_plan *plan = NULL;
  for (size_t i = 0; i < N; i++) x[i] = 1;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK &&
               mmscan_execute(plan, x, y) == MMSCAN_OK;
  for (size_t i = 0; right && i < N; i++) right = y[i] == (float)(i + 1);
  mmscan_plan_destroy(plan);
  return right;
}

static bool scan_by_the_letter(void) {
  enum { LENGTH = 1000 };
  float x[LENGTH] = {0}, y[LENGTH];
  const mmscan_matmul_desc desc = matmul_desc(MMSCAN_F32, LENGTH, 4, NULL, 2);
  return mmscan_matmulscan(&desc, x, y, NULL) == MMSCAN_OK;
}

/* A child that scans on `threads` threads, and the child's own child. */
static int scan_in_child(int threads, int generations) {
  pid_t pid = fork();
  if (pid != 0) return exit_of(pid);
  alarm(PATIENCE);
  bool right = mmscan_threads() == threads && scan_with_two() && scan_by_the_letter();
  /* the child has threads now if it may have any, so its own child scans on one */
  _exit(!right ? 1 : generations > 1 ? scan_in_child(1, generations - 1) : 0);
}

static int after_matmulscan(void) { return scan_by_the_letter() ? scan_in_child(1, 2) : 9; }

/* After a parallel region of the program, which has not called the library yet. */
static int after_a_region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads < 1 ? 9 : scan_in_child(1, 2);
}

enum { SKIPPED = 77 };

static int after_nothing(void) { return IS_ALONE ? scan_in_child(2, 2) : SKIPPED; }

static const struct setting two_threads[] = {{"MMSCAN_NUM_THREADS", "2"}, {"OPENBLAS_NUM_THREADS", "1"}};

TEST(test_after_matmulscan) { check_child("matmulscan", two_threads, COUNT(two_threads)); }

TEST(test_after_a_region) { check_child("region", two_threads, COUNT(two_threads)); }

TEST(test_after_nothing) {
  int exit = run_self("nothing", two_threads, COUNT(two_threads));
  if (exit == SKIPPED)
    print_message("skipped: a process of one thread: it has more, or the C library does not say\n");
  else
    assert_int_equal(exit, 0);
}

int main(int argc, char **argv) {
  static const struct child children[] = {
      {"scans", fork_amid_scans},       {"opening", fork_amid_opening}, {"trying", fork_amid_trying},
      {"products", fork_amid_products}, {"inside", fork_inside},        {"threads", fork_amid_threads},
      {"matmulscan", after_matmulscan}, {"region", after_a_region},     {"nothing", after_nothing},
      {"testing", fork_amid_a_test},    {"forking", fork_in_a_test}};
  return run_or_be(children, COUNT(children), argc, argv, NULL, NULL);
}
