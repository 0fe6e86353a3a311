/* agree.c: what all ranks have to agree on. */
#include "parts.h"

#include <string.h>

enum { MOST_OUTER = 8, WORDS = 24, OUTER = 15 };

static const uint64_t is_right = (uint64_t)1 << 63;

/* What of a description is to be the same on every rank, in so few bits that one that differs has others. */
static uint64_t digest_of(const mms_parts *p) {
  const mmscan_desc *d = p->desc;
  uint64_t words[WORDS] = {p->block != NULL, d->x_type, d->y_type,     d->op,    d->kind,
                           d->reverse != 0,  d->flags,  d->batch,      !d->init, !d->totals,
                           !d->indices,      !d->state, d->outer_rank, 0,        0};
  uint64_t digest = 0;
  if (d->init) memcpy(words + OUTER - 2, d->init, p->row.size);
  for (size_t i = 0; i < d->outer_rank && i < MOST_OUTER; i++) words[OUTER + i] = d->outer[i].n;
  for (size_t i = 0; i < WORDS; i++) {
    digest = (digest ^ words[i]) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 32;
  }
  return digest | is_right;
}

/* Of ranks that do not agree on whether MPI works some may wait for others for ever: nothing can be done about it. */
mmscan_status mms_agree(MPI_Comm comm, mmscan_status status) {
  int own = (int)status, all = (int)status;
  if (MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return MMSCAN_EIO;
  return (mmscan_status)all;
}

mmscan_status mms_agree_on(mms_links *links, const mms_parts *p, mmscan_status status) {
  mms_told own = {(uint64_t)status, 0}, *const told = links->told;
  uint64_t worst = MMSCAN_OK;
  if (status == MMSCAN_OK) own = (mms_told){digest_of(p), p->desc->n};
  if (MPI_Allgather(&own, 2, MPI_UINT64_T, told, 2, MPI_UINT64_T, links->comms[0]) != MPI_SUCCESS) return MMSCAN_EIO;
  for (int rank = 0; rank < links->ranks; rank++)
    if (!(told[rank].what & is_right) && told[rank].what > worst) worst = told[rank].what;
  for (int rank = 0; rank < links->ranks && !worst; rank++)
    if (told[rank].what != told[0].what) worst = MMSCAN_EINVAL;
  return (mmscan_status)worst;
}
