/* test_quota.c: how many CPUs a container allows, by control-group files that are made up here; and what has the last
 * word on threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library's fopen() is wrapped: a child finds the files of a made-up system where it looks for those of the real
 * one.
 */
#include <ftw.h>
#include <omp.h>
#include <sys/stat.h>

#include "support/child.h"
#include "support/traces.h"
#include "team/quota.h"

/* ---- Systems that are made up ------------------------------------------------------------------------------------ */

enum { PATH_SIZE = 512, MOST_FILES = 6 };

struct file {
  const char *path, *text;
};

static char system_root[128];

static int make_root(void **state) {
  (void)state;
  snprintf(system_root, sizeof system_root, "%s/mmscan-quota-XXXXXX", text_or(getenv("TMPDIR"), "/tmp"));
  return mkdtemp(system_root) == NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind;
  return walk->level > 0 ? remove(path) : 0;
}

static void clear_root(void) { nftw(system_root, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static int remove_root(void **state) {
  (void)state;
  clear_root();
  return rmdir(system_root);
}

static void put_file(const struct file *file) {
  char path[PATH_SIZE];
  size_t base = strlen(system_root);
  assert_true((size_t)snprintf(path, sizeof path, "%s%s", system_root, file->path) < sizeof path);
  for (char *slash = strchr(path + base + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE *to = fopen(path, "w");
  assert_non_null(to);
  assert_true(fputs(file->text, to) >= 0);
  assert_int_equal(fclose(to), 0);
}

static void make_system(const struct file *files) {
  clear_root();
  for (size_t i = 0; i < MOST_FILES && files[i].path != NULL; i++) put_file(&files[i]);
}

/* ---- What the files say ------------------------------------------------------------------------------------------ */

#define GROUPS "/proc/self/cgroup"
#define V2     "/sys/fs/cgroup"
#define V1     "/sys/fs/cgroup/cpu"
#define QUOTA  "/cpu.cfs_quota_us"
#define PERIOD "/cpu.cfs_period_us"

static const struct trial {
  const char *what;
  int cpus;
  struct file files[MOST_FILES];
} trials[] = {
    {"no files", 0, {{NULL, NULL}}},
    {"version 2, half a CPU", 1, {{V2 "/cpu.max", "50000 100000\n"}}},
    {"version 2, 1 CPU", 1, {{V2 "/cpu.max", "100000 100000\n"}, {GROUPS, "0::/\n"}}},
    {"version 2, 1 CPU and a little", 2, {{V2 "/cpu.max", "100001 100000\n"}}},
    {"version 2, 1.5 CPUs", 2, {{V2 "/cpu.max", "150000 100000\n"}}},
    {"version 2, 4 CPUs", 4, {{V2 "/cpu.max", "400000 100000\n"}}},
    {"version 2, 4 CPUs of a short period", 4, {{V2 "/cpu.max", "4000 1000"}}},
    {"version 2, max", 0, {{V2 "/cpu.max", "max 100000\n"}}},
    {"version 1, half a CPU", 1, {{V1 QUOTA, "50000\n"}, {V1 PERIOD, "100000\n"}}},
    {"version 1, 1 CPU", 1, {{V1 QUOTA, "100000\n"}, {V1 PERIOD, "100000\n"}}},
    {"version 1, 1.5 CPUs", 2, {{V1 QUOTA, "150000\n"}, {V1 PERIOD, "100000\n"}}},
    {"version 1, 4 CPUs", 4, {{V1 QUOTA, "200000\n"}, {V1 PERIOD, "50000\n"}}},
    {"version 1, no limit", 0, {{V1 QUOTA, "-1\n"}, {V1 PERIOD, "100000\n"}}},
    {"both, the tighter", 2, {{V2 "/cpu.max", "800000 100000\n"}, {V1 QUOTA, "200000\n"}, {V1 PERIOD, "100000\n"}}},

    {"version 2, a group of its own",
     3,
     {{GROUPS, "0::/a/b\n"}, {V2 "/a/b/cpu.max", "300000 100000\n"}, {V2 "/a/cpu.max", "max 100000\n"}}},
    {"version 2, a parent that is tighter",
     2,
     {{GROUPS, "0::/a/b/c\n"},
      {V2 "/a/b/c/cpu.max", "800000 100000\n"},
      {V2 "/a/b/cpu.max", "max 100000\n"},
      {V2 "/a/cpu.max", "200000 100000\n"},
      {V2 "/cpu.max", "400000 100000\n"}}},
    {"version 2, a neighbour that is tighter",
     4,
     {{GROUPS, "0::/a\n"}, {V2 "/a/cpu.max", "400000 100000\n"}, {V2 "/b/cpu.max", "100000 100000\n"}}},
    {"version 1, a parent that is tighter",
     3,
     {{GROUPS, "5:cpuset:/x\n4:cpu,cpuacct:/a/b\n0::/y\n"},
      {V1 "/a/b" QUOTA, "500000\n"},
      {V1 "/a/b" PERIOD, "100000\n"},
      {V1 "/a" QUOTA, "300000\n"},
      {V1 "/a" PERIOD, "100000\n"}}},
    {"version 1, a group of another controller",
     0,
     {{GROUPS, "4:cpuacct,cpuset:/a\n3:cpu:/b\n"}, {V1 "/a" QUOTA, "100000\n"}, {V1 "/a" PERIOD, "100000\n"}}},
    {"version 1, its group is the root it sees",
     2,
     {{GROUPS, "4:cpu,cpuacct:/docker/0123\n0::/\n"}, {V1 QUOTA, "200000\n"}, {V1 PERIOD, "100000\n"}}},
    {"a group beyond the root it sees", 2, {{GROUPS, "0::/../other\n"}, {V2 "/cpu.max", "200000 100000\n"}}},

    {"garbage", 0, {{V2 "/cpu.max", "much of it\n"}, {V1 QUOTA, "\n"}, {V1 PERIOD, "?"}}},
    {"garbage in the list of groups", 2, {{GROUPS, "x\n:\n::\n1\n:::/\n\n"}, {V2 "/cpu.max", "200000 100000\n"}}},
    {"empty files", 0, {{GROUPS, ""}, {V2 "/cpu.max", ""}, {V1 QUOTA, ""}, {V1 PERIOD, ""}}},
    {"half a pair", 0, {{V2 "/cpu.max", "200000\n"}}},
    {"half of two files", 0, {{V1 QUOTA, "200000\n"}}},
    {"the other half", 0, {{V1 PERIOD, "100000\n"}}},
    {"a quota of nothing", 0, {{V2 "/cpu.max", "0 100000\n"}}},
    {"a quota below nothing", 0, {{V2 "/cpu.max", "-200000 100000\n"}}},
    {"a period of nothing", 0, {{V2 "/cpu.max", "200000 0\n"}}},
    {"a period below nothing", 0, {{V2 "/cpu.max", "-200000 -100000\n"}}},
    {"a quota of next to nothing", 1, {{V2 "/cpu.max", "1 1000000\n"}}},
    {"a quota beyond int", 0, {{V2 "/cpu.max", "9223372036854775807 1\n"}}},
    {"a quota beyond int64_t", 0, {{V2 "/cpu.max", "99999999999999999999999 1\n"}}},
    {"a quota beyond double", 0, {{V1 QUOTA, "1e999\n"}, {V1 PERIOD, "1e-300\n"}}},
    {"both beyond double", 0, {{V2 "/cpu.max", "1e999 1e999\n"}}},
    {"what is no number", 0, {{V2 "/cpu.max", "nan nan\n"}}},
    {"no number of periods", 0, {{V2 "/cpu.max", "200000 nan\n"}}},
};

static void test_what_files_say(void **state) {
  (void)state;
  const size_t files = open_files();
  for (size_t i = 0; i < COUNT(trials); i++) {
    make_system(trials[i].files);
    int cpus = mms_quota_cpus_under(system_root);
    if (cpus != trials[i].cpus) fail_msg("%s: %d CPUs, not %d", trials[i].what, cpus, trials[i].cpus);
  }
  assert_int_equal(open_files(), files); /* none stays open */
}

/* Groups may be nested as deep as a path is long; a longer path is not one of a real system. */
static void test_deep_groups(void **state) {
  (void)state;
  static char groups[20000] = "0::";
  for (size_t length = 3; length + 1 < sizeof groups; length++) {
    groups[length] = length % 2 ? '/' : 'g';
    if (length != 4000 && length != 4400 && length != sizeof groups - 2) continue;
    make_system((const struct file[]){{GROUPS, groups}, {V2 "/g/cpu.max", "300000 100000\n"}, {NULL, NULL}});
    assert_in_range(mms_quota_cpus_under(system_root), 0, 3);
    if (length == 4000) assert_int_equal(mms_quota_cpus_under(system_root), 3);
  }
}

/* ---- Which setting counts ---------------------------------------------------------------------------------------- */

/* The library's calls go here: see the Makefile. */
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
  const char *root = getenv("MMSCAN_TEST_ROOT");
  char there[PATH_SIZE];
  if (root == NULL || (strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/proc/", 6) != 0))
    return __real_fopen(path, mode);
  snprintf(there, sizeof there, "%s%s", root, path);
  return __real_fopen(there, mode);
}

/* If OMP_NUM_THREADS is not set, the program asks OpenMP for six threads, whatever the number of CPUs. */
static int child_threads(void) {
  if (getenv("OMP_NUM_THREADS") == NULL) omp_set_num_threads(6);
  const int threads[2] = {mmscan_threads(), omp_get_max_threads()};
  return report_to_parent(threads, sizeof threads);
}

static void check_threads(const char *omp, const char *ours, int want, int want_omp) {
  const struct setting settings[] = {{"MMSCAN_TEST_ROOT", system_root},
                                     {omp != NULL ? "OMP_NUM_THREADS" : NULL, omp},
                                     {ours != NULL ? "MMSCAN_NUM_THREADS" : NULL, ours}};
  struct outcome o = ask_self("threads", settings, COUNT(settings));
  int threads[2];
  if (o.exit != 0 || o.reported != sizeof threads) fail_msg("the child ended with %d: %s", o.exit, o.print);
  memcpy(threads, o.report, sizeof threads);
  assert_int_equal(threads[1], want_omp);
  assert_int_equal(threads[0], want);
}

/* The quota bounds what OpenMP would use by default. A variable outranks it, whether it asks for more threads or
 * fewer. */
static void test_who_has_the_last_word(void **state) {
  (void)state;
  make_system((const struct file[]){{V2 "/cpu.max", "150000 100000\n"}, {NULL, NULL}});
  check_threads(NULL, NULL, 2, 6);
  check_threads("5", NULL, 5, 5);
  check_threads("1", NULL, 1, 1);
  check_threads(NULL, "4", 4, 6);
  check_threads("5", "3", 3, 5);
  make_system((const struct file[]){{V2 "/cpu.max", "900000 100000\n"}, {NULL, NULL}});
  check_threads(NULL, NULL, 6, 6);
}

int main(int argc, char **argv) {
  static const char *const variables[] = {"MMSCAN_NUM_THREADS", "OMP_NUM_THREADS", "OMP_DYNAMIC", "OMP_THREAD_LIMIT"};
  static const struct child children[] = {{"threads", child_threads}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_files_say),
      cmocka_unit_test(test_deep_groups),
      cmocka_unit_test(test_who_has_the_last_word),
  };
  return cmocka_run_group_tests(tests, make_root, remove_root);
}
