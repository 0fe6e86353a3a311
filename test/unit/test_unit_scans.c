/* test_unit_scans.c: scans with libraries opened at run time are right, and use them as is fastest.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdatomic.h>

#include "support/unit_list.h"
#include "toys/toy.h"
#include "unit/unit.h"

/* Integers, whose sums every unit must get exactly right. */
static void check_scan(const char *unit, mmscan_type type, int reverse) {
  enum { N = 20011 };
  int64_t *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y), sum = 0;
  mmscan_desc desc = plain_desc(type, MMSCAN_INCLUSIVE, reverse, N);
  const mmscan_choice asked = {.struct_size = sizeof asked, .unit = unit};
  for (size_t i = 0; i < N; i++) {
    int v = (int)(i * 7919 % 1001) - 500;
    if (type == MMSCAN_I64)
      x[i] = v;
    else
      put_float(type, x, i, v);
  }
  scan_with(&desc, &asked, x, y);
  for (size_t k = 0; k < N; k++) {
    size_t i = reverse ? N - 1 - k : k;
    sum += (int)(i * 7919 % 1001) - 500;
    double got = type == MMSCAN_F32 ? (double)((float *)y)[i] : type == MMSCAN_F64 ? ((double *)y)[i] : (double)y[i];
    if (got != (double)sum)
      fail_msg("%s: type %d, reverse %d: y[%zu] is %g, not %g", unit, (int)type, reverse, i, got, (double)sum);
  }
  free(x);
  free(y);
}

static void check_scans(const char *unit) {
  static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_I64};
  for (size_t t = 0; t < COUNT(types); t++)
    for (int reverse = 0; reverse < 2; reverse++) check_scan(unit, types[t], reverse);
}

/* With each of LIBXSMM's interfaces and with its kernels; products for which it has no kernel are made without it. */
TEST(test_scans_of_xsmm) {
  static const char *const toys[] = {"xsmm_1", "xsmm_1_ilp64", "xsmm_2", "xsmm_v2"};
  unsetenv("OMP_PROC_BIND");
  for (size_t i = 0; i < COUNT(toys); i++) {
    const char *unit = open_toy(toys[i]);
    assert_null(getenv("OMP_PROC_BIND")); /* LIBXSMM sets it, though no caller asked for that */
    const int before = calls_of(unit);
    check_scans(unit);
    assert_true(calls_of(unit) > before);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

static atomic_size_t overwriting, adding; /* products of scans */

void __real_mms_unit_multiply(const mms_unit *unit, const mms_product *product);
void __wrap_mms_unit_multiply(const mms_unit *unit, const mms_product *product);

void __wrap_mms_unit_multiply(const mms_unit *unit, const mms_product *product) {
  atomic_fetch_add(product->adds ? &adding : &overwriting, 1);
  __real_mms_unit_multiply(unit, product);
}

static void check_adding(const char *toy_name, bool adds) {
  const char *unit = open_toy(toy_name);
  overwriting = adding = 0;
  check_scans(unit);
  if (adds ? adding == 0 || overwriting > 0 : adding > 0 || overwriting == 0)
    fail_msg("%s: %zu products are added, %zu overwrite", toy_name, (size_t)adding, (size_t)overwriting);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Libraries are asked to add products to X exactly where that is faster, and right. */
TEST(test_scans_by_adding) {
  static const char *const add[] = {"openblas_haswell", "openblas_skylakex", "full",         "blis", "sound",
                                    "xsmm_skx",         "xsmm_wide",         "xsmm_few_wide"};
  static const char *const overwrite[] = {"xsmm_2", "xsmm_narrow", "xsmm_forgets", "xsmm_forgets_some"};
  for (size_t i = 0; i < COUNT(add); i++) check_adding(add[i], true);
  for (size_t i = 0; i < COUNT(overwrite); i++) check_adding(overwrite[i], false);
}

TEST(test_scans_of_units_here) { check_units_here(check_scans); }

/* A library that is closed takes nothing with it that other libraries, or that of the unit cblas, need. */
TEST(test_libraries_after_one_another) {
  const char *library, *unit;
  for (size_t i = 0; (library = mmscan_unit_candidate(i)) != NULL; i++) {
    if (is_passed_over(library) || mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK) continue;
    assert_mmscan_ok(mmscan_unit_close(unit));
    assert_mmscan_ok(product_status("cblas", MMSCAN_PRODUCT_GEMM));
  }
}

int main(int argc, char **argv) { return run_or_be(NULL, 0, argc, argv, NULL, NULL); }
