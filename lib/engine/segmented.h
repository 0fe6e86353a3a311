/* segmented.h: the engine that cuts tiles into segments, and has another one scan the pieces of these. So no segment
 * gets to see another one. Runs of short segments go to kernels that scan many of them at a time, if the other engine
 * is made of kernels. */
#ifndef MMS_SEGMENTED_H
#define MMS_SEGMENTED_H

#include "engine/engine.h"
#include "pack/heads.h"

/* Where segments begin, and what scans them (job->segmented). */
typedef struct mms_segmented {
  mms_heads heads;
  size_t n; /* elements of a scan */
  const mms_engine *inner;
  size_t x_size, y_size; /* bytes of the elements that it gets */
  mms_value first;       /* what each segment starts from */
} mms_segmented;

/* What does so by the engine *segmented->inner; `are_many`: in batches of scans, too, whose tiles do not know which
 * elements they are (mms_tile.at). */
mms_engine mms_engine_segmented(const mms_engine *inner, bool are_many);

#endif
