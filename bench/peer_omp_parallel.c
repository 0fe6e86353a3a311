/* peer_omp_parallel.c: the peer `omp parallel for simd`, OpenMP's own parallel scan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "peers.h"

#include <stdint.h>

#ifdef __clang__ /* accepts the pragma, but warns that it cannot vectorise a scan */
#pragma clang diagnostic ignored "-Wpass-failed"
#else /* GCC 12 warns of a variable that it makes itself */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define BODY "peer_omp_parallel_body.inc"
#include "each_type.inc"

const peer peer_omp_parallel = {"omp parallel for simd inscan",          PEER_BUILT, PEER_NEEDS, PEER_OPENMP, NULL,
                                {scan_f32, scan_f64, scan_i32, scan_i64}};
