/* peer.h: the interface to other people's scans.
 *
 * To add a peer, write a file that defines a `struct peer`, and add a line to the table in peers.c; those in C++
 * are all in peers_cxx.cpp. Each such file is compiled with its own flags, which it records. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_threads {
  PEER_ONE_THREAD,
  PEER_OPENMP,
  PEER_OWN_THREADS /* threads that are not OpenMP's */
} peer_threads;

enum { PEER_TYPES = 4 };

typedef struct peer {
  const char *name;
  const char *built; /* compiler and flags */
  unsigned needs;    /* PEER_AVX | PEER_AVX2 | PEER_AVX512: instructions that the compiler could use */
  peer_threads threads;
  const char *absent;                                                      /* why it was not built; NULL if it was */
  void (*scan[PEER_TYPES])(size_t n, const void *x, void *y, int threads); /* by type: f32, f64, i32, i64 */
} peer;

/* The only symbol exported by the shared object of C++ peers: a function that returns its table, which ends in NULL. */
typedef const peer *const *peer_table(void);
#define PEER_TABLE "mmscan_bench_peers"

#ifdef __cplusplus
}
#else
extern const peer peer_omp_simd, peer_omp_simd_avx2, peer_omp_parallel, peer_two_pass, peer_two_pass_simd;

/* Not in the table, as they are for comparisons of accuracy. */
extern const peer peer_torch, peer_julia;

/* Row `index` of the table; NULL past its end. */
const peer *peers_at(size_t index);

/* Why the peer cannot run here; NULL if it can. A static string. */
const char *peers_refusal(const peer *p);
#endif

/* ---- What the compiler of this file was told --------------------------------------------------------------------- */

#define PEER_AVX    1u
#define PEER_AVX2   2u
#define PEER_AVX512 4u

#if defined(__AVX512F__)
#define PEER_NEEDS (PEER_AVX2 | PEER_AVX512)
#elif defined(__AVX2__)
#define PEER_NEEDS PEER_AVX2
#elif defined(__AVX__)
#define PEER_NEEDS PEER_AVX
#else
#define PEER_NEEDS 0u
#endif

#if defined(__clang__)
#define PEER_BUILT __VERSION__ " " PEER_FLAGS
#else
#define PEER_BUILT "gcc " __VERSION__ " " PEER_FLAGS
#endif

#endif
