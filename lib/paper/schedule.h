/* schedule.h: tasks that wait for each other, done by processors that work in parallel.
 *
 * A task reads some places and writes some, and waits for the tasks that wrote what it reads. Tasks are added in an
 * order in which they could be done one after the other. A task has its own copy of what it reads, so no task waits for
 * a reader.
 */
#ifndef MMS_SCHEDULE_H
#define MMS_SCHEDULE_H

#include "mmscan.h"
#include <stdbool.h>

typedef enum mms_processor { MMS_TENSOR, MMS_VECTOR, MMS_PROCESSORS } mms_processor;

typedef struct mms_task {
  double time; /* from start to end, 0 or more */
  mms_processor processor;
  uint32_t waits_end; /* of its part of the list of all waits, which begins where that of the previous task ends */
} mms_task;

typedef struct mms_schedule {
  mms_task *task;
  uint32_t *waiter; /* by task, the last task that was found to wait for it */
  size_t tasks, task_capacity;
  uint32_t *wait; /* numbers of tasks */
  size_t waits, wait_capacity;
  uint32_t *writer; /* by place, the task that last wrote it; UINT32_MAX: none, it holds input */
  bool failed;      /* no memory, or more than 2^32 - 1 tasks or waits; what is added after that is lost */
} mms_schedule;

/* Makes an empty schedule over places [0, places). It must be closed even if this fails (MMSCAN_ENOMEM). */
mmscan_status mms_schedule_open(mms_schedule *schedule, size_t places);
void mms_schedule_close(mms_schedule *schedule);

/* Adds a task. The calls that follow name its places: first those it reads, then those it writes. */
void mms_schedule_add(mms_schedule *schedule, mms_processor processor, double time);
void mms_schedule_read(mms_schedule *schedule, size_t place);
void mms_schedule_write(mms_schedule *schedule, size_t place);

/* Copies what place `from` holds to place `to`, which takes no time. */
void mms_schedule_copy(mms_schedule *schedule, size_t from, size_t to);

typedef struct mms_timing {
  double time;     /* from the first start to the last end */
  double critical; /* the longest chain of tasks that wait for each other: no number of processors beats it */
  double work[MMS_PROCESSORS]; /* the sum of the times, by processor: time >= work / processors */
} mms_timing;

/* Does the tasks by list scheduling (Graham 1966): a free processor starts the ready task that heads the longest chain;
 * of equal ones, the one added first. So a processor is idle only while no task is ready for it, and
 *
 *   time <= critical + sum over the processors of work / processors
 *   time <= work / p + (1 - 1/p) critical      with one kind of processor (Brent)
 *
 * MMSCAN_ENOMEM: no memory now, or the schedule `failed` while tasks were added. */
mmscan_status mms_schedule_run(const mms_schedule *schedule, const size_t processors[MMS_PROCESSORS],
                               mms_timing *timing);

#endif
