/* peer_omp_parallel.c: the peer `omp parallel for simd`, OpenMP's own parallel scan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "peer.h"

#include <stdint.h>

#define PEER_NAME "omp parallel for simd inscan"

#ifdef __clang__
const peer peer_omp_parallel = {
    .name = PEER_NAME, .threads = PEER_OPENMP, .absent = "clang's code for it copies x to the stack: build with GCC"};
#else
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* GCC 12 warns of a variable that it makes itself */

#define BODY "peer_omp_parallel_body.inc"
#include "each_peer_type.inc"

const peer peer_omp_parallel = {PEER_NAME,   PEER_BUILT, PEER_NEEDS,
                                PEER_OPENMP, NULL,       {scan_f32, scan_f64, scan_i32, scan_i64}};
#endif
