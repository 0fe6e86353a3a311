/* ends.h: what stands at the ends of scans, beside their results: totals, and the result that offsets have more. */
#ifndef MMS_ENDS_H
#define MMS_ENDS_H

#include "run/tiles.h"

/* An element of y; or where it is. */
typedef union mms_element {
  unsigned char bytes[sizeof(mms_value)];
  const void *at;
} mms_element;

/* Totals have the bits of the last result of an inclusive scan. So where they are wanted of an exclusive one, its last
 * tile is scanned inclusively, and its results are then moved on by one. Where the order of additions is given, that
 * may not change with a total, and so an inclusive scan of the last tile comes before the exclusive one.
 *
 * An inclusive scan starts from the identity, so that -0.0 stays what it is; an exclusive one from +0. With totals it
 * starts from the identity, too, and the results that no element has changed yet become +0 afterwards. */
typedef struct mms_ends {
  const mms_storage *of_y;  /* of what is written */
  mms_job inclusive;        /* the job of the last tiles of exclusive scans */
  void *totals;             /* of scan 0; NULL: none are wanted */
  bool are_elsewhere;       /* elements are of an operator of the caller's */
  bool are_offsets;         /* y has a result more, at extra_at elements from where its scan begins: */
  ptrdiff_t extra_at;       /*   in inclusive scans the start, in exclusive ones the total */
  mms_element start, first; /* what scans start with, and the carry that they start from */
  bool restarts; /* results that are still `first`, bit for bit, become the start; of offsets the first result alone */
} mms_ends;

/* Fills in what is derived from the carry and the start. */
void mms_ends_start(mms_ends *ends, const mms_value *first, const mms_value *start);

/* Whether that is so of a tile; and then writes its total, an element of y. */
bool mms_ends_are_apart(const mms_run *run, const mms_place *at);
void mms_ends_write_total(const mms_run *run, const mms_place *at, const void *total);

/* The job by which a tile is scanned. */
const mms_job *mms_ends_job(const mms_run *run, const mms_place *at);

/* Puts right what a tile has written, and writes what stands at the ends of its scan. *carry: into the tile. */
void mms_ends_write(const mms_run *run, const mms_place *at, const mms_value *carry);

/* The same for one of many columns, whose results are right, by the carry out of it. */
void mms_ends_write_column(const mms_run *run, const mms_place *at, const mms_value *carry);

/* What stands at the ends of scans of no elements. */
void mms_ends_write_empty(const mms_run *run);

#endif
