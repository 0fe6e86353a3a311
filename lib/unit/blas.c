/* blas.c: the routines of a BLAS, and products computed by them.
 *
 * Integers are passed as 64 bits, whatever the library takes. All are non-negative and below 2^31, and under the ABIs
 * of Linux an argument fills a whole register or stack slot, of which a callee that takes 32 bits reads the low half.
 * Each integer array of gemm_batch holds a single integer, whose low half comes first. */
#include "unit/blas.h"

#include "base/child.h"
#include "team/team.h"
#include "unit/loading.h"
#include "unit/matrix.h"
#include "unit/selftest.h"
#include "unit/trust.h"
#include <string.h>

enum {
  ROW_MAJOR = 101,
  COL_MAJOR = 102,
  NO_TRANS = 111,
  TRANS = 112,
  UPPER = 121,
  LOWER = 122,
  NON_UNIT = 131,
  LEFT = 141
};

/* ---- One call ------------------------------------------------------------------------------------------------- */

/* Columns [from, from + columns) of a product. A row-major call reads the column-major A as A^T, so its lower triangle
 * as an upper one. */
typedef struct part {
  const mms_product *p;
  int order, trans, uplo;
  int64_t s, columns, stride;
  const char *x;
  char *w;
} part;

static part part_of(const mms_product *p, size_t from, size_t columns) {
  size_t size = mms_matrix_one(p->type)->size, x_size = size;
  if (p->form == MMSCAN_PRODUCT_BF16) x_size = mms_matrix_one_bf16.size;
  bool rows = p->row_stride != 0;
  size_t at = rows ? from : from * p->s;
  return (part){.p = p,
                .order = rows ? ROW_MAJOR : COL_MAJOR,
                .trans = p->transposed != rows ? TRANS : NO_TRANS,
                .uplo = rows ? UPPER : LOWER,
                .s = (int64_t)p->s,
                .columns = (int64_t)columns,
                .stride = (int64_t)(rows ? p->row_stride : p->s),
                .x = (const char *)p->x + at * x_size,
                .w = (char *)p->w + at * size};
}

static const void *one_of(const part *t) { return mms_matrix_one(t->p->type)->bytes; }
static const double zero[2];

/* X to W, for a product in place. */
static void copy(const part *t) {
  size_t size = mms_matrix_one(t->p->type)->size, s = (size_t)t->s, columns = (size_t)t->columns;
  if (t->x == t->w) return;
  if (t->order == COL_MAJOR) memcpy(t->w, t->x, s * columns * size);
  for (size_t row = 0; t->order == ROW_MAJOR && row < s; row++)
    memcpy(t->w + row * t->p->row_stride * size, t->x + row * t->p->row_stride * size, columns * size);
}

/* Routines take scalars as float, as double, or for complex types by pointer. */

#define SCALAR         float
#define ONE            1
#define ZERO           0
#define NAME(function) function##_f32
#include "unit/blas_body.inc"
#undef SCALAR
#undef NAME

#define SCALAR         double
#define NAME(function) function##_f64
#include "unit/blas_body.inc"
#undef SCALAR
#undef ONE
#undef ZERO
#undef NAME

#define SCALAR         const void *
#define ONE            one_of(t)
#define ZERO           zero
#define NAME(function) function##_pointer
#include "unit/blas_body.inc"
#undef SCALAR
#undef ONE
#undef ZERO
#undef NAME

/* ---- Batches -------------------------------------------------------------------------------------------------- */

enum { GROUP = 1024 }; /* squares per call of gemm_batch; the pointers to them are on the stack */

typedef void (*batch_call)(int order, const int *trans_a, const int *trans_b, const int64_t *m, const int64_t *n,
                           const int64_t *k, const void *alpha, const void **a, const int64_t *lda, const void **b,
                           const int64_t *ldb, const void *beta, void **c, const int64_t *ldc, int64_t groups,
                           const int64_t *sizes);

/* Multiplies `squares` squares of the part, from square `from` on. */
static void batch_group(mms_blas_call call, const part *t, size_t from, size_t squares) {
  const size_t bytes = t->p->s * t->p->s * mms_matrix_one(t->p->type)->size;
  const int none = NO_TRANS;
  const int64_t count = (int64_t)squares;
  const void *a[GROUP], *x[GROUP];
  void *w[GROUP];
  for (size_t i = 0; i < squares; i++) {
    a[i] = t->p->a;
    x[i] = t->x + (from + i) * bytes;
    w[i] = t->w + (from + i) * bytes;
  }
  ((batch_call)call)(t->order, &t->trans, &none, &t->s, &t->s, &t->s, one_of(t), a, &t->s, x, &t->s, zero, w, &t->s, 1,
                     &count);
}

static void batch(mms_blas_call call, const part *t) {
  const size_t squares = (size_t)t->columns / t->p->s;
  for (size_t from = 0; from < squares; from += GROUP)
    batch_group(call, t, from, squares - from < GROUP ? squares - from : GROUP);
}

/* ---- The table of routines ------------------------------------------------------------------------------------ */

typedef struct entry {
  const char *name, *others; /* in CBLAS, without cblas_; and what other libraries call it, NULL: the same */
  mmscan_type type;
  mmscan_product_form form;
  void (*run)(mms_blas_call call, const part *t);
} entry;

static const entry table[] = {
    {"sgemm", NULL, MMSCAN_F32, MMSCAN_PRODUCT_GEMM, gemm_f32},
    {"dgemm", NULL, MMSCAN_F64, MMSCAN_PRODUCT_GEMM, gemm_f64},
    {"cgemm", NULL, MMSCAN_C32, MMSCAN_PRODUCT_GEMM, gemm_pointer},
    {"zgemm", NULL, MMSCAN_C64, MMSCAN_PRODUCT_GEMM, gemm_pointer},
    {"strmm", NULL, MMSCAN_F32, MMSCAN_PRODUCT_TRMM, trmm_f32},
    {"dtrmm", NULL, MMSCAN_F64, MMSCAN_PRODUCT_TRMM, trmm_f64},
    {"ctrmm", NULL, MMSCAN_C32, MMSCAN_PRODUCT_TRMM, trmm_pointer},
    {"ztrmm", NULL, MMSCAN_C64, MMSCAN_PRODUCT_TRMM, trmm_pointer},
    {"sgemm_batch", NULL, MMSCAN_F32, MMSCAN_PRODUCT_BATCH, batch},
    {"dgemm_batch", NULL, MMSCAN_F64, MMSCAN_PRODUCT_BATCH, batch},
    {"cgemm_batch", NULL, MMSCAN_C32, MMSCAN_PRODUCT_BATCH, batch},
    {"zgemm_batch", NULL, MMSCAN_C64, MMSCAN_PRODUCT_BATCH, batch},
    {"sgemm_batch_strided", NULL, MMSCAN_F32, MMSCAN_PRODUCT_BATCH_STRIDED, batch_strided_f32},
    {"dgemm_batch_strided", NULL, MMSCAN_F64, MMSCAN_PRODUCT_BATCH_STRIDED, batch_strided_f64},
    {"cgemm_batch_strided", NULL, MMSCAN_C32, MMSCAN_PRODUCT_BATCH_STRIDED, batch_strided_pointer},
    {"zgemm_batch_strided", NULL, MMSCAN_C64, MMSCAN_PRODUCT_BATCH_STRIDED, batch_strided_pointer},
    {"sbgemm", "gemm_bf16bf16f32", MMSCAN_F32, MMSCAN_PRODUCT_BF16, gemm_f32},
};
_Static_assert(sizeof table / sizeof *table == MMS_BLAS_ROUTINES, "blas.h has the number of routines");

/* MMS_BLAS_ROUTINES if there is no such routine. */
static size_t index_of(mmscan_type type, mmscan_product_form form) {
  if (form == MMSCAN_PRODUCT_CHUNKED) form = MMSCAN_PRODUCT_GEMM;
  size_t i = 0;
  while (i < MMS_BLAS_ROUTINES && (table[i].type != type || table[i].form != form)) i++;
  return i;
}

static size_t index_named(const char *name) {
  size_t i = 0;
  while (i < MMS_BLAS_ROUTINES && strcmp(table[i].name, name) != 0) i++;
  return i;
}

/* ---- Products ------------------------------------------------------------------------------------------------- */

/* OpenBLAS starts threads of its own if m n k exceeds SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD (its
 * interface/gemm.c), by default 65536 * 4; of complex numbers sooner, so these are multiplied alone. Longer products
 * are cut into chunks within that limit, which are also small enough for its small-matrix kernels. MMSCAN_MAX_S is the
 * largest s for which one column is within the limit. */
enum { MOST_WORK = 262144 };
_Static_assert(MMSCAN_MAX_S *MMSCAN_MAX_S <= MOST_WORK, "one column must be within a chunk");

/* Columns per call: those of a chunk, or else as many as the library takes. */
static size_t most_columns(const mms_blas *blas, const mms_product *p) {
  if (p->form == MMSCAN_PRODUCT_CHUNKED) return MOST_WORK / (p->s * p->s);
  size_t unit = mms_product_is_batch(p->form) ? p->s * p->s : p->s;
  return blas->most / unit * (unit / p->s);
}

static void multiply_parts(const mms_blas *blas, const mms_product *p) {
  const size_t most = most_columns(blas, p), i = index_of(p->type, p->form);
  for (size_t from = 0; from < p->columns; from += most) {
    part t = part_of(p, from, p->columns - from < most ? p->columns - from : most);
    table[i].run(blas->call[i], &t);
  }
}

/* The columns after the first `done`. */
static mms_product rest_of(const mms_product *p, size_t done) {
  part at = part_of(p, done, 0);
  mms_product rest = *p;
  rest.form = MMSCAN_PRODUCT_CHUNKED;
  rest.columns = p->columns - done;
  rest.x = at.x;
  rest.w = at.w;
  return rest;
}

/* The columns after the last whole square are left to gemm. */
static void multiply_squares(const mms_blas *blas, const mms_product *p) {
  const mms_product rest = rest_of(p, p->columns / p->s * p->s);
  mms_product squares = *p;
  squares.columns -= rest.columns;
  multiply_parts(blas, &squares);
  multiply_parts(blas, &rest);
}

/* For W = W + A X: takes the row as two rows of half its length, one below the other, and A as diag(a, a). */
static void multiply_halves(const mms_blas *blas, const mms_product *p) {
  const size_t size = mms_matrix_one(p->type)->size, half = p->columns / 2;
  const mms_product rest = rest_of(p, 2 * half);
  double a[4] = {0};
  memcpy(a, p->a, size);
  memcpy((char *)a + 3 * size, p->a, size);
  mms_product halves = *p;
  halves.s = 2;
  halves.a = a;
  halves.columns = halves.row_stride = half;
  multiply_parts(blas, &halves);
  multiply_parts(blas, &rest);
}

typedef void way(const mms_blas *blas, const mms_product *p);

static way *way_of(const mms_blas *blas, const mms_product *p) {
  if (mms_product_is_batch(p->form)) return multiply_squares;
  return p->adds && blas->vendor->halves ? multiply_halves : multiply_parts;
}

static void multiply(const mms_blas *blas, const mms_product *p, mms_manner manner) {
  mms_visit visit;
  mms_vendor_enter(blas->vendor, manner, &visit);
  way_of(blas, p)(blas, p);
  mms_vendor_leave(blas->vendor, &visit);
}

static void multiply_alone(const mms_blas *blas, const mms_product *p) {
  const int teams = mms_team_off();
  multiply(blas, p, MMS_ALONE);
  mms_team_back(teams);
}

void mms_blas_multiply(const mms_unit *self, const mms_product *p) {
  const mms_blas *blas = self->library;
  if (mms_product_is_of_scans(p->type, p->form))
    multiply(blas, p, MMS_CHUNKED);
  else if (p->form == MMSCAN_PRODUCT_CHUNKED || mms_child_lost_threads())
    multiply_alone(blas, p);
  else
    multiply(blas, p, MMS_FREELY);
}

/* ---- States --------------------------------------------------------------------------------------------------- */

static mmscan_routine_state state_of(const mms_blas *blas, size_t index) {
  return (mmscan_routine_state)atomic_load_explicit(&blas->state[index], memory_order_acquire);
}

/* Tests run without the library's threads: these would take longer than the products, and in a process that forks the
 * library might wait in vain for threads that are gone. */
static void multiply_as(const void *self, const mms_product *p) { multiply(self, p, MMS_ALONE); }

/* A gemm that scans use must also pass the test of W = W + A X. */
static bool is_good(const mms_blas *blas, size_t i) {
  const mmscan_type type = table[i].type;
  const bool scans = table[i].form == MMSCAN_PRODUCT_GEMM && mms_product_is_of_scans(type, MMSCAN_PRODUCT_CHUNKED);
  return mms_selftest(multiply_as, blas, type, table[i].form) &&
         (!scans || mms_selftest_adding(multiply_as, blas, type));
}

static mmscan_routine_state test(mms_blas *blas, size_t i) {
  mmscan_routine_state found = is_good(blas, i) ? MMSCAN_ROUTINE_USED : MMSCAN_ROUTINE_FAILED;
  atomic_store_explicit(&blas->state[i], (int)found, memory_order_release);
  return found;
}

bool mms_blas_is(const mms_vendor *vendor) {
  return mms_vendor_find(vendor, "cblas_sgemm") && mms_vendor_find(vendor, "cblas_dgemm");
}

static mms_blas_call find_call(const mms_vendor *vendor, const char *name) {
  char full[64] = "cblas_";
  mms_blas_call call;
  if (!name) return NULL;
  strncat(full, name, sizeof full - strlen(full) - 1);
  *(void **)&call = mms_vendor_find(vendor, full);
  return call;
}

static bool is_trusted(const mms_blas *blas, size_t i) {
  return blas->vendor->batches || mms_trust_has(blas->name, blas->vendor->version, table[i].name);
}

void mms_blas_find(mms_blas *blas, const char *name, const mms_vendor *vendor) {
  blas->name = name;
  blas->vendor = vendor;
  blas->most = (size_t)1 << 30;
  atomic_init(&blas->is_tested, false);
  for (size_t i = 0; i < MMS_BLAS_ROUTINES; i++) {
    blas->call[i] = find_call(vendor, table[i].name);
    if (!blas->call[i]) blas->call[i] = find_call(vendor, table[i].others);
    atomic_init(&blas->state[i], blas->call[i] ? MMSCAN_ROUTINE_OFF : MMSCAN_ROUTINE_ABSENT);
  }
}

static void test_all(void *library) {
  mms_blas *blas = library;
  for (size_t i = 0; i < MMS_BLAS_ROUTINES; i++)
    if (blas->call[i] && (!mms_product_is_batch(table[i].form) || is_trusted(blas, i))) test(blas, i);
}

void mms_blas_test(mms_blas *blas) {
  const int teams = mms_team_off();
  mms_loading_once(&blas->is_tested, test_all, blas);
  mms_team_back(teams);
}

void mms_blas_test_gemm(mms_blas *blas) {
  test(blas, index_of(MMSCAN_F32, MMSCAN_PRODUCT_GEMM));
  test(blas, index_of(MMSCAN_F64, MMSCAN_PRODUCT_GEMM));
}

/* ---- The functions of a unit ---------------------------------------------------------------------------------- */

static bool has(const mms_blas *blas, mmscan_type type, mmscan_product_form form) {
  size_t i = index_of(type, form);
  return i < MMS_BLAS_ROUTINES && state_of(blas, i) == MMSCAN_ROUTINE_USED &&
         (!mms_product_is_batch(form) || has(blas, type, MMSCAN_PRODUCT_GEMM));
}

bool mms_blas_has(const mms_unit *self, mmscan_type type, mmscan_product_form form) {
  if (!mms_product_is_of_scans(type, form)) mms_blas_test(self->library);
  return has(self->library, type, form);
}

size_t mms_blas_block(const mms_unit *self) { return ((const mms_blas *)self->library)->vendor->block; }

bool mms_blas_adds(const mms_unit *self) { return (void)self, true; }

bool mms_blas_routine(const mms_unit *self, size_t index, mmscan_routine *routine) {
  static const char *const remarks[] = {[MMSCAN_ROUTINE_USED] = "passed its test",
                                        [MMSCAN_ROUTINE_ABSENT] = "not in this library",
                                        [MMSCAN_ROUTINE_FAILED] = "failed its test, not used",
                                        [MMSCAN_ROUTINE_OFF] =
                                            "off: not known to be good in this version (mmscan tune tries it)"};
  if (index >= MMS_BLAS_ROUTINES) return false;
  mms_blas_test(self->library);
  mmscan_routine_state state = state_of(self->library, index);
  *routine = (mmscan_routine){.struct_size = sizeof *routine,
                              .name = table[index].name,
                              .type = table[index].type,
                              .form = table[index].form,
                              .state = state,
                              .remark = remarks[state]};
  return true;
}

static mmscan_status try(mms_blas *blas, const char *routine) {
  size_t i = index_named(routine);
  if (i == MMS_BLAS_ROUTINES) return MMSCAN_EINVAL;
  mmscan_routine_state state = state_of(blas, i);
  if (state == MMSCAN_ROUTINE_ABSENT) return MMSCAN_ENOTSUP;
  if (state == MMSCAN_ROUTINE_OFF) state = test(blas, i);
  if (state != MMSCAN_ROUTINE_USED) return MMSCAN_EBLAS;
  return mms_product_is_batch(table[i].form) ? mms_trust_add(blas->name, blas->vendor->version, routine) : MMSCAN_OK;
}

mmscan_status mms_blas_try(const mms_unit *self, const char *routine) {
  mms_blas_test(self->library);
  mms_loading_lock();
  const mmscan_status status = try(self->library, routine);
  mms_loading_unlock();
  return status;
}
