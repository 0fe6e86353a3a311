/* test_units.c: libraries opened at run time: which are refused and why, and how long they stay loaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <omp.h>

#include "plan/wisdom.h"
#include "support/each_openblas.h"
#include "support/matmul.h"
#include "support/sanitized.h"
#include "support/unit_list.h"
#include "support/wisdom_text.h"
#include "toys/toy.h"

/* LIBXSMM and MKL stay loaded; under a sanitizer an OpenBLAS does too. */
static bool stays(const char *library) {
#ifdef MMS_SANITIZED
  if (strstr(library, "/toy_openblas_") != NULL) return true;
#endif
  return strstr(library, "/toy_xsmm_") != NULL || strstr(library, "/toy_mkl_") != NULL;
}

static void refuse(const char *library, mmscan_status want, const char *reason) {
  char why[300] = "x";
  const char *name = "a name";
  assert_int_equal(mmscan_unit_open(library, &name, why, sizeof why), want);
  if (strstr(why, reason) == NULL) fail_msg("%s: no '%s' in: %s", text_or(library, "NULL"), reason, why);
  assert_null(name);
  assert_null(strchr(why, '\n'));
  if (library != NULL && strchr(library, '/')) {
    assert_true(is_loaded(library) == stays(library));
    assert_false(is_unit(library));
  }
}

TEST(test_what_is_refused) {
  static const char *const unsound[] = {"drops",      "reads",      "openblas_adds", "mkl_adds",
                                        "xsmm_drops", "xsmm_reads", "rounds"};
  refuse(NULL, MMSCAN_EINVAL, "no library");
  refuse("", MMSCAN_EINVAL, "no library");
  refuse("cblas", MMSCAN_EINVAL, "name of a unit");
  refuse("xsmm", MMSCAN_EINVAL, "name of a unit");
  refuse("/no/such/library.so", MMSCAN_EBLAS, "No such file");
  refuse(toy("no_gemm"), MMSCAN_EBLAS, "no BLAS");
  refuse(toy("no_dgemm"), MMSCAN_EBLAS, "no BLAS");
  for (size_t i = 0; i < COUNT(unsound); i++) refuse(toy(unsound[i]), MMSCAN_EBLAS, "wrong products");
  assert_int_equal(mmscan_unit_open("libm.so.6", NULL, NULL, 0), MMSCAN_EBLAS);
  char one[1] = "x", few[4] = "xxx";
  assert_int_equal(mmscan_unit_open("libm.so.6", NULL, one, sizeof one), MMSCAN_EBLAS);
  assert_string_equal(one, "");
  assert_int_equal(mmscan_unit_open("libm.so.6", NULL, few, sizeof few), MMSCAN_EBLAS);
  assert_string_equal(few, "no ");
}

/* A single toy, which is sound except for the fault that it is told to have. */
TEST(test_faults_are_found) {
  static const char *const faults[] = {"columns only",     "triangle by rows",      "wrong at 4",      "wrong at 16",
                                       "wrong where wide", "wrong at 8 where wide", "writes before",   "writes too far",
                                       "writes a",         "writes another row",    "no tiny numbers", "writes b",
                                       "short numbers",    "wrong in wide rows"};
  assert_mmscan_ok(mmscan_unit_close(open_toy("sly")));
  for (size_t i = 0; i < COUNT(faults); i++) {
    print_message("%s\n", faults[i]);
    assert_int_equal(setenv("TOY_FAULT", faults[i], 1), 0);
    refuse(toy("sly"), MMSCAN_EBLAS, "wrong products");
  }
  assert_int_equal(unsetenv("TOY_FAULT"), 0);
}

/* A pipe is refused, and not waited for. */
TEST(test_a_pipe_is_no_library) {
  const char *pipe = in_scratch("pipe.so");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_int_equal(mmscan_unit_open(pipe, NULL, NULL, 0), MMSCAN_EBLAS);
  refuse(scratch, MMSCAN_EBLAS, "no regular file");
}

TEST(test_opening_counts) {
  const char *path = toy("sound"), *name = open_toy("sound");
  const mms_unit *unit = mms_unit_find(name);
  assert_string_equal(name, path);
  assert_ptr_equal(open_toy("sound"), name);
  assert_true(is_unit(name));
  assert_mmscan_ok(mmscan_unit_close(path));
  assert_true(is_unit(name) && is_loaded(path));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_false(is_unit(name) || is_loaded(path));
  assert_false(mms_unit_hold(unit)); /* a caller that found it before comes too late */
  assert_int_equal(mmscan_unit_close(name), MMSCAN_EINVAL);
  assert_int_equal(mmscan_unit_close("cblas"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_unit_close("nobody"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_unit_close(NULL), MMSCAN_EINVAL);
  assert_ptr_equal(open_toy("sound"), name);
  assert_mmscan_ok(mmscan_unit_close(name));
}

/* What was told of a library does not change when its file is another one, and is opened again. Under a sanitizer an
 * OpenBLAS stays loaded, and is opened as it was. */
TEST(test_strings_last) {
  char link[4096];
  const char *version[2];
  snprintf(link, sizeof link, "%s", in_scratch("linked.so"));
  for (int i = 0; i < 2; i++) {
    assert_int_equal(symlink(toy(i == 0 ? "openblas_haswell" : "openblas_skylakex"), link), 0);
    assert_mmscan_ok(mmscan_unit_open(link, NULL, NULL, 0));
    version[i] = last_unit().version;
    assert_mmscan_ok(mmscan_unit_close(link));
    assert_int_equal(remove(link), 0);
  }
  assert_non_null(strstr(version[0], "Haswell"));
  assert_non_null(strstr(version[1], is_instrumented() ? "Haswell" : "SkylakeX"));
}

/* A plan outlives the close; while it does, others can have the unit. */
TEST(test_a_plan_keeps_its_library) {
  enum { N = 5000 };
  float x[N], y[N];
  const char *path = toy("sound"), *name = open_toy("sound");
  mmscan_plan *plan = plan_by(name, MMSCAN_F32, N, 1), *other = NULL;
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  mmscan_choice asked = {.struct_size = sizeof asked, .unit = name};
  for (size_t i = 0; i < N; i++) x[i] = (float)(i % 7);
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_int_equal(mmscan_unit_close(name), MMSCAN_EINVAL);
  assert_true(is_loaded(path));
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  double sum = 0;
  for (size_t i = 0; i < N; i++) assert_true(y[i] == (sum += x[i]));
  assert_mmscan_ok(mmscan_plan_create_with(&other, &desc, MMSCAN_ESTIMATE, &asked));
  mmscan_plan_destroy(plan);
  assert_true(is_unit(name) && is_loaded(path));
  mmscan_plan_destroy(other);
  assert_false(is_unit(name) || is_loaded(path));
  assert_int_equal(mmscan_plan_create_with(&other, &desc, MMSCAN_ESTIMATE, &asked), MMSCAN_EINVAL);
}

/* Calls on a unit hold its library no longer than they run. */
TEST(test_calls_keep_no_library) {
  const char *path = toy("sound");
  for (int which = 0; which < 4; which++) {
    float x[30] = {1}, y[30];
    mmscan_routine routine = {.struct_size = sizeof routine};
    const char *name = open_toy("sound");
    const mmscan_matmul_desc d = matmul_desc(MMSCAN_F32, COUNT(x), 3, name, 0);
    if (which == 0) assert_mmscan_ok(product_status(name, MMSCAN_PRODUCT_GEMM));
    if (which == 1) assert_mmscan_ok(mmscan_matmulscan(&d, x, y, NULL));
    if (which == 2) assert_mmscan_ok(mmscan_get_routine(name, 0, &routine));
    if (which == 3) assert_mmscan_ok(mmscan_routine_try(name, "strmm"));
    assert_mmscan_ok(mmscan_unit_close(name));
    if (is_unit(name) || is_loaded(path)) fail_msg("call %d keeps the library", which);
  }
}

/* Nor do measured plans, once they are destroyed, if what they found did not become wisdom. */
TEST(test_measured_plans_keep_no_library) {
  const char *path = toy("sound"), *name = open_toy("sound");
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1000);
  mmscan_choice asked = {.struct_size = sizeof asked, .unit = name, .s = 4, .threads = 1};
  mmscan_plan *plan;
  assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, MMSCAN_MEASURE, &asked));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_true(is_unit(name));
  mmscan_plan_destroy(plan);
  assert_false(is_unit(name) || is_loaded(path));
}

/* Opening a library and testing its routines leave the settings of OpenMP as they were. */
TEST(test_regions_have_teams_as_before) {
  mmscan_routine routine = {.struct_size = sizeof routine};
  const int levels = omp_get_max_active_levels();
  assert_true(levels > 0);
  const char *name = open_toy("scipy64");
  assert_int_equal(omp_get_max_active_levels(), levels);
  assert_int_equal(mmscan_unit_open(toy("drops"), NULL, NULL, 0), MMSCAN_EBLAS);
  assert_mmscan_ok(mmscan_get_routine("cblas", 0, &routine));
  assert_mmscan_ok(mmscan_routine_try(name, "sgemm_batch"));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_int_equal(omp_get_max_active_levels(), levels);
}

/* A unit reports how many threads its library is set to use. */
TEST(test_threads_of_libraries) {
  static const char *const names[] = {"blis_pthread", "openblas_pthread"};
  for (size_t i = 0; i < COUNT(names); i++) {
    mmscan_part part = {.struct_size = sizeof part};
    const char *name = open_toy(names[i]);
    for (size_t k = 0; mmscan_get_unit(k, &part) == MMSCAN_OK && strcmp(part.name, name) != 0; k++) continue;
    assert_string_equal(part.name, name);
    assert_true(part.threads > 0);
    assert_mmscan_ok(mmscan_unit_close(name));
  }
}

/* A library that forks while it is loaded, and changes the rounding mode then, and again when it is asked for its
 * version: it is opened, and the caller rounds as before. */
TEST(test_what_is_done_at_load) {
  assert_int_equal(fesetround(FE_UPWARD), 0);
  const char *name = open_toy("at_load");
  const int after = fegetround();
  fesetround(FE_TONEAREST);
  assert_int_equal(after, FE_UPWARD);
  assert_mmscan_ok(product_status(name, MMSCAN_PRODUCT_CHUNKED));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_int_equal(mmscan_unit_open(toy("rounds"), NULL, NULL, 0), MMSCAN_EBLAS);
  assert_int_equal(fegetround(), FE_TONEAREST);
}

/* Libraries that do not give back all they took stay loaded. */
TEST(test_libraries_that_stay) {
  static const char *const names[] = {"blis", "full" /* MKL */, "teams"};
  for (size_t i = 0; i < COUNT(names); i++) {
    const char *path = toy(names[i]), *name = open_toy(names[i]);
    assert_mmscan_ok(mmscan_unit_close(name));
    assert_false(is_unit(name));
    if (!is_loaded(path)) fail_msg("%s is unloaded", names[i]);
  }
}

/* So does a library with fork handlers of its own, once its threads took part in a product. */
TEST(test_a_library_that_took_part_stays) {
  const char *path = toy("openblas_pthread");
  for (int took_part = 0; took_part <= 1; took_part++) {
    const char *name = open_toy("openblas_pthread");
    assert_mmscan_ok(product_status(name, took_part ? MMSCAN_PRODUCT_GEMM : MMSCAN_PRODUCT_CHUNKED));
    assert_mmscan_ok(mmscan_unit_close(name));
    assert_true(is_loaded(path) == took_part);
  }
}

/* Wisdom keeps the library of the unit with which it was measured. */
TEST(test_wisdom_keeps_its_library) {
  const char *path = toy("suffix64"), *name = open_toy("suffix64");
  const mms_wise wise = {&mms_engine_gemm, mms_unit_find(name), 4, 256, 1, 1};
  assert_mmscan_ok(mms_wisdom_keep((mms_shape){mms_algebra_of(MMSCAN_PLUS, MMSCAN_I64), (size_t)1 << 40, 1}, &wise));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_true(is_unit(name) && is_loaded(path));
}

/* A library's calls of its own functions do not reach a BLAS whose names all libraries see. */
TEST(test_a_library_calls_its_own) {
#ifdef MMS_SANITIZED
  skip();
#endif
  void *other = dlopen(unit_library(), RTLD_LAZY | RTLD_GLOBAL);
  const char *name = open_toy("via_fortran");
  assert_true(other == NULL || dlsym(RTLD_DEFAULT, "sgemm_") != NULL);
  assert_true(calls_of(name) > 0);
  assert_mmscan_ok(mmscan_unit_close(name));
}

/* And no other library sees its names. */
TEST(test_names_of_a_library_are_its_own) {
  const char *name = open_toy("sound");
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(handle);
  assert_non_null(dlsym(handle, "toy_calls"));
  assert_null(dlsym(RTLD_DEFAULT, "toy_calls"));
  dlclose(handle);
  assert_mmscan_ok(mmscan_unit_close(name));
}

int main(int argc, char **argv) { return run_or_be(NULL, 0, argc, argv, make_scratch, remove_scratch); }
