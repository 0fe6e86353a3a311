/* test_routines.c: every routine that a library may have, with toys that have them all: which are used, and which are
 * found to be wrong. Their products are compared in test_products.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "engine/engine.h"
#include "support/sanitized.h"
#include "toys/toy.h"
#include "unit/blas.h"
#include "unit/matrix.h"
#include "unit/unit.h"

enum { ROUTINES = 17 };

static mmscan_routine routine_at(const char *unit, size_t index) {
  mmscan_routine r = {.struct_size = sizeof r};
  assert_mmscan_ok(mmscan_get_routine(unit, index, &r));
  return r;
}

static bool is_batch(mmscan_product_form form) {
  return form == MMSCAN_PRODUCT_BATCH || form == MMSCAN_PRODUCT_BATCH_STRIDED;
}

/* All are used at once if the library is known to be good. */
TEST(test_all_are_used) {
  const char *unit = open_toy("full");
  mmscan_routine past = {.struct_size = sizeof past};
  for (size_t i = 0; i < ROUTINES; i++)
    if (routine_at(unit, i).state != MMSCAN_ROUTINE_USED) fail_msg("%s is not used", routine_at(unit, i).name);
  assert_int_equal(mmscan_get_routine(unit, ROUTINES, &past), MMSCAN_EINVAL);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_BATCH_STRIDED));
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Batches of any other library wait until they are tried. */
TEST(test_batches_are_tried) {
  const char *unit = open_toy("full64");
  for (size_t i = 0; i < ROUTINES; i++) {
    mmscan_routine r = routine_at(unit, i);
    assert_int_equal(r.state, is_batch(r.form) ? MMSCAN_ROUTINE_OFF : MMSCAN_ROUTINE_USED);
    assert_mmscan_ok(mmscan_routine_try(unit, r.name));
    assert_int_equal(routine_at(unit, i).state, MMSCAN_ROUTINE_USED);
  }
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_BATCH));
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_BATCH_STRIDED));
  assert_mmscan_ok(mmscan_unit_close(unit));
}

static void check_batches(const char *toy_name, const char *version, mmscan_routine_state batches) {
  const char *unit = open_toy(toy_name);
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK && strcmp(part.name, unit) != 0; i++) continue;
  assert_string_equal(part.name, unit);
  assert_string_equal(part.version, version);
  for (size_t i = 0; i < ROUTINES; i++) {
    mmscan_routine r = routine_at(unit, i);
    assert_int_equal(r.state, is_batch(r.form) ? batches : MMSCAN_ROUTINE_USED);
  }
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Only the version tells whether batches are known to be good. A BLIS reports whose kernels it took after its
 * version. */
TEST(test_versions) {
  check_batches("blis", "0.9.0, kernels for toys", MMSCAN_ROUTINE_USED);
  check_batches("blis_later", "0.9.01, kernels for toys", MMSCAN_ROUTINE_OFF);
  check_batches("full", "A toy, Version 2026.2", MMSCAN_ROUTINE_USED);
  check_batches("mkl_later", "A toy, Version 2027.2", MMSCAN_ROUTINE_OFF);
  check_batches("mkl_first", "A toy, Version 2020.2", MMSCAN_ROUTINE_USED);
  check_batches("mkl_earlier", "A toy, Version 2019.2", MMSCAN_ROUTINE_OFF);
}

static void check_use(const char *toy_name, size_t block, bool adds) {
  const char *unit = open_toy(toy_name);
  assert_int_equal(mms_unit_block(mms_unit_find(unit)), block);
  assert_true(mms_unit_adds(mms_unit_find(unit)) == adds);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* The longer a library takes for a call, the more it is given at a time. All are asked to add to W, except a LIBXSMM
 * without AVX-512 kernels. */
TEST(test_use_by_vendor) {
  check_use("sound", MMS_ENGINE_TILE, true);
  check_use("xsmm_2", 4096, false);
  check_use("xsmm_wide", 8192, true);
  check_use("openblas_skylakex", 8192, true);
  check_use("openblas_haswell", MMS_ENGINE_TILE, true);
  check_use("full", MMS_ENGINE_TILE, true); /* MKL */
  check_use("blis", MMS_ENGINE_TILE, true);
}

static bool is_strided(const char *name) { return strstr(name, "strided") != NULL; }
static bool is_bf16(const char *name) { return strcmp(name, "sbgemm") == 0; }

static bool is_complex_gemm(const char *name) { return strchr("cz", *name) != NULL && strstr(name, "gemm") != NULL; }

/* Under a sanitizer the toy's batches may call the cblas_cgemm of a linked BLAS, which is right. */
static bool is_unclear(const char *name) {
#ifdef MMS_SANITIZED
  return is_complex_gemm(name) && strstr(name, "batch") != NULL;
#endif
  return (void)name, false;
}

/* The routines that the toy gets wrong fail, and no others. */
static void check_bad(const char *toy_name, bool (*is_bad)(const char *name)) {
  const char *unit = open_toy(toy_name);
  for (size_t i = 0; i < ROUTINES; i++) {
    const char *name = routine_at(unit, i).name;
    if (is_unclear(name)) continue;
    mmscan_status status = mmscan_routine_try(unit, name);
    if (status != (is_bad(name) ? MMSCAN_EBLAS : MMSCAN_OK))
      fail_msg("%s: %s: %s", toy_name, name, mmscan_strerror(status));
    assert_int_equal(routine_at(unit, i).state, is_bad(name) ? MMSCAN_ROUTINE_FAILED : MMSCAN_ROUTINE_USED);
  }
  assert_mmscan_ok(mmscan_unit_close(unit));
}

TEST(test_bad_ones_are_found_out) {
  check_bad("bad_strided", is_strided);
  check_bad("bad_bf16", is_bf16);
  check_bad("bad_complex", is_complex_gemm);
}

/* ---- Products that take several calls ---------------------------------------------------------------------------- */

enum { S = 8, COLUMNS = 3 * MMSCAN_MAX_S * MMSCAN_MAX_S / S + 5 * S + 3, ELEMENTS = S * COLUMNS };

/* W by plain loops. */
static void multiply_plainly(const mms_product *p, float *w) {
  mms_product plain = *p;
  plain.form = MMSCAN_PRODUCT_CHUNKED;
  plain.w = w;
  mms_unit_model.multiply(&mms_unit_model, &plain);
}

/* Three calls and a part of one, whatever the form. */
TEST(test_long_products) {
  static const mmscan_product_form forms[] = {MMSCAN_PRODUCT_CHUNKED, MMSCAN_PRODUCT_GEMM, MMSCAN_PRODUCT_TRMM,
                                              MMSCAN_PRODUCT_BATCH, MMSCAN_PRODUCT_BATCH_STRIDED};
  static float a[S * S], x[ELEMENTS], w[ELEMENTS], right[ELEMENTS];
  const char *unit = open_toy("full");
  const mms_vendor vendor = mms_vendor_ask(dlopen(unit, RTLD_LAZY | RTLD_NOLOAD));
  mms_blas blas;
  mms_blas_find(&blas, unit, &vendor);
  blas.most = MMSCAN_MAX_S * MMSCAN_MAX_S;
  mms_matrix_of(MMSCAN_F32, MMSCAN_MATRIX_L, S, a);
  for (size_t i = 0; i < ELEMENTS; i++) x[i] = (float)(i % 1009);
  for (size_t i = 0; i < COUNT(forms); i++) {
    const mms_product p = {
        .type = MMSCAN_F32, .form = forms[i], .s = S, .columns = COLUMNS, .a = a, .x = x, .w = w, .elements = ELEMENTS};
    multiply_plainly(&p, right);
    memset(w, 0xff, sizeof w);
    mms_blas_multiply(&(mms_unit){.library = &blas}, &p);
    if (memcmp(w, right, sizeof w) != 0) fail_msg("form %d", (int)forms[i]);
  }
  dlclose(vendor.handle);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

int main(int argc, char **argv) { return run_or_be(NULL, 0, argc, argv, NULL, NULL); }
