/* totals.h: threads that read x for the carries out of the scans alone, and write no results (run->only_carries).
 *
 * Threads take groups of neighbouring tiles in turn, and reduce them; the carry goes from group to group. So x is read
 * once, and what takes the carry past a tile is what a scan with results does, to the bit.
 */
#ifndef MMS_TOTALS_H
#define MMS_TOTALS_H

#include "run/tiles.h"
#include "team/notifier.h"

typedef struct mms_totals {
  const mms_tiles *tiles;
  mms_notifier notifier;
  size_t group;         /* tiles in one */
  atomic_size_t taken;  /* groups */
  atomic_size_t passed; /* groups that the carry has passed */
  mms_carry carry;      /* out of the groups passed */
} mms_totals;

#endif
