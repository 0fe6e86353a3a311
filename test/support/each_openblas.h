/* each_openblas.h: runs the tests of a program again with each OpenBLAS that Debian packages: one has threads of its
 * own, one uses OpenMP's, and one has none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EACH_OPENBLAS_H
#define EACH_OPENBLAS_H

#include <glob.h>

#include "child.h"

static inline const char *unit_library(void) {
  static mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (strcmp(part.name, "cblas") == 0) return text_or(part.library, "unknown");
  return "none";
}

/* Finds the folder of this build of OpenBLAS, if it has a library of the file name that this program loaded; else
 * `folder` is empty. */
static inline void find_build(const char *build, char *folder, size_t size) {
  char pattern[256];
  const char *slash = strrchr(unit_library(), '/');
  glob_t found = {0};
  snprintf(pattern, sizeof pattern, "/usr/lib/*/openblas-%s/%s", build, slash ? slash + 1 : unit_library());
  folder[0] = '\0';
  if (glob(pattern, 0, NULL, &found) == 0) snprintf(folder, size, "%s", found.gl_pathv[0]);
  if (folder[0] != '\0') *strrchr(folder, '/') = '\0';
  globfree(&found);
}

/* Runs this program with the argument "tests"; returns how many of the builds failed. */
static inline int run_with_each_openblas(void) {
  static const char *const builds[] = {"pthread", "openmp", "serial"};
  int failed = 0;
  for (size_t i = 0; i < COUNT(builds); i++) {
    char folder[256];
    find_build(builds[i], folder, sizeof folder);
    if (folder[0] == '\0') {
      print_message("skipped: OpenBLAS %s: not there, or not what this program loads\n", builds[i]);
      continue;
    }
    print_message("OpenBLAS %s:\n", builds[i]);
    failed += run_self("tests", &(struct setting){"LD_LIBRARY_PATH", folder}, 1) != 0;
  }
  return failed;
}

#endif /* EACH_OPENBLAS_H */
