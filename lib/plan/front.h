/* front.h: what stands in front of the engine that is chosen for a problem: engines that pack, or cut segments. */
#ifndef MMS_FRONT_H
#define MMS_FRONT_H

#include "engine/segmented.h"
#include "plan/problem.h"

/* Room for them. */
typedef struct mms_front {
  mms_engine strided, segmented;
  mms_segmented segments;
} mms_front;

/* The engine of a run: `engine`, or one in *front that has it do the work. */
const mms_engine *mms_front_take(mms_front *front, const mms_engine *engine, const mms_problem *problem, mms_job *job);

#endif
