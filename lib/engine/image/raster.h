/* raster.h: a row of an integral image in one loop: elements are converted, scanned in vector registers, and added to
 * the row above, with no buffer in between. */
#ifndef MMS_RASTER_H
#define MMS_RASTER_H

#include "kernel/isa.h"

/* Bytes of sums after which a scan of floats takes up its carry anew: one that is cut there has the same bits. */
enum { MMS_RASTER_PIECE = 2048 };

/* What waits to be streamed until its line is whole. */
enum { MMS_RASTER_WAITS = 512 };
typedef struct mms_raster_stream {
  _Alignas(64) char bytes[MMS_RASTER_WAITS];
} mms_raster_stream;

/* A row, or a part of one. x and y are contiguous; y is x or shares no memory with it. */
typedef struct mms_raster_row {
  size_t n; /* elements */
  const char *x;
  const char *next; /* streams: x of the next row, which need not exist; NULL: x is not from memory */
  char *y;
  const char *above; /* n sums of the row above */
  char *below;       /* where those of this row go, too, for the row below; it may be `above`. NULL: they need not */
  mms_value *carry;  /* of the scan of x, into the part and out of it */
  mms_raster_stream *stream; /* y is written past the caches, and other threads see it after mms_stream_fence(). NULL:
                                it is written as usual */
  bool begins, ends;         /* of what is streamed, and goes from one part of a row to the next */
} mms_raster_row;

/* Does so many elements, in the order of the row, and returns how many: less than n only if those that follow may not
 * be regrouped (kernel.h). */
typedef size_t mms_raster_scan(const mms_raster_row *row);

/* Types of x. The first is what is added up, as a kernel takes it. */
typedef enum mms_raster_source {
  MMS_RASTER_SAME,
  MMS_RASTER_U8, /* these two are added up as integers of 32 bits */
  MMS_RASTER_U16,
  MMS_RASTER_F32, /* as doubles */
  MMS_RASTER_SOURCES
} mms_raster_source;

typedef struct mms_rasters {
  mms_raster_scan *scan[MMS_LANES][MMS_RASTER_SOURCES]; /* NULL: there is none */
  bool streams;
} mms_rasters;

#define MMS_RASTER_CELL(isa) extern const mms_rasters mms_rasters_##isa;
#include "engine/image/raster.def"
#undef MMS_RASTER_CELL

/* Those of an instruction set, or of the first after it that has some. All have scans of MMS_RASTER_SAME. */
const mms_rasters *mms_rasters_of(const mms_isa *isa);

#endif
