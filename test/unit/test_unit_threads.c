/* test_unit_threads.c: which threads a library starts that is opened at run time, what it leaves behind, and that many
 * threads may open one at the same time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "support/child.h"
#include "support/clock.h"
#include "support/traces.h"
#include "support/unit_list.h"
#include "support/wisdom_text.h"
#include "toys/toy.h"
#include "unit/vendor.h"

/* ---- Threads of a library ---------------------------------------------------------------------------------------- */

enum { LOOKS = 200 };

struct watch {
  _Atomic bool stop;
  _Atomic int looks;
  size_t most;
};

static void *watch(void *argument) {
  struct watch *w = argument;
  while (!w->stop) {
    size_t now = tasks();
    if (now > w->most) w->most = now;
    w->looks++;
    sched_yield();
  }
  return NULL;
}

/* Scans with one thread and with two are watched: the tasks beyond those that were there when the library was
 * opened. */
struct threads_seen {
  int one, two;
  double others; /* work of other threads during the scan by one thread, relative to that thread's time */
  uint64_t bits; /* of y */
};

/* Threads of a team end when the next team is smaller: after a scan by one thread, waits until none is still ending. */
static size_t tasks_at_rest(const char *unit, size_t n, const float *x, float *y) {
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, n, 1);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
  size_t now = tasks();
  for (int quiet = 0; quiet < 20; quiet++) {
    usleep(5000);
    if (tasks() != now) quiet = 0;
    now = tasks();
  }
  return now;
}

static int extra_tasks(const char *unit, int threads, size_t n, const float *x, float *y) {
  struct watch w = {.most = 0};
  pthread_t watcher;
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, n, threads);
  size_t before = tasks_at_rest(unit, n, x, y);
  if (pthread_create(&watcher, NULL, watch, &w) != 0) return -100;
  for (int i = 0; i < 5 || w.looks < LOOKS; i++)
    if (mmscan_execute(plan, x, y) != MMSCAN_OK) return -101;
  w.stop = true;
  pthread_join(watcher, NULL);
  mmscan_plan_destroy(plan);
  return (int)w.most - (int)before - 1;
}

/* Counting does not show the threads of an existing pool, but their work does: this is the most, relative to ours. */
static const double MOST_OF_OTHERS = 0.25;

static double work_of_others(const char *unit, size_t n, const float *x, float *y) {
  mmscan_plan *plan = plan_by(unit, MMSCAN_F32, n, 1);
  double all = clock_of(CLOCK_PROCESS_CPUTIME_ID), own = clock_of(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 20; i++) assert_mmscan_ok(mmscan_execute(plan, x, y));
  all = clock_of(CLOCK_PROCESS_CPUTIME_ID) - all;
  own = clock_of(CLOCK_THREAD_CPUTIME_ID) - own;
  mmscan_plan_destroy(plan);
  return (all - own) / own;
}

/* Earlier work may keep the other threads busy for a while, the longer the more other processes run here. */
static double least_work_of_others(const char *unit, size_t n, const float *x, float *y) {
  double least = work_of_others(unit, n, x, y);
  for (int again = 0; again < 9 && least > MOST_OF_OTHERS; again++) {
    usleep(20000);
    const double now = work_of_others(unit, n, x, y);
    if (now < least) least = now;
  }
  return least;
}

static int child_threads(void) {
  size_t n = sized((size_t)1 << 20, (size_t)1 << 17);
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  const char *unit;
  struct rng rng = rng_of(5);
  if (x == NULL || y == NULL) return 9;
  unit = getenv("MMSCAN_TEST_LIBRARY");
  if (strchr(unit, '/') && mmscan_unit_open(unit, &unit, NULL, 0) != MMSCAN_OK) return 10;
  for (size_t i = 0; i < n; i++) x[i] = (float)draw_unit(&rng);
  struct threads_seen seen = {.one = extra_tasks(unit, 1, n, x, y)};
  seen.others = least_work_of_others(unit, n, x, y);
  seen.two = extra_tasks(unit, 2, n, x, y);
  seen.bits = fnv1a((const char *)y, n * sizeof *y);
  free(x);
  free(y);
  return report_to_parent(&seen, sizeof seen);
}

/* The variables of all vendors at once; each library reads its own. */
static struct threads_seen threads_with(const char *library, const char *count) {
  const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", library}, {"OMP_NUM_THREADS", count},
                                     {"OPENBLAS_NUM_THREADS", count},  {"BLIS_NUM_THREADS", count},
                                     {"MKL_NUM_THREADS", count},       {"MKL_DYNAMIC", "FALSE"},
                                     {"OMP_DYNAMIC", "FALSE"}};
  struct threads_seen seen;
  ask_report("threads", settings, COUNT(settings), &seen, sizeof seen);
  return seen;
}

/* With the library's own threads forced to four and to one: no more threads than ours run, and the bits are the
 * same. */
static void check_threads(const char *library) {
  struct threads_seen four = threads_with(library, "4"), one = threads_with(library, "1");
  print_message("ran:     %s: %d, %d more tasks; others' work %.2f\n", library, four.one, four.two, four.others);
  if (four.one > 0 || four.two > 1) fail_msg("%s starts threads inside ours", library);
  if (four.others > MOST_OF_OTHERS) fail_msg("threads of %s work inside ours: %.2f of its time", library, four.others);
  if (one.one > 0 || one.two > 1) fail_msg("%s starts threads inside ours", library);
  assert_true(one.bits == four.bits);
}

TEST(test_threads_of_units) {
  mmscan_part part = {.struct_size = sizeof part};
  if (is_instrumented()) print_message("skipped: the built-in units: other threads end late here\n");
  for (size_t i = 0; !is_instrumented() && mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (part.status == MMSCAN_OK) check_threads(part.name);
  for (size_t i = 0; i < units_here()->count; i++) check_threads(units_here()->path[i]);
}

/* A toy starts a thread for every gemm unless it is told not to. It must be told while it is tested and, if
 * `in_chunks`, for each chunk, and no longer. */
static void check_told(const char *name, bool in_chunks) {
  const char *unit = open_toy(name);
  assert_int_equal(calls_of(unit), 0);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_CHUNKED));
  const int before = calls_of(unit);
  assert_int_equal(before == 0, in_chunks);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_GEMM));
  assert_true(calls_of(unit) > before);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

TEST(test_a_library_is_told) {
  check_told("threads", true);
  check_told("teams", true);
  check_told("teams_of_all", true);
  check_told("blis_pthread", true);
  check_told("openblas_pthread", false);
}

/* OpenBLAS starts threads for smaller products of complex numbers than of floats. */
TEST(test_chunks_of_complex) {
  static const mmscan_type types[] = {MMSCAN_C32, MMSCAN_C64};
  static double x[2 * 64], w[2 * 64];
  const char *unit = open_toy("openblas_full");
  for (size_t i = 0; i < COUNT(types); i++) {
    mmscan_product_desc d = product_desc(unit, MMSCAN_PRODUCT_CHUNKED, 8, 8);
    d.type = types[i];
    const int before = calls_of(unit);
    assert_mmscan_ok(mmscan_product(&d, x, w));
    assert_int_equal(calls_of(unit), before);
    d.form = MMSCAN_PRODUCT_GEMM;
    assert_mmscan_ok(mmscan_product(&d, x, w));
    assert_true(calls_of(unit) > before);
  }
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Two threads come and go in a library that has a thread setting, of the process or of each thread. While one of them
 * is in the library it stays told; at the end the previous setting is back. */
struct guest {
  const char *unit;
  long (*set)(void);
  mmscan_status status;
  long after;
};

static void *come_and_go(void *argument) {
  struct guest *g = argument;
  for (size_t i = sized(5000, 500); i > 0 && g->status == MMSCAN_OK; i--)
    g->status = product_status(g->unit, MMSCAN_PRODUCT_CHUNKED);
  g->after = g->set();
  return NULL;
}

static void check_two(const char *name, bool is_local) {
  const char *unit = open_toy(name);
  struct guest guests[2] = {{.unit = unit}};
  pthread_t other;
  *(void **)&guests[0].set = in_toy(unit, "bli_thread_get_num_threads");
  guests[1] = guests[0];
  const long before = guests[0].set();
  const int calls_before = calls_of(unit);
  assert_int_equal(pthread_create(&other, NULL, come_and_go, &guests[1]), 0);
  come_and_go(&guests[0]);
  pthread_join(other, NULL);
  assert_mmscan_ok(guests[0].status);
  assert_mmscan_ok(guests[1].status);
  assert_int_equal(calls_of(unit), calls_before);
  assert_int_not_equal(before, 1);
  assert_int_equal(guests[0].set(), before);
  if (is_local) assert_int_equal(guests[1].after, before);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* With a setting of the process, the first thread to leave does not set it back. Two units may be one library. */
static void check_that_stays(const char *name, const char *setting) {
  const char *unit = open_toy(name);
  void *handle = dlopen(unit, RTLD_LAZY | RTLD_NOLOAD);
  mms_vendor vendor = mms_vendor_ask(handle), again = vendor;
  int (*get)(void);
  mms_visit first, second;
  *(void **)&get = dlsym(handle, setting);
  const int before = get(), none = vendor.quiet.none;
  assert_int_not_equal(before, none);
  mms_quiet_begin(&vendor.quiet, MMS_CHUNKED, &first.told);
  mms_quiet_begin(&again.quiet, MMS_CHUNKED, &second.told);
  assert_int_equal(get(), none);
  mms_quiet_end(&first.told);
  assert_int_equal(get(), none);
  mms_quiet_end(&second.told);
  assert_int_equal(get(), before);
  dlclose(handle);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

TEST(test_two_are_in_it) {
  check_that_stays("blis_pthread", "bli_thread_get_num_threads");
  check_that_stays("teams_of_all", "omp_get_max_active_levels");
  check_two("blis_pthread", false);
  check_two("blis_local", true);
}

/* Meanwhile the library is opened by another name, which changes the setting to find out whether it is the process's or
 * the thread's. */
static _Atomic bool is_opened;

static void *come_and_stay(void *argument) {
  struct guest *g = argument;
  while (!is_opened && g->status == MMSCAN_OK) g->status = product_status(g->unit, MMSCAN_PRODUCT_CHUNKED);
  return NULL;
}

static void open_often_as(const char *library) {
  const char *unit;
  for (size_t i = 0; i < 20; i++) {
    assert_mmscan_ok(mmscan_unit_open(library, &unit, NULL, 0));
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

TEST(test_opened_meanwhile) {
  const char *unit = open_toy("blis_pthread"), *other_name = in_scratch("again.so");
  struct guest guest = {.unit = unit};
  pthread_t other;
  *(void **)&guest.set = in_toy(unit, "bli_thread_get_num_threads");
  const long before = guest.set();
  const int calls_before = calls_of(unit);
  assert_int_equal(symlink(unit, other_name), 0);
  assert_int_equal(pthread_create(&other, NULL, come_and_stay, &guest), 0);
  open_often_as(other_name);
  is_opened = true;
  pthread_join(other, NULL);
  assert_mmscan_ok(guest.status);
  assert_int_equal(calls_of(unit), calls_before);
  assert_int_equal(guest.set(), before);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* ---- Teams that cannot be ---------------------------------------------------------------------------------------- */

enum { PATIENCE = 30 /* seconds until an alarm ends a hang */ };

/* Opens a library, which tests it, and has it make one product larger than a chunk, if it can. */
static bool use_library(const char *library) {
  enum { S = 64, COLUMNS = 512 };
  static float x[S * COLUMNS], w[S * COLUMNS];
  mmscan_product_desc d = product_desc(NULL, MMSCAN_PRODUCT_GEMM, S, COLUMNS);
  alarm(PATIENCE);
  if (mmscan_unit_open(library, &d.unit, NULL, 0) != MMSCAN_OK) return false;
  x[0] = 1;
  const mmscan_status status = mmscan_product(&d, x, w);
  const bool is_right = w[0] == 1 && w[S - 1] == 1 && w[S] == 0;
  return (status == MMSCAN_ENOTSUP || (status == MMSCAN_OK && is_right)) && mmscan_unit_close(d.unit) == MMSCAN_OK;
}

static int child_limited(void) { return use_library(getenv("MMSCAN_TEST_LIBRARY")) ? 0 : 1; }

/* The child of a process that has a team. */
static int child_forked(void) {
  static float x[1 << 20];
  mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, COUNT(x));
  const mmscan_choice two = {.struct_size = sizeof two, .engine = "simd", .threads = 2};
  mmscan_plan *plan;
  if (mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &two) || mmscan_execute(plan, x, x)) return 9;
  pid_t pid = fork();
  if (pid == 0) _exit(child_limited());
  mmscan_plan_destroy(plan);
  return exit_of(pid);
}

TEST(test_teams_that_cannot_be) {
  static const struct setting limits[][2] = {{{"OMP_THREAD_LIMIT", "1"}, {"OMP_NUM_THREADS", "4"}},
                                             {{"OMP_THREAD_LIMIT", "2"}, {"OMP_NUM_THREADS", "4"}},
                                             {{"OMP_DYNAMIC", "true"}, {"OMP_NUM_THREADS", "4"}},
                                             {{"OMP_MAX_ACTIVE_LEVELS", "0"}, {"OMP_NUM_THREADS", "4"}}};
  for (size_t i = 0; i < units_here()->count; i++) {
    const char *library = units_here()->path[i];
    const struct setting file = {"MMSCAN_TEST_LIBRARY", library};
    for (size_t l = 0; l < COUNT(limits); l++) {
      const struct setting settings[] = {file, limits[l][0], limits[l][1]};
      if (run_self("limited", settings, COUNT(settings)) != 0) fail_msg("%s: %s", library, limits[l][0].name);
    }
    if (run_self("forked", &file, 1) != 0) fail_msg("%s: in a forked child", library);
    print_message("ran:     %s\n", library);
  }
}

/* ---- Leaks ------------------------------------------------------------------------------------------------------- */

/* The first rounds leave what stays: the vendor's own runtimes, and the pages of our allocator. */
static int child_leaks(void) {
  const char *library = getenv("MMSCAN_TEST_LIBRARY");
  size_t times = strtoul(getenv("MMSCAN_TEST_TIMES"), NULL, 10);
  load_times(library, 3);
  struct traces before = traces();
  load_times(library, times);
  struct traces after = traces();
  print_message("%s: files %zu, %zu; tasks %zu, %zu; maps %zu, %zu\n", library, before.files, after.files, before.tasks,
                after.tasks, before.maps, after.maps);
  return after.files > before.files || after.tasks > before.tasks || after.maps > before.maps + 8;
}

static void check_leaks(const char *library, const char *times) {
  const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_TEST_TIMES", times}};
  struct outcome o = ask_self("leaks", settings, 2);
  print_message("%s", o.print);
  assert_int_equal(o.exit, 0);
}

TEST(test_nothing_is_left) {
  const char *times = quick() ? "2" : "10";
  check_leaks(toy("sound"), times);
  for (size_t i = 0; i < units_here()->count; i++) check_leaks(units_here()->path[i], times);
}

/* ---- Many at a time ---------------------------------------------------------------------------------------------- */

static void *open_often(void *library) {
  for (int i = 0; i < 20; i++) {
    const char *unit;
    if (mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK || !is_unit(library)) return library;
    if (product_status(unit, MMSCAN_PRODUCT_CHUNKED) != MMSCAN_OK) return library;
    if (mmscan_unit_close(unit) != MMSCAN_OK) return library;
  }
  return NULL;
}

static atomic_bool are_done;

/* Makes plans with a library that others open and close, so it may be there or not. */
static void *plan_often(void *library) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100);
  const mmscan_choice asked = {.struct_size = sizeof asked, .unit = library, .threads = 1};
  while (!are_done) {
    mmscan_choice used = {.struct_size = sizeof used};
    mmscan_plan *plan = NULL;
    const mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &asked);
    const bool is_good = status == MMSCAN_OK && mmscan_plan_get_choice(plan, &used) == MMSCAN_OK && used.s == 2;
    mmscan_plan_destroy(plan);
    if (!is_good && status != MMSCAN_EBLAS && status != MMSCAN_EINVAL) return library;
  }
  return NULL;
}

TEST(test_many_at_a_time) {
  enum { THREADS = 4 };
  pthread_t thread[THREADS], planner;
  char path[4200];
  snprintf(path, sizeof path, "%s", toy("sound"));
  assert_int_equal(pthread_create(&planner, NULL, plan_often, path), 0);
  for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, open_often, path), 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
  void *failed = open_often(path); /* it is unloaded each time now */
  are_done = true;
  assert_null(failed);
  pthread_join(planner, &failed);
  assert_null(failed);
  assert_false(is_unit(path) || is_loaded(path));
}

int main(int argc, char **argv) {
  static const struct child children[] = {
      {"threads", child_threads}, {"limited", child_limited}, {"forked", child_forked}, {"leaks", child_leaks}};
  return run_or_be(children, COUNT(children), argc, argv, make_scratch, remove_scratch);
}
