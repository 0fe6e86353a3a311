/* carries.c: the carries into the parts. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* What ranks tell each other: this, and then for each scan a carry and a state. It says by what they are combined, as
 * MPI hands no more to an operator. */
typedef struct head {
  uint64_t status, scans, carry_size, state_size;
  uint32_t x_type, y_type, op, kind, flags, unused;
} head;

size_t mms_carries_vector_size(const mms_parts *p, size_t scans) {
  return sizeof(head) + scans * (p->carried.size + p->state_size);
}

static int vector_size(const mms_parts *p) { return (int)mms_carries_vector_size(p, p->scans); }

static void pack(mms_parts *p) {
  const head h = {.status = (uint64_t)p->status,
                  .scans = p->scans,
                  .carry_size = p->carried.size,
                  .state_size = p->state_size,
                  .x_type = p->desc->x_type,
                  .y_type = p->desc->y_type,
                  .op = p->desc->op,
                  .kind = p->kind,
                  .flags = p->desc->flags};
  memcpy(p->vector, &h, sizeof h);
  memcpy(p->vector + sizeof h, p->carry, p->scans * p->carried.size);
  memcpy(p->vector + sizeof h + p->scans * p->carried.size, p->state, p->scans * p->state_size);
}

static void unpack(mms_parts *p, const char *vector) {
  memcpy(p->carry, vector + sizeof(head), p->scans * p->carried.size);
  memcpy(p->state, vector + sizeof(head) + p->scans * p->carried.size, p->scans * p->state_size);
}

/* ---- What comes before everything ----------------------------------------------------------------------------- */

/* Of halves a carry is a float. */
static void put_init(const mms_parts *p, char *to) {
  mmscan_desc d = MMSCAN_DESC(p->carried.type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  d.x_type = p->desc->y_type;
  if (p->carried.type == p->desc->y_type)
    memcpy(to, p->desc->init, p->carried.size);
  else
    mmscan_scan(&d, p->desc->init, to);
}

void mms_carries_clear(mms_parts *p) {
  for (size_t scan = 0; scan < p->scans; scan++)
    memcpy(p->carry + scan * p->carried.size, p->carried.identity, p->carried.size);
  memset(p->state, 0, p->scans * p->state_size);
}

/* Where results never fall zeros are all alike, and scans begin as they start. */
static void put_first(mms_parts *p) {
  mms_carries_clear(p);
  for (size_t scan = 0; scan < p->scans && p->desc->init; scan++) put_init(p, p->carry + scan * p->carried.size);
  if (!p->block) return;
  memcpy(p->carry, p->block + p->first * p->carried.size, p->scans * p->carried.size);
  if (p->state_size > 0)
    memcpy(p->state, (const char *)p->desc->state + p->first * p->state_size, p->scans * p->state_size);
}

/* ---- By an exscan --------------------------------------------------------------------------------------------- */

static mmscan_desc desc_of(const head *h) {
  mmscan_desc d = MMSCAN_DESC((mmscan_type)h->y_type, (mmscan_op)h->op, (mmscan_kind)h->kind, 0);
  d.x_type = (mmscan_type)h->x_type;
  d.flags = h->flags;
  d.batch = h->scans;
  return d;
}

/* Takes the vector `left` past `right`. */
static mmscan_status take_past(char *left, const char *right) {
  head h;
  memcpy(&h, right, sizeof h);
  const mmscan_desc d = desc_of(&h);
  const size_t carries = sizeof h, states = sizeof h + h.scans * h.carry_size;
  return mmscan_carry_combine(&d, left + carries, h.state_size ? left + states : NULL, right + carries,
                              h.state_size ? right + states : NULL);
}

/* As MPI has it: *to = *from, which is of the ranks before, combined with *to. */
static void combine(void *from, void *to, int *count, MPI_Datatype *type) {
  int size = 0;
  PMPI_Type_size(*type, &size);
  for (int i = 0; i < *count; i++) {
    char *left = malloc((size_t)size), *right = (char *)to + (size_t)i * (size_t)size;
    head of_left, of_right;
    memcpy(&of_left, (const char *)from + (size_t)i * (size_t)size, sizeof of_left);
    memcpy(&of_right, right, sizeof of_right);
    uint64_t status = of_left.status > of_right.status ? of_left.status : of_right.status;
    if (!left) status = MMSCAN_ENOMEM;
    if (status == MMSCAN_OK) {
      memcpy(left, (const char *)from + (size_t)i * (size_t)size, (size_t)size);
      status = take_past(left, right);
      if (status == MMSCAN_OK) memcpy(right, left, (size_t)size);
    }
    of_right.status = status;
    memcpy(right, &of_right, sizeof of_right);
    free(left);
  }
}

static void exscan(mms_parts *p, bool waits) {
  MPI_Datatype type;
  MPI_Op op;
  mms_parts_note_mpi(p, MPI_Type_contiguous(vector_size(p), MPI_BYTE, &type));
  mms_parts_note_mpi(p, MPI_Type_commit(&type));
  mms_parts_note_mpi(p, MPI_Op_create(combine, 0, &op));
  if (waits)
    mms_parts_note_mpi(p, MPI_Exscan(p->vector, p->before, 1, type, op, p->comm));
  else
    mms_parts_note_mpi(p, MPI_Iexscan(p->vector, p->before, 1, type, op, p->comm, &p->request));
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/* Asked of identities. Where results never fall, what they were rounded to counts. */
bool mms_carries_can(const mms_parts *p) {
  enum { LARGEST = sizeof(head) + 16 + 1024 }; /* a carry and a state (mmscan_state_size()) */
  const bool rounds = p->row.kind == 'f' || p->row.kind == 'c';
  char own[LARGEST], vector[LARGEST];
  if (p->desc->flags & MMSCAN_MONOTONE && rounds) return false;
  mms_parts one = *p;
  one.scans = 1;
  one.carry = own;
  one.state = own + p->carried.size;
  one.vector = vector;
  mms_carries_clear(&one);
  pack(&one);
  memcpy(own, vector, mms_carries_vector_size(p, 1));
  return take_past(own, vector) == MMSCAN_OK;
}

void mms_carries_begin(mms_parts *p, bool waits) {
  pack(p);
  exscan(p, waits);
}

/* Takes what comes before everything past what comes before this part. The first rank's result of an exscan is
 * undefined. */
static mmscan_status take_found(mms_parts *p) {
  head h = {.status = MMSCAN_OK};
  put_first(p);
  if (p->rank > 0) memcpy(&h, p->before, sizeof h);
  if (p->rank == 0 || h.status != MMSCAN_OK) return (mmscan_status)h.status;
  pack(p);
  const mmscan_status status = take_past(p->vector, p->before);
  unpack(p, p->vector);
  return status;
}

/* What cannot be combined is no failure. */
mmscan_status mms_carries_end(mms_parts *p) {
  mms_parts_note_mpi(p, MPI_Wait(&p->request, MPI_STATUS_IGNORE));
  const mmscan_status status = take_found(p);
  if (status != MMSCAN_ENOTSUP) mms_parts_note(p, status);
  const int own[2] = {(int)p->status, status == MMSCAN_ENOTSUP};
  int all[2] = {own[0], own[1]};
  if (MPI_Allreduce(own, all, 2, MPI_INT, MPI_MAX, p->comm) != MPI_SUCCESS) return MMSCAN_EIO;
  p->are_combined = !all[1];
  return (mmscan_status)all[0];
}

/* ---- From rank to rank ---------------------------------------------------------------------------------------- */

enum { TAG = 1 };

void mms_carries_receive(mms_parts *p) {
  put_first(p);
  if (p->rank == 0) return;
  mms_parts_note_mpi(p, MPI_Recv(p->vector, vector_size(p), MPI_BYTE, p->rank - 1, TAG, p->comm, MPI_STATUS_IGNORE));
  unpack(p, p->vector);
}

void mms_carries_send(mms_parts *p) {
  if (p->rank + 1 == p->ranks) return;
  pack(p);
  mms_parts_note_mpi(p, MPI_Send(p->vector, vector_size(p), MPI_BYTE, p->rank + 1, TAG, p->comm));
}

/* ---- Out of all parts ----------------------------------------------------------------------------------------- */

void mms_carries_share(mms_parts *p, int rank) {
  pack(p);
  mms_parts_note_mpi(p, MPI_Bcast(p->vector, vector_size(p), MPI_BYTE, rank, p->comm));
  unpack(p, p->vector);
  memcpy(p->block + p->first * p->carried.size, p->carry, p->scans * p->carried.size);
  if (p->state_size > 0) memcpy((char *)p->desc->state + p->first * p->state_size, p->state, p->scans * p->state_size);
}
