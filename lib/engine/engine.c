/* engine.c: the table of engines. */
#include "engine/engine.h"

#include <string.h>

/* Engines with units come first: measure.c times the last candidate first, and that should be a fast one. */
static const mms_engine *const table[] = {&mms_engine_gemm, &mms_engine_simd, &mms_engine_serial};

const mms_engine *mms_engine_at(size_t index) { return index < sizeof table / sizeof *table ? table[index] : NULL; }

mms_found mms_found_plane(const mms_job *job, const mms_found *found, size_t p) {
  return (mms_found){.total = mms_storage_plane(job->storage, &found->total, p),
                     .is_ordinary = p == 0 ? found->is_ordinary : found->second_is_ordinary,
                     .is_final = job->segmented && found->is_final,
                     .is_finite = p == 0 ? found->is_finite : found->second_is_finite};
}

bool mms_engine_allows(const mms_engine *engine, size_t s, size_t tile) {
  const bool good_s = engine->has_unit ? s >= 2 && s <= MMSCAN_MAX_S : s == 0;
  const bool good_tile = engine->tile_of ? tile >= 1 && tile >= s && tile <= MMSCAN_MAX_TILE : tile == 0;
  return good_s && good_tile;
}

const mms_engine *mms_engine_find(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}
