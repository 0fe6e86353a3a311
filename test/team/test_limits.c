/* test_limits.c: a process that may start no threads, or few, scans on those it has, and prints nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "engine/engine.h"
#include "plan/wisdom.h"
#include "support/child.h"
#include "support/matmul.h"
#include "support/sanitized.h"

/* ---- Limits of the system ---------------------------------------------------------------------------------------- */

enum { TEAM = 4, N = 200000, NOBODY = 65531, NOT_HERE = 77 };

/* The limit does not apply to root, and for another user it counts what else that user runs. */
static bool become_nobody(void) { return geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0; }

/* Limits all threads that the user runs. */
static bool allow_threads(rlim_t most) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return false;
  if (most < limit.rlim_max) limit.rlim_cur = most;
  return setrlimit(RLIMIT_NPROC, &limit) == 0;
}

static void *nothing(void *argument) { return argument; }

static bool can_start_a_thread(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static size_t threads_here(void) {
  size_t count = 0;
  DIR *directory = opendir("/proc/self/task");
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
    count += entry->d_name[0] != '.';
  if (directory != NULL) closedir(directory);
  return count;
}

/* Bytes of address space in use. */
static rlim_t size_here(void) {
  unsigned long pages = 0;
  FILE *from = fopen("/proc/self/statm", "r");
  if (from == NULL || fscanf(from, "%lu", &pages) != 1) _exit(NOT_HERE);
  fclose(from);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(rlim_t more) {
  const rlim_t size = size_here() + more;
  if (setrlimit(RLIMIT_AS, &(struct rlimit){size, size}) != 0) _exit(NOT_HERE);
}

/* Allocates all memory, down to the last small piece. */
static void use_up_memory(void) {
  static void *volatile last;
  limit_memory(1 << 20);
  for (size_t size = 1 << 20; size >= 16; size /= last != NULL ? 1 : 2) last = malloc(size);
}

/* ---- Threads that the library starts ----------------------------------------------------------------------------- */

/* The library starts threads here (the Makefile wraps the function): they are counted, or none is started. */
static atomic_uint starts;
static bool starts_none;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *as, void *(*start)(void *), void *argument) {
  atomic_fetch_add(&starts, 1);
  return starts_none ? EAGAIN : __real_pthread_create(thread, as, start, argument);
}

/* ---- Scans ------------------------------------------------------------------------------------------------------- */

static double x[N], y[N];

static bool is_right(mmscan_status status) {
  for (size_t i = 0; i < N; i++)
    if (y[i] != (double)(i + 1)) return false;
  memset(y, 0, sizeof y);
  return status == MMSCAN_OK;
}

static mmscan_plan *plan_for(int threads) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .tile = 1000, .threads = threads};
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N);
  mmscan_plan *plan = NULL;
  if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) _exit(1);
  return plan;
}

static mmscan_status scan_with_plan(size_t batch) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000, .threads = TEAM};
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N / batch);
  mmscan_plan *plan;
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)desc.n;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
  if (status == MMSCAN_OK) status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status scan_by_the_letter(void) {
  const mmscan_matmul_desc desc = matmul_desc(MMSCAN_F64, N, 16, NULL, TEAM);
  return mmscan_matmulscan(&desc, x, y, NULL);
}

/* Every kind of call that starts threads. */
static bool scan_all_ways(void) {
  for (size_t i = 0; i < N; i++) x[i] = 1;
  bool right = is_right(scan_by_the_letter()) && is_right(scan_with_plan(1)) && is_right(mmscan_inclusive_f64(N, x, y));
  return right && scan_with_plan(10) == MMSCAN_OK && y[N - 1] == N / 10;
}

struct seen {
  bool right;
  size_t before, after; /* threads */
};

/* The environment gives the limit for all the user's threads; if it does not, the limit stays. Destructors do not run,
 * since a leak checker would start a thread. */
static int scan_with_few_threads(void) {
  const char *allowed = getenv("TEST_LIMITS_THREADS");
  rlim_t most = allowed != NULL ? (rlim_t)atoi(allowed) : RLIM_INFINITY;
  if (!become_nobody() || !allow_threads(most) || (most == 1 && can_start_a_thread())) _exit(NOT_HERE);
  struct seen seen = {.before = threads_here()};
  seen.right = scan_all_ways();
  seen.after = threads_here();
  fflush(NULL);
  _exit(report_to_parent(&seen, sizeof seen));
}

/* OpenMP makes a new team for another size, and ends a process that has no memory for it. */
static int scan_without_memory(void) {
  mmscan_plan *plans[TEAM + 1];
  for (size_t i = 0; i < N; i++) x[i] = 1;
  for (int threads = 1; threads <= TEAM; threads++) plans[threads] = plan_for(threads);
  bool right = is_right(mmscan_execute(plans[TEAM - 1], x, y));
  use_up_memory();
  for (int threads = TEAM; threads >= 1; threads--) right = right && is_right(mmscan_execute(plans[threads], x, y));
  _exit(right ? 0 : 1);
}

/* How many threads a scan starts. */
static unsigned starts_of(const mmscan_plan *plan) {
  const unsigned before = atomic_load(&starts);
  if (!is_right(mmscan_execute(plan, x, y))) _exit(2);
  return atomic_load(&starts) - before;
}

/* Threads of an existing team are not tried again; where threads cannot be started, that is not tried in each call. */
static int scan_again(void) {
  for (size_t i = 0; i < N; i++) x[i] = 1;
  mmscan_plan *first = plan_for(TEAM), *larger = plan_for(TEAM + 1);
  if (starts_of(first) == 0 || starts_of(first) != 0) return 3;
  starts_none = true;
  bool rests = false; /* nothing is tried for a second, which may be over soon */
  for (int tries = 0; tries < 20 && !rests; tries++) rests = starts_of(larger) == 0;
  starts_none = false;
  if (!rests || starts_of(first) != 0) return 4;
  mmscan_plan_destroy(first);
  mmscan_plan_destroy(larger);
  return 0;
}

static mmscan_status measure(const char *engine) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine};
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N);
  mmscan_plan *plan;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_MEASURE, &choice);
  if (status == MMSCAN_OK) status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status multiply(void) {
  const mmscan_product_desc desc = {.struct_size = sizeof desc,
                                    .type = MMSCAN_F64,
                                    .matrix = MMSCAN_MATRIX_L,
                                    .form = MMSCAN_PRODUCT_GEMM,
                                    .s = 4,
                                    .columns = 1};
  return mmscan_product(&desc, x, y);
}

/* Wisdom asks for nothing by name, so the scan falls back to another engine. */
static bool scans_by_wisdom_of_a_blas(void) {
  const mms_wise wise = {&mms_engine_gemm, mms_unit_find("cblas"), 4, 1000, 1, mmscan_threads()};
  if (mms_wisdom_keep((mms_shape){mms_algebra_of(MMSCAN_PLUS, MMSCAN_F64), N, 1}, &wise) != MMSCAN_OK) return false;
  return is_right(mmscan_inclusive_f64(N, x, y));
}

/* Less memory than a BLAS takes for itself; the BLAS would wait for it for ever. */
static int scan_without_blas(void) {
  mmscan_routine routine = {.struct_size = sizeof routine};
  for (size_t i = 0; i < N; i++) x[i] = 1;
  limit_memory((rlim_t)100 << 20);
  bool right = is_right(measure(NULL)) && measure("gemm") == MMSCAN_ENOMEM && scan_by_the_letter() == MMSCAN_ENOMEM;
  right = right && mmscan_unit_open("libm.so.6", NULL, NULL, 0) == MMSCAN_ENOMEM;
  right = right && mmscan_routine_try("cblas", "sgemm_batch") == MMSCAN_ENOMEM;
  right = right && mmscan_get_routine("cblas", 0, &routine) == MMSCAN_ENOMEM;
  right = right && multiply() == MMSCAN_ENOMEM && scans_by_wisdom_of_a_blas();
  _exit(right ? 0 : 1);
}

/* OpenMP's threads have stacks of another size than other threads. */
static int scan_with_stacks(void) {
  for (size_t i = 0; i < N; i++) x[i] = 1;
  limit_memory((rlim_t)1 << 30);
  _exit(scan_all_ways() ? 0 : 1);
}

/* mmscan_threads() knows, and reports, that threads would have no stack for a scan. */
static int count_with_small_stacks(void) { _exit(mmscan_threads() == 1 ? 0 : 1); }

/* OpenMP has read the variable before. */
static int count_without_variable(void) {
  clearenv();
  return count_with_small_stacks();
}

/* Without OPENBLAS_NUM_THREADS, OpenBLAS would print at load that it cannot start its threads. */
static bool scans_with(const char *allowed, struct seen *seen) {
  const struct setting settings[] = {{"TEST_LIMITS_THREADS", allowed}, {"OPENBLAS_NUM_THREADS", "1"}};
  struct outcome o = ask_self("few", settings + (allowed == NULL), COUNT(settings) - (allowed == NULL));
  if (o.exit == NOT_HERE) return false;
  if (o.exit != 0 || o.printed != 0 || o.reported != sizeof *seen)
    fail_msg("%s threads: ended with %d, and printed: %s", text_or(allowed, "all"), o.exit, o.print);
  memcpy(seen, o.report, sizeof *seen);
  assert_true(seen->right);
  return true;
}

static void test_no_thread_can_be_started(void **state) {
  (void)state;
  struct seen seen;
  if (scans_with("1", &seen))
    assert_int_equal(seen.after, seen.before);
  else
    print_message("skipped: no thread can be started: the system starts them all\n");
  if (scans_with(NULL, &seen)) assert_in_range(seen.after, seen.before + 1, seen.before + 2 * TEAM);
}

/* One of these limits allows a team and no more: the threads tried beforehand must not take the place of the team. */
static void test_few_threads_can_be_started(void **state) {
  (void)state;
  struct seen seen;
  for (int allowed = 2; allowed <= 2 * TEAM; allowed++)
    for (size_t turn = 0; turn < sized(10, 1); turn++) {
      char number[16];
      snprintf(number, sizeof number, "%d", allowed);
      if (!scans_with(number, &seen)) return;
    }
}

static void check_child_with(const char *argument, const char *variable, const char *stack) {
  const struct setting settings[] = {{"OPENBLAS_NUM_THREADS", "1"}, {variable, stack}};
  struct outcome o = ask_self(argument, settings, stack != NULL ? 2 : 1);
  if (o.exit == NOT_HERE)
    print_message("skipped: %s: memory cannot be limited here\n", argument);
  else if (o.exit != 0 || o.printed != 0)
    fail_msg("%s, %s=%s: ended with %d, and printed: %s", argument, text_or(variable, ""), text_or(stack, ""), o.exit,
             o.print);
}

static void check_child(const char *argument) { check_child_with(argument, NULL, NULL); }

static void test_no_memory(void **state) {
  (void)state;
  if (is_instrumented()) {
    print_message("skipped: an instrument needs memory\n");
    skip();
  }
  check_child("no-memory");
  check_child("no-blas");
}

/* Usual sizes, sizes too large for so many threads, and sizes too small for what a thread itself needs; in all
 * units. */
static void test_stacks_of_openmp(void **state) {
  (void)state;
  static const char *const sizes[] = {"8M", "2G", "2097152", "2g", "64 K", "65536B", "68K", "84K", "319K", "320K"};
  if (is_instrumented()) {
    print_message("skipped: an instrument needs memory\n");
    skip();
  }
  for (size_t i = 0; i < COUNT(sizes); i++) check_child_with("stacks", "OMP_STACKSIZE", sizes[i]);
  check_child_with("stacks", "GOMP_STACKSIZE", "2G");
  check_child_with("small", "OMP_STACKSIZE", "319K");
#ifndef KMP_VERSION_MAJOR /* LLVM's OpenMP crashes after clearenv() */
  check_child_with("cleared", "OMP_STACKSIZE", "319K");
#endif
}

/* Which variable counts. Of the others the OpenMP runtime may print what it thinks. */
static void test_variables_of_openmp(void **state) {
  (void)state;
#ifdef KMP_VERSION_MAJOR
  const struct setting cases[][2] = {{{"KMP_STACKSIZE", "65536"}}, {{"KMP_STACKSIZE", "64k"}, {"OMP_STACKSIZE", "8M"}}};
#else
  const struct setting cases[][2] = {{{"OMP_STACKSIZE", ""}, {"GOMP_STACKSIZE", "64K"}},
                                     {{"OMP_STACKSIZE", "8MB"}, {"GOMP_STACKSIZE", "64"}},
                                     {{"OMP_STACKSIZE", " 64 k "}, {"GOMP_STACKSIZE", "8M"}}};
#endif
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct outcome o = ask_self("small", cases[i], COUNT(cases[i]));
    if (o.exit != 0) fail_msg("%s=%s: ended with %d: %s", cases[i][0].name, cases[i][0].value, o.exit, o.print);
  }
}

static void test_what_is_not_tried_again(void **state) {
  (void)state;
  struct outcome o = ask_self("again", NULL, 0);
  if (o.exit != 0) fail_msg("ended with %d, and printed: %s", o.exit, o.print);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"few", scan_with_few_threads},     {"again", scan_again},
                                          {"no-memory", scan_without_memory}, {"no-blas", scan_without_blas},
                                          {"stacks", scan_with_stacks},       {"small", count_with_small_stacks},
                                          {"cleared", count_without_variable}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_thread_can_be_started),
      cmocka_unit_test(test_few_threads_can_be_started),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_stacks_of_openmp),
      cmocka_unit_test(test_variables_of_openmp),
      cmocka_unit_test(test_what_is_not_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
