/* units.c: the units that take part in `mmscan bench --units`.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "units.h"
#include "message.h"
#include "own_threads.h"
#include "tryout.h"

#include <dlfcn.h>
#include <limits.h>
#include <mmscan_paper.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = UNIT_LABEL + 1, NUMBERED = UNIT_LABEL - 3 /* room for "-17" */ };

/* The unit that counts operations. */
static const char SLOW_UNIT[] = "model";

bool units_is_slow(const char *name) { return strcmp(name, SLOW_UNIT) == 0; }

void units_fail(bench_unit *unit, const char *reason) {
  if (unit->failure[0] == '\0') snprintf(unit->failure, sizeof unit->failure, "%s", reason);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* "openblas-pthread" for /usr/lib/openblas-pthread/libblas.so.3, "mkl_rt" for /opt/lib/libmkl_rt.so.2. */
static void short_name(const char *library, char label[SHORT]) {
  static const char *const telling[] = {"blas", "blis", "atlas"};
  const char *base = strrchr(library, '/');
  base = base != NULL ? base + 1 : library;
  const char *folder = base - (base > library);
  while (folder > library && folder[-1] != '/') folder--;
  const int folder_length = base > library ? (int)(base - 1 - folder) : 0;
  if (strncmp(base, "lib", 3) == 0) base += 3;
  const char *end = strstr(base, ".so");
  snprintf(label, SHORT, "%.*s", end != NULL ? (int)(end - base) : (int)strlen(base), base);
  for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
    const char *found = memmem(folder, (size_t)folder_length, telling[i], strlen(telling[i]));
    if (found != NULL) snprintf(label, SHORT, "%.*s", folder_length, folder);
  }
}

static bool is_taken(const unit_list *list, const char *label) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->units[i].label, label) == 0) return true;
  return false;
}

/* The short name; if that is taken, the file name; if that is taken too, a number is appended. */
static void set_label(const unit_list *list, bench_unit *unit) {
  char label[SHORT];
  const char *slash = strrchr(unit->name, '/');
  short_name(unit->name, label);
  if (is_taken(list, label)) snprintf(label, sizeof label, "%s", slash != NULL ? slash + 1 : unit->name);
  make_clean(label);
  snprintf(unit->label, sizeof unit->label, "%s", label);
  for (unsigned i = 2; is_taken(list, unit->label); i++)
    snprintf(unit->label, sizeof unit->label, "%.*s-%u", NUMBERED, label, i % 100);
}

/* ---- One unit ---------------------------------------------------------------------------------------------------- */

/* Several names may be links to one library. */
static bool is_same_library(const char *a, const char *b) {
  char at[PATH_MAX], bt[PATH_MAX];
  if (a == NULL || b == NULL) return false;
  return strcmp(realpath(a, at) != NULL ? at : a, realpath(b, bt) != NULL ? bt : b) == 0;
}

static bool is_listed(const unit_list *list, const bench_unit *unit) {
  for (size_t i = 0; i < list->count; i++) {
    const bench_unit *other = &list->units[i];
    if (strcmp(unit->name, other->name) == 0 || is_same_library(unit->part.library, other->part.library)) return true;
  }
  return false;
}

static void close_unit(bench_unit *unit) {
  if (unit->opened) mmscan_unit_close(unit->name);
  unit->opened = false;
}

/* Whether its products are wrong. This is for the unit cblas, which is there in any case; a library whose products
 * are wrong is not opened. */
static bool multiplies_wrong(const char *name) {
  mmscan_routine r = {.struct_size = sizeof r};
  for (size_t i = 0; mmscan_get_routine(name, i, &r) == MMSCAN_OK; i++) {
    const bool is_of_scans = r.form == MMSCAN_PRODUCT_GEMM && (r.type == MMSCAN_F32 || r.type == MMSCAN_F64);
    if (is_of_scans && r.state == MMSCAN_ROUTINE_FAILED) return true;
  }
  return false;
}

/* Opens a unit that is there already, or a library. */
static bench_unit open_unit(const char *name) {
  bench_unit unit = {.name = name};
  char why[sizeof unit.failure];
  if (!find_unit(name, &unit.part)) {
    const mmscan_status status = open_suspect(name, NULL, why, sizeof why);
    unit.opened = status == MMSCAN_OK;
    if (!unit.opened) units_fail(&unit, why[0] != '\0' ? why : mmscan_strerror(status));
    find_unit(name, &unit.part);
  } else if (unit.part.status != MMSCAN_OK) {
    units_fail(&unit, unit.part.description);
  }
  if (multiplies_wrong(name)) units_fail(&unit, "its cblas_sgemm or cblas_dgemm gives wrong products");
  return unit;
}

/* Adds a unit, or closes it if it is listed already. If there is no more room, closes it and returns false. */
static bool add(unit_list *list, bench_unit *unit) {
  const bool listed = is_listed(list, unit);
  if (listed || list->count == MOST_UNITS) {
    close_unit(unit);
    return listed;
  }
  set_label(list, unit);
  list->units[list->count++] = *unit;
  return true;
}

/* ---- The list ---------------------------------------------------------------------------------------------------- */

/* A library that cannot be loaded is not here; one that can, but is no unit, is reported. */
static bool is_absent(const char *library) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle != NULL) dlclose(handle);
  return handle == NULL;
}

/* Units beyond the size of the list are left out. */
static void open_found(unit_list *list) {
  mmscan_part part = {.struct_size = sizeof part};
  const char *candidate;
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) {
    if (part.status != MMSCAN_OK || units_is_slow(part.name)) continue;
    bench_unit unit = open_unit(part.name);
    add(list, &unit);
  }
  for (size_t i = 0; (candidate = mmscan_unit_candidate(i)) != NULL; i++) {
    bench_unit unit = open_unit(candidate);
    if (unit.opened || !is_absent(candidate)) add(list, &unit);
  }
}

/* Opens the library that is found and has this label; false if none has. is_absent() loads and unloads a library, and
 * so comes last: some libraries crash the process after they are unloaded by anything but the unit. */
static bool open_label(const char *label, bench_unit *unit) {
  char other[SHORT];
  const char *candidate;
  for (size_t i = 0; (candidate = mmscan_unit_candidate(i)) != NULL; i++) {
    short_name(candidate, other);
    if (strcmp(other, label) != 0) continue;
    *unit = open_unit(candidate);
    if (unit->opened || !is_absent(candidate)) return true;
  }
  return false;
}

static bool open_item(unit_list *list, const char *name) {
  mmscan_part part;
  bench_unit unit;
  if (strcmp(name, "found") == 0) {
    open_found(list);
    return true;
  }
  if (find_unit(name, &part) || !open_label(name, &unit)) unit = open_unit(name);
  return add(list, &unit);
}

static int open_listed(unit_list *list, char *names) {
  char *name;
  while ((name = strsep(&names, ",")) != NULL) {
    if (*name == '\0') return wrong_usage("bench", "--units: a name is missing");
    if (!open_item(list, name)) return wrong_usage("bench", "--units: more than %d units", MOST_UNITS);
  }
  return DONE;
}

int units_open(unit_list *list, char *names, int threads) {
  char found[] = "found";
  list->count = 0;
  const int status = open_listed(list, names != NULL ? names : found);
  if (status != DONE) return status;
  for (size_t i = 0; i < list->count; i++)
    list->units[i].threads = own_threads_when_set(list->units[i].part.library, threads);
  return list->count > 0 ? DONE : fail("no unit was found");
}

void units_close(unit_list *list) {
  for (size_t i = 0; i < list->count; i++) close_unit(&list->units[i]);
  list->count = 0;
}
