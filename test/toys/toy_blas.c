/* toy_blas.c: small BLAS libraries for the tests, sound and unsound. The Makefile makes one for each line of its TOYS,
 * by defining some of these:
 *
 *   AFFIX(name)   adds a prefix or suffix to a name
 *   INTEGER       the type of integers, int or int64_t
 *   NO_DGEMM, NO_GEMM
 *   DROPS         gemm leaves out the last column
 *   READS         gemm adds 0 times what W held
 *   SLY           has the fault that TOY_FAULT in the environment names
 *   BAD_TRMM      trmm takes the wrong triangle
 *   BAD_BATCH     gemm_batch computes only the first square
 *   CRASHES       gemm_batch aborts the process
 *   EXITS         gemm_batch ends the process with exit status 0
 *   VIA_FORTRAN   gemm calls sgemm_ and dgemm_, as a reference BLAS does
 *   TWO_LINES     reports a version of two lines
 *   LONG_LINE     reports a version of 400 characters
 *   ADDS_WRONG    gemm is wrong where it adds to W
 *   OPENBLAS=CORE reports an OpenBLAS with the kernels of CORE
 *   BLIS=VERSION  reports a BLIS of this version; like BLIS, aborts if asked for the CPU before bli_init()
 *   THREADS       each gemm starts a thread, unless MKL's call sets one thread
 *   FIGHTS        with THREADS: each thread takes 3 ms; none is started where OPENBLAS_NUM_THREADS is 1
 *   PTHREADS_OF   as THREADS, but told by the calls of this vendor, with pthreads: 0 BLIS, 1 OpenBLAS
 *   LOCAL         with PTHREADS_OF: the setting is the calling thread's own
 *   TEAMS         as THREADS, unless the calling thread allows no OpenMP teams; reports nothing about itself
 *   TEAMS_OF_ALL  and has an OpenMP of its own, in which that setting belongs to the process, as in GCC 10
 *   FORKS         each gemm forks, once toy_forks is set
 *   AT_LOAD       forks while it is loaded; sets rounding down then, and again when asked for its version, as code
 *                 linked with -ffast-math changes the floating-point mode
 *   ROUNDS        each gemm leaves rounding set to up
 *   SERIAL        reports a single-threaded OpenBLAS; gemm counts the calls that overlap
 *   LOCKING       with SERIAL: reports that it has locks of its own
 *   FULL          has all routines
 *   BF16          the name of its sbgemm
 *   MKL=YEAR      reports an MKL of that year: the batches of some years are known to be good
 *   BAD_STRIDED   gemm_batch_strided computes the first square again and again
 *   BAD_BF16      sbgemm expands bfloat16 by one bit too few
 *   BAD_COMPLEX   complex gemm drops imaginary parts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <float.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef AFFIX
#define AFFIX(name) name
#endif
#ifndef INTEGER
#define INTEGER int
#endif

enum { ROW_MAJOR = 101, TRANS = 112, UPPER = 121 };

int toy_calls(void);
static atomic_int calls;

/* Calls that leave cblas_gemm: of the Fortran routine, and to start a thread. */
int toy_calls(void) { return calls; }

long toy_most_work(void);
static atomic_long most_work;

/* The most multiplications that one gemm was asked for since the last call of this function. */
long toy_most_work(void) { return atomic_exchange(&most_work, 0); }
#ifndef NO_GEMM
static void see_work(long work) {
  if (work > most_work) most_work = work;
}
#endif

#ifdef TWO_LINES
char *openblas_get_config(void);
char *openblas_get_config(void) {
  static char version[] = "OpenBLAS 1\nf32";
  return version;
}
#endif

#ifdef LONG_LINE
char *openblas_get_config(void);
char *openblas_get_config(void) {
  static char version[401];
  snprintf(version, sizeof version, "OpenBLAS %0391d", 1);
  return version;
}
#endif

#ifdef SLY
static bool has(const char *fault) {
  const char *given = getenv("TOY_FAULT");
  return given && strcmp(given, fault) == 0;
}
static void talk(const char *text) {
  if (has("talks")) fputs(text, stdout);
}
__attribute__((constructor)) static void greet(void) { talk("hello"); }
__attribute__((destructor)) static void part(void) { talk("farewell"); }
#elif !defined(NO_GEMM)
#define has(fault) false
#endif

#define TEXT(text)     #text
#define TEXT_OF(macro) TEXT(macro)

#ifdef OPENBLAS
const char *openblas_get_config(void);
const char *openblas_get_config(void) { return "OpenBLAS 0.3.21 DYNAMIC_ARCH " TEXT_OF(OPENBLAS) " MAX_THREADS=64"; }
#endif

#ifdef BLIS
static bool has_begun;
const char *bli_info_get_version_str(void);
void bli_init(void);
int bli_arch_query_id(void);
const char *bli_arch_string(int cpu);
const char *bli_info_get_version_str(void) { return TEXT_OF(BLIS); }
void bli_init(void) { has_begun = true; }
int bli_arch_query_id(void) {
  if (!has_begun) abort();
  return 6;
}
const char *bli_arch_string(int cpu) { return cpu == 6 ? "toys" : "nobody"; }
#endif

#if defined(PTHREADS_OF) || defined(TEAMS)
#define THREADS
#endif
#ifdef PTHREADS_OF
#ifdef LOCAL
_Thread_local
#endif
    static atomic_long threads_set = 4;
#if PTHREADS_OF == 0
#define VENDOR(name) bli_thread_##name
const char *bli_info_get_version_str(void);
long bli_info_get_enable_pthreads(void);
const char *bli_info_get_version_str(void) { return "0 toy"; }
long bli_info_get_enable_pthreads(void) { return 1; }
#else
#define VENDOR(name) openblas_##name
int openblas_get_parallel(void);
int openblas_get_parallel(void) { return 1; }
#define WATCHES_FORKS
#endif
long VENDOR(get_num_threads)(void);
void VENDOR(set_num_threads)(long threads);
/* Long enough for another thread to come or go, or to fork. */
static void linger(void) { usleep(20); }
long VENDOR(get_num_threads)(void) { return threads_set; }
void VENDOR(set_num_threads)(long threads) {
  linger();
  threads_set = threads;
}
static bool is_told(void) {
  linger();
  return threads_set == 1;
}
#elif defined(TEAMS_OF_ALL)
static atomic_int levels = 4;
int omp_get_max_active_levels(void) { return levels; }
void omp_set_max_active_levels(int most) { levels = most; }
static bool is_told(void) { return levels == 0; }
#elif defined(TEAMS)
static bool is_told(void) { return omp_get_max_active_levels() == 0; }
#elif defined(THREADS)
static _Thread_local int threads_here;
int MKL_Set_Num_Threads_Local(int threads);
int MKL_Set_Num_Threads_Local(int threads) {
  int before = threads_here;
  threads_here = threads;
  return before;
}
static bool is_told(void) { return threads_here == 1; }
#endif

#ifdef THREADS
static void *work(void *nothing) {
#ifdef FIGHTS
  usleep(3000);
#endif
  return nothing;
}
static bool is_alone(void) {
#ifdef FIGHTS
  const char *threads = getenv("OPENBLAS_NUM_THREADS");
  if (threads && strcmp(threads, "1") == 0) return true;
#endif
  return is_told();
}
static atomic_int working;
static void start_thread(void) {
  pthread_t thread;
  if (is_alone()) return;
  calls++;
  working++;
  if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_join(thread, NULL);
  working--;
}
#ifdef WATCHES_FORKS
/* How often a fork, at which OpenBLAS ends its threads, came while they were working. */
int toy_disturbed(void);
static atomic_int disturbed;
int toy_disturbed(void) { return disturbed; }
static void before_fork(void) { disturbed += working > 0; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(before_fork, NULL, NULL); }
#endif
#elif defined(FORKS)
extern bool toy_forks;
bool toy_forks;
extern int toy_forked; /* status of the child; the child goes on, and forks no more */
int toy_forked;
static void start_thread(void) {
  const pid_t pid = toy_forks ? fork() : -1;
  if (pid == 0) toy_forks = false;
  if (pid > 0) waitpid(pid, &toy_forked, 0);
}
#elif defined(ROUNDS)
static void start_thread(void) { fesetround(FE_UPWARD); }
#elif !defined(NO_GEMM)
/* Libraries may raise floating-point exception flags. */
static void start_thread(void) {
  volatile double tenth = 0.1;
  tenth = tenth * 10;
}
#endif

#ifdef AT_LOAD
__attribute__((constructor)) static void load(void) {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid(pid, NULL, 0);
  fesetround(FE_DOWNWARD);
}
const char *openblas_get_config(void);
const char *openblas_get_config(void) {
  fesetround(FE_DOWNWARD);
  return "OpenBLAS toy";
}
#endif

#ifdef SERIAL
static atomic_int inside, met;
int openblas_get_parallel(void);
const char *openblas_get_config(void);
int toy_met(void);
int openblas_get_parallel(void) { return 0; }
const char *openblas_get_config(void) {
#ifdef LOCKING
  return "OpenBLAS 0.3.28 USE_LOCKING toy";
#else
  return "OpenBLAS 0.3.21 toy";
#endif
}

/* How often a gemm has found another one in the library so far. */
int toy_met(void) { return atomic_load(&met); }

/* Long enough for another thread to come. */
static void enter(void) {
  if (atomic_fetch_add(&inside, 1) != 0) atomic_fetch_add(&met, 1);
  usleep(50);
}
static void leave(void) { atomic_fetch_sub(&inside, 1); }
#elif !defined(NO_GEMM)
static void enter(void) {}
static void leave(void) {}
#endif

#ifdef MKL
void MKL_Get_Version_String(char *buffer, int length);
void MKL_Get_Version_String(char *buffer, int length) {
  snprintf(buffer, (size_t)length, "A toy, Version %d.2   ", MKL);
}
#endif

/* Scalars are passed by value, but by address to complex routines, which never add to C here. */
#define SCALAR         T
#define GIVEN(v)       (v)
#define SHORT(v)       ((T)((v)*4097 - ((v)*4097 - (v)))) /* without its last 12 bits */
#define FLUSHED(v)     ((v) > -FLT_MIN && (v) < FLT_MIN ? 0 : (v))
#define ADDS(beta)     ((beta) != 0)
#define T              float
#define NAME(function) AFFIX(cblas_s##function)
#define FORTRAN        sgemm_
#include "toy_blas_body.inc"
#undef T
#undef NAME
#undef FORTRAN

#ifndef NO_DGEMM
#define T              double
#define NAME(function) AFFIX(cblas_d##function)
#define FORTRAN        dgemm_
#include "toy_blas_body.inc"
#undef T
#undef NAME
#undef FORTRAN
#endif
#undef SCALAR
#undef GIVEN
#undef ADDS
#undef FLUSHED

#ifdef FULL
#define SCALAR     const void *
#define GIVEN(v)   (&(v))
#define FLUSHED(v) (v)
#define ADDS(beta) false
#ifdef BAD_COMPLEX
#define DAMAGED(v) __real__(v)
#endif
#define T              float _Complex
#define NAME(function) AFFIX(cblas_c##function)
#define FORTRAN        cgemm_
#include "toy_blas_body.inc"
#undef T
#undef NAME
#undef FORTRAN

#define T              double _Complex
#define NAME(function) AFFIX(cblas_z##function)
#define FORTRAN        zgemm_
#include "toy_blas_body.inc"

#ifndef BF16
#define BF16 cblas_sbgemm
#endif

/* The float whose upper half this is. */
static float value_of(uint16_t half) {
#ifdef BAD_BF16
  uint32_t bits = (uint32_t)half << 15;
#else
  uint32_t bits = (uint32_t)half << 16;
#endif
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void BF16(int order, int trans_a, int trans_b, INTEGER m, INTEGER n, INTEGER k, float alpha, const uint16_t *a,
          INTEGER lda, const uint16_t *b, INTEGER ldb, float beta, float *c, INTEGER ldc);
void BF16(int order, int trans_a, int trans_b, INTEGER m, INTEGER n, INTEGER k, float alpha, const uint16_t *a,
          INTEGER lda, const uint16_t *b, INTEGER ldb, float beta, float *c, INTEGER ldc) {
  bool rows = order == ROW_MAJOR, swap = (trans_a == TRANS) != rows;
  (void)trans_b, (void)alpha, (void)beta;
  for (INTEGER j = 0; j < n; j++)
    for (INTEGER i = 0; i < m; i++) {
      float sum = 0;
      for (INTEGER l = 0; l < k; l++)
        sum += value_of(swap ? a[i * lda + l] : a[l * lda + i]) * value_of(rows ? b[l * ldb + j] : b[j * ldb + l]);
      c[rows ? i * ldc + j : j * ldc + i] = sum;
    }
}
#endif
