/* cblas.c: the unit behind which is the CBLAS this library was linked with. */
#include "unit/unit.h"

#include "unit/vendor.h"
#include <dlfcn.h>
#include <pthread.h>

/* The part of the CBLAS we call, LP64. Declared here because the header's name and place differ by vendor, and its
 * enumerations are ints to the linker. */
enum { ROW_MAJOR = 101, COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112 };
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);

/* OpenBLAS starts threads of its own where m n k is over SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD (its
 * interface/gemm.c), by default 65536 * 4. A longer product is done in chunks, which stay in its small-matrix range
 * too. MMSCAN_MAX_S is the largest s of which one column is under it. */
enum { MOST_WORK = 262144 };
_Static_assert(MMSCAN_MAX_S *MMSCAN_MAX_S <= MOST_WORK, "one column must be within a chunk");

/* The layout, leading dimension and first element of a chunk of X and W. By rows, the column-major A reads as A^T. */
typedef struct layout {
  int order, trans_a, stride;
  size_t at;
} layout;

static layout layout_of(const mms_product *p, size_t from) {
  if (p->row_stride) return (layout){ROW_MAJOR, p->transposed ? NO_TRANS : TRANS, (int)p->row_stride, from};
  return (layout){COL_MAJOR, p->transposed ? TRANS : NO_TRANS, (int)p->s, from * p->s};
}

static void sgemm(const mms_product *p, size_t from, int columns) {
  int s = (int)p->s;
  layout l = layout_of(p, from);
  cblas_sgemm(l.order, l.trans_a, NO_TRANS, s, columns, s, 1, p->a, s, (const float *)p->x + l.at, l.stride, 0,
              (float *)p->w + l.at, l.stride);
}

static void dgemm(const mms_product *p, size_t from, int columns) {
  int s = (int)p->s;
  layout l = layout_of(p, from);
  cblas_dgemm(l.order, l.trans_a, NO_TRANS, s, columns, s, 1, p->a, s, (const double *)p->x + l.at, l.stride, 0,
              (double *)p->w + l.at, l.stride);
}

static void multiply_chunks(const mms_product *p) {
  void (*gemm)(const mms_product *, size_t, int) = p->type == MMSCAN_F32 ? sgemm : dgemm;
  size_t chunk = MOST_WORK / (p->s * p->s);
  for (size_t from = 0; from < p->columns; from += chunk) {
    size_t left = p->columns - from;
    gemm(p, from, (int)(left < chunk ? left : chunk));
  }
}

/* ---- The library behind it ------------------------------------------------------------------------------------ */

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static const char *library; /* its file */
static mms_vendor vendor;
static pthread_mutex_t one_caller = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { pthread_mutex_lock(&one_caller); }
static void unlock(void) { pthread_mutex_unlock(&one_caller); }

/* The handle is kept: the library is linked, and stays. A fork() waits for the lock, so that no child is born while
 * some other thread of its parent holds it. */
static void look(void) {
  void (*gemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int) =
      cblas_sgemm;
  Dl_info where;
  if (!dladdr(*(void **)&gemm, &where)) return;
  library = where.dli_fname;
  vendor = mms_vendor_ask(dlopen(library, RTLD_LAZY | RTLD_NOLOAD));
  if (vendor.one_at_a_time) pthread_atfork(lock, unlock, unlock);
}

static void multiply(const mms_product *p) {
  pthread_once(&looked, look);
  if (vendor.one_at_a_time) lock();
  multiply_chunks(p);
  if (vendor.one_at_a_time) unlock();
}

static void describe(mmscan_part *part) {
  pthread_once(&looked, look);
  part->library = library;
  part->version = vendor.version;
  part->threads = mms_vendor_threads(&vendor);
}

const mms_unit mms_unit_cblas = {.name = "cblas",
                                 .description = "the CBLAS this library is linked with",
                                 .multiply = multiply,
                                 .describe = describe};
