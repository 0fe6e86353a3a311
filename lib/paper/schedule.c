/* schedule.c: list scheduling by the critical path. */
#include "paper/schedule.h"

#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_TASK = UINT32_MAX;

/* ---- Adding tasks --------------------------------------------------------------------------------------------- */

mmscan_status mms_schedule_open(mms_schedule *s, size_t places) {
  *s = (mms_schedule){0};
  s->writer = places < SIZE_MAX / sizeof *s->writer ? malloc(places * sizeof *s->writer + 1) : NULL;
  s->failed = !s->writer;
  if (s->failed) return MMSCAN_ENOMEM;
  memset(s->writer, 0xff, places * sizeof *s->writer); /* NO_TASK */
  return MMSCAN_OK;
}

void mms_schedule_close(mms_schedule *s) {
  free(s->task);
  free(s->waiter);
  free(s->wait);
  free(s->writer);
}

/* Grows an array to `capacity` elements; if that fails, the array is unchanged. */
static bool grow(void *array, size_t capacity, size_t size) {
  void **old = array, *new = capacity <= SIZE_MAX / size ? realloc(*old, capacity * size) : NULL;
  if (new) *old = new;
  return new != NULL;
}

static bool must_grow(size_t used, size_t *capacity) {
  if (used < *capacity) return false;
  *capacity = *capacity ? 2 * *capacity : 1024;
  return true;
}

void mms_schedule_add(mms_schedule *s, mms_processor processor, double time) {
  if (must_grow(s->tasks, &s->task_capacity))
    s->failed = s->failed || !grow(&s->task, s->task_capacity, sizeof *s->task) ||
                !grow(&s->waiter, s->task_capacity, sizeof *s->waiter);
  s->failed = s->failed || s->tasks == NO_TASK;
  if (s->failed) return;
  s->task[s->tasks] = (mms_task){.time = time, .processor = processor, .waits_end = (uint32_t)s->waits};
  s->waiter[s->tasks++] = NO_TASK;
}

static void wait_for(mms_schedule *s, uint32_t task) {
  if (must_grow(s->waits, &s->wait_capacity)) s->failed = !grow(&s->wait, s->wait_capacity, sizeof *s->wait);
  s->failed = s->failed || s->waits == NO_TASK;
  if (s->failed) return;
  s->wait[s->waits++] = task;
  s->task[s->tasks - 1].waits_end = (uint32_t)s->waits;
}

void mms_schedule_read(mms_schedule *s, size_t place) {
  if (s->failed) return;
  uint32_t self = (uint32_t)(s->tasks - 1), writer = s->writer[place];
  if (writer == NO_TASK || s->waiter[writer] == self) return;
  s->waiter[writer] = self;
  wait_for(s, writer);
}

void mms_schedule_write(mms_schedule *s, size_t place) {
  if (!s->failed) s->writer[place] = (uint32_t)(s->tasks - 1);
}

void mms_schedule_copy(mms_schedule *s, size_t from, size_t to) {
  if (!s->failed) s->writer[to] = s->writer[from];
}

/* ---- Heaps ---------------------------------------------------------------------------------------------------- */

typedef struct entry {
  double key;
  uint32_t task;
} entry;

/* The first entry is that of the largest key; of equal ones, that of the first task. Room is allocated beforehand. */
typedef struct heap {
  entry *entries;
  size_t count;
} heap;

static bool is_before(entry a, entry b) { return a.key > b.key || (a.key == b.key && a.task < b.task); }

static void heap_put(heap *h, entry new) {
  size_t at = h->count++;
  for (; at > 0 && is_before(new, h->entries[(at - 1) / 2]); at = (at - 1) / 2)
    h->entries[at] = h->entries[(at - 1) / 2];
  h->entries[at] = new;
}

static entry heap_take(heap *h) {
  entry first = h->entries[0], last = h->entries[--h->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
    if (child + 1 < h->count && is_before(h->entries[child + 1], h->entries[child])) child++;
    if (!is_before(h->entries[child], last)) break;
    h->entries[at] = h->entries[child];
  }
  h->entries[at] = last;
  return first;
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

typedef struct run {
  const mms_schedule *s;
  double *chain;     /* by task: the longest chain from its start to the end of the run */
  uint32_t *pending; /* by task: how many tasks it still waits for */
  uint32_t *ends;    /* by task, as mms_task.waits_end: where in `successor` the tasks that wait for it end */
  uint32_t *successor;
  size_t idle[MMS_PROCESSORS];
  heap ready[MMS_PROCESSORS]; /* by chain */
  heap running;               /* by the time of the end, negated */
  double now;
  void *memory; /* of all these arrays */
} run;

static uint32_t waits_from(const mms_schedule *s, size_t task) { return task ? s->task[task - 1].waits_end : 0; }

/* A task is added after those it waits for, so in a loop from the last to the first its successors' chains are known.
 */
static void find_chains(run *r) {
  const mms_schedule *s = r->s;
  memset(r->chain, 0, s->tasks * sizeof *r->chain);
  for (size_t t = s->tasks; t-- > 0;) {
    r->chain[t] += s->task[t].time;
    for (uint32_t w = waits_from(s, t); w < s->task[t].waits_end; w++)
      if (r->chain[s->wait[w]] < r->chain[t]) r->chain[s->wait[w]] = r->chain[t];
  }
}

/* Inverts the waits by a counting sort: ends[t] is first the number of t's successors, then where they begin, and at
 * last where they end. */
static void find_successors(run *r) {
  const mms_schedule *s = r->s;
  uint32_t sum = 0;
  memset(r->ends, 0, s->tasks * sizeof *r->ends);
  for (size_t w = 0; w < s->waits; w++) r->ends[s->wait[w]]++;
  for (size_t t = 0; t < s->tasks; t++) {
    uint32_t number = r->ends[t];
    r->ends[t] = sum;
    sum += number;
  }
  for (size_t t = 0; t < s->tasks; t++)
    for (uint32_t w = waits_from(s, t); w < s->task[t].waits_end; w++)
      r->successor[r->ends[s->wait[w]]++] = (uint32_t)t;
}

static void make_ready(run *r, uint32_t task) {
  heap_put(&r->ready[r->s->task[task].processor], (entry){r->chain[task], task});
}

static void make_first_ready(run *r) {
  for (size_t t = 0; t < r->s->tasks; t++) {
    r->pending[t] = r->s->task[t].waits_end - waits_from(r->s, t);
    if (!r->pending[t]) make_ready(r, (uint32_t)t);
  }
}

static void start(run *r) {
  for (mms_processor p = 0; p < MMS_PROCESSORS; p++)
    for (; r->idle[p] && r->ready[p].count; r->idle[p]--) {
      uint32_t task = heap_take(&r->ready[p]).task;
      heap_put(&r->running, (entry){-(r->now + r->s->task[task].time), task});
    }
}

/* Finishes all tasks that end at the same time, so that a processor chooses among all that are ready then. */
static void finish(run *r) {
  r->now = -r->running.entries[0].key;
  do {
    uint32_t task = heap_take(&r->running).task;
    r->idle[r->s->task[task].processor]++;
    for (uint32_t h = task ? r->ends[task - 1] : 0; h < r->ends[task]; h++)
      if (--r->pending[r->successor[h]] == 0) make_ready(r, r->successor[h]);
  } while (r->running.count && -r->running.entries[0].key <= r->now);
}

/* Each heap has room for all tasks; pages of that room that are not used are never touched. */
static size_t lay_out(run *r) {
  const size_t tasks = r->s->tasks;
  mms_arena a = {.block = r->memory};
  r->chain = mms_arena_take(&a, tasks * sizeof *r->chain);
  r->pending = mms_arena_take(&a, tasks * sizeof *r->pending);
  r->ends = mms_arena_take(&a, tasks * sizeof *r->ends);
  r->successor = mms_arena_take(&a, r->s->waits * sizeof *r->successor);
  r->running.entries = mms_arena_take(&a, tasks * sizeof *r->running.entries);
  for (mms_processor p = 0; p < MMS_PROCESSORS; p++) r->ready[p].entries = mms_arena_take(&a, tasks * sizeof(entry));
  return a.used;
}

static void simulate(run *r) {
  find_chains(r);
  find_successors(r);
  make_first_ready(r);
  for (start(r); r->running.count; start(r)) finish(r);
}

static mms_timing timing_of(const run *r) {
  mms_timing timing = {.time = r->now};
  for (size_t t = 0; t < r->s->tasks; t++) {
    timing.work[r->s->task[t].processor] += r->s->task[t].time;
    if (r->chain[t] > timing.critical) timing.critical = r->chain[t];
  }
  return timing;
}

mmscan_status mms_schedule_run(const mms_schedule *s, const size_t processors[MMS_PROCESSORS], mms_timing *timing) {
  if (s->failed) return MMSCAN_ENOMEM;
  run r = {.s = s};
  memcpy(r.idle, processors, sizeof r.idle);
  r.memory = mms_arena_block(lay_out(&r) + 1, 1);
  if (!r.memory) return MMSCAN_ENOMEM;
  lay_out(&r);
  simulate(&r);
  *timing = timing_of(&r);
  free(r.memory);
  return MMSCAN_OK;
}
