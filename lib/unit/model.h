/* model.h: counts of the paper's cost model. */
#ifndef MMS_MODEL_H
#define MMS_MODEL_H

#include "unit/unit.h"

/* Adds to the counts one GEMM (for a batch, one per square) and its multiplications of square matrices (the last one
 * counted whole even if narrower). */
void mms_model_count_product(const mms_product *product);

/* Adds the additions of a product that skips the zeros of A, computed from where those zeros are. */
void mms_model_count_additions(const mms_product *product);

#endif
