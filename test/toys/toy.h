/* toy.h: what the tests of libraries opened at run time share: toys, which lie beside the test programs; a plan and a
 * product with any library; and how the programs start.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TOY_H
#define TOY_H

#include <dlfcn.h>

#include "support/child.h"
#include "support/matmul.h"

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* The path of a toy library beside this program; valid until the fourth call after this one. */
static inline const char *toy(const char *name) {
  static char paths[4][4096 + 64];
  static unsigned turn;
  char here[4096];
  ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  if (length <= 0) fail_msg("where is this program?");
  here[length] = '\0';
  *strrchr(here, '/') = '\0';
  char *path = paths[turn++ % COUNT(paths)];
  snprintf(path, sizeof *paths, "%s/toy_%s.so", here, name);
  return path;
}

static inline const char *open_toy(const char *name) {
  const char *unit;
  char why[300];
  mmscan_status status = mmscan_unit_open(toy(name), &unit, why, sizeof why);
  if (status != MMSCAN_OK) fail_msg("%s: %s", name, why);
  assert_string_equal(why, "");
  return unit;
}

static inline bool is_loaded(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != NULL) dlclose(handle);
  return handle != NULL;
}

static inline bool is_unit(const char *name) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (strcmp(part.name, name) == 0) return true;
  return false;
}

/* What an open toy calls by a name; the unit keeps it open. */
static inline void *in_toy(const char *unit, const char *name) {
  void *handle = dlopen(unit, RTLD_LAZY | RTLD_NOLOAD), *found = dlsym(handle, name);
  assert_non_null(found);
  dlclose(handle);
  return found;
}

/* The calls that an open toy has counted. */
static inline int calls_of(const char *unit) {
  int (*calls)(void);
  *(void **)&calls = in_toy(unit, "toy_calls");
  return calls();
}

/* ---- Plans and products ------------------------------------------------------------------------------------------ */

static inline mmscan_plan *plan_by(const char *unit, mmscan_type type, size_t n, int threads) {
  mmscan_desc desc = plain_desc(type, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice used, asked = {.struct_size = sizeof asked, .unit = unit, .threads = threads};
  return plan_new(&desc, &asked, &used);
}

/* The status of a small product; MMSCAN_EBLAS if its sums are wrong. Any thread may call it. */
static inline mmscan_status product_status(const char *unit, mmscan_product_form form) {
  enum { S = 4, COLUMNS = 11 };
  float x[S * COLUMNS], w[S * COLUMNS], sum = 0;
  const mmscan_product_desc d = product_desc(unit, form, S, COLUMNS);
  for (size_t i = 0; i < COUNT(x); i++) x[i] = (float)(i * 5 % 19) - 9;
  memset(w, 0xff, sizeof w);
  mmscan_status status = mmscan_product(&d, x, w);
  for (size_t i = 0; status == MMSCAN_OK && i < COUNT(x); i++) {
    sum = i % S == 0 ? x[i] : sum + x[i];
    if (w[i] != sum) status = MMSCAN_EBLAS;
  }
  return status;
}

/* Any library, with a product each time. */
static inline void load_times(const char *library, size_t times) {
  for (size_t i = 0; i < times; i++) {
    const char *unit;
    assert_mmscan_ok(mmscan_unit_open(library, &unit, NULL, 0));
    assert_mmscan_ok(product_status(unit, MMSCAN_PRODUCT_CHUNKED));
    assert_mmscan_ok(mmscan_unit_close(unit));
  }
}

/* ---- Starting ---------------------------------------------------------------------------------------------------- */

/* Each test sets for itself what is chosen and opened. */
static inline void clear_settings(void) {
  static const char *const variables[] = {"MMSCAN_ENGINE", "MMSCAN_UNIT", "MMSCAN_NUM_THREADS", "MMSCAN_WISDOM"};
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i]);
}

/* What main() does: all tests, or what a child does. OpenMP's threads wait passively. */
static inline int run_or_be(const struct child *children, size_t count, int argc, char **argv, CMFixtureFunction setup,
                            CMFixtureFunction teardown) {
  int status;
  wait_passively(argv);
  if (run_child(argc, argv, children, count, &status)) return status;
  clear_settings();
  return run_all_tests(setup, teardown);
}

#endif /* TOY_H */
