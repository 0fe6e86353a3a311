/* carry.h: what goes from tile to tile of a scan, and from block to block. */
#ifndef MMS_CARRY_H
#define MMS_CARRY_H

#include "base/exact.h"
#include "run/run.h"

typedef struct mms_carry {
  mms_value value;    /* as engines take it */
  bool is_anew;       /* where the job adds exactly: the sum was begun anew on the way, by mms_carry_pass() */
  mms_exact exact[2]; /* where the job adds exactly: the same, plane by plane, before it was rounded. Else nothing */
} mms_carry;

/* Bytes of what a caller keeps of it between blocks, besides an element (run->state). */
size_t mms_carry_state_size(const mms_storage *storage, bool adds_exactly);

/* What is kept at an address of such a state: *value becomes it, if there is anything yet; or is stored there. */
bool mms_carry_take(const void *state, mms_value *value);
void mms_carry_put(void *state, const mms_value *value);

/* The carry into a scan, as engines take it; and all of it. */
mms_value mms_carry_first(const mms_run *run, size_t scan);
void mms_carry_begin(const mms_run *run, size_t scan, mms_carry *carry);

/* Stores the carry out of a scan where the caller wants it. */
void mms_carry_keep(const mms_run *run, size_t scan, const mms_carry *carry);

/* The carry of a scan of `run`, combined with what `next`, of the same job, has gone over from the identity on; and
 * whether that is within what scans promise. */
bool mms_carry_combines(const mms_run *run, const mms_run *next, size_t scan);
void mms_carry_combine(const mms_run *run, const mms_run *next, size_t scan);

/* Takes it past a tile: the engine's advance(). Where the job adds exactly, what becomes of the value is the exact sum
 * of all totals, rounded once; where the engine has to go through the elements of the tile, it begins anew from there.
 */
void mms_carry_pass(const mms_run *run, const mms_job *job, void *work, const mms_tile *tile, const mms_found *found,
                    mms_carry *carry);

#endif
