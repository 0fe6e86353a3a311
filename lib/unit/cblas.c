/* cblas.c: the unit behind which is the CBLAS this library was linked with. */
#include "unit/unit.h"

#include <dlfcn.h>
#include <stdio.h>

/* The part of the CBLAS we call, LP64. Declared here because the header's name and place differ by vendor, and its
 * enumerations are ints to the linker. */
enum { COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112 };
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);

/* OpenBLAS starts threads of its own where m n k is over SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD (its
 * interface/gemm.c), by default 65536 * 4. A longer product is done in chunks, which stay in its small-matrix range
 * too. MMSCAN_MAX_S is the largest s of which one column is under it. */
enum { MOST_WORK = 262144 };
_Static_assert(MMSCAN_MAX_S *MMSCAN_MAX_S <= MOST_WORK, "one column must be within a chunk");

static void sgemm(const mms_product *p, size_t from, int columns) {
  int s = (int)p->s;
  cblas_sgemm(COL_MAJOR, p->transposed ? TRANS : NO_TRANS, NO_TRANS, s, columns, s, 1, p->a, s,
              (const float *)p->x + from * p->s, s, 0, (float *)p->w + from * p->s, s);
}

static void dgemm(const mms_product *p, size_t from, int columns) {
  int s = (int)p->s;
  cblas_dgemm(COL_MAJOR, p->transposed ? TRANS : NO_TRANS, NO_TRANS, s, columns, s, 1, p->a, s,
              (const double *)p->x + from * p->s, s, 0, (double *)p->w + from * p->s, s);
}

static void multiply(const mms_product *p) {
  void (*gemm)(const mms_product *, size_t, int) = p->type == MMSCAN_F32 ? sgemm : dgemm;
  size_t chunk = MOST_WORK / (p->s * p->s);
  for (size_t from = 0; from < p->columns; from += chunk) {
    size_t left = p->columns - from;
    gemm(p, from, (int)(left < chunk ? left : chunk));
  }
}

/* ---- What the library says of itself -------------------------------------------------------------------------- */

typedef int (*int_call)(void);
typedef char *(*text_call)(void);
typedef void (*fill_call)(char *buffer, int length);

/* dlsym() returns an object pointer; POSIX makes it hold a function's address too. */
static int say_int(void *blas, const char *name) {
  int_call call;
  *(void **)&call = dlsym(blas, name);
  return call ? call() : 0;
}

static const char *say_text(void *blas, const char *name) {
  text_call call;
  *(void **)&call = dlsym(blas, name);
  return call ? call() : NULL;
}

static const char *say_mkl(void *blas) {
  static char text[200];
  fill_call call;
  *(void **)&call = dlsym(blas, "MKL_Get_Version_String");
  if (call) call(text, sizeof text);
  return call ? text : NULL;
}

static void describe(mmscan_part *part) {
  static const char *const version[] = {"openblas_get_config", "bli_info_get_version_str"};
  static const char *const threads[] = {"openblas_get_num_threads", "bli_thread_get_num_threads",
                                        "MKL_Get_Max_Threads"};
  void (*gemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int) =
      cblas_sgemm;
  Dl_info where;
  if (!dladdr(*(void **)&gemm, &where)) return;
  part->library = where.dli_fname;
  void *blas = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!blas) return;
  for (size_t i = 0; i < sizeof version / sizeof *version && !part->version; i++)
    part->version = say_text(blas, version[i]);
  if (!part->version) part->version = say_mkl(blas);
  for (size_t i = 0; i < sizeof threads / sizeof *threads && !part->threads; i++)
    part->threads = say_int(blas, threads[i]);
  dlclose(blas);
}

const mms_unit mms_unit_cblas = {.name = "cblas",
                                 .description = "the CBLAS this library is linked with",
                                 .multiply = multiply,
                                 .describe = describe};
