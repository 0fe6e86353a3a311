/* product.h: one product with L_s or B_s, a level of Algorithm 1 without its moves. */
#ifndef MMS_PRODUCT_H
#define MMS_PRODUCT_H

#include "unit/unit.h"

/* Does mmscan_product(), given a valid description and a unit that is held. MMSCAN_ENOTSUP, MMSCAN_ENOMEM. */
mmscan_status mms_product_run(const mmscan_product_desc *desc, const mms_unit *unit, const void *x, void *w);

#endif
