/* agree.c: what all ranks have to agree on. */
#include "parts.h"

#include <string.h>

enum { MOST_OUTER = 8, ELEMENT = 16 };

/* What of a description is to be the same on every rank. */
typedef struct shape {
  uint64_t is_right, types[2], op, kind, reverse, flags, batch, has_init, has_totals, has_indices,
      outer[MOST_OUTER + 1];
  unsigned char init[ELEMENT];
} shape;

static shape shape_of(const mmscan_desc *d) {
  shape s = {.is_right = true,
             .types = {d->x_type, d->y_type},
             .op = d->op,
             .kind = d->kind,
             .reverse = d->reverse != 0,
             .flags = d->flags,
             .batch = d->batch,
             .has_init = d->init != NULL,
             .has_totals = d->totals != NULL,
             .has_indices = d->indices != NULL};
  s.outer[MOST_OUTER] = d->outer_rank;
  for (size_t i = 0; i < d->outer_rank; i++) s.outer[i] = d->outer[i].n;
  if (d->init) memcpy(s.init, d->init, mms_parts_size_of(d->y_type));
  return s;
}

/* Of ranks that do not agree on whether MPI works some may wait for others for ever: nothing can be done about it. */
mmscan_status mms_agree(MPI_Comm comm, mmscan_status status) {
  int own = (int)status, all = (int)status;
  if (MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return MMSCAN_EIO;
  return (mmscan_status)all;
}

mmscan_status mms_agree_on(const mmscan_desc *desc, const void *x, const void *y, MPI_Comm comm) {
  mmscan_status status = mmscan_arrays_check(desc, x, y);
  shape own, first;
  memset(&own, 0, sizeof own);
  if (status == MMSCAN_OK) own = shape_of(desc);
  first = own;
  if (MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, comm) != MPI_SUCCESS) return MMSCAN_EIO;
  if (status == MMSCAN_OK && first.is_right && memcmp(&own, &first, sizeof own) != 0) status = MMSCAN_EINVAL;
  return mms_agree(comm, status);
}
