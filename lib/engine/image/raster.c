/* raster.c: which instruction set's raster scans serve. */
#include "engine/image/raster.h"

#include <string.h>

static const struct cell {
  const char *isa;
  const mms_rasters *rasters;
} cells[] = {
    /* Rows come from memory, and half as many moves of whole lines get less in the way of that. */
    {"avx512vl", &mms_rasters_avx512},
#define MMS_RASTER_CELL(isa) {#isa, &mms_rasters_##isa},
#include "engine/image/raster.def"
#undef MMS_RASTER_CELL
};

static const mms_rasters *native(const mms_isa *isa) {
  for (size_t i = 0; isa && i < sizeof cells / sizeof *cells; i++)
    if (strcmp(cells[i].isa, isa->name) == 0 && cells[i].rasters->scan[MMS_LANES_F32][MMS_RASTER_SAME])
      return cells[i].rasters;
  return NULL;
}

const mms_rasters *mms_rasters_of(const mms_isa *isa) {
  const mms_rasters *rasters = NULL;
  size_t i = 0;
  while (mms_isa_at(i) != isa) i++;
  for (; !rasters && mms_isa_name(i); i++) rasters = native(mms_isa_at(i));
  return rasters;
}
