/* wisdom.h: choices that were measured, kept for the life of the process and in files. */
#ifndef MMS_WISDOM_H
#define MMS_WISDOM_H

#include "plan/estimate.h"

/* What is known to be best for scans of about this length and number. Engines and units are never freed. */
typedef struct mms_wise {
  const mms_engine *engine;
  const mms_unit *unit;  /* NULL for an engine without a unit */
  size_t s, tile;        /* 0 for an engine without them */
  int threads, possible; /* the best number of threads, of so many possible */
} mms_wise;

/* False: nothing is known of such a shape. */
bool mms_wisdom_find(const mms_shape *shape, mms_wise *wise);

/* MMSCAN_ENOMEM: it is not kept. */
mmscan_status mms_wisdom_keep(mms_shape shape, const mms_wise *wise);

/* The number of shapes of which something is known. */
size_t mms_wisdom_count(void);

/* Reads a file; what it says outranks what is known. All of it is kept, or nothing.
 *
 * MMSCAN_EIO     it cannot be read, is damaged, or is of another version, CPU or instruction set, or uses another
 *                BLAS; *why says which
 * MMSCAN_ENOMEM
 */
mmscan_status mms_wisdom_read(const char *file, const mms_isa *isa, const char **why);

/* Writes all that is known to a file beside `file`, which then takes its place. MMSCAN_EIO, MMSCAN_ENOMEM. */
mmscan_status mms_wisdom_write(const char *file, const mms_isa *isa);

#endif
