/* peers.c: the table of other people's scans: those in C, and those in C++ if they were built.
 *
 * Those in C++ are in a shared object beside the command. So the command needs neither a C++ compiler nor the libraries
 * of C++ and TBB, and an installed command, which has no such file beside it, is small. */
#include "peer.h"
#include "process.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const peer *const in_c[] = {&peer_omp_simd,
#ifdef __x86_64__
                                   &peer_omp_simd_avx2,
#endif
                                   &peer_omp_parallel, &peer_two_pass, &peer_two_pass_simd};
enum { IN_C = sizeof in_c / sizeof in_c[0] };

static char no_cxx_reason[PATH_MAX + 128] = "not found: there is no /proc/self/exe";
static const peer no_cxx = {.name = "C++ peers", .absent = no_cxx_reason};

/* Their table; NULL, and a reason, if there is none. */
static const peer *const *open_cxx(const char *path) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  peer_table *table = NULL;
  if (object != NULL) *(void **)&table = dlsym(object, PEER_TABLE);
  if (access(path, F_OK) != 0)
    snprintf(no_cxx_reason, sizeof no_cxx_reason,
             "%s does not exist: 'make peers' builds it beside build/mmscan; it is not installed", path);
  else
    snprintf(no_cxx_reason, sizeof no_cxx_reason, object == NULL ? "%s" : "%s contains no peers",
             object == NULL ? dlerror() : path);
  return table != NULL ? table() : NULL;
}

static const peer *const *load_cxx(void) {
  static const peer *const none[] = {&no_cxx, NULL};
  char *path = process_file_beside("mmscan-peers.so");
  const peer *const *table = path != NULL ? open_cxx(path) : NULL;
  free(path);
  return table != NULL ? table : none;
}

const peer *peers_at(size_t index) {
  static const peer *const *in_cxx;
  if (in_cxx == NULL) in_cxx = load_cxx();
  if (index < IN_C) return in_c[index];
  for (size_t i = 0; in_cxx[i] != NULL; i++)
    if (i == index - IN_C) return in_cxx[i];
  return NULL;
}

/* -march=native compiles for the CPU of the build; the command may run on another. */
static bool has(unsigned needs) {
#ifdef __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool avx = __builtin_cpu_supports("avx");
  return (!(needs & PEER_AVX) || avx) && (!(needs & PEER_AVX2) || avx2) && (!(needs & PEER_AVX512) || avx512);
#else
  return needs == 0;
#endif
}

const char *peers_refusal(const peer *p) {
  if (p->absent != NULL) return p->absent;
  return has(p->needs) ? NULL : "compiled for instructions that this CPU lacks";
}
