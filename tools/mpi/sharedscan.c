/* sharedscan.c: the processes of MPI that do the scans of one command line. */
#include "sharedscan.h"
#include "message.h"
#include "sharedfile.h"
#include "temporary.h"

#include <limits.h>
#include <mmscan_mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What the first process tells the others: a scan, or the end. */
typedef struct task {
  bool ends;
  int status; /* with which it ends */
  order o;    /* without what it points to */
  mmscan_type type, to;
  uint64_t in_origin, out_origin;
  char in[PATH_MAX], out[PATH_MAX], temporary[PATH_MAX], engine[64];
} task;

static int rank_of(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int ranks_of(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/* ---- Failures ---------------------------------------------------------------------------------------------------- */

static int agree(int status) {
  int worst = status;
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst == DONE ? DONE : FAILED;
}

/* Of several processes that have something to tell, the first does. */
static void tell_once(const char *text) {
  const int rank = rank_of();
  int own = text[0] != '\0' ? rank : INT_MAX, first = own;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == rank) fputs(text, stderr);
}

/* ---- The scan ---------------------------------------------------------------------------------------------------- */

/* A block of which each process has a part. */
static mmscan_status scan_block(const mmscan_desc *desc, const void *x, void *y, void *carry) {
  return mmscan_mpi_scan_block(desc, x, y, carry, MPI_COMM_WORLD);
}

/* Brings the totals together, of which every process has its own, and zeros for others. */
static void collect_totals(const order *o) {
  enum { AT_ONCE = 1 << 30 };
  const size_t bytes = o->has_totals ? (size_t)(o->outer * o->inner) * o->to->size : 0;
  const bool is_first = rank_of() == 0;
  for (size_t done = 0; done < bytes; done += AT_ONCE) {
    const int count = (int)(bytes - done < AT_ONCE ? bytes - done : AT_ONCE);
    char *own = o->totals + done;
    MPI_Reduce(is_first ? MPI_IN_PLACE : own, is_first ? own : NULL, count, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  }
}

/* Each process has an environment of its own, which is looked at first. */
static int scan_files(order o, input *in, result *to, const char *temporary) {
  const order_team team = {rank_of(), ranks_of(), shared_read, shared_put, scan_block, agree};
  if (agree(order_check(&o, in->name)) != DONE) return FAILED;
  o.team = &team;
  if (agree(o.has_totals && o.totals == NULL ? fail_memory() : DONE) != DONE) return FAILED;
  int status = shared_open(in, to, temporary, agree);
  if (status == DONE) status = agree(input_check_end(in, o.outer * o.length * o.inner * o.type->size));
  if (status == DONE) status = order_scan(&o, in, to);
  status = agree(shared_close(to, status));
  if (status == DONE) collect_totals(&o);
  return status;
}

/* What processes have to tell is kept until it is known who does. */
static int scan_together(const order *o, input *in, result *to, const char *temporary) {
  char *text = NULL;
  size_t size;
  FILE *kept = open_memstream(&text, &size);
  message_keep(kept);
  const int status = scan_files(*o, in, to, temporary);
  message_keep(NULL);
  if (kept != NULL) fclose(kept);
  tell_once(text != NULL ? text : "");
  free(text);
  return status;
}

/* ---- Leading and following --------------------------------------------------------------------------------------- */

static void hand_on(task *t) { MPI_Bcast(t, sizeof *t, MPI_BYTE, 0, MPI_COMM_WORLD); }

static int copy_text(char *to, size_t size, const char *text) {
  if (text == NULL) text = "";
  const size_t length = strlen(text);
  if (length >= size) return fail("%s: the name is too long", text);
  memcpy(to, text, length + 1);
  return DONE;
}

int shared_scan(const order *o, input *in, result *to) {
  static task t;
  t = (task){.o = *o, .type = o->type->type, .to = o->to->type, .in_origin = in->origin, .out_origin = to->out.origin};
  if (copy_text(t.in, sizeof t.in, in->name) != DONE || copy_text(t.out, sizeof t.out, to->out.name) != DONE ||
      copy_text(t.temporary, sizeof t.temporary, to->out.temporary) != DONE ||
      copy_text(t.engine, sizeof t.engine, getenv("MMSCAN_ENGINE")) != DONE)
    return FAILED;
  hand_on(&t);
  return scan_together(o, in, to, t.temporary);
}

int shared_end(int status) {
  static task t;
  t = (task){.ends = true, .status = status};
  hand_on(&t);
  return status;
}

static const element *element_of(mmscan_type type) {
  int i = 0;
  while (element_at(i)->type != type) i++;
  return element_at(i);
}

static void follow(const task *t) {
  order o = t->o;
  input in = {.name = t->in, .fd = -1, .seekable = true, .origin = t->in_origin, .size = INPUT_SIZE_UNKNOWN};
  result to = {.out = OUTPUT_CLOSED, .spool = -1};
  o.type = element_of(t->type);
  o.to = to.type = element_of(t->to);
  to.out.name = t->out;
  to.out.origin = t->out_origin;
  if (t->engine[0] != '\0') setenv("MMSCAN_ENGINE", t->engine, 1);
  temporary_watch(t->temporary);
  if (o.has_totals) o.totals = calloc((size_t)(o.outer * o.inner) + 1, o.to->size);
  scan_together(&o, &in, &to, t->temporary);
  free(o.totals);
}

int shared_follow(void) {
  static task t;
  for (hand_on(&t); !t.ends; hand_on(&t)) follow(&t);
  return t.status;
}
