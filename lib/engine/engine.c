/* engine.c: the table of engines. */
#include "engine/engine.h"

#include <string.h>

/* Engines with units come first: measure.c times the last candidate first, and that should be a fast one. */
static const mms_engine *const table[] = {&mms_engine_gemm, &mms_engine_simd, &mms_engine_serial};

const mms_engine *mms_engine_at(size_t index) { return index < sizeof table / sizeof *table ? table[index] : NULL; }

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
