/* short.h: what simple calls do on short scans, and what is done to short blocks: these have no time for a plan. */
#ifndef MMS_SHORT_H
#define MMS_SHORT_H

#include "plan/plan.h"
#include <stdatomic.h>

enum { MMS_SHORT_BYTES = MMS_ENGINE_TILE }; /* up to so many, one thread and one tile are best, without a plan */

/* Two comparisons, no division. */
static inline bool mms_is_short(size_t n, size_t size) {
  return n - 1 < MMS_SHORT_BYTES && n * size <= MMS_SHORT_BYTES;
}

/* What a simple call on a type does. In the header because a short scan has no time for a call. */
typedef struct mms_short {
  atomic_size_t most;                 /* elements; 0 before the environment is read, or if it asks for something else */
  _Atomic(const mms_kernel *) kernel; /* valid if `most` is not 0; for + */
} mms_short;

extern mms_short mms_shorts[MMS_TYPES];

static inline size_t mms_short_most(mmscan_type type) {
  return atomic_load_explicit(&mms_shorts[type].most, memory_order_acquire);
}

static inline const mms_kernel *mms_short_kernel(mmscan_type type) {
  return atomic_load_explicit(&mms_shorts[type].kernel, memory_order_relaxed);
}

/* Scans a block as its plan would, whose engine a block of the same operator and type had before. False: it is not
 * short, or there was none, or something is wrong with it, and nothing is done. */
bool mms_short_block(const mmscan_desc *desc, const void *x, void *y, void *carry);

/* Keeps what the plan of a block has chosen for the next one, if all short blocks of its kind get the same. */
void mms_short_keep_block(const mmscan_plan *plan);

/* Reads the environment and fills in the table. False: the environment asks for something else, or is illegal. */
bool mms_short_fill(void);

#endif
