/* tcu.h: what a run takes in the (s^2, l)-TCU model of the paper. */
#ifndef MMS_TCU_H
#define MMS_TCU_H

#include "mmscan.h"

/* Prices MatMulScan as *desc says, which is legal. On MMSCAN_ENOMEM *result is as it was. */
mmscan_status mms_tcu_price(const mmscan_model_desc *desc, mmscan_model_result *result);

#endif
