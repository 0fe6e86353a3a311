/* test_threads.c: how many threads the library starts and uses; the BLAS keeps its own number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <time.h>

#include "support/each_openblas.h"
#include "support/matmul.h"
#include "support/oracle.h"

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

/* A scan with two threads starts one; with the first, the sanitizer starts one of its own. */
enum { MORE_THREADS = 1 + UNDER_TSAN };

/* ---- How many ---------------------------------------------------------------------------------------------------- */

/* What a fresh process reports: the threads of the OpenMP runtime, of the library here and in a region, and of a plan
 * for a long scan; and a hash of the bits of that scan. */
struct counted {
  int runtime, here, in_region, plan;
  uint64_t bits;
};

static int count_threads(void) {
  struct counted c = {.runtime = omp_get_max_threads(), .here = mmscan_threads()};
  struct sample sample = sample_new(type_at(0), RANDOM, 200000);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 200000);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    c.in_region = omp_get_num_threads() > 1 ? mmscan_threads() : 1;
  }
  if (mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE) != MMSCAN_OK) return 1;
  if (mmscan_plan_get_choice(plan, &used) != MMSCAN_OK || mmscan_execute(plan, sample.x, sample.x) != MMSCAN_OK)
    return 1;
  c.plan = used.threads;
  for (size_t i = 0; i < 200000; i++) c.bits = c.bits * 31 + ((const uint32_t *)sample.x)[i];
  mmscan_plan_destroy(plan);
  sample_free(&sample);
  return report_to_parent(&c, sizeof c);
}

static struct counted counted_with(const struct setting *settings, size_t count) {
  struct counted c;
  struct outcome o = ask_self("count", settings, count);
  if (o.exit != 0 || o.reported != sizeof c) fail_msg("the child ended with %d: %s", o.exit, o.print);
  memcpy(&c, o.report, sizeof c);
  assert_int_equal(c.in_region, 1);
  assert_in_range(c.plan, 1, c.here);
  return c;
}

/* Keeps the process, and so its children, to one of its CPUs, or lets it run on all again. */
static bool keep_to_one_cpu(bool one) {
  static cpu_set_t all;
  static bool known;
  cpu_set_t first;
  int cpu = 0;
  if (!known) known = sched_getaffinity(0, sizeof all, &all) == 0;
  if (!known) return false;
  while (!CPU_ISSET(cpu, &all)) cpu++;
  CPU_ZERO(&first);
  CPU_SET(cpu, &first);
  return sched_setaffinity(0, sizeof all, one ? &first : &all) == 0;
}

static void test_how_many_threads(void **state) {
  (void)state;
  static const struct {
    struct setting setting[2];
    int threads;
  } trials[] = {{{{"OMP_NUM_THREADS", "1"}}, 1},
                {{{"OMP_NUM_THREADS", "4"}}, 4},
                {{{"MMSCAN_NUM_THREADS", "5"}}, 5},
                {{{"MMSCAN_NUM_THREADS", "2"}, {"OMP_NUM_THREADS", "7"}}, 2},
                {{{"MMSCAN_NUM_THREADS", "7"}, {"OMP_NUM_THREADS", "2"}}, 7},
                {{{"OMP_NUM_THREADS", "4"}, {"OMP_THREAD_LIMIT", "1"}}, 1},
                {{{"MMSCAN_NUM_THREADS", "4"}, {"OMP_THREAD_LIMIT", "3"}}, 3}};
  uint64_t bits = counted_with(NULL, 0).bits;
  for (size_t i = 0; i < COUNT(trials); i++) {
    struct counted c = counted_with(trials[i].setting, 2);
    assert_int_equal(c.here, trials[i].threads);
    assert_true(c.bits == bits);
  }
  const int many = 16 * omp_get_num_procs();
  assert_int_equal(counted_with(&(struct setting){"MMSCAN_NUM_THREADS", "1000000"}, 1).here, many > 256 ? many : 256);
  if (!keep_to_one_cpu(true)) {
    print_message("skipped: one CPU alone: cannot be had here\n");
    return;
  }
  struct counted one = counted_with(NULL, 0), three = counted_with(&(struct setting){"MMSCAN_NUM_THREADS", "3"}, 1);
  keep_to_one_cpu(false);
  print_message("one CPU alone: OpenMP would use %d threads, the library %d\n", one.runtime, one.here);
  assert_in_range(one.here, 1, one.runtime); /* not every runtime looks at the affinity before it starts a thread */
  assert_int_equal(three.here, 3);
  assert_true(one.bits == bits && three.bits == bits);
}

/* A choice outranks variables and the number of CPUs. */
static int plan_seven(void) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1 << 22);
  const mmscan_choice asked = {.struct_size = sizeof asked, .engine = "simd", .threads = 7};
  mmscan_choice used;
  mmscan_plan_destroy(plan_new(&desc, &asked, &used));
  return used.threads;
}

static void test_a_choice_of_threads(void **state) {
  (void)state;
  assert_int_equal(run_self("seven", NULL, 0), 7);
  assert_int_equal(run_self("seven", &(struct setting){"MMSCAN_NUM_THREADS", "2"}, 1), 7);
  assert_int_equal(run_self("seven", &(struct setting){"OMP_NUM_THREADS", "2"}, 1), 7);
  assert_int_equal(run_self("seven", &(struct setting){"OMP_THREAD_LIMIT", "5"}, 1), 5);
}

/* ---- The threads of the process, from /proc ---------------------------------------------------------------------- */

enum { MOST_TASKS = 256 };

struct tasks {
  size_t count;
  int id[MOST_TASKS];
  double busy[MOST_TASKS]; /* seconds on a CPU; -1 where the kernel does not say */
};

static double busy_of(int id) {
  char path[64];
  unsigned long long ns;
  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", id);
  FILE *file = fopen(path, "r");
  if (file == NULL) return -1;
  int got = fscanf(file, "%llu", &ns);
  fclose(file);
  return got == 1 ? (double)ns * 1e-9 : -1;
}

static struct tasks tasks_now(void) {
  struct tasks tasks = {0};
  DIR *directory = opendir("/proc/self/task");
  for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL && tasks.count < MOST_TASKS;) {
    int id = atoi(entry->d_name);
    if (id <= 0) continue;
    tasks.id[tasks.count] = id;
    tasks.busy[tasks.count++] = busy_of(id);
  }
  if (directory) closedir(directory);
  return tasks;
}

/* Idle threads may still spin when a program starts: waits until all but this one are quiet, for longer than a thread
 * may have to wait for its turn. */
static struct tasks tasks_when_quiet(void) {
  struct tasks before = tasks_now(), now = before;
  for (int turn = 0, quiet = 0; turn < 100 && quiet < 3; turn++) {
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    now = tasks_now();
    double worked = 0;
    for (size_t i = 0; i < now.count; i++)
      if (now.id[i] != getpid() && i < before.count) worked += now.busy[i] - before.busy[i];
    quiet = worked < 1e-4 && now.count == before.count ? quiet + 1 : 0;
    before = now;
  }
  return now;
}

/* Scans repeatedly with the engine gemm, with two threads at most. */
static bool scan_often(float *x, size_t n, size_t s) {
  mmscan_choice choice = {.struct_size = sizeof choice, .engine = "gemm", .unit = "cblas", .s = s, .threads = 2};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK;
  for (int turn = 0; right && turn < 10; turn++) right = mmscan_execute(plan, x, x) == MMSCAN_OK;
  mmscan_plan_destroy(plan);
  return right;
}

/* The paper's algorithm: each level is one product, as long as x. */
static bool scan_by_the_letter(float *x, size_t n) {
  mmscan_matmul_desc d = matmul_desc(MMSCAN_F32, n, 16, "cblas", 2);
  d.length_rule = MMSCAN_PADDED;
  return mmscan_matmulscan(&d, x, x, NULL) == MMSCAN_OK;
}

/* A plan that asks for more than OMP_THREAD_LIMIT does not get more, and OpenMP, which might complain, is not asked. */
static int plan_four(void) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000, .threads = 4};
  mmscan_choice used = {.struct_size = sizeof used};
  struct sample sample = sample_new(type_at(0), RANDOM, 200000);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 200000);
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK &&
               mmscan_plan_get_choice(plan, &used) == MMSCAN_OK &&
               mmscan_execute(plan, sample.x, sample.x) == MMSCAN_OK && scan_by_the_letter((float *)sample.x, 200000);
  mmscan_plan_destroy(plan);
  sample_free(&sample);
  return right && report_to_parent(&used.threads, sizeof used.threads) == 0 ? 0 : 1;
}

static void test_thread_limit(void **state) {
  (void)state;
  int threads;
  struct outcome o = ask_self("four", &(struct setting){"OMP_THREAD_LIMIT", "2"}, 1);
  if (o.exit != 0 || o.printed != 0) fail_msg("the child ended with %d: %s", o.exit, o.print);
  assert_int_equal(o.reported, sizeof threads);
  memcpy(&threads, o.report, sizeof threads);
  assert_int_equal(threads, 2);
}

/* Products of small, of large and of the largest matrices, and long ones. */
static bool scan_long(void) {
  const size_t n = sized((size_t)1 << 22, (size_t)1 << 18);
  float *x = calloc(n, sizeof *x);
  bool right = x != NULL && scan_often(x, n, 0) && scan_often(x, n / 8, 64) && scan_often(x, n / 64, MMSCAN_MAX_S) &&
               scan_by_the_letter(x, n);
  free(x);
  return right;
}

/* What a fresh process saw before and after long scans. */
struct witness {
  bool right, knows_time;
  size_t before, after; /* threads */
  double own, guests;   /* seconds of the caller, and of the other threads that were there before */
  int blas_before, blas_after, openmp_before, openmp_after;
  bool blas_asks_openmp;
};

/* What an OpenBLAS behind the unit cblas reports of itself; -1 for another BLAS. */
static int openblas_says(const char *name) {
  int (*get)(void);
  void *handle = dlopen(unit_library(), RTLD_LAZY | RTLD_NOLOAD);
  *(void **)&get = handle != NULL ? dlsym(handle, name) : NULL;
  return get != NULL ? get() : -1;
}

static int blas_threads(void) { return openblas_says("openblas_get_num_threads"); }

static int witness_scan(void) {
  enum { OPENMP = 2 };
  struct witness w = {.knows_time = true,
                      .blas_before = blas_threads(),
                      .openmp_before = omp_get_max_threads(),
                      .blas_asks_openmp = openblas_says("openblas_get_parallel") == OPENMP};
  struct tasks before = tasks_when_quiet();
  w.right = scan_long();
  struct tasks after = tasks_now();
  w.before = before.count;
  w.after = after.count;
  w.blas_after = blas_threads();
  w.openmp_after = omp_get_max_threads();
  for (size_t i = 0; i < before.count; i++)
    for (size_t k = 0; k < after.count; k++)
      if (before.id[i] == after.id[k]) {
        double gained = after.busy[k] - before.busy[i];
        *(before.id[i] == getpid() ? &w.own : &w.guests) += gained;
        w.knows_time = w.knows_time && before.busy[i] >= 0;
      }
  return report_to_parent(&w, sizeof w);
}

static struct witness witness_with(const struct setting *setting) {
  struct outcome o = ask_self("witness", setting, setting != NULL);
  struct witness w;
  if (o.exit != 0 || o.reported != sizeof w) fail_msg("the child ended with %d: %s", o.exit, o.print);
  memcpy(&w, o.report, sizeof w);
  assert_true(w.right);
  return w;
}

static void test_threads_of_the_blas(void **state) {
  (void)state;
  struct witness w = witness_with(NULL);
  print_message("threads before %zu, after %zu; CPU seconds: the caller %.3f, other threads there before %.6f\n",
                w.before, w.after, w.own, w.guests);
  assert_true(w.after <= w.before + MORE_THREADS);
  assert_int_equal(w.openmp_before, w.openmp_after);
  if (w.blas_before < 0)
    print_message("skipped: openblas_get_num_threads: not there\n");
  else if (!w.blas_asks_openmp || w.blas_after != w.openmp_after) /* it asks at each product */
    assert_int_equal(w.blas_before, w.blas_after);
  if (UNDER_TSAN || !w.knows_time || w.before == 1 || w.blas_asks_openmp)
    print_message("skipped: CPU time of the BLAS's threads: %s\n", UNDER_TSAN ? "the sanitizer has a thread of its own"
                                                                   : w.before == 1 ? "it has none"
                                                                   : w.blas_asks_openmp
                                                                       ? "they are OpenMP's, which work for us, too"
                                                                       : "the kernel does not say");
  else
    assert_true(w.guests <= 0.02 * w.own + 1e-3);
}

static void test_one_thread_starts_none(void **state) {
  (void)state;
  struct witness w = witness_with(&(struct setting){"OMP_NUM_THREADS", "2"});
  assert_true(w.after <= w.before + MORE_THREADS);
  struct outcome o = ask_self("single", &(struct setting){"MMSCAN_NUM_THREADS", "1"}, 1);
  assert_int_equal(o.exit, 0);
}

/* With MMSCAN_NUM_THREADS=1, no kind of call starts a thread. */
static int run_single(void) {
  size_t before = tasks_when_quiet().count, n = sized((size_t)1 << 21, (size_t)1 << 16);
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_EXCLUSIVE, 1, n);
  double *x = calloc(n, sizeof *x);
  if (x == NULL || mmscan_inclusive_f64(n, x, x) != MMSCAN_OK || mmscan_scan(&desc, x, x) != MMSCAN_OK) return 1;
  free(x);
  return mmscan_threads() == 1 && tasks_now().count == before ? 0 : 1;
}

/* A plan whose number of threads was free keeps to what the program sets before it runs. */
static int plan_two_run_one(void) {
  const size_t n = (size_t)1 << 20;
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  double *x = calloc(n, sizeof *x);
  if (x == NULL || mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE) != MMSCAN_OK) return 1;
  if (mmscan_plan_get_choice(plan, &used) != MMSCAN_OK || used.threads != 2) return 2;
  const size_t before = tasks_when_quiet().count;
  omp_set_num_threads(1);
  if (mmscan_execute(plan, x, x) != MMSCAN_OK) return 3;
  if (tasks_now().count != before) return 4;
  mmscan_plan_destroy(plan);
  free(x);
  return 0;
}

static void test_fewer_than_planned(void **state) {
  (void)state;
  assert_int_equal(run_self("fewer", &(struct setting){"OMP_NUM_THREADS", "2"}, 1), 0);
}

/* How many threads a run by the paper starts. In base 10, n has only digits 9: there are 9 segments of each length. */
static int started_by_matmulscan(int threads) {
  static float x[9999], y[9999];
  const mmscan_matmul_desc d = matmul_desc(MMSCAN_F32, COUNT(x), 10, "model", threads);
  const size_t before = tasks_when_quiet().count;
  return mmscan_matmulscan(&d, x, y, NULL) == MMSCAN_OK ? (int)(tasks_now().count - before) : 99;
}

static int scan_by_the_letter_on_one(void) { return started_by_matmulscan(1); }
static int scan_by_the_letter_as_everywhere(void) { return started_by_matmulscan(0); }

/* The description decides, or else the variables do. */
static void test_threads_of_matmulscan(void **state) {
  (void)state;
  const struct setting one = {"MMSCAN_NUM_THREADS", "1"}, four = {"MMSCAN_NUM_THREADS", "4"};
  assert_int_equal(run_self("one-letter", &four, 1), 0);
  assert_int_equal(run_self("letters", &one, 1), 0);
  assert_in_range(run_self("letters", &four, 1), 3, 3 + UNDER_TSAN);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static int run_all(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_how_many_threads),    cmocka_unit_test(test_thread_limit),
      cmocka_unit_test(test_a_choice_of_threads), cmocka_unit_test(test_threads_of_matmulscan),
      cmocka_unit_test(test_threads_of_the_blas), cmocka_unit_test(test_one_thread_starts_none),
      cmocka_unit_test(test_fewer_than_planned),
  };
  print_message("the unit cblas is %s\n", unit_library());
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"witness", witness_scan},
                                          {"single", run_single},
                                          {"count", count_threads},
                                          {"fewer", plan_two_run_one},
                                          {"four", plan_four},
                                          {"seven", plan_seven},
                                          {"one-letter", scan_by_the_letter_on_one},
                                          {"letters", scan_by_the_letter_as_everywhere},
                                          {"tests", run_all}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  int failed = run_all();
  return failed + run_with_each_openblas();
}
