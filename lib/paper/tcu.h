/* tcu.h: what a run takes in the (s^2, l)-TCU model of the paper. */
#ifndef MMS_TCU_H
#define MMS_TCU_H

#include "mmscan_paper.h"

/* Prices the MatMulScan that *desc, which is valid, describes. MMSCAN_ENOMEM leaves *result untouched. */
mmscan_status mms_tcu_price(const mmscan_model_desc *desc, mmscan_model_result *result);

#endif
