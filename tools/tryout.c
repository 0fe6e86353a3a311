/* tryout.c: opens libraries to choose among, and tries their routines that may crash.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tryout.h"

#include "command.h"
#include "json.h"
#include "message.h"
#include "process.h"
#include "suspect.h"

#include <errno.h>
#include <mmscan_paper.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_TRY = 60 }; /* seconds */

bool find_unit(const char *name, mmscan_part *part) {
  *part = (mmscan_part){.struct_size = sizeof *part};
  for (size_t i = 0; mmscan_get_unit(i, part) == MMSCAN_OK; i++)
    if (strcmp(part->name, name) == 0) return true;
  *part = (mmscan_part){.struct_size = sizeof *part};
  return false;
}

mmscan_status open_suspect(const char *library, const char **unit, char *why, size_t size) {
  suspect(library);
  const mmscan_status status = mmscan_unit_open(library, unit, why, size);
  suspect(NULL);
  return status;
}

int open_library(const char *library) {
  char why[300];
  if (open_suspect(library, NULL, why, sizeof why) == MMSCAN_OK) return DONE;
  return fail("%s: %s", library, why);
}

/* Whether the file is open under another name than `but`: several names may lead to one file. */
static bool is_open(const char *file, const char *but) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++)
    if (part.library != NULL && strcmp(part.library, file) == 0 && strcmp(part.name, but) != 0) return true;
  return false;
}

void open_candidates(void) {
  const char *name, *candidate;
  mmscan_part part;
  for (size_t i = 0; (candidate = mmscan_unit_candidate(i)) != NULL; i++) {
    if (open_suspect(candidate, &name, NULL, 0) != MMSCAN_OK) continue;
    if (find_unit(name, &part) && part.library && is_open(part.library, name)) mmscan_unit_close(name);
  }
}

static int try_routine(const char *library, const char *routine) {
  mmscan_part part;
  alarm(LONGEST_TRY);
  if (!find_unit(library, &part) && open_library(library) != DONE) return FAILED;
  suspect(library);
  const mmscan_status status = mmscan_routine_try(library, routine);
  suspect(NULL);
  if (status == MMSCAN_EINVAL) return fail("%s: there is no routine '%s'", library, routine);
  if (status != MMSCAN_OK) return fail("%s: %s: %s", library, routine, mmscan_strerror(status));
  return DONE;
}

/* What a trial prints. An exit status alone is no proof: a library may have ended the process with it. */
static const char *const verdicts[] = {[DONE] = "passed\n", [FAILED] = "failed\n"};

/* Only the verdict goes to stdout. What the library prints, until the process ends, goes to stderr. */
int try_here(const char *library, const char *routine) {
  const int ours = dup(STDOUT_FILENO);
  if (ours < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return fail("stdout: %s", strerror(errno));
  const int status = try_routine(library, routine);
  return dprintf(ours, "%s", verdicts[status]) < 0 ? FAILED : status;
}

static bool is_proof(const char *said, int status) {
  return (status == DONE || status == FAILED) && strcmp(said, verdicts[status]) == 0;
}

/* Runs this program again: a library that crashes takes its process with it. */
static const char *try_apart(const char *unit, const char *routine) {
  const char *const words[] = {"/proc/self/exe", "tune", "--try", unit, routine, NULL};
  process p;
  if (!process_start(&p, words, -1, true)) return "could not be tried";
  char said[16];
  said[fread(said, 1, sizeof said - 1, p.from)] = '\0';
  const int status = process_end(&p);
  if (!is_proof(said, status)) return "crashed";
  return status == DONE && mmscan_routine_try(unit, routine) == MMSCAN_OK ? "passed" : "failed";
}

static void report(json_t *list, const char *unit, const char *routine, const char *outcome) {
  if (list == NULL)
    printf("%s: %s %s\n", unit, routine, outcome);
  else
    json_array_append_new(
        list, json_pack("{s:o, s:s, s:s}", "unit", json_text(unit), "routine", routine, "outcome", outcome));
  fflush(stdout);
}

static void try_unit(const char *unit, json_t *list) {
  mmscan_routine routine = {.struct_size = sizeof routine};
  for (size_t i = 0; mmscan_get_routine(unit, i, &routine) == MMSCAN_OK; i++)
    if (routine.state == MMSCAN_ROUTINE_OFF) report(list, unit, routine.name, try_apart(unit, routine.name));
}

void try_routines(json_t *list) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) try_unit(part.name, list);
}
