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

static mms_raster_scan *native(const mms_isa *isa, mms_lanes lanes, mms_raster_source source) {
  for (size_t i = 0; isa && i < sizeof cells / sizeof *cells; i++)
    if (strcmp(cells[i].isa, isa->name) == 0) return (*cells[i].rasters)[lanes][source];
  return NULL;
}

/* Of a source, only its own: another one with narrower vectors need not be faster than what converts first. */
mms_raster_scan *mms_raster_of(const mms_isa *isa, const mms_algebra *algebra, mms_raster_source source) {
  mms_raster_scan *scan = native(isa, algebra->lanes, source);
  if (scan || source != MMS_RASTER_SAME) return scan;
  size_t i = 0;
  while (mms_isa_at(i) != isa) i++;
  for (; !scan && mms_isa_name(i); i++) scan = native(mms_isa_at(i), algebra->lanes, source);
  return scan;
}
