/* links.c: what is kept with a communicator from call to call, as making it takes collective calls. */
#include "parts.h"

#include <stdatomic.h>
#include <stdlib.h>

bool mms_links_can(void) {
  int is_begun = 0, is_over = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_over);
  return is_begun && !is_over;
}

static void destroy(mms_links *links) {
  for (int way = 0; way < 2 && mms_links_can(); way++)
    if (links->comms[way] != MPI_COMM_NULL) MPI_Comm_free(&links->comms[way]);
  free(links->told);
  free(links->starts);
  free(links);
}

/* Called by MPI as the communicator is freed. */
static int forget(MPI_Comm comm, int key, void *links, void *unused) {
  (void)comm, (void)key, (void)unused;
  destroy(links);
  return MPI_SUCCESS;
}

/* What the links are kept under; MPI_KEYVAL_INVALID: MPI failed. Two threads may come first at once. */
static int key(void) {
  static atomic_int made = MPI_KEYVAL_INVALID;
  int known = atomic_load(&made), own;
  if (known != MPI_KEYVAL_INVALID) return known;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &own, NULL) != MPI_SUCCESS) return MPI_KEYVAL_INVALID;
  if (atomic_compare_exchange_strong(&made, &known, own)) return own;
  MPI_Comm_free_keyval(&own);
  return known;
}

/* Of a communicator that becomes theirs. NULL: there is no memory, and it does not. */
static mms_links *create(MPI_Comm own) {
  mms_links *links = calloc(1, sizeof *links);
  if (!links) return NULL;
  links->comms[0] = links->comms[1] = MPI_COMM_NULL;
  MPI_Comm_rank(own, &links->rank);
  MPI_Comm_size(own, &links->ranks);
  links->told = malloc((size_t)links->ranks * sizeof *links->told);
  links->starts = malloc(((size_t)links->ranks + 1) * sizeof *links->starts);
  if (!links->told || !links->starts) return destroy(links), NULL;
  links->comms[0] = own;
  return links;
}

static mmscan_status make(MPI_Comm comm, mms_links **links) {
  MPI_Comm own;
  if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS) return MMSCAN_EIO;
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN); /* errors come back, and do not end the program */
  *links = create(own);
  const mmscan_status status = mms_agree(own, *links ? MMSCAN_OK : MMSCAN_ENOMEM);
  if (status && *links) destroy(*links);
  if (status && !*links) MPI_Comm_free(&own);
  return status;
}

mmscan_status mms_links_of(MPI_Comm comm, mms_links **links) {
  int is_known = 0;
  if (key() == MPI_KEYVAL_INVALID || MPI_Comm_get_attr(comm, key(), links, &is_known) != MPI_SUCCESS) return MMSCAN_EIO;
  if (is_known) return MMSCAN_OK;
  const mmscan_status status = make(comm, links);
  if (status) return status;
  if (MPI_Comm_set_attr(comm, key(), *links) == MPI_SUCCESS) return MMSCAN_OK;
  destroy(*links);
  return MMSCAN_EIO;
}

/* In a reverse scan the last rank comes first. */
mmscan_status mms_links_reverse(mms_links *links) {
  if (links->comms[1] != MPI_COMM_NULL) return MMSCAN_OK;
  if (MPI_Comm_split(links->comms[0], 0, links->ranks - 1 - links->rank, &links->comms[1]) != MPI_SUCCESS)
    return MMSCAN_EIO;
  MPI_Comm_set_errhandler(links->comms[1], MPI_ERRORS_RETURN);
  return MMSCAN_OK;
}
