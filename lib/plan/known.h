/* known.h: the choices that are known, one for each shape that was measured, for the life of the process. */
#ifndef MMS_KNOWN_H
#define MMS_KNOWN_H

#include "plan/wisdom.h"
#include <stdatomic.h>

/* A shape, as one number, and what is best for it. */
typedef struct mms_known {
  uint32_t key;
  mms_wise wise;
} mms_known;

/* The list of what is known. Whether there is anything in it: inline, as tiny calls ask, too. */
typedef struct mms_known_notes mms_known_notes;
extern _Atomic(mms_known_notes *) mms_known_list;
static inline bool mms_known_any(void) { return atomic_load_explicit(&mms_known_list, memory_order_acquire) != NULL; }

/* False: nothing is known of such a shape. Takes no lock, and never waits for a thread that adds. */
bool mms_known_find(uint32_t key, mms_wise *wise);

/* Notes those choices that are not known; NULL if there are none. Of several for one shape the last counts. Notes end
 * with mms_known_add(), by which they replace what was known of their shapes, or with mms_known_forget(). False: no
 * memory. */
bool mms_known_note(mms_known_notes **notes, const mms_known *known, size_t count);
void mms_known_add(mms_known_notes *notes);
void mms_known_forget(mms_known_notes *notes);

/* How many shapes are known. */
size_t mms_known_count(void);

/* A copy of all that is known, the latest shape first; the caller's to free. NULL: no memory. */
mms_known *mms_known_copy(size_t *count);

#endif
