/* test_schedule.c: list scheduling, compared with what no schedule can beat and with the best schedule.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "paper/schedule.h"
#include "support/test.h"

enum { MOST = 7, PLACES = 12 };

/* A few tasks, with what each waits for as bits: the schedule in another form. */
struct job {
  mms_schedule schedule;
  size_t tasks;
  double time[64];
  mms_processor processor[64];
  uint64_t waits[64];
  int writer[PLACES];
};

static struct job job_new(void) {
  struct job job = {.tasks = 0};
  for (size_t i = 0; i < PLACES; i++) job.writer[i] = -1;
  assert_mmscan_ok(mms_schedule_open(&job.schedule, PLACES));
  return job;
}

static void job_free(struct job *job) { mms_schedule_close(&job->schedule); }

static void add(struct job *job, mms_processor processor, double time) {
  job->time[job->tasks] = time;
  job->processor[job->tasks] = processor;
  job->waits[job->tasks++] = 0;
  mms_schedule_add(&job->schedule, processor, time);
}

static void reads(struct job *job, size_t place) {
  if (job->writer[place] >= 0) job->waits[job->tasks - 1] |= UINT64_C(1) << job->writer[place];
  mms_schedule_read(&job->schedule, place);
}

static void writes(struct job *job, size_t place) {
  job->writer[place] = (int)job->tasks - 1;
  mms_schedule_write(&job->schedule, place);
}

static void copies(struct job *job, size_t from, size_t to) {
  job->writer[to] = job->writer[from];
  mms_schedule_copy(&job->schedule, from, to);
}

static mms_timing timing_on(const struct job *job, size_t tensor, size_t vector) {
  const size_t processors[MMS_PROCESSORS] = {tensor, vector};
  mms_timing timing;
  assert_mmscan_ok(mms_schedule_run(&job->schedule, processors, &timing));
  return timing;
}

static double time_on(const struct job *job, size_t processors) { return timing_on(job, processors, 0).time; }

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

TEST(test_nothing) {
  struct job job = job_new();
  mms_timing timing = timing_on(&job, 3, 1);
  assert_true(timing.time == 0 && timing.critical == 0 && timing.work[MMS_TENSOR] == 0);
  job_free(&job);
}

TEST(test_no_places) {
  const size_t processors[MMS_PROCESSORS] = {1, 0};
  mms_schedule schedule;
  mms_timing timing;
  assert_mmscan_ok(mms_schedule_open(&schedule, 0));
  mms_schedule_add(&schedule, MMS_TENSOR, 5);
  assert_mmscan_ok(mms_schedule_run(&schedule, processors, &timing));
  assert_true(timing.time == 5);
  mms_schedule_close(&schedule);
}

TEST(test_chain) {
  struct job job = job_new();
  for (int i = 1; i <= 10; i++) {
    add(&job, MMS_TENSOR, i);
    reads(&job, 3);
    writes(&job, 3);
  }
  for (size_t p = 1; p <= 4; p++) assert_true(time_on(&job, p) == 55);
  job_free(&job);
}

TEST(test_independent) {
  struct job job = job_new();
  for (size_t i = 0; i < 10; i++) {
    add(&job, MMS_TENSOR, 2);
    reads(&job, i);
    writes(&job, i);
  }
  static const double times[] = {20, 10, 8, 6, 4, 4, 4, 4, 4, 2, 2};
  for (size_t p = 1; p <= COUNT(times); p++) assert_true(time_on(&job, p) == times[p - 1]);
  assert_true(time_on(&job, SIZE_MAX) == 2);
  job_free(&job);
}

/* The longest chain starts first, even if it was added last: 1 + 1 + 1 beside three tasks of 1, not after two of
 * them. */
TEST(test_the_longest_chain_is_first) {
  struct job job = job_new();
  for (size_t i = 0; i < 3; i++) add(&job, MMS_TENSOR, 1);
  for (size_t i = 0; i < 3; i++) {
    add(&job, MMS_TENSOR, 1);
    reads(&job, 0);
    writes(&job, 0);
  }
  assert_true(time_on(&job, 2) == 3);
  job_free(&job);
}

/* Two tasks end at the same time. What waits for the second is longer than what waits for the first, which can wait for
 * the processor that is busy until 3. */
TEST(test_what_ends_at_once) {
  static const double times[] = {1, 1, 3, 2, 6, 6};
  struct job job = job_new();
  for (size_t i = 0; i < COUNT(times); i++) {
    add(&job, MMS_TENSOR, times[i]);
    if (i < 2) writes(&job, i);
    if (i > 2) reads(&job, i > 3);
  }
  assert_true(time_on(&job, 3) == 7);
  job_free(&job);
}

/* A task that only reads makes no other task wait; a copy counts as written by the writer of the original. */
TEST(test_readers_and_copies) {
  struct job job = job_new();
  add(&job, MMS_TENSOR, 4);
  writes(&job, 0);
  copies(&job, 0, 1);
  add(&job, MMS_TENSOR, 4); /* reads the first, and lets others write beside it */
  reads(&job, 0);
  add(&job, MMS_TENSOR, 4);
  writes(&job, 0);
  add(&job, MMS_TENSOR, 4);
  reads(&job, 1);
  assert_true(timing_on(&job, 4, 0).critical == 8);
  assert_true(time_on(&job, 3) == 8 && time_on(&job, 1) == 16);
  job_free(&job);
}

/* All tasks that end at one time are known to have ended before the next is chosen; tasks of no time take no
 * processor. */
TEST(test_no_time) {
  struct job job = job_new();
  for (size_t i = 0; i < 5; i++) {
    add(&job, MMS_VECTOR, 0);
    reads(&job, 0);
    writes(&job, 0);
  }
  add(&job, MMS_VECTOR, 7);
  reads(&job, 0);
  assert_true(timing_on(&job, 0, 1).time == 7);
  job_free(&job);
}

TEST(test_two_kinds_of_processors) {
  struct job job = job_new();
  for (size_t i = 0; i < 4; i++) {
    add(&job, MMS_TENSOR, 3);
    writes(&job, i);
    add(&job, MMS_VECTOR, 2);
    reads(&job, i);
  }
  mms_timing timing = timing_on(&job, 1, 1);
  assert_true(timing.time == 14 && timing.work[MMS_TENSOR] == 12 && timing.work[MMS_VECTOR] == 8);
  assert_true(timing_on(&job, 2, 1).time == 11 && timing_on(&job, 2, 2).time == 8 && timing_on(&job, 4, 4).time == 5);
  job_free(&job);
}

/* ---- By chance --------------------------------------------------------------------------------------------------- */

/* The end of the best schedule of the tasks that are not `done`, found by trying every order: each task starts as soon
 * as what it waits for has ended and a processor is free. The order of the starts of a best schedule gives a schedule
 * no worse. */
static double best_end(const struct job *job, size_t p, uint64_t done, const double *ends, const double *free_at) {
  double best = done == (UINT64_C(1) << job->tasks) - 1 ? 0 : INFINITY;
  for (size_t i = 0; i < job->tasks; i++) best = done >> i & 1 && ends[i] > best && best < INFINITY ? ends[i] : best;
  for (size_t t = 0; t < job->tasks; t++) {
    if (done >> t & 1 || job->waits[t] & ~done) continue;
    double ends_then[MOST], free_then[MOST], start = 0;
    memcpy(ends_then, ends, sizeof ends_then);
    memcpy(free_then, free_at, sizeof free_then);
    size_t processor = 0;
    for (size_t m = 1; m < p; m++) processor = free_at[m] < free_at[processor] ? m : processor;
    for (size_t i = 0; i < job->tasks; i++) start = job->waits[t] >> i & 1 && ends[i] > start ? ends[i] : start;
    start = start > free_at[processor] ? start : free_at[processor];
    ends_then[t] = free_then[processor] = start + job->time[t];
    double end = best_end(job, p, done | UINT64_C(1) << t, ends_then, free_then);
    best = end < best ? end : best;
  }
  return best;
}

static struct job random_job(struct rng *rng, size_t tasks, bool is_equal, bool has_vector) {
  struct job job = job_new();
  for (size_t t = 0; t < tasks; t++) {
    mms_processor processor = has_vector && draw_below(rng, 2) ? MMS_VECTOR : MMS_TENSOR;
    add(&job, processor, is_equal ? 3 : (double)draw_below(rng, 9));
    for (size_t i = draw_below(rng, 4); i > 0; i--) reads(&job, draw_below(rng, PLACES));
    for (size_t i = draw_below(rng, 3); i > 0; i--) writes(&job, draw_below(rng, PLACES));
    if (draw_below(rng, 4) == 0) copies(&job, draw_below(rng, PLACES), draw_below(rng, PLACES));
  }
  return job;
}

static double longest_chain(const struct job *job) {
  double ends[64], longest = 0;
  for (size_t t = 0; t < job->tasks; t++) {
    ends[t] = 0;
    for (size_t i = 0; i < t; i++)
      if (job->waits[t] >> i & 1 && ends[i] > ends[t]) ends[t] = ends[i];
    ends[t] += job->time[t];
    if (ends[t] > longest) longest = ends[t];
  }
  return longest;
}

/* Graham: no list schedule is longer than 2 - 1/p times the best. */
TEST(test_beside_the_best) {
  struct rng rng = rng_of(1);
  for (size_t i = 0; i < sized(300, 30); i++) {
    struct job job = random_job(&rng, 1 + draw_below(&rng, MOST), i % 2, false);
    for (size_t p = 1; p <= 3; p++) {
      const double zeros[MOST] = {0}, best = best_end(&job, p, 0, zeros, zeros), got = time_on(&job, p);
      if (got < best || got > (2 - 1 / (double)p) * best)
        fail_seeded("case %zu on %zu processors: %g, where the best is %g", i, p, got, best);
    }
    job_free(&job);
  }
}

static void check_bounds(const struct job *job, size_t i) {
  const double work = time_on(job, 1), critical = longest_chain(job);
  double sum = 0;
  for (size_t t = 0; t < job->tasks; t++) sum += job->time[t];
  if (work != sum) fail_seeded("case %zu: one processor takes %g, not %g", i, work, sum);
  for (size_t p = 1; p <= 2 * job->tasks; p++) {
    mms_timing timing = timing_on(job, p, 0);
    const double brent = work / (double)p + (1 - 1 / (double)p) * critical;
    assert_true(timing.critical == critical && timing.work[MMS_TENSOR] == sum);
    if (timing.time < critical || timing.time < work / (double)p || timing.time > brent + 1e-9)
      fail_seeded("case %zu on %zu processors: %g; critical path %g, work %g", i, p, timing.time, critical, work);
    if (p >= job->tasks && timing.time != critical) fail_seeded("case %zu: processors enough, and not used", i);
  }
}

TEST(test_bounds) {
  struct rng rng = rng_of(2);
  for (size_t i = 0; i < sized(500, 50); i++) {
    struct job job = random_job(&rng, draw_below(&rng, 65), i % 2, false);
    check_bounds(&job, i);
    job_free(&job);
  }
}

/* While a processor of a kind is idle, no task is ready for that kind. */
TEST(test_bounds_of_two_kinds) {
  struct rng rng = rng_of(3);
  for (size_t i = 0; i < sized(500, 50); i++) {
    struct job job = random_job(&rng, draw_below(&rng, 65), false, true);
    const size_t p = 1 + draw_below(&rng, 4), q = 1 + draw_below(&rng, 4);
    mms_timing timing = timing_on(&job, p, q);
    const double tensor = timing.work[MMS_TENSOR] / (double)p, vector = timing.work[MMS_VECTOR] / (double)q;
    assert_true(timing.critical == longest_chain(&job));
    assert_true(timing.time >= timing.critical && timing.time >= tensor && timing.time >= vector);
    if (timing.time > timing.critical + tensor + vector + 1e-9)
      fail_seeded("case %zu: %g, over %g + %g + %g", i, timing.time, timing.critical, tensor, vector);
    job_free(&job);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
