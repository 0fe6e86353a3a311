/* xsmm.c: products by kernels of LIBXSMM, and the unit xsmm, which is the LIBXSMM that the system finds.
 *
 * A kernel is for one shape and is column-major. By rows it forms W^T = X^T A^T, and transposes A, its second factor.
 * It cannot transpose the first factor, so for a column-major product with A^T a copy of that is made beforehand: s^2
 * moves, against as many multiplications for each column. A product is cut into pieces whose number of columns is a
 * power of two, so that few kernels are ever generated. */
#include "unit/xsmm.h"

#include "unit/loading.h"
#include "unit/matrix.h"
#include "unit/selftest.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 4096, MOST_COPY = 32768 /* bytes of A that are copied to the stack */ };

/* m-by-n = m-by-k times k-by-n, with leading dimensions. */
typedef struct shape {
  mmscan_type type;
  bool transposes; /* the second factor, which is square */
  bool adds;       /* to the result's old value */
  int64_t m, n, k, a_stride, b_stride, c_stride;
} shape;

/* ---- The library's calls -------------------------------------------------------------------------------------- */

/* 1.x: all but m, n and k by reference; a kernel takes three matrices. As in blas.c, integers may have 32 bits. */
typedef void *(*dispatch_1)(int64_t m, int64_t n, int64_t k, const int64_t *lda, const int64_t *ldb, const int64_t *ldc,
                            const void *alpha, const void *beta, const int *flags, const int *prefetch);
typedef void (*kernel_1)(const void *a, const void *b, void *c);

/* 2.x, and the versions between: a shape by value; a kernel takes one argument, in which each matrix is the first of
 * four pointers. */
typedef struct shape_2 {
  int m, n, k, lda, ldb, ldc, a_type, b_type, c_type, sum_type;
} shape_2;
typedef struct argument_2 {
  const void *other[4], *a[4], *b[4], *c[4];
} argument_2;
typedef void *(*dispatch_2)(shape_2 shape, unsigned flags, unsigned prefetch);
typedef void (*kernel_2)(const argument_2 *argument);
enum { TYPE_F64_2 = 0, TYPE_F32_2 = 1, BETA_0_2 = 4 };

/* The flag in either version, by whether the second factor is transposed. */
static const int transposes_b[] = {0, 2};

static void *make_1(const mms_xsmm *x, const shape *h) {
  static const double zero[1];
  const void *one = mms_matrix_one(h->type)->bytes;
  static const int no_prefetch;
  dispatch_1 dispatch;
  *(void **)&dispatch = h->type == MMSCAN_F32 ? x->sdispatch : x->ddispatch;
  return dispatch(h->m, h->n, h->k, &h->a_stride, &h->b_stride, &h->c_stride, one, h->adds ? one : zero,
                  &transposes_b[h->transposes], &no_prefetch);
}

static void *make_2(const mms_xsmm *x, const shape *h) {
  const int type = h->type == MMSCAN_F32 ? TYPE_F32_2 : TYPE_F64_2;
  dispatch_2 dispatch;
  *(void **)&dispatch = x->dispatch;
  return dispatch((shape_2){(int)h->m, (int)h->n, (int)h->k, (int)h->a_stride, (int)h->b_stride, (int)h->c_stride, type,
                            type, type, type},
                  (h->adds ? 0 : BETA_0_2) | (unsigned)transposes_b[h->transposes], 0);
}

static void run(const mms_xsmm *x, void *kernel, const void *a, const void *b, void *c) {
  kernel_1 one;
  kernel_2 two;
  if (x->dispatch) {
    *(void **)&two = kernel;
    two(&(argument_2){.a = {a}, .b = {b}, .c = {c}});
  } else {
    *(void **)&one = kernel;
    one(a, b, c);
  }
}

/* ---- Kernels that were made ----------------------------------------------------------------------------------- */

enum { MOST_STRIDE = 1 << 30 };

/* All that shapes of products differ in: m is columns and n is s, or the other way round, k is s, and c_stride
 * determines the other strides. m and n are below 2^13. The key is never 0. */
static uint64_t key_of(const shape *h) {
  return (uint64_t)(h->k == h->m) << 63 | (uint64_t)h->transposes << 62 | (uint64_t)h->type << 58 |
         (uint64_t)h->m << 44 | (uint64_t)h->adds << 43 | (uint64_t)h->n << 30 | (uint64_t)h->c_stride;
}

static mms_xsmm_slot *slot_of(mms_xsmm *x, uint64_t key) {
  uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
  for (size_t i = 0; i < MMS_XSMM_SLOTS; i++) {
    mms_xsmm_slot *slot = &x->slots[((mixed >> 32) + i) % MMS_XSMM_SLOTS];
    uint64_t there = atomic_load_explicit(&slot->key, memory_order_relaxed);
    if (there == 0 && atomic_compare_exchange_strong(&slot->key, &there, key)) return slot;
    if (there == key) return slot;
  }
  return NULL;
}

/* The library takes a lock of its own while it generates a kernel, and returns the same one for the same shape. NULL:
 * it has none for this shape. */
static void *kernel_of(mms_xsmm *x, const shape *h) {
  mms_xsmm_slot *slot = slot_of(x, key_of(h));
  void *kernel = slot ? atomic_load_explicit(&slot->kernel, memory_order_acquire) : NULL;
  if (kernel) return kernel;
  mms_gate_place *place = mms_gate_enter();
  kernel = x->dispatch ? make_2(x, h) : make_1(x, h);
  mms_gate_leave(place);
  if (slot) atomic_store_explicit(&slot->kernel, kernel, memory_order_release);
  return kernel;
}

/* ---- Products ------------------------------------------------------------------------------------------------- */

/* size: a constant where this is inlined. */
static inline void transpose_of(size_t s, size_t size, const char *a, char *to) {
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++) memcpy(to + (row * s + column) * size, a + (column * s + row) * size, size);
}

static void transpose(const mms_product *p, const void *a, void *to) {
  if (mms_matrix_one(p->type)->size == sizeof(float))
    transpose_of(p->s, sizeof(float), a, to);
  else
    transpose_of(p->s, sizeof(double), a, to);
}

static void multiply_plainly(const mms_product *p, size_t from, size_t columns) {
  size_t at = (p->row_stride ? from : from * p->s) * mms_matrix_one(p->type)->size;
  mms_product piece = *p;
  piece.columns = columns;
  piece.counts = NULL;
  piece.x = (const char *)p->x + at;
  piece.w = (char *)p->w + at;
  mms_unit_model.multiply(&mms_unit_model, &piece);
}

/* Columns [from, from + columns). a is A, or a copy of A^T for a column-major product with A^T. */
static void multiply_piece(mms_xsmm *x, const mms_product *p, const void *a, size_t from, size_t columns) {
  const int64_t s = (int64_t)p->s, c = (int64_t)columns, stride = (int64_t)p->row_stride;
  const shape h = stride ? (shape){p->type, !p->transposed, p->adds, c, s, s, stride, s, stride}
                         : (shape){p->type, false, p->adds, s, c, s, s, s, s};
  size_t at = (stride ? from : from * p->s) * mms_matrix_one(p->type)->size;
  const char *in = (const char *)p->x + at;
  char *out = (char *)p->w + at;
  void *kernel = stride < MOST_STRIDE ? kernel_of(x, &h) : NULL;
  if (!kernel)
    multiply_plainly(p, from, columns);
  else if (stride)
    run(x, kernel, in, a, out);
  else
    run(x, kernel, a, in, out);
}

static void multiply_pieces(mms_xsmm *x, const mms_product *p, const void *a) {
  size_t piece = MOST_COLUMNS;
  for (size_t from = 0; from < p->columns; from += piece) {
    while (piece > p->columns - from) piece /= 2;
    multiply_piece(x, p, a, from, piece);
  }
}

/* A small copy goes on the stack, and without memory for a large one plain loops multiply: a product cannot fail. */
static void multiply_transposed(mms_xsmm *x, const mms_product *p) {
  size_t bytes = p->s * p->s * mms_matrix_one(p->type)->size;
  double small[MOST_COPY / sizeof(double)];
  void *large = bytes > sizeof small ? malloc(bytes) : NULL, *copy = large ? large : small;
  if (bytes > sizeof small && !large) {
    multiply_plainly(p, 0, p->columns);
    return;
  }
  transpose(p, p->a, copy);
  multiply_pieces(x, p, copy);
  free(large);
}

void mms_xsmm_multiply(const mms_unit *self, const mms_product *p) {
  mms_xsmm *x = self->library;
  if (p->row_stride || !p->transposed)
    multiply_pieces(x, p, p->a);
  else
    multiply_transposed(x, p);
}

/* ---- The library ---------------------------------------------------------------------------------------------- */

#define SONAME   "libxsmm.so"
#define SONAME_1 SONAME ".1"
#define SONAME_2 SONAME ".2"

const char *mms_xsmm_soname(size_t index) {
  static const char *const sonames[] = {SONAME_2, SONAME_1, SONAME};
  return index < sizeof sonames / sizeof *sonames ? sonames[index] : NULL;
}

static mms_xsmm calls_of(const mms_vendor *v) {
  mms_xsmm x = {.dispatch = mms_vendor_find(v, "libxsmm_dispatch_gemm")};
  if (!x.dispatch) x.dispatch = mms_vendor_find(v, "libxsmm_dispatch_gemm_v2"); /* its name until shortly before 2.0 */
  if (!x.dispatch) {
    x.sdispatch = mms_vendor_find(v, "libxsmm_smmdispatch");
    x.ddispatch = mms_vendor_find(v, "libxsmm_dmmdispatch");
  }
  return x;
}

bool mms_xsmm_is(const mms_vendor *v) {
  const mms_xsmm x = calls_of(v);
  return x.dispatch || (x.sdispatch && x.ddispatch);
}

static void multiply_as(const void *self, const mms_product *p) {
  mms_xsmm_multiply(&(mms_unit){.library = (void *)(uintptr_t)self}, p);
}

static bool overwrites_well(const mms_xsmm *x) {
  return mms_selftest(multiply_as, x, MMSCAN_F32, MMSCAN_PRODUCT_CHUNKED) &&
         mms_selftest(multiply_as, x, MMSCAN_F64, MMSCAN_PRODUCT_CHUNKED);
}

static bool adds_well(const mms_xsmm *x) {
  return mms_selftest_adding(multiply_as, x, MMSCAN_F32) && mms_selftest_adding(multiply_as, x, MMSCAN_F64);
}

/* Whether kernels use AVX-512, as Skylake-X has it, and vectors of 64 bytes. 2.0 numbers CPUs differently from 1.17,
 * and numbers between these two ranges are for shorter vectors. */
static bool has_wide_kernels(const mms_vendor *v) {
  enum { FIRST_1 = 1020, LAST_1 = 1022, FIRST_2 = 1101, LAST_2 = 1999 };
  int (*architecture)(void);
  *(void **)&architecture = mms_vendor_find(v, "libxsmm_get_target_archid");
  const int found = architecture ? architecture() : 0;
  return (found >= FIRST_1 && found <= LAST_1) || (found >= FIRST_2 && found <= LAST_2);
}

/* LIBXSMM's first product puts OMP_PROC_BIND=TRUE into the environment. The caller did not ask for that, and the text
 * is in the library's own memory: once it is unloaded, getenv() crashes. */
bool mms_xsmm_attach(mms_xsmm *x, const mms_vendor *v) {
  bool is_bound = getenv("OMP_PROC_BIND") != NULL;
  *x = calls_of(v);
  bool good = overwrites_well(x);
  x->adds = good && has_wide_kernels(v) && adds_well(x);
  if (!is_bound) unsetenv("OMP_PROC_BIND");
  return good;
}

/* Small, as a call is cheap: the stores of a block then fit in the core's store queue, and drain while the next
 * products are computed; they nearly fit where half of X is multiplied (`adds`). Measured: doc/TUNING.md, "gemm
 * and units". */
size_t mms_xsmm_block(const mms_unit *self) { return mms_xsmm_adds(self) ? MMS_UNIT_SMALL : MMS_UNIT_SMALL / 2; }

bool mms_xsmm_adds(const mms_unit *self) { return ((const mms_xsmm *)self->library)->adds; }

/* ---- The unit ------------------------------------------------------------------------------------------------- */

static atomic_bool has_looked;
static mms_vendor vendor;
static mms_xsmm found;
static bool is_here, is_unsound;

/* The library stays loaded. */
static void look(void *unused) {
  (void)unused;
  const char *soname;
  for (size_t i = 0; !is_here && (soname = mms_xsmm_soname(i)) != NULL; i++) {
    void *handle = mms_vendor_open(soname);
    if (!handle) continue;
    vendor = mms_vendor_ask(handle);
    const bool is_one = mms_xsmm_is(&vendor);
    is_here = is_one && mms_xsmm_attach(&found, &vendor);
    is_unsound = is_unsound || (is_one && !is_here);
    if (!is_here) mms_vendor_close(&vendor);
  }
}

static bool hold(const mms_unit *self) {
  (void)self;
  mms_loading_once(&has_looked, look, NULL);
  return is_here;
}

static const char *absent(const mms_unit *self) {
  (void)self;
  return is_unsound ? "LIBXSMM is found, and not used: its kernels give wrong products"
                    : "the loader finds no " SONAME_2 ", " SONAME_1 " or " SONAME
                      " that works: give its path, /.../" SONAME;
}

static size_t block(const mms_unit *self) { return hold(self) ? mms_xsmm_block(self) : 0; }

static bool adds(const mms_unit *self) { return hold(self) && mms_xsmm_adds(self); }

static void describe(const mms_unit *self, mmscan_part *part) {
  if (hold(self)) part->library = vendor.file;
}

const mms_unit mms_unit_xsmm = {.name = "xsmm",
                                .description = "LIBXSMM, which makes kernels while it runs, found at run time",
                                .library = &found,
                                .multiply = mms_xsmm_multiply,
                                .hold = hold,
                                .absent = absent,
                                .block = block,
                                .adds = adds,
                                .describe = describe};
