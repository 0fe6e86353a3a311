/* wisdom.h: choices that were measured, kept for the life of the process and in files. */
#ifndef MMS_WISDOM_H
#define MMS_WISDOM_H

#include "estimate.h"

/* What is known to be best for scans about as long and as many. Names are of the tables: they last. */
typedef struct mms_wise {
  const mms_engine *engine;
  const mms_unit *unit; /* NULL in an engine without */
  size_t s, tile;       /* 0 in an engine without */
  int threads, of;      /* the best number of threads, of as many as there could be */
} mms_wise;

/* False where nothing is known of such a shape. */
bool mms_wisdom_find(const mms_shape *shape, mms_wise *wise);

/* MMSCAN_ENOMEM: it is not kept. */
mmscan_status mms_wisdom_keep(mms_shape shape, const mms_wise *wise);

/* How many shapes something is known of. */
size_t mms_wisdom_count(void);

/* Reads a file; what it says outranks what is known. All of it or nothing is kept.
 *
 * MMSCAN_EIO     it cannot be read, is damaged, or is of another version, CPU or instruction set, or uses another
 *                BLAS; *why says it
 * MMSCAN_ENOMEM
 */
mmscan_status mms_wisdom_read(const char *file, const mms_isa *isa, const char **why);

/* Writes all that is known, beside `file` first, then in its place. MMSCAN_EIO, MMSCAN_ENOMEM. */
mmscan_status mms_wisdom_write(const char *file, const mms_isa *isa);

#endif
