/* test_unit_wisdom.c: which routines of libraries are used, and what wisdom and the environment say of libraries.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/child.h"
#include "support/wisdom_text.h"
#include "toys/toy.h"

/* ---- Routines ---------------------------------------------------------------------------------------------------- */

static mmscan_routine_state state_of(const char *unit, const char *name) {
  mmscan_routine r = {.struct_size = sizeof r};
  for (size_t i = 0; mmscan_get_routine(unit, i, &r) == MMSCAN_OK; i++)
    if (strcmp(r.name, name) == 0) return r.state;
  fail_msg("%s: no routine %s", unit, name);
  return MMSCAN_ROUTINE_ABSENT;
}

TEST(test_routines_that_fail) {
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

TEST(test_routines_that_are_off) {
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

TEST(test_get_routine_refuses) {
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

TEST(test_a_crash_is_in_a_process_of_its_own) {
  const struct setting crash = {"MMSCAN_TEST_LIBRARY", toy("crashes")};
  assert_int_equal(ask_self("state", &crash, 1).exit, 30 + MMSCAN_ROUTINE_OFF);
  assert_true(ask_self("try", &crash, 1).exit > 128);
}

/* Routines that passed in one process are used in others, with that library only, whether it was open before or not. */
TEST(test_wisdom_of_routines) {
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
  assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("another", lines), NULL, 0)); /* of another version */
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_OFF);
  assert_mmscan_ok(mmscan_wisdom_read(in_scratch("routines"), NULL, 0));
  assert_int_equal(state_of(unit, "sgemm_batch"), MMSCAN_ROUTINE_USED);
  assert_mmscan_ok(mmscan_unit_close(unit));
}

/* Nor are they used with another version of that library; "unknown" is a version like any other. */
TEST(test_wisdom_of_another_version) {
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
  if (mmscan_wisdom_read(getenv("MMSCAN_TEST_FROM"), NULL, 0) != MMSCAN_EIO) return 1;
  return is_loaded(toy("sound")) ? 2 : 0;
}

/* A library that is chosen for a shape is opened when the file is read. */
TEST(test_wisdom_opens_libraries) {
  char lines[2 * PATH_SIZE + 200];
  const char *library = toy("sound"), *second = in_scratch("copied");
  snprintf(lines, sizeof lines, "blas %s\nversion unknown\nplus f32 16 0 gemm @1 4 256 1 1024\n", library);
  const struct setting settings[] = {
      {"MMSCAN_WISDOM", wisdom_file("shape", lines)}, {"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_TEST_TO", second}};
  assert_int_equal(ask_self("choice", settings, 3).exit, 0);
  const struct setting again[] = {{"MMSCAN_WISDOM", second}, {"MMSCAN_TEST_LIBRARY", library}};
  assert_int_equal(ask_self("choice", again, 2).exit, 0);
}

TEST(test_wisdom_that_names_no_library) {
  static const char *const wrong[] = {
      "blas %s\nversion 1.0\nplus f32 16 0 gemm @1 4 256 1 1024\n",          /* another version */
      "blas %s.gone\nversion unknown\nplus f32 16 0 gemm @1 4 256 1 1024\n", /* not there */
      "blas %s\nversion unknown\nplus f32 16 0 gemm @2 4 256 1 1024\n",      /* not named */
      "blas %s\nversion unknown\nplus f32 16 0 gemm @0 4 256 1 1024\n",
      "blas %s\nversion unknown\nplus f32 16 0 gemm @1x 4 256 1 1024\n",
      "blas %s\nversion unknown\nplus f32 16 0 gemm @ 4 256 1 1024\n",
      "blas %s\nplus f32 16 0 gemm @1 4 256 1 1024\n", /* no version */
      "blas %s\nversion unknown\nplus f32 16 0 gemm @1 4 256 1 1024\nplus f32 16 0 abacus - 0 0 1 1024\n",
      "blas nobody\nblas %s\nversion unknown\n",
      "blas %s\nversion unknown\nblas nobody\n",
      "blas nobody\n",
      "version unknown\nblas %s\n",
      "blas %s\ngood sgemm_batch\nversion unknown\n",
      "blas %s\nversion unknown\nversion unknown\n",
      "plus f32 16 0 serial - 0 0 1 1024\nblas %s\nversion unknown\n", /* after a shape */
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
  struct seen seen;
  const struct outcome o = ask_report("environment", settings, 3, &seen, sizeof seen);
  if (o.printed != 0) fail_msg("the library printed: %s", o.print);
  return seen;
}

static struct seen look(const char *unit) { return look_in(unit, NULL); }

/* LIBXSMM is found where the loader looks. */
TEST(test_xsmm_is_found) {
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
TEST(test_xsmm_is_tested) {
  put_xsmm("xsmm_reads", "libxsmm.so.2");
  put_xsmm("xsmm_drops", "libxsmm.so.1");
  put_xsmm("xsmm_reads", "libxsmm.so");
  struct seen seen = look_in("xsmm", scratch);
  assert_int_equal(seen.status, MMSCAN_EBLAS);
  assert_non_null(strstr(seen.error, "LIBXSMM is found, and not used: its kernels give wrong products"));
  put_xsmm("xsmm_1", "libxsmm.so.1");
  assert_mmscan_ok(look_in("xsmm", scratch).status);
}

TEST(test_environment) {
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

/* The first call of a process. */
static int child_by_name(void) {
  mmscan_routine routine = {.struct_size = sizeof routine};
  return (int)mmscan_get_routine(getenv("MMSCAN_UNIT"), 0, &routine);
}

TEST(test_the_unit_of_the_environment_by_name) {
  const struct setting unit = {"MMSCAN_UNIT", toy("sound")};
  assert_int_equal(run_self("by_name", &unit, 1), MMSCAN_OK);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"try", child_try},
                                          {"state", child_state},
                                          {"choice", child_choice},
                                          {"refused", child_refused},
                                          {"environment", child_environment},
                                          {"by_name", child_by_name}};
  return run_or_be(children, COUNT(children), argc, argv, make_scratch, remove_scratch);
}
