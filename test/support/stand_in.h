/* stand_in.h: has a child open another file in place of the library of the unit cblas.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef STAND_IN_H
#define STAND_IN_H

#include "child.h"
#include "each_openblas.h"
#include "scratch.h"
#include "toys/toy.h"

enum { NO_STAND_IN = 77 };

/* Runs this program with `argument` and some settings, where the loader finds `file` under the name of that library. A
 * child that ends with NO_STAND_IN was not asked. */
static inline struct outcome ask_with_stand_in(const char *argument, const char *file, const struct setting *settings,
                                               size_t count) {
  enum { MOST = 4 };
  const char *slash = strrchr(unit_library(), '/'), *link = in_scratch(slash ? slash + 1 : unit_library());
  struct setting all[MOST + 1] = {{"LD_LIBRARY_PATH", scratch}};
  assert_in_range(count, 0, MOST);
  for (size_t i = 0; i < count; i++) all[i + 1] = settings[i];
  assert_int_equal(symlink(file, link), 0);
  struct outcome o = ask_self(argument, all, count + 1);
  assert_int_equal(remove(link), 0);
  if (o.exit == NO_STAND_IN)
    print_message("skipped: %s: the unit cblas is opened by a path, or there is none\n", argument);
  return o;
}

/* In the child: whether it did. */
static inline bool has_stand_in(void) {
  const char *folder = getenv("LD_LIBRARY_PATH");
  return strncmp(unit_library(), folder, strlen(folder)) == 0;
}

#endif /* STAND_IN_H */
