/* short.c: the table of short scans. */
#include "short.h"

#include "env.h"

mms_short mms_shorts[MMS_TYPES];

/* Once, because writing it again would take the cache line from other threads. The first type, by which the table is
 * checked, is written last. */
bool mms_short_fill(void) {
  const mms_env *env = mms_env_get();
  if (mms_short_most(MMSCAN_F32)) return true;
  if (env->status || env->engine) return false;
  for (mmscan_type type = MMSCAN_U8; type >= MMSCAN_F32; type--) {
    if (!mms_type_is_scanned(MMSCAN_PLUS, type)) continue;
    mms_short *to = &mms_shorts[type];
    atomic_store_explicit(&to->kernel, &env->isa->kernels[MMSCAN_PLUS][type], memory_order_relaxed);
    atomic_store_explicit(&to->most, MMS_SHORT_BYTES / mms_type_size(type), memory_order_release);
  }
  return true;
}
