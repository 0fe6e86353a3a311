/* fit.h: fits this machine's BLAS to the paper's tensor-unit model, and predicts the engine gemm by that model. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>

/* Measures, for some seconds, and prints it as text or as one JSON object. Returns an exit status. */
int fit_run_all(bool as_json);

#endif
