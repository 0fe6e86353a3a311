/* integral.h: integral images, L X L^T: each row of x is scanned, and added to the row of y above it (Crow,
 * "Summed-area tables for texture mapping", SIGGRAPH 1984).
 *
 * A strip is some neighbouring columns of an image, through all rows. The carries of its rows come from the strip to
 * the left, so that bits do not depend on how many strips there are, if each begins with a piece.
 *
 * A band is some neighbouring rows, through all columns: a strip that does not begin with the first row. What is above
 * it is the total of each band before it, the last row of the integral image of that band alone. So bits do not depend
 * on how many bands there are if additions are exact. */
#ifndef MMS_INTEGRAL_H
#define MMS_INTEGRAL_H

#include "engine/image/by_unit.h"
#include "engine/image/raster.h"
#include "pack/pack.h"

enum { MMS_INTEGRAL_GROUP = 16 }; /* rows that a strip is given at a time */

/* Images of x and of y. A pixel is `channels` elements. */
typedef struct mms_integral {
  mmscan_type x_type;
  const mms_storage *storage;
  const mms_algebra *algebra;    /* of sums, of which a complex element has two */
  const mms_algebra *multiplies; /* what squares elements; NULL: they are added as they are */
  const mms_kernel *kernel;
  mms_raster_scan *raster; /* what scans rows where a pixel is one sum; else NULL */
  bool reads_x;            /* it reads x as that is stored, not a buffer; */
  bool raster_streams;     /*   and can write past the caches itself */
  const mms_unit *unit;    /* what multiplies instead; NULL: nothing does */
  size_t rows, columns, channels, batch;
  ptrdiff_t x_ld, y_ld, x_dist, y_dist; /* elements */
  bool has_border, streams;
} mms_integral;

typedef struct mms_strip {
  size_t from, count; /* columns */
  size_t first, rows; /* those of a band */
  const char *x;      /* the first pixel of its image, and of y, or of the border of that */
  char *y;
} mms_strip;

/* Chooses what scans rows by an instruction set, with all else set; no unit. */
void mms_integral_choose(mms_integral *a, const mms_isa *isa);

/* Whether a unit may multiply instead: the sums of a pixel are one double. */
bool mms_integral_may_multiply(const mms_integral *a);

/* Columns of a piece, at whose multiples strips begin. */
size_t mms_integral_piece(const mms_integral *a);

/* Bytes of the carry of a row. */
size_t mms_integral_carry_size(const mms_integral *a);

/* Bytes of workspace for a strip of so many columns; where in it carries of a group may be. */
size_t mms_integral_work_size(const mms_integral *a, size_t columns);
void *mms_integral_carries(const mms_integral *a, size_t columns, void *work);

/* Makes a workspace ready for a strip, and writes the border above it. */
void mms_integral_begin(const mms_integral *a, const mms_strip *strip, void *work);

/* Bytes of the total of a band; finds it; adds that of a band before this one to what is above it. */
size_t mms_integral_total_size(const mms_integral *a);
void mms_integral_total(const mms_integral *a, const mms_strip *band, void *work, void *total);
void mms_integral_put_below(const mms_integral *a, const mms_strip *band, void *work, const void *total);

/* Does `rows` rows of a strip, from row `first` on, a group at most, and the border to their left. carries: of each
 * row, into the strip, and out of it; a first strip sets them. */
void mms_integral_rows(const mms_integral *a, const mms_strip *strip, void *work, size_t first, size_t rows,
                       void *carries);

#endif
