/* test_wisdom_loads.c: a file of wisdom that is refused for what it says has no library loaded.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library's dlopen() is wrapped, and counts.
 */
#include "support/scratch.h"
#include "support/wisdom_text.h"
#include "toys/toy.h"

static size_t loads;

void *__real_dlopen(const char *library, int flags);
void *__wrap_dlopen(const char *library, int flags);
void *__wrap_dlopen(const char *library, int flags) {
  loads++;
  return __real_dlopen(library, flags);
}

/* Reads a file whose lines name a toy, %s. */
static mmscan_status read_lines(const char *lines) {
  char named[2 * PATH_SIZE + 400];
  snprintf(named, sizeof named, lines, toy("sound"), toy("sound"));
  const char *file = wisdom_file("lines", named);
  loads = 0;
  return mmscan_wisdom_read(file, NULL, 0);
}

#define LIBRARY "blas %s\nversion unknown\n"
#define CHOICE  "plus f32 45 0 gemm @1 4 256 1 1024\n"

static void test_refused_before_libraries_are_loaded(void **state) {
  (void)state;
  static const char *const wrong[] = {
      LIBRARY CHOICE "plus f32 46 0 abacus - 0 0 1 1024\n",
      LIBRARY CHOICE "plus f32 46 0 gemm @2 4 256 1 1024\n",
      LIBRARY CHOICE "plus f32 46 0 gemm nobody 4 256 1 1024\n",
      LIBRARY CHOICE "plus f32 46 0 gemm @1 1 256 1 1024\n",
      LIBRARY CHOICE "blas nobody\nversion unknown\n",
      LIBRARY CHOICE "# a remark\n",
      LIBRARY "blas nobody\n" CHOICE,
      LIBRARY "version unknown\n" CHOICE,
      "plus f32 46 0 gemm cblas 4 256 1 1024\nplus f32 46 0 gemm cblas 4 256 2 1\n",
      "unit cblas Abacus 1.0\nplus f32 46 0 gemm cblas 4 256 1 1024\nplus f32 46 0 serial - 0 1 1 1024\n",
  };
  const size_t count = mmscan_wisdom_count();
  for (size_t i = 0; i < COUNT(wrong); i++) {
    const mmscan_status status = read_lines(wrong[i]);
    if (status != MMSCAN_EIO || loads > 0)
      fail_msg("status %d, %zu libraries were asked for: %s", (int)status, loads, wrong[i]);
    assert_int_equal(mmscan_wisdom_count(), count);
  }
}

/* The last line tells one line too few. */
static void test_refused_for_its_end(void **state) {
  (void)state;
  struct text text = wisdom_head();
  char line[PATH_SIZE + 100];
  snprintf(line, sizeof line, LIBRARY CHOICE, toy("sound"));
  add_text(&text, line);
  snprintf(line, sizeof line, "end 2 %016" PRIx64 "\n", fnv1a(text.data, text.size));
  add_text(&text, line);
  text_write(in_scratch("short"), &text);
  loads = 0;
  assert_status(MMSCAN_EIO, mmscan_wisdom_read(in_scratch("short"), NULL, 0));
  assert_int_equal(loads, 0);
}

/* What is right has its library loaded, by calls that are counted here. */
static void test_loads_are_counted(void **state) {
  (void)state;
  assert_mmscan_ok(read_lines(LIBRARY CHOICE));
  assert_true(loads > 0);
  assert_true(is_loaded(toy("sound")));
}

int main(void) {
  clear_settings();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused_before_libraries_are_loaded),
      cmocka_unit_test(test_refused_for_its_end),
      cmocka_unit_test(test_loads_are_counted),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
