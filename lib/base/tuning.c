/* tuning.c: how cores differ, by measurement. */
#include "base/tuning.h"

mms_tuning mms_tuning_here;

/* At most what was measured to be of use. */
static size_t half_of(size_t own, bool is_intel) {
  const size_t most = (size_t)(is_intel ? 1024 : 512) << 10;
  return own > 0 && own / 2 < most ? own / 2 : most;
}

mms_tuning mms_tuning_of(mms_cores cores, size_t own, size_t last) {
  const bool is_intel = cores == MMS_CORES_INTEL, is_small_die = last > 0 && last < (size_t)32 << 20;
  return (mms_tuning){.fetches = is_intel,
                      .two_streams = cores == MMS_CORES_ZEN_3,
                      .has_dies = cores >= MMS_CORES_AMD,
                      .reduces_slowly = cores >= MMS_CORES_ZEN_5,
                      .long_groups = cores >= MMS_CORES_ZEN_3,
                      .paces = cores >= MMS_CORES_ZEN_5,
                      .stream_from = (size_t)(cores >= MMS_CORES_ZEN_4 && !is_small_die ? 16 : 8) << 20,
                      .half_cache = half_of(own, is_intel),
                      .cluster = (size_t)8 << 20,
                      .clusters = (size_t)32 << 20,
                      .alone_from = cores >= MMS_CORES_ZEN_5 ? (size_t)96 << 20 : SIZE_MAX,
                      .slower = is_intel ? 2 : 1};
}
