/* cblas.c: the unit that multiplies by the CBLAS this library is linked with. */
#include "unit/blas.h"

#include "unit/loading.h"
#include <dlfcn.h>
#include <stdatomic.h>

/* The symbols by which the linker finds the library. They are declared here because the name and place of the header
 * differ by vendor, and are called through blas.c, as those of any library. */
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);

static atomic_bool has_looked, has_tested_gemm, has_tested_all;
static mms_vendor vendor;
static mms_blas blas;

/* The handle is never closed: a linked library stays loaded. */
static void look(void) {
  void (*linked[])(void) = {(void (*)(void))cblas_sgemm, (void (*)(void))cblas_dgemm};
  Dl_info where;
  bool found = dladdr(*(void **)linked, &where) != 0;
  vendor = mms_vendor_ask(found ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL);
  mms_blas_find(&blas, mms_unit_cblas.name, &vendor);
  for (int i = 0; i < 2; i++) blas.call[i] = linked[i]; /* the first two of the table in blas.c */
}

static const mms_blas *linked_blas(void) {
  mms_loading_once(&has_looked, look);
  return &blas;
}

static void test_gemm(void) { mms_blas_test_gemm(&blas); }
static void test_all(void) { mms_blas_test(&blas); }

/* A scan waits for the test of the routines it uses, not of all. */
static const mms_blas *tested_gemm(void) {
  linked_blas();
  mms_loading_once(&has_tested_gemm, test_gemm);
  return &blas;
}

static const mms_blas *tested_blas(void) {
  const int teams = mms_quiet_teams_off();
  tested_gemm();
  mms_loading_once(&has_tested_all, test_all);
  mms_quiet_teams_back(teams);
  return &blas;
}

/* Set once there was memory for the library's buffers, as it then keeps them. */
static atomic_bool had_room;

static bool has_room(void) {
  if (!atomic_load(&had_room)) atomic_store(&had_room, mms_vendor_has_room());
  return atomic_load(&had_room);
}

static bool lacks_memory(const mms_unit *self) {
  (void)self;
  return !atomic_load(&had_room);
}

static void multiply(const mms_unit *self, const mms_product *p) {
  (void)self;
  mms_blas_multiply(linked_blas(), p);
}

static bool has(const mms_unit *self, mmscan_type type, mmscan_product_form form) {
  (void)self;
  return has_room() && mms_blas_has(mms_product_is_of_scans(type, form) ? tested_gemm() : tested_blas(), type, form);
}

static size_t block(const mms_unit *self) {
  (void)self;
  linked_blas();
  return vendor.block;
}

static bool adds(const mms_unit *self) {
  (void)self;
  return true;
}

static void describe(const mms_unit *self, mmscan_part *part) {
  (void)self;
  linked_blas();
  part->library = *vendor.file ? vendor.file : NULL;
  part->version = *vendor.version ? vendor.version : NULL;
  part->threads = mms_vendor_threads(&vendor);
}

static bool routine(const mms_unit *self, size_t index, mmscan_routine *out) {
  (void)self;
  return has_room() && mms_blas_routine(tested_blas(), index, out);
}

static mmscan_status try_routine(const mms_unit *self, const char *name) {
  (void)self;
  if (!has_room()) return MMSCAN_ENOMEM;
  tested_blas();
  return mms_blas_try(&blas, name);
}

const mms_unit mms_unit_cblas = {.name = "cblas",
                                 .description = "the CBLAS this library is linked with",
                                 .multiply = multiply,
                                 .has = has,
                                 .lacks_memory = lacks_memory,
                                 .block = block,
                                 .adds = adds,
                                 .describe = describe,
                                 .routine = routine,
                                 .try_routine = try_routine};
