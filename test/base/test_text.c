/* test_text.c: text that grows, a piece at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/text.h"
#include "support/test.h"

/* Pieces that end before, at and behind the end of what was allocated. */
TEST(test_text_of_any_length) {
  for (int first = 0; first < 600; first++)
    for (int second = 0; second < 3; second++) {
      mms_text text = {.size = 0};
      mms_text_add(&text, "%*s", first, "");
      mms_text_add(&text, "%.*s", second, "ab");
      mms_text_add(&text, "c");
      char *all = mms_text_end(&text);
      assert_non_null(all);
      assert_int_equal(strlen(all), first + second + 1);
      assert_string_equal(all + first + second, "c");
      free(all);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
