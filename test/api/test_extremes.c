/* test_extremes.c: absurd numbers and texts. Each is given to the library in a fresh process, which must survive it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>

#include "engine/engine.h"
#include "plan/roster.h"
#include "plan/wisdom.h"
#include "support/child.h"
#include "support/matmul.h"
#include "support/stand_in.h"
#include "support/wisdom_text.h"
#include "unit/trust.h"

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { N = 4095, S = 4 };

static mmscan_matmul_desc letter_desc(mmscan_length_rule rule, int threads) {
  mmscan_matmul_desc desc = matmul_desc(MMSCAN_F64, N, S, NULL, threads);
  desc.length_rule = rule;
  return desc;
}

static bool scan_by_the_letter(mmscan_length_rule rule, int threads) {
  double x[N], y[N];
  const mmscan_matmul_desc desc = letter_desc(rule, threads);
  for (size_t i = 0; i < N; i++) x[i] = (double)(i % 7) - 3;
  bool right = mmscan_matmulscan(&desc, x, y, NULL) == MMSCAN_OK;
  double sum = 0;
  for (size_t i = 0; right && i < N; i++) right = y[i] == (sum += x[i]);
  return right;
}

static bool scan_by_plan(const char *engine, int threads) {
  const mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, N);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .threads = threads};
  double x[N] = {1}, y[N];
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK &&
               mmscan_execute(plan, x, y) == MMSCAN_OK && y[N - 1] == 1;
  mmscan_plan_destroy(plan);
  return right;
}

/* Many segments and one; a named engine and the best one. */
static int use_threads(void) {
  static const int threads[] = {30000, INT_MAX};
  for (size_t i = 0; i < COUNT(threads); i++) {
    if (!scan_by_the_letter(MMSCAN_DIGITS, threads[i]) || !scan_by_the_letter(MMSCAN_PADDED, threads[i])) return 1;
    if (!scan_by_plan("simd", threads[i]) || !scan_by_plan(NULL, threads[i])) return 2;
  }
  return 0;
}

/* ---- Sizes of structs -------------------------------------------------------------------------------------------- */

/* No version of the library has so long a struct, so what follows the known fields is not read. */
static int use_sizes(void) {
  static const size_t sizes[] = {SIZE_MAX, PTRDIFF_MAX, 1025};
  float x[4] = {0}, y[4];
  for (size_t i = 0; i < COUNT(sizes); i++) {
    mmscan_desc scan = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 4);
    mmscan_matmul_desc letter = letter_desc(MMSCAN_DIGITS, 1);
    mmscan_product_desc product = {.struct_size = sizes[i]};
    mmscan_network_desc network = {.struct_size = sizes[i], .method = "sklansky"};
    scan.struct_size = letter.struct_size = sizes[i];
    if (mmscan_scan(&scan, x, y) != MMSCAN_EINVAL) return 1;
    if (mmscan_matmulscan(&letter, x, y, NULL) != MMSCAN_EINVAL) return 2;
    if (mmscan_product(&product, x, y) != MMSCAN_EINVAL) return 3;
    if (mmscan_network(&network, x, y, NULL) != MMSCAN_EINVAL) return 4;
  }
  return 0;
}

/* ---- A version, or a name, of two lines -------------------------------------------------------------------------- */

/* A wisdom file consists of lines, so it omits such a library, its routines, and the shapes for which it is best. */
static int write_without(const char *library) {
  const char *unit, *file = getenv("MMSCAN_TEST_FILE");
  if (mmscan_unit_open(library, &unit, NULL, 0) != MMSCAN_OK) return 6;
  const mms_wise by_toy = {&mms_engine_gemm, mms_unit_find(unit), 4, 256, 1, 1},
                 plain = {&mms_engine_serial, .threads = 1, .possible = 1};
  const mms_shape shape = {mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), 1000, 1},
                  longer = {mms_algebra_of(MMSCAN_PLUS, MMSCAN_F32), 100000, 1};
  if (mmscan_routine_try(unit, "sgemm_batch") != MMSCAN_OK) return 1;
  if (mms_wisdom_keep(shape, &by_toy) != MMSCAN_OK || mms_wisdom_keep(longer, &plain) != MMSCAN_OK) return 2;
  if (mmscan_wisdom_write(file) != MMSCAN_OK) return 3;
  if (strstr(text_read(file).data, "\nplus f32 16 0 serial - 0 0 1 1\nend 1 ") == NULL) return 4;
  return mmscan_wisdom_read(file, NULL, 0) == MMSCAN_OK ? 0 : 5;
}

static int use_two_lines(void) { return write_without(toy("two_lines")); }

static int use_name_of_two_lines(void) {
  char name[2 * PATH_SIZE];
  snprintf(name, sizeof name, "%s\nf32.so", getenv("MMSCAN_TEST_FILE"));
  if (symlink(toy("sound"), name) != 0) return 7;
  const int failed = write_without(name);
  return remove(name) == 0 ? failed : 8;
}

/* A file that was written can be read again, whatever the BLAS of the unit cblas says of itself. */
static int use_cblas(void) {
  const char *file = getenv("MMSCAN_TEST_FILE");
  if (!has_stand_in()) return NO_STAND_IN;
  const mms_wise wise = {&mms_engine_gemm, mms_unit_find("cblas"), 4, 1024, 1, 1};
  if (mms_wisdom_keep((mms_shape){mms_algebra_of(MMSCAN_PLUS, MMSCAN_F64), 1 << 17, 1}, &wise) != MMSCAN_OK) return 3;
  if (mmscan_wisdom_write(file) != MMSCAN_OK) return 1;
  return mmscan_wisdom_read(file, NULL, 0) == MMSCAN_OK ? 0 : 2;
}

/* ---- Many libraries ---------------------------------------------------------------------------------------------- */

static size_t count_of(const char *text, const char *what) {
  size_t count = 0;
  for (; (text = strstr(text, what)) != NULL; text++) count++;
  return count;
}

/* A file holds at most MMS_ROSTER_MOST libraries; it does not matter which of them are written. */
static int use_many_libraries(void) {
  const char *file = getenv("MMSCAN_TEST_FILE");
  for (int i = 0; i < MMS_ROSTER_MOST + 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "/lib%d", i);
    if (mms_trust_add(name, "1", "sgemm_batch") != MMSCAN_OK) return 1;
  }
  if (mmscan_wisdom_write(file) != MMSCAN_OK) return 2;
  if (count_of(text_read(file).data, "\nblas /lib") != MMS_ROSTER_MOST) return 3;
  return mmscan_wisdom_read(file, NULL, 0) == MMSCAN_OK ? 0 : 4;
}

/* Adds `count` routines to the lines of a file. */
static void add_routines(struct text *lines, const char *name, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char line[48];
    snprintf(line, sizeof line, "good %s%zu\n", name, i);
    add_text(lines, line);
  }
}

static mmscan_status read_lines(const struct text *lines) {
  return mmscan_wisdom_read(wisdom_file("lines", lines->data), NULL, 0);
}

static mmscan_status read_libraries(size_t count) {
  struct text lines = {.size = 0};
  for (size_t i = 0; i < count; i++) {
    char library[48];
    snprintf(library, sizeof library, "blas /lib%zu\nversion 1\n", i);
    add_text(&lines, library);
  }
  return read_lines(&lines);
}

static mmscan_status read_routines(const char *name, size_t count) {
  struct text lines = {.size = 0};
  add_text(&lines, "blas /lib\nversion 1\n");
  add_routines(&lines, name, count);
  return read_lines(&lines);
}

TEST(test_lines_of_libraries) {
  assert_mmscan_ok(read_libraries(MMS_ROSTER_MOST));
  assert_status(MMSCAN_EIO, read_libraries(MMS_ROSTER_MOST + 1));
  assert_mmscan_ok(read_routines("routine", MMS_ROSTER_ROUTINES));
  assert_status(MMSCAN_EIO, read_routines("routine", MMS_ROSTER_ROUTINES + 1));
}

/* A version of a library appears in a file only once. After several files are read, a library has no more routines than
 * can be read again. */
TEST(test_a_library_twice) {
  static const char library[] = "blas /lib\nversion 1\n";
  struct text lines = {.size = 0};
  add_text(&lines, library);
  add_text(&lines, "blas /lib\nversion 2\n");
  assert_mmscan_ok(read_lines(&lines));
  add_text(&lines, library);
  assert_status(MMSCAN_EIO, read_lines(&lines));
  assert_mmscan_ok(read_routines("one", MMS_ROSTER_ROUTINES));
  assert_mmscan_ok(read_routines("other", MMS_ROSTER_ROUTINES));
  const char *file = in_scratch("both");
  assert_mmscan_ok(mmscan_wisdom_write(file));
  assert_mmscan_ok(mmscan_wisdom_read(file, NULL, 0));
  const char *section = strstr(text_read(file).data, "blas /lib\nversion 1\n");
  assert_non_null(section);
  assert_int_equal(count_of(section, "good "), MMS_ROSTER_ROUTINES);
}

/* ---- The tests --------------------------------------------------------------------------------------------------- */

static void check_child(const char *argument) {
  const struct outcome o = ask_self(argument, &(struct setting){"MMSCAN_TEST_FILE", in_scratch("wisdom")}, 1);
  if (o.exit != 0) fail_msg("%s: the child ended with %d: %s", argument, o.exit, o.print);
}

TEST(test_threads) { check_child("threads"); }

TEST(test_sizes) { check_child("sizes"); }

TEST(test_two_lines) {
  check_child("two-lines");
  check_child("name-of-two-lines");
}

TEST(test_many_libraries) { check_child("many-libraries"); }

TEST(test_odd_versions_of_cblas) {
  static const char *const odd[] = {"two_lines", "long_line"};
  for (size_t i = 0; i < COUNT(odd); i++) {
    const struct setting file = {"MMSCAN_TEST_FILE", in_scratch("wisdom")};
    const struct outcome o = ask_with_stand_in("cblas", toy(odd[i]), &file, 1);
    if (o.exit == NO_STAND_IN) skip();
    if (o.exit != 0) fail_msg("%s: the child ended with %d: %s", odd[i], o.exit, o.print);
  }
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"threads", use_threads},     {"sizes", use_sizes},
                                          {"two-lines", use_two_lines}, {"name-of-two-lines", use_name_of_two_lines},
                                          {"cblas", use_cblas},         {"many-libraries", use_many_libraries}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  clear_settings();
  return run_all_tests(make_scratch, remove_scratch);
}
