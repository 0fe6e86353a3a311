/* units.c: the units that take part in `mmscan bench --units`. */
#include "units.h"
#include "blas.h"
#include "message.h"
#include "tryout.h"
#include "unit_items.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <mmscan_paper.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
  if (is_taken(list, label)) snprintf(label, sizeof label, "%.*s", SHORT - 1, slash != NULL ? slash + 1 : unit->name);
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

/* library may be NULL. */
static bool is_listed(const unit_list *list, const char *name, const char *library) {
  for (size_t i = 0; i < list->count; i++) {
    const bench_unit *other = &list->units[i];
    if (strcmp(name, other->name) == 0 || is_same_library(library, other->part.library)) return true;
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
  bench_unit unit = {.opened = false};
  snprintf(unit.name, sizeof unit.name, "%s", name);
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

/* Adds a unit, or closes it if it is listed already. */
static int add(unit_list *list, bench_unit *unit) {
  const bool listed = is_listed(list, unit->name, unit->part.library), full = list->count == MOST_UNITS;
  if (listed || full) close_unit(unit);
  if (listed) return DONE;
  if (full) return wrong_usage("bench", "--units: more than %d units", MOST_UNITS);
  set_label(list, unit);
  list->units[list->count++] = *unit;
  return DONE;
}

/* ---- What is found ----------------------------------------------------------------------------------------------- */

/* A library that cannot be loaded, such as a part of MKL that needs other parts, is not here; one that can, but is no
 * unit, is reported. This comes last: some libraries crash the process after they are unloaded by anything but the
 * unit. */
static bool is_absent(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle != NULL) dlclose(handle);
  return handle == NULL;
}

/* Units beyond the size of the list are left out. */
static int open_found(unit_list *list) {
  mmscan_part part = {.struct_size = sizeof part};
  const char *candidate;
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) {
    if (part.status != MMSCAN_OK || units_is_slow(part.name)) continue;
    bench_unit unit = open_unit(part.name);
    if (list->count < MOST_UNITS) add(list, &unit);
  }
  for (size_t i = 0; list->count < MOST_UNITS && (candidate = mmscan_unit_candidate(i)) != NULL; i++) {
    bench_unit unit = open_unit(candidate);
    if (unit.opened || !is_absent(candidate)) add(list, &unit);
  }
  return DONE;
}

/* ---- Names, whatever the case of letters ------------------------------------------------------------------------- */

typedef bool name_rule(const char *label, const char *name);

static bool is_label(const char *label, const char *name) { return strcasecmp(label, name) == 0; }

/* "mkl" is the vendor of "mkl_rt", and "openblas" that of "openblas-pthread"; but "b" is none of "blas". */
static bool is_vendor(const char *label, const char *name) {
  static const char *const others[][2] = {
      {"atlas", "satlas"}, {"atlas", "tatlas"}, {"netlib", "blas"}, {"reference", "blas"}};
  const size_t length = strlen(name);
  if (strncasecmp(label, name, length) == 0 && !isalpha((unsigned char)label[length])) return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcasecmp(name, others[i][0]) == 0 && strcmp(label, others[i][1]) == 0) return true;
  return false;
}

/* Opens the first library that is found and whose label is right by the rule; false if none is. */
static bool open_by(name_rule *is_right, const char *name, bench_unit *unit) {
  char label[SHORT];
  const char *candidate;
  for (size_t i = 0; (candidate = mmscan_unit_candidate(i)) != NULL; i++) {
    short_name(candidate, label);
    if (!is_right(label, name)) continue;
    *unit = open_unit(candidate);
    if (unit->opened || !is_absent(candidate)) return true;
  }
  return false;
}

/* A unit that is there already: "cblas", "CBLAS", "libxsmm". */
static bool open_builtin(const char *name, bench_unit *unit) {
  mmscan_part part = {.struct_size = sizeof part};
  if (strncasecmp(name, "lib", 3) == 0) name += 3;
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) {
    if (strcasecmp(part.name, name) != 0) continue;
    *unit = open_unit(part.name);
    return true;
  }
  return false;
}

/* Of a path or soname, the case of letters counts. */
static bool is_word(const char *name) { return strpbrk(name, "/.") == NULL; }

static bool open_word(const char *word, bench_unit *unit) {
  return open_builtin(word, unit) || open_by(is_label, word, unit) || open_by(is_vendor, word, unit);
}

/* ---- The list ---------------------------------------------------------------------------------------------------- */

/* Those that cannot be loaded by themselves are parts of others. Several names may be links to one. */
static int open_folder(unit_list *list, const char *folder) {
  json_t *libraries = unit_libraries(folder), *library;
  size_t i, present = 0;
  int status = libraries != NULL ? DONE : FAILED;
  json_array_foreach (libraries, i, library) {
    const char *name = json_string_value(library);
    const bool listed = is_listed(list, name, name);
    present += listed;
    if (listed || status != DONE) continue;
    bench_unit unit = open_unit(name);
    if (!unit.opened && is_absent(name)) continue;
    present++;
    status = add(list, &unit);
  }
  json_decref(libraries);
  return status == DONE && present == 0 ? fail("%s: no BLAS is in this folder that can be loaded", folder) : status;
}

static int open_library_of(unit_list *list, const char *name) {
  bench_unit unit = open_unit(name);
  if (!unit.opened && is_word(name))
    snprintf(unit.failure, sizeof unit.failure, "no library of this name is found: give its path, or its folder's");
  return add(list, &unit);
}

static int open_item(unit_list *list, const char *name) {
  bench_unit unit;
  if (strcmp(name, "found") == 0) return open_found(list);
  if (is_word(name) && open_word(name, &unit)) return add(list, &unit);
  return is_folder(name) ? open_folder(list, name) : open_library_of(list, name);
}

static int open_lines(unit_list *list, const char *file) {
  json_t *lines = unit_lines(file), *line;
  size_t i;
  int status = lines != NULL ? DONE : FAILED;
  json_array_foreach (lines, i, line)
    if (status == DONE) status = open_item(list, json_string_value(line));
  json_decref(lines);
  return status;
}

static int open_listed(unit_list *list, char *names) {
  char *name;
  int status = DONE;
  while (status == DONE && (name = strsep(&names, ",")) != NULL) {
    if (name[strspn(name, "@")] == '\0') return wrong_usage("bench", "--units: a name is missing");
    status = *name == '@' ? open_lines(list, name + 1) : open_item(list, name);
  }
  return status;
}

int units_open(unit_list *list, char *names, int threads) {
  char found[] = "found";
  list->count = 0;
  const int status = open_listed(list, names != NULL ? names : found);
  if (status != DONE) return status;
  for (bench_unit *u = list->units; u < list->units + list->count; u++) {
    const own_threads set = own_threads_set(u->part.library, threads);
    own_threads_restore(u->part.library, set);
    u->threads = set.now;
  }
  return list->count > 0 ? DONE : fail("no unit was found");
}

void units_close(unit_list *list) {
  for (size_t i = 0; i < list->count; i++) close_unit(&list->units[i]);
  list->count = 0;
}

static void print_unit(const bench_unit *u) {
  char threads[32] = "";
  const char *version = u->part.version, *library = u->part.library != NULL ? u->part.library : u->part.description;
  if (u->threads > 0) snprintf(threads, sizeof threads, ", %d thread%s", u->threads, u->threads == 1 ? "" : "s");
  if (u->failure[0] != '\0')
    print_clean("%-*s failed: %s", UNIT_LABEL, u->label, u->failure);
  else
    print_clean("%-*s %s%s%s%s", UNIT_LABEL, u->label, library, version ? ", " : "", version ? version : "", threads);
}

void units_print(const unit_list *list) {
  for (size_t i = 0; i < list->count; i++) print_unit(&list->units[i]);
  fflush(stdout);
}
