/* machine.h: takes the steps of a method on the elements of an array, one after the other.
 *
 * A step is W = A X, or W = A X + C. It is put together entry by entry, each named by its position, and then taken: all
 * of X and C is read before W is written. The operator applied once is L_2 times a column of two.
 */
#ifndef MMS_MACHINE_H
#define MMS_MACHINE_H

#include "unit/unit.h"

typedef struct mms_machine {
  const mms_monoid *monoid;
  size_t n, s;
  mmscan_trace *trace; /* NULL: none */
  void *trace_context;
  char *values;           /* the array, then the temporaries, which start as the identity */
  size_t *in, *add, *out; /* the entries of the step */
  size_t entries;         /* how many there are so far */
  mmscan_event event;     /* the step */
  char *x, *w;            /* its matrices */
  float *a;               /* A, which is `matrix`, a_s-by-a_s */
  mmscan_matrix matrix;
  size_t a_s;
  size_t depth; /* levels so far: a method adds 1 where the steps that follow are one level later */
  void *memory;
} mms_machine;

/* What a method needs: positions, entries in its longest step, and the largest s of a step. */
typedef struct mms_machine_size {
  size_t positions, entries, s;
} mms_machine_size;

/* A machine for n elements of x. MMSCAN_ENOMEM. */
mmscan_status mms_machine_open(mms_machine *m, const mms_monoid *monoid, const mms_machine_size *size, size_t n,
                               const void *x);
void mms_machine_close(mms_machine *m);

/* Begins a step. Of `event`, phase, step, level, matrix, is_product and s are used. */
void mms_machine_begin(mms_machine *m, mmscan_event event);

/* Add the step's next entry, column by column; the second function adds one with an entry of C. */
void mms_machine_entry(mms_machine *m, size_t in, size_t out);
void mms_machine_entry_plus(mms_machine *m, size_t in, size_t add, size_t out);

/* Takes the step, unless it has no entries. */
void mms_machine_take(mms_machine *m);

#endif
