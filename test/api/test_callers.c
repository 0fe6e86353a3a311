/* test_callers.c: any thread may call the library, also in parallel regions and after a fork.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>
#include <pthread.h>

#include "support/each_openblas.h"
#include "support/oracle.h"

/* ---- Many callers ------------------------------------------------------------------------------------------------ */

enum { CALLERS = 8 };

/* What one thread does repeatedly, and whether every result was right. */
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
  for (size_t turn = 0; c->right && turn < sized(4, 2); turn++) {
    memset(y, 0x5a, c->n * type->size);
    mmscan_status status = c->plan ? mmscan_execute(c->plan, c->sample->x, y) : type->inclusive(c->n, c->sample->x, y);
    c->right = status == MMSCAN_OK && memcmp(y, c->want, c->n * type->size) == 0;
  }
  free(y);
  return NULL;
}

/* All callers run at the same time; returns how many had a wrong result. */
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

TEST(test_simple_calls_from_threads) {
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

TEST(test_one_plan_by_many_threads) {
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

/* One caller in each thread of a region, `inner` regions deep; returns how many had a wrong result. */
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

TEST(test_inside_parallel_regions) {
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
  omp_set_max_active_levels(0);
  assert_int_equal(mmscan_threads(), 1);
  omp_set_max_active_levels(levels);
  int threads = 0;
#pragma omp parallel num_threads(1)
  threads = mmscan_threads();
  assert_int_equal(threads, 1);
  buffer_free(&want);
  sample_free(&sample);
}

/* A plan does not depend on where it was made: inside a region or outside, it is the same plan, and it runs in both. */
struct travelled {
  mmscan_plan *plan;
  mmscan_choice used;
  bool ran, right;
};

static void make_and_run(const mmscan_desc *desc, const mmscan_plan *other, const struct caller *like,
                         struct travelled *made) {
  struct caller c = *like;
  made->ran = true;
  made->used = (mmscan_choice){.struct_size = sizeof made->used};
  c.plan = other;
  call_often(&c);
  made->right = c.right && mmscan_plan_create(&made->plan, desc, MMSCAN_ESTIMATE) == MMSCAN_OK &&
                mmscan_plan_get_choice(made->plan, &made->used) == MMSCAN_OK;
}

TEST(test_plans_travel) {
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
  for (size_t i = 0; i < COUNT(made) && made[i].ran; i++) {
    assert_true(made[i].right);
    assert_string_equal(made[i].used.engine, outside.engine);
    assert_int_equal(made[i].used.threads, outside.threads);
    struct caller c = like;
    c.plan = made[i].plan;
    call_often(&c);
    assert_true(c.right);
    mmscan_plan_destroy(made[i].plan);
  }
  assert_true(made[0].ran);
  mmscan_plan_destroy(plan);
  buffer_free(&want);
  sample_free(&sample);
}

/* ---- After a fork ------------------------------------------------------------------------------------------------ */

/* In a child: the result is right, on the calling thread, also in the child's own child. An alarm ends a hang. */
static int call_in_child(const struct caller *like, int generations) {
  const pid_t pid = fork_mortal();
  if (pid != 0) return exit_of(pid);
  alarm(60);
  struct caller c = *like;
  call_often(&c);
  bool right = c.right && mmscan_threads() == 1;
  if (right && generations > 1) right = call_in_child(like, generations - 1) == 0;
  _exit(right ? 0 : 1);
}

TEST(test_after_a_fork) {
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

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static int run_all(void) {
  print_message("the unit cblas is %s\n", unit_library());
  return run_all_tests(NULL, NULL);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"tests", run_all}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  int failed = run_all();
  return failed + run_with_each_openblas();
}
