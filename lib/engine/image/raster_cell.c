/* raster_cell.c: the raster scans of one instruction set. The Makefile compiles it once for each line of raster.def,
 * with ISA as that line has it. NAME(f) is as in kernel/cell.c. */
#include "kernel/cell.h"

#include "engine/image/raster.h"

#define KERNEL_BODY "engine/image/raster_body.inc"
#define FLOAT_MAP   "kernel/map_carry.inc"
#include KERNEL_FILE(PASTED(vocabulary, ISA))

#if HAS_VECTORS
#include "kernel/slide.inc"

#include "kernel/plus.inc"

const mms_rasters PASTED(mms_rasters, ISA) = {.streams = STREAMS,
                                              .scan = {
                                                  [MMS_LANES_F32][MMS_RASTER_SAME] = NAMED(same, f32),
                                                  [MMS_LANES_F64][MMS_RASTER_SAME] = NAMED(same, f64),
                                                  [MMS_LANES_I32][MMS_RASTER_SAME] = NAMED(same, i32),
                                                  [MMS_LANES_I64][MMS_RASTER_SAME] = NAMED(same, i64),
#if WIDENS
                                                  [MMS_LANES_F64][MMS_RASTER_F32] = NAMED(from_f32, f64),
                                                  [MMS_LANES_I32][MMS_RASTER_U8] = NAMED(from_u8, i32),
                                                  [MMS_LANES_I32][MMS_RASTER_U16] = NAMED(from_u16, i32),
#endif
                                              }};
#else
const mms_rasters PASTED(mms_rasters, ISA);
#endif
