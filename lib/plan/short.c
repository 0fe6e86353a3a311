/* short.c: the table of short scans. */
#include "plan/short.h"

#include "plan/env.h"

mms_short mms_shorts[MMS_TYPES];

/* Once, because writing it again would take the cache line from other threads. The first type, by which the table is
 * checked, is written last. */
bool mms_short_fill(void) {
  const mms_env *env = mms_env_get();
  if (mms_short_most(MMSCAN_F32)) return true;
  if (env->status || env->engine) return false;
  for (mmscan_type type = MMSCAN_U8; type >= MMSCAN_F32; type--) {
    const mms_algebra *algebra = mms_algebra_of(MMSCAN_PLUS, type);
    if (!algebra) continue;
    mms_short *to = &mms_shorts[type];
    atomic_store_explicit(&to->kernel, mms_kernel_of(env->isa, algebra), memory_order_relaxed);
    atomic_store_explicit(&to->most, MMS_SHORT_BYTES / algebra->size, memory_order_release);
  }
  return true;
}
