/* peer_omp_simd.c: the peer `omp simd` on one core; with PEER_OMP_SIMD_AVX2, compiled for AVX2. */
#include "peer.h"

#include <stdint.h>

#ifdef __clang__ /* accepts the pragma, but warns that it cannot vectorise a scan */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define BODY "peer_omp_simd_body.inc"
#include "each_peer_type.inc"

#ifdef PEER_OMP_SIMD_AVX2
const peer peer_omp_simd_avx2 = {"omp simd inscan, avx2",
#else
const peer peer_omp_simd = {
    "omp simd inscan",
#endif
                                 PEER_BUILT,
                                 PEER_NEEDS,
                                 PEER_ONE_THREAD,
                                 NULL,
                                 {scan_f32, scan_f64, scan_i32, scan_i64}};
