/* selftest.h: whether a routine multiplies correctly. */
#ifndef MMS_SELFTEST_H
#define MMS_SELFTEST_H

#include "unit/unit.h"

/* Whether products in a form are right to the last bit: with L_s and B_s, transposed and not, column-major and by rows,
 * of odd and of larger sizes, and of tiny numbers. Also whether they overwrite NaN and write nothing else, whether
 * nothing read beside X and W makes a difference, and whether the thread's rounding mode is unchanged. */
bool mms_selftest(void (*multiply)(const void *self, const mms_product *product), const void *self, mmscan_type type,
                  mmscan_product_form form);

/* The same for W = W + A X with s = 1 by rows, where W at first holds X. Only for MMSCAN_F32 and MMSCAN_F64. */
bool mms_selftest_adding(void (*multiply)(const void *self, const mms_product *product), const void *self,
                         mmscan_type type);

#endif
