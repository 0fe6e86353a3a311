/* heads.h: where the segments of a scan begin, as bits. */
#ifndef MMS_HEADS_H
#define MMS_HEADS_H

#include "base/bits.h"
#include "mmscan.h"
#include <string.h>

/* What says where, for all scans: mmscan_segments, checked. */
typedef struct mms_heads {
  mmscan_segment_form form;
  mmscan_type type; /* of keys, or starts */
  size_t count;     /* segments, where starts say it */
  const void *data;
} mms_heads;

/* The first element of a segment by starts, up to and including that of the one after the last. */
static inline int64_t mms_heads_start(const mms_heads *heads, size_t segment) {
  int32_t of_4;
  int64_t of_8;
  if (heads->type == MMSCAN_I32)
    return memcpy(&of_4, (const char *)heads->data + segment * sizeof of_4, sizeof of_4), of_4;
  return memcpy(&of_8, (const char *)heads->data + segment * sizeof of_8, sizeof of_8), of_8;
}

/* Sets bit i of m bits to whether element from + i begins a segment, and the bits after them in their words to 0.
 * *segment: of starts, one that begins before `from`, and comes out as such for what follows; of the first call 0. */
void mms_heads_find(const mms_heads *heads, size_t from, size_t m, size_t *segment, uint64_t *bits);

/* The first element after one, below n, that begins a segment; or n. */
size_t mms_heads_next(const mms_heads *heads, size_t element, size_t n);

#endif
