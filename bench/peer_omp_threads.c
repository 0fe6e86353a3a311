/* peer_omp_threads.c: peers on all threads: `omp parallel for simd`, which is OpenMP's own parallel scan, and the
 * textbook scan, in which each thread sums its part, then scans it, starting from the sum of the parts before. It moves
 * 3n elements. */
#include "peer.h"

#include <omp.h>
#include <stdint.h>

#ifdef __clang__ /* accepts the pragma, but warns that it cannot vectorise a scan */
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* GCC 12 warns of a variable that it makes itself */
#endif

enum { MOST_THREADS = 1024, LINE = 64 }; /* a cache line for each sum: no two threads write to one */

#define BODY "peer_omp_threads_body.inc"
#include "each_peer_type.inc"

#define PARALLEL "omp parallel for simd inscan"
#ifdef __clang__
const peer peer_omp_parallel = {
    .name = PARALLEL, .threads = PEER_OPENMP, .absent = "clang's code for it copies x to the stack: build with GCC"};
#else
const peer peer_omp_parallel = {PARALLEL,    PEER_BUILT, PEER_NEEDS,
                                PEER_OPENMP, NULL,       {divided_f32, divided_f64, divided_i32, divided_i64}};
#endif

const peer peer_two_pass = {"omp two-pass", PEER_BUILT, PEER_NEEDS,
                            PEER_OPENMP,    NULL,       {scalar_f32, scalar_f64, scalar_i32, scalar_i64}};

const peer peer_two_pass_simd = {"omp two-pass simd", PEER_BUILT, PEER_NEEDS,
                                 PEER_OPENMP,         NULL,       {simd_f32, simd_f64, simd_i32, simd_i64}};
