/* scratch.h: a temporary folder for one test program.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <dirent.h>
#include <unistd.h>

#include "test.h"

enum { PATH_SIZE = 512 };

static char scratch[PATH_SIZE / 4];

/* The path of a file in the folder; valid until the fourth call after this one. */
static inline const char *in_scratch(const char *name) {
  static char paths[4][PATH_SIZE];
  static unsigned turn;
  char *path = paths[turn++ % COUNT(paths)];
  snprintf(path, PATH_SIZE, "%s/%s", scratch, name);
  return path;
}

/* For cmocka's group setup and teardown. */
static inline int make_scratch(void **state) {
  (void)state;
  snprintf(scratch, sizeof scratch, "%s/mmscan-test-XXXXXX", text_or(getenv("TMPDIR"), "/tmp"));
  return mkdtemp(scratch) == NULL;
}

/* Calls `visit` with the path of each file in the folder; returns how many there are. */
static inline size_t walk_scratch(int (*visit)(const char *path)) {
  size_t count = 0;
  DIR *folder = opendir(scratch);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    count++;
    if (visit != NULL) visit(in_scratch(entry->d_name));
  }
  if (folder != NULL) closedir(folder);
  return count;
}

static inline int remove_scratch(void **state) {
  (void)state;
  walk_scratch(remove);
  return rmdir(scratch);
}

#endif
