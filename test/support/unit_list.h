/* unit_list.h: the libraries with matrix products that are on this machine, each once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They are those of mmscan_unit_candidate() and those that scripts/fetch-vendors has listed. MMSCAN_TEST_VENDORS names
 * another list. Under a sanitizer a library may bind to another library's functions instead of its own, so the list is
 * empty there. Under a wrapper (valgrind or an emulator) all of them would take too long: only the serial OpenBLAS is
 * listed.
 */
#ifndef UNIT_LIST_H
#define UNIT_LIST_H

#include "sanitized.h"
#include "test.h"

enum { MOST_UNITS = 24 };

struct unit_list {
  size_t count;
  char path[MOST_UNITS][4096];
};

/* Opened libraries follow the built-in units in the table. */
static inline mmscan_part last_unit(void) {
  mmscan_part part = {.struct_size = sizeof part}, last = part;
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) last = part;
  return last;
}

static inline bool is_listed(const struct unit_list *list, const char *path) {
  size_t i = 0;
  while (i < list->count && strcmp(list->path[i], path) != 0) i++;
  return i < list->count;
}

static inline bool is_passed_over(const char *library) {
  return getenv("MMSCAN_TEST_WRAPPER") != NULL && strstr(library, "/openblas-serial/") == NULL;
}

/* Opens the library once to learn its file: several names may lead to one file. */
static inline void list_unit(struct unit_list *list, const char *library) {
  const char *name;
  char why[200], real[4096];
  if (is_passed_over(library)) return;
  if (mmscan_unit_open(library, &name, why, sizeof why) != MMSCAN_OK) {
    if (strchr(library, '/')) print_message("skipped: %s: %s\n", library, why);
    return;
  }
  const char *file = last_unit().library;
  if (file && realpath(file, real) && !is_listed(list, real)) {
    if (list->count == MOST_UNITS) fail_msg("more libraries than MOST_UNITS");
    snprintf(list->path[list->count++], sizeof *list->path, "%s", real);
    print_message("found:   %s\n", real);
  }
  assert_mmscan_ok(mmscan_unit_close(name));
}

static inline void list_vendors(struct unit_list *list) {
  char line[512];
  FILE *file = fopen(text_or(getenv("MMSCAN_TEST_VENDORS"), "vendors/units"), "r");
  if (file == NULL) print_message("skipped: no vendors/units: scripts/fetch-vendors was not run\n");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    list_unit(list, line);
  }
  if (file != NULL) fclose(file);
}

static inline const struct unit_list *units_here(void) {
  static struct unit_list list;
  static bool made;
  if (made) return &list;
  made = true;
#ifdef MMS_SANITIZED
  print_message("skipped: the libraries that are here: this is a sanitizer's run\n");
#else
  for (size_t i = 0; mmscan_unit_candidate(i) != NULL; i++) list_unit(&list, mmscan_unit_candidate(i));
  list_vendors(&list);
#endif
  return &list;
}

/* Opens each library, checks it and closes it. */
static inline void check_units_here(void (*check)(const char *unit)) {
  for (size_t i = 0; i < units_here()->count; i++) {
    const char *unit;
    assert_mmscan_ok(mmscan_unit_open(units_here()->path[i], &unit, NULL, 0));
    check(unit);
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

#endif /* UNIT_LIST_H */
