/* selftest.h: does a routine multiply? */
#ifndef MMS_SELFTEST_H
#define MMS_SELFTEST_H

#include "unit/unit.h"

/* Whether products in a form come out right, to the last bit: of L_s and B_s, transposed and not, column-major and by
 * rows, of odd and of larger sizes, of tiny numbers; that they are written over NaN; and that nothing else is written,
 * nothing that is read beside X and W makes a difference, and the thread rounds as before. */
bool mms_selftest(void (*multiply)(const void *self, const mms_product *product), const void *self, mmscan_type type,
                  mmscan_product_form form);

/* The same of W = W + A X by rows, where A is L_s, and W holds X. Of MMSCAN_F32 and MMSCAN_F64. */
bool mms_selftest_adding(void (*multiply)(const void *self, const mms_product *product), const void *self,
                         mmscan_type type);

/* No test runs between these. Held across fork(), so that the child finds the lock free. Taken before that of vendor.h.
 */
void mms_selftest_lock(void);
void mms_selftest_unlock(void);

#endif
