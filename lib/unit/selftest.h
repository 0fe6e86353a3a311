/* selftest.h: does a routine multiply? */
#ifndef MMS_SELFTEST_H
#define MMS_SELFTEST_H

#include "unit/unit.h"

/* Whether products in a form come out right: of L_s and B_s, transposed and not, column-major and by rows, of odd and
 * of larger sizes; that they are written over NaN; and that nothing beside them is written, nothing that is read
 * there makes a difference, and the thread rounds as before. */
bool mms_selftest(void (*multiply)(const void *self, const mms_product *product), const void *self, mmscan_type type,
                  mmscan_product_form form);

/* No test runs between these. Held across fork(), so that the child finds the lock free. Taken before that of vendor.h.
 */
void mms_selftest_lock(void);
void mms_selftest_unlock(void);

#endif
