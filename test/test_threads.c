/* test_threads.c: the bits do not depend on threads; any thread may call, also in parallel regions and after a fork;
 * and the threads of the BLAS stay as they were. Runs itself again with each OpenBLAS that Debian packages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "child.h"
#include "crowd.h"
#include "kernel/isa.h"
#include "shot.h"

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

/* A scan with two threads starts one; the sanitizer starts one of its own with the first. */
enum { MORE_THREADS = 1 + UNDER_TSAN };

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

/* Rows, tiles in a row, and both. */
struct shape {
  size_t n, batch, tile; /* tile 0: the library's */
};

static const struct shape shapes[] = {{50000, 1, 1024}, {3000, 37, 0}, {2500, 7, 256}, {1 << 20, 1, 0}, {100001, 3, 0}};

/* Of more than 2 MiB of any type, the engine simd looks at a tile while it writes another, with the kernels of some
 * instruction sets. Here it is longer than the one that is written, or shorter, and neither ends between blocks. A
 * quick run has it as long, but for those instruction sets alone. */
static const struct shape looked_ahead = {349000, 3, 6481};

static void execute_with(const mmscan_desc *desc, mmscan_choice choice, int threads, const void *x, void *y) {
  mmscan_choice used;
  choice.threads = threads;
  mmscan_plan *plan = plan_new(desc, &choice, &used);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
}

static void check_bits(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice) {
  static const int threads[] = {2, 3, 4, 7, 16};
  const size_t size = desc->n * desc->batch * sample->oracle.type->size;
  struct buffer one = buffer_new(size, 0), many = buffer_new(size, 0);
  execute_with(desc, *choice, 1, sample->x, one.data);
  for (size_t i = 0; i < COUNT(threads); i++) {
    execute_with(desc, *choice, threads[i], sample->x, many.data);
    if (memcmp(one.data, many.data, size) != 0)
      fail_seeded("%s, n %zu, batch %zu, %s x %s, tile %zu: %d threads give other bits than one",
                  sample->oracle.type->name, desc->n, desc->batch, choice->engine, part_of(choice), choice->tile,
                  threads[i]);
  }
  buffer_free(&one);
  buffer_free(&many);
}

static void check_bits_of_variant(const struct sample *sample, struct shape shape, const mmscan_choice *choice,
                                  unsigned variant) {
  struct shot shot = {.sample = sample};
  shot_set(&shot, variant, shape.n);
  shot.desc.batch = shape.batch;
  shot.desc.x_dist = shot.desc.y_dist = (ptrdiff_t)shape.n;
  check_bits(sample, &shot.desc, choice);
}

static void check_bits_of_shape(const struct sample *sample, struct shape shape, mmscan_choice choice) {
  if (is_model(&choice)) shape.n /= 8;
  if (cuts_tiles(&choice)) choice.tile = shape.tile;
  shape.n = sized(shape.n, shape.n / 16);
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) check_bits_of_variant(sample, shape, &choice, variant);
}

/* A run that was held up leaves those after it to one thread for a while: lets that pass, unless it takes long. */
static void wait_for_cores(void) {
  for (int turn = 0; turn < 100 && mms_crowd_is_here(); turn++) usleep(1000);
}

static bool looks_ahead(const mmscan_choice *choice) {
  size_t index;
  return mms_isa_find(choice->isa, &index) && mms_isa_at(index)->looks_ahead;
}

static void check_bits_looking_ahead(const struct sample *sample, mmscan_choice choice) {
  choice.tile = looked_ahead.tile;
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) {
    wait_for_cores();
    check_bits_of_variant(sample, looked_ahead, &choice, variant);
  }
}

static void check_bits_of_choice(const struct sample *sample, const mmscan_choice *choice) {
  for (size_t i = 0; i < COUNT(shapes); i++) check_bits_of_shape(sample, shapes[i], *choice);
  if (same_text(choice->engine, "simd") && (!quick() || looks_ahead(choice))) check_bits_looking_ahead(sample, *choice);
}

static void test_same_bits(void **state) {
  (void)state;
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, ((size_t)1 << 20) + 1);
    for (size_t c = 0; c < forced->count; c++) check_bits_of_choice(&sample, &forced->choice[c]);
    sample_free(&sample);
  }
}

/* ---- Many callers ------------------------------------------------------------------------------------------------ */

enum { CALLERS = 8 };

/* What one thread does again and again, and whether it always came out right. */
struct caller {
  const struct sample *sample;
  const void *want;        /* the bits of y */
  const mmscan_plan *plan; /* NULL: simple calls */
  size_t n;
  bool right;
};

static void *call_often(void *argument) {
  struct caller *c = argument;
  const struct type *type = c->sample->oracle.type;
  char *y = malloc(c->n * type->size);
  c->right = y != NULL;
  for (size_t turn = 0; c->right && turn < sized(8, 2); turn++) {
    memset(y, 0x5a, c->n * type->size);
    mmscan_status status = c->plan ? mmscan_execute(c->plan, c->sample->x, y) : type->inclusive(c->n, c->sample->x, y);
    c->right = status == MMSCAN_OK && memcmp(y, c->want, c->n * type->size) == 0;
  }
  free(y);
  return NULL;
}

/* All at a time; returns how many did not come out right. */
static int call_from_threads(struct caller *callers) {
  pthread_t threads[CALLERS];
  int wrong = 0;
  for (int i = 0; i < CALLERS; i++)
    if (pthread_create(&threads[i], NULL, call_often, &callers[i]) != 0) fail_msg("no thread");
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
    wrong += !callers[i].right;
  }
  return wrong;
}

static void test_simple_calls_from_threads(void **state) {
  (void)state;
  struct sample samples[TYPES];
  struct buffer want[TYPES];
  struct caller callers[CALLERS];
  const size_t n = sized(300001, 20001);
  for (size_t t = 0; t < TYPES; t++) {
    samples[t] = sample_new(type_at(t), RANDOM, n);
    want[t] = buffer_new(n * type_at(t)->size, 0);
    assert_mmscan_ok(type_at(t)->inclusive(n, samples[t].x, want[t].data));
  }
  for (size_t i = 0; i < CALLERS; i++)
    callers[i] = (struct caller){.sample = &samples[i % TYPES], .want = want[i % TYPES].data, .n = n};
  assert_int_equal(call_from_threads(callers), 0);
  for (size_t t = 0; t < TYPES; t++) {
    buffer_free(&want[t]);
    sample_free(&samples[t]);
  }
}

static void test_one_plan_by_many_threads(void **state) {
  (void)state;
  const struct forced *forced = forced_all();
  const size_t n = sized(200001, 10001);
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, n);
    struct buffer want = buffer_new(n * type_at(t)->size, 0);
    for (size_t c = 0; c < forced->count; c++) {
      mmscan_choice choice = forced->choice[c], used;
      mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, is_model(&choice) ? n / 10 : n);
      choice.threads = 2;
      mmscan_plan *plan = plan_new(&desc, &choice, &used);
      struct caller callers[CALLERS];
      assert_mmscan_ok(mmscan_execute(plan, sample.x, want.data));
      for (size_t i = 0; i < CALLERS; i++)
        callers[i] = (struct caller){.sample = &sample, .want = want.data, .plan = plan, .n = desc.n};
      assert_int_equal(call_from_threads(callers), 0);
      mmscan_plan_destroy(plan);
    }
    buffer_free(&want);
    sample_free(&sample);
  }
}

/* ---- Inside OpenMP ----------------------------------------------------------------------------------------------- */

/* One caller in each thread of a region, `inner` regions deep; returns how many went wrong. */
static int call_in_region(const struct caller *like, int inner) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    struct caller c = *like;
    if (inner > 0) {
      wrong += call_in_region(like, inner - 1);
    } else {
      call_often(&c);
      wrong += !c.right + (mmscan_threads() != 1);
    }
  }
  return wrong;
}

static void test_inside_parallel_regions(void **state) {
  (void)state;
  const size_t n = sized(200001, 20001);
  struct sample sample = sample_new(type_at(0), RANDOM, n);
  struct buffer want = buffer_new(n * sizeof(float), 0);
  assert_mmscan_ok(mmscan_inclusive_f32(n, sample.x, (float *)(void *)want.data));
  struct caller like = {.sample = &sample, .want = want.data, .n = n};
  int levels = omp_get_max_active_levels();
  assert_int_equal(call_in_region(&like, 0), 0);
  omp_set_max_active_levels(2);
  assert_int_equal(call_in_region(&like, 1), 0);
  omp_set_max_active_levels(1);
  assert_int_equal(call_in_region(&like, 1), 0);
  omp_set_max_active_levels(levels);
  buffer_free(&want);
  sample_free(&sample);
}

/* A plan does not know where it was made: inside a region or out of it, it is the same, and runs in both. */
struct travelled {
  mmscan_plan *plan;
  mmscan_choice used;
  bool right;
};

static void make_and_run(const mmscan_desc *desc, const mmscan_plan *other, const struct caller *like,
                         struct travelled *made) {
  struct caller c = *like;
  made->used = (mmscan_choice){.struct_size = sizeof made->used};
  c.plan = other;
  call_often(&c);
  made->right = c.right && mmscan_plan_create(&made->plan, desc, MMSCAN_ESTIMATE) == MMSCAN_OK &&
                mmscan_plan_get_choice(made->plan, &made->used) == MMSCAN_OK;
}

static void test_plans_travel(void **state) {
  (void)state;
  const size_t n = sized(300001, 100001);
  struct sample sample = sample_new(type_at(1), RANDOM, n);
  struct buffer want = buffer_new(n * sizeof(double), 0);
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice outside;
  mmscan_plan *plan = plan_new(&desc, NULL, &outside);
  struct caller like = {.sample = &sample, .want = want.data, .n = n};
  struct travelled made[3] = {{.plan = NULL}};
  assert_mmscan_ok(mmscan_execute(plan, sample.x, want.data));
#pragma omp parallel num_threads(3)
  make_and_run(&desc, plan, &like, &made[omp_get_thread_num()]);
  for (size_t i = 0; i < COUNT(made) && made[i].plan != NULL; i++) {
    assert_true(made[i].right);
    assert_string_equal(made[i].used.engine, outside.engine);
    assert_int_equal(made[i].used.threads, outside.threads);
    struct caller c = like;
    c.plan = made[i].plan;
    call_often(&c);
    assert_true(c.right);
    mmscan_plan_destroy(made[i].plan);
  }
  assert_non_null(made[0].plan);
  mmscan_plan_destroy(plan);
  buffer_free(&want);
  sample_free(&sample);
}

/* ---- How many ---------------------------------------------------------------------------------------------------- */

/* What a fresh process says: the OpenMP runtime, and the library here and in a region; how many a plan for a long scan
 * may use; and the bits of one. */
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

/* The process, and so its children, may run on one of its CPUs alone; or on all again. */
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
                {{{"MMSCAN_NUM_THREADS", "7"}, {"OMP_NUM_THREADS", "2"}}, 7}};
  uint64_t bits = counted_with(NULL, 0).bits;
  for (size_t i = 0; i < COUNT(trials); i++) {
    struct counted c = counted_with(trials[i].setting, 2);
    assert_int_equal(c.here, trials[i].threads);
    assert_true(c.bits == bits);
  }
  if (!keep_to_one_cpu(true)) {
    print_message("skipped: one CPU alone: cannot be had here\n");
    return;
  }
  struct counted one = counted_with(NULL, 0), three = counted_with(&(struct setting){"MMSCAN_NUM_THREADS", "3"}, 1);
  keep_to_one_cpu(false);
  print_message("one CPU alone: OpenMP would use %d threads, the library %d\n", one.runtime, one.here);
  assert_in_range(one.here, 1, one.runtime); /* not every runtime looks at this before it starts a thread */
  assert_int_equal(three.here, 3);
  assert_true(one.bits == bits && three.bits == bits);
}

/* ---- After a fork ------------------------------------------------------------------------------------------------ */

/* In a child: right on the calling thread, and so in its own child; an alarm ends what hangs. */
static int call_in_child(const struct caller *like, int generations) {
  pid_t pid = fork();
  if (pid != 0) return exit_of(pid);
  alarm(60);
  struct caller c = *like;
  call_often(&c);
  bool right = c.right && mmscan_threads() == 1;
  if (right && generations > 1) right = call_in_child(like, generations - 1) == 0;
  _exit(right ? 0 : 1);
}

static void test_after_a_fork(void **state) {
  (void)state;
  const struct forced *forced = forced_all();
  const size_t n = sized(300001, 20001);
  struct sample sample = sample_new(type_at(1), RANDOM, n);
  struct buffer want = buffer_new(n * sizeof(double), 0);
  fflush(NULL);
  for (size_t c = 0; c < forced->count; c++) {
    mmscan_choice choice = forced->choice[c], used;
    mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, is_model(&choice) ? n / 10 : n);
    choice.threads = 4;
    mmscan_plan *plan = plan_new(&desc, &choice, &used);
    assert_mmscan_ok(mmscan_execute(plan, sample.x, want.data));
    struct caller with_plan = {.sample = &sample, .want = want.data, .plan = plan, .n = desc.n};
    assert_int_equal(call_in_child(&with_plan, 2), 0);
    assert_mmscan_ok(mmscan_execute(plan, sample.x, want.data)); /* and the parent goes on */
    mmscan_plan_destroy(plan);
  }
  assert_mmscan_ok(mmscan_inclusive_f64(n, sample.x, (double *)(void *)want.data));
  struct caller simple = {.sample = &sample, .want = want.data, .n = n};
  assert_int_equal(call_in_child(&simple, 2), 0);
  buffer_free(&want);
  sample_free(&sample);
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

/* Threads that sleep may still spin when a program starts: waits until all but this one are quiet. */
static struct tasks tasks_when_quiet(void) {
  struct tasks before = tasks_now(), now = before;
  for (int turn = 0; turn < 100; turn++) {
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    now = tasks_now();
    double worked = 0;
    for (size_t i = 0; i < now.count; i++)
      if (now.id[i] != getpid() && i < before.count) worked += now.busy[i] - before.busy[i];
    if (worked < 1e-4 && now.count == before.count) break;
    before = now;
  }
  return now;
}

/* The engine gemm again and again, with two threads at most. */
static bool scan_often(float *x, size_t n, size_t s) {
  mmscan_choice choice = {.struct_size = sizeof choice, .engine = "gemm", .unit = "cblas", .s = s, .threads = 2};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK;
  for (int turn = 0; right && turn < 10; turn++) right = mmscan_execute(plan, x, x) == MMSCAN_OK;
  mmscan_plan_destroy(plan);
  return right;
}

/* The paper's algorithm: a level of it is one product, as long as x. */
static bool scan_by_the_letter(float *x, size_t n) {
  mmscan_matmul_desc d = {.struct_size = sizeof d,
                          .type = MMSCAN_F32,
                          .n = n,
                          .s = 16,
                          .form = MMSCAN_STACKED,
                          .length_rule = MMSCAN_PADDED,
                          .traversal = MMSCAN_ITERATIVE,
                          .unit = "cblas",
                          .threads = 2};
  return mmscan_matmulscan(&d, x, x, NULL) == MMSCAN_OK;
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

/* What a fresh process saw around a long scan. */
struct witness {
  bool right, knows_time;
  size_t before, after; /* threads */
  double own, guests;   /* seconds of the caller, and of the other threads that were there before */
  int blas_before, blas_after;
};

static int blas_threads(void) {
  int (*get)(void);
  *(void **)&get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  return get != NULL ? get() : -1;
}

static int witness_scan(void) {
  struct witness w = {.knows_time = true, .blas_before = blas_threads()};
  struct tasks before = tasks_when_quiet();
  w.right = scan_long();
  struct tasks after = tasks_now();
  w.before = before.count;
  w.after = after.count;
  w.blas_after = blas_threads();
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
  if (w.blas_before < 0)
    print_message("skipped: openblas_get_num_threads: not there\n");
  else
    assert_int_equal(w.blas_before, w.blas_after);
  if (UNDER_TSAN || !w.knows_time || w.before == 1)
    print_message("skipped: CPU time of the BLAS's threads: %s\n",
                  UNDER_TSAN ? "the sanitizer has a thread of its own"
                             : (w.before == 1 ? "it has none" : "the kernel does not say"));
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

/* With MMSCAN_NUM_THREADS=1: calls of all kinds start no thread. */
static int run_single(void) {
  size_t before = tasks_when_quiet().count, n = sized((size_t)1 << 21, (size_t)1 << 16);
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_EXCLUSIVE, 1, n);
  double *x = calloc(n, sizeof *x);
  if (x == NULL || mmscan_inclusive_f64(n, x, x) != MMSCAN_OK || mmscan_scan(&desc, x, x) != MMSCAN_OK) return 1;
  free(x);
  return mmscan_threads() == 1 && tasks_now().count == before ? 0 : 1;
}

/* ---- Other processes --------------------------------------------------------------------------------------------- */

/* A wait that is short, or no longer than the work before it, is none; a long one leaves runs to one thread, and their
 * bits are those of two. It passes. */
static void test_held_up(void **state) {
  (void)state;
  const double MILLISECOND = 1e6;
  struct sample sample = sample_new(type_at(0), RANDOM, 200000);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 200000);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000};
  struct buffer alone = buffer_new(800000, 0), held_up = buffer_new(800000, 0);
  execute_with(&desc, choice, 1, sample.x, alone.data);
  while (mms_crowd_is_here()) continue;
  mms_crowd_saw(0, 0, MILLISECOND / 2);
  mms_crowd_saw(0, 3 * MILLISECOND, 5 * MILLISECOND);
  assert_false(mms_crowd_is_here());
  bool seen = false; /* again, should this very thread be held up in between */
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_crowd_saw(0, MILLISECOND, 5 * MILLISECOND);
    seen = mms_crowd_is_here();
  }
  assert_true(seen);
  execute_with(&desc, choice, 2, sample.x, held_up.data);
  assert_memory_equal(alone.data, held_up.data, 800000);
  while (mms_crowd_is_here()) continue;
  buffer_free(&alone);
  buffer_free(&held_up);
  sample_free(&sample);
}

/* ---- Each OpenBLAS ----------------------------------------------------------------------------------------------- */

static const char *unit_library(void) {
  static mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (strcmp(part.name, "cblas") == 0) return text_or(part.library, "unknown");
  return "none";
}

/* The folder of the OpenBLAS built this way, with a library of the name this program loaded; or an empty text. */
static void find_build(const char *build, char *folder, size_t size) {
  char pattern[256];
  const char *slash = strrchr(unit_library(), '/');
  glob_t found = {0};
  snprintf(pattern, sizeof pattern, "/usr/lib/*/openblas-%s/%s", build, slash ? slash + 1 : unit_library());
  folder[0] = '\0';
  if (glob(pattern, 0, NULL, &found) == 0) snprintf(folder, size, "%s", found.gl_pathv[0]);
  if (folder[0] != '\0') *strrchr(folder, '/') = '\0';
  globfree(&found);
}

/* Returns how many of the builds failed. */
static int run_with_each_build(void) {
  static const char *const builds[] = {"pthread", "openmp", "serial"};
  int failed = 0;
  for (size_t i = 0; i < COUNT(builds); i++) {
    char folder[256];
    find_build(builds[i], folder, sizeof folder);
    if (folder[0] == '\0') {
      print_message("skipped: OpenBLAS %s: not there, or not what this program loads\n", builds[i]);
      continue;
    }
    print_message("OpenBLAS %s:\n", builds[i]);
    failed += run_self("tests", &(struct setting){"LD_LIBRARY_PATH", folder}, 1) != 0;
  }
  return failed;
}

static int run_all(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_held_up),
      cmocka_unit_test(test_simple_calls_from_threads),
      cmocka_unit_test(test_one_plan_by_many_threads),
      cmocka_unit_test(test_inside_parallel_regions),
      cmocka_unit_test(test_plans_travel),
      cmocka_unit_test(test_how_many_threads),
      cmocka_unit_test(test_after_a_fork),
      cmocka_unit_test(test_threads_of_the_blas),
      cmocka_unit_test(test_one_thread_starts_none),
  };
  print_message("the unit cblas is %s\n", unit_library());
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
  static const struct child children[] = {
      {"witness", witness_scan}, {"single", run_single}, {"count", count_threads}, {"tests", run_all}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  int failed = run_all();
  return failed + run_with_each_build();
}
