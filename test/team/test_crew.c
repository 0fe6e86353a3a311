/* test_crew.c: threads that OpenMP did not start, or that have ended, are not counted on; none is waited for; and CPUs
 * that threads are kept from for a while are given back.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "support/child.h"
#include "support/sanitized.h"
#include "team/crew.h"

enum { TEAM = 4, N = 200000, NOBODY = 65531, NOT_HERE = 77 };

/* ---- Threads that the library starts ----------------------------------------------------------------------------- */

/* While `holds`, the thread that starts a team does not get on. */
static atomic_bool holds;
static atomic_int held;
static sem_t released;

static atomic_uint starts, moves; /* of threads, by the library; of threads to other CPUs */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *as, void *(*start)(void *), void *argument) {
  atomic_fetch_add(&starts, 1);
  if (atomic_load(&holds) && atomic_fetch_add(&held, 1) == 0) sem_wait(&released);
  return __real_pthread_create(thread, as, start, argument);
}

int __real_sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int __wrap_sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int __wrap_sched_setaffinity(pid_t id, size_t size, const cpu_set_t *cpus) {
  atomic_fetch_add(&moves, 1);
  return __real_sched_setaffinity(id, size, cpus);
}

/* ---- Children: scans in processes of their own ------------------------------------------------------------------- */

static double x[N], y[N];

/* NULL: it cannot be made. */
static mmscan_plan *plan_for_team(void) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .tile = 1000, .threads = TEAM, .way = "leader"};
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N);
  mmscan_plan *plan;
  mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
  return plan;
}

static bool scans(void) {
  mmscan_plan *plan = plan_for_team();
  for (size_t i = 0; i < N; i++) x[i] = 1, y[i] = 0;
  bool right = mmscan_execute(plan, x, y) == MMSCAN_OK;
  for (size_t i = 0; i < N; i++) right = right && y[i] == (double)(i + 1);
  mmscan_plan_destroy(plan);
  return right;
}

static void *nothing(void *argument) { return argument; }

static bool can_start_a_thread(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

/* From here on, the system starts no thread. The limit does not apply to root. */
static void allow_no_threads(void) {
  if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0) _exit(NOT_HERE);
  if (setrlimit(RLIMIT_NPROC, &(struct rlimit){1, 1}) != 0 || can_start_a_thread()) _exit(NOT_HERE);
}

/* libgomp asks for the load of the system when it may choose the number of threads. */
static double load;

int getloadavg(double *average, int count) {
  for (int i = 0; i < count; i++) average[i] = load;
  return count;
}

/* OpenMP first starts fewer threads than were asked for, and then would start the others. */
static int scan_with_fewer_than_asked(void) {
  omp_set_dynamic(1);
  load = 1000;
  if (!scans()) _exit(1);
  load = 0;
  allow_no_threads();
  _exit(scans() ? 0 : 2);
}

static int scan_after_a_pause(void) {
  if (!scans()) _exit(1);
  if (omp_pause_resource_all(omp_pause_hard) != 0) _exit(NOT_HERE);
  allow_no_threads();
  _exit(scans() ? 0 : 2);
}

/* Another team of the program has ended threads of ours. */
static int scan_after_a_smaller_team(void) {
  if (!scans()) _exit(1);
#pragma omp parallel num_threads(2)
  x[omp_get_thread_num()] = 1;
  usleep(100000); /* until they have ended: before, nobody can know */
  allow_no_threads();
  _exit(scans() ? 0 : 2);
}

/* A filter ends the process at any change of CPUs. */
static int scan_under_a_filter(void) {
  struct sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {.len = COUNT(rules), .filter = rules};
  if (!scans()) _exit(1);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(NOT_HERE);
  usleep(20000); /* after which threads may sleep */
  _exit(scans() ? 0 : 2);
}

/* How many threads a run moves to other CPUs, and back. */
static unsigned moves_of(const mmscan_plan *plan) {
  const unsigned before = atomic_load(&moves);
  if (mmscan_execute(plan, x, y) != MMSCAN_OK) _exit(1);
  return atomic_load(&moves) - before;
}

/* Those that have just worked are left where they are. In between there may be no more than a millisecond, so that is
 * tried several times. */
static int scan_without_pauses(void) {
  cpu_set_t cpus;
  mmscan_plan *plan = plan_for_team();
  if (prctl(PR_GET_SECCOMP) != 0 || sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) < 2)
    _exit(NOT_HERE);
  moves_of(plan);
  bool stay = false;
  for (int i = 0; i < 100 && !stay; i++) stay = moves_of(plan) == 0;
  if (!stay) _exit(2);
  usleep(20000);
  if (moves_of(plan) != 2 * (TEAM - 1)) _exit(3);
  mmscan_plan_destroy(plan);
  _exit(0);
}

/* The stacks of threads that are yet to be started become too small for a scan. */
static void scan_on_stacks(size_t kib) {
  pthread_attr_t as;
  if (pthread_attr_init(&as) != 0 || pthread_attr_setstacksize(&as, kib << 10) != 0) _exit(NOT_HERE);
  if (pthread_setattr_default_np(&as) != 0) _exit(NOT_HERE);
  _exit(scans() && atomic_load(&starts) == 0 ? 0 : 2);
}

static int scan_with_small_stacks(void) {
  scan_on_stacks(68);
  return 2;
}

static int scan_with_larger_stacks(void) {
  scan_on_stacks(84);
  return 2;
}

/* A thread's first calls, which may be its last, start no team; many calls do. A long one does at once. */
static int scan_often(void) {
  enum { SHORT = 1 << 17, CALLS = 1000 };
  float *of = calloc(SHORT, sizeof *of);
  if (of == NULL || mmscan_threads() < 2) _exit(NOT_HERE);
  if (mmscan_inclusive_f32(SHORT, of, of) != MMSCAN_OK || atomic_load(&starts) != 0) _exit(1);
  for (int i = 0; i < CALLS; i++) mmscan_inclusive_f32(SHORT, of, of);
  _exit(atomic_load(&starts) != 0 ? 0 : 2);
}

static int scan_long_first(void) {
  enum { LONG = 1 << 24 };
  float *of = calloc(LONG, sizeof *of);
  if (of == NULL || mmscan_threads() < 2) _exit(NOT_HERE);
  _exit(mmscan_inclusive_f32(LONG, of, of) == MMSCAN_OK && atomic_load(&starts) != 0 ? 0 : 2);
}

static void check_child(const char *argument) {
  const struct setting settings[] = {{"OPENBLAS_NUM_THREADS", "1"}};
  struct outcome o = ask_self(argument, settings, COUNT(settings));
  if (o.exit == NOT_HERE)
    print_message("skipped: %s: not possible here\n", argument);
  else if (o.exit != 0 || o.printed != 0)
    fail_msg("%s: ended with %d, and printed: %s", argument, o.exit, o.print);
}

/* Each in a process of its own. */
static void test_children(void **state) {
  (void)state;
  static const char *const children[] = {"fewer",  "pause", "smaller", "stacks", "larger stacks",
                                         "filter", "awake", "often",   "long"};
  if (is_instrumented()) {
    print_message("skipped: an instrument needs threads, memory and stacks\n");
    skip();
  }
  for (size_t i = 0; i < COUNT(children); i++) check_child(children[i]);
}

/* ---- Many first calls -------------------------------------------------------------------------------------------- */

static void *scan_here(void *right) {
  double to[1000], from[1000];
  mmscan_plan *plan = NULL;
  const mmscan_choice choice = {.struct_size = sizeof choice, .tile = 64, .threads = TEAM, .way = "leader"};
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, COUNT(to));
  for (size_t i = 0; i < COUNT(from); i++) from[i] = 1;
  const bool done = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK &&
                    mmscan_execute(plan, from, to) == MMSCAN_OK;
  mmscan_plan_destroy(plan);
  *(bool *)right = done && to[COUNT(to) - 1] == COUNT(to);
  return NULL;
}

/* A thread does not wait until another one has started its team: it would wait for ever here. */
static int scan_meanwhile(void) {
  pthread_t first, second;
  bool right[2] = {false, false};
  alarm(20);
  sem_init(&released, 0, 0);
  atomic_store(&holds, true);
  if (__real_pthread_create(&first, NULL, scan_here, &right[0]) != 0) return NOT_HERE;
  while (atomic_load(&held) == 0) usleep(1000);
  if (__real_pthread_create(&second, NULL, scan_here, &right[1]) != 0) return NOT_HERE;
  pthread_join(second, NULL);
  sem_post(&released);
  pthread_join(first, NULL);
  return right[0] && right[1] ? 0 : 1;
}

static void test_first_calls_at_once(void **state) {
  (void)state;
  check_child("meanwhile");
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* A thread that waits, in the place of one of OpenMP's. */
static sem_t joined, done;

static void *wait_in_crew(void *crew) {
  mms_crew_join(crew, 1);
  sem_post(&joined);
  sem_wait(&done);
  return NULL;
}

static cpu_set_t cpus_of(pid_t id) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  assert_int_equal(sched_getaffinity(id, sizeof cpus, &cpus), 0);
  return cpus;
}

/* The crew is kept away from this thread's CPU and let back; in between the program may have changed its mind. */
static void keep_and_let_back(mms_crew *crew, bool program_changes) {
  mms_crew_cpus cpus;
  const pid_t id = crew->ids[0];
  const cpu_set_t before = cpus_of(id);
  mms_crew_keep_away(crew, &cpus);
  if (cpus.cpu < 0) skip(); /* under a filter of system calls */
  const cpu_set_t kept = cpus_of(id);
  assert_false(CPU_ISSET((size_t)cpus.cpu, &kept));
  assert_int_equal(CPU_COUNT(&kept), CPU_COUNT(&before) - 1);
  cpu_set_t chosen = before;
  if (program_changes) {
    CPU_ZERO(&chosen);
    CPU_SET((size_t)cpus.cpu, &chosen);
    assert_int_equal(sched_setaffinity(id, sizeof chosen, &chosen), 0);
  }
  mms_crew_let_back(crew, &cpus);
  const cpu_set_t after = cpus_of(id);
  assert_true(CPU_EQUAL(&after, &chosen));
  assert_int_equal(sched_setaffinity(id, sizeof before, &before), 0);
}

static void test_kept_from_a_cpu(void **state) {
  (void)state;
  mms_crew *crew = mms_crew_here();
  const cpu_set_t here = cpus_of(0);
  pthread_t thread;
  if (CPU_COUNT(&here) < 2) skip();
  sem_init(&joined, 0, 0);
  sem_init(&done, 0, 0);
  assert_int_equal(pthread_create(&thread, NULL, wait_in_crew, crew), 0);
  sem_wait(&joined);
  crew->size = 2;
  keep_and_let_back(crew, false);
  keep_and_let_back(crew, true);
  assert_ptr_equal(mms_crew_here(), crew);
  assert_int_equal(crew->size, 2);
  sem_post(&done);
  pthread_join(thread, NULL);
  assert_int_equal(mms_crew_here()->size, 1); /* it has ended */
}

/* A thread with one CPU alone stays there, as does one that is gone. */
static void test_not_kept(void **state) {
  (void)state;
  mms_crew crew = {.size = 2, .ids = {(pid_t)syscall(SYS_gettid)}};
  mms_crew_cpus cpus;
  const cpu_set_t before = cpus_of(0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  mms_crew_keep_away(&crew, &cpus);
  mms_crew_let_back(&crew, &cpus);
  const cpu_set_t after = cpus_of(0);
  assert_true(CPU_EQUAL(&after, &one));
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  crew.ids[0] = 0x3fffffff; /* more than Linux has */
  mms_crew_keep_away(&crew, &cpus);
  mms_crew_let_back(&crew, &cpus);
  const cpu_set_t here = cpus_of(0);
  assert_true(CPU_EQUAL(&here, &before));
}

/* What was let go is no loss; what ends besides is. */
static void test_smaller_crew(void **state) {
  (void)state;
  mms_crew *crew = mms_crew_here();
  pthread_t threads[3];
  sem_init(&joined, 0, 0);
  sem_init(&done, 0, 0);
  for (size_t i = 0; i < COUNT(threads); i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, wait_in_crew, crew), 0);
    sem_wait(&joined);
  }
  crew->size = 1 + COUNT(threads);
  mms_crew_shrink(crew, 2);
  assert_int_equal(mms_crew_here()->size, 2);
  for (size_t i = 0; i < COUNT(threads); i++) sem_post(&done);
  for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
  assert_int_equal(mms_crew_here()->size, 1);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"fewer", scan_with_fewer_than_asked},
                                          {"pause", scan_after_a_pause},
                                          {"smaller", scan_after_a_smaller_team},
                                          {"stacks", scan_with_small_stacks},
                                          {"larger stacks", scan_with_larger_stacks},
                                          {"awake", scan_without_pauses},
                                          {"filter", scan_under_a_filter},
                                          {"often", scan_often},
                                          {"long", scan_long_first},
                                          {"meanwhile", scan_meanwhile}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_children),        cmocka_unit_test(test_first_calls_at_once),
      cmocka_unit_test(test_kept_from_a_cpu), cmocka_unit_test(test_not_kept),
      cmocka_unit_test(test_smaller_crew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
