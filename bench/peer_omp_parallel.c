/* peer_omp_parallel.c: the peer `omp parallel for simd`: OpenMP's own scan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "peers.h"

#include <stdint.h>

#ifdef __clang__ /* which takes the pragma, but says that it cannot vectorise a scan */
#pragma clang diagnostic ignored "-Wpass-failed"
#else /* GCC 12 means a variable of its own making */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define BODY "peer_omp_parallel_body.inc"
#include "each_type.inc"

const peer peer_omp_parallel = {"omp parallel for simd inscan",          PEER_BUILT, PEER_NEEDS, PEER_OPENMP, NULL,
                                {scan_f32, scan_f64, scan_i32, scan_i64}};
