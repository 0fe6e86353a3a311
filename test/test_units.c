/* test_units.c: libraries opened at run time: which are refused and why, how long they stay loaded, which of their
 * routines are used, what wisdom and the environment say of them, and that scans with them are right.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <omp.h>
#include <stdatomic.h>

#include "child.h"
#include "sanitized.h"
#include "toy.h"
#include "unit/unit.h"
#include "unit_list.h"
#include "wisdom.h"
#include "wisdom_text.h"

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

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

static void test_what_is_refused(void **state) {
  (void)state;
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
static void test_faults_are_found(void **state) {
  (void)state;
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
static void test_a_pipe_is_no_library(void **state) {
  (void)state;
  const char *pipe = in_scratch("pipe.so");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_int_equal(mmscan_unit_open(pipe, NULL, NULL, 0), MMSCAN_EBLAS);
  refuse(scratch, MMSCAN_EBLAS, "no regular file");
}

static void test_opening_counts(void **state) {
  (void)state;
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
static void test_strings_last(void **state) {
  (void)state;
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
static void test_a_plan_keeps_its_library(void **state) {
  (void)state;
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
static void test_calls_keep_no_library(void **state) {
  (void)state;
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
static void test_measured_plans_keep_no_library(void **state) {
  (void)state;
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
static void test_regions_have_teams_as_before(void **state) {
  (void)state;
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
static void test_threads_of_libraries(void **state) {
  (void)state;
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
static void test_what_is_done_at_load(void **state) {
  (void)state;
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
static void test_libraries_that_stay(void **state) {
  (void)state;
  static const char *const names[] = {"blis", "full" /* MKL */, "teams"};
  for (size_t i = 0; i < COUNT(names); i++) {
    const char *path = toy(names[i]), *name = open_toy(names[i]);
    assert_mmscan_ok(mmscan_unit_close(name));
    assert_false(is_unit(name));
    if (!is_loaded(path)) fail_msg("%s is unloaded", names[i]);
  }
}

/* So does a library with fork handlers of its own, once its threads took part in a product. */
static void test_a_library_that_took_part_stays(void **state) {
  (void)state;
  const char *path = toy("openblas_pthread");
  for (int took_part = 0; took_part <= 1; took_part++) {
    const char *name = open_toy("openblas_pthread");
    assert_mmscan_ok(product_status(name, took_part ? MMSCAN_PRODUCT_GEMM : MMSCAN_PRODUCT_CHUNKED));
    assert_mmscan_ok(mmscan_unit_close(name));
    assert_true(is_loaded(path) == took_part);
  }
}

/* Wisdom keeps the library of the unit with which it was measured. */
static void test_wisdom_keeps_its_library(void **state) {
  (void)state;
  const char *path = toy("suffix64"), *name = open_toy("suffix64");
  const mms_wise wise = {&mms_engine_gemm, mms_unit_find(name), 4, 256, 1, 1};
  assert_mmscan_ok(mms_wisdom_keep((mms_shape){MMSCAN_PLUS, MMSCAN_I64, (size_t)1 << 40, 1}, &wise));
  assert_mmscan_ok(mmscan_unit_close(name));
  assert_true(is_unit(name) && is_loaded(path));
}

/* The calls that an open toy has counted. */
static int calls_of(const char *unit) {
  int (*calls)(void);
  void *handle = dlopen(unit, RTLD_LAZY | RTLD_NOLOAD);
  *(void **)&calls = dlsym(handle, "toy_calls");
  const int count = calls();
  dlclose(handle);
  return count;
}

/* A library's calls of its own functions do not reach the BLAS that this program is linked with. */
static void test_a_library_calls_its_own(void **state) {
  (void)state;
#ifdef MMS_SANITIZED
  skip();
#endif
  const char *name = open_toy("via_fortran");
  assert_true(calls_of(name) > 0);
  assert_mmscan_ok(mmscan_unit_close(name));
}

/* And no other library sees its names. */
static void test_names_of_a_library_are_its_own(void **state) {
  (void)state;
  const char *name = open_toy("sound");
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(handle);
  assert_non_null(dlsym(handle, "toy_calls"));
  assert_null(dlsym(RTLD_DEFAULT, "toy_calls"));
  dlclose(handle);
  assert_mmscan_ok(mmscan_unit_close(name));
}

/* ---- Routines ---------------------------------------------------------------------------------------------------- */

static mmscan_routine_state state_of(const char *unit, const char *name) {
  mmscan_routine r = {.struct_size = sizeof r};
  for (size_t i = 0; mmscan_get_routine(unit, i, &r) == MMSCAN_OK; i++)
    if (strcmp(r.name, name) == 0) return r.state;
  fail_msg("%s: no routine %s", unit, name);
  return MMSCAN_ROUTINE_ABSENT;
}

static void test_routines_that_fail(void **state) {
  (void)state;
  const char *unit = open_toy("bad_trmm");
  assert_int_equal(state_of(unit, "sgemm"), MMSCAN_ROUTINE_USED);
  assert_int_equal(state_of(unit, "strmm"), MMSCAN_ROUTINE_FAILED);
  assert_int_equal(product_status(unit, MMSCAN_PRODUCT_TRMM), MMSCAN_ENOTSUP);
  assert_int_equal(mmscan_routine_try(unit, "strmm"), MMSCAN_EBLAS);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_GEMM));
  assert_mmscan_ok(mmscan_unit_close(unit));
  unit = open_toy("bad_batch");
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_int_equal(mmscan_routine_try(unit, "sgemm_batch"), MMSCAN_EBLAS);
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_FAILED);
  assert_int_equal(product_status(unit, MMSCAN_PRODUCT_BATCH), MMSCAN_ENOTSUP);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

static void test_routines_that_are_off(void **state) {
  (void)state;
  const char *unit = open_toy("sound");
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_int_equal(product_status(unit, MMSCAN_PRODUCT_BATCH), MMSCAN_ENOTSUP);
  assert_int_equal(state_of(unit, "sgemm_batch_strided"), MMSCAN_ROUTINE_ABSENT);
  assert_int_equal(mmscan_routine_try(unit, "sgemm_batch_strided"), MMSCAN_ENOTSUP);
  assert_int_equal(mmscan_routine_try(unit, "sgesv"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_routine_try("model", "sgemm"), MMSCAN_EINVAL);
  assert_int_equal(mmscan_routine_try("nobody", "sgemm"), MMSCAN_EINVAL);
  assert_mmscan_ok(mmscan_routine_try(unit, "sgemm_batch"));
  assert_mmscan_ok(mmscan_routine_try(unit, "sgemm_batch"));
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_BATCH));
  assert_mmscan_ok(mmscan_unit_close(unit));
  open_toy("sound"); /* what passed once is tested again, and used */
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_int_equal(state_of(unit, "dgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

static void test_get_routine_refuses(void **state) {
  (void)state;
  mmscan_routine r = {.struct_size = sizeof r}, wrong = {.struct_size = 1};
  assert_int_equal(mmscan_get_routine("nobody", 0, &r), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine(NULL, 0, &r), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("cblas", 0, NULL), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("cblas", 0, &wrong), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("cblas", 1000, &r), MMSCAN_EINVAL);
  assert_int_equal(mmscan_get_routine("model", 0, &r), MMSCAN_EINVAL);
  assert_mmscan_ok(mmscan_get_routine("cblas", 0, &r));
  assert_string_equal(r.name, "sgemm");
  assert_int_equal(r.state, MMSCAN_ROUTINE_USED);
}

/* Runs in a separate process. */
static int child_try(void) {
  const char *unit;
  if (mmscan_unit_open(getenv("MMSCAN_TEST_LIBRARY"), &unit, NULL, 0) != MMSCAN_OK) return 10;
  mmscan_status status = mmscan_routine_try(unit, "sgemm_batch");
  if (status != MMSCAN_OK) return 20 + (int)status;
  const char *file = getenv("MMSCAN_TEST_TO");
  return file != NULL && mmscan_wisdom_write(file) != MMSCAN_OK ? 11 : 0;
}

/* The state is the same for a library that is open when wisdom is read and for one that is opened later. */
static int child_state(void) {
  const char *unit, *library = getenv("MMSCAN_TEST_LIBRARY");
  if (mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK) return 10;
  if (mmscan_environment_error() != NULL) return 11;
  mmscan_routine_state state = state_of(unit, "sgemm_batch");
  if (mmscan_unit_close(unit) != MMSCAN_OK || mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK) return 12;
  return state_of(unit, "sgemm_batch") == state ? 30 + (int)state : 13;
}

static void test_a_crash_is_in_a_process_of_its_own(void **state) {
  (void)state;
  const struct setting crash = {"MMSCAN_TEST_LIBRARY", toy("crashes")};
  assert_int_equal(ask_self("state", &crash, 1).exit, 30 + MMSCAN_ROUTINE_OFF);
  assert_true(ask_self("try", &crash, 1).exit > 128);
}

/* Routines that passed in one process are used in others, with that library only, whether it was open before or not. */
static void test_wisdom_of_routines(void **state) {
  (void)state;
  const char *file = in_scratch("routines");
  const struct setting tried[] = {{"MMSCAN_TEST_LIBRARY", toy("ilp64")}, {"MMSCAN_TEST_TO", file}};
  assert_int_equal(ask_self("try", tried, 2).exit, 0);
  struct setting after[] = {{"MMSCAN_TEST_LIBRARY", toy("ilp64")}, {"MMSCAN_WISDOM", file}};
  assert_int_equal(ask_self("state", after, 2).exit, 30 + MMSCAN_ROUTINE_USED);
  after[0].value = toy("sound");
  assert_int_equal(ask_self("state", after, 2).exit, 30 + MMSCAN_ROUTINE_OFF);
  const char *unit = open_toy("ilp64");
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  char lines[PATH_SIZE + 100];
  snprintf(lines, sizeof lines, "blas %s\nversion 1.0\ngood sgemm_batch\n", unit);
  assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("another", lines))); /* of another version */
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_mmscan_ok(mmscan_wisdom_read(in_scratch("routines")));
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Nor are they used with another version of that library; "unknown" is a version like any other. */
static void test_wisdom_of_another_version(void **state) {
  (void)state;
  static const struct {
    const char *library, *version;
    mmscan_routine_state state;
  } told[] = {{"ilp64", "unknown", MMSCAN_ROUTINE_USED},
              {"ilp64", "1.0", MMSCAN_ROUTINE_OFF},
              {"openblas_haswell", "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell MAX_THREADS=64", MMSCAN_ROUTINE_USED},
              {"openblas_haswell", "OpenBLAS 0.3.22 DYNAMIC_ARCH Haswell MAX_THREADS=64", MMSCAN_ROUTINE_OFF},
              {"openblas_haswell", "OpenBLAS 0.3.21", MMSCAN_ROUTINE_OFF},
              {"openblas_haswell", "unknown", MMSCAN_ROUTINE_OFF}};
  for (size_t i = 0; i < COUNT(told); i++) {
    char lines[2 * PATH_SIZE + 200];
    const char *library = toy(told[i].library);
    snprintf(lines, sizeof lines, "blas %s\nversion %s\ngood sgemm_batch\n", library, told[i].version);
    const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_WISDOM", wisdom_file("told", lines)}};
    const int exit = ask_self("state", settings, 2).exit;
    if (exit != 30 + (int)told[i].state) fail_msg("%s, told of version %s: %d", library, told[i].version, exit);
  }
}

/* ---- Wisdom of shapes -------------------------------------------------------------------------------------------- */

static int child_choice(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100000);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  if (mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE) != MMSCAN_OK) return 11;
  mmscan_plan_get_choice(plan, &used);
  int right = same_text(used.unit, getenv("MMSCAN_TEST_LIBRARY")) && used.s == 4 && mmscan_wisdom_count() == 1;
  mmscan_plan_destroy(plan);
  const char *to = getenv("MMSCAN_TEST_TO");
  if (to != NULL && mmscan_wisdom_write(to) != MMSCAN_OK) return 12;
  return right ? 0 : 13;
}

static int child_refused(void) {
  if (mmscan_wisdom_read(getenv("MMSCAN_TEST_FROM")) != MMSCAN_EIO) return 1;
  return is_loaded(toy("sound")) ? 2 : 0;
}

/* A library that is chosen for a shape is opened when the file is read. */
static void test_wisdom_opens_libraries(void **state) {
  (void)state;
  char lines[2 * PATH_SIZE + 200];
  const char *library = toy("sound"), *second = in_scratch("copied");
  snprintf(lines, sizeof lines, "blas %s\nversion unknown\nf32 16 0 gemm @1 4 256 1 1024\n", library);
  const struct setting settings[] = {
      {"MMSCAN_WISDOM", wisdom_file("shape", lines)}, {"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_TEST_TO", second}};
  assert_int_equal(ask_self("choice", settings, 3).exit, 0);
  const struct setting again[] = {{"MMSCAN_WISDOM", second}, {"MMSCAN_TEST_LIBRARY", library}};
  assert_int_equal(ask_self("choice", again, 2).exit, 0);
}

static void test_wisdom_that_names_no_library(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "blas %s\nversion 1.0\nf32 16 0 gemm @1 4 256 1 1024\n",          /* another version */
      "blas %s.gone\nversion unknown\nf32 16 0 gemm @1 4 256 1 1024\n", /* not there */
      "blas %s\nversion unknown\nf32 16 0 gemm @2 4 256 1 1024\n",      /* not named */
      "blas %s\nversion unknown\nf32 16 0 gemm @0 4 256 1 1024\n",
      "blas %s\nversion unknown\nf32 16 0 gemm @1x 4 256 1 1024\n",
      "blas %s\nversion unknown\nf32 16 0 gemm @ 4 256 1 1024\n",
      "blas %s\nf32 16 0 gemm @1 4 256 1 1024\n", /* no version */
      "blas %s\nversion unknown\nf32 16 0 gemm @1 4 256 1 1024\nf32 16 0 abacus - 0 0 1 1024\n",
      "blas nobody\nblas %s\nversion unknown\n",
      "blas %s\nversion unknown\nblas nobody\n",
      "blas nobody\n",
      "version unknown\nblas %s\n",
      "blas %s\ngood sgemm_batch\nversion unknown\n",
      "blas %s\nversion unknown\nversion unknown\n",
      "f32 16 0 serial - 0 0 1 1024\nblas %s\nversion unknown\n", /* after a shape */
      "blas \nversion unknown\nblas %s\nversion unknown\n",
      "good sgemm_batch\nblas %s\nversion unknown\n"};
  for (size_t i = 0; i < COUNT(wrong); i++) {
    char lines[2 * PATH_SIZE + 200];
    snprintf(lines, sizeof lines, wrong[i], toy("sound"));
    const struct setting from = {"MMSCAN_TEST_FROM", wisdom_file("wrong", lines)};
    struct outcome o = ask_self("refused", &from, 1);
    if (o.exit != 0) fail_msg("%s: %s", o.exit == 1 ? "accepted" : "its library stays", lines);
  }
}

/* ---- The environment --------------------------------------------------------------------------------------------- */

struct seen {
  mmscan_status status;
  char unit[600], error[400];
};

static int child_environment(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1000);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  struct seen seen = {.status = mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE)};
  if (seen.status == MMSCAN_OK) mmscan_plan_get_choice(plan, &used);
  snprintf(seen.unit, sizeof seen.unit, "%s", text_or(used.unit, ""));
  snprintf(seen.error, sizeof seen.error, "%s", text_or(mmscan_environment_error(), ""));
  mmscan_plan_destroy(plan);
  return report_to_parent(&seen, sizeof seen);
}

static struct seen look_in(const char *unit, const char *folder) {
  const struct setting settings[] = {
      {"MMSCAN_ENGINE", "gemm"}, {"MMSCAN_UNIT", unit}, {folder ? "LD_LIBRARY_PATH" : NULL, folder}};
  struct outcome o = ask_self("environment", settings, 3);
  struct seen seen;
  if (o.exit != 0 || o.reported != sizeof seen) fail_msg("the child ended with %d", o.exit);
  if (o.printed != 0) fail_msg("the library printed: %s", o.print);
  memcpy(&seen, o.report, sizeof seen);
  return seen;
}

static struct seen look(const char *unit) { return look_in(unit, NULL); }

/* LIBXSMM is found where the loader looks. */
static void test_xsmm_is_found(void **state) {
  (void)state;
  static const char folder[] = "vendors/lib";
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK && strcmp(part.name, "xsmm") != 0; i++) continue;
  struct seen seen = look("xsmm");
  assert_int_equal(seen.status, part.status);
  if (seen.status != MMSCAN_OK) {
    assert_non_null(strstr(seen.error, "MMSCAN_UNIT=xsmm"));
    assert_non_null(strstr(seen.error, "no libxsmm.so.2, libxsmm.so.1 or libxsmm.so that works: give its path, /"));
  }
  if (access("vendors/lib/libxsmm.so", R_OK) != 0) {
    print_message("skipped: no %s/libxsmm.so: scripts/fetch-vendors was not run\n", folder);
    return;
  }
  seen = look_in("xsmm", folder);
  assert_mmscan_ok(seen.status);
  assert_string_equal(seen.unit, "xsmm");
}

/* Puts a toy into the scratch folder, where the loader is sent to look. */
static void put_xsmm(const char *toy_name, const char *soname) {
  const char *file = in_scratch(soname);
  remove(file);
  assert_int_equal(symlink(toy(toy_name), file), 0);
}

/* The newest sound version is used; if none is sound, the error says so. */
static void test_xsmm_is_tested(void **state) {
  (void)state;
  put_xsmm("xsmm_reads", "libxsmm.so.2");
  put_xsmm("xsmm_drops", "libxsmm.so.1");
  put_xsmm("xsmm_reads", "libxsmm.so");
  struct seen seen = look_in("xsmm", scratch);
  assert_int_equal(seen.status, MMSCAN_EBLAS);
  assert_non_null(strstr(seen.error, "LIBXSMM is found, and not used: its kernels give wrong products"));
  put_xsmm("xsmm_1", "libxsmm.so.1");
  assert_mmscan_ok(look_in("xsmm", scratch).status);
}

static void test_environment(void **state) {
  (void)state;
  static const char *const refused[][2] = {
      {"drops", "wrong products"}, {"no_gemm", "no BLAS"}, {"none", "No such file"}};
  struct seen seen = look(toy("sound"));
  assert_mmscan_ok(seen.status);
  assert_string_equal(seen.unit, toy("sound"));
  for (size_t i = 0; i < COUNT(refused); i++) {
    seen = look(toy(refused[i][0]));
    assert_int_equal(seen.status, MMSCAN_EBLAS);
    assert_non_null(strstr(seen.error, "MMSCAN_UNIT="));
    assert_non_null(strstr(seen.error, refused[i][1]));
  }
  assert_int_equal(look("libnothing.so").status, MMSCAN_EBLAS);
  assert_int_equal(look("nothing").status, MMSCAN_EINVAL);
}

/* ---- Scans ------------------------------------------------------------------------------------------------------- */

/* Integers, whose sums every unit must get exactly right. */
static void check_scan(const char *unit, mmscan_type type, int reverse) {
  enum { N = 20011 };
  int64_t *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y), sum = 0;
  mmscan_desc desc = plain_desc(type, MMSCAN_INCLUSIVE, reverse, N);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .unit = unit};
  mmscan_plan *plan = plan_new(&desc, &asked, &used);
  for (size_t i = 0; i < N; i++) {
    int v = (int)(i * 7919 % 1001) - 500;
    if (type == MMSCAN_F32)
      ((float *)x)[i] = (float)v;
    else if (type == MMSCAN_F64)
      ((double *)x)[i] = v;
    else
      x[i] = v;
  }
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  for (size_t k = 0; k < N; k++) {
    size_t i = reverse ? N - 1 - k : k;
    sum += (int)(i * 7919 % 1001) - 500;
    double got = type == MMSCAN_F32 ? (double)((float *)y)[i] : type == MMSCAN_F64 ? ((double *)y)[i] : (double)y[i];
    if (got != (double)sum)
      fail_msg("%s: type %d, reverse %d: y[%zu] is %g, not %g", unit, (int)type, reverse, i, got, (double)sum);
  }
  mmscan_plan_destroy(plan);
  free(x);
  free(y);
}

static void check_scans(const char *unit) {
  static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_I64};
  for (size_t t = 0; t < COUNT(types); t++)
    for (int reverse = 0; reverse < 2; reverse++) check_scan(unit, types[t], reverse);
}

/* With each of LIBXSMM's interfaces and with its kernels; products for which it has no kernel are made without it. */
static void test_scans_of_xsmm(void **state) {
  (void)state;
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
static void test_scans_by_adding(void **state) {
  (void)state;
  static const char *const add[] = {"openblas_haswell", "openblas_skylakex", "full",         "blis", "sound",
                                    "xsmm_skx",         "xsmm_wide",         "xsmm_few_wide"};
  static const char *const overwrite[] = {"xsmm_2", "xsmm_narrow", "xsmm_forgets", "xsmm_forgets_some"};
  for (size_t i = 0; i < COUNT(add); i++) check_adding(add[i], true);
  for (size_t i = 0; i < COUNT(overwrite); i++) check_adding(overwrite[i], false);
}

static void test_scans_of_units_here(void **state) {
  (void)state;
  check_units_here(check_scans);
}

/* A library that is closed takes nothing with it that other libraries, or the linked one, need. */
static void test_libraries_after_one_another(void **state) {
  (void)state;
  const char *library, *unit;
  for (size_t i = 0; (library = mmscan_unit_candidate(i)) != NULL; i++) {
    if (is_passed_over(library) || mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK) continue;
    assert_mmscan_ok(mmscan_unit_close(unit));
    assert_mmscan_ok(product_status("cblas", MMSCAN_PRODUCT_GEMM));
  }
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"try", child_try},
                                          {"state", child_state},
                                          {"choice", child_choice},
                                          {"refused", child_refused},
                                          {"environment", child_environment}};
  int status;
  wait_passively(argv);
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  clear_settings();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_refused),
      cmocka_unit_test(test_faults_are_found),
      cmocka_unit_test(test_a_pipe_is_no_library),
      cmocka_unit_test(test_opening_counts),
      cmocka_unit_test(test_strings_last),
      cmocka_unit_test(test_a_plan_keeps_its_library),
      cmocka_unit_test(test_regions_have_teams_as_before),
      cmocka_unit_test(test_what_is_done_at_load),
      cmocka_unit_test(test_libraries_that_stay),
      cmocka_unit_test(test_threads_of_libraries),
      cmocka_unit_test(test_a_library_that_took_part_stays),
      cmocka_unit_test(test_wisdom_keeps_its_library),
      cmocka_unit_test(test_calls_keep_no_library),
      cmocka_unit_test(test_measured_plans_keep_no_library),
      cmocka_unit_test(test_a_library_calls_its_own),
      cmocka_unit_test(test_names_of_a_library_are_its_own),
      cmocka_unit_test(test_routines_that_fail),
      cmocka_unit_test(test_routines_that_are_off),
      cmocka_unit_test(test_get_routine_refuses),
      cmocka_unit_test(test_a_crash_is_in_a_process_of_its_own),
      cmocka_unit_test(test_wisdom_of_routines),
      cmocka_unit_test(test_wisdom_of_another_version),
      cmocka_unit_test(test_wisdom_opens_libraries),
      cmocka_unit_test(test_wisdom_that_names_no_library),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_xsmm_is_found),
      cmocka_unit_test(test_xsmm_is_tested),
      cmocka_unit_test(test_scans_of_xsmm),
      cmocka_unit_test(test_scans_by_adding),
      cmocka_unit_test(test_scans_of_units_here),
      cmocka_unit_test(test_libraries_after_one_another),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
